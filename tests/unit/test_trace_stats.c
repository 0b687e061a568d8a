/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics: stored by the writer, counted by the reader, and found by brute force are one. */
#include "trace/format.h"
#include "trace_tools.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NAMES = 12, THREADS = 3 };

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool zone_selected(const struct test_zone *z, const struct trace_filter *f)
{
	return z->start >= f->t0 && z->start < f->t1 && (!f->tracks || f->tracks[z->track]) &&
	       (!f->srclocs || f->srclocs[z->srcloc]);
}

static struct trace_stat stats_brute(const struct test_zones *z, uint32_t srcloc,
				     const struct trace_filter *f)
{
	uint64_t *durations = malloc((z->n + 1) * sizeof(*durations));
	struct trace_stat s = {.srcloc = srcloc, .min = UINT64_MAX};
	double spread = 0;

	for (size_t i = 0; i < z->n; i++) {
		uint64_t d = z->v[i].end - z->v[i].start;

		if (z->v[i].srcloc != srcloc || !zone_selected(&z->v[i], f))
			continue;
		if (z->v[i].flags & TRACE_ZONE_UNFINISHED) {
			s.unfinished++;
			continue;
		}
		durations[s.count++] = d;
		s.sum += d;
		s.total += z->v[i].flags & TRACE_ZONE_RECURSIVE ? 0 : d;
		s.self += d - z->v[i].children;
		s.min = d < s.min ? d : s.min;
		s.max = d > s.max ? d : s.max;
	}
	qsort(durations, s.count, sizeof(*durations), by_value);
	if (s.count) {
		s.total = s.total > s.self ? s.total : s.self;
		s.mean = (double)s.sum / (double)s.count;
		s.median = durations[(s.count + 1) / 2 - 1];
		s.p99 = durations[(size_t)ceil((double)s.count * 99 / 100) - 1];
		for (size_t i = 0; i < s.count; i++)
			spread += ((double)durations[i] - s.mean) * ((double)durations[i] - s.mean);
		s.sigma = sqrt(spread / (double)s.count);
	} else {
		s.min = 0;
	}
	free(durations);
	return s;
}

