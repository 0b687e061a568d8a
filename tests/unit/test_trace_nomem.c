/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once: an error comes back, nothing leaks, nothing crashes. */
#include "nomem.h"
#include "trace_tools.h"

static char path[128];

static int add_things(struct trace_writer *w)
{
	struct trace_process process = {.pid = 1, .name = "p", .command = "p"};
	struct trace_track track = {.kind = TRACE_THREAD, .name = "t", .srcloc = TRACE_NONE};
	struct trace_extra extra = {TRACE_EXTRA_TEXT, 4, 0, "text"};
	struct trace_row row = {.kind = TRACE_ROW_MESSAGE, .text = "message", .text_len = 7};
	struct trace_lane *lane;
	char name[16];
	int r = 0;

	if (trace_set_property(w, "a", "b") < 0 || trace_add_process(w, &process) < 0)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < 20; i++)
		if (trace_add_track(w, &track) < 0)
			return TACHO_ENOMEM;
	for (uint32_t i = 0; i < 200; i++) {
		struct trace_srcloc s = {name, "f", "f.c", i, 0};

		snprintf(name, sizeof(name), "n%u", i);
		if (trace_add_srcloc(w, &s) < 0)
			return TACHO_ENOMEM;
	}
	for (uint64_t i = 0; r == 0 && i < 12000; i++) {
		lane = trace_lane(w, i < 200 ? (uint32_t)(i % 20) : 0, 0);
		if (!lane)
			return TACHO_ENOMEM;
		r = i % 100 ? trace_lane_add(w, lane, 10 * i, 10 * i + (i == 5000 ? 1ull << 40 : 5),
					     i % 200, 0)
			    : trace_lane_add_full(w, lane, 10 * i, 10 * i + 5, 0, 0, 0, &extra, 1);
		row.time = i;
		if (r == 0 && i % 10 == 0)
			r = trace_add_row(w, (uint32_t)(i % 20), &row);
	}
	return r < 0 ? r : trace_checkpoint(w, "state", 5);
}

/* FINISH: closed; else left as a killed recorder leaves it. */
static int write_one(bool finish)
{
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w;
	struct tacho_error err;
	int r = trace_writer_open(&w, path, &options, &err);

	if (r < 0)
		return r;
	r = add_things(w);
	if (r < 0 || !finish) {
		trace_writer_abandon(w);
		return r;
	}
	return trace_writer_close(w, &err);
}

static int write_once(void)
{
	return write_one(true);
}

static int resume_once(void)
{
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w;
	struct tacho_error err;
	const void *state;
	size_t len;
	int r = trace_writer_resume(&w, path, &options, &state, &len, &err);

	if (r == 0)
		trace_writer_abandon(w);
	return r;
}

static int read_things(struct trace *t)
{
	struct trace_filter filter = {.t0 = 10, .t1 = 1000000};
	struct trace_lod_item *items = NULL;
	struct trace_check check;
	struct trace_stat *stats;
	struct trace_walk *w;
	struct trace_zone zone;
	struct trace_rows *rows;
	struct trace_row row;
	struct trace_lod *lod;
	uint32_t lane, track;
	size_t count, cap = 0;
	int r;

	if ((r = trace_walk_open(&w, t, TRACE_NONE, 0, UINT64_MAX)) < 0)
		return r;
	while ((r = trace_walk_next(w, &zone, &lane)) > 0)
		;
	trace_walk_close(w);
	if (r < 0 || (r = trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX)) < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0)
		;
	trace_rows_close(rows);
	if (r < 0 || (r = trace_stats(t, NULL, &stats, &count, NULL)) < 0)
		return r;
	free(stats);
	if ((r = trace_stats(t, &filter, &stats, &count, NULL)) < 0)
		return r;
	free(stats);
	if ((r = trace_check(t, &check, NULL)) < 0)
		return r;
	unlink(test_path("lod"));
	if ((r = trace_lod_open(&lod, t, "/proc/nowhere", NULL)) < 0)
		return r;
	count = 0;
	r = trace_lod_query(lod, 0, 0, 200000, 500, &items, &count, &cap);
	trace_lod_close(lod);
	free(items);
	return r;
}

