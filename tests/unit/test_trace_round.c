/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that goes into a trace comes out of it. */
#include "trace_tools.h"

/* A row of each kind has as many bytes of it as the number of its kind. */
static const char row_text[] = "a text that is longer than there are kinds of rows";
_Static_assert(sizeof(row_text) > TRACE_ROW_KINDS, "the text is too short");

static void write_rich(const char *path)
{
	struct trace_writer *w = test_writer(path);
	struct trace_clock_point points[2] = {{1000, 5000, 1700000000000000000, 10},
					      {3000, 6000, 1700000000000001000, 12}};
	struct trace_process child = {.pid = 77,
				      .parent_pid = 1,
				      .start = 1500,
				      .exit_status = 3,
				      .name = "child",
				      .command = "child 1 2"};
	struct trace_track plot = {.process = 1,
				   .kind = TRACE_PLOT,
				   .id = 9,
				   .srcloc = 2,
				   .color = 0x123456,
				   .format = TRACE_PLOT_PERCENT,
				   .flags = TRACE_PLOT_STEP,
				   .name = "load"};
	struct trace_ledger ledger = {2, 1, 3, 0};
	struct trace_extra extras[] = {{TRACE_EXTRA_NAME, 4, 0, "nick"},
				       {TRACE_EXTRA_TEXT, 0, 0, ""},
				       {TRACE_EXTRA_TEXT, 5, 0, "a\0b\nc"},
				       {TRACE_EXTRA_COLOR, 0, 0xff8800, NULL},
				       {TRACE_EXTRA_VALUE, 0, UINT64_MAX, NULL}};

	assert_int_equal(trace_set_property(w, "host", "here"), 0);
	assert_int_equal(trace_set_property(w, "host", "there"), 0);
	assert_int_equal(trace_add_clock_point(w, &points[1]), 0);
	assert_int_equal(trace_add_clock_point(w, &points[0]), 0);
	test_model(w, 2, 3);
	assert_int_equal(trace_add_srcloc(w, &(struct trace_srcloc){"name 1", "f", "test.c", 1, 0}),
			 1);
	assert_int_equal(trace_add_process(w, &child), 1);
	assert_int_equal(trace_add_track(w, &plot), 2);
	plot.name = "load of all";
	assert_int_equal(trace_update_track(w, 2, &plot), 0);
	child.end = 2900;
	assert_int_equal(trace_update_process(w, 1, &child), 0);
	assert_int_equal(trace_lane_add(w, trace_lane(w, 0, 1), 1200, 1300, 2, 0), 0);
	assert_int_equal(trace_lane_add_full(w, trace_lane(w, 0, 0), 1100, 2100, 1, 100,
					     TRACE_ZONE_END_LOST, extras, 5),
			 0);
	assert_int_equal(trace_lane_add(w, trace_lane(w, 0, 0), 2100, 2200, 0, 0), 0);
	assert_int_equal(
		trace_lane_add_full(w, trace_lane(w, 0, 0), 2300, 2400, 0, 0, 0, extras, 1), 0);
	assert_int_equal(trace_lane_add_full(w, trace_lane(w, 1, 0), 1000, 3000, 0, 0,
					     TRACE_ZONE_UNFINISHED, NULL, 0),
			 0);
	for (uint32_t kind = 0; kind < TRACE_ROW_KINDS; kind++) {
		struct trace_row row = {.time = 1500 - kind,
					.kind = kind,
					.thread = kind % 2 ? 1 : TRACE_NONE,
					.a = kind,
					.b = kind == TRACE_ROW_LOCK ? 1 : ~0ull,
					.c = 1ull << kind,
					.text = row_text,
					.text_len = kind};

		assert_int_equal(trace_add_row(w, 2, &row), 0);
	}
	assert_int_equal(trace_add_ledger(w, 0, &ledger), 0);
	assert_int_equal(trace_add_ledger(w, 0, &ledger), 0);
	assert_int_equal(trace_writer_zones(w), 5);
	test_close(w);
}

