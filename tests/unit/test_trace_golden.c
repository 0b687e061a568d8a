/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of released format versions open for ever with the content they had. tests/golden/v1.tacho
 * was written once by "test_trace_golden --write FILE" and is never written again; a new format
 * version or feature gets a file and a test of its own (v1-sparse.tacho: "--write-sparse FILE").
 */
#include "trace_tools.h"

static const char *golden_check(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), TESTS_SOURCE "/golden/%s", name);
	return path;
}

static void write_rows(struct trace_writer *w)
{
	struct trace_row rows[] = {
		{500, TRACE_ROW_MESSAGE, 0, TRACE_SEVERITY_WARNING, 0xff0000, 0, "it is late", 10},
		{510, TRACE_ROW_PLOT_INT, 1, 42, 0, 0, "", 0},
		{520, TRACE_ROW_LOCK, 0, TRACE_LOCK_OBTAIN, 1, 0, "", 0},
		{400, TRACE_ROW_ALLOC, 1, 0x7f0000001000, 4096, 0, "", 0},
	};

	for (int i = 0; i < 4; i++)
		trace_add_row(w, 2, &rows[i]);
}

static int write_golden(const char *path)
{
	struct trace_writer *w = test_writer(path);
	struct trace_clock_point points[2] = {{1000, 1000000, 1700000000000000000, 5},
					      {2301000, 2000000, 1700000000001000000, 5}};
	struct trace_process process = {7, 1, 900, 99000, 3, "golden", "golden --size 3"};
	struct trace_track thread = {0, TRACE_THREAD, 77, TRACE_NONE, 0x00ff00, 0, 0, "worker"};
	struct trace_track plots = {0, TRACE_PLOT, 5, 1, 0, TRACE_PLOT_MEMORY, 3, "heap"};
	struct trace_srcloc srclocs[3] = {{"outer", "run", "run.c", 10, 0},
					  {"", "step", "run.c", 20, 0x123456},
					  {"io", "io_read", "io.c", 30, 0}};
	struct trace_extra extras[2] = {{TRACE_EXTRA_TEXT, 5, 0, "hello"},
					{TRACE_EXTRA_VALUE, 0, 12345, NULL}};
	struct trace_ledger ledger = {20012, 1, 4, 0};
	uint64_t t = 1000;

	trace_set_property(w, "host", "invented");
	trace_add_clock_point(w, &points[0]);
	trace_add_clock_point(w, &points[1]);
	trace_add_process(w, &process);
	trace_add_track(w, &thread);
	trace_add_track(w, &thread);
	trace_add_track(w, &plots);
	for (int i = 0; i < 3; i++)
		trace_add_srcloc(w, &srclocs[i]);
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t start = t += 20 + i % 5, end = start + 100 + i % 7;

		trace_lane_add(w, trace_lane(w, 0, 1), start + 10, end - 10, 1 + i % 2, 0);
		trace_lane_add(w, trace_lane(w, 0, 0), start, end, 0, end - start - 20);
		t = end;
		if (i == 5000)
			trace_checkpoint(w, "state", 5);
	}
	for (uint64_t i = 0; i < 10; i++)
		trace_lane_add_full(w, trace_lane(w, 1, 0), i << 40, (i << 40) + (i << 36), 2, 0, 0,
				    extras, i % 3);
	trace_lane_add_full(w, trace_lane(w, 1, 0), 11ull << 40, 12ull << 40, 2, 0,
			    TRACE_ZONE_UNFINISHED, NULL, 0);
	write_rows(w);
	trace_add_ledger(w, 0, &ledger);
	test_close(w);
	return 0;
}

/* Zone I of the file with sparse planes: one in twenty takes long. */
static uint64_t sparse_duration(uint64_t i)
{
	return i % 20 == 13 ? 5000 + i * 31 : 100 + i % 7;
}

static int write_sparse(const char *path)
{
	struct trace_writer *w = test_writer(path);
	uint64_t at = 1000;

	test_model(w, 1, 1);
	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t end = at + sparse_duration(i);

		trace_lane_add(w, trace_lane(w, 0, 0), at, end, 0, end - at);
		at = end + 50 + i % 3;
	}
	test_close(w);
	return 0;
}

