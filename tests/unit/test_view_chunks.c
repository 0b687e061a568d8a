/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a recording that grows: sums of what is old and a look at what is new, against a
 * look at every zone. */
#include "trace_tools.h"
#include "view/chunk_stats.h"

#include <math.h>

#define STEPS 7

struct recording {
	struct trace_writer *w;
	uint64_t at[3]; /* of each track: the time after its last zone */
	uint64_t seed;
	uint32_t tracks;
};

static struct recording recording_begin(const char *path)
{
	struct trace_process p = {.pid = 1, .start = 1000, .name = "p", .command = "p"};
	struct recording r = {.w = test_writer(path), .seed = 11};

	trace_set_property(r.w, "ticks per second", "1000000000");
	trace_add_process(r.w, &p);
	return r;
}

static void track_add(struct recording *r)
{
	char name[16];
	struct trace_track track = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = name};

	snprintf(name, sizeof(name), "t%u", r->tracks);
	assert_int_equal(trace_add_track(r->w, &track), r->tracks);
	r->at[r->tracks++] = 1000 + test_random(&r->seed) % 5000;
}

static void zone_add(struct recording *r, uint32_t track, uint32_t depth, uint64_t start,
		     uint64_t end, uint64_t children)
{
	/* Which of them are inside their like does not matter here. */
	uint32_t flags = depth && test_random(&r->seed) % 4 == 0 ? TRACE_ZONE_RECURSIVE : 0;
	char name[16];
	struct trace_srcloc loc = {.name = name, .function = "", .file = ""};
	struct trace_lane *lane = trace_lane(r->w, track, depth);

	snprintf(name, sizeof(name), "n%u", (unsigned)(test_random(&r->seed) % (5 + track * 3)));
	assert_int_equal(trace_lane_add_full(r->w, lane, start, end,
					     (uint32_t)trace_add_srcloc(r->w, &loc), children,
					     flags, NULL, 0),
			 0);
}

/* Zones with some inside them, some of no length. */
static void zones_write(struct recording *r, uint32_t track, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t start = r->at[track], end = start + test_random(&r->seed) % 100;
		bool parent = i % 3 == 0 && end - start > 10;

		if (parent) {
			zone_add(r, track, 1, start + 1, start + 5, 0);
			zone_add(r, track, 1, start + 5, end, 0);
		}
		zone_add(r, track, 0, start, end, parent ? end - start - 1 : 0);
		r->at[track] = end + test_random(&r->seed) % 3;
	}
}

static void stat_is_right(const struct trace_stat *got, const struct trace_stat *right)
{
	assert_int_equal(got->srcloc, right->srcloc);
	assert_int_equal(got->count, right->count);
	assert_int_equal(got->total, right->total);
	assert_int_equal(got->sum, right->sum);
	assert_int_equal(got->self, right->self);
	assert_int_equal(got->min, right->min);
	assert_int_equal(got->max, right->max);
	assert_true(fabs(got->mean - right->mean) < 1e-6);
	assert_true(fabs((double)got->median - (double)right->median) <=
		    1 + 0.02 * (double)right->median);
}

static void stats_are_right(struct chunks *k, struct view_call *c,
			    const struct trace_filter *filter)
{
	struct trace_stat *got, *right;
	size_t n, m;

	assert_int_equal(chunks_stats(k, c, filter, &got, &n), 0);
	assert_int_equal(trace_stats(c->trace, filter, &right, &m, NULL), 0);
	assert_int_equal(n, m);
	for (size_t i = 0; i < n; i++)
		stat_is_right(&got[i], &right[i]);
	free(got);
	free(right);
}

static void ranges_are_right(struct chunks *k, struct view_call *c, uint64_t *seed)
{
	uint8_t tracks[3] = {0, 1, 0};
	uint64_t span = c->trace->end - c->trace->start + 1;

	stats_are_right(k, c, &(struct trace_filter){.t1 = UINT64_MAX});
	stats_are_right(k, c, &(struct trace_filter){.t1 = UINT64_MAX, .tracks = tracks});
	for (int i = 0; i < 12; i++) {
		uint64_t t0 = c->trace->start + test_random(seed) % span;
		uint64_t t1 = t0 + (test_random(seed) % span >> i % 4);

		stats_are_right(k, c, &(struct trace_filter){.t0 = t0, .t1 = t1});
	}
}

static void test_growing(void **state)
{
	const char *path = test_path("grows.tacho");
	struct recording r = recording_begin(path);
	struct view_trace on = {.followed = true};
	struct view_call c = {.on = &on}, late = {.on = &on};
	struct chunks *k = chunks_start(&on);
	uint64_t seed = 3;

	(void)state;
	assert_non_null(k);
	track_add(&r);
	track_add(&r);
	trace_checkpoint(r.w, "", 0);
	assert_int_equal(trace_follow(&c.trace, path, NULL), 0);
	assert_int_equal(trace_follow(&late.trace, path, NULL), 0);
	for (unsigned step = 0; step < STEPS; step++) {
		if (step == 3)
			track_add(&r);
		for (uint32_t track = 0; track < r.tracks; track++)
			zones_write(&r, track, step == 1 ? 0 : (step % 3 + 1) * 9000 + track);
		trace_checkpoint(r.w, "", 0);
		assert_true(trace_refresh(c.trace, NULL) >= 0);
		ranges_are_right(k, &c, &seed);
		/* One that has not read as far gets what it knows, though chunks of more are there.
		 */
		ranges_are_right(k, &late, &seed);
		if (step % 2)
			assert_true(trace_refresh(late.trace, NULL) >= 0);
	}
	chunks_free(k);
	trace_close(c.trace);
	trace_close(late.trace);
	trace_writer_abandon(r.w);
}

/* The file restarts with another recording: nothing of the old one is left. */
static void test_again(void **state)
{
	struct view_trace on = {.followed = true};
	struct chunks *k = chunks_start(&on);

	(void)state;
	assert_non_null(k);
	for (unsigned i = 0; i < 2; i++) {
		const char *path = test_path(i ? "b.tacho" : "a.tacho");
		struct recording r = recording_begin(path);
		struct view_call c = {.on = &on};

		track_add(&r);
		zones_write(&r, 0, i ? 20000 : 40000);
		trace_checkpoint(r.w, "", 0);
		assert_int_equal(trace_follow(&c.trace, path, NULL), 0);
		stats_are_right(k, &c, &(struct trace_filter){.t1 = UINT64_MAX});
		trace_close(c.trace);
		trace_writer_abandon(r.w);
	}
	chunks_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growing),
		cmocka_unit_test(test_again),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
