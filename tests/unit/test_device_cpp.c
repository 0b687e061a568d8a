/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel API in C++ from a kernel's calls to the result in DRAM, against double arithmetic on
 * the host; and what the compiler is given: arguments without a limit, names, defines, folders,
 * text.
 */
#include "device_tools.h"
#include "tensix/tile.h"

#include <math.h>
#include <stdlib.h>

#define DIM 32

static double in[3][DIM][DIM];

/* ---- the reference: result NUMBER at R, C; NAN: not looked at ---- */
static double matrix_reference(unsigned number, unsigned r, unsigned c)
{
	double sum = 0, least = INFINITY;

	for (unsigned k = 0; k < DIM; k++) {
		sum += number == 8    ? in[0][r][k] * in[1][k][c]
		       : number == 9  ? in[0][r][k] * in[1][c][k]
		       : number == 10 ? in[0][r][k] * in[2][0][0]
				      : 0;
		least = fmin(least, in[0][k][c] * in[2][0][0]);
	}
	switch (number) {
	case 8:
	case 9:
		return sum;
	case 10:
		return c == 0 ? sum : NAN;
	case 11:
		return r == 0 ? least : NAN;
	case 12:
	case 13:
		return in[0][c][r];
	default:
		return in[0][r][0];
	}
}

static double result_reference(unsigned number, unsigned r, unsigned c)
{
	double a = in[0][r][c], b = in[1][r][c];

	if (number >= 8 && number <= 14)
		return matrix_reference(number, r, c);
	switch (number) {
	case 0:
	case 16:
	case 21:
		return a + b;
	case 1:
	case 6:
		return a - b;
	case 2:
		return 2 * a * b;
	case 3:
		return a + in[1][5][c];
	case 4:
		return a * in[1][r][0];
	case 5:
		return a - in[1][0][0];
	case 7:
		return b - a;
	case 15:
		return exp(a);
	case 17:
		return a / b;
	case 18:
		return a > 0 ? b : in[2][r][c];
	case 19:
		return 2.5 * a;
	case 20:
		return fmin(fmax(a, -0.5), 0.5);
	case 22:
		return 2 * a;
	default:
		return a;
	}
}

static void result_compare(unsigned number, const struct tile *t, double precision,
			   const char *name)
{
	for (unsigned r = 0; r < DIM; r++) {
		for (unsigned c = 0; c < DIM; c++) {
			double want = result_reference(number, r, c), most = 0;
			double have = t->f[number == 24 ? r * DIM + c : tile_at(r, c)];

			for (unsigned k = c / 16 * 16; k < c / 16 * 16 + 16; k++)
				most = fmax(most, fabs(result_reference(number, r, k)));
			if (!isnan(want) && !(fabs(have - want) <= precision * most + 1e-5))
				fail_msg("%s, result %u, row %u, column %u: %g, not %g", name,
					 number, r, c, have, want);
		}
	}
}

/* Values as the format holds them; the second operand has no 0. */
static void fill_input(uint8_t *bytes, unsigned which, unsigned format)
{
	struct tile t = {0};

	for (unsigned i = 0; i < TILE_VALUES; i++) {
		srand(which * 5000 + i);
		t.f[i] = (float)(rand() % 2001 - 1000) / 500;
		if (which == 1)
			t.f[i] = 0.5f + fabsf(t.f[i]);
	}
	tile_pack(bytes, &t, format);
	tile_unpack(&t, bytes, format);
	for (unsigned r = 0; r < DIM; r++)
		for (unsigned c = 0; c < DIM; c++)
			in[which][r][c] = t.f[tile_at(r, c)];
}

static struct tacho_program *tiles_program(struct tacho_device *d, enum tacho_format format,
					   unsigned results, const uint32_t *args)
{
	uint32_t bytes = tile_bytes(format), words[] = {results, 2, bytes, 2, bytes};
	static const char *const with_rows[] = {"ROWS", NULL};
	static const unsigned cbs[] = {0, 1, 2, 16, 24};
	struct tacho_program *p;
	int mover;

	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 5; i++)
		assert_true(tacho_program_cb(p, &(struct tacho_cb){.index = cbs[i],
								   .pages = 2,
								   .page_size = bytes,
								   .format = format}) >= 0);
	mover = tacho_program_kernel(
		p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/cpp_tiles.cpp",
					  .compile_args = words,
					  .compile_arg_count = 5});
	assert_true(
		tacho_program_kernel(p, &(struct tacho_kernel){
						.source = DEVICE_KERNELS "/cpp_tiles.cpp",
						.risc = TACHO_COMPUTE,
						.defines = results > 23 ? with_rows : NULL}) >= 0);
	assert_int_equal(tacho_program_args(p, mover, (struct tacho_core){0, 0}, args, 2), 0);
	return p;
}