static void stats_check(struct trace *t, const struct test_zones *z,
			const struct trace_filter *filter)
{
	struct trace_filter all = {.t1 = UINT64_MAX};
	const struct trace_filter *f = filter ? filter : &all;
	struct trace_stat *stats;
	uint64_t last = UINT64_MAX, seen = 0, total = 0;
	size_t count;

	assert_int_equal(trace_stats(t, filter, &stats, &count, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		struct trace_stat want = stats_brute(z, stats[i].srcloc, f), *s = &stats[i];

		assert_true(s->total <= last);
		last = s->total;
		assert_int_equal(s->count, want.count);
		assert_int_equal(s->unfinished, want.unfinished);
		assert_int_equal(s->total, want.total);
		assert_int_equal(s->sum, want.sum);
		assert_int_equal(s->self, want.self);
		assert_int_equal(s->min, want.min);
		assert_int_equal(s->max, want.max);
		assert_int_equal(s->median, want.median);
		assert_int_equal(s->p99, want.p99);
		assert_true(s->mean == want.mean);
		assert_true(fabs(s->sigma - want.sigma) <= 1e-9 * (want.sigma + 1));
		seen += s->count + s->unfinished;
	}
	for (size_t i = 0; i < z->n; i++)
		total += zone_selected(&z->v[i], f);
	assert_int_equal(seen, total);
	free(stats);
}

static void check_filters(struct trace *t, const struct test_zones *z)
{
	uint8_t tracks[THREADS] = {1, 0, 1}, srclocs[NAMES] = {0, 1, 1};
	uint64_t span = t->end - t->start;
	struct trace_filter f = {.t0 = t->start + span / 3, .t1 = t->start + span / 2};

	stats_check(t, z, NULL);
	stats_check(t, z, &(struct trace_filter){.t1 = UINT64_MAX});
	stats_check(t, z, &f);
	f.tracks = tracks;
	stats_check(t, z, &f);
	f.srclocs = srclocs;
	stats_check(t, z, &f);
	f.t0 = 0;
	f.t1 = UINT64_MAX;
	stats_check(t, z, &f);
	f.t0 = f.t1 = t->start + span / 2;
	stats_check(t, z, &f);
}

/* As an older version wrote it: the header does not say that recursion is marked. */
static void header_age(const char *path)
{
	uint8_t header[FILE_HEADER_SIZE];
	int fd = open(path, O_RDWR);

	assert_int_equal(pread(fd, header, sizeof(header), 0), sizeof(header));
	assert_int_equal(le_get64(header + FILE_FEATURES_OFFSET), FILE_RECURSION | FILE_ABSENT);
	le_put64(header + FILE_FEATURES_OFFSET, 0);
	le_put64(header + 56, XXH3_64bits(header, 56));
	assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	close(fd);
}

static void write_unmarked(struct trace_writer *w, const struct test_zones *z)
{
	struct test_zones plain = {malloc((z->n + 1) * sizeof(*z->v)), z->n, z->n};

	for (size_t i = 0; i < z->n; i++) {
		plain.v[i] = z->v[i];
		plain.v[i].flags &= ~TRACE_ZONE_RECURSIVE;
	}
	test_write_zones(w, &plain);
	free(plain.v);
}

static void filter_try(size_t zones, struct test_shape shape)
{
	char path[128], part[160];
	struct test_zones z = {0};
	uint64_t seed = 17 + zones, now[THREADS] = {1000, 2000, 3000};
	struct trace_writer *w;
	struct trace *t;

	strcpy(path, test_path("stats.tacho"));
	strcpy(part, test_path("stats.tacho.part"));
	while (z.n < zones) {
		uint32_t track = (uint32_t)(test_random(&seed) % THREADS);

		now[track] += test_random(&seed) % (shape.gap + 1);
		test_tree(&z, &seed, &shape, track, 0, &now[track]);
	}
	w = test_writer(path);
	test_model(w, THREADS, NAMES);
	test_write_zones(w, &z);
	assert_int_equal(trace_checkpoint(w, NULL, 0), 0);
	trace_writer_abandon(w);
	t = test_open(part);
	assert_true(t->damage.unfinished);
	check_filters(t, &z);
	trace_close(t);

	w = test_writer(path);
	test_model(w, THREADS, NAMES);
	test_write_zones(w, &z);
	test_close(w);
	t = test_open(path);
	check_filters(t, &z);
	trace_close(t);

	w = test_writer(path);
	test_model(w, THREADS, NAMES);
	write_unmarked(w, &z);
	test_close(w);
	header_age(path);
	t = test_open(path);
	check_filters(t, &z);
	trace_close(t);
	free(z.v);
}

static void test_small(void **state)
{
	(void)state;
	for (size_t n = 1; n < 250; n += 7)
		filter_try(n, (struct test_shape){n % 3 ? NAMES : 2, 3 + n % 4, 5, 20, 3, n % 2});
}

static void test_large(void **state)
{
	(void)state;
	filter_try(60000, (struct test_shape){NAMES, 5, 50, 3000, 3, true});
	filter_try(60000, (struct test_shape){2, 2, 10, 2, 8, false});
	filter_try(60000, (struct test_shape){NAMES, 3, 1ull << 20, 1ull << 30, 3, false});
	filter_try(20000, (struct test_shape){NAMES, 3, 1ull << 33, 1ull << 40, 3, true});
}

/* Long and nearly equal: the spread must not drown in the square of the mean. */
static void test_sigma(void **state)
{
	struct trace_writer *w = test_writer(test_path("sigma.tacho"));
	struct trace_stat *stats;
	struct trace *t;
	uint64_t now = 0;
	size_t count;

	(void)state;
	test_model(w, 1, 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t end = now + (1ull << 36) + (i & 1 ? 3 : 1);

		trace_lane_add(w, trace_lane(w, 0, 0), now, end, 0, 0);
		now = end;
	}
	test_close(w);
	t = test_open(test_path("sigma.tacho"));
	assert_int_equal(trace_stats(t, NULL, &stats, &count, NULL), 0);
	assert_true(fabs(stats[0].sigma - 1) < 1e-9);
	assert_true(stats[0].median == (1ull << 36) + 1 && stats[0].p99 == (1ull << 36) + 3);
	free(stats);
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_sigma),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
