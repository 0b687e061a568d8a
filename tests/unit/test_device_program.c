/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: sets of cores, NoCs, arguments of all kinds, and where circular buffers and pages lie.
 */
#include "unit/device_fixture.h"

#include "tacho_layout.h"

#include <string.h>

static const struct tacho_core_range all = {{0, 0}, {1, 1}};
static const struct tacho_core_range diagonal[] = {{{0, 0}, {0, 0}}, {{1, 1}, {1, 1}}};

static void call_refused(int result, const char *why)
{
	assert_true(result < 0);
	if (!strstr(tacho_device_error(), why))
		fail_msg("'%s' does not say '%s'", tacho_device_error(), why);
}

static struct tacho_program *program_make(void)
{
	struct tacho_program *p;

	assert_int_equal(tacho_program_new(&p, device), 0);
	return p;
}

static void program_run(struct tacho_program *p)
{
	int r = tacho_enqueue(device, p);

	if (r == 0)
		r = tacho_finish(device);
	if (r < 0)
		fail_msg("%s", tacho_device_error());
	tacho_program_free(p);
}

static uint32_t word_at(unsigned x, unsigned y, uint32_t address)
{
	uint32_t word = 0;

	assert_int_equal(tacho_core_read(device, (struct tacho_core){(uint16_t)x, (uint16_t)y},
					 address, &word, 4),
			 0);
	return word;
}

/* One kernel on two ranges runs there and nowhere else. */
static void test_ranges(void **state)
{
	const char *const defines[] = {"ADDEND=1000", NULL};
	uint32_t args[] = {device->shape.l1_size - 64, 7}, zero = 0;
	struct tacho_program *p = program_make();
	struct tacho_kernel k = {
		.source = DEVICE_KERNELS "/put_word.c",
		.risc = TACHO_NCRISC,
		.noc = TACHO_NOC_0,
		.ranges = diagonal,
		.range_count = 2,
		.defines = defines,
	};

	(void)state;
	assert_int_equal(tacho_program_kernel(p, &k), 0);
	for (uint16_t i = 0; i < 4; i++) {
		struct tacho_core core = {i % 2, i / 2};

		assert_int_equal(tacho_core_write(device, core, args[0], &zero, 4), 0);
		if (core.x != core.y)
			call_refused(tacho_program_args(p, 0, core, args, 2),
				     "does not run on core");
		else
			assert_int_equal(tacho_program_args(p, 0, core, args, 2), 0);
	}
	program_run(p);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(word_at(i % 2, i / 2, args[0]), i % 2 == i / 2 ? 1007 : 0);
}

/* The two data movers of a core need different NoCs; other RISCs and cores do not matter. */
static void test_nocs(void **state)
{
	struct tacho_kernel k = {.source = DEVICE_KERNELS "/plain.c",
				 .risc = TACHO_NCRISC,
				 .noc = TACHO_NOC_0,
				 .cores = {{0, 0}, {0, 0}}};
	struct tacho_program *p = program_make();

	(void)state;
	assert_int_equal(tacho_program_kernel(p, &k), 0);
	k.risc = TACHO_BRISC;
	call_refused(tacho_program_kernel(p, &k), "both use NoC 0 of core 0,0");
	k.noc = TACHO_NOC_DEFAULT;
	call_refused(tacho_program_kernel(p, &k), "both use NoC 0 of core 0,0");
	k.noc = TACHO_NOC_1;
	assert_int_equal(tacho_program_kernel(p, &k), 1);
	program_run(p);
}

/* Numbers of semaphores are per core. */
static void test_semaphores(void **state)
{
	const struct tacho_core_range left = {{0, 0}, {0, 1}}, right = {{1, 0}, {1, 1}};
	struct tacho_program *p = program_make();

	(void)state;
	assert_int_equal(tacho_program_semaphore(p, left, 1), 0);
	assert_int_equal(tacho_program_semaphore(p, right, 2), 0);
	assert_int_equal(tacho_program_semaphore(p, left, 3), 1);
	assert_int_equal(tacho_program_semaphore_on(p, diagonal, 2, 4), 2);
	assert_int_equal(tacho_program_semaphore(p, right, 5), 1);
	tacho_program_free(p);
}

/* Where a circular buffer of the program lies on a core. */
static void cb_expect(unsigned index, uint32_t address, uint32_t pages, uint32_t page_size)
{
	uint32_t at = KERNEL_CONFIG + CONFIG_CBS + 16 * index;

	assert_int_equal(word_at(0, 0, at), address);
	assert_int_equal(word_at(0, 0, at + 4), pages * page_size);
	assert_int_equal(word_at(0, 0, at + 8), pages);
	assert_int_equal(word_at(0, 0, at + 12), page_size);
}

