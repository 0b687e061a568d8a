/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks from collectives: simulated hosts whose true offsets are known. */
#include "../random.h"
#include "fleet/align.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed;

struct world {
	double offset, drift; /* true: reference = host + offset + drift * host */
	int instances;
	double late; /* ns that the host is always late by; 0: nobody is */
};

/* Sixty seconds; transfer 8 us and more, arrivals 40 us apart, ends within 1.5 us. */
static void world_simulate(const struct world *w, struct align_instances *list)
{
	list->n = 0;
	for (int i = 0; i < w->instances; i++) {
		double t = 60e9 * (i + random_uniform(&seed)) / w->instances;
		double arrive[2] = {t + random_exponential(&seed, 40e3),
				    t + random_exponential(&seed, 40e3)};
		double done;

		if (w->late)
			arrive[1] = arrive[0] + w->late + random_exponential(&seed, 40e3);
		done = fmax(arrive[0], arrive[1]) + 8e3 + random_exponential(&seed, 4e3);
		double leave[2] = {done + random_exponential(&seed, 1500),
				   done + random_exponential(&seed, 1500)};
		struct align_instance k = {
			.arrive = (arrive[1] - w->offset) / (1 + w->drift),
			.leave = (leave[1] - w->offset) / (1 + w->drift),
			.ref_arrive = arrive[0],
			.ref_leave = leave[0],
		};

		assert_int_equal(vec_push(list, k), 0);
	}
}

static double true_at(const struct world *w, double host)
{
	return w->offset + w->drift * host;
}

/* The stated bound covers the error of every case; the estimate is far better than the bound. */
static void test_bound_covers(void **state)
{
	struct align_instances list = {0};
	double worst = 0;

	(void)state;
	seed = 7;
	for (int i = 0; i < 500; i++) {
		struct world w = {.offset = (random_uniform(&seed) - 0.5) * 2e10,
				  .drift = (random_uniform(&seed) - 0.5) * 80e-6,
				  .instances = i % 2 ? 200 : 20,
				  .late = i % 5 == 0 ? 100e3 : 0};
		struct align_line line;

		world_simulate(&w, &list);
		assert_int_equal(align_fit(&line, &list, 0 - w.offset, 60e9 - w.offset, 0), 0);
		for (int k = 0; k <= 4; k++) {
			double t = 60e9 * k / 4 - w.offset;
			double error = fabs(align_at(&line, t) - true_at(&w, t));

			assert_true(error <= line.bound + 1);
			if (w.instances == 200 && w.late == 0)
				worst = fmax(worst, error);
		}
	}
	assert_true(worst < 5e3);
	vec_free(&list);
}

/* A host that is always late has a wide bound, and says so. */
static void test_late_host(void **state)
{
	struct world w = {.offset = 3e6, .drift = 5e-6, .instances = 200, .late = 100e3};
	struct align_instances list = {0};
	struct align_line line;

	(void)state;
	seed = 3;
	world_simulate(&w, &list);
	assert_int_equal(align_fit(&line, &list, 0, 60e9, 0), 0);
	assert_true(line.bound > 50e3);
	assert_true(fabs(align_at(&line, 30e9) - true_at(&w, 30e9)) < 5e3);
	vec_free(&list);
}

/* A clock that jumps contradicts: no line, and the two instances are named. */
static void test_contradiction(void **state)
{
	struct world w = {.offset = 0, .drift = 0, .instances = 50};
	struct align_instances list = {0};
	struct align_line line;

	(void)state;
	seed = 9;
	world_simulate(&w, &list);
	for (size_t i = 25; i < list.n; i++) {
		list.v[i].arrive += 50e6;
		list.v[i].leave += 50e6;
	}
	assert_int_equal(align_fit(&line, &list, 0, 60e9, 0), TACHO_ENO);
	assert_true(line.excess > 1e6);
	assert_true((line.first < 25) != (line.second < 25));
	vec_free(&list);
}

/* A drift that swings: one line contradicts, lines for windows follow it within their bounds. */
static void test_windows(void **state)
{
	const double turn = 600e9 / 6.283185307179586, swing = 0.3e-6, end = 1800e9;
	struct align_instances list = {0};
	struct align_lines lines = {0};
	struct align_line line;
	double most = 0;

	(void)state;
	seed = 5;
	for (double t = 0.1e9; t < end; t += 0.5e9) {
		double moved = swing * turn * (1 - cos(t / turn));
		double arrive[2] = {t + random_exponential(&seed, 40e3),
				    t + random_exponential(&seed, 40e3)};
		double done = fmax(arrive[0], arrive[1]) + 8e3;

		/* Without a minute in the middle: the windows around it reach over it. */
		if (t > 900e9 && t < 980e9)
			continue;
		assert_int_equal(
			vec_push(&list,
				 ((struct align_instance){
					 arrive[1] - moved,
					 done + random_exponential(&seed, 1500) - moved, arrive[0],
					 done + random_exponential(&seed, 1500)})),
			0);
	}
	assert_int_equal(align_fit(&line, &list, 0, end, 0), TACHO_ENO);
	assert_int_equal(align_fit_lines(&lines, &list, 0, end), 0);
	assert_true(lines.n > 40);
	for (double t = 0; t < end; t += 1e9) {
		double bound, error = fabs(align_lines_at(&lines, t, &bound) -
					   swing * turn * (1 - cos(t / turn)));

		most = fmax(most, bound);
		assert_true(t > 800e9 || bound < 60e3);
		assert_true(error <= bound && error < 6e3);
	}
	assert_true(most > 100e3);
	/* A jump contradicts in a window, too, and is named. */
	for (size_t i = 0; i < list.n; i++)
		if (list.v[i].leave > 300e9) {
			list.v[i].arrive += 50e6;
			list.v[i].leave += 50e6;
		}
	assert_int_equal(align_fit_lines(&lines, &list, 0, end), TACHO_ENO);
	assert_int_equal(lines.n, 1);
	assert_true(fabs(list.v[lines.v[0].first].leave - 300e9) < 61e9);
	assert_true(fabs(list.v[lines.v[0].second].leave - 300e9) < 61e9);
	vec_free(&lines);
	vec_free(&list);
}

/* Few instances: the drift is the caller's. */
static void test_one_instance(void **state)
{
	struct align_instance k = {100, 200, 1100, 1200};
	struct align_instances list = {0};
	struct align_line line;

	(void)state;
	assert_int_equal(vec_push(&list, k), 0);
	assert_int_equal(align_fit(&line, &list, 150, 250, 0), 0);
	assert_true(fabs(align_at(&line, 200) - 1000) < 1);
	assert_true(line.bound >= 100 && line.bound < 101);
	vec_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound_covers),  cmocka_unit_test(test_late_host),
		cmocka_unit_test(test_contradiction), cmocka_unit_test(test_windows),
		cmocka_unit_test(test_one_instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