static void check_zones(struct trace *t)
{
	struct trace_cursor *c;
	struct trace_zone z;
	struct trace_extra x;
	uint64_t at = 1000, i;

	assert_int_equal(t->lane_count, 3);
	assert_int_equal(trace_cursor_open(&c, t, 0, 0, UINT64_MAX), 0);
	for (i = 0; trace_cursor_next(c, &z) > 0; i++) {
		at += 20 + i % 5;
		assert_true(z.start == at && z.srcloc == 0);
		at += 100 + i % 7;
		assert_true(z.end == at);
	}
	assert_int_equal(i, 10000);
	trace_cursor_close(c);
	assert_int_equal(trace_cursor_open(&c, t, 2, 0, UINT64_MAX), 0);
	for (i = 0; i < 10; i++) {
		assert_int_equal(trace_cursor_next(c, &z), 1);
		assert_true(z.start == i << 40 && z.end == (i << 40) + (i << 36));
		assert_int_equal(z.extras, i % 3);
		if (z.extras) {
			assert_int_equal(trace_cursor_extra(c, 0, &x), 0);
			assert_true(x.len == 5 && !memcmp(x.text, "hello", 5));
		}
	}
	assert_int_equal(trace_cursor_next(c, &z), 1);
	assert_int_equal(z.flags, TRACE_ZONE_UNFINISHED);
	assert_int_equal(trace_cursor_next(c, &z), 0);
	trace_cursor_close(c);
}

static void check_rows(struct trace *t)
{
	struct trace_rows *r;
	struct trace_row row;
	uint32_t track;

	assert_int_equal(trace_rows_open(&r, t, 2, 0, UINT64_MAX), 0);
	assert_int_equal(trace_rows_next(r, &row, &track), 1);
	assert_true(row.kind == TRACE_ROW_ALLOC && row.a == 0x7f0000001000 && row.b == 4096);
	assert_int_equal(trace_rows_next(r, &row, &track), 1);
	assert_true(row.text_len == 10 && !memcmp(row.text, "it is late", 10));
	assert_int_equal(trace_rows_next(r, &row, &track), 1);
	assert_true(row.kind == TRACE_ROW_PLOT_INT && row.a == 42 && row.thread == 1);
	assert_int_equal(trace_rows_next(r, &row, &track), 1);
	assert_true(row.kind == TRACE_ROW_LOCK && row.b == 1);
	assert_int_equal(trace_rows_next(r, &row, &track), 0);
	trace_rows_close(r);
}

static void test_v1(void **state)
{
	struct trace *t = test_open(golden_check("v1.tacho"));
	struct trace_check check;
	struct trace_stat *stats;
	size_t count;

	(void)state;
	assert_string_equal(t->damage.text, "");
	assert_int_equal(t->zones, 20011);
	assert_int_equal(t->rows, 4);
	assert_string_equal(trace_property(t, "host"), "invented");
	assert_string_equal(t->processes[0].command, "golden --size 3");
	assert_int_equal(t->processes[0].exit_status, 3);
	assert_string_equal(t->tracks[0].name, "worker");
	assert_int_equal(t->tracks[2].format, TRACE_PLOT_MEMORY);
	assert_string_equal(trace_srcloc_name(t, 1), "step");
	assert_int_equal(trace_ns(t, 2301000) - trace_ns(t, 1000), 1000000);
	check_zones(t);
	check_rows(t);
	assert_int_equal(trace_check(t, &check, NULL), 0);
	assert_string_equal(check.first_error, "");
	assert_int_equal(check.emitted, check.stored + check.lost);
	assert_int_equal(trace_stats(t, NULL, &stats, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_int_equal(stats[1].srcloc, 0);
	assert_int_equal(stats[1].count, 10000);
	assert_int_equal(stats[1].median, 103);
	assert_int_equal(stats[1].self, 200000);
	free(stats);
	trace_close(t);
}

static void test_v1_sparse(void **state)
{
	struct trace *t = test_open(golden_check("v1-sparse.tacho"));
	struct trace_check check;
	struct trace_cursor *c;
	struct trace_zone z;
	uint64_t at = 1000, i;

	(void)state;
	assert_string_equal(t->damage.text, "");
	assert_int_equal(trace_check(t, &check, NULL), 0);
	assert_string_equal(check.first_error, "");
	assert_int_equal(trace_cursor_open(&c, t, 0, 0, UINT64_MAX), 0);
	for (i = 0; trace_cursor_next(c, &z) > 0; i++) {
		assert_true(z.start == at && z.end == at + sparse_duration(i));
		at = z.end + 50 + i % 3;
	}
	assert_int_equal(i, 2000);
	trace_cursor_close(c);
	trace_close(t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v1),
		cmocka_unit_test(test_v1_sparse),
	};

	if (argc == 3 && !strcmp(argv[1], "--write"))
		return write_golden(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--write-sparse"))
		return write_sparse(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