static int read_once(void)
{
	struct tacho_error err;
	struct trace *t;
	int r = trace_open(&t, path, &err);

	if (r < 0)
		return r;
	r = read_things(t);
	/* No memory is not damage. */
	assert_int_equal(t->damage.bad_blocks, 0);
	trace_close(t);
	return r;
}

/* The file in two pieces: the first is there when following begins. */
static struct {
	char *bytes;
	size_t len, first;
	uint64_t zones;
} piece;

static void put_piece(size_t from, size_t to)
{
	FILE *f = fopen(test_path("grows.tacho.part"), from ? "ab" : "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(piece.bytes + from, 1, to - from, f), to - from);
	fclose(f);
}

/* What failed for want of memory can be done again. */
static int grow_things(struct trace *t, struct trace_lod *lod)
{
	struct trace_lod_item *items = NULL;
	size_t count = 0, cap = 0;
	uint64_t zones = 0;
	int r, first = 0;

	put_piece(piece.first, piece.len);
	r = trace_refresh(t, NULL);
	if (r == TACHO_ENOMEM) {
		first = r;
		r = trace_refresh(t, NULL);
	}
	assert_true(r > 0);
	r = trace_lod_refresh(lod, NULL);
	if (r == TACHO_ENOMEM) {
		first = r;
		r = trace_lod_refresh(lod, NULL);
	}
	assert_int_equal(r, 0);
	assert_int_equal(t->zones, piece.zones);
	for (uint32_t i = 0; i < t->lane_count && r == 0; i++)
		r = trace_lod_query(lod, i, t->start, t->end + 1, 500, &items, &count, &cap);
	for (size_t i = 0; i < count; i++)
		zones += items[i].count;
	assert_true(r == TACHO_ENOMEM || zones == piece.zones);
	free(items);
	return first ? first : r;
}

static int follow_once(void)
{
	struct trace_lod *lod;
	struct trace *t;
	int r;

	put_piece(0, piece.first);
	r = trace_follow(&t, test_path("grows.tacho"), NULL);
	if (r < 0)
		return r;
	r = trace_lod_open(&lod, t, NULL, NULL);
	if (r == 0) {
		r = grow_things(t, lod);
		trace_lod_close(lod);
	}
	trace_close(t);
	return r;
}

static void fail_each(int (*run)(void), long step)
{
	long n = 0;
	int r;

	for (;; n += step) {
		countdown = n;
		r = run();
		if (countdown >= 0)
			break;
		/* A failure that only costs speed may go by; any other is reported as what it is.
		 */
		assert_true(r == TACHO_ENOMEM || r == 0);
	}
	countdown = -1;
	assert_int_equal(r, 0);
	assert_true(n > 10);
}

static void test_writer_memory(void **state)
{
	(void)state;
	fail_each(write_once, 1);
}

static void test_reader_memory(void **state)
{
	(void)state;
	assert_int_equal(write_once(), 0);
	fail_each(read_once, 1);
}

static void test_resume_memory(void **state)
{
	(void)state;
	assert_int_equal(write_one(false), 0);
	fail_each(resume_once, 1);
}

static void test_follow_memory(void **state)
{
	FILE *f;

	(void)state;
	assert_int_equal(write_once(), 0);
	f = fopen(path, "rb");
	assert_non_null(f);
	piece.bytes = malloc(1u << 20);
	piece.len = fread(piece.bytes, 1, 1u << 20, f);
	piece.first = piece.len / 3;
	piece.zones = 12000;
	fclose(f);
	fail_each(follow_once, 1);
	free(piece.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writer_memory),
		cmocka_unit_test(test_reader_memory),
		cmocka_unit_test(test_resume_memory),
		cmocka_unit_test(test_follow_memory),
	};
	int r;

	strcpy(path, test_path("nomem.tacho"));
	r = cmocka_run_group_tests(tests, NULL, NULL);
	test_cleanup();
	return r;
}
