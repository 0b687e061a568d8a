/*
 * The trace file: speed of writing, size, opening with statistics, visible-range queries. Each figure
 * stands beside a floor that was measured in the same run: machines differ, ratios do not.
 *
 *	bench_trace [ZONES]      ZONES in millions, 10 when not given
 */
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BATCH 200000u /* zones that are made beforehand and added again and again */

struct zone {
	uint64_t start, end, children;
	uint32_t srcloc;
	uint16_t track, depth;
};

struct zones {
	struct zone *v;
	size_t n;
};

static double seconds(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double cpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void die(const char *what, const struct tacho_error *err)
{
	fprintf(stderr, "bench_trace: %s: %s\n", what, err->text);
	exit(1);
}

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* A few ticks around 0, as rdtsc gives: the sum of four small dice. */
static uint64_t jitter(uint64_t *s)
{
	uint64_t r = random_next(s);

	return (r & 3) + (r >> 2 & 3) + (r >> 4 & 3) + (r >> 6 & 1);
}

/* About one in 20,000 is interrupted for some microseconds. */
static uint64_t interrupt(uint64_t *s)
{
	uint64_t r = random_next(s);

	return r % 20000 ? 0 : 2000 + (r >> 32) % 30000;
}

/* 9 inner zones in each outer one; 2.3 GHz. */
static struct zones make_regular(size_t n)
{
	struct zones z = {malloc(n * sizeof(*z.v)), 0};
	uint64_t seed = 88172645463325252u, now = 1ull << 40;

	while (z.n + 10 <= n) {
		struct zone outer = {.start = now += 40 + jitter(&seed), .srcloc = 0};

		for (int i = 0; i < 9; i++) {
			struct zone inner = {.start = now += 46 + jitter(&seed), .srcloc = 1, .depth = 1};

			inner.end = now += 62 + jitter(&seed) + interrupt(&seed);
			outer.children += inner.end - inner.start;
			z.v[z.n++] = inner;
		}
		outer.end = now += 50 + jitter(&seed);
		z.v[z.n++] = outer;
	}
	return z;
}

/* 8 threads, 1000 names of very different and random durations, 4 deep. */
static uint64_t make_tree(struct zones *z, uint64_t *seed, uint64_t *now, uint16_t track,
			  uint16_t depth, size_t n)
{
	struct zone zone = {.start = *now, .track = track, .depth = depth};
	uint64_t r = random_next(seed), mean;

	zone.srcloc = (uint32_t)((r & 0xffff) * (r >> 16 & 0xffff) % 1000);
	mean = 50 + (zone.srcloc * 2654435761u >> 20);
	for (unsigned i = depth < 3 ? r >> 60 & 3 : 0; i; i--) {
		*now += random_next(seed) % 300;
		zone.children += make_tree(z, seed, now, track, depth + 1, n);
	}
	*now += random_next(seed) % (2 * mean) + interrupt(seed);
	zone.end = *now;
	if (z->n < n)
		z->v[z->n++] = zone;
	return zone.end - zone.start;
}

static struct zones make_irregular(size_t n)
{
	struct zones z = {malloc(n * sizeof(*z.v)), 0};
	uint64_t seed = 1234567, now[8] = {0};

	while (z.n < n) {
		uint16_t track = random_next(&seed) % 8;

		now[track] += random_next(&seed) % 2000;
		make_tree(&z, &seed, &now[track], track, 0, n);
	}
	return z;
}

static struct trace_writer *begin(const char *path, uint32_t threads, uint32_t names)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process process = {.pid = 1, .name = "bench", .command = "bench"};
	struct tacho_error err;
	struct trace_writer *w;
	char name[32];

	if (trace_writer_open(&w, path, &options, &err) < 0)
		die("write", &err);
	trace_add_process(w, &process);
	for (uint32_t i = 0; i < threads; i++) {
		struct trace_track track = {.kind = TRACE_THREAD, .id = i, .name = ""};

		trace_add_track(w, &track);
	}
	for (uint32_t i = 0; i < names; i++) {
		struct trace_srcloc srcloc = {.name = name, .function = "f", .file = "bench.c", .line = i};

		snprintf(name, sizeof(name), "zone %u", i);
		trace_add_srcloc(w, &srcloc);
	}
	return w;
}

