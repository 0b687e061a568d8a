/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace file: speed of writing, size, opening with statistics, visible-range queries. Each
 * figure is printed with a floor measured in the same run: machines differ, ratios do not.
 *
 *	bench_trace [ZONES]      ZONES in millions, default 10
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
#include <zstd.h>

#define BATCH 200000u /* zones generated in advance and added again and again */

struct zone {
	uint64_t start, end, children;
	uint32_t srcloc;
	uint16_t track, depth;
};

struct zones {
	struct zone *v;
	size_t n;
};

static double clock_s(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double cpu_s(void)
{
	return clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

static void error_exit(const char *what, const struct tacho_error *err)
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
static uint64_t time_jitter(uint64_t *s)
{
	uint64_t r = random_next(s);

	return (r & 3) + (r >> 2 & 3) + (r >> 4 & 3) + (r >> 6 & 1);
}

/* About one in 20,000 is interrupted for some microseconds. */
static uint64_t time_interrupt(uint64_t *s)
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
		struct zone outer = {.start = now += 40 + time_jitter(&seed), .srcloc = 0};

		for (int i = 0; i < 9; i++) {
			struct zone inner = {
				.start = now += 46 + time_jitter(&seed), .srcloc = 1, .depth = 1};

			inner.end = now += 62 + time_jitter(&seed) + time_interrupt(&seed);
			outer.children += inner.end - inner.start;
			z.v[z.n++] = inner;
		}
		outer.end = now += 50 + time_jitter(&seed);
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
	*now += random_next(seed) % (2 * mean) + time_interrupt(seed);
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

static struct trace_writer *writer_begin(const char *path, uint32_t threads, uint32_t names)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process process = {.pid = 1, .name = "bench", .command = "bench"};
	struct tacho_error err;
	struct trace_writer *w;
	char name[32];

	if (trace_writer_open(&w, path, &options, &err) < 0)
		error_exit("write", &err);
	trace_add_process(w, &process);
	for (uint32_t i = 0; i < threads; i++) {
		struct trace_track track = {.kind = TRACE_THREAD, .id = i, .name = ""};

		trace_add_track(w, &track);
	}
	for (uint32_t i = 0; i < names; i++) {
		struct trace_srcloc srcloc = {
			.name = name, .function = "f", .file = "bench.c", .line = i};

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

/* The floor: copying 16 bytes per zone, the minimum for any collector. Per zone. */
static double floor_copy(void)
{
	static char *from, *to;
	size_t bytes = 16 * (size_t)BATCH;
	double t;

	if (!from) {
		from = malloc(bytes);
		to = malloc(bytes);
		memset(from, 1, bytes);
		memset(to, 1, bytes);
	}
	t = cpu_s();
	for (int i = 0; i < 10; i++) {
		memcpy(to, from, bytes);
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	return (cpu_s() - t) / 10 / BATCH;
}

static double time_least(double a, double b)
{
	return a < b ? a : b;
}

static void bench_write(const char *what, const char *path, const struct zones *z, uint32_t threads,
			uint32_t names, size_t millions)
{
	size_t rounds = (millions * 1000000 + z->n - 1) / z->n, zones = rounds * z->n;
	double copy = 1e9, best = 1e9;
	struct tacho_error err;

	for (int try = 0; try < (millions > 10 ? 1 : 3); try++) {
		struct trace_writer *w = writer_begin(path, threads, names);
		double t;

		copy = time_least(copy, floor_copy());
		t = cpu_s();
		for (size_t i = 0; i < rounds; i++)
			add_all(w, z, i * (z->v[z->n - 1].end + 100000));
		if (trace_writer_close(w, &err) < 0)
			error_exit("close", &err);
		best = time_least(best, (cpu_s() - t) / (double)zones);
	}
	printf("%-10s write %.1f M zones/s, %.2f ns/zone = %.1f x copying 16 B; %.3f B/zone\n",
	       what, 1e-6 / best, best * 1e9, best / copy, (double)file_size(path) / (double)zones);
}

static void print_memory(const char *what, const struct zones *z)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%-10s peak resident %.1f MB, %.1f MB of it inputs of this program\n", what,
	       (double)usage.ru_maxrss / 1024, (double)(z->n * (sizeof(*z->v) + 2 * 16)) / 1048576);
}

static void bench_stats(const char *what, const char *path)
{
	double opened = 1e9, all = 1e9, copy = 1e9;
	struct tacho_error err;
	uint64_t zones = 1;

	for (int try = 0; try < 5; try++) {
		struct trace_stat *stats;
		struct trace *t;
		size_t count;
		double from;

		copy = time_least(copy, floor_copy());
		from = cpu_s();
		if (trace_open(&t, path, &err) < 0)
			error_exit("open", &err);
		opened = time_least(opened, cpu_s() - from);
		if (trace_stats(t, NULL, &stats, &count, &err) < 0)
			error_exit("stats", &err);
		all = time_least(all, cpu_s() - from);
		zones = t->zones;
		free(stats);
		trace_close(t);
	}
	printf("%-10s open %.2f ms; open + whole statistics %.1f ms = %.1f x copying 16 B/zone\n",
	       what, opened * 1e3, all * 1e3, all / copy / (double)zones);
}

static int by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* 16 threads x 8 depths of zones and pauses, as a busy program has: 128 lanes. */
static void make_deep(struct trace_writer *w, uint64_t zones)
{
	struct trace_lane *lanes[16][8];
	uint64_t seed[16], now[16][9], n = 0;

	for (uint32_t i = 0; i < 16; i++) {
		seed[i] = 777 + i;
		for (uint32_t k = 0; k < 8; k++) {
			lanes[i][k] = trace_lane(w, i, k);
			now[i][k] = 0;
		}
	}
	while (n < zones) {
		for (uint32_t i = 0; i < 16; i++) {
			uint32_t k = (uint32_t)(n / 16 % 8);
			uint64_t r = random_next(&seed[i]), start = now[i][k] + r % 60;
			uint64_t end = start + 20 + (r >> 20) % 100;

			if (r >> 50 == 0)
				end += 300000;
			trace_lane_add(w, lanes[i][k], start, end, (uint32_t)(r >> 40) % 1000, 0);
			now[i][k] = end;
			n++;
		}
	}
}

static void query_view(struct trace_lod *lod, struct trace *t, uint64_t t0, uint64_t t1,
		       size_t *items_out)
{
	static struct trace_lod_item *items;
	static size_t cap;
	size_t count = 0;

	for (uint32_t lane = 0; lane < 64 && lane < t->lane_count; lane++)
		trace_lod_query(lod, lane, t0, t1, 2000, &items, &count, &cap);
	*items_out = count;
}

static void bench_lod(const char *path, const char *folder, size_t millions)
{
	enum { QUERIES = 300 };
	struct trace_writer *w = writer_begin(path, 16, 1000);
	double ms[QUERIES], items[QUERIES], t, copy = floor_copy();
	struct tacho_error err;
	struct trace_lod *lod;
	struct trace *trace = NULL;
	uint64_t seed = 31337, span;
	size_t n;

	make_deep(w, millions * 1000000);
	if (trace_writer_close(w, &err) < 0 || trace_open(&trace, path, &err) < 0)
		error_exit("deep", &err);
	t = cpu_s();
	if (trace_lod_open(&lod, trace, folder, &err) < 0)
		error_exit("lod", &err);
	t = cpu_s() - t;
	printf("lod        %llu M zones, %u lanes, %.2f B/zone in the file; build %.2f ns/zone, %.3f B/zone\n",
	       (unsigned long long)(trace->zones / 1000000), trace->lane_count,
	       (double)file_size(path) / (double)trace->zones, t * 1e9 / (double)trace->zones,
	       (double)trace_lod_size(lod) / (double)trace->zones);
	span = trace->end - trace->start;
	for (int i = 0; i < QUERIES; i++) {
		double low = log(4600), high = log((double)span);
		uint64_t part = (uint64_t)exp(
			low + (high - low) * (double)(random_next(&seed) % 10000) / 1e4);
		uint64_t t0 = trace->start + random_next(&seed) % (span - part + 1);

		t = cpu_s();
		query_view(lod, trace, t0, t0 + part, &n);
		ms[i] = (cpu_s() - t) * 1e3;
		items[i] = (double)n;
	}
	qsort(ms, QUERIES, sizeof(*ms), by_double);
	qsort(items, QUERIES, sizeof(*items), by_double);
	printf("lod        64 lanes x 2000 px, zoom 2 us .. all: CPU p50 %.2f, p90 %.2f, p99 %.2f, max %.2f ms "
	       "= p99 %.3f x copying all zones; items p50 %.0f, p99 %.0f\n",
	       ms[QUERIES / 2], ms[QUERIES * 9 / 10], ms[QUERIES * 99 / 100], ms[QUERIES - 1],
	       ms[QUERIES * 99 / 100] / 1e3 / copy / (double)trace->zones, items[QUERIES / 2],
	       items[QUERIES * 99 / 100]);
	t = cpu_s();
	query_view(lod, trace, trace->start, trace->end, &n);
	printf("lod        whole span %.2f ms, %zu items\n", (cpu_s() - t) * 1e3, n);
	trace_lod_close(lod);
	trace_close(trace);
}

/* MANY messages of LEN bytes that differ in eight digits, beside zstd -1 of the same text. */
static void bench_text(const char *path, size_t many, size_t len)
{
	static const char words[] = "The quick brown fox jumps over the lazy dog. ";
	struct trace_writer *w = writer_begin(path, 1, 0);
	char *text = malloc(many * len), *packed = malloc(ZSTD_compressBound(many * len)),
	     digits[16];
	struct tacho_error err;
	size_t size;

	if (!text || !packed)
		exit(1);
	for (size_t i = 0; i < many; i++) {
		struct trace_row row = {
			.time = i, .kind = TRACE_ROW_MESSAGE, .text_len = (uint32_t)len};
		char *at = text + i * len;

		for (size_t k = 0; k < len; k++)
			at[k] = words[k % (sizeof(words) - 1)];
		snprintf(digits, sizeof(digits), "%08zu", i);
		memcpy(at + len / 2, digits, 8);
		row.text = at;
		trace_add_row(w, 0, &row);
	}
	if (trace_writer_close(w, &err) < 0)
		error_exit("text", &err);
	size = ZSTD_compress(packed, ZSTD_compressBound(many * len), text, many * len, 1);
	printf("text       %zu messages of %zu B that differ in 8 digits: %.1f KiB = %.2f x zstd -1, 1/%.0f of the text\n",
	       many, len, (double)file_size(path) / 1024, (double)file_size(path) / (double)size,
	       (double)(many * len) / (double)file_size(path));
	free(text);
	free(packed);
}

int main(int argc, char **argv)
{
	size_t millions = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	const char *base = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char folder[200], path[256], command[256];
	struct zones z;

	snprintf(folder, sizeof(folder), "%s/bench-trace-XXXXXX", base);
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/t.tacho", folder);
	z = make_regular(BATCH);
	bench_write("regular", path, &z, 1, 2, millions);
	print_memory("regular", &z);
	bench_stats("regular", path);
	free(z.v);
	z = make_irregular(BATCH);
	bench_write("irregular", path, &z, 8, 1000, millions);
	print_memory("irregular", &z);
	bench_stats("irregular", path);
	free(z.v);
	bench_lod(path, folder, millions);
	bench_text(path, 20000, 3072);
	bench_text(path, 200000, 100);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command) != 0;
}
