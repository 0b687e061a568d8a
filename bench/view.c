/*
 * The viewer's server without its sockets: what a view of 64 lanes and 2000 pixels costs, first
 *tiles after opening, statistics of ranges, memory.
 *
 *	bench_view [ZONES [FILE]]      ZONES in millions, 10 when not given; with FILE the trace is
 *	                               made there, and that is all
 *
 * The floor of a view is the query of the index alone; that of statistics one pass over 8 bytes per
 *zone.
 */
#include "web/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRACKS 16u
#define DEPTHS 8u
#define NAMES  60u
#define LANES  64u
#define VIEWS  300u
#define RANGES 100u

static char temporary[] = "/tmp/bench_view.XXXXXX";
static const char *path = temporary;

static double seconds(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static double random_share(uint64_t *s)
{
	return (double)(random_next(s) >> 11) / 9007199254740992.0;
}

/* One zone and what is inside it: two children at each depth, lengths by chance. */
static uint64_t tree(struct trace_writer *w, uint32_t track, uint32_t depth, uint64_t at,
		     uint64_t *seed, uint64_t *zones)
{
	uint64_t start = at, inside = 0;

	at += 5 + random_next(seed) % 40;
	for (unsigned i = 0; i < 2 && depth + 1 < DEPTHS; i++) {
		uint64_t end = tree(w, track, depth + 1, at, seed, zones);

		inside += end - at;
		at = end + random_next(seed) % 20;
	}
	at += 5 + random_next(seed) % 60;
	trace_lane_add(w, trace_lane(w, track, depth), start, at,
		       (uint32_t)(random_next(seed) % 7 + depth * 7) % NAMES, inside);
	++*zones;
	return at;
}

static uint64_t make(uint64_t wanted)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .start = 1000, .name = "bench", .command = "bench"};
	uint64_t seed = 88172645463325252ull, zones = 0, at[TRACKS];
	struct trace_writer *w;

	if (trace_writer_open(&w, path, &options, NULL) < 0)
		exit(1);
	trace_set_property(w, "ticks per second", "1000000000");
	trace_add_process(w, &p);
	for (uint32_t i = 0; i < NAMES; i++) {
		char name[16];
		struct trace_srcloc s = {name, name, "bench.c", i, 0};

		snprintf(name, sizeof(name), "zone %u", i);
		trace_add_srcloc(w, &s);
	}
	for (uint32_t i = 0; i < TRACKS; i++) {
		struct trace_track t = {
			.kind = TRACE_THREAD, .id = i, .srcloc = TRACE_NONE, .name = "t"};

		trace_add_track(w, &t);
		at[i] = 1000;
	}
	while (zones < wanted)
		for (uint32_t i = 0; i < TRACKS; i++)
			at[i] = tree(w, i, 0, at[i], &seed, &zones) + random_next(&seed) % 100;
	if (trace_writer_close(w, NULL) < 0)
		exit(1);
	return zones;
}

static struct web *web;

/* CPU seconds of one request. */
static double ask(const char *target, size_t *bytes)
{
	char bearer[64];
	struct web_request r = {
		.method = "GET", .target = target, .host = "localhost", .authorization = bearer};
	struct web_reply reply;
	double begin = seconds(CLOCK_THREAD_CPUTIME_ID);

	snprintf(bearer, sizeof(bearer), "Bearer %s", web_token(web));
	web_answer(web, &r, &reply, NULL, NULL);
	begin = seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
	if (reply.status != 200) {
		fprintf(stderr, "bench_view: %s: %d %s\n", target, reply.status, reply.body.data);
		exit(1);
	}
	if (bytes)
		*bytes += reply.body.len;
	buf_free(&reply.body);
	return begin;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *what, double *v, unsigned n, double goal50, double goal99)
{
	qsort(v, n, sizeof(*v), by_value);
	printf("%-44s p50 %8.3f  p90 %8.3f  p99 %8.3f ms", what, v[n / 2] * 1e3,
	       v[n * 9 / 10] * 1e3, v[n * 99 / 100] * 1e3);
	if (goal50 > 0)
		printf("   (goal p50 %.0f, p99 %.0f)", goal50, goal99);
	putchar('\n');
}