static void check_zones(struct trace *t)
{
	struct trace_cursor *c;
	struct trace_zone z;
	struct trace_extra x;

	assert_int_equal(t->zones, 5);
	assert_int_equal(t->lane_count, 3);
	assert_int_equal(trace_cursor_open(&c, t, 0, 0, UINT64_MAX), 0);
	assert_int_equal(trace_cursor_next(c, &z), 1);
	assert_int_equal(z.start, 1100);
	assert_int_equal(z.end, 2100);
	assert_int_equal(z.srcloc, 1);
	assert_int_equal(z.flags, TRACE_ZONE_END_LOST);
	assert_int_equal(z.extras, 5);
	assert_int_equal(trace_cursor_extra(c, 0, &x), 0);
	assert_memory_equal(x.text, "nick", 4);
	assert_int_equal(trace_cursor_extra(c, 1, &x), 0);
	assert_int_equal(x.len, 0);
	assert_int_equal(trace_cursor_extra(c, 2, &x), 0);
	assert_int_equal(x.len, 5);
	assert_memory_equal(x.text, "a\0b\nc", 5);
	assert_int_equal(trace_cursor_extra(c, 3, &x), 0);
	assert_int_equal(x.kind, TRACE_EXTRA_COLOR);
	assert_int_equal(x.value, 0xff8800);
	assert_int_equal(trace_cursor_extra(c, 4, &x), 0);
	assert_true(x.value == UINT64_MAX);
	assert_int_equal(trace_cursor_extra(c, 5, &x), TACHO_ENO);
	assert_int_equal(trace_cursor_next(c, &z), 1);
	assert_int_equal(z.extras, 0);
	assert_int_equal(trace_cursor_next(c, &z), 1);
	assert_int_equal(z.extras, 1);
	assert_int_equal(trace_cursor_next(c, &z), 0);
	trace_cursor_close(c);
}

static void check_rows(struct trace *t)
{
	struct trace_rows *r;
	struct trace_row row;
	uint32_t track;

	assert_int_equal(trace_rows_open(&r, t, TRACE_NONE, 0, UINT64_MAX), 0);
	for (uint32_t i = 0; i < TRACE_ROW_KINDS; i++) {
		uint32_t kind = TRACE_ROW_KINDS - 1 - i;

		assert_int_equal(trace_rows_next(r, &row, &track), 1);
		assert_int_equal(track, 2);
		assert_int_equal(row.kind, kind);
		assert_int_equal(row.time, 1500 - kind);
		assert_int_equal(row.thread, kind % 2 ? 1 : TRACE_NONE);
		assert_int_equal(row.a, kind);
		assert_true(row.b == (kind == TRACE_ROW_LOCK ? 1 : ~0ull));
		assert_true(row.c == 1ull << kind);
		assert_int_equal(row.text_len, kind);
		assert_memory_equal(row.text, row_text, kind);
	}
	assert_int_equal(trace_rows_next(r, &row, &track), 0);
	trace_rows_close(r);
}

