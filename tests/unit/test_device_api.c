/* SPDX-License-Identifier: Apache-2.0 */
/* The device interface: buffers, what is refused, and two devices beside each other. */
#include "unit/device_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Pages go round over the banks; any range of bytes can be written and read. */
static void test_buffers(void **state)
{
	static const enum tacho_memory memories[] = {TACHO_DRAM, TACHO_L1};
	uint8_t in[1000], out[1000];

	(void)state;
	for (unsigned i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 13);
	for (int m = 0; m < 2; m++) {
		struct tacho_buffer *b;

		assert_int_equal(tacho_buffer_new(&b, device, memories[m], 1000, 64), 0);
		assert_int_equal(tacho_buffer_write(b, 0, in, 1000), 0);
		memset(out, 0, sizeof(out));
		assert_int_equal(tacho_buffer_read(b, 37, out, 500), 0);
		assert_memory_equal(out, in + 37, 500);
		assert_true(tacho_buffer_read(b, 900, out, 101) < 0);
		assert_non_null(strstr(tacho_device_error(), "outside of the buffer"));
		tacho_buffer_free(b);
	}
}

static void test_bank_layout(void **state)
{
	struct tacho_buffer *b;
	uint8_t page[64], back[64];

	(void)state;
	assert_int_equal(tacho_buffer_new(&b, device, TACHO_DRAM, 64 * 5, 64), 0);
	for (unsigned i = 0; i < 5; i++) {
		memset(page, (int)i + 1, sizeof(page));
		assert_int_equal(tacho_buffer_write(b, 64 * i, page, 64), 0);
	}
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(device->ops->dram_read(device->self, i % 2,
							tacho_buffer_address(b) + i / 2 * 64, back,
							64),
				 0);
		assert_int_equal(back[0], i + 1);
	}
	tacho_buffer_free(b);
}

/* What is freed can be had again, whole, in whatever order. */
static void test_allocation(void **state)
{
	struct tacho_device_info info;
	struct tacho_buffer *b[8], *all;
	uint64_t size;

	(void)state;
	tacho_device_info(device, &info);
	size = (uint64_t)info.l1_free / 64 * 64 * 4;
	for (int round = 0; round < 3; round++) {
		static const int order[3][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
						{7, 6, 5, 4, 3, 2, 1, 0},
						{3, 0, 6, 1, 7, 2, 5, 4}};

		for (int i = 0; i < 8; i++)
			assert_int_equal(tacho_buffer_new(&b[i], device, TACHO_L1, 4096 * 4, 4096),
					 0);
		assert_true(tacho_buffer_new(&all, device, TACHO_L1, size, 64) < 0);
		for (int i = 0; i < 8; i++)
			tacho_buffer_free(b[order[round][i]]);
		assert_int_equal(tacho_buffer_new(&all, device, TACHO_L1, size, 64), 0);
		tacho_buffer_free(all);
	}
	assert_true(tacho_buffer_new(&all, device, TACHO_L1, size + 4 * 64, 64) < 0);
	assert_non_null(strstr(tacho_device_error(), "no room"));
	tacho_buffer_free(NULL);
}

static void call_refused(int result, const char *why)
{
	assert_true(result < 0);
	if (!strstr(tacho_device_error(), why))
		fail_msg("'%s' does not say '%s'", tacho_device_error(), why);
}

