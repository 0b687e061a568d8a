/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a device lies in the time of its program: programs one by one, and all cores.
 */
#include "device/prof.h"
#include "device/program.h"
#include "device_tools.h"
#include "tensix/tensix.h"

#include <tacho/tacho.h>

/* OFFSETS: what the clocks of the cores show when the device is made. */
static struct tacho_device *open_with(const int64_t *offsets)
{
	struct tacho_device_options conf = {.arch = "tiny", .profile = 1};
	const struct tacho_device_ops *ops;
	struct tacho_device *d;
	void *self;
	int r = backend_tensix(&ops, &self, &conf, 0);

	assert_int_equal(r, 0);
	for (unsigned i = 0; offsets && i < tensix_cores(self); i++)
		tensix_clock_offset(self, i, offsets[i]);
	r = tacho_device_open_with(&d, ops, self, &conf);
	if (r < 0)
		print_message("%s\n", tacho_device_error());
	assert_int_equal(r, 0);
	return d;
}

/* A kernel of so many thousand cycles on the first cores. */
static struct tacho_program *clock_spin(struct tacho_device *d, uint32_t kilocycles, uint16_t cores)
{
	struct tacho_program *p;
	int k;

	assert_int_equal(tacho_program_new(&p, d), 0);
	k = tacho_program_kernel(p,
				 &(struct tacho_kernel){.source = DEVICE_KERNELS "/spin.c",
							.risc = TACHO_BRISC,
							.cores = {{0, 0}, {cores > 1, cores > 1}}});
	assert_true(k >= 0);
	for (uint16_t i = 0; i < cores; i++)
		assert_int_equal(
			tacho_program_args(p, k, (struct tacho_core){i % 2, i / 2}, &kilocycles, 1),
			0);
	return p;
}

struct spins {
	struct tacho_device *d;
	unsigned n;
	uint64_t start[64], end[64]; /* cycles */
	uint64_t from[64], to[64];   /* ticks */
};

/* Ticks while the points are there: they are asked for at once. */
static void event_take(void *context, const struct tacho_device_event *e)
{
	struct spins *s = context;
	int core = device_core_at(s->d, false, e->core.x, e->core.y);

	if (strcmp(e->name, "SPIN") || s->n == 64)
		return;
	assert_false(e->damaged);
	s->start[s->n] = e->start;
	s->end[s->n] = e->end;
	s->from[s->n] = sync_ticks(s->d, (unsigned)core, e->start);
	s->to[s->n++] = sync_ticks(s->d, (unsigned)core, e->end);
}

static struct spins run_spins(struct tacho_device *d, struct tacho_program *p)
{
	struct spins s = {.d = d};

	assert_int_equal(tacho_enqueue(d, p), 0);
	assert_int_equal(tacho_finish(d), 0);
	assert_int_equal(tacho_profiler_read(d, event_take, &s), 0);
	assert_int_equal(s.n, 4);
	return s;
}

/* Not before it was started, as long as it is, and never before what came before it. */
static void test_programs(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p;
	uint64_t last = 0;

	(void)state;
	if (!have_compiler())
		return;
	d = open_with(NULL);
	p = clock_spin(d, 20, 4);
	for (int i = 0; i < 20; i++) {
		uint64_t before = tacho_ticks();
		struct spins s = run_spins(d, p);

		for (unsigned k = 0; k < s.n; k++) {
			double ns = (double)(s.to[k] - s.from[k]) * 1e9 / backend_tick_rate();

			assert_true(s.from[k] >= before);
			assert_true(s.from[k] >= last);
			assert_true(ns > 19900 && ns < 20300); /* 20,000 cycles of 1 ns */
		}
		for (unsigned k = 0; k < s.n; k++)
			last = s.to[k] > last ? s.to[k] : last;
		/* reported data is dropped */
		assert_true(d->prof->sync.clock.n < 10);
	}
	tacho_program_free(p);
	tacho_device_close(d);
}

