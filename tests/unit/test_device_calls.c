/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the layer below the kernel API that kernels of operations use: the packer's options, the
 * vector unit by the macros, rows of several tiles at once, accessors that a condition chooses; and
 * an entry whose parameters are the arguments.
 */
#include "device_tools.h"
#include "tensix/tile.h"

#include <math.h>
#include <stdlib.h>

#define DIM     32
#define PAGE    4096
#define RESULTS 11
#define SCALE   0.75

static double in[3][DIM][DIM];

static const char mover_text[] =
	"void kernel_main() {\n"
	"	constexpr auto first = TensorAccessorArgs<0>();\n"
	"	constexpr auto second = TensorAccessorArgs<first.next_compile_time_args_offset()>();\n"
	"	const auto a = TensorAccessor(first, get_arg_val<uint32_t>(0));\n"
	"	const auto b = TensorAccessor(second, get_arg_val<uint32_t>(1));\n"
	"	for (uint32_t i = 0; i < 3; i++) {\n"
	"		const auto &from = i == 2 ? b : a;\n"
	"		cb_reserve_back(i, 1);\n"
	"		uint32_t bank = 1 % NUM_DRAM_BANKS, row = 1 / NUM_DRAM_BANKS;\n"
	"		uint64_t by_table = get_noc_addr_helper(dram_bank_to_noc_xy[noc_index][bank],\n"
	"			get_arg_val<uint32_t>(0) + row * 4096 + bank_to_dram_offset[bank]);\n"
	"		noc_async_read(i == 1 ? by_table : from.get_noc_addr(i % 2), get_write_ptr(i), 4096);\n"
	"		noc_async_read_barrier();\n"
	"		cb_push_back(i, 1);\n"
	"	}\n"
	"	const auto out = TensorAccessor(tensor_accessor::make_interleaved_dspec<true>(),\n"
	"		get_arg_val<uint32_t>(2), 4096);\n"
	"	for (uint32_t i = 0; i < get_arg_val<uint32_t>(3); i++) {\n"
	"		cb_wait_front(16, 1);\n"
	"		noc_async_write(get_read_ptr(16), out.get_noc_addr(i), 4096);\n"
	"		noc_async_write_barrier();\n"
	"		cb_pop_front(16, 1);\n"
	"	}\n"
	"}\n";

static const char compute_text[] =
	"#include \"api/compute/compute_kernel_api.h\"\n"
	"#include \"api/compute/experimental/fast_untilize.h\"\n"
	"#include \"experimental/llk_sfpu/ckernel_sfpu_sdpa.h\"\n"
	"#define RESULT(tile, ...) do { cb_reserve_back(16, 1); tile_regs_acquire(); __VA_ARGS__; \\\n"
	"	tile_regs_commit(); tile_regs_wait(); pack_tile(tile, 16); tile_regs_release(); \\\n"
	"	cb_push_back(16, 1); } while (0)\n"
	"static void pack(uint32_t from, uint32_t to, uint32_t page) {\n"
	"	tile_regs_acquire();\n"
	"	copy_tile(from, 0, 0);\n"
	"	tile_regs_commit();\n"
	"	tile_regs_wait();\n"
	"	pack_tile<true>(0, to, page);\n"
	"	tile_regs_release();\n"
	"}\n"
	"static void softmaxes() {\n"
	"	copy_tile(0, 0, 0); copy_tile(1, 0, 1); copy_tile(2, 0, 3); copy_tile(2, 0, 4);\n"
	"	MATH(SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC_MODE, DST_ACCUM_MODE,\n"
	"		calculate_fused_max_sub_exp_add_tile, 0, VectorMode::C, 0x3f40));\n"
	"}\n"
	"// TT_KERNEL void not_this(uint32_t x)\n"
	"template <uint32_t more, bool last = (2 < 1)>\n"
	"TT_KERNEL void entry(uint32_t one /* > , */, const uint32_t copies = 2) {\n"
	"	for (uint32_t i = 0; i < 3; i++) cb_wait_front(i, 1);\n"
	"	copy_tile_init(0);\n"
	"	cb_reserve_back(16, 1);\n"
	"	PACK((llk_pack_relu_config(ReluConfig::zero())));\n"
	"	for (uint32_t i = 0; i < copies; i++) {\n"
	"		PACK((llk_pack_reconfig_l1_acc(i)));\n"
	"		pack(0, 16, 0);\n"
	"	}\n"
	"	PACK((llk_pack_reconfig_l1_acc(0)));\n"
	"	cb_push_back(16, 1);\n"
	"	RESULT(0, copy_tile(0, 0, 0));\n"
	"	PACK((llk_pack_relu_config(ReluConfig::min_threshold(0x3f00))));\n"
	"	RESULT(0, copy_tile(0, 0, 0));\n"
	"	PACK((llk_pack_relu_config(0x3f000003)));\n"
	"	RESULT(0, copy_tile(0, 0, 0));\n"
	"	PACK((llk_pack_relu_config(ReluType::NO_RELU)));\n"
	"	RESULT(0, softmaxes());\n"
	"	RESULT(3, softmaxes());\n"
	"	RESULT(0, copy_tile(0, 0, 0);\n"
	"		MATH(SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE,\n"
	"			calculate_exponential_first_column, (false, 0xbf80), 0, VectorMode::C));\n"
	"		MATH(SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE,\n"
	"			calculate_binop_with_scalar, (APPROX, ADD_UNARY, 8), 0, VectorMode::C, one));\n"
	"		MATH(SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE,\n"
	"			calculate_recip_first_column, (false), 0, VectorMode::C)));\n"
	"	cb_reserve_back(25, 2);\n"
	"	pack(0, 25, 0);\n"
	"	pack(1, 25, 1);\n"
	"	cb_push_back(25, 2);\n"
	"	cb_wait_front(25, 2);\n"
	"	cb_reserve_back(26, 2);\n"
	"	fast_untilize_init<2>(25, 26);\n"
	"	fast_untilize_block<2>(25, 26);\n"
	"	fast_untilize_uninit<2>(26);\n"
	"	cb_push_back(26, 2);\n"
	"	cb_wait_front(26, 2);\n"
	"	cb_reserve_back(27, 2);\n"
	"	tilize_init(26, 2, 27);\n"
	"	tilize_block(26, 2, 27);\n"
	"	cb_push_back(27, 2);\n"
	"	cb_wait_front(27, 2);\n"
	"	RESULT(0, copy_tile(27, 0, 0));\n"
	"	RESULT(0, copy_tile(27, 1, 0));\n"
	"	RESULT(0, copy_tile(0, 0, 0); if constexpr (last) add_unary_tile(0, more));\n"
	"	RESULT(0, copy_tile(0, 0, 3); copy_tile(0, 0, 1); copy_tile(0, 0, 2);\n"
	"		lgamma_stirling_float_tile(3, 1, 0); mul_unary_tile(1, 0x40490fdb); sin_tile(1);\n"
	"		abs_tile(1); log_tile(1); lgamma_adjusted_tile(0, 1, 2, 0));\n"
	"}\n";

