/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads fork in a zone; the children emit and _exit: fork_in_zone THREADS FORKS. */
#include "emit.h"

static long forks;

static void *zone_run(void *arg)
{
	(void)arg;
	for (long i = 0; i < forks; i++) {
		TACHO_ZONE("around fork");
		pid_t child = fork();

		if (child == 0) {
			emit_zones(20);
			TACHO_MESSAGE("child");
			text_emit(20, 1);
			_exit(0);
		}
		emit_zones(10);
		child_reap(child);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = (int)number_argument(argc, argv, 1, 4);

	forks = number_argument(argc, argv, 2, 10);
	in_threads(threads, zone_run, NULL);
	text_emit(threads * forks * 11, 0);
	return 0;
}
