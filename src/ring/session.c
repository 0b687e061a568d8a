/* SPDX-License-Identifier: Apache-2.0 */
/* Session folders: create, adopt, attach, remove, all by descriptor. */
#include "ring/identity.h"
#include "ring/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The absolute path of the open folder, which may be renamed meanwhile. */
static int set_dir(struct ring_session *s, const char *dir, struct tacho_error *err)
{
	char *full = realpath(dir, NULL);
	struct stat named, opened;
	int r = 0;

	if (!full || stat(full, &named) < 0 || fstat(s->folder.fd, &opened) < 0)
		r = err_errno(err, TACHO_EREAD, "cannot open %s", dir);
	else if (named.st_dev != opened.st_dev || named.st_ino != opened.st_ino)
		r = err_set(err, TACHO_EREAD, "%s was replaced while it was opened", dir);
	else if (strlen(full) >= sizeof(s->dir))
		r = err_set(err, TACHO_EUSAGE, "%s: the name of a session is too long", dir);
	else
		snprintf(s->dir, sizeof(s->dir), "%s", full);
	free(full);
	return r;
}

static bool map_page(struct ring_control_page *page, int fd)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0 || st.st_size < (off_t)RING_PAGE_SIZE)
		return false;
	p = mmap(NULL, RING_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return false;
	page->control = p;
	guard_add(&page->guard, p, RING_PAGE_SIZE, &page->gone);
	return true;
}

static void unmap_page(struct ring_control_page *page)
{
	guard_remove(&page->guard);
	if (page->control)
		munmap(page->control, RING_PAGE_SIZE);
	page->control = NULL;
}

/*
 * Maps the control page. The descriptor stays open: the recorder of a session holds a lock on it,
 * which ends with the recorder, however it ends, and which no reused pid can imitate.
 */
static int session_control_map(struct ring_session *s, int flags, struct tacho_error *err)
{
	s->lock = own_file_open(s->folder.fd, "control", O_RDWR | flags);
	if (s->lock < 0)
		return err_errno(err, flags ? TACHO_EWRITE : TACHO_EREAD, "cannot open %s/control",
				 s->dir);
	if ((flags && posix_fallocate(s->lock, 0, RING_PAGE_SIZE) != 0) ||
	    !map_page(&s->page, s->lock)) {
		if (flags)
			unlinkat(s->folder.fd, "control", 0);
		close(s->lock);
		s->lock = -1;
		return err_set(err, flags ? TACHO_EWRITE : TACHO_EFORMAT,
			       flags ? "no room for a session in %s" : "%s is not a session",
			       s->dir);
	}
	s->control = s->page.control;
	return 0;
}

/* ---- attach pages */

/* The pid of the program that left this page; 0 if NAME is not a page's. */
static uint32_t attach_pid(const char *name)
{
	char *end;
	unsigned long pid = strncmp(name, "attach.", 7) ? 0 : strtoul(name + 7, &end, 10);

	return pid && !*end && pid <= INT32_MAX ? (uint32_t)pid : 0;
}

/* Maps a program's attach page in PLACE; NULL if none matches. */
static struct ring_control *map_attach_in(struct ring_session *s, int place, uint32_t pid)
{
	struct ring_control_page *page = &s->attached[s->attached_count];
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "attach.%u", pid);
	fd = own_file_open(place, name, O_RDWR);
	if (fd < 0)
		return NULL;
	page->pid = pid;
	if (map_page(page, fd) &&
	    (page->control->magic != RING_CONTROL || page->control->version != RING_VERSION ||
	     page->control->owner_pid != pid || kill((pid_t)pid, 0) < 0))
		unmap_page(page);
	close(fd);
	return page->control;
}

static struct ring_control *map_attach(struct ring_session *s, uint32_t pid)
{
	struct ring_place places[RING_PLACES];
	unsigned n = ring_places_open(places);
	struct ring_control *c = NULL;