static void test_rich(void **state)
{
	const char *path = test_path("rich.tacho");
	struct trace_check check;
	struct trace *t;
	uint32_t first, count;

	(void)state;
	write_rich(path);
	t = test_open(path);
	assert_string_equal(t->damage.text, "");
	assert_string_equal(trace_property(t, "host"), "there");
	assert_null(trace_property(t, "nothing"));
	assert_int_equal(t->process_count, 2);
	assert_string_equal(t->processes[1].name, "child");
	assert_string_equal(t->processes[1].command, "child 1 2");
	assert_int_equal(t->processes[1].end, 2900);
	assert_int_equal(t->processes[1].exit_status, 3);
	assert_int_equal(t->processes[0].exit_status, TRACE_EXIT_UNKNOWN);
	assert_int_equal(t->track_count, 3);
	assert_string_equal(t->tracks[2].name, "load of all");
	assert_int_equal(t->tracks[2].srcloc, 2);
	assert_int_equal(t->tracks[0].srcloc, TRACE_NONE);
	assert_int_equal(t->tracks[2].color, 0x123456);
	assert_int_equal(t->srcloc_count, 3);
	assert_string_equal(trace_srcloc_name(t, 2), "name 2");
	assert_int_equal(t->clock_point_count, 2);
	assert_int_equal(t->clock_points[0].ticks, 1000);
	assert_int_equal(t->start, 1000);
	assert_int_equal(t->end, 3000);
	assert_int_equal(trace_ns(t, 3000), 1000);
	assert_int_equal(trace_ticks(t, 1000), 3000);
	assert_true(trace_realtime_ns(t, 2000) == 1700000000000000500);
	assert_int_equal(t->ledgers[0].zones_emitted, 4);
	assert_int_equal(t->ledgers[1].zones_emitted, 0);
	trace_track_lanes(t, 0, &first, &count);
	assert_int_equal(first, 0);
	assert_int_equal(count, 2);
	check_zones(t);
	check_rows(t);
	assert_int_equal(trace_check(t, &check, NULL), 0);
	assert_int_equal(check.zones, 5);
	assert_int_equal(check.rows, TRACE_ROW_KINDS);
	trace_close(t);
}

