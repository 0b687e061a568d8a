/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the view: parameters, words, histograms, statistics of ranges. */
#include "trace_tools.h"
#include "view/call_args.h"
#include "view/chunk_stats.h"

#include <math.h>
#include <string.h>

static void test_query(void **state)
{
	struct view_query *q = malloc(sizeof(*q));

	(void)state;
	assert_true(query_parse(q, "a=1+2%2b&b&=c&&d=x=y"));
	assert_string_equal(query_get(q, "a"), "1 2+");
	assert_string_equal(query_get(q, "b"), "");
	assert_string_equal(query_get(q, ""), "c");
	assert_string_equal(query_get(q, "d"), "x=y");
	assert_null(query_get(q, "e"));
	assert_false(query_parse(q, "a=%zz"));
	assert_false(query_parse(q, "a=1&a=2"));
	assert_true(query_parse(q, NULL));
	assert_null(query_get(q, "a"));
	free(q);
}

static bool call_takes(const char *words, const char *text)
{
	struct words w = {words};

	return words_take(&w, text, strlen(text));
}

static void test_words(void **state)
{
	(void)state;
	assert_true(call_takes(NULL, "x"));
	assert_true(call_takes("ab", "xABx"));
	assert_false(call_takes("ab", "a b"));
	assert_true(call_takes("a,b", "b"));
	assert_false(call_takes("a,b,-c", "bc"));
	assert_true(call_takes("-c", "b"));
	assert_false(call_takes("-c", "C"));
	assert_true(call_takes(",,", "x"));
	assert_true(call_takes("-", "a-b"));
	assert_false(call_takes("-", "ab"));
	assert_false(call_takes("abc", "ab"));
}

/* --------------------------------------------------------------- histogram */

static void test_hist(void **state)
{
	struct hist *h = calloc(1, sizeof(*h));
	struct hist_bin bins[HIST_BINS];
	uint64_t count = 0;
	double total = 0;

	(void)state;
	for (uint64_t v = 1; v < UINT64_MAX / 3; v *= 3) {
		uint32_t b = hist_bucket(v);

		assert_true(b < HIST_BUCKETS);
		assert_true(fabs(hist_middle(b) - (double)v) <= 0.01 * (double)v + 0.5);
	}
	assert_true(hist_bucket(UINT64_MAX) < HIST_BUCKETS);
	for (uint64_t v = 1; v <= 100000; v++)
		hist_add(h, v);
	assert_true(fabs(hist_at(h, 0.5) - 50000) < 500);
	assert_true(fabs(hist_at(h, 0.99) - 99000) < 990);
	assert_true(hist_at(h, 0) >= 1 && hist_at(h, 1) <= 100000);
	hist_bins(h, 1, 100001, 10, false, bins);
	for (unsigned i = 0; i < 10; i++) {
		assert_true(bins[i].count > 9700 && bins[i].count < 10300);
		count += bins[i].count;
		total += bins[i].total;
	}
	assert_int_equal(count, 100000);
	assert_true(total == 5000050000.0);
	hist_bins(h, 0, 0, 3, true, bins);
	memset(h, 0, sizeof(*h)); /* few, in no order, many in one bucket */
	for (uint64_t i = 0; i < 1000; i++)
		hist_add(h, 1000000 + i * 7 % 1000);
	assert_true(hist_at(h, 0.5) == 1000499 && hist_at(h, 0.99) == 1000989);
	assert_true(hist_at(h, 0) == 1000000 && hist_at(h, 1) == 1000999);
	hist_add(h, 5);
	assert_true(hist_at(h, 0) == 5 && hist_at(h, 0.5) == 1000499);
	free(h);
}

/* ------------------------------------------------------------------ chunks */

