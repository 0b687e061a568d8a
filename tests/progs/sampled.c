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
#include <sys/wait.h>
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

static pthread_mutex_t pair_mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct tacho_lock pair_lock[2] = {TACHO_LOCK_INIT("first lock"),
					 TACHO_LOCK_INIT("second lock")};

static void *locks_thread(void *waited)
{
	static unsigned started;
	unsigned which = __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED) % 2;

	TACHO_ZONE("locks");

	while (clock_now(CLOCK_MONOTONIC) < convoy_end) {
		struct timespec pause = {0, 2000000 + 3000000 * which};
		uint64_t t0;

		tacho_lock_event(&pair_lock[which], TACHO_LOCK_WAIT);
		t0 = clock_now(CLOCK_MONOTONIC_RAW);
		pthread_mutex_lock(&pair_mutex[which]);
		((uint64_t *)waited)[which] += clock_now(CLOCK_MONOTONIC_RAW) - t0;
		tacho_lock_event(&pair_lock[which], TACHO_LOCK_OBTAIN);
		nanosleep(&pause, NULL);
		pthread_mutex_unlock(&pair_mutex[which]);
		tacho_lock_event(&pair_lock[which], TACHO_LOCK_RELEASE);
	}
	return NULL;
}

/* Two pairs of threads, each of which wants a lock that the program declares. */
static void mode_locks(uint64_t ns)
{
	uint64_t waited[4][2] = {0}, sum[2] = {0};
	pthread_t threads[4];

	convoy_end = clock_now(CLOCK_MONOTONIC) + ns;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, locks_thread, waited[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		sum[0] += waited[i][0];
		sum[1] += waited[i][1];
	}
	printf("first %llu\nsecond %llu\n", (unsigned long long)sum[0], (unsigned long long)sum[1]);
}

static pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_filled = PTHREAD_COND_INITIALIZER;
static unsigned pool_jobs;

APART static void pool_take(uint64_t *waited)
{
	uint64_t t0 = clock_now(CLOCK_MONOTONIC_RAW);

	pthread_mutex_lock(&pool_mutex);
	while (!pool_jobs)
		pthread_cond_wait(&pool_filled, &pool_mutex);
	pool_jobs--;
	pthread_mutex_unlock(&pool_mutex);
	*waited += clock_now(CLOCK_MONOTONIC_RAW) - t0;
	KEEP;
}

static void *pool_thread(void *waited)
{
	while (clock_now(CLOCK_MONOTONIC) < convoy_end) {
		pool_take(waited);
		work(500000);
	}
	return NULL;
}

/* Threads that wait for jobs, which come every 5 ms. */
static void mode_pool(uint64_t ns)
{
	uint64_t waited[3] = {0}, sum = 0;
	pthread_t threads[3];

	convoy_end = clock_now(CLOCK_MONOTONIC) + ns;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, pool_thread, &waited[i]);
	for (int more = 3; more;) {
		struct timespec pause = {0, 5000000};

		/* In the end, one for each thread that may still wait. */
		more -= clock_now(CLOCK_MONOTONIC) >= convoy_end;
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&pool_mutex);
		pool_jobs++;
		pthread_mutex_unlock(&pool_mutex);
		pthread_cond_signal(&pool_filled);
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		sum += waited[i];
	}
	printf("pool_take %llu\n", (unsigned long long)sum);
}

static void *spin_thread(void *unused)
{
	while (clock_now(CLOCK_MONOTONIC) < convoy_end)
		sink += 1;
	return unused;
}

/* The kernel's own account of the time that the calling thread waited for a CPU. */
static uint64_t run_delay(void)
{
	unsigned long long run = 0, delay = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (!f || fscanf(f, "%llu %llu", &run, &delay) != 2)
		delay = 0;
	if (f)
		fclose(f);
	return delay;
}

/* More threads that compute than there are CPUs, and one that mostly sleeps. */
static void mode_spinners(uint64_t ns)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN) + 1;
	uint64_t before = run_delay();
	pthread_t threads[64];

	count = count < 64 ? count : 64;
	convoy_end = clock_now(CLOCK_MONOTONIC) + ns;
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, spin_thread, NULL);
	while (clock_now(CLOCK_MONOTONIC) < convoy_end) {
		struct timespec pause = {0, 500000};

		nanosleep(&pause, NULL);
	}
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("since_main %llu\nin_all %llu\n", (unsigned long long)(run_delay() - before),
	       (unsigned long long)run_delay());
}

static void *short_thread(void *unused)
{
	return unused;
}

/* Processes below processes, and a thousand threads per second asked for that end at once. */
static void mode_crowd(uint64_t ns)
{
	pthread_t thread;

	printf("pid %d\n", (int)getpid());
	for (int i = 0; i < 3; i++) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child) {
			waitpid(child, NULL, 0);
			break;
		}
		printf("pid %d\n", (int)getpid());
		work(20000000);
	}
	for (uint64_t i = 0; i < ns / 1000000; i++)
		if (pthread_create(&thread, NULL, short_thread, NULL) == 0)
			pthread_join(thread, NULL);
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
	{"zone", mode_zone},         {"locks", mode_locks},         {"pool", mode_pool},
	{"crowd", mode_crowd},       {"spinners", mode_spinners},
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
