/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions from the outside: find them, and follow what is recorded. */
#include "base/now.h"
#include "base/order.h"
#include "ring/ring.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --------------------------------------------------------------- following */

int ring_follow_open(struct ring_follow *f, const char *dir, struct tacho_error *err)
{
	struct own_folder folder;
	struct stat st;
	void *p = MAP_FAILED;

	*f = (struct ring_follow){.lock = -1};
	if (own_folder_open(&folder, dir, false, err) < 0)
		return TACHO_ECONNECT;
	f->lock = own_file_open(folder.fd, "control", O_RDWR);
	own_folder_close(&folder);
	if (f->lock < 0)
		return err_errno(err, TACHO_ECONNECT, "cannot open %s/control", dir);
	if (fstat(f->lock, &st) == 0 && st.st_size >= (off_t)RING_PAGE_SIZE)
		p = mmap(NULL, RING_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f->lock, 0);
	if (p != MAP_FAILED)
		f->control = p;
	if (!f->control || f->control->magic != RING_CONTROL ||
	    f->control->version != RING_VERSION) {
		ring_follow_close(f);
		return err_set(err, TACHO_EFORMAT, "%s is not a session of this version", dir);
	}
	return 0;
}

void ring_follow_touch(struct ring_follow *f)
{
	if (f->control)
		atomic_store_explicit(&f->control->followed, now_ns(), memory_order_relaxed);
}

bool ring_follow_recorded(const struct ring_follow *f)
{
	if (f->lock < 0)
		return false;
	if (flock(f->lock, LOCK_SH | LOCK_NB) < 0)
		return true;
	/* A recorder that takes over the session needs the lock. */
	flock(f->lock, LOCK_UN);
	return false;
}

void ring_follow_wait(struct ring_follow *f, unsigned ms)
{
	struct timespec limit = {ms / 1000, (long)(ms % 1000) * 1000000};

	if (!f->control)
		nanosleep(&limit, NULL);
	else if (atomic_load(&f->control->written) == f->seen)
		syscall(SYS_futex, &f->control->written, FUTEX_WAIT, f->seen, &limit, NULL, 0);
	if (f->control)
		f->seen = atomic_load(&f->control->written);
}

/* Stores a value in the slot if its owner is still OWNER. */
static bool parameter_store(struct ring_parameter *p, uint64_t owner, uint64_t next, int32_t value)
{
	if (!atomic_compare_exchange_strong(&p->owner, &owner, RING_PARAMETER_BUSY))
		return false;
	atomic_store_explicit(&p->value, (uint32_t)value, memory_order_relaxed);
	atomic_store(&p->owner, next);
	return true;
}

bool ring_follow_set_parameter(struct ring_follow *f, uint32_t pid, uint32_t number, int32_t value)
{
	uint64_t owner = RING_PARAMETER_OWNER(pid, number);

	if (!f->control || !pid)
		return false;
	for (unsigned i = 0; i < RING_PARAMETERS; i++)
		if (parameter_store(&f->control->parameters[i], owner, owner, value))
			return true;
	for (unsigned i = 0; i < RING_PARAMETERS; i++)
		if (parameter_store(&f->control->parameters[i], 0, owner, value))
			return true;
	return false;
}

void ring_follow_close(struct ring_follow *f)
{
	if (f->control)
		munmap(f->control, RING_PAGE_SIZE);
	if (f->lock >= 0)
		close(f->lock);
	*f = (struct ring_follow){.lock = -1};
}

bool ring_session_followed(const struct ring_session *s)
{
	uint64_t last = atomic_load_explicit(&s->control->followed, memory_order_relaxed);

	return last && now_ns() - last < RING_FOLLOWED_MS * 1000000ull;
}

