/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a device: lines between points, both ways, and what they promise. */
#include "clock/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t seed = 88172645463325252ull;

static uint64_t bound_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static void point_add(struct device_clock *c, uint64_t ticks, uint64_t cycles, uint64_t bound)
{
	assert_int_equal(device_clock_add(c, &(struct device_point){ticks, cycles, bound}), 0);
}

static void test_line(void **state)
{
	struct device_clock c = {.mhz = 1000, .rate = 2e9};

	(void)state;
	/* without a point both count from 0 */
	assert_int_equal(device_clock_ticks(&c, 500), 1000);
	assert_true(device_clock_bound(&c, 500) == DEVICE_CLOCK_UNKNOWN);
	point_add(&c, 10000, 1000, 50);
	assert_int_equal(device_clock_ticks(&c, 1500), 11000);
	assert_int_equal(device_clock_ticks(&c, 500), 9000);
	assert_int_equal(device_clock_cycles(&c, 9000), 500);
	point_add(&c, 13000, 2000, 70);
	assert_int_equal(device_clock_ticks(&c, 1000), 10000);
	assert_int_equal(device_clock_ticks(&c, 1001), 10003);
	assert_int_equal(device_clock_ticks(&c, 2000), 13000);
	assert_int_equal(device_clock_ticks(&c, 2100), 13300);
	assert_int_equal(device_clock_ticks(&c, 900), 9700);
	/* a point that goes back is none */
	assert_int_equal(device_clock_add(&c, &(struct device_point){12000, 3000, 1}), 1);
	assert_int_equal(device_clock_add(&c, &(struct device_point){14000, 1999, 1}), 1);
	assert_int_equal(c.n, 2);
	/* the bound of a point, of the piece (its slope against the nominal one), and beyond */
	assert_int_equal(device_clock_bound(&c, 1000), 50);
	assert_int_equal(device_clock_bound(&c, 1500), 70 + 500);
	assert_true(device_clock_bound(&c, 4000) > device_clock_bound(&c, 3000));
	device_clock_free(&c);
}

/* Nothing happens to a device that is not let run: one cycle has many ticks. */
static void test_still(void **state)
{
	struct device_clock c = {.mhz = 1000, .rate = 2e9};

	(void)state;
	point_add(&c, 1000, 100, 5);
	point_add(&c, 2000, 500, 5);
	point_add(&c, 90000, 500, 5);
	point_add(&c, 91000, 900, 5);
	assert_int_equal(device_clock_ticks(&c, 499), 1998); /* 1997.5 */
	assert_int_equal(device_clock_ticks(&c, 500), 90000);
	assert_int_equal(device_clock_ticks(&c, 501), 90003);
	assert_int_equal(device_clock_cycles(&c, 2000), 500);
	assert_int_equal(device_clock_cycles(&c, 50000), 500);
	assert_int_equal(device_clock_cycles(&c, 90000), 500);
	assert_int_equal(device_clock_bound(&c, 499), 5); /* both pieces have one slope */
	device_clock_free(&c);
}

static void test_exact(void **state)
{
	struct device_clock c = {.mhz = 1000, .rate = 2.5e9};
	uint64_t ticks = 1ull << 52, cycles = 1ull << 45, last = 0;

	(void)state;
	for (int i = 0; i < 500; i++) {
		uint64_t step = bound_below(3) ? bound_below(1000000) : 0;

		point_add(&c, ticks, cycles, 10);
		cycles += step;
		ticks += step + step * bound_below(4) + bound_below(1000000);
	}
	for (int i = 0; i < 200000; i++) {
		uint64_t at = c.v[0].cycles + bound_below(c.v[c.n - 1].cycles - c.v[0].cycles);

		assert_true(device_clock_cycles(&c, device_clock_ticks(&c, at)) == at);
	}
	for (uint64_t at = c.v[0].cycles; at < c.v[c.n - 1].cycles; at += bound_below(100000)) {
		assert_true(device_clock_ticks(&c, at) >= last);
		last = device_clock_ticks(&c, at);
	}
	device_clock_free(&c);
}

/* What is forgotten does not change what is asked later. */
static void test_trim(void **state)
{
	struct device_clock a = {.mhz = 1000, .rate = 2e9}, b = {.mhz = 1000, .rate = 2e9};

	(void)state;
	for (uint64_t i = 0; i < 20; i++) {
		point_add(&a, 1000 + 2000 * i + i * i, 100 + 1000 * (i / 2), 10 + i);
		point_add(&b, 1000 + 2000 * i + i * i, 100 + 1000 * (i / 2), 10 + i);
	}
	for (uint64_t at = 0; at < 12000; at += 150) {
		device_clock_trim(&a, at);
		for (uint64_t later = at < 100 ? 100 : at; later < 12000; later += 77) {
			assert_int_equal(device_clock_ticks(&a, later),
					 device_clock_ticks(&b, later));
			assert_int_equal(device_clock_bound(&a, later),
					 device_clock_bound(&b, later));
		}
	}
	assert_true(a.n < 8);
	device_clock_free(&a);
	device_clock_free(&b);
}

/* Points out of a damaged file: any number is an answer, none is undefined. */
static void test_extremes(void **state)
{
	static const uint64_t v[] = {0, 1, 2, 1ull << 32, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
	enum { N = sizeof(v) / sizeof(v[0]) };

	(void)state;
	for (unsigned i = 0; i < N * N * N * N; i++) {
		struct device_clock c = {.mhz = i % 3 ? UINT32_MAX : 0, .rate = i % 5 ? 1e300 : 0};

		device_clock_add(&c, &(struct device_point){v[i % N], v[i / N % N], v[i % N]});
		device_clock_add(&c, &(struct device_point){v[i / N / N % N], v[i / N / N / N], 0});
		for (unsigned k = 0; k < N; k++) {
			device_clock_ticks(&c, v[k]);
			device_clock_cycles(&c, v[k]);
			device_clock_bound(&c, v[k]);
		}
		device_clock_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),     cmocka_unit_test(test_still),
		cmocka_unit_test(test_exact),    cmocka_unit_test(test_trim),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
