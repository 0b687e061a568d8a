/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choose the log folder of a device, so that it belongs to one process at a time and to one kind of
 * device, and continue the numbers of earlier processes.
 *
 * The process that writes to FOLDER/.logs locks .writer in it for its lifetime; another process
 * uses FOLDER/process-PID. A log whose header names another kind of device is left alone, in favour
 * of FOLDER/ARCH-CORES. Consecutive processes share a folder: in the logs (and only there) op
 * numbers, trace numbers and device clocks continue from the previous process. A recording starts a
 * new log, so that its numbers match the trace, and renames the previous one to NAME.old. For this
 * the file .writer has
 *
 *	log INODE SIZE SESSION		the device log that it describes, and no other; and a hash
 *					of the recording's session, 0: none
 *	ops N				the last base number of an op
 *	device N CYCLES TRACES		for each device
 */
#include "base/environ.h"
#include "base/folder.h"
#include "base/text.h"
#include "device/kernel_build.h"
#include "device/launch.h"
#include "device/log.h"
#include "device/sync.h"
#include "ttlog/devrow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITER     ".writer"
#define MAX_WRITER (1u << 20)

struct log_home {
	char *logs; /* absolute path of the folder: programs change directory */
	bool reported;
	uint64_t kind; /* kind of its devices: a hash of the header; 0: none yet */
	int fd;        /* of its .writer; -1: not available, so nothing is saved */
	pid_t pid;
	uint32_t ops;                         /* of earlier processes */
	struct log_start before[DEVICES_MAX]; /* their last values for each device */
	struct log_start lives[DEVICES_MAX];  /* including those of this process */
	struct log_home *next;
};

/* Homes live until the process ends. */
static struct log_home *homes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of them */

static uint64_t log_home_session(void)
{
	const char *name = environ_get("TACHO_SESSION");

	return name && *name ? hash_bytes(HASH_START, name, strlen(name)) : 0;
}

/* ---- saved state ---- */
static bool stat_log(const struct log_home *h, struct stat *st)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", h->logs, TTLOG_DEVICE_FILE);
	return stat(path, st) == 0;
}

static void put_aside(const struct log_home *h, const char *name)
{
	char from[PATH_MAX + 64], to[PATH_MAX + 64];

	snprintf(from, sizeof(from), "%s/%s", h->logs, name);
	snprintf(to, sizeof(to), "%s/%s.old", h->logs, name);
	rename(from, to);
}

/* Reads the file, if it describes the current log. *WHOSE: the session that wrote it. */
static char *writer_text(const struct log_home *h, unsigned long long *whose, char **rest)
{
	unsigned long long inode, size;
	struct stat log, st;
	char *text, *line;
	ssize_t n;

	*whose = 0;
	if (fstat(h->fd, &st) < 0 || st.st_size <= 0 || st.st_size > MAX_WRITER ||
	    !stat_log(h, &log) || !(text = calloc(1, (size_t)st.st_size + 1)))
		return NULL;
	n = pread(h->fd, text, (size_t)st.st_size, 0);
	line = n > 0 ? strtok_r(text, "\n", rest) : NULL;
	if (line && sscanf(line, "log %llu %llu %llu", &inode, &size, whose) == 3 &&
	    inode == log.st_ino && size == (unsigned long long)log.st_size)
		return text;
	free(text);
	return NULL;
}

static void read_writer(struct log_home *h)
{
	unsigned long long whose;
	char *rest = NULL, *text = writer_text(h, &whose, &rest), *line;
	bool fresh = log_home_session() && log_home_session() != whose;

	/* The samples do not say which run they are from, so two runs are never mixed. */
	if (fresh)
		put_aside(h, SYNC_CLASSIC_FILE);
	if (fresh && text) {
		put_aside(h, TTLOG_DEVICE_FILE);
		put_aside(h, TTLOG_CPP_FILE);
	}
	while (!fresh && text && (line = strtok_r(NULL, "\n", &rest))) {
		unsigned long long a, b, c;

		if (sscanf(line, "ops %llu", &a) == 1)
			h->ops = (uint32_t)a;
		else if (sscanf(line, "device %llu %llu %llu", &a, &b, &c) == 3 && a < DEVICES_MAX)
			h->before[a] = h->lives[a] =
				(struct log_start){.cycles = b, .traces = (uint32_t)c};
	}
	free(text);
}

static void write_writer(const struct log_home *h)
{
	struct buf text = BUF_INIT;
	struct stat log;

	if (!stat_log(h, &log))
		return;
	buf_addf(&text, "log %llu %llu %llu\nops %u\n", (unsigned long long)log.st_ino,
		 (unsigned long long)log.st_size, (unsigned long long)log_home_session(),
		 h->ops + op_last());
	for (unsigned i = 0; i < DEVICES_MAX; i++)
		if (h->lives[i].cycles)
			buf_addf(&text, "device %u %llu %u\n", i,
				 (unsigned long long)h->lives[i].cycles, h->lives[i].traces);
	/* Without this file numbers start again, so a failed write is not worth a warning. */
	if (!text.failed && ftruncate(h->fd, 0) == 0 &&
	    pwrite(h->fd, text.data, text.len, 0) != (ssize_t)text.len)
		(void)!ftruncate(h->fd, 0);
	buf_free(&text);
}

