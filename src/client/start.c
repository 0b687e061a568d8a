/* Before main: which session the program is in, or the page by which it can be attached to. */
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Defined here so that a program linked with libtacho.a gets this file and its constructor. */
char client_session[RING_PATH];

static char attach_path[128]; /* "" when there is no attach file of ours */
static pid_t attach_pid;      /* whose it is: a forked child must leave it alone */

static bool map_control(int fd)
{
	return mmap(&tacho_control, sizeof(tacho_control), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

/* Whatever TACHO_SESSION says: only our own user's control page of our version gets mapped. */
static bool is_control(int fd)
{
	struct ring_control head;
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       st.st_size >= RING_PAGE_SIZE && st.st_blocks * 512 >= RING_PAGE_SIZE &&
	       syscall(SYS_pread64, fd, &head, sizeof(head), 0) == (long)sizeof(head) &&
	       head.magic == RING_CONTROL && head.version == RING_VERSION;
}

/* The program may change its directory later. */
static bool keep_session(const char *session)
{
	if (session[0] != '/' && !getcwd(client_session, sizeof(client_session) - 1))
		return false;
	if (session[0] != '/')
		text_add(client_session, sizeof(client_session), "/");
	text_add(client_session, sizeof(client_session), session);
	return strlen(client_session) < sizeof(client_session) - 1;
}

/* The folder of this user's sessions and attach files. */
static void add_user_folder(char *path, size_t size)
{
	text_add(path, size, "/dev/shm/tacho-");
	text_add_number(path, size, geteuid());
}

static bool enter_session(const char *session)
{
	char path[RING_PATH + 16] = "";
	bool ok;
	int fd;

	if (!session || !session[0] || !keep_session(session))
		return false;
	text_add(path, sizeof(path), client_session);
	text_add(path, sizeof(path), "/control");
	fd = sys_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	ok = is_control(fd) && map_control(fd);
	sys_close(fd);
	return ok;
}

/* TACHO_CAPTURE=1: the session of "tacho capture", if there is one. */
static bool enter_capture(const char *wanted)
{
	char path[128] = "";

	if (!wanted || !wanted[0] || strcmp(wanted, "0") == 0)
		return false;
	add_user_folder(path, sizeof(path));
	text_add(path, sizeof(path), "/capture");
	client_session[0] = 0;
	return enter_session(path);
}

/* Others may make folders in /dev/shm: ours must be ours alone. */
static bool own_folder(const char *dir)
{
	struct stat st;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return false;
	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 022) == 0;
}

/* A program that is in no session leaves a page where "tacho capture --pid" finds it. */
static void offer_attach(void)
{
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < RING_PAGE_SIZE)
		return;
	add_user_folder(attach_path, sizeof(attach_path));
	if (!own_folder(attach_path)) {
		attach_path[0] = 0;
		return;
	}
	text_add(attach_path, sizeof(attach_path), "/attach.");
	attach_pid = getpid();
	text_add_number(attach_path, sizeof(attach_path), (uint64_t)attach_pid);
	unlink(attach_path); /* left by a process that had the same pid */
	fd = sys_open(attach_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
	if (fd >= 0 && syscall(SYS_fallocate, fd, 0, 0, RING_PAGE_SIZE) == 0 && map_control(fd)) {
		client_control->version = RING_VERSION;
		client_control->owner_pid = (uint32_t)attach_pid;
		client_control->filters = seal_count_filters();
		client_control->magic = RING_CONTROL;
	} else {
		if (fd >= 0)
			unlink(attach_path);
		attach_path[0] = 0;
	}
	if (fd >= 0)
		sys_close(fd);
}

static bool make_process(void)
{
	size_t size = (sizeof(struct process) + RING_PAGE_SIZE - 1) & ~(size_t)(RING_PAGE_SIZE - 1);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return false;
	if (madvise(p, size, MADV_WIPEONFORK) < 0) {
		munmap(p, size);
		return false;
	}
	client_process = p;
	return true;
}

/* Not at the first event: by then the program may have no descriptor left, or another root. */
static void join_early(void)
{
	uint64_t key = tacho_key();
	struct guard guard;

	if (!key)
		return;
	client_lock(&guard);
	process_join(key);
	client_unlock(&guard);
}

__attribute__((constructor(101))) static void client_start(void)
{
	const char *attach = secure_getenv("TACHO_ATTACH");
	int error = errno;

	/* A set-user-id program trusts nothing that its caller says, and leaves no files. */
	if (getauxval(AT_SECURE) || !make_process())
		return;
	thread_make_key();
	if (enter_session(secure_getenv("TACHO_SESSION")) ||
	    enter_capture(secure_getenv("TACHO_CAPTURE"))) {
		join_early();
	} else {
		client_session[0] = 0;
		if (!attach || strcmp(attach, "0") != 0)
			offer_attach();
	}
	errno = error;
}

__attribute__((destructor(101))) static void client_stop(void)
{
	int error = errno;

	if (attach_path[0] && !client_is_sealed() && attach_pid == getpid())
		unlink(attach_path);
	thread_delete_key();
	errno = error;
}