static void tiles_in(struct tacho_device *d, enum tacho_format format, double precision,
		     const char *name, unsigned results)
{
	uint32_t bytes = tile_bytes(format), args[2];
	struct tacho_buffer *from, *to;
	struct tacho_program *p;
	uint8_t page[4096];
	struct tile t;

	assert_int_equal(tacho_buffer_new(&from, d, TACHO_DRAM, 3ull * bytes, bytes), 0);
	assert_int_equal(tacho_buffer_new(&to, d, TACHO_DRAM, (uint64_t)results * bytes, bytes), 0);
	for (unsigned i = 0; i < 3; i++) {
		fill_input(page, i, format);
		assert_int_equal(tacho_buffer_write(from, (uint64_t)i * bytes, page, bytes), 0);
	}
	args[0] = tacho_buffer_address(from);
	args[1] = tacho_buffer_address(to);
	p = tiles_program(d, format, results, args);
	program_run(d, p, 1);
	for (unsigned i = 0; i < results; i++) {
		assert_int_equal(tacho_buffer_read(to, (uint64_t)i * bytes, page, bytes), 0);
		tile_unpack(&t, page, format);
		result_compare(i, &t, precision, name);
	}
	tacho_program_free(p);
	tacho_buffer_free(from);
	tacho_buffer_free(to);
}

/* Tolerances are the formats': of blocks against the largest of 16 values. */
static void test_tiles(void **state)
{
	struct tacho_device *d;

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	tiles_in(d, TACHO_FLOAT32, 1e-6, "float32", 25);
	tiles_in(d, TACHO_BFLOAT16, 1.0 / 128, "bfloat16", 25);
	tiles_in(d, TACHO_BFP8_B, 1.0 / 32, "bfp8_b", 23);
	tiles_in(d, TACHO_BFP4_B, 0.5, "bfp4_b", 23);
	tacho_device_close(d);
}

/* ---- tiles of other shapes ---- */
static const char shapes_text[] =
	"#include \"api/compute/eltwise_binary.h\"\n"
	"#include \"api/compute/matmul.h\"\n"
	"#include \"api/compute/reduce.h\"\n"
	"#include \"api/compute/pack_untilize.h\"\n"
	"#define RESULT(...) do { cb_reserve_back(16, 1); tile_regs_acquire(); __VA_ARGS__; \\\n"
	"	tile_regs_commit(); tile_regs_wait(); pack_tile(0, 16); tile_regs_release(); \\\n"
	"	cb_push_back(16, 1); } while (0)\n"
	"void kernel_main()\n"
	"{\n"
	"	for (uint32_t i = 0; i < 3; i++)\n"
	"		cb_wait_front(i, 1);\n"
	"	RESULT(add_tiles_init(0, 1); add_tiles(0, 1, 0, 0, 0));\n"
	"	RESULT((reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 2, 16)),\n"
	"	       (reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 2, 0, 0, 0)));\n"
	"	RESULT(mm_init(0, 2, 16); matmul_tiles(0, 2, 0, 0, 0, 0));\n"
	"	RESULT(copy_tile_to_dst_init_short(0); copy_tile(0, 0, 0);\n"
	"	       (sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>());\n"
	"	       (sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0)));\n"
	"	cb_reserve_back(16, 1);\n"
	"	pack_untilize_init<1>(0, 16);\n"
	"	pack_untilize_block<1>(0, 1, 16);\n"
	"	cb_push_back(16, 1);\n"
	"}\n";