static void test_refusals(void **state)
{
	const struct tacho_core_range outside = {{0, 0}, {2, 0}}, all = {{0, 0}, {1, 1}};
	struct tacho_kernel k = {.source = DEVICE_KERNELS "/plain.c", .cores = all};
	struct tacho_cb cb = {.index = 0, .cores = all, .pages = 1, .page_size = 2048};
	struct tacho_buffer *b;
	struct tacho_program *p;
	struct tacho_device *none;
	uint32_t args[400] = {0};

	(void)state;
	call_refused(tacho_device_open(&none, &(struct tacho_device_options){.arch = "moon"}),
		     "moon");
	call_refused(tacho_buffer_new(&b, device, TACHO_DRAM, 100, 10), "multiple of 4");
	call_refused(tacho_buffer_new(&b, device, TACHO_DRAM, 0, 64), "some bytes");
	call_refused(tacho_core_read(device, (struct tacho_core){5, 5}, 0, args, 4), "no core 5,5");
	call_refused(tacho_core_read(device, (struct tacho_core){0, 0}, 0x70000000, args, 4),
		     "no memory");
	assert_int_equal(tacho_program_new(&p, device), 0);
	k.cores = outside;
	call_refused(tacho_program_kernel(p, &k), "not inside the grid of 2 x 2");
	k.cores = all;
	assert_int_equal(tacho_program_kernel(p, &k), 0);
	call_refused(tacho_program_kernel(p, &k), "same RISC");
	call_refused(tacho_program_kernel(p, &(struct tacho_kernel){.risc = TACHO_NCRISC}),
		     "a source");
	call_refused(tacho_program_kernel(p, &(struct tacho_kernel){.source = "x.c",
								    .risc = (enum tacho_risc)9}),
		     "a RISC");
	call_refused(tacho_buffer_new(&b, device, (enum tacho_memory)7, 64, 64), "DRAM or in L1");
	call_refused(tacho_core_write(device, (struct tacho_core){1, 0}, 0x70000000, args, 4),
		     "of core 1,0");
	call_refused(tacho_profiler_names(device, "/"), "cannot read");
	call_refused(tacho_program_args(p, 3, (struct tacho_core){0, 0}, args, 1), "no kernel 3");
	call_refused(tacho_program_args(p, 0, (struct tacho_core){0, 0}, args, 400), "at most 341");
	assert_int_equal(tacho_program_cb(p, &cb), 0);
	call_refused(tacho_program_cb(p, &cb), "there already");
	cb.index = 32;
	call_refused(tacho_program_cb(p, &cb), "an index is below 32");
	cb.index = 1;
	cb.pages = 2000;
	call_refused(tacho_program_cb(p, &cb), "does not fit");
	for (int i = 0; i < 16; i++)
		assert_int_equal(tacho_program_semaphore(p, all, 0), i);
	call_refused(tacho_program_semaphore(p, all, 0), "at most 16");
	call_refused(tacho_profiler_read(device, NULL, NULL), "without profiling");
	/* and after all that it still works */
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_finish(device), 0);
	tacho_program_free(p);
	tacho_program_free(NULL);
}

static void test_two_devices(void **state)
{
	struct tacho_device *other;
	struct tacho_program *p;
	uint32_t one = 1, two = 2, back = 0;
	struct tacho_core core = {1, 1};

	(void)state;
	assert_int_equal(tacho_device_open(&other, &(struct tacho_device_options){.arch = "tiny"}),
			 0);
	assert_int_not_equal(other->number, device->number);
	assert_int_equal(tacho_core_write(device, core, 0x50000, &one, 4), 0);
	assert_int_equal(tacho_core_write(other, core, 0x50000, &two, 4), 0);
	assert_int_equal(tacho_core_read(device, core, 0x50000, &back, 4), 0);
	assert_int_equal(back, 1);
	assert_int_equal(tacho_program_new(&p, device), 0);
	call_refused(tacho_enqueue(other, p), "belongs to device");
	tacho_program_free(p);
	tacho_device_close(other);
}

/* A number is reused for the same kind of device, whose clock and traces continue. */
static void test_numbers(void **state)
{
	static const struct tacho_device_options tiny = {.arch = "tiny"},
						 half = {.arch = "tiny", .cores = 2};
	struct tacho_device *first, *other, *again;
	unsigned number;
	uint64_t cycles;

	(void)state;
	assert_int_equal(tacho_device_open(&first, &tiny), 0);
	number = first->number;
	assert_int_not_equal(number, device->number);
	first->next_trace = 5;
	cycles = tacho_device_cycles(first);
	tacho_device_close(first);
	assert_int_equal(tacho_device_open(&other, &half), 0);
	assert_int_not_equal(other->number, number);
	assert_int_equal(tacho_device_open(&again, &tiny), 0);
	assert_int_equal(again->number, number);
	assert_int_equal(again->next_trace, 5);
	assert_true(tacho_device_cycles(again) > cycles);
	tacho_device_close(other);
	tacho_device_close(again);
}

static void *open_alone(void *result)
{
	struct tacho_device *d;

	*(int *)result = tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"});
	if (*(int *)result == 0)
		tacho_device_close(d);
	return NULL;
}

/* Threads with devices of their own compile the same firmware at the same time. */
static void test_threads(void **state)
{
	char folder[] = "/tmp/tacho-test-XXXXXX", command[100], *cache = getenv("TACHO_CACHE");
	pthread_t threads[2];
	int results[2];

	(void)state;
	cache = cache ? strdup(cache) : NULL;
	assert_non_null(mkdtemp(folder));
	setenv("TACHO_CACHE", folder, 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_alone, &results[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	unsetenv("TACHO_CACHE");
	if (cache)
		setenv("TACHO_CACHE", cache, 1);
	free(cache);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(results[0], 0);
	assert_int_equal(results[1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffers),     cmocka_unit_test(test_bank_layout),
		cmocka_unit_test(test_allocation),  cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_two_devices), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
