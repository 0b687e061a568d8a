/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that joins, gives something up, and then forks its workers.
 * workers HOW COUNT ZONES [FILE]: HOW is a list of what it gives up ("uid", "root", "close",
 * "nofile") and of how they run: "turns" one after the other while FILE is there, "meet" all alive
 * until each has emitted, "late" when somebody records.
 */
#include "emit.h"

#include <grp.h>
#include <sys/resource.h>

static _Atomic long *working; /* shared */

static void give_up(const char *what)
{
	char dir[] = "/tmp/tacho-workers-XXXXXX";
	struct rlimit none = {0, 0};

	if (strstr(what, "root")) {
		if (!mkdtemp(dir) || chroot(dir) < 0 || chdir("/") < 0)
			abort();
	}
	if (strstr(what, "uid")) {
		if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
		    setresuid(65534, 65534, 65534) < 0)
			abort();
	}
	if (strstr(what, "close"))
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	if (strstr(what, "nofile") && setrlimit(RLIMIT_NOFILE, &none) < 0)
		abort();
}

/* A worker has a child of its own, which is one that inherits an area and not a file. */
static void thread_work(long zones, long meet)
{
	pid_t child;

	emit_zones(zones);
	for (++*working; *working < meet;)
		usleep(1000);
	child = fork();
	if (child == 0) {
		emit_zones(zones);
		_exit(0);
	}
	child_reap(child);
	emit_zones(zones);
	_exit(0);
}

int main(int argc, char **argv)
{
	long count = number_argument(argc, argv, 2, 4),
	     zones = number_argument(argc, argv, 3, 1000);
	long started;
	const char *how = argc > 1 ? argv[1] : "none";
	pid_t *children = calloc((size_t)count, sizeof(*children));

	working = mmap(NULL, sizeof(*working), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (strstr(how, "late"))
		text_emit(0, 0); /* it can be attached to */
	while (strstr(how, "late") && !tacho_is_recording())
		usleep(1000);
	emit_zones(10);
	give_up(how);
	for (started = 0; started < count; started++) {
		if (strstr(how, "turns") && !is_held(argc, argv, 4))
			break;
		children[started] = fork();
		if (children[started] == 0)
			thread_work(zones, strstr(how, "meet") ? count : 0);
		if (strstr(how, "turns"))
			child_reap(children[started]);
	}
	for (long i = 0; i < started && !strstr(how, "turns"); i++)
		child_reap(children[i]);
	text_emit(10 + started * 3 * zones, 0);
	free(children);
	_exit(0); /* a leak checker needs what was given up */
}
