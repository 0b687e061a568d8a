/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For view_live.mjs: a thread that always works, and one that records a zone "mark" of some
 * milliseconds now and then, and prints when it ended, in nanoseconds of real time.
 *
 *	live_marks NUMBER
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tacho/tacho.h>
#include <time.h>
#include <unistd.h>

static void *worker_run(void *unused)
{
	(void)unused;
	for (;;) {
		TACHO_ZONE("work");
		usleep(1000);
	}
	return NULL;
}

static void mark_emit(void)
{
	TACHO_ZONE("mark");
	usleep(4000);
}

int main(int argc, char **argv)
{
	long left = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	struct timespec now;
	pthread_t thread;

	if (pthread_create(&thread, NULL, worker_run, NULL))
		return 1;
	for (srandom(1); left > 0; left--) {
		usleep(60000 + (unsigned)random() % 200000);
		mark_emit();
		clock_gettime(CLOCK_REALTIME, &now);
		printf("%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
		fflush(stdout);
	}
	return 0;
}