/* ---- ownership ---- */

/*
 * False: another process owns it. We own it if the file system has no locks or is not writable; the
 * latter is reported when a log is opened.
 */
static bool lock_writer(struct log_home *h)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/" WRITER, h->logs);
	h->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (h->fd < 0)
		return true;
	if (fcntl(h->fd, F_SETLK, &all) == 0 || (errno != EAGAIN && errno != EACCES)) {
		read_writer(h);
		return true;
	}
	close(h->fd);
	return false;
}

/* A home of this process that still exists at its path. */
static struct log_home *log_home_find(const char *logs)
{
	char path[PATH_MAX + 64];
	struct stat there, ours;

	snprintf(path, sizeof(path), "%s/" WRITER, logs);
	for (struct log_home *h = homes; h; h = h->next)
		if (h->pid == getpid() && !strcmp(h->logs, logs) &&
		    (h->fd < 0 || (stat(path, &there) == 0 && fstat(h->fd, &ours) == 0 &&
				   there.st_ino == ours.st_ino && there.st_dev == ours.st_dev)))
			return h;
	return NULL;
}

/* 1: ours, 0: another process's. */
static int log_home_take(const char *folder, struct log_home **out, struct tacho_error *err)
{
	char logs[PATH_MAX + 32];
	struct log_home *h;

	snprintf(logs, sizeof(logs), "%s/.logs", folder);
	if (folder_make(logs, err) < 0)
		return err->code;
	h = calloc(1, sizeof(*h));
	if (!h || !(h->logs = realpath(logs, NULL))) {
		free(h);
		return err_set(err, TACHO_ENOMEM, "no memory");
	}
	h->pid = getpid();
	*out = log_home_find(h->logs);
	if (!*out && lock_writer(h)) {
		h->next = homes;
		homes = *out = h;
		return 1;
	}
	free(h->logs);
	free(h);
	return *out != NULL;
}

/* True if the log describes devices like this one, or is empty. */
static bool log_home_is_usable(struct log_home *h, const struct tacho_device *d)
{
	struct buf head = BUF_INIT;
	char path[PATH_MAX + 64], line[200];
	uint64_t kind;
	bool same = true;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", h->logs, TTLOG_DEVICE_FILE);
	f = fopen(path, "re");
	devrow_header(&head, d->shape.arch, d->shape.mhz, d->workers);
	if (f && fgets(line, sizeof(line), f) && !head.failed)
		same = !strncmp(line, head.data, strlen(line));
	if (f)
		fclose(f);
	kind = head.failed ? h->kind : hash_bytes(HASH_START, head.data, head.len);
	same &= !h->kind || h->kind == kind;
	if (same)
		h->kind = kind;
	buf_free(&head);
	return same;
}

static int log_home_choose(const struct tacho_device *d, char *folder, size_t size,
			   struct log_home **h, struct tacho_error *err)
{
	int r = log_home_take(folder, h, err);
	size_t len = strlen(folder);

	if (r == 0) {
		snprintf(folder + len, size - len, "/process-%d", (int)getpid());
		r = log_home_take(folder, h, err);
		if (r > 0 && !(*h)->reported)
			fprintf(stderr,
				"tacho: warning: another process writes %.*s/.logs: the logs of this "
				"one are in %s\n",
				(int)len, folder, folder);
		if (r > 0)
			(*h)->reported = true;
	}
	len = strlen(folder);
	if (r > 0 && !log_home_is_usable(*h, d)) {
		snprintf(folder + len, size - len, "/%s-%u", d->shape.arch, d->workers);
		r = log_home_take(folder, h, err);
		if (r > 0 && !(*h)->reported)
			fprintf(stderr,
				"tacho: warning: %.*s/.logs is of other devices: the logs of %s with "
				"%u cores are in %s\n",
				(int)len, folder, d->shape.arch, d->workers, folder);
		if (r > 0)
			(*h)->reported = true;
	}
	return r == 0 ? err_set(err, TACHO_EWRITE, "another process writes %s", folder) : r;
}

int log_home_open(struct tacho_device *d, struct log_home **out, char **shown,
		  struct log_start *start, struct tacho_error *err)
{
	char folder[PATH_MAX];
	int r = folder_profiler(NULL, folder, sizeof(folder) - 64, err);

	if (r < 0)
		return r;
	pthread_mutex_lock(&lock);
	r = log_home_choose(d, folder, sizeof(folder), out, err);
	if (r > 0) {
		*start = (*out)->before[d->number];
		start->ops = (*out)->ops;
		if (asprintf(shown, "%s/.logs", folder) < 0)
			r = err_set(err, TACHO_ENOMEM, "no memory");
	}
	pthread_mutex_unlock(&lock);
	return r < 0 ? r : 0;
}

const char *log_home_path(const struct log_home *h)
{
	return h->logs;
}

void log_home_keep(const struct tacho_device *d, struct log_home *h)
{
	if (h->fd < 0)
		return;
	pthread_mutex_lock(&lock);
	h->lives[d->number] =
		(struct log_start){.cycles = h->before[d->number].cycles + d->ops->cycles(d->self),
				   .traces = h->before[d->number].traces + d->next_trace};
	write_writer(h);
	pthread_mutex_unlock(&lock);
}
