/* SPDX-License-Identifier: Apache-2.0 */
/* A merged trace: every source tick comes back, and zones keep their nesting and self times. */
#include "../random.h"
#include "clock/device.h"
#include "fleet/fleet.h"
#include "trace_tools.h"

#include <string.h>

enum { GROUPS = 2000, INSIDE = 3 };

static uint64_t seed = 7;

static uint64_t random_below(double n)
{
	return (uint64_t)(random_uniform(&seed) * n);
}

/* Nested zones at odd ticks of 0.37 ns, with clock points that are not on one line. */
static uint64_t source_write(const char *path, const char *boot, uint64_t *inside)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process process = {.pid = 1, .name = "p", .command = "p"};
	struct trace_track track = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = "t"};
	struct trace_srcloc outer = {"outer", "outer", "f.c", 1, 0},
			    inner = {"inner", "inner", "f.c", 2, 0};
	struct trace_ledger ledger = {.zones_emitted = GROUPS * (INSIDE + 1)};
	uint64_t at = UINT64_C(3000000000000000) + random_below(1e9), first = at;
	struct trace_writer *w;

	assert_int_equal(trace_writer_open(&w, path, &options, NULL), 0);
	trace_set_property(w, "boot id", boot);
	process.start = at;
	trace_add_process(w, &process);
	trace_add_track(w, &track);
	trace_add_srcloc(w, &outer);
	trace_add_srcloc(w, &inner);
	for (int i = 0; i < GROUPS; i++) {
		uint64_t start = at += random_below(1e6);

		if (i % 100 == 0) {
			struct trace_clock_point point = {.ticks = at};

			point.monotonic_ns =
				(int64_t)((double)(at - first) * 0.37) + (int64_t)random_below(50);
			point.realtime_ns = INT64_C(1700000000000000000) + point.monotonic_ns;
			trace_add_clock_point(w, &point);
		}
		*inside = 0;
		for (int k = 0; k < INSIDE; k++) {
			uint64_t from = at += random_below(5000), to = at += random_below(1000);

			assert_int_equal(trace_lane_add(w, trace_lane(w, 0, 1), from, to, 1, 0), 0);
			*inside += to - from;
		}
		at += random_below(3);
		assert_int_equal(trace_lane_add(w, trace_lane(w, 0, 0), start, at, 0, *inside), 0);
	}
	trace_add_ledger(w, 0, &ledger);
	assert_int_equal(trace_writer_close(w, NULL), 0);
	return at;
}

/* The clock of host NUMBER, from the rows of the merged trace. */
static struct device_clock host_clock(struct trace *t, uint64_t number)
{
	struct device_clock clock = {0};
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;

	assert_int_equal(trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_rows_next(rows, &row, &track) > 0)
		if (row.kind == TRACE_ROW_HOST_CLOCK && row.c == number)
			assert_int_equal(
				device_clock_add(&clock, &(struct device_point){.ticks = row.time,
										.cycles = row.a}),
				0);
	trace_rows_close(rows);
	return clock;
}

static void test_ticks(void **state)
{
	const char *const paths[] = {"one.tacho", "two.tacho"};
	struct fleet_options options = {.reference = -1, .force = true};
	struct fleet_result result;
	struct trace *merged, *source;
	struct tacho_error err = {0};
	uint64_t inside;

	(void)state;
	for (int i = 0; i < 2; i++)
		source_write(paths[i], i ? "b" : "a", &inside);
	assert_int_equal(fleet_merge(paths, 2, "all.tacho", &options, &result, &err), 0);
	assert_int_equal(result.zones, 2 * GROUPS * (INSIDE + 1));
	fleet_result_free(&result);
	assert_int_equal(trace_open(&merged, "all.tacho", NULL), 0);
	for (uint32_t i = 0; i < 4; i++) { /* lanes: two tracks of two depths */
		struct device_clock clock = host_clock(merged, i / 2);
		struct device_run run = {.clock = &clock};
		struct trace_cursor *ours, *theirs;
		struct trace_zone a, b;

		assert_int_equal(trace_open(&source, paths[i / 2], NULL), 0);
		assert_int_equal(trace_cursor_open(&ours, merged, i, 0, UINT64_MAX), 0);
		assert_int_equal(trace_cursor_open(&theirs, source, i % 2, 0, UINT64_MAX), 0);
		while (trace_cursor_next(theirs, &b) > 0) {
			assert_int_equal(trace_cursor_next(ours, &a), 1);
			assert_int_equal(device_clock_cycles(&clock, a.start), b.start);
			assert_int_equal(device_clock_cycles(&clock, a.end), b.end);
			assert_int_equal(device_run_ticks(&run, b.start), a.start);
			assert_int_equal(device_clock_ticks(&clock, b.end), a.end);
		}
		assert_int_equal(trace_cursor_next(ours, &a), 0);
		trace_cursor_close(ours);
		trace_cursor_close(theirs);
		trace_close(source);
		device_clock_free(&clock);
	}
	trace_close(merged);
}

/* The fast conversion is the slow one, on any points. */
static void test_run(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct device_clock clock = {.rate = 1e9, .mhz = 1000};
		struct device_point p = {.ticks = random_below(1e18), .cycles = random_below(1e18)};
		struct device_run run = {.clock = &clock};
		uint64_t first = p.cycles;
		double scale = pow(10, random_uniform(&seed) * 18);

		for (int i = 0; i < 4; i++) {
			assert_int_equal(device_clock_add(&clock, &p), 0);
			p.ticks += random_below(scale);
			p.cycles += random_below(pow(10, random_uniform(&seed) * 18));
		}
		for (int i = 0; i < 50; i++) {
			uint64_t at =
				first / 2 + random_below((double)(p.cycles - first / 2) * 1.5);

			assert_int_equal(device_run_ticks(&run, at),
					 device_clock_ticks(&clock, at));
		}
		device_clock_free(&clock);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