/* Clocks of cores that do not agree are put right when they differ by more than can be measured. */
static void test_offsets(void **state)
{
	static const int64_t offsets[] = {5001000, 1000, 1000, 6000000, 1000};
	struct tacho_device *d;
	struct tacho_program *p;
	struct spins s;

	(void)state;
	if (!have_compiler())
		return;
	d = open_with(offsets);
	p = clock_spin(d, 5, 4);
	s = run_spins(d, p);
	for (unsigned i = 0; i < d->shape.cores; i++) {
		int64_t far = offsets[i] - offsets[d->prof->sync.core] - d->prof->sync.offsets[i];

		if (offsets[i] == 1000)
			assert_int_equal(d->prof->sync.offsets[i], 0);
		assert_in_range(far + 1500, 0, 3000);
	}
	for (unsigned i = 1; i < s.n; i++) {
		int64_t apart = (int64_t)(s.from[i] - s.from[0]);

		assert_in_range(apart + 5000, 0, 10000); /* they began together: within 2 us */
	}
	tacho_program_free(p);
	tacho_device_close(d);
}

/* A marker has 44 bits of the time: the rest is known, however often they went round. */
static void test_wraps(void **state)
{
	(void)state;
	if (!have_compiler())
		return;
	for (int64_t wraps = 0; wraps < 6; wraps++) {
		/* the first program runs before a turn, the third one after it */
		int64_t offset = (wraps + 1) * (1ll << 44) - 90000;
		const int64_t offsets[] = {offset, offset, offset, offset, offset};
		struct tacho_device *d = open_with(offsets);
		struct tacho_program *p = clock_spin(d, 20, 4);
		uint64_t last = 0;

		for (int i = 0; i < 4; i++) {
			uint64_t now = tensix_clock_read(d->self, 0, tensix_now(d->self));
			struct spins s = run_spins(d, p);

			for (unsigned k = 0; k < s.n; k++) {
				assert_true(s.start[k] >= now && s.end[k] > s.start[k]);
				assert_true(s.end[k] <=
					    tensix_clock_read(d->self, 0, tensix_now(d->self)));
				assert_true(s.from[k] > last);
			}
			last = s.to[0];
			if (i == 3)
				assert_true(s.start[0] > (uint64_t)(wraps + 1) << 44);
		}
		tacho_program_free(p);
		tacho_device_close(d);
	}
}

/* A program that takes long: clocks are compared all through it. */
static void test_long(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p;
	const struct device_clock *clock;
	struct spins s = {0};

	(void)state;
	if (!have_compiler())
		return;
	d = open_with(NULL);
	clock = &d->prof->sync.clock;
	for (unsigned i = 0; i < d->shape.cores; i++) /* slower from its middle on */
		tensix_clock_rate(d->self, i, tensix_now(d->self) + 110000000, 0.9);
	p = clock_spin(d, 210000, 1);
	d->prof->classic = true; /* keeps the points until they are asked for */
	assert_int_equal(tacho_enqueue(d, p), 0);
	assert_int_equal(tacho_finish(d), 0);
	assert_true(clock->n >= 4);
	for (size_t i = 1; i < clock->n; i++)
		assert_true(clock->v[i].cycles - clock->v[i - 1].cycles < 105000000);
	/* The middle of the program is where it was, within what is promised. */
	for (uint64_t at = clock->v[2].cycles; at < clock->v[clock->n - 1].cycles; at += 999983) {
		uint64_t low = 0, high = tensix_now(d->self);
		double truth, shown_ns;

		while (low < high) {
			uint64_t middle = low + (high - low) / 2;

			if (tensix_clock_read(d->self, 0, middle) < at)
				low = middle + 1;
			else
				high = middle;
		}
		truth = (double)low * 1e3 / d->shape.mhz;
		shown_ns = (double)(device_clock_ticks(clock, at) - d->prof->sync.shift) * 1e9 /
			   backend_tick_rate();
		assert_true((shown_ns > truth ? shown_ns - truth : truth - shown_ns) <=
			    (double)device_clock_bound(clock, at) + 2);
	}
	s.d = d;
	assert_int_equal(tacho_profiler_read(d, event_take, &s), 0);
	tacho_program_free(p);
	tacho_device_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