/* Small pages, shared memory, a buffer below, the same index on other cores. */
static void test_circular_buffers(void **state)
{
	struct tacho_kernel k = {.source = DEVICE_KERNELS "/plain.c", .cores = {{0, 0}, {0, 0}}};
	struct tacho_cb cb = {.index = 0, .cores = all, .pages = 16, .page_size = 4};
	struct tacho_program *p = program_make();
	struct tacho_buffer *b;

	(void)state;
	assert_int_equal(tacho_buffer_new(&b, device, TACHO_L1, 4096, 1024), 0);
	assert_int_equal(tacho_program_kernel(p, &k), 0);
	assert_int_equal(tacho_program_cb(p, &cb), 0);
	cb = (struct tacho_cb){.index = 1, .cores = all, .pages = 1, .page_size = 64, .shares = 1};
	assert_int_equal(tacho_program_cb(p, &cb), 1);
	cb = (struct tacho_cb){
		.index = 2, .cores = all, .pages = 2, .page_size = 16, .buffer = b, .offset = 32};
	assert_int_equal(tacho_program_cb(p, &cb), 2);
	cb = (struct tacho_cb){
		.index = 3, .ranges = diagonal, .range_count = 2, .pages = 1, .page_size = 2048};
	assert_int_equal(tacho_program_cb(p, &cb), 3);
	cb = (struct tacho_cb){.index = 3, .cores = {{1, 0}, {1, 0}}, .pages = 1, .page_size = 64};
	assert_int_equal(tacho_program_cb(p, &cb), 4);
	cb.cores = all;
	call_refused(tacho_program_cb(p, &cb), "there already on core");
	cb = (struct tacho_cb){.index = 5, .cores = all, .pages = 1, .page_size = 6};
	call_refused(tacho_program_cb(p, &cb), "multiple of 4 bytes, not 1 of 6");
	cb = (struct tacho_cb){.index = 5, .cores = all, .pages = 1, .page_size = 4, .shares = 9};
	call_refused(tacho_program_cb(p, &cb), "no number 8");
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_finish(device), 0);
	cb_expect(0, L1_FREE, 16, 4);
	cb_expect(1, L1_FREE, 1, 64);
	cb_expect(2, tacho_buffer_address(b) + 32, 2, 16);
	cb_expect(3, L1_FREE + 64, 1, 2048);

	cb = (struct tacho_cb){.index = 0, .pages = 64, .page_size = 4};
	assert_int_equal(tacho_program_cb_change(p, 0, &cb), 0);
	cb.pages = 0xffff;
	cb.page_size = 4096;
	call_refused(tacho_program_cb_change(p, 0, &cb), "does not fit into L1");
	call_refused(tacho_program_cb_change(p, 9, &cb), "no circular buffer 9");
	program_run(p);
	cb_expect(0, L1_FREE, 64, 4);
	cb_expect(3, L1_FREE + 256, 1, 2048);
	tacho_buffer_free(b);
}

/* An L1 buffer that comes later must not be overwritten by a program that was made before. */
static void test_circular_buffer_meets_buffer(void **state)
{
	uint32_t free = device->shape.l1_size - L1_FREE;
	struct tacho_kernel k = {.source = DEVICE_KERNELS "/plain.c", .cores = all};
	struct tacho_cb cb = {.cores = all, .pages = free / 2 / 2048, .page_size = 2048};
	struct tacho_program *p = program_make();
	struct tacho_buffer *b;

	(void)state;
	assert_int_equal(tacho_program_kernel(p, &k), 0);
	assert_int_equal(tacho_program_cb(p, &cb), 0);
	assert_int_equal(tacho_buffer_new(&b, device, TACHO_L1, free / 4 * 3 / 64 * 64,
					  free / 4 * 3 / 64 * 64),
			 0);
	call_refused(tacho_enqueue(device, p), "and buffers begin at");
	tacho_buffer_free(b);
	program_run(p);
}

