/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How busy the cores of devices are, against a count tick by tick: kernels of several RISCs that
 * overlap, on all cores of two devices, in the whole trace and in parts of it.
 */
#include "base/jread.h"
#include "trace_tools.h"
#include "view_ask.h"

#include <math.h>

#define DEVICES 2u
#define CORES   3u /* of each device */
#define RISCS   5u
#define END     2000u
#define START   1000u /* the tick at which the trace begins */

static bool busy[DEVICES][CORES][END];
static uint64_t device_first[DEVICES], device_last[DEVICES];

/* A RISC's programs: a kernel inside the firmware, close to one another. */
static void risc_write(struct trace_writer *w, unsigned device, unsigned core, unsigned track,
		       uint64_t *seed)
{
	uint64_t at = device * 100 + core * 7 + test_random(seed) % 30;

	for (;;) {
		uint64_t length = 20 + test_random(seed) % 200;
		uint64_t from = START + at, to = from + length + 6;

		if (at + length + 6 > END - device * 50)
			break;
		trace_lane_add(w, trace_lane(w, track, 1), from + 2, from + 2 + length, 1, 0);
		trace_lane_add(w, trace_lane(w, track, 0), from, to, 0, length);
		for (uint64_t k = at + 2; k < at + 2 + length; k++)
			busy[device][core][k] = true;
		if (at < device_first[device])
			device_first[device] = at;
		if (at + length + 6 > device_last[device])
			device_last[device] = at + length + 6;
		at += length + 6 + test_random(seed) % 60;
	}
}

static void cores_write(const char *path)
{
	struct trace_process p = {.pid = 1, .start = START, .name = "p", .command = "p"};
	struct trace_srcloc locs[] = {{.name = "BRISC-FW"}, {.name = "BRISC-KERNEL"}};
	struct trace_writer *w = test_writer(path);
	uint64_t seed = 77;
	unsigned track = 0;

	trace_set_property(w, "ticks per second", "1000000000");
	trace_add_process(w, &p);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(trace_add_srcloc(w, &locs[i]), i);
	for (unsigned d = 0; d < DEVICES; d++) {
		device_first[d] = UINT64_MAX;
		for (unsigned c = 0; c < CORES; c++)
			for (unsigned r = 0; r < RISCS; r++, track++) {
				struct trace_track t = {.kind = TRACE_CORE,
							.srcloc = TRACE_NONE,
							.id = TRACE_CORE_ID(d, c + 1, 1, r),
							.name = "core"};

				assert_int_equal(trace_add_track(w, &t), track);
				risc_write(w, d, c, track, &seed);
			}
	}
	assert_int_equal(trace_writer_close(w, NULL), 0);
}

static double share_count(unsigned device, unsigned core, uint64_t t0, uint64_t t1)
{
	uint64_t from = t0 > device_first[device] ? t0 : device_first[device];
	uint64_t to = t1 < device_last[device] ? t1 : device_last[device], n = 0;

	for (uint64_t k = from; k < to; k++)
		n += busy[device][core][k];
	return to > from ? 100 * (double)n / (double)(to - from) : 0;
}

static struct view *view;

static const struct jread_value *view_json(struct jread *reader, struct view_answer *reply,
					   const char *target)
{
	assert_int_equal(view_ask_text(view, target, reply), VIEW_OK);
	return jread_parse(reader, reply->body.data, reply->body.len, NULL);
}

/* Returns the mean. Times of the trace begin with its first zone. */
static double grid_is_right(unsigned device, uint64_t t0, uint64_t t1)
{
	const struct jread_value *answer, *cell;
	uint64_t first = device_first[0];
	struct jread reader = {0};
	struct view_answer reply;
	char target[100];
	double sum = 0;

	snprintf(target, sizeof(target), "grid?dev=%u&metric=busy&t0=%u&t1=%u", device,
		 (unsigned)t0, (unsigned)t1);
	answer = view_json(&reader, &reply, target);
	cell = jread_get(answer, "cells")->first;
	for (unsigned core = 0; core < CORES; core++, cell = cell->next) {
		double share = jread_double(jread_get(cell, "value"));

		assert_true(fabs(share - share_count(device, core, t0 + first, t1 + first)) < 1e-3);
		assert_true(share >= 0 && share <= 100);
		sum += share;
	}
	assert_null(cell);
	jread_free(&reader);
	buf_free(&reply.body);
	return sum / CORES;
}

static void test_busy(void **state)
{
	const char *path = test_path("cores.tacho");
	struct view_options options = {0};
	const struct jread_value *device;
	struct jread reader = {0};
	struct view_answer reply;
	uint64_t seed = 3;

	(void)state;
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	cores_write(path);
	assert_int_equal(view_open(&view, &options, NULL), 0);
	assert_int_equal(view_add(view, path, NULL), 0);
	for (unsigned i = 0; i < 40; i++) {
		uint64_t t0 = test_random(&seed) % END;

		grid_is_right(i % DEVICES, t0, t0 + 1 + test_random(&seed) % (END - t0));
	}
	device = jread_get(view_json(&reader, &reply, "overview"), "devices")->first;
	for (unsigned i = 0; i < DEVICES; i++, device = device->next) {
		double share = jread_double(jread_get(device, "busy_pct"));

		assert_true(share > 50 && share <= 100);
		assert_true(fabs(share - grid_is_right(i, 0, 10 * END)) < 1e-3);
	}
	jread_free(&reader);
	buf_free(&reply.body);
	view_close(view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_busy)};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
