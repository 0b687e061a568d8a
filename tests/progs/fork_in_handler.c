/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signal handler forks while the program emits at full speed, so the fork lands in the middle of
 * events; the child comes back from the handler into the event and goes on: fork_in_handler FORKS.
 */
#include "emit.h"

#include <sys/time.h>

static volatile sig_atomic_t is_child;
static volatile long forks;
static pid_t children[100000];

static void on_alarm(int signal)
{
	pid_t child;

	(void)signal;
	if (is_child)
		return;
	child = fork();
	if (child == 0)
		is_child = 1;
	else if (child > 0)
		children[forks++] = child;
}

int main(int argc, char **argv)
{
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	long wanted = number_argument(argc, argv, 1, 200), zones = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (forks < wanted && !is_child) {
		emit_zones(10);
		TACHO_MESSAGEF("%ld zones, and a text that takes a while to copy", zones);
		zones += 10;
	}
	/* First, so that none becomes a child after the check. */
	setitimer(ITIMER_REAL, &never, NULL);
	if (is_child) {
		emit_zones(30);
		_exit(0);
	}
	for (long i = 0; i < forks; i++)
		child_reap(children[i]);
	text_emit(zones, zones / 10);
	return 0;
}