/* Pages of 4 bytes take the room that the memory needs for each. */
static void test_small_pages(void **state)
{
	static const enum tacho_memory memories[] = {TACHO_DRAM, TACHO_L1};
	uint32_t in[10], out[10], word;
	struct tacho_core port;
	uint64_t offset;

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		in[i] = i + 1;
	for (int m = 0; m < 2; m++) {
		struct tacho_buffer *b;

		assert_int_equal(tacho_buffer_new(&b, device, memories[m], sizeof(in), 4), 0);
		assert_int_equal(tacho_buffer_stride(b), m ? 16 : device->shape.dram_alignment);
		assert_int_equal(tacho_buffer_write(b, 0, in, sizeof(in)), 0);
		memset(out, 0, sizeof(out));
		assert_int_equal(tacho_buffer_read(b, 0, out, sizeof(out)), 0);
		assert_memory_equal(out, in, sizeof(in));
		if (memories[m] == TACHO_DRAM) {
			unsigned banks = device->shape.dram_banks;
			uint32_t at = tacho_buffer_address(b) + tacho_buffer_stride(b);

			assert_int_equal(tacho_dram_read(device, 1, at, &word, 4), 0);
			assert_int_equal(word, in[banks + 1]);
		}
		tacho_buffer_free(b);
	}
	call_refused(tacho_dram_read(device, 99, 0, &word, 4), "of bank 99");
	call_refused(tacho_bank_noc(device, 99, &port, &offset), "no DRAM bank 99");
	assert_int_equal(tacho_bank_noc(device, 0, &port, &offset), 0);
	assert_int_equal(offset, 0);
}

/* A matrix of 4 x 4 pages in blocks of 2 x 2, one on each core. */
static void test_sharded_buffer(void **state)
{
	static const struct tacho_core cores[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
	struct tacho_shards shards = {.rows = 4,
				      .columns = 4,
				      .shard_rows = 2,
				      .shard_columns = 2,
				      .banks = cores,
				      .bank_count = 4};
	struct tacho_buffer_options o = {
		.memory = TACHO_L1, .size = 16 * 16, .page_size = 16, .shards = &shards};
	uint32_t in[64], out[64];
	struct tacho_buffer *b;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		in[i] = i / 4;
	assert_int_equal(tacho_buffer_make(&b, device, &o), 0);
	assert_int_equal(tacho_buffer_write(b, 0, in, sizeof(in)), 0);
	assert_int_equal(tacho_buffer_read(b, 0, out, sizeof(out)), 0);
	assert_memory_equal(out, in, sizeof(in));
	for (unsigned page = 0; page < 16; page++) {
		unsigned row = page / 4, column = page % 4;
		uint32_t at = tacho_buffer_address(b) + (row % 2 * 2 + column % 2) * 16;

		assert_int_equal(word_at(column / 2, row / 2, at), page);
	}
	tacho_buffer_free(b);
	shards.bank_count = 0;
	call_refused(tacho_buffer_make(&b, device, &o), "pages, shards and banks");
	shards.bank_count = 4;
	shards.rows = 3;
	call_refused(tacho_buffer_make(&b, device, &o), "more than 3 x 4");
	shards.rows = 4;
	shards.banks = (const struct tacho_core[]){{0, 0}, {7, 7}, {0, 1}, {1, 1}};
	call_refused(tacho_buffer_make(&b, device, &o), "no core 7,7");
}

/* A caller may say where a buffer is, and what number an op has. */
static void test_given_address_and_number(void **state)
{
	struct tacho_kernel k = {.source = DEVICE_KERNELS "/plain.c", .cores = all};
	struct tacho_buffer_options o = {
		.memory = TACHO_DRAM, .size = 64, .page_size = 64, .address = 0x100000};
	struct tacho_program *p = program_make();
	struct tacho_buffer *b;

	(void)state;
	assert_int_equal(tacho_buffer_make(&b, device, &o), 0);
	assert_int_equal(tacho_buffer_address(b), 0x100000);
	tacho_buffer_free(b);
	assert_int_equal(tacho_program_kernel(p, &k), 0);
	assert_int_equal(tacho_op_number(p, 77), 0);
	call_refused(tacho_op_number(p, 1u << 30), "below");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tacho_enqueue(device, p), 0);
		assert_int_equal(tacho_op_last(device), 77 << 10 | device->number);
	}
	assert_int_equal(tacho_op_number(p, 0), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_op_last(device), 78 << 10 | device->number);
	program_run(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_nocs),
		cmocka_unit_test(test_semaphores),
		cmocka_unit_test(test_circular_buffers),
		cmocka_unit_test(test_circular_buffer_meets_buffer),
		cmocka_unit_test(test_small_pages),
		cmocka_unit_test(test_sharded_buffer),
		cmocka_unit_test(test_given_address_and_number),
	};

	return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
