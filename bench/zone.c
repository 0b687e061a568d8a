/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a zone and other events, as multiples of two clock reads: bursts of 500 events
 * alternate with 500 pairs of clock reads, so that both see the same machine; the median burst
 * counts. The program runs itself in a session that its parent drains; "off" runs outside any
 * session.
 */
#include "clock/clock.h"
#include "ring/ring.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tacho/tacho.h>
#include <unistd.h>

#define BURST   500
#define ROUNDS  4000
#define THREADS 2

static struct tacho_lock lock = TACHO_LOCK_INIT("bench");

static void clock_pair(void)
{
	tacho_ticks();
	__asm__ volatile("" ::: "memory");
	tacho_ticks();
}

static void zone_measure(void)
{
	TACHO_ZONE("zone");
}

static void zone_by_id(void)
{
	static uint32_t id;

	if (!id)
		id = tacho_srcloc_make("by id", "zone_by_id", __FILE__, __LINE__, 0);
	tacho_zone_end(tacho_zone_begin_id(id));
}

static void zone_runtime(void)
{
	TACHO_ZONE_RUNTIME("a name known at run time");
}

static void zone_text(void)
{
	TACHO_ZONE("with text");
	TACHO_ZONE_TEXT("twenty-four bytes of text", 24);
}

static void message_literal(void)
{
	TACHO_MESSAGE("literal");
}

static void message_text(void)
{
	tacho_message("twenty-four bytes of text", 24, TACHO_INFO, 0);
}

static void plot_measure(void)
{
	TACHO_PLOT("plot", 42);
}

static void plot_by_name(void)
{
	tacho_plot_int("plot", 42);
}

static void alloc_and_free(void)
{
	tacho_alloc(NULL, &lock, 64);
	tacho_free(NULL, &lock);
}

static void __attribute__((noinline)) zone_below(int frames)
{
	if (frames) {
		zone_below(frames - 1);
	} else {
		TACHO_ZONE_STACK("stack");
	}
	__asm__ volatile("");
}

static void zone_with_stack(void)
{
	zone_below(9);
}

static void lock_cycle(void)
{
	tacho_lock_event(&lock, TACHO_LOCK_WAIT);
	tacho_lock_event(&lock, TACHO_LOCK_OBTAIN);
	tacho_lock_event(&lock, TACHO_LOCK_RELEASE);
}

static void frame_measure(void)
{
	tacho_frame(NULL);
}

/* One function per case, so that the loop and the event are compiled together. */
#define CASES(X)                                         \
	X(zone_measure, "zone begin + end", 1.15)        \
	X(zone_by_id, "zone by number", 1.15)            \
	X(zone_runtime, "zone, run-time name", 0)        \
	X(zone_text, "zone with 24 bytes of text", 0)    \
	X(message_literal, "message, literal", 0)        \
	X(message_text, "message, 24 bytes", 0)          \
	X(plot_measure, "plot point", 0)                 \
	X(plot_by_name, "plot point by name", 0)         \
	X(alloc_and_free, "alloc + free", 0)             \
	X(zone_with_stack, "zone with 16 frames", 0)     \
	X(lock_cycle, "lock wait + obtain + release", 0) \
	X(frame_measure, "frame mark", 0)

#define X(function, text, target)               \
	static uint64_t burst_##function(void)  \
	{                                       \
		uint64_t start = tacho_ticks(); \
		for (int i = 0; i < BURST; i++) \
			function();             \
		return tacho_ticks() - start;   \
	}
X(clock_pair, "", 0)
CASES(X)
#undef X

static const struct bench_case {
	const char *text;
	uint64_t (*burst)(void);
	double target;
} cases[] = {
#define X(function, text, target) {text, burst_##function, target},
	CASES(X)
#undef X
};

