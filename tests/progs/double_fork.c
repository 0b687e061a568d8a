/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Becomes a daemon as daemons do: forks twice, starts a session of its own and joins the recording
 * only after a delay. double_fork MS ZONES STATUS [PIDS [FILE]]: PIDS gets the daemon's pid; while
 * FILE exists the daemon does not end. The program itself ends with STATUS at once.
 */
#include "emit.h"

#include <fcntl.h>

/* Whole or not there: a script waits for it. */
static void write_pid(const char *path)
{
	char part[4096];
	FILE *f;

	snprintf(part, sizeof(part), "%s.new", path);
	f = fopen(part, "w");
	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) != 0 || rename(part, path) < 0)
		abort();
}

static void be_daemon(int argc, char **argv)
{
	long zones = number_argument(argc, argv, 2, 100);

	usleep((useconds_t)number_argument(argc, argv, 1, 0) * 1000);
	emit_zones(zones);
	text_emit(zones, 0);
	if (argc > 4)
		write_pid(argv[4]);
	while (is_held(argc, argv, 5))
		usleep(1000);
	_exit(0);
}

int main(int argc, char **argv)
{
	pid_t child = fork();

	if (child == 0) {
		if (setsid() < 0)
			abort();
		child = fork();
		if (child == 0)
			be_daemon(argc, argv);
		_exit(child < 0);
	}
	child_reap(child);
	return (int)number_argument(argc, argv, 3, 0);
}