void ring_session_written(struct ring_session *s)
{
	atomic_fetch_add(&s->control->written, 1);
	syscall(SYS_futex, &s->control->written, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* ----------------------------------------------------------------- finding */

/* False if DIR is not a session of this version, or not yet. */
static bool follow_describe(const char *dir, struct ring_session_info *info)
{
	struct ring_follow f;
	struct stat st;

	memset(info, 0, sizeof(*info));
	if (strlen(dir) >= sizeof(info->dir) || ring_follow_open(&f, dir, NULL) < 0)
		return false;
	snprintf(info->dir, sizeof(info->dir), "%s", dir);
	snprintf(info->output, sizeof(info->output), "%.*s", (int)sizeof(f.control->output) - 1,
		 f.control->output);
	if (ring_follow_recorded(&f))
		info->recorder = f.control->recorder_pid;
	if (fstat(f.lock, &st) == 0)
		info->made = (uint64_t)st.st_ctime;
	ring_follow_close(&f);
	return info->output[0]; /* otherwise it is being created */
}

/*
 * Opens a session by its folder; waits a moment for one that is being created. TACHO_ENO if DIR is
 * not a session; TACHO_ECONNECT if it is another user's.
 */
static int describe_soon(const char *dir, struct ring_session_info *info, struct tacho_error *err)
{
	struct timespec pause = {0, 10000000};
	char path[RING_PATH + 16];
	struct own_folder folder;

	snprintf(path, sizeof(path), "%s/control", dir);
	for (int i = 0; i < 1000; i++) {
		if (follow_describe(dir, info))
			return 0;
		if (access(path, F_OK) < 0)
			return TACHO_ENO;
		if (own_folder_open(&folder, dir, false, err) < 0)
			return TACHO_ECONNECT;
		own_folder_close(&folder);
		nanosleep(&pause, NULL);
	}
	return TACHO_ENO;
}

ORDER_BY(newest_first, struct ring_session_info, ORDER_DOWN(made) ?: strcmp(x->dir, y->dir));

/* Adds the sessions of a place to V. */
static int list_place(const struct ring_place *place, struct ring_session_info **v, size_t *n)
{
	DIR *d = own_folder_read(place->fd);
	struct ring_session_info *more;
	char path[RING_PATH];
	struct dirent *e;
	int r = 0;

	while (d && r == 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !strncmp(e->d_name, "attach.", 7))
			continue;
		snprintf(path, sizeof(path), "%.*s/%s", (int)sizeof(place->path), place->path,
			 e->d_name);
		more = reallocarray(*v, *n + 1, sizeof(**v));
		if (more) {
			*v = more;
			*n += follow_describe(path, &more[*n]);
		} else {
			r = TACHO_ENOMEM;
		}
	}
	if (d)
		closedir(d);
	return r;
}

int ring_sessions(struct ring_session_info **list, size_t *count)
{
	struct ring_place places[RING_PLACES];
	struct ring_session_info *v = NULL;
	unsigned found = ring_places_open(places);
	size_t n = 0;
	int r = 0;

	for (unsigned i = 0; i < found && r == 0; i++)
		r = list_place(&places[i], &v, &n);
	ring_places_close(places, found);
	if (r < 0) {
		free(v);
		return r;
	}
	if (n)
		qsort(v, n, sizeof(*v), newest_first);
	*list = v;
	*count = n;
	return 0;
}

/* PATH with its folder resolved: the file need not exist. NULL if the folder does not exist. */
static char *follow_resolved(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL, *full = NULL;

	if (real && asprintf(&full, "%s/%s", real, name) < 0)
		full = NULL;
	free(folder);
	free(real);
	return full;
}

/* True if PATH is OUTPUT or OUTPUT.part, which may be a link or not exist yet. */
static bool is_trace_of(const char *path, const char *output)
{
	char *at = realpath(path, NULL), *own = follow_resolved(output);
	size_t n = own ? strlen(own) : 0;
	bool same;

	if (!at)
		at = follow_resolved(path);
	same = at && own && !strncmp(at, own, n) && (!at[n] || !strcmp(at + n, ".part"));
	free(at);
	free(own);
	return same;
}

/* True if TEXT names this session: its folder's name, its recorder, or its trace. */
static bool is_meant(const struct ring_session_info *s, const char *text)
{
	const char *name = strrchr(s->dir, '/');
	char pid[16];
	bool same;

	snprintf(pid, sizeof(pid), "%u", s->recorder);
	same = (name && !strcmp(name + 1, text)) || (s->recorder && !strcmp(pid, text)) ||
	       is_trace_of(text, s->output);
	if (same || strchr(text, '/'))
		return same;
	/* Finds a trace by the name given to the recorder, under which it does not exist yet. */
	name = strrchr(s->output, '/');
	return name && !strcmp(name + 1, text);
}

static int find_only(const struct ring_session_info *list, size_t count,
		     struct ring_session_info *info, struct tacho_error *err)
{
	const struct ring_session_info *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!list[i].recorder)
			continue;
		if (found)
			return err_set(err, TACHO_ECONNECT,
				       "several sessions are being recorded: %s, %s ...: name one",
				       found->dir, list[i].dir);
		found = &list[i];
	}
	if (!found)
		return err_set(err, TACHO_ECONNECT, "nothing is being recorded");
	*info = *found;
	return 0;
}

/* Prefers one that is being recorded to one that a killed recorder has left. */
static int find_named(const struct ring_session_info *list, size_t count, const char *text,
		      struct ring_session_info *info)
{
	int r = TACHO_ECONNECT;

	for (size_t i = 0; i < count && (r < 0 || !info->recorder); i++) {
		if (!is_meant(&list[i], text) || (r == 0 && !list[i].recorder))
			continue;
		*info = list[i];
		r = 0;
	}
	return r;
}

static int find_once(const char *text, struct ring_session_info *info, struct tacho_error *err)
{
	struct ring_session_info *list = NULL;
	size_t count = 0;
	int r = ring_sessions(&list, &count);

	if (r < 0)
		return err_set(err, r, "no memory to look for sessions");
	if (!text || !*text)
		r = find_only(list, count, info, err);
	else if ((r = find_named(list, count, text, info)) < 0)
		err_set(err, r, "no session '%s' is being recorded", text);
	free(list);
	return r;
}

/* A recorder creates the file first, then the session. */
static bool is_begun(const char *text)
{
	char part[RING_PATH + 8];

	return text && snprintf(part, sizeof(part), "%s.part", text) < (int)sizeof(part) &&
	       access(part, F_OK) == 0;
}

int ring_session_find(const char *text, struct ring_session_info *info, struct tacho_error *err)
{
	struct timespec pause = {0, 10000000};
	int r = text && strchr(text, '/') ? describe_soon(text, info, err) : TACHO_ENO;

	if (r != TACHO_ENO)
		return r;
	r = find_once(text, info, err);
	for (int i = 0; i < 100 && r == TACHO_ECONNECT && is_begun(text); i++) {
		nanosleep(&pause, NULL);
		r = find_once(text, info, err);
	}
	return r;
}
