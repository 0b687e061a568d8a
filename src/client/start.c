/* SPDX-License-Identifier: Apache-2.0 */
/* Before main: find the session of the program, or create the page for attaching to it. */
#include "client/client.h"
#include "ring/place.h"

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

static char attach_place[RING_PLACE_PATH]; /* folder of our attach page; "": there is none */
static char attach_name[32];               /* the page */
static pid_t attach_pid;                   /* its owner: a forked child must leave it alone */

static bool start_control_map(int fd)
{
	return mmap(&tacho_control, sizeof(tacho_control), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

/* Maps only a control page of our own user and version. */
static bool start_is_control(int fd)
{
	struct ring_control head;
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && own_is_private(&st) &&
	       st.st_nlink == 1 && st.st_size >= RING_PAGE_SIZE &&
	       st.st_blocks * 512 >= RING_PAGE_SIZE &&
	       syscall(SYS_pread64, fd, &head, sizeof(head), 0) == (long)sizeof(head) &&
	       head.magic == RING_CONTROL && head.version == RING_VERSION;
}

/* The program may change its directory later. */
static bool keep_session(const char *session)
{
	client_session[0] = 0;
	if (session[0] != '/' && !getcwd(client_session, sizeof(client_session) - 1))
		return false;
	if (session[0] != '/')
		text_add(client_session, sizeof(client_session), "/");
	text_add(client_session, sizeof(client_session), session);
	return strlen(client_session) < sizeof(client_session) - 1;
}

/* Opens DIR/control, where FOLDER is DIR, open; closes FOLDER. */
static int open_control(int folder, const char *dir)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	int fd = openat(folder, "control", flags), error = errno;
	char path[RING_PATH + 16] = "";

	close(folder);
	if (fd >= 0 || error != EMFILE)
		return fd;
	/* The program may have a single descriptor left: never open both at once. */
	text_add(path, sizeof(path), dir);
	text_add(path, sizeof(path), "/control");
	return open(path, flags);
}

/*
 * Refuses a session in another user's folder: its owner could replace the files under us. The user
 * asked for a recording, so this deserves the only line that libtacho ever prints.
 */
static void report_foreign(const char *session)
{
	char line[RING_PATH + 128] = "tacho: not recorded: ", path[RING_PATH + 16] = "";
	struct stat st, control;

	text_add(path, sizeof(path), session);
	text_add(path, sizeof(path), "/control");
	if (lstat(session, &st) < 0 || !S_ISDIR(st.st_mode) || own_is_private(&st) ||
	    (lstat(path, &control) < 0 && errno != EACCES))
		return;
	text_add(line, sizeof(line), "TACHO_SESSION=");
	text_add(line, sizeof(line), session);
	text_add(line, sizeof(line),
		 st.st_uid == geteuid() ? " can be written by others\n"
					: " belongs to another user\n");
	if (write(STDERR_FILENO, line, strlen(line)) < 0) {
		/* A failed write is ignored. */
	}
}

static bool enter_session(const char *session)
{
	bool ok;
	int folder, fd;

	if (!session || !session[0] || !keep_session(session))
		return false;
	folder = own_folder_at(AT_FDCWD, client_session, false);
	if (folder < 0) {
		report_foreign(client_session);
		return false;
	}
	fd = open_control(folder, client_session);
	ok = fd >= 0 && start_is_control(fd) && start_control_map(fd);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* TACHO_CAPTURE=1: the session of "tacho capture", if there is one. */
static bool enter_capture(const char *wanted)
{
	char path[RING_PLACE_PATH + 16];
	bool ok = false;
	int place;

	if (!wanted || !wanted[0] || strcmp(wanted, "0") == 0)
		return false;
	for (unsigned i = 0; i < RING_PLACES && !ok; i++) {
		place = ring_place_at((enum ring_where)i, false, path);
		if (place < 0)
			continue;
		close(place);
		text_add(path, sizeof(path), "/capture");
		ok = enter_session(path);
	}
	return ok;
}

/* Creates the page NAME in the open folder PLACE. */
static bool make_attach(int place, const char *name)
{
	int fd;

	unlinkat(place, name, 0); /* left by a process with the same pid */
	fd = openat(place, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	if (syscall(SYS_fallocate, fd, 0, 0, RING_PAGE_SIZE) < 0 || !start_control_map(fd)) {
		unlinkat(place, name, 0);
		close(fd);
		return false;
	}
	close(fd);
	client_control->version = RING_VERSION;
	client_control->owner_pid = (uint32_t)attach_pid;
	client_control->filters = seal_count_filters();
	client_control->magic = RING_CONTROL;
	return true;
}

/* A program without a session leaves a page for "tacho capture --pid". */
static void offer_attach(void)
{
	struct rlimit limit;
	bool made = false;
	int place;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < RING_PAGE_SIZE)
		return;
	attach_pid = getpid();
	text_add(attach_name, sizeof(attach_name), "attach.");
	text_add_number(attach_name, sizeof(attach_name), (uint64_t)attach_pid);
	for (unsigned i = 0; i < RING_PLACES && !made; i++) {
		place = ring_place_at((enum ring_where)i, true, attach_place);
		made = place >= 0 && make_attach(place, attach_name);
		if (place >= 0)
			close(place);
	}
	if (!made)
		attach_place[0] = 0;
}

static void remove_attach(void)
{
	int place = own_folder_at(AT_FDCWD, attach_place, false);

	if (place < 0)
		return;
	unlinkat(place, attach_name, 0);
	close(place);
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

	/* A set-user-id program trusts nothing from its caller, and leaves no files. */
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

	if (attach_place[0] && !client_is_sealed() && attach_pid == getpid())
		remove_attach();
	thread_delete_key();
	errno = error;
}