struct job {
	const struct bench_case *c;
	uint64_t events[ROUNDS], pairs[ROUNDS];
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void *run_job(void *arg)
{
	struct job *job = arg;

	job->c->burst();
	for (int i = 0; i < ROUNDS; i++) {
		job->events[i] = job->c->burst();
		job->pairs[i] = burst_clock_pair();
	}
	qsort(job->events, ROUNDS, sizeof(uint64_t), by_value);
	qsort(job->pairs, ROUNDS, sizeof(uint64_t), by_value);
	return NULL;
}

static void run_case(const struct bench_case *c, int threads, double target, double ns_per_tick)
{
	static struct job jobs[THREADS];
	pthread_t ids[THREADS];
	double events = 0, pairs = 0, quiet = 0;

	for (int i = 0; i < threads; i++) {
		jobs[i].c = c;
		pthread_create(&ids[i], NULL, run_job, &jobs[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		events += (double)jobs[i].events[ROUNDS / 2] / threads / BURST;
		pairs += (double)jobs[i].pairs[ROUNDS / 2] / threads / BURST;
		quiet += (double)jobs[i].events[ROUNDS / 10] / (double)jobs[i].pairs[ROUNDS / 10] /
			 threads;
	}
	printf("%-3s %-30s %d thread%s %7.1f ns  clock pair %5.1f ns  ratio %5.2f (p10 %5.2f)",
	       tacho_is_recording() ? "on" : "off", c->text, threads, threads > 1 ? "s" : " ",
	       events * ns_per_tick, pairs * ns_per_tick, events / pairs, quiet);
	if (target > 0)
		printf("  target %.2f %s", target, events / pairs <= target ? "ok" : "MISSED");
	printf("\n");
}

static double ns_per_tick(void)
{
	struct timespec a, b;
	uint64_t ticks = tacho_ticks();

	clock_gettime(CLOCK_MONOTONIC_RAW, &a);
	usleep(50000);
	clock_gettime(CLOCK_MONOTONIC_RAW, &b);
	ticks = tacho_ticks() - ticks;
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
	       (double)ticks;
}

static int run_cases(void)
{
	double scale = ns_per_tick();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double target = tacho_is_recording() ? cases[i].target : cases[i].target ? 0.05 : 0;

		run_case(&cases[i], 1, target, scale);
		if (cases[i].target > 0)
			run_case(&cases[i], THREADS, target, scale);
	}
	return 0;
}

/* ------------------------------------------------------------ the drainer */

static struct ring_reader *open_ring(const struct ring_session *session)
{
	struct ring_reader *ring = NULL;
	struct tacho_error err;
	struct dirent *e;
	DIR *d = opendir(session->dir);

	while (d && !ring && (e = readdir(d)))
		if (!strncmp(e->d_name, "p.", 2) &&
		    ring_open(&ring, session->folder.fd, e->d_name, session->key, &err) < 0)
			ring = NULL;
	if (d)
		closedir(d);
	return ring;
}

static void ring_empty(struct ring_reader *ring)
{
	static struct ring_event events[4096];
	struct ring_stream **streams;
	size_t count;

	if (ring_streams(ring, &streams, &count) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		while (ring_read(streams[i], events, 4096) == 4096)
			;
	ring_release(ring);
}

static void drain_until_exit(const struct ring_session *session, pid_t child)
{
	struct ring_reader *ring = NULL;
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (!ring)
			ring = open_ring(session);
		if (ring)
			ring_empty(ring);
		usleep(1000);
	}
	if (ring)
		ring_close(ring);
}

static int run_in_session(char **argv)
{
	struct ring_session session;
	struct ring_session_options options = {.limit_mb = 512};
	struct tacho_error err;
	pid_t child;

	if (ring_session_create(&session, NULL, &options, &err) < 0)
		return 1;
	ring_session_start(&session);
	child = fork();
	if (child == 0) {
		setenv("TACHO_SESSION", session.dir, 1);
		execl("/proc/self/exe", argv[0], "--cases", (char *)NULL);
		_exit(127);
	}
	drain_until_exit(&session, child);
	ring_session_stop(&session);
	ring_session_remove(&session);
	ring_session_close(&session);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "--cases"))
		return run_cases();
	unsetenv("TACHO_SESSION");
	unsetenv("TACHO_CAPTURE");
	return run_in_session(argv) | run_cases();
}