static void add_all(struct trace_writer *w, const struct zones *z, uint64_t shift)
{
	struct trace_lane *lanes[8][4];

	for (uint32_t i = 0; i < 32; i++)
		lanes[i / 4][i % 4] = trace_lane(w, i / 4, i % 4);
	for (size_t i = 0; i < z->n; i++) {
		const struct zone *v = &z->v[i];

		trace_lane_add(w, lanes[v->track][v->depth], v->start + shift, v->end + shift,
			       v->srcloc, v->children);
	}
}

static uint64_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

/* Copying 16 bytes per zone: what any collector must do at least. */
static double floor_copy(size_t n)
{
	char *from = malloc(n * 16), *to = malloc(n * 16);
	double best = 1e9;

	memset(from, 1, n * 16);
	memset(to, 1, n * 16);
	for (int i = 0; i < 3; i++) {
		double t = cpu();

		memcpy(to, from, n * 16);
		t = cpu() - t;
		best = t < best ? t : best;
	}
	free(from);
	free(to);
	return best;
}

static void bench_write(const char *what, const char *path, const struct zones *z, uint32_t threads,
			uint32_t names, size_t millions)
{
	size_t rounds = (millions * 1000000 + z->n - 1) / z->n;
	double copy = floor_copy(z->n), best = 1e9, all = 0;
	struct tacho_error err;

	for (int try = 0; try < 3; try++) {
		struct trace_writer *w = begin(path, threads, names);
		double t = cpu();

		for (size_t i = 0; i < rounds; i++)
			add_all(w, z, i * (z->v[z->n - 1].end + 100000));
		if (trace_writer_close(w, &err) < 0)
			die("close", &err);
		t = cpu() - t;
		best = t < best ? t : best;
		all += t;
		if (millions > 10)
			break;
	}
	printf("%-10s write %6.1f M zones/s, %5.2f ns/zone, %4.1f x memcpy of 16 B; %.3f B/zone\n", what,
	       (double)(rounds * z->n) / best / 1e6, best * 1e9 / (double)(rounds * z->n),
	       best / (double)rounds / copy, (double)file_size(path) / (double)(rounds * z->n));
}

static void bench_stats(const char *what, const char *path)
{
	double open_best = 1e9, all_best = 1e9;
	struct tacho_error err;

	for (int try = 0; try < 5; try++) {
		struct trace_stat *stats;
		struct trace *t;
		size_t count;
		double begin_time = cpu(), opened;

		if (trace_open(&t, path, &err) < 0)
			die("open", &err);
		opened = cpu() - begin_time;
		if (trace_stats(t, NULL, &stats, &count, &err) < 0)
			die("stats", &err);
		begin_time = cpu() - begin_time;
		open_best = opened < open_best ? opened : open_best;
		all_best = begin_time < all_best ? begin_time : all_best;
		free(stats);
		trace_close(t);
	}
	printf("%-10s open %.2f ms, open + whole statistics %.1f ms\n", what, open_best * 1e3,
	       all_best * 1e3);
}

int main(int argc, char **argv)
{
	size_t millions = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char regular[256], irregular[256];
	struct zones z;

	snprintf(regular, sizeof(regular), "%s/bench-regular-%d.tacho", folder, (int)getpid());
	snprintf(irregular, sizeof(irregular), "%s/bench-irregular-%d.tacho", folder, (int)getpid());
	z = make_regular(BATCH);
	bench_write("regular", regular, &z, 1, 2, millions);
	free(z.v);
	z = make_irregular(BATCH);
	bench_write("irregular", irregular, &z, 8, 1000, millions);
	free(z.v);
	bench_stats("regular", regular);
	bench_stats("irregular", irregular);
	unlink(regular);
	unlink(irregular);
	return 0;
}
