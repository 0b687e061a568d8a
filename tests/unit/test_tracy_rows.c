/* SPDX-License-Identifier: Apache-2.0 */
/* Rows track by track: the same as of each track alone, however few are held. */
#include "trace_tools.h"
#include "tracy/by_track.h"

#define TRACKS 60u
#define ROWS   20000u

static void trace_make(const char *path)
{
	struct trace_writer *w = test_writer(path);
	struct trace_process p = {.pid = 1, .name = "p", .command = "p"};
	uint32_t process = (uint32_t)trace_add_process(w, &p), tracks[TRACKS];
	struct tacho_error err = {0};
	uint64_t random = 7;

	for (uint32_t i = 0; i < TRACKS; i++) {
		struct trace_track t = {.process = process,
					.kind = i % 3 ? TRACE_PLOT : TRACE_LOCK,
					.id = i,
					.srcloc = TRACE_NONE,
					.name = ""};

		tracks[i] = (uint32_t)trace_add_track(w, &t);
	}
	for (uint64_t i = 0; i < ROWS; i++) {
		/* Some tracks have most rows, some have none. */
		uint64_t k = test_random(&random) % TRACKS;
		uint32_t track = (uint32_t)(k * k * k / TRACKS / TRACKS);
		struct trace_row row = {.time = 1000 + i,
					.kind = track % 3 ? TRACE_ROW_PLOT_INT : TRACE_ROW_LOCK,
					.thread = TRACE_NONE,
					.a = track % 3 ? i : i % 3,
					.b = TRACE_NONE};

		assert_int_equal(trace_add_row(w, tracks[track], &row), 0);
	}
	assert_int_equal(trace_writer_close(w, &err), 0);
}

static void traces_compare(struct by_track *b, uint32_t track)
{
	struct trace_rows *rows;
	struct trace_row want, have;
	uint32_t of;
	int more;

	assert_int_equal(trace_rows_open(&rows, b->trace, track, 0, UINT64_MAX), 0);
	assert_int_equal(by_track_begin(b, track), 0);
	do {
		more = trace_rows_next(rows, &want, &of);
		assert_int_equal(by_track_next(b, &have), more);
		if (more > 0) {
			assert_int_equal(have.time, want.time);
			assert_int_equal(have.kind, want.kind);
			assert_int_equal(have.thread, want.thread);
			assert_int_equal(have.a, want.a);
			assert_int_equal(have.b, want.b);
		}
	} while (more > 0);
	assert_int_equal(more, 0);
	trace_rows_close(rows);
}

static void test_groups(void **state)
{
	static const uint64_t held[] = {0, 1, 100, 1000, ROWS, 1u << 20};
	const char *path = test_path("rows.tacho");
	struct trace *t;
	struct by_track b;

	(void)state;
	trace_make(path);
	t = test_open(path);
	for (size_t k = 0; k < sizeof(held) / sizeof(held[0]); k++) {
		assert_int_equal(by_track_open(&b, t), 0);
		b.held = held[k];
		/* Kind by kind, as they are written; then any order. */
		for (uint32_t kind = 0; kind < 2; kind++)
			for (uint32_t i = 0; i < t->track_count; i++)
				if ((t->tracks[i].kind == TRACE_LOCK) == kind)
					traces_compare(&b, i);
		for (uint32_t i = 0; i < t->track_count; i++)
			traces_compare(&b, i * 37 % t->track_count);
		by_track_close(&b);
	}
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups)};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