static void shapes_compare(const float *out, unsigned number, unsigned height, unsigned width)
{
	struct tile_shape shape = {(uint8_t)height, (uint8_t)width};
	struct tile t;

	tile_unpack_shape(&t, (const uint8_t *)out, TILE_FLOAT32, shape);
	for (unsigned r = 0; r < height; r++) {
		double most = -INFINITY, sum = 0;

		for (unsigned k = 0; k < width; k++) {
			most = fmax(most, in[0][r][k] * in[2][0][0]);
			sum += in[0][r][k];
		}
		for (unsigned c = 0; c < width; c++) {
			double want = number == 0   ? in[0][r][c] + in[1][r][c]
				      : number == 1 ? most
				      : number == 3 ? sum
						    : in[0][r][c];
			double have = number == 4 ? out[r * width + c] : t.f[tile_at(r, c)];

			for (unsigned k = 0; number == 2 && k < width; k++)
				want += in[0][r][k] * in[2][k][c] - (k ? 0 : in[0][r][c]);
			if (((number != 1 && number != 3) || c == 0) && !(fabs(have - want) < 1e-4))
				fail_msg("%u x %u, result %u, row %u, column %u: %g, not %g",
					 height, width, number, r, c, have, want);
		}
	}
}

static void shapes_run(struct tacho_device *d, unsigned height, unsigned width)
{
	struct tile_shape shape = {(uint8_t)height, (uint8_t)width};
	uint32_t bytes = tile_shape_bytes(TILE_FLOAT32, shape), words[] = {5, 2, 4096, 2, 4096};
	static const unsigned cbs[] = {0, 1, 2, 16};
	struct tacho_buffer *from, *to;
	struct tacho_program *p;
	uint32_t args[2];
	float page[1024] = {0};
	int mover;

	assert_int_equal(tacho_buffer_new(&from, d, TACHO_DRAM, 3 * 4096, 4096), 0);
	assert_int_equal(tacho_buffer_new(&to, d, TACHO_DRAM, 5 * 4096, 4096), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct tile t;

		fill_input((uint8_t *)page, i, TACHO_FLOAT32);
		tile_unpack(&t, (const uint8_t *)page, TACHO_FLOAT32);
		for (unsigned k = 0; i == 0 && k < TILE_VALUES; k++)
			t.f[k] = -3 - t.f[k]; /* a maximum below 0 */
		for (unsigned r = 0; i == 0 && r < DIM; r++)
			for (unsigned c = 0; c < DIM; c++)
				in[0][r][c] = t.f[tile_at(r, c)];
		if (i == 2)
			in[2][0][0] = t.f[0] = 1;
		tile_pack_shape((uint8_t *)page, &t, TILE_FLOAT32, i == 2 ? TILE_WHOLE : shape);
		assert_int_equal(tacho_buffer_write(from, 4096ull * i, page, 4096), 0);
	}
	args[0] = tacho_buffer_address(from);
	args[1] = tacho_buffer_address(to);
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_true(
			tacho_program_cb(p, &(struct tacho_cb){.index = cbs[i],
							       .pages = 1,
							       .page_size = i == 2 ? 4096 : bytes,
							       .tile_height = i == 2 ? 0 : height,
							       .tile_width = i == 2 ? 0 : width,
							       .format = TACHO_FLOAT32}) >= 0);
	mover = tacho_program_kernel(
		p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/cpp_tiles.cpp",
					  .compile_args = words,
					  .compile_arg_count = 5});
	assert_true(tacho_program_kernel(p, &(struct tacho_kernel){.source = "shapes.cpp",
								   .text = shapes_text,
								   .risc = TACHO_COMPUTE}) >= 0);
	assert_int_equal(tacho_program_args(p, mover, (struct tacho_core){0, 0}, args, 2), 0);
	program_run(d, p, 1);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(tacho_buffer_read(to, 4096ull * i, page, 4096), 0);
		shapes_compare(page, i, height, width);
	}
	tacho_program_free(p);
	tacho_buffer_free(from);
	tacho_buffer_free(to);
}

static void test_shapes(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p;

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	shapes_run(d, 16, 32);
	shapes_run(d, 4, 16);
	assert_int_equal(tacho_program_new(&p, d), 0);
	assert_true(tacho_program_cb(
			    p, &(struct tacho_cb){.pages = 1, .page_size = 64, .tile_height = 3}) <
		    0);
	assert_non_null(strstr(tacho_device_error(), "circular buffer 0: tiles of 3 x 32, not of"));
	assert_int_equal(
		tacho_program_cb(
			p, &(struct tacho_cb){.pages = 1, .page_size = 1024, .tile_height = 16}),
		0);
	assert_true(
		tacho_program_kernel(p, &(struct tacho_kernel){.source = "tile.c",
							       .text = "void kernel_main(void) {}",
							       .risc = TACHO_COMPUTE}) >= 0);
	assert_true(tacho_program_compile(p) < 0);
	assert_non_null(
		strstr(tacho_device_error(),
		       "circular buffer 0 has tiles of 16 x 32, the compute kernel tile.c"));
	tacho_program_free(p);
	tacho_device_close(d);
}