	for (unsigned i = 0; i < n && !c; i++)
		c = map_attach_in(s, places[i].fd, pid);
	ring_places_close(places, n);
	return c;
}

/* Attaches to the programs in PLACE that the dead recorder had attached to. */
static void reattach_in(struct ring_session *s, int place)
{
	DIR *d = own_folder_read(place);
	struct dirent *e;

	while (d && (e = readdir(d)) && s->attached_count < RING_MAX_ATTACHED) {
		uint32_t pid = attach_pid(e->d_name);
		struct ring_control *c = pid ? map_attach_in(s, place, pid) : NULL;

		if (!c)
			continue;
		if (atomic_load(&c->key) == s->key && !strncmp(c->session, s->dir, RING_PATH)) {
			c->recorder_pid = (uint32_t)getpid();
			s->attached_count++;
		} else {
			unmap_page(&s->attached[s->attached_count]);
		}
	}
	if (d)
		closedir(d);
}

/* ---- making and taking over */

/* Creates a new folder in one of the user's places. */
static int make_in_place(struct ring_session *s, struct tacho_error *err)
{
	struct ring_place place;
	char why[RING_PLACE_PATH + 64];
	int r = ring_place_for_session(&place, why, sizeof(why), err);

	if (r < 0)
		return r;
	r = own_folder_temporary(&s->folder, place.fd, "s.", err);
	if (r < 0)
		err_errno(err, r, "cannot make a session in %s", place.path);
	else
		snprintf(s->dir, sizeof(s->dir), "%s/%s", place.path, s->folder.name);
	close(place.fd);
	if (r == 0 && why[0])
		snprintf(s->note, sizeof(s->note), "%s; the session is in %s", why, s->dir);
	return r;
}

