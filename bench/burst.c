/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of zones in short bursts, after the start and after a pause: 300 bursts of 100, 300 or
 * 500 zones alternate with as many pairs of clock reads, in a process that has just begun to
 * record. Prints the 50th, 90th and 99th percentile of the bursts as multiples of those of the
 * clock pairs, in processor time of the thread: system calls count, other programs do not. Each
 * size is a process of its own under `tacho run`, as in real use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tacho/tacho.h>
#include <time.h>
#include <unistd.h>

#define BURSTS 300

static uint64_t events[BURSTS], pairs[BURSTS];

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t burst_pairs(int count)
{
	uint64_t start = cpu_ns();

	for (int i = 0; i < count; i++) {
		tacho_ticks();
		__asm__ volatile("" ::: "memory");
		tacho_ticks();
	}
	return cpu_ns() - start;
}

static uint64_t burst_zones(int count)
{
	uint64_t start = cpu_ns();

	for (int i = 0; i < count; i++) {
		TACHO_ZONE("burst");
	}
	return cpu_ns() - start;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void burst_measure(const char *when, int count, unsigned pause_us)
{
	static const int percent[] = {50, 90, 99};

	for (int i = 0; i < BURSTS; i++) {
		if (pause_us)
			usleep(pause_us);
		/* The first of the two warms the caches up for the other. */
		if (i % 2)
			pairs[i] = burst_pairs(count);
		events[i] = burst_zones(count);
		if (i % 2 == 0)
			pairs[i] = burst_pairs(count);
	}
	qsort(events, BURSTS, sizeof(*events), by_value);
	qsort(pairs, BURSTS, sizeof(*pairs), by_value);
	printf("%-14s %d x %d zones  ratio to clock pairs:", when, BURSTS, count);
	for (int i = 0; i < 3; i++)
		printf("  p%d %5.2f", percent[i],
		       (double)events[BURSTS * percent[i] / 100] /
			       (double)pairs[BURSTS * percent[i] / 100]);
	printf("  target p90 1.30 %s\n",
	       (double)events[BURSTS * 9 / 10] <= 1.3 * (double)pairs[BURSTS * 9 / 10] ? "ok"
										       : "MISSED");
}

/* The recorder returns the memory of a process that is idle for a second. */
static int run_bursts(int count)
{
	burst_zones(100);
	burst_measure("after start", count, 0);
	sleep(3);
	burst_measure("after a pause", count, 0);
	burst_measure("with pauses", count, 2000);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const counts[] = {"100", "300", "500"};
	const char *build = getenv("BUILD");
	char tacho[4096];
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		return run_bursts(atoi(argv[1]));
	snprintf(tacho, sizeof(tacho), "%s/tacho", build ? build : "build");
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (fork() == 0) {
			execl(tacho, tacho, "run", "-q", "-f", "-o", "/dev/shm/burst.tacho", "--",
			      argv[0], counts[i], (char *)NULL);
			_exit(127);
		}
		wait(&status);
		if (status)
			return 1;
	}
	return remove("/dev/shm/burst.tacho") != 0;
}
