/* SPDX-License-Identifier: Apache-2.0 */
/* Clock synchronisation against the model's true clock: nothing that was promised is broken. */
#include "unit/sync_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define SAMPLES 4000

/* All errors are below their bounds. */
static unsigned bound_violations(const struct sync_model *m, struct sync_model *dice,
				 const struct tensix *t, uint64_t from, uint64_t to, double *mean)
{
	unsigned n = 0;

	*mean = 0;
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t at = from + (uint64_t)((double)(to - from) * model_chance(dice));
		struct sync_error e = model_error(m, t, at);

		n += e.error > e.bound;
		*mean += e.error / SAMPLES;
	}
	return n;
}

static void test_scenes(void **state)
{
	static const double every[] = {100, 10, 0.3, 0.02};

	(void)state;
	for (int scene = 0; scene < SCENES; scene++)
		for (unsigned k = 0; k < sizeof(every) / sizeof(every[0]); k++)
			for (unsigned seed = 1; seed <= 5; seed++) {
				struct sync_model m;
				struct tensix *t;
				double seconds = every[k] * (every[k] < 1 ? 2 : 0.2), mean;
				uint64_t from, to;

				model_open(&m, &t, seed);
				model_bus(t, seed * 77);
				model_scene(&m, t, scene, seconds);
				from = tensix_now(t) + 2000;
				model_run(&m, &m.d, seconds, every[k]);
				to = tensix_now(t) - (uint64_t)(every[k] * 1e6) - 20000;
				assert_int_equal(bound_violations(&m, &m, t, from, to, &mean), 0);
				if (scene <= SCENE_STEP)
					assert_true(mean < 100);
				model_close(&m);
			}
}

/* Points of one line stay on it, however close they are: durations do not wobble. */
static void test_straight(void **state)
{
	struct sync_model m;
	struct tensix *t;

	(void)state;
	model_open(&m, &t, 3);
	model_scene(&m, t, SCENE_CONSTANT, 1);
	model_run(&m, &m.d, 0.1, 0.02);
	for (size_t i = m.clock.n / 2; i + 1 < m.clock.n; i++) {
		const struct device_point *a = &m.clock.v[i], *b = a + 1;
		double slope = (double)(b->ticks - a->ticks) / (double)(b->cycles - a->cycles);

		assert_true(fabs(slope / m.line.nominal - 1) < 2e-4);
	}
	model_close(&m);
}

/* 64 bits of a clock of which 32 are read at a time. */
static void test_turn(void **state)
{
	(void)state;
	for (int64_t before = 0; before < 12000; before += 301) {
		struct sync_exchange e;
		struct sync_model m;
		struct tensix *t;
		uint64_t mhz;

		model_open(&m, &t, 9);
		mhz = tensix_arch(t)->mhz;
		for (unsigned i = 0; i < tensix_cores(t); i++)
			tensix_clock_offset(t, i, (7ll << 32) - before);
		assert_int_equal(sync_exchange(&m.d, 0, SYNC_EXCHANGES, &e), 0);
		assert_true(e.cycles >> 32 == 6 || e.cycles >> 32 == 7);
		/* within what the exchange says */
		assert_in_range(
			e.cycles - ((7ull << 32) - (uint64_t)before),
			(uint64_t)((double)e.before * (double)mhz * 1e6 / backend_tick_rate()) - 2,
			(uint64_t)((double)e.after * (double)mhz * 1e6 / backend_tick_rate()) + 2);
		model_close(&m);
	}
}

/* A clock that goes back is a device that was reset: synchronisation restarts. */
static void test_reset(void **state)
{
	struct device_point p;
	struct sync s;

	(void)state;
	sync_init(&s, 1000, 2e9);
	assert_true(sync_take(&s, &(struct sync_exchange){1000, 2000, 5000}, &p));
	assert_int_equal(p.ticks, 1500);
	assert_int_equal(p.bound_ns, 251);
	assert_true(sync_take(&s, &(struct sync_exchange){3000, 4000, 6000}, &p));
	assert_in_range(p.ticks, 3000, 4000);
	assert_false(sync_take(&s, &(struct sync_exchange){5000, 6000, 100}, &p));
	assert_int_equal(p.ticks, 5500);
	assert_int_equal(p.cycles, 100);
	assert_int_equal(sync_cycles(&s, 5700), 200);
}

/* The line of the one-way samples: known numbers, and none at all. */
static void test_classic_fit(void **state)
{
	struct sync_classic c = {.host_start = 5};

	(void)state;
	sync_classic_fit(&c, 2e9);
	assert_true(c.frequency == 0);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(
			vec_push(&c, ((struct sync_sample){(1ull << 60) + 9 * i, 20 * i, 0})), 0);
	sync_classic_fit(&c, 2e9);
	assert_true(fabs(c.frequency - 0.9) < 1e-12);
	assert_true(c.delay == (double)(1ull << 60));
	vec_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenes),      cmocka_unit_test(test_straight),
		cmocka_unit_test(test_turn),        cmocka_unit_test(test_reset),
		cmocka_unit_test(test_classic_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