/* Zones of several lanes, some of no length at one time, so that chunks meet at it. */
static void write_many(const char *path)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .start = 1, .name = "p", .command = "p"};
	struct trace_writer *w;
	uint64_t seed = 7;

	assert_int_equal(trace_writer_open(&w, path, &options, NULL), 0);
	trace_set_property(w, "ticks per second", "1000000000");
	trace_add_process(w, &p);
	for (uint32_t i = 0; i < 5; i++) {
		struct trace_srcloc s = {"n", "f", "file", i, 0};

		trace_add_srcloc(w, &s);
	}
	for (uint32_t track = 0; track < 2; track++) {
		struct trace_track t = {.srcloc = TRACE_NONE, .name = "t"};
		uint64_t at = 1000;

		trace_add_track(w, &t);
		for (uint32_t i = 0; i < 50000; i++) {
			uint64_t length = (seed = seed * 6364136223846793005u + 1) >> 54;

			/* A crowd around the border of the first chunk. */
			if (i > 16000 && i < 17000)
				length = 0;

			trace_lane_add(w, trace_lane(w, track, 1), at, at + length / 2,
				       (uint32_t)(seed >> 33) % 5, 0);
			trace_lane_add_full(w, trace_lane(w, track, 0), at, at + length, i / 20000,
					    length / 2, i == 49999 ? TRACE_ZONE_UNFINISHED : 0,
					    NULL, 0);
			at += length;
		}
	}
	assert_int_equal(trace_writer_close(w, NULL), 0);
}

static int by_srcloc(const void *a, const void *b)
{
	return (int)((const struct trace_stat *)a)->srcloc -
	       (int)((const struct trace_stat *)b)->srcloc;
}

static void reply_compare(struct chunks *k, struct view_call *c, const struct trace_filter *f)
{
	struct trace_stat *exact, *sums;
	size_t n, m;

	assert_int_equal(trace_stats(c->trace, f, &exact, &n, NULL), 0);
	assert_int_equal(chunks_stats(k, c, f, &sums, &m), 0);
	assert_int_equal(n, m);
	qsort(exact, n, sizeof(*exact), by_srcloc);
	qsort(sums, n, sizeof(*sums), by_srcloc);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(exact[i].srcloc, sums[i].srcloc);
		assert_int_equal(exact[i].count, sums[i].count);
		assert_int_equal(exact[i].total, sums[i].total);
		assert_int_equal(exact[i].self, sums[i].self);
		assert_int_equal(exact[i].min, sums[i].min);
		assert_int_equal(exact[i].max, sums[i].max);
		assert_int_equal(exact[i].unfinished, sums[i].unfinished);
		assert_true(fabs(exact[i].sigma - sums[i].sigma) < 1e-3);
		assert_true(fabs((double)exact[i].p99 - (double)sums[i].p99) <=
			    1 + 0.02 * (double)exact[i].p99);
	}
	free(exact);
	free(sums);
}

static void test_chunks(void **state)
{
	static const uint8_t second[] = {0, 1};
	struct view_options options = {0};
	struct trace_filter f = {.t1 = UINT64_MAX};
	struct view_call c = {0};
	struct chunks *k;
	struct view *view;
	uint64_t seed = 3;
	char path[] = "/tmp/test_view.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_many(path);
	assert_int_equal(view_open(&view, &options, NULL), 0);
	assert_int_equal(view_add(view, path, NULL), 0);
	c.view = view;
	c.on = view->traces.v[0];
	c.trace = c.on->quick.trace;
	k = chunks_start(c.on);
	assert_non_null(k);
	assert_true(chunks_ready(k, &c));
	reply_compare(k, &c, &f);
	for (int i = 0; i < 60; i++) {
		uint64_t span = c.trace->end - c.trace->start;

		seed = seed * 6364136223846793005u + 1;
		f.t0 = c.trace->start + (seed >> 20) % span;
		seed = seed * 6364136223846793005u + 1;
		f.t1 = f.t0 + (seed >> 20) % (span / (1 + (uint64_t)i % 7));
		f.tracks = i % 3 ? NULL : second;
		reply_compare(k, &c, &f);
	}
	chunks_free(k);
	view_close(view);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_hist),
		cmocka_unit_test(test_chunks),
	};

	int r;

	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	test_cleanup();
	return r;
}
