/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are not ours: a simulator that is loaded as a library, and functions of a caller. */
#include "device/device.h"
#include "unit/device_compiler.h"

#include <stdlib.h>
#include <string.h>

static void call_refused(int result, const char *why)
{
	assert_true(result < 0);
	if (!strstr(tacho_device_error(), why))
		fail_msg("'%s' does not say '%s'", tacho_device_error(), why);
}

static void zone_count(void *context, const struct tacho_device_event *event)
{
	if (event->kind == TACHO_DEVICE_ZONE && strstr(event->name, "-KERNEL"))
		++*(unsigned *)context;
}

/* Buffers, a kernel and its zones, all through the library. */
static void simulator_use(void)
{
	const struct tacho_device_options options = {
		.arch = "tiny", .simulator = TTSIM_LIBRARY, .profile = 1};
	const char *const defines[] = {"ADDEND=3", NULL};
	uint32_t args[2] = {0, 4}, word = 0, in[64], out[64];
	struct tacho_device *d, *second;
	struct tacho_program *p;
	struct tacho_buffer *b;
	unsigned zones = 0;

	if (!have_compiler())
		skip();
	for (unsigned i = 0; i < 64; i++)
		in[i] = i * 7;
	if (tacho_device_open(&d, &options) < 0)
		fail_msg("%s", tacho_device_error());
	call_refused(tacho_device_open(&second, &options), "one device, which is open");
	assert_int_equal(tacho_buffer_new(&b, d, TACHO_DRAM, sizeof(in), 32), 0);
	assert_int_equal(tacho_buffer_write(b, 0, in, sizeof(in)), 0);
	assert_int_equal(tacho_buffer_read(b, 0, out, sizeof(out)), 0);
	assert_memory_equal(in, out, sizeof(in));
	args[0] = d->shape.l1_size - 64;
	assert_int_equal(tacho_program_new(&p, d), 0);
	assert_int_equal(tacho_program_kernel(
				 p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/put_word.c",
							   .defines = defines}),
			 0);
	assert_int_equal(tacho_program_args(p, 0, (struct tacho_core){0, 0}, args, 2), 0);
	if (tacho_enqueue(d, p) < 0 || tacho_finish(d) < 0)
		fail_msg("%s", tacho_device_error());
	assert_int_equal(tacho_core_read(d, (struct tacho_core){0, 0}, args[0], &word, 4), 0);
	assert_int_equal(word, 7);
	assert_int_equal(tacho_profiler_read(d, zone_count, &zones), 0);
	assert_int_equal(zones, 1);
	tacho_program_free(p);
	tacho_buffer_free(b);
	tacho_device_close(d);
	/* and once more: the library was given back */
	assert_int_equal(tacho_device_open(&d, &options), 0);
	tacho_device_close(d);
}

static void test_wormhole(void **state)
{
	(void)state;
	simulator_use();
}

static void test_blackhole(void **state)
{
	(void)state;
	setenv("STAND_IN_BLACKHOLE", "1", 1);
	simulator_use();
	unsetenv("STAND_IN_BLACKHOLE");
}

static void test_not_a_simulator(void **state)
{
	struct tacho_device_options options = {.simulator = "/no/such/libttsim.so"};
	struct tacho_device *d;

	(void)state;
	call_refused(tacho_device_open(&d, &options), "/no/such/libttsim.so");
	options.simulator = "libm.so.6";
	call_refused(tacho_device_open(&d, &options), "it has no libttsim_init");
}

static void device_closed(void *self)
{
	*(int *)self = 1;
}

/* A device that cannot do all that is needed is refused, and closed. */
static void test_open_with(void **state)
{
	const struct tacho_device_ops few = {.close = device_closed};
	struct tacho_device *d;
	int done = 0;

	(void)state;
	call_refused(tacho_device_open_with(&d, &few, &done, NULL), "lacks a function");
	assert_int_equal(done, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wormhole),
		cmocka_unit_test(test_blackhole),
		cmocka_unit_test(test_not_a_simulator),
		cmocka_unit_test(test_open_with),
	};

	setenv("TACHO_ARCH", "tiny", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
