/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose profile is known: sampled MODE [MS]. Each prints what the profile must say, by
 * clocks of its own: "name nanoseconds" lines.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tacho/tacho.h"

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif
#define KEEP __asm__ volatile("" ::: "memory") /* no tail calls: frames stay */

static uint64_t clock_now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t cpu_now(void)
{
	return clock_now(CLOCK_THREAD_CPUTIME_ID);
}

static volatile double sink;

APART static void work(uint64_t ns)
{
	uint64_t end = cpu_now() + ns;

	do
		for (int i = 0; i < 2000; i++)
			sink = sink * 1.0000001 + i;
	while (cpu_now() < end);
	KEEP;
}

APART static void seventy(uint64_t ns)
{
	work(ns);
	KEEP;
}

APART static void thirty(uint64_t ns)
{
	sink += 30; /* else compilers merge it with the other */
	work(ns);
	KEEP;
}

/* Two functions that take turns, 0.7 and 0.3 of each slice. */
static void mode_share(uint64_t ns)
{
	static const uint64_t slices[] = {100000, 1000000, 1003009, 2400000};
	uint64_t end = cpu_now() + ns, a = 0, b = 0;

	for (unsigned i = 0; cpu_now() < end; i++) {
		uint64_t t0 = cpu_now(), t1;

		seventy(slices[i % 4] * 7 / 10);
		t1 = cpu_now();
		thirty(slices[i % 4] * 3 / 10);
		a += t1 - t0;
		b += cpu_now() - t1;
	}
	printf("seventy %llu\nthirty %llu\n", (unsigned long long)a, (unsigned long long)b);
}

APART static void recurse_even(unsigned depth, uint64_t ns);

APART static void recurse_odd(unsigned depth, uint64_t ns)
{
	sink += 1;
	if (depth)
		recurse_even(depth - 1, ns);
	else
		work(ns);
	KEEP;
}

APART static void recurse_even(unsigned depth, uint64_t ns)
{
	if (depth)
		recurse_odd(depth - 1, ns);
	else
		work(ns);
	KEEP;
}

/* 300 frames deep. */
static void mode_recursion(uint64_t ns)
{
	recurse_even(300, ns);
}

/* More frames than are kept. */
static void mode_deep(uint64_t ns)
{
	recurse_even(700, ns);
}

APART static void large_frame(unsigned depth, uint64_t ns)
{
	char bytes[8000];

	memset(bytes, (int)depth, sizeof(bytes));
	__asm__ volatile("" ::"r"(bytes) : "memory");
	if (depth)
		large_frame(depth - 1, ns);
	else
		work(ns);
	KEEP;
}

/* 40 KB of frames: more than the first samples look at. */
static void mode_large(uint64_t ns)
{
	large_frame(4, ns);
}

/* 200 KB of frames: more than any sample can have. */
static void mode_huge(uint64_t ns)
{
	large_frame(25, ns);
}

static uint64_t handler_ns;

APART static void signal_work(int number)
{
	(void)number;
	work(handler_ns);
	KEEP;
}

APART static void signal_raised(void)
{
	raise(SIGUSR1);
	KEEP;
}

static void signal_run(uint64_t ns, int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = signal_work;
	action.sa_flags = flags;
	sigaction(SIGUSR1, &action, NULL);
	handler_ns = ns;
	signal_raised();
}

/* Time in a signal handler. */
static void mode_signal(uint64_t ns)
{
	signal_run(ns, 0);
}

/* The same on a stack of its own: where it was interrupted is on another. */
static void mode_altstack(uint64_t ns)
{
	static char memory[65536];
	stack_t other = {.ss_sp = memory, .ss_size = sizeof(memory)};

	sigaltstack(&other, NULL);
	signal_run(ns, SA_ONSTACK);
}

APART static void compute_part(void)
{
	work(3000000);
	KEEP;
}

APART static void sleep_part(void)
{
	struct timespec pause = {0, 7000000};

	nanosleep(&pause, NULL);
	KEEP;
}

/* Computes for 3 ms and sleeps for 7. */
static void mode_sleep(uint64_t ns)
{
	uint64_t end = clock_now(CLOCK_MONOTONIC) + ns, asleep = 0;

	while (clock_now(CLOCK_MONOTONIC) < end) {
		uint64_t t0;

		compute_part();
		t0 = clock_now(CLOCK_MONOTONIC_RAW);
		sleep_part();
		asleep += clock_now(CLOCK_MONOTONIC_RAW) - t0;
	}
	printf("sleep_part %llu\n", (unsigned long long)asleep);
}

static pthread_mutex_t convoy_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t convoy_end;

APART static void convoy_wait(void)
{
	pthread_mutex_lock(&convoy_lock);
	KEEP;
}

static void *convoy_thread(void *waited)
{
	while (clock_now(CLOCK_MONOTONIC) < convoy_end) {
		uint64_t t0 = clock_now(CLOCK_MONOTONIC_RAW);
		struct timespec pause = {0, 3000000};

		convoy_wait();
		*(uint64_t *)waited += clock_now(CLOCK_MONOTONIC_RAW) - t0;
		nanosleep(&pause, NULL); /* with the lock */
		pthread_mutex_unlock(&convoy_lock);
	}
	return NULL;
}

/* Three threads that all want one lock. */
static void mode_convoy(uint64_t ns)
{
	uint64_t waited[3] = {0}, sum = 0;
	pthread_t threads[3];

	convoy_end = clock_now(CLOCK_MONOTONIC) + ns;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, convoy_thread, &waited[i]);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		sum += waited[i];
	}
	printf("convoy_wait %llu\n", (unsigned long long)sum);
}

/* Half of the time inside a zone. */
static void mode_zone(uint64_t ns)
{
	uint64_t end = cpu_now() + ns;

	while (cpu_now() < end) {
		{
			TACHO_ZONE("inside");
			seventy(2000000);
		}
		thirty(2000000);
	}
}

static const struct {
	const char *name;
	void (*run)(uint64_t ns);
} modes[] = {
	{"share", mode_share},       {"recursion", mode_recursion}, {"deep", mode_deep},
	{"large", mode_large},       {"huge", mode_huge},           {"signal", mode_signal},
	{"altstack", mode_altstack}, {"sleep", mode_sleep},         {"convoy", mode_convoy},
	{"zone", mode_zone},
};

int main(int argc, char **argv)
{
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 500;

	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(modes[i].name, argv[1])) {
			modes[i].run(ms * 1000000);
			return 0;
		}
	}
	return 2;
}