/* ---- statistics, sorting, and the vector unit on the thread that packs ---- */
static const char dst_text[] =
	"#include \"api/compute/eltwise_unary/topk.h\"\n"
	"#include \"api/compute/reduce_custom.h\"\n"
	"#include \"api/compute/tilize.h\"\n"
	"#include \"api/compute/welford.h\"\n"
	"#define RESULT(n, at_pack, ...) do { tile_regs_acquire(); __VA_ARGS__; tile_regs_commit(); \\\n"
	"	tile_regs_wait(); at_pack; for (uint32_t i = 0; i < 2; i++) { cb_reserve_back(16, 1); \\\n"
	"	pack_tile(n + i, 16); cb_push_back(16, 1); } tile_regs_release(); } while (0)\n"
	"constexpr std::array<uint32_t, 0> none{};\n"
	"template <int n> void repeat() {\n"
	"#pragma GCC unroll(n)\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		copy_tile_to_dst_init_short(0);\n"
	"		copy_tile(i, 0, i);\n"
	"		copy_tile(i, 0, i + n);\n"
	"	}\n"
	"}\n"
	"void kernel_main()\n"
	"{\n"
	"	for (uint32_t i = 0; i < 3; i++)\n"
	"		cb_wait_front(i, 1);\n"
	"	RESULT(2, , repeat<2>(); welford_init(); welford_update(0, 0, none);\n"
	"	       welford_save_state(2, 1); welford_clear(); welford_restore_state(2, 1);\n"
	"	       welford_update_rows(1, 32, 4, 28, none); welford_finalize_to_row(2, 59, none));\n"
	"	RESULT(0, , repeat<2>(); topk_tile_init(); topk_local_sort(0, 0, 4);\n"
	"	       topk_merge(0, 0, 32); topk_rebuild(0, 0, 0, 32, 5, 1));\n"
	"	RESULT(2, , repeat<2>(); topk_local_sort<true>(0, 1, 5));\n"
	"	RESULT(0, (mul_unary_tile_pack(1, 0x40000000)), repeat<2>());\n"
	"	RESULT(0, , (tilizeA_B_reduce_init(0, 2, 1)); unpack_tilizeA_B_block(0, 2, 1, 0);\n"
	"	       (reduce_tile_math<PoolType::MAX, ReduceDim::REDUCE_COL>(0));\n"
	"	       reduce_block_max_row_init<1>(); reduce_block_max_row<1>(0, 2, 0, 1));\n"
	"}\n";