static const char names_text[] =
	"namespace args {\n"
	"constexpr experimental::CtaVal<uint32_t> more{0x40000000}, last{1};\n"
	"constexpr experimental::RtaArg<uint32_t> one{0};\n"
	"constexpr experimental::CrtaArg<uint32_t> copies{0};\n"
	"}\n";

static double reference(unsigned number, unsigned r, unsigned c)
{
	double a = in[0][r][c], b = in[1][r][c], most = fmax(a, b);
	double first = exp((a - most) * SCALE), second = exp((b - most) * SCALE);

	switch (number) {
	case 0:
		return 3 * fmax(a, 0);
	case 1:
		return fmax(a, 0);
	case 2:
		return a > 0.5 ? a : 0;
	case 3:
		return fmin(fmax(a, 0), 0.5);
	case 4:
		return first;
	case 5:
		return (first + second) * in[2][r][c];
	case 6:
		return 1 / (exp(-a) + 1);
	case 8:
		return b;
	case 9:
		return a + 2;
	case 10:
		return lgamma(a);
	default:
		return a;
	}
}

static void fill_inputs(struct tacho_buffer *first, struct tacho_buffer *second)
{
	uint8_t page[PAGE];

	srand(21);
	for (unsigned i = 0; i < 3; i++) {
		struct tile t = {0};

		for (unsigned r = 0; r < DIM; r++)
			for (unsigned c = 0; c < DIM; c++)
				in[i][r][c] = t.f[tile_at(r, c)] =
					(float)(rand() % 4001 - 2000) / 700;
		tile_pack(page, &t, TACHO_FLOAT32);
		assert_int_equal(tacho_buffer_write(i == 2 ? second : first,
						    (uint64_t)PAGE * (i % 2), page, PAGE),
				 0);
	}
}

static struct tacho_program *calls_program(struct tacho_device *d, const uint32_t *args)
{
	static const unsigned cbs[] = {0, 1, 2, 16, 25, 26, 27};
	static const struct tacho_core core = {0, 0};
	const uint32_t one = 0x3f800000, copies = 3, words[] = {2, PAGE, 2, PAGE};
	struct tacho_program *p;
	int mover, compute;

	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < sizeof(cbs) / sizeof(cbs[0]); i++)
		assert_true(tacho_program_cb(p, &(struct tacho_cb){.index = cbs[i],
								   .pages = 2,
								   .page_size = PAGE,
								   .format = TACHO_FLOAT32}) >= 0);
	mover = tacho_program_kernel(p, &(struct tacho_kernel){.source = "mover.cpp",
							       .text = mover_text,
							       .compile_args = words,
							       .compile_arg_count = 4});
	compute = tacho_program_kernel(p, &(struct tacho_kernel){.source = "calls.cpp",
								 .text = compute_text,
								 .prologue = names_text,
								 .risc = TACHO_COMPUTE});
	assert_true(mover >= 0 && compute >= 0);
	assert_int_equal(tacho_program_args(p, mover, core, args, 4), 0);
	assert_int_equal(tacho_program_args(p, compute, core, &one, 1), 0);
	assert_int_equal(tacho_program_common_args(p, compute, &copies, 1), 0);
	return p;
}