static int make_dir(struct ring_session *s, const char *dir, struct tacho_error *err)
{
	int r;

	if (!dir) {
		struct ring_place places[RING_PLACES];
		unsigned n = ring_places_open(places);

		for (unsigned i = 0; i < n; i++) {
			/* Removes pages of killed programs, which "tacho capture --pid" would find.
			 */
			DIR *d = own_folder_read(places[i].fd);
			struct dirent *e;

			while (d && (e = readdir(d))) {
				uint32_t pid = attach_pid(e->d_name);

				if (pid && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
					unlinkat(places[i].fd, e->d_name, 0);
			}
			if (d)
				closedir(d);
		}
		ring_places_close(places, n);
		return make_in_place(s, err);
	}
	r = own_folder_open(&s->folder, dir, true, err);
	return r < 0 ? r : set_dir(s, dir, err);
}

void ring_session_init(struct ring_session *s)
{
	memset(s, 0, sizeof(*s));
	s->folder = OWN_FOLDER_INIT;
	s->lock = s->pool.fd = -1;
}

int ring_session_create(struct ring_session *s, const char *dir,
			const struct ring_session_options *options, struct tacho_error *err)
{
	struct ring_control *c;
	uint32_t random = 0;
	int r;

	ring_session_init(s);
	r = make_dir(s, dir, err);
	if (r == 0) {
		r = session_control_map(s, O_CREAT | O_EXCL, err);
		if (r < 0 && !dir)
			own_folder_remove(&s->folder);
	}
	if (r < 0) {
		ring_session_close(s);
		return r;
	}
	/* Before the control page is valid: programs then look for the pool. */
	r = ring_pool_create(s, options->session_mb, err);
	if (r < 0) {
		ring_session_remove(s);
		ring_session_close(s);
		return r;
	}
	flock(s->lock, LOCK_EX | LOCK_NB); /* no process checks before the magic is set */
	c = s->control;
	c->version = RING_VERSION;
	c->policy = options->policy;
	c->limit_mb = options->limit_mb ? options->limit_mb : 512;
	c->block_ms = options->block_ms;
	c->ring_kb = options->ring_kb ? options->ring_kb : 4096;
	c->recorder_pid = (uint32_t)getpid();
	snprintf(c->session, sizeof(c->session), "%s", s->dir);
	c->magic = RING_CONTROL;
	/* A generation that no earlier session has had, as far as chance allows; never 0. */
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
	c->generation = s->key = (uint64_t)(random | 1) << 32;
	return 0;
}

/*
 * A process that checks for a recorder takes the lock shared for a moment, which may be long on a
 * busy machine. A recorder holds it exclusively.
 */
static int take_lock(int fd)
{
	struct timespec pause = {0, 2000000};

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (flock(fd, LOCK_SH | LOCK_NB) < 0)
			return -1;
		flock(fd, LOCK_UN);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/*
 * The recorder was killed between the last two steps of ring_session_remove(): the folder has one
 * of our names and is empty.
 */
static bool finish_remove(struct ring_session *s)
{
	const char *name = s->folder.name;

	return ((!strncmp(name, "s.", 2) && strlen(name) == 8) || !strcmp(name, RING_CAPTURE)) &&
	       own_folder_remove(&s->folder);
}

int ring_session_adopt(struct ring_session *s, const char *dir, bool keep, struct tacho_error *err)
{
	int r;
	struct ring_place places[RING_PLACES];
	unsigned n;

	ring_session_init(s);
	r = own_folder_open(&s->folder, dir, false, err);
	if (r == 0)
		r = set_dir(s, dir, err);
	if (r == 0)
		r = session_control_map(s, 0, err);
	if (r == TACHO_EREAD && !keep && s->folder.fd >= 0 && finish_remove(s))
		r = err_set(err, TACHO_EREAD, "%s was saved already", dir);
	if (r == 0 && (s->control->magic != RING_CONTROL || s->control->version != RING_VERSION ||
		       !s->control->generation))
		r = err_set(err, TACHO_EFORMAT, "%s is not a session of this version", dir);
	if (r == 0 && take_lock(s->lock) < 0)
		r = err_set(err, TACHO_ECONNECT, "%s is being recorded by process %u", dir,
			    s->control->recorder_pid);
	if (r < 0) {
		ring_session_close(s);
		return r;
	}
	r = ring_pool_adopt(s, keep, err);
	if (r < 0) {
		ring_session_close(s);
		return r;
	}
	s->key = s->control->generation;
	if (keep)
		return 0;
	s->control->recorder_pid = (uint32_t)getpid();
	n = ring_places_open(places);
	for (unsigned i = 0; i < n; i++)
		reattach_in(s, places[i].fd);
	ring_places_close(places, n);
	return 0;
}

uint32_t ring_session_recorder(const char *dir)
{
	struct ring_follow f;
	uint32_t pid = 0;

	if (ring_follow_open(&f, dir, NULL) < 0)
		return 0;
	if (ring_follow_recorded(&f))
		pid = f.control->recorder_pid;
	ring_follow_close(&f);
	return pid;
}

int ring_session_set_output(struct ring_session *s, const char *path, struct tacho_error *err)
{
	char *cwd = path[0] == '/' ? strdup("") : getcwd(NULL, 0);
	size_t len = cwd ? strlen(cwd) + 1 + strlen(path) : 0;

	/* With room for ".part". */
	if (!cwd || len + sizeof(".part") >= sizeof(s->control->output)) {
		free(cwd);
		return err_set(err, TACHO_EWRITE, "the name of the trace is too long: %s", path);
	}
	if (path[0] == '/')
		memcpy(s->control->output, path, strlen(path) + 1);
	else
		sprintf(s->control->output, "%s/%s", cwd, path);
	free(cwd);
	return 0;
}

void ring_session_start(struct ring_session *s)
{
	atomic_store(&s->control->key, s->key);
}

void ring_session_stop(struct ring_session *s)
{
	atomic_store(&s->control->key, 0);
	for (unsigned i = 0; i < s->attached_count; i++)
		atomic_store(&s->attached[i].control->key, 0);
}

void ring_session_wait(struct ring_session *s, unsigned ms)
{
	struct timespec limit = {ms / 1000, (long)(ms % 1000) * 1000000};
	uint32_t bell = atomic_load(&s->control->doorbell);

	atomic_store(&s->control->asleep, 1);
	syscall(SYS_futex, &s->control->doorbell, FUTEX_WAIT, bell, &limit, NULL, 0);
	atomic_store(&s->control->asleep, 0);
}

void ring_session_close(struct ring_session *s)
{
	unmap_page(&s->page);
	ring_pool_close(s);
	if (s->lock >= 0)
		close(s->lock);
	own_folder_close(&s->folder);
	for (unsigned i = 0; i < s->attached_count; i++)
		unmap_page(&s->attached[i]);
	ring_session_init(s);
}

bool ring_is_name(const char *name)
{
	size_t pid, n;

	if (strncmp(name, "p.", 2))
		return false;
	pid = strspn(name + 2, "0123456789");
	if (!pid || name[2 + pid] != '.')
		return false;
	n = strspn(name + 3 + pid, "0123456789");
	return n && !name[3 + pid + n];
}

void ring_session_remove(struct ring_session *s)
{
	DIR *d = own_folder_read(s->folder.fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (ring_is_name(e->d_name))
			unlinkat(s->folder.fd, e->d_name, 0);
	if (d)
		closedir(d);
	unlinkat(s->folder.fd, "pool", 0);
	/*
	 * Last: while it exists the directory can be adopted again, should we be killed half-way.
	 */
	unlinkat(s->folder.fd, "control", 0);
	own_folder_remove(&s->folder);
}

void ring_session_unlock(struct ring_session *s)
{
	flock(s->lock, LOCK_UN);
}

int ring_session_attach(struct ring_session *s, uint32_t pid, struct tacho_error *err)
{
	struct ring_control *c;
	char session[RING_PATH];

	if (s->attached_count == RING_MAX_ATTACHED)
		return err_set(err, TACHO_ELIMIT, "at most %d programs can be attached to",
			       RING_MAX_ATTACHED);
	c = map_attach(s, pid);
	if (!c)
		return err_set(
			err, TACHO_ECONNECT,
			"process %u cannot be recorded: it is gone, not yours, does not link libtacho of this version, or was started in a session",
			pid);
	if (c->filters && identity_filters(pid) > c->filters) {
		unmap_page(&s->attached[s->attached_count]);
		return err_set(
			err, TACHO_ECONNECT,
			"process %u has a seccomp filter that it did not start with: recording it "
			"could end it; TACHO_SESSION, or 'tacho run', records it from the start",
			pid);
	}
	snprintf(session, sizeof(session), "%.*s", (int)sizeof(session) - 1, c->session);
	if (atomic_load(&c->key) && ring_session_recorder(session)) {
		err_set(err, TACHO_ECONNECT, "process %u is being recorded by process %u", pid,
			c->recorder_pid);
		unmap_page(&s->attached[s->attached_count]);
		return TACHO_ECONNECT;
	}
	atomic_store(&c->key, 0); /* of a recorder that died */
	c->policy = s->control->policy;
	c->limit_mb = s->control->limit_mb;
	c->block_ms = s->control->block_ms;
	c->ring_kb = s->control->ring_kb;
	c->recorder_pid = (uint32_t)getpid();
	snprintf(c->session, sizeof(c->session), "%s", s->dir);
	atomic_store(&c->key, s->key);
	s->attached_count++;
	return 0;
}

unsigned ring_session_attached_alive(const struct ring_session *s)
{
	unsigned alive = 0;

	for (unsigned i = 0; i < s->attached_count; i++)
		alive += kill((pid_t)s->attached[i].pid, 0) == 0;
	return alive;
}