static int doubles_compare_falling(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* The value of result NUMBER at R, C; NAN: not checked. */
static double dst_reference(unsigned number, unsigned r, unsigned c)
{
	double v[64], mean = 0, squares = 0, most = -INFINITY;

	for (unsigned k = 0; k < DIM; k++) {
		v[k] = in[0][k][c];
		v[DIM + k] = in[1][k][c];
	}
	for (unsigned k = 0; k < 64; k++)
		mean += k >= 32 && k < 36 ? 0 : v[k] / 60;
	for (unsigned k = 0; k < 64; k++)
		squares += k >= 32 && k < 36 ? 0 : (v[k] - mean) * (v[k] - mean);
	qsort(v, 64, sizeof(v[0]), doubles_compare_falling);
	switch (number) {
	case 0:
		return r ? NAN : mean;
	case 1:
		return r ? NAN : squares / 60;
	case 2:
		return v[r];
	case 4:
	case 5: /* what moved with the values: the same values */
		return v[63 - r - (number - 4) * DIM];
	case 6:
		return in[0][r][c];
	case 7:
		return 2 * in[1][r][c];
	case 8: /* the page as rows */
		for (unsigned k = 0; k < DIM; k++) {
			unsigned at = k * DIM + c, face = at / 256, line = at % 256 / 16;

			most = fmax(most, in[0][face / 2 * 16 + line][face % 2 * 16 + at % 16] *
						  in[2][0][0]);
		}
		return r ? NAN : most;
	case 9:
		for (unsigned k = 0; k < DIM; k++)
			most = fmax(most, in[0][r][k] * in[2][0][0]);
		return c ? NAN : most;
	default:
		return NAN;
	}
}

static void test_dst(void **state)
{
	uint32_t args[2], words[] = {10, 2, 4096, 2, 4096};
	static const unsigned cbs[] = {0, 1, 2, 16};
	struct tacho_buffer *from, *to;
	struct tacho_device *d;
	struct tacho_program *p;
	uint8_t page[4096];
	struct tile t;
	int mover;

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	assert_int_equal(tacho_buffer_new(&from, d, TACHO_DRAM, 3 * 4096, 4096), 0);
	assert_int_equal(tacho_buffer_new(&to, d, TACHO_DRAM, 10 * 4096, 4096), 0);
	for (unsigned i = 0; i < 3; i++) {
		fill_input(page, i, TACHO_FLOAT32);
		if (i == 2)
			memcpy(page, &(float){in[2][0][0] = 1}, 4);
		assert_int_equal(tacho_buffer_write(from, 4096ull * i, page, 4096), 0);
	}
	args[0] = tacho_buffer_address(from);
	args[1] = tacho_buffer_address(to);
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_true(tacho_program_cb(p, &(struct tacho_cb){.index = cbs[i],
								   .pages = 2,
								   .page_size = 4096,
								   .format = TACHO_FLOAT32}) >= 0);
	mover = tacho_program_kernel(
		p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/cpp_tiles.cpp",
					  .compile_args = words,
					  .compile_arg_count = 5});
	assert_true(tacho_program_kernel(p, &(struct tacho_kernel){.source = "dst.cpp",
								   .text = dst_text,
								   .risc = TACHO_COMPUTE}) >= 0);
	assert_int_equal(tacho_program_args(p, mover, (struct tacho_core){0, 0}, args, 2), 0);
	program_run(d, p, 1);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(tacho_buffer_read(to, 4096ull * i, page, 4096), 0);
		tile_unpack(&t, page, TACHO_FLOAT32);
		for (unsigned at = 0; at < DIM * DIM; at++) {
			unsigned r = at / DIM, c = at % DIM;
			double want = dst_reference(i, r, c);

			if (!isnan(want) && !(fabs(t.f[tile_at(r, c)] - want) < 1e-5))
				fail_msg("result %u, row %u, column %u: %g, not %g", i, r, c,
					 t.f[tile_at(r, c)], want);
		}
	}
	tacho_program_free(p);
	tacho_buffer_free(from);
	tacho_buffer_free(to);
	tacho_device_close(d);
}

/* ---- between cores ---- */

/*
 * Core 0,0 sends to all: data by multicast, a count by an atomic multicast, bytes of a word; it
 * reads back by transaction id and by a command's state. The others wait for it and answer by a
 * semaphore.
 */