/* Each lane gives its zones in order; the walk gives all by start, parents first. */
static void traces_compare(struct trace *t, struct test_zones *z)
{
	struct trace_cursor *c;
	struct trace_walk *w;
	struct trace_zone zone;
	uint64_t last = 0, seen = 0;
	uint32_t lane = 0;
	size_t at = 0;

	test_sort(z);
	for (lane = 0; lane < t->lane_count; lane++) {
		assert_int_equal(trace_cursor_open(&c, t, lane, 0, UINT64_MAX), 0);
		while (trace_cursor_next(c, &zone) > 0) {
			const struct test_zone *want = &z->v[at++];

			assert_true(want->track == t->lanes[lane].track &&
				    want->depth == t->lanes[lane].depth &&
				    want->start == zone.start && want->end == zone.end);
			if (want->start != want->end)
				assert_true(want->srcloc == zone.srcloc &&
					    want->flags == zone.flags);
		}
		trace_cursor_close(c);
	}
	assert_int_equal(at, z->n);
	assert_int_equal(trace_walk_open(&w, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_walk_next(w, &zone, &lane) > 0) {
		assert_true(zone.start >= last);
		last = zone.start;
		seen++;
	}
	trace_walk_close(w);
	assert_int_equal(seen, z->n);
}

static void random_trace(uint32_t threads, size_t zones, size_t memory, struct test_shape shape)
{
	const char *path = test_path("random.tacho");
	struct trace_writer_options options = {.force = true, .memory = memory};
	struct trace_writer *w;
	struct trace_check check;
	struct test_zones z = {0};
	uint64_t seed = 42 + threads, *now = calloc(threads, sizeof(*now));
	struct trace *t;

	while (z.n < zones) {
		uint32_t track = (uint32_t)(test_random(&seed) % threads);

		now[track] += test_random(&seed) % (shape.gap + 1);
		test_tree(&z, &seed, &shape, track, 0, &now[track]);
	}
	assert_int_equal(trace_writer_open(&w, path, &options, NULL), 0);
	test_model(w, threads, shape.names);
	test_write_zones(w, &z);
	test_close(w);
	t = test_open(path);
	assert_int_equal(trace_check(t, &check, NULL), 0);
	assert_string_equal(check.first_error, "");
	assert_int_equal(check.zones, z.n);
	traces_compare(t, &z);
	trace_close(t);
	free(z.v);
	free(now);
}

static void test_random_traces(void **state)
{
	(void)state;
	random_trace(1, 100000, 0, (struct test_shape){10, 5, 40, 30, 4, true});
	random_trace(3, 60000, 0, (struct test_shape){1000, 8, 1ull << 34, 1ull << 40, 3, false});
	random_trace(2, 30000, 0, (struct test_shape){3, 2, 0, 0, 3, false});
	random_trace(2000, 60000, 1 << 20, (struct test_shape){70000, 4, 5000, 100000, 3, true});
}

static void test_ranges(void **state)
{
	const char *path = test_path("range.tacho");
	struct trace_writer *w = test_writer(path);
	struct trace_cursor *c;
	struct trace_zone z;
	struct trace *t;

	(void)state;
	test_model(w, 1, 1);
	for (uint64_t i = 0; i < 20000; i++)
		trace_lane_add(w, trace_lane(w, 0, 0), 10 * i, 10 * i + i % 10, 0, 0);
	test_close(w);
	t = test_open(path);
	for (uint64_t t0 = 0; t0 < 200000; t0 += 997) {
		uint64_t t1 = t0 + t0 % 57, i = 0;

		assert_int_equal(trace_cursor_open(&c, t, 0, t0, t1), 0);
		while (trace_cursor_next(c, &z) > 0) {
			assert_true(z.start < t1 && (z.end > t0 || z.start >= t0));
			i++;
		}
		trace_cursor_close(c);
		for (uint64_t k = 0; k < 20000; k++)
			i -= 10 * k < t1 && (10 * k + k % 10 > t0 || 10 * k >= t0);
		assert_int_equal(i, 0);
	}
	trace_close(t);
}

/* Zones that do not fit their lane are moved, never lost. */
static void test_moved(void **state)
{
	const char *path = test_path("moved.tacho");
	struct trace_writer *w = test_writer(path);
	struct trace_check check;
	struct trace *t;

	(void)state;
	test_model(w, 1, 1);
	trace_lane_add(w, trace_lane(w, 0, 0), 100, 200, 0, 0);
	trace_lane_add(w, trace_lane(w, 0, 0), 150, 250, 0, 0);
	trace_lane_add(w, trace_lane(w, 0, 0), 300, 290, 0, 0);
	test_close(w);
	t = test_open(path);
	assert_int_equal(t->zones, 3);
	assert_string_equal(trace_property(t, "zones moved"), "2");
	assert_int_equal(trace_check(t, &check, NULL), 0);
	assert_int_equal(check.errors, 0);
	trace_close(t);
}

/* No limit of 64 Ki anything. */
static void test_wide(void **state)
{
	enum { MANY = 70000, LONG = 1 << 20 };
	const char *path = test_path("wide.tacho");
	struct trace_writer *w = test_writer(path);
	char *text = malloc(LONG);
	struct trace_rows *r;
	struct trace_row row = {
		.kind = TRACE_ROW_MESSAGE, .thread = MANY - 1, .text = text, .text_len = LONG};
	uint64_t seed = 7;
	uint32_t track;
	struct trace *t;

	(void)state;
	for (int i = 0; i < LONG; i++)
		text[i] = (char)test_random(&seed);
	test_model(w, MANY, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(trace_lane_add(w, trace_lane(w, i, 0), i, i + 1, i, 0), 0);
	for (int i = 0; i < 5; i++) {
		row.time = (uint64_t)i;
		assert_int_equal(trace_add_row(w, MANY - 1, &row), 0);
	}
	test_close(w);
	t = test_open(path);
	assert_int_equal(t->track_count, MANY);
	assert_int_equal(t->srcloc_count, MANY);
	assert_int_equal(t->lane_count, MANY);
	assert_string_equal(trace_srcloc_name(t, MANY - 1), "name 69999");
	assert_int_equal(trace_rows_open(&r, t, MANY - 1, 0, UINT64_MAX), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(trace_rows_next(r, &row, &track), 1);
		assert_int_equal(row.text_len, LONG);
		assert_memory_equal(row.text, text, LONG);
		assert_int_equal(row.thread, MANY - 1);
	}
	assert_int_equal(trace_rows_next(r, &row, &track), 0);
	trace_rows_close(r);
	trace_close(t);
	free(text);
}

/* Rows of many tracks, partly out of order, come by time. */
static void test_row_order(void **state)
{
	const char *path = test_path("rows.tacho");
	struct trace_writer *w = test_writer(path);
	uint64_t seed = 3, last = 0, n = 0;
	struct trace_rows *r;
	struct trace_row row = {.kind = TRACE_ROW_PLOT_INT, .thread = TRACE_NONE, .text = ""};
	uint32_t track;
	struct trace *t;

	(void)state;
	test_model(w, 50, 1);
	for (uint64_t i = 0; i < 50000; i++) {
		row.time = 100 * i + test_random(&seed) % 5000;
		row.a = i;
		assert_int_equal(trace_add_row(w, (uint32_t)(i * i % 50), &row), 0);
		if (i % 5000 == 0)
			assert_int_equal(trace_checkpoint(w, NULL, 0), 0);
	}
	test_close(w);
	t = test_open(path);
	assert_int_equal(t->rows, 50000);
	assert_int_equal(trace_rows_open(&r, t, TRACE_NONE, 0, UINT64_MAX), 0);
	for (; trace_rows_next(r, &row, &track) > 0; n++) {
		assert_true(row.time >= last);
		assert_int_equal(track, row.a * row.a % 50);
		last = row.time;
	}
	trace_rows_close(r);
	assert_int_equal(n, 50000);
	n = 0;
	assert_int_equal(trace_rows_open(&r, t, 4, 100000, 200000), 0);
	for (; trace_rows_next(r, &row, &track) > 0; n++)
		assert_true(row.time >= 100000 && row.time < 200000 && track == 4);
	trace_rows_close(r);
	assert_true(n > 0);
	trace_close(t);
}

/* Processes that could not be recorded: kept by a resumed writer, replaced by updates. */
static void test_absent(void **state)
{
	const char *path = test_path("absent.tacho");
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w = test_writer(path);
	struct trace_absent a = {1, 77, TRACE_ABSENT_CREATE, 13, "worker"};
	struct trace_absent others = {3, 0, TRACE_ABSENT_UNKNOWN, 0, ""};
	char text[TRACE_ABSENT_TEXT];
	const void *back;
	struct trace *t;
	size_t len;

	(void)state;
	test_model(w, 1, 1);
	assert_int_equal(trace_add_absent(w, &a), 0);
	assert_int_equal(trace_add_absent(w, &others), 1);
	assert_int_equal(trace_checkpoint(w, "x", 1), 0);
	trace_writer_abandon(w);
	assert_int_equal(trace_writer_resume(&w, path, &options, &back, &len, NULL), 0);
	assert_int_equal(trace_writer_absent(w), 2);
	others.count = 5;
	assert_int_equal(trace_update_absent(w, 1, &others), 0);
	a = (struct trace_absent){1, 78, 99, 99999, "later"};
	assert_int_equal(trace_add_absent(w, &a), 2);
	test_close(w);
	t = test_open(path);
	assert_true(t->absent_known);
	assert_int_equal(t->absent_count, 3);
	assert_int_equal(trace_absent_total(t), 7);
	assert_int_equal(t->absent[0].pid, 77);
	assert_string_equal(t->absent[0].name, "worker");
	assert_string_equal(trace_absent_text(&t->absent[0], text, sizeof(text)),
			    "cannot create its ring file: EACCES (Permission denied)");
	assert_string_equal(trace_absent_text(&t->absent[1], text, sizeof(text)),
			    "for a reason that was not stored");
	/* Numbers of a later version, or of another system. */
	assert_string_equal(trace_absent_text(&t->absent[2], text, sizeof(text)),
			    "for a reason that was not stored: error 99999");
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rich),   cmocka_unit_test(test_random_traces),
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_moved),
		cmocka_unit_test(test_wide),   cmocka_unit_test(test_row_order),
		cmocka_unit_test(test_absent),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
