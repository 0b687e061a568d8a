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

void ring_base_dir(char *dir, size_t size)
{
	snprintf(dir, size, "/dev/shm/tacho-%u", (unsigned)geteuid());
}

/* A generation that no session before has had, as far as chance allows; never 0. */
static uint64_t new_key(void)
{
	uint32_t n = 0;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		n = (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
	return (uint64_t)(n | 1) << 32;
}

static int set_dir(struct ring_session *s, const char *dir, struct tacho_error *err)
{
	char *full = realpath(dir, NULL);
	int r = 0;

	if (!full)
		r = err_errno(err, TACHO_EREAD, "cannot open %s", dir);
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
static int map_control(struct ring_session *s, int flags, struct tacho_error *err)
{
	char path[RING_PATH];

	snprintf(path, sizeof(path), "%s/control", s->dir);
	s->lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
	if (s->lock < 0)
		return err_errno(err, flags ? TACHO_EWRITE : TACHO_EREAD, "cannot open %s", path);
	if ((flags && posix_fallocate(s->lock, 0, RING_PAGE_SIZE) != 0) ||
	    !map_page(&s->page, s->lock)) {
		if (flags)
			unlink(path);
		close(s->lock);
		s->lock = -1;
		return err_set(err, flags ? TACHO_EWRITE : TACHO_EFORMAT,
			       flags ? "no room for a session in %s" : "%s is not a session",
			       s->dir);
	}
	s->control = s->page.control;
	return 0;
}

/* The folder of this user. Below /dev/shm anybody may have made one of that name: only ours will
 * do. */
static int make_base(char *base, size_t size, struct tacho_error *err)
{
	struct stat st;

	ring_base_dir(base, size);
	if (mkdir(base, 0700) < 0 && errno != EEXIST)
		return err_errno(err, TACHO_EWRITE, "cannot make %s", base);
	if (lstat(base, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 022))
		return err_set(err, TACHO_EWRITE, "%s is not a folder of this user alone", base);
	return 0;
}

/* Programs that were killed leave the page behind that "tacho capture --pid" looks for. */
static void remove_stale_attach(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *end;
		long pid = strncmp(e->d_name, "attach.", 7) ? 0 : strtol(e->d_name + 7, &end, 10);

		if (pid > 0 && !*end && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}

static int make_dir(struct ring_session *s, const char *dir, struct tacho_error *err)
{
	char base[64];
	int r;

	if (dir) {
		if (mkdir(dir, 0700) < 0 && errno != EEXIST)
			return err_errno(err, TACHO_EWRITE, "cannot make %s", dir);
		return set_dir(s, dir, err);
	}
	r = make_base(base, sizeof(base), err);
	if (r < 0)
		return r;
	remove_stale_attach(base);
	snprintf(s->dir, sizeof(s->dir), "%s/s.XXXXXX", base);
	if (!mkdtemp(s->dir))
		return err_errno(err, TACHO_EWRITE, "cannot make a session in %s", base);
	return 0;
}

static void session_init(struct ring_session *s)
{
	memset(s, 0, sizeof(*s));
	s->lock = s->pool.fd = -1;
}

int ring_session_create(struct ring_session *s, const char *dir,
			const struct ring_session_options *options, struct tacho_error *err)
{
	struct ring_control *c;
	int r;

	session_init(s);
	r = make_dir(s, dir, err);
	if (r < 0)
		return r;
	r = map_control(s, O_CREAT | O_EXCL, err);
	if (r < 0) {
		if (!dir)
			rmdir(s->dir);
		return r;
	}
	/* Before the control page is valid: programs look for the pool once it is. */
	r = ring_pool_create(s, options->session_mb, err);
	if (r < 0) {
		ring_session_remove(s);
		ring_session_close(s);
		return r;
	}
	flock(s->lock, LOCK_EX | LOCK_NB); /* nobody asks before the magic is there */
	c = s->control;
	c->version = RING_VERSION;
	c->policy = options->policy;
	c->limit_mb = options->limit_mb ? options->limit_mb : 512;
	c->block_ms = options->block_ms;
	c->ring_kb = options->ring_kb ? options->ring_kb : 4096;
	c->recorder_pid = (uint32_t)getpid();
	snprintf(c->session, sizeof(c->session), "%s", s->dir);
	c->magic = RING_CONTROL;
	c->generation = s->key = new_key();
	return 0;
}

/* The next page that a program left for attaching; NULL if there is none that fits. */
static struct ring_control *map_attach(struct ring_session *s, uint32_t pid)
{
	struct ring_control_page *page = &s->attached[s->attached_count];
	char base[64], path[128];
	int fd;

	ring_base_dir(base, sizeof(base));
	snprintf(path, sizeof(path), "%s/attach.%u", base, pid);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
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

/* The programs that the dead recorder had attached to. */
static void reattach(struct ring_session *s)
{
	char base[64];
	DIR *d;
	struct dirent *e;

	ring_base_dir(base, sizeof(base));
	d = opendir(base);
	while (d && (e = readdir(d)) && s->attached_count < RING_MAX_ATTACHED) {
		struct ring_control *c = NULL;

		if (!strncmp(e->d_name, "attach.", 7))
			c = map_attach(s, (uint32_t)strtoul(e->d_name + 7, NULL, 10));
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

/*
 * Those who ask whether there is a recorder share the lock for a moment, which may be long on a
 * machine that is busy; a recorder has it alone.
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

/* The recorder was killed between the last two steps of ring_session_remove(). */
static bool finish_remove(const struct ring_session *s)
{
	char base[64];
	size_t len;

	ring_base_dir(base, sizeof(base));
	len = strlen(base);
	return !strncmp(s->dir, base, len) && !strncmp(s->dir + len, "/s.", 3) &&
	       rmdir(s->dir) == 0;
}

int ring_session_adopt(struct ring_session *s, const char *dir, struct tacho_error *err)
{
	int r;

	session_init(s);
	r = set_dir(s, dir, err);
	if (r == 0)
		r = map_control(s, 0, err);
	if (r == TACHO_EREAD && s->dir[0] && finish_remove(s))
		r = err_set(err, TACHO_EREAD, "%s was saved already", dir);
	if (r < 0)
		return r;
	if (s->control->magic != RING_CONTROL || s->control->version != RING_VERSION ||
	    !s->control->generation) {
		ring_session_close(s);
		return err_set(err, TACHO_EFORMAT, "%s is not a session of this version", dir);
	}
	if (take_lock(s->lock) < 0) {
		err_set(err, TACHO_ECONNECT, "%s is being recorded by process %u", dir,
			s->control->recorder_pid);
		ring_session_close(s);
		return TACHO_ECONNECT;
	}
	r = ring_pool_adopt(s, err);
	if (r < 0) {
		ring_session_close(s);
		return r;
	}
	s->key = s->control->generation;
	s->control->recorder_pid = (uint32_t)getpid();
	reattach(s);
	return 0;
}

void ring_session_output(const char *dir, char *path, size_t size)
{
	struct ring_session s;

	path[0] = 0;
	session_init(&s);
	if (set_dir(&s, dir, NULL) < 0 || map_control(&s, 0, NULL) < 0)
		return;
	if (s.control->magic == RING_CONTROL)
		snprintf(path, size, "%.*s", (int)sizeof(s.control->output) - 1, s.control->output);
	ring_session_close(&s);
}

uint32_t ring_session_recorder(const char *dir)
{
	struct ring_session s;
	uint32_t pid = 0;

	session_init(&s);
	if (set_dir(&s, dir, NULL) < 0 || map_control(&s, 0, NULL) < 0)
		return 0;
	if (s.control->magic == RING_CONTROL && flock(s.lock, LOCK_SH | LOCK_NB) < 0)
		pid = s.control->recorder_pid;
	ring_session_close(&s);
	return pid;
}

int ring_session_set_output(struct ring_session *s, const char *path, bool replace,
			    struct tacho_error *err)
{
	char *cwd = path[0] == '/' ? strdup("") : getcwd(NULL, 0);
	size_t len = cwd ? strlen(cwd) + 1 + strlen(path) : 0;

	/* With room for what is put behind it. */
	if (!cwd || len + sizeof(".part") >= sizeof(s->control->output)) {
		free(cwd);
		return err_set(err, TACHO_EWRITE, "the name of the trace is too long: %s", path);
	}
	if (path[0] == '/')
		memcpy(s->control->output, path, strlen(path) + 1);
	else
		sprintf(s->control->output, "%s/%s", cwd, path);
	s->control->replace = replace;
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
	for (unsigned i = 0; i < s->attached_count; i++)
		unmap_page(&s->attached[i]);
	session_init(s);
}

void ring_session_remove(struct ring_session *s)
{
	DIR *d = opendir(s->dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "p.", 2))
			unlinkat(dirfd(d), e->d_name, 0);
	/* Last: with it the directory can be adopted again, should this be killed half-way. */
	if (d) {
		unlinkat(dirfd(d), "pool", 0);
		unlinkat(dirfd(d), "control", 0);
		closedir(d);
	}
	rmdir(s->dir);
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