static const char sender_text[] =
	"void kernel_main() {\n"
	"	uint32_t x0 = get_arg_val<uint32_t>(0), y0 = get_arg_val<uint32_t>(1);\n"
	"	uint32_t x1 = get_arg_val<uint32_t>(2), y1 = get_arg_val<uint32_t>(3);\n"
	"	uint32_t others = get_arg_val<uint32_t>(4);\n"
	"	Semaphore<> ready(0), done(1);\n"
	"	Noc noc;\n"
	"	CoreLocalMem<volatile uint32_t> data(0x100000), back(0x102000);\n"
	"	if (get_absolute_logical_x() || get_absolute_logical_y()) {\n"
	"		ready.wait(7);\n"
	"		done.up(noc, x0, y0, 1);\n"
	"		noc.async_atomic_barrier();\n"
	"		return;\n"
	"	}\n"
	"	for (uint32_t i = 0; i < 1024; i++)\n"
	"		data[i] = 1000 + i;\n"
	"	noc.async_write_multicast<NocOptions::MCAST_INCL_SRC>(data, MulticastEndpoint{}, 4096,\n"
	"		others + 1, {}, {.noc_x_start = x0, .noc_y_start = y0, .noc_x_end = x1,\n"
	"		.noc_y_end = y1, .addr = 0x101000});\n"
	"	noc.async_write_barrier();\n"
	"	noc_inline_dw_write(get_noc_addr(x1, y1, 0x101000), 0xaabbccdd, 0x6);\n"
	"	noc.async_write_barrier();\n"
	"	ready.inc_multicast(noc, x0, y0, x1, y1, 7, others);\n"
	"	noc.async_atomic_barrier();\n"
	"	done.wait(others);\n"
	"	noc.async_read<NocOptions::TXN_ID>(UnicastEndpoint{}, back, 64,\n"
	"		{.noc_x = x1, .noc_y = y1, .addr = 0x101000}, {}, {.trid = 5});\n"
	"	noc.async_read_barrier<NocOptions::TXN_ID>({.trid = 5});\n"
	"	noc_async_read_set_trid(0);\n"
	"	noc_async_read_one_packet_set_state(get_noc_addr(x1, y1, 0), 16);\n"
	"	for (uint32_t i = 0; i < 4; i++)\n"
	"		noc_async_read_one_packet_with_state(0x101040 + 16 * i, 0x102040 + 16 * i);\n"
	"	noc_async_read_barrier();\n"
	"	noc.async_write_zeros(back, 512, {.offset_bytes = 0x400});\n"
	"	noc.write_zeros_l1_barrier();\n"
	"	noc_async_write_one_packet_with_trid(0x100000, get_noc_addr(x1, y1, 0x103000), 32, 3);\n"
	"	noc_async_write_barrier_with_trid(3);\n"
	"	noc_async_full_barrier();\n"
	"}\n";

