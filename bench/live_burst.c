/* SPDX-License-Identifier: Apache-2.0 */
/* The program that view_memory.sh watches: live_burst MILLIONS of zones from four threads. */
#include <tacho/tacho.h>

#include <pthread.h>
#include <stdlib.h>

#define THREADS 4

static long zones;

static void *burst_thread(void *arg)
{
	unsigned x = 1;

	for (long i = 0; i < zones; i += 10) {
		TACHO_ZONE("outer");
		for (int k = 0; k < 9; k++) {
			TACHO_ZONE("inner");
			x = x * 1664525 + 1013904223;
			for (volatile unsigned spin = x >> 29; spin; spin--)
				continue;
		}
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	zones = (argc > 1 ? atol(argv[1]) : 20) * 1000000 / THREADS;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, burst_thread, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
