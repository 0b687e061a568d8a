/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emits a known number of events and says so: fault_count [-t THREADS] [-z ZONES] [-m MESSAGES]
 * [-b BYTES] [-d DEPTH] [-s SECONDS] [-S FILE] [-p PROCESSES]. Numbers are per thread; messages
 * have BYTES bytes; -s sleeps at the end; -S waits before the first event until FILE is there; -p
 * does all of it in that many forked processes and waits for them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tacho/tacho.h>
#include <unistd.h>

static long zones = 1000, messages, bytes = 32, depth = 1;
static char *text;

static void zones_nest(long left)
{
	TACHO_ZONE("zone");
	if (left > 1)
		zones_nest(left - 1);
}

static void *thread_work(void *arg)
{
	(void)arg;
	for (long i = 0; i < messages; i++)
		tacho_message(text, (size_t)bytes, 2, 0);
	for (long i = 0; i < zones; i += depth)
		zones_nest(depth);
	return NULL;
}

static void run_threads(int threads)
{
	pthread_t *t = calloc((size_t)threads, sizeof(*t));

	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, thread_work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	free(t);
}

int main(int argc, char **argv)
{
	int c, threads = 1, seconds = 0, processes = 0;
	const char *start = NULL;

	while ((c = getopt(argc, argv, "t:z:m:b:d:s:S:p:")) > 0) {
		switch (c) {
		case 't':
			threads = atoi(optarg);
			break;
		case 'z':
			zones = atol(optarg);
			break;
		case 'm':
			messages = atol(optarg);
			break;
		case 'b':
			bytes = atol(optarg);
			break;
		case 'd':
			depth = atol(optarg);
			break;
		case 's':
			seconds = atoi(optarg);
			break;
		case 'S':
			start = optarg;
			break;
		case 'p':
			processes = atoi(optarg);
			break;
		default:
			return 9;
		}
	}
	text = malloc((size_t)bytes + 1);
	/* Letters without a pattern: packed they stay large. */
	for (uint32_t i = 0, n = 1; i < bytes; i++, n = n * 1664525 + 1013904223)
		text[i] = (char)('a' + n % 26 * (n >> 24) % 26);
	while (start && access(start, F_OK) < 0)
		usleep(1000);
	for (int i = 0; i < processes; i++) {
		if (fork() == 0) {
			run_threads(threads);
			_exit(0);
		}
	}
	while (processes && wait(NULL) > 0)
		;
	if (!processes)
		run_threads(threads);
	printf("zones %ld messages %ld\n", zones * threads * (processes ? processes : 1),
	       messages * threads * (processes ? processes : 1));
	fflush(stdout);
	sleep((unsigned)seconds);
	free(text);
	return 0;
}