/* Four tiles of 512 pixels side by side: a view of 2048. */
static double view(unsigned res, uint64_t i, size_t *bytes)
{
	char target[200];
	double cpu = 0;

	for (unsigned k = 0; k < 4; k++) {
		snprintf(target, sizeof(target), "/api/v1/t/0/tiles?lanes=0-%u&res=%u&i=%llu",
			 LANES - 1, res, (unsigned long long)(i + k));
		cpu += ask(target, bytes);
	}
	return cpu;
}

static void views(double span_ns)
{
	double v[VIEWS];
	uint64_t seed = 3;
	unsigned most = 0;
	size_t bytes = 0;

	while (512.0 * 4 * (double)(1ull << most) < span_ns)
		most++;
	for (unsigned i = 0; i < VIEWS; i++) {
		unsigned res = (unsigned)(random_next(&seed) % (most + 1));
		double tile = 512.0 * (double)(1ull << res);
		double room = span_ns / tile - 4;

		v[i] = view(res, room > 0 ? (uint64_t)(random_share(&seed) * room) : 0, &bytes);
	}
	print("view, any zoom: 64 lanes x 2048 pixels, CPU", v, VIEWS, 2, 10);
	printf("%-44s %8.0f KiB\n", "  bytes of a view", (double)bytes / VIEWS / 1024);
	for (unsigned i = 0; i < 30; i++)
		v[i] = view(most, 0, NULL);
	print("view, all of the trace", v, 30, 0, 0);
}

static void statistics(double span_ns)
{
	double v[RANGES];
	uint64_t seed = 5;
	char target[200];
	double begin = seconds(CLOCK_MONOTONIC);

	ask("/api/v1/t/0/stats", NULL);
	printf("%-44s %8.3f s\n", "first statistics, sums being made",
	       seconds(CLOCK_MONOTONIC) - begin);
	for (unsigned i = 0; i < RANGES; i++) {
		double a = random_share(&seed), b = random_share(&seed);

		snprintf(target, sizeof(target), "/api/v1/t/0/stats?t0=%.0f&t1=%.0f",
			 (a < b ? a : b) * span_ns, (a < b ? b : a) * span_ns);
		v[i] = ask(target, NULL);
	}
	print("statistics of any range, CPU", v, RANGES, 200, 200);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(target, sizeof(target), "/api/v1/t/0/hist?name=%u", i);
		v[i] = ask(target, NULL);
	}
	print("histogram of a name", v, 20, 0, 0);
}

static void memory(const char *when)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[200];
	long anonymous = 0;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "RssAnon: %ld", &anonymous);
	if (f)
		fclose(f);
	printf("%-44s %8.1f MiB\n", when, (double)anonymous / 1024);
}

int main(int argc, char **argv)
{
	uint64_t wanted = (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * 1000000, zones;
	struct web_options options = {0};
	struct tacho_error err = {0};
	double begin, span;
	int fd;

	if (argc > 2) {
		path = argv[2];
		return make(wanted) < wanted;
	}
	fd = mkstemp(temporary);
	if (fd < 0)
		return 1;
	close(fd);
	begin = seconds(CLOCK_MONOTONIC);
	zones = make(wanted);
	printf("%llu zones on %u lanes, made in %.1f s\n", (unsigned long long)zones,
	       TRACKS * DEPTHS, seconds(CLOCK_MONOTONIC) - begin);
	for (int again = 0; again < 2; again++) {
		begin = seconds(CLOCK_MONOTONIC);
		if (web_open(&web, &options, &err) < 0 || web_add(web, path, &err) < 0) {
			fprintf(stderr, "bench_view: %s\n", err.text);
			return 1;
		}
		ask("/api/v1/t/0/meta", NULL);
		view(20, 0, NULL);
		printf("%-44s %8.3f s%s\n",
		       again ? "open and first tiles, indexed"
			     : "open, make the index, first tiles",
		       seconds(CLOCK_MONOTONIC) - begin, again ? "   (goal 1)" : "");
		if (!again)
			web_close(web);
	}
	span = (double)web->traces.v[0]->now.duration;
	memory("memory, index open");
	/* First, since the sums are being made while it waits: views have the machine to themselves
	 * then. */
	statistics(span);
	memory("memory after statistics");
	views(span);
	memory("memory after views");
	web_close(web);
	unlink(path);
	return 0;
}