static void test_calls(void **state)
{
	struct tacho_buffer *first, *second, *out;
	struct tacho_device *d;
	struct tacho_program *p;
	uint32_t args[4];
	uint8_t page[PAGE];
	struct tile t;

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	assert_int_equal(tacho_buffer_new(&first, d, TACHO_DRAM, 2 * PAGE, PAGE), 0);
	assert_int_equal(tacho_buffer_new(&second, d, TACHO_DRAM, PAGE, PAGE), 0);
	assert_int_equal(tacho_buffer_new(&out, d, TACHO_DRAM, RESULTS * PAGE, PAGE), 0);
	fill_inputs(first, second);
	args[0] = tacho_buffer_address(first);
	args[1] = tacho_buffer_address(second);
	args[2] = tacho_buffer_address(out);
	args[3] = RESULTS;
	p = calls_program(d, args);
	program_run(d, p, 1);
	for (unsigned i = 0; i < RESULTS; i++) {
		assert_int_equal(tacho_buffer_read(out, (uint64_t)PAGE * i, page, PAGE), 0);
		tile_unpack(&t, page, TACHO_FLOAT32);
		for (unsigned at = 0; at < DIM * DIM; at++) {
			double want = reference(i, at / DIM, at % DIM);
			double have = t.f[tile_at(at / DIM, at % DIM)];

			if (isfinite(want) && !(fabs(have - want) < (i == 10 ? 1e-3 : 1e-5)))
				fail_msg("result %u, row %u, column %u: %g, not %g", i, at / DIM,
					 at % DIM, have, want);
		}
	}
	tacho_program_free(p);
	tacho_buffer_free(first);
	tacho_buffer_free(second);
	tacho_buffer_free(out);
	tacho_device_close(d);
}

/* A program that cannot end is reported with what each RISC waits for. */
static const char waits_text[] =
	"#if TACHO_RISC == 0\n"
	"void kernel_main() {\n"
	"	cb_push_back(5, 1);\n"
	"	noc_semaphore_wait((volatile uint32_t *)get_semaphore(0), 1);\n"
	"}\n"
	"#elif TACHO_RISC == 1\n"
	"void kernel_main() { cb_push_back(6, 2); cb_reserve_back(6, 1); }\n"
	"#elif TACHO_RISC == 2\n"
	"void kernel_main() { cb_wait_front(5, 2); }\n"
	"#elif TACHO_RISC == 3\n"
	"void kernel_main() { tile_regs_commit(); tile_regs_commit(); tile_regs_acquire(); tensix_sync(); }\n"
	"#else\n"
	"void kernel_main() { cb_reserve_back(7, 1); }\n"
	"#endif\n";

static void test_deadlock(void **state)
{
	static const char *const reasons[] = {
		"BRISC waits: pc ",
		", for semaphore 0, which is 0\n",
		"NCRISC waits: pc ",
		", for circular buffer 6, which has 2 of 2 pages\n",
		"TRISC0 waits: pc ",
		", for circular buffer 5, which has 1 of 2 pages\n",
		"TRISC1 waits: pc ",
		", for the tile engine\n",
		"TRISC2 waits: pc ",
		", for circular buffer 7, which the program does not have on this core",
	};
	static const enum tacho_risc riscs[] = {TACHO_BRISC, TACHO_NCRISC, TACHO_COMPUTE};
	struct tacho_device *d;
	struct tacho_program *p;
	const char *at;

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned cb = 5; cb < 7; cb++)
		assert_true(tacho_program_cb(p, &(struct tacho_cb){.index = cb,
								   .pages = 2,
								   .page_size = 64}) >= 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(tacho_program_kernel(p, &(struct tacho_kernel){.source = "waits.cpp",
									   .text = waits_text,
									   .risc = riscs[i]}) >= 0);
	assert_true(tacho_enqueue(d, p) < 0 || tacho_finish(d) < 0);
	at = tacho_device_error();
	for (unsigned i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		const char *found = strstr(at, reasons[i]);

		if (!found)
			fail_msg("no \"%s\" in: %s", reasons[i], tacho_device_error());
		at = found;
	}
	tacho_program_free(p);
	tacho_device_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_deadlock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