static void test_between_cores(void **state)
{
	struct tacho_core first, last;
	struct tacho_device_info info;
	struct tacho_device *d;
	struct tacho_program *p;
	struct tacho_core_range all;
	uint32_t words[512], one;
	int kernel;

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	tacho_device_info(d, &info);
	all = (struct tacho_core_range){{0, 0},
					{(uint16_t)(info.columns - 1), (uint16_t)(info.rows - 1)}};
	assert_int_equal(tacho_core_noc(d, all.first, &first), 0);
	assert_int_equal(tacho_core_noc(d, all.last, &last), 0);
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(tacho_program_semaphore(p, all, 0), (int)i);
	kernel = tacho_program_kernel(
		p,
		&(struct tacho_kernel){.source = "cores.cpp", .text = sender_text, .cores = all});
	for (unsigned y = 0; y < info.rows; y++)
		for (unsigned x = 0; x < info.columns; x++)
			assert_int_equal(
				tacho_program_args(p, kernel,
						   (struct tacho_core){(uint16_t)x, (uint16_t)y},
						   (uint32_t[]){first.x, first.y, last.x, last.y,
								info.columns * info.rows - 1},
						   5),
				0);
	memset(words, 0xff, sizeof(words));
	assert_int_equal(tacho_core_write(d, all.first, 0x102400, words, 1024), 0);
	program_run(d, p, 1);
	/* Its own copy, which it sent to itself too. */
	assert_int_equal(tacho_core_read(d, all.first, 0x101000, words, 2048), 0);
	assert_int_equal(words[511], 1511);
	assert_int_equal(tacho_core_read(d, all.last, 0x101000, words, 2048), 0);
	assert_int_equal(words[511], 1511);
	assert_int_equal(words[0], (1000 & 0xff0000ffu) | (0xaabbccddu & 0x00ffff00u));
	/* What was read back. */
	assert_int_equal(tacho_core_read(d, all.first, 0x102000, words, 2048), 0);
	assert_int_equal(words[0], (1000 & 0xff0000ffu) | (0xaabbccddu & 0x00ffff00u));
	for (unsigned i = 1; i < 32; i++)
		assert_int_equal(words[i], 1000 + i);
	for (unsigned i = 256; i < 384; i++)
		assert_int_equal(words[i], 0);
	assert_int_equal(words[384], 0xffffffff);
	assert_int_equal(tacho_core_read(d, all.last, 0x103004, &one, 4), 0);
	assert_int_equal(one, 1001);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* ---- what the compiler is given ---- */
static uint32_t word_of(struct tacho_device *d, unsigned i)
{
	uint32_t v = 0;

	assert_int_equal(tacho_core_read(d, (struct tacho_core){0, 0}, 0x100000 + 4 * i, &v, 4), 0);
	return v;
}

static void test_compile(void **state)
{
	static const char *const defines[] = {"TEXT=\"a, \\\"b\\\" \"", "KIND=std::uint32_t",
					      "FLAG", "TWICE(x)=((x) + (x))", NULL};
	static const char *const folders[] = {DEVICE_KERNELS "/include", NULL};
	static const struct tacho_named_arg named[] = {{"first", 11}, {"second.one", 12}};
	static const char text[] =
		"#include \"answer.h\"\n"
		"#include <algorithm>\n"
		"void kernel_main() {\n"
		"	volatile uint32_t *to = (volatile uint32_t *)0x100000;\n"
		"	constexpr KIND last = kernel_compile_time_args.size() - 1;\n"
		"	to[0] = get_compile_time_arg_val(last);\n"
		"	to[1] = get_named_compile_time_arg_val(\"second.one\");\n"
		"	to[2] = sizeof(TEXT);\n"
		"	to[3] = FLAG + TWICE(4);\n"
		"	to[4] = ANSWER;\n"
		"	to[5] = get_arg(args::here);\n"
		"	to[6] = std::max(get_absolute_logical_x(), get_absolute_logical_y());\n"
		"	to[7] = noc_index;\n"
		"}\n";
	uint32_t args[900];
	struct tacho_program *p;
	struct tacho_device *d;

	(void)state;
	if (!have_compiler())
		return;
	for (unsigned i = 0; i < 900; i++)
		args[i] = i * 5000000u;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	assert_int_equal(tacho_program_new(&p, d), 0);
	assert_true(
		tacho_program_kernel(
			p, &(struct tacho_kernel){
				   .source = "text.cpp",
				   .text = text,
				   .risc = TACHO_NCRISC,
				   .compile_args = args,
				   .compile_arg_count = 900,
				   .defines = defines,
				   .include_paths = folders,
				   .named_args = named,
				   .named_arg_count = 2,
				   .prologue = "namespace args { constexpr "
					       "experimental::CtaVal<uint32_t> here{77}; }"}) >= 0);
	program_run(d, p, 1);
	assert_int_equal(word_of(d, 0), 899 * 5000000u);
	assert_int_equal(word_of(d, 1), 12);
	assert_int_equal(word_of(d, 2), 8);
	assert_int_equal(word_of(d, 3), 9);
	assert_int_equal(word_of(d, 4), 42);
	assert_int_equal(word_of(d, 5), 77);
	assert_int_equal(word_of(d, 6), 0);
	assert_int_equal(word_of(d, 7), 1);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* One line that says what is wrong. */
static void kernel_refused(struct tacho_device *d, const struct tacho_kernel *k, const char *why)
{
	struct tacho_program *p;

	assert_int_equal(tacho_program_new(&p, d), 0);
	if (tacho_program_kernel(p, k) >= 0)
		assert_true(tacho_program_compile(p) < 0);
	if (!strstr(tacho_device_error(), why))
		fail_msg("'%s' is not in: %s", why, tacho_device_error());
	tacho_program_free(p);
}

static void test_wrong(void **state)
{
	struct tacho_device *d;

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	kernel_refused(d, &(struct tacho_kernel){.source = "none.cpp"},
		       "cannot read the kernel none.cpp");
	kernel_refused(d,
		       &(struct tacho_kernel){
			       .source = "few.cpp",
			       .text = "void kernel_main() { (void)get_compile_time_arg_val(3); }"},
		       "the kernel was given fewer compile-time arguments");
	kernel_refused(
		d,
		&(struct tacho_kernel){.source = "name.cpp",
				       .text = "void kernel_main() { constexpr uint32_t x = "
					       "get_named_compile_time_arg_val(\"x\"); (void)x; }"},
		"no_compile_time_argument_of_this_name");
	kernel_refused(d,
		       &(struct tacho_kernel){.source = "define.cpp",
					      .text = "void kernel_main() {}",
					      .defines = (const char *const[]){"A=1\n2", NULL}},
		       "the define A has more than one line");
	tacho_device_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tiles),   cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_dst),     cmocka_unit_test(test_between_cores),
		cmocka_unit_test(test_compile), cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
