/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads fork in a zone; the children emit and _exit: fork_in_zone THREADS FORKS. */
#include "emit.h"

static long forks;

static void *run(void *arg)
{
	(void)arg;
	for (long i = 0; i < forks; i++) {
		TACHO_ZONE("around fork");
		pid_t child = fork();

		if (child == 0) {
			emit_zones(20);
			TACHO_MESSAGE("child");
			say(20, 1);
			_exit(0);
		}
		emit_zones(10);
		reap(child);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = (int)argument(argc, argv, 1, 4);

	forks = argument(argc, argv, 2, 10);
	in_threads(threads, run, NULL);
	say(threads * forks * 11, 0);
	return 0;
}
