/* SPDX-License-Identifier: Apache-2.0 */
/* Steps in noisy series: false alarms, hits, odd series, and the arithmetic of the rank test. */
#include "../steps_sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_noise_is_quiet(void **state)
{
	static const struct sim_noise quiet = {0.003, 0, 0.02, 0.05, 0.2, 0};
	static const struct sim_noise usual = {0.01, 0, 0.03, 0.05, 0.2, 0};

	(void)state;
	assert_true(sim_run(&quiet, 0, 60, 3).false_alarms <= 0.5);
	assert_true(sim_run(&usual, 0, 60, 4).false_alarms <= 0.8);
}

static void test_steps_are_found(void **state)
{
	static const struct sim_noise quiet = {0.003, 0, 0.02, 0.05, 0.2, 0};
	static const struct sim_noise usual = {0.01, 0, 0.03, 0.05, 0.2, 0};

	(void)state;
	assert_true(sim_run(&quiet, 0.02, 40, 5).found >= 0.95);
	assert_true(sim_run(&usual, 0.05, 40, 6).found >= 0.9);
	assert_true(sim_run(&usual, 0.10, 40, 7).delay <= 4);
}

static void test_size_and_place(void **state)
{
	const struct steps_options options = {0};
	uint64_t seed = 9;
	struct step s[4];
	double v[60];

	(void)state;
	for (int i = 0; i < 60; i++)
		v[i] = (i < 40 ? 100 : 104) * (1 + 0.003 * sim_normal(&seed));
	assert_int_equal(steps_find(v, 60, &options, s, 4), 1);
	assert_int_equal(s[0].at, 40);
	assert_false(s[0].fast);
	assert_true(s[0].low <= 0.04 && s[0].high >= 0.04 && s[0].high - s[0].low < 0.006);
	assert_true(fabs(s[0].change - 0.04) < 0.004 && s[0].z > 5);
	/* Three points suffice for a large one, but it is marked. */
	assert_int_equal(steps_find(v, 43, &options, s, 4), 1);
	assert_int_equal(s[0].at, 40);
	assert_true(s[0].fast);
	/* A step smaller than what counts. */
	assert_int_equal(steps_find(v, 60, &(struct steps_options){.min_effect = 0.1}, s, 4), 0);
	/* Two steps: what follows the first, too. */
	for (int i = 50; i < 60; i++)
		v[i] *= 1.2;
	assert_int_equal(steps_find(v, 60, &(struct steps_options){.all = true}, s, 4), 2);
	assert_int_equal(s[0].at, 40);
	assert_int_equal(s[1].at, 50);
}

static void test_odd_series(void **state)
{
	const struct steps_options options = {0};
	double constant[40], two[40], zero[40] = {0};
	struct step s[4];

	(void)state;
	for (int i = 0; i < 40; i++) {
		constant[i] = 7;
		two[i] = i % 2 ? 5 : 6;
	}
	assert_int_equal(steps_find(constant, 40, &options, s, 4), 0);
	assert_int_equal(steps_find(two, 40, &options, s, 4), 0);
	assert_int_equal(steps_find(zero, 40, &options, s, 4), 0);
	for (size_t n = 0; n < 15; n++)
		assert_int_equal(steps_find(two, n, &options, s, 4), 0);
	for (int i = 25; i < 40; i++)
		constant[i] = 8;
	assert_int_equal(steps_find(constant, 40, &options, s, 4), 1);
	assert_int_equal(s[0].at, 25);
	for (int i = 25; i < 40; i++)
		zero[i] = 1; /* from nothing: no ratio, but a step */
	assert_int_equal(steps_find(zero, 40, &options, s, 4), 1);
	assert_true(isinf(s[0].change) && isnan(s[0].low));
}

/* All orders of small samples, counted by hand. */
static void test_probability(void **state)
{
	const double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10}, c[] = {1, 2, 3, 4, 6};
	const double ties[] = {1, 1, 1, 1, 1};

	(void)state;
	assert_true(fabs(steps_probability(a, 5, b, 5) - 1.0 / 252) < 1e-12);
	assert_true(fabs(steps_probability(b, 5, a, 5) - 1.0 / 252) < 1e-12);
	/* 5 and 6 exchanged: two of the 252 are as extreme. */
	assert_true(fabs(steps_probability(c, 5, (const double[]){5, 7, 8, 9, 10}, 5) - 2.0 / 252) <
		    1e-12);
	assert_true(fabs(steps_probability(ties, 5, ties, 5) - 1) < 1e-12);
	assert_true(steps_threshold(10) == STEPS_Z && steps_threshold(1000000) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_is_quiet), cmocka_unit_test(test_steps_are_found),
		cmocka_unit_test(test_size_and_place), cmocka_unit_test(test_odd_series),
		cmocka_unit_test(test_probability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
