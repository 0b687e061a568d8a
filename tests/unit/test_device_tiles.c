/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operation of the tile engine in every format and fidelity, from a compute kernel's calls to
 * the result in DRAM, against double arithmetic on the host.
 */
#include "device_tools.h"
#include "tensix/tile.h"

#include <math.h>

#define DIM 32

struct matrix {
	double v[DIM][DIM];
};

/* What differs from format to format: relative precision against the largest of 16 values. */
static const struct format {
	enum tacho_format format;
	const char *name;
	double precision;
	bool integer;
} formats[] = {
	{TACHO_FLOAT32, "float32", 1e-6, false},   {TACHO_BFLOAT16, "bfloat16", 1.0 / 256, false},
	{TACHO_BFP8_B, "bfp8_b", 1.0 / 64, false}, {TACHO_BFP4_B, "bfp4_b", 1.0 / 4, false},
	{TACHO_INT32, "int32", 0, true},           {TACHO_UINT32, "uint32", 0, true},
};

static uint32_t random_state = 4711;
static double random_value(const struct format *f)
{
	random_state = random_state * 1664525u + 1013904223u;
	if (f->format == TACHO_UINT32)
		return random_state >> 14;
	if (f->integer)
		return (double)((int32_t)random_state >> 14);
	return (int32_t)random_state / 2147483648.0 * 2;
}

static void to_matrix(struct matrix *m, const uint8_t *bytes, const struct format *f)
{
	struct tile t;

	assert_true(tile_unpack(&t, bytes, f->format));
	for (unsigned r = 0; r < DIM; r++)
		for (unsigned c = 0; c < DIM; c++) {
			unsigned at = tile_at(r, c);

			m->v[r][c] = !t.integer                  ? (double)t.f[at]
				     : f->format == TACHO_UINT32 ? (double)(uint32_t)t.i[at]
								 : (double)t.i[at];
		}
}

/* Random values as the format holds them: what the device sees is what the reference computes with.
 */
static void random_input(struct matrix *m, uint8_t *bytes, const struct format *f, bool positive)
{
	struct tile t = {.integer = f->integer};

	for (unsigned i = 0; i < TILE_VALUES; i++) {
		double v = random_value(f);

		v = positive ? fabs(v) + (f->integer ? 1 : 0.25) : v;
		if (f->integer)
			t.i[i] = (int32_t)v;
		else
			t.f[i] = (float)v;
	}
	assert_true(tile_pack(bytes, &t, f->format));
	to_matrix(m, bytes, f);
}

/* ---- the reference ---- */
static double format_other(const struct matrix *b, unsigned r, unsigned c, unsigned broadcast)
{
	return b->v[broadcast < 2 ? r : 0][broadcast == 0 || broadcast == 2 ? c : 0];
}

static double unary_reference(double x, unsigned which)
{
	switch (which) {
	case 0:
		return x > 0 ? x : 0;
	case 1:
		return 0.5 * x * (1 + erf(x / sqrt(2)));
	case 2:
		return exp(x);
	case 3:
		return sqrt(x);
	case 4:
		return 1 / x;
	default:
		return 1 / (1 + exp(-x));
	}
}

static double tile_line(const struct matrix *a, unsigned axis, unsigned at, bool most, double scale)
{
	double sum = 0, top = -1e300;

	for (unsigned i = 0; i < DIM * (axis == 2 ? DIM : 1); i++) {
		double x = scale * (axis == 0   ? a->v[at][i]
				    : axis == 1 ? a->v[i][at]
						: a->v[i / DIM][i % DIM]);

		sum += x;
		top = x > top ? x : top;
	}
	/* dst was cleared: the largest is of that, too */
	return most ? fmax(top, 0) : sum;
}

/* NAN: the operation leaves this place alone. */
static double tile_reference(const struct matrix *a, const struct matrix *b, unsigned code,
			     unsigned r, unsigned c)
{
	double sum = 0;

	if (code == 0) {
		for (unsigned k = 0; k < DIM; k++)
			sum += a->v[r][k] * b->v[k][c];
		return sum;
	}
	if (code < 5)
		return a->v[r][c] + format_other(b, r, c, code - 1);
	if (code < 9)
		return a->v[r][c] - format_other(b, r, c, code - 5);
	if (code < 13)
		return a->v[r][c] * format_other(b, r, c, code - 9);
	if (code == 13)
		return a->v[r][c];
	if (code == 14)
		return a->v[c][r];
	if (code < 32) {
		unsigned op = (code - 16) / 3, axis = (code - 16) % 3;

		if ((axis != 1 && c) || (axis != 0 && r))
			return NAN;
		return tile_line(a, axis, axis == 0 ? r : c, op == 2, b->v[0][0]);
	}
	return unary_reference(a->v[r][c], code - 32);
}

static double value_wrapped(double v, const struct format *f)
{
	uint32_t word = (uint32_t)(int64_t)v;

	return f->format == TACHO_UINT32 ? (double)word : (double)(int32_t)word;
}

/* Of a block format the precision is that of the largest value of the 16 that share an exponent. */
static void tile_compare(const struct matrix *got, const struct matrix *a, const struct matrix *b,
			 unsigned code, const struct format *f)
{
	for (unsigned r = 0; r < DIM; r++) {
		for (unsigned half = 0; half < 2; half++) {
			double most = 0;

			for (unsigned c = 16 * half; c < 16 * half + 16; c++) {
				double want = tile_reference(a, b, code, r, c);

				most = isnan(want) ? most : fmax(most, fabs(want));
			}
			for (unsigned c = 16 * half; c < 16 * half + 16; c++) {
				double want = tile_reference(a, b, code, r, c), have = got->v[r][c];
				bool right;

				if (isnan(want))
					continue;
				right = f->integer ? have == value_wrapped(want, f)
						   : fabs(have - want) <= f->precision * most +
										  1e-5 * (1 + most);
				if (!right)
					fail_msg("%s, operation %u, row %u, column %u: %g, not %g",
						 f->name, code, r, c, have, want);
			}
		}
	}
}

/* ---- on the device ---- */
static unsigned case_choose(uint32_t *codes, const struct format *f, bool positive)
{
	unsigned n = 0;

	for (uint32_t code = 0; code < 38; code++) {
		bool roots =
			code == 35 || code == 36; /* of what is not negative, of what is not 0 */

		if (code == 15 || (code > 24 && code < 32) || roots != positive)
			continue;
		/* sums and products of floats; integers are moved, added, multiplied, cut off at 0
		 */
		if (f->integer && (code == 0 || (code >= 16 && code != 32)))
			continue;
		codes[n++] = code;
	}
	return n;
}

static void run_codes(struct tacho_device *d, const struct format *f, enum tacho_fidelity fidelity,
		      const uint32_t *codes, unsigned n, bool positive)
{
	uint32_t bytes = tile_bytes(f->format), args[4] = {0, 0, bytes, n}, list[40] = {n};
	uint8_t in[2][4096], out[4096];
	struct tacho_buffer *from, *to;
	struct tacho_program *p;
	struct matrix a, b, got;
	int mover, compute;

	random_input(&a, in[0], f, positive);
	random_input(&b, in[1], f, positive);
	assert_int_equal(tacho_buffer_new(&from, d, TACHO_DRAM, 2ull * bytes, bytes), 0);
	assert_int_equal(tacho_buffer_new(&to, d, TACHO_DRAM, (uint64_t)n * bytes, bytes), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(tacho_buffer_write(from, (uint64_t)i * bytes, in[i], bytes), 0);
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(tacho_program_cb(p, &(struct tacho_cb){.index = i == 2 ? 16 : i,
									.pages = 2,
									.page_size = bytes,
									.format = f->format}),
				 (int)i);
	mover = tacho_program_kernel(
		p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/tile_ops.c"});
	compute = tacho_program_kernel(
		p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/tile_ops.c",
					  .risc = TACHO_COMPUTE,
					  .fidelity = fidelity});
	args[0] = tacho_buffer_address(from);
	args[1] = tacho_buffer_address(to);
	memcpy(list + 1, codes, n * sizeof(*codes));
	assert_int_equal(tacho_program_args(p, mover, (struct tacho_core){0, 0}, args, 4), 0);
	assert_int_equal(tacho_program_args(p, compute, (struct tacho_core){0, 0}, list, n + 1), 0);
	program_run(d, p, 1);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(tacho_buffer_read(to, (uint64_t)i * bytes, out, bytes), 0);
		to_matrix(&got, out, f);
		tile_compare(&got, &a, &b, codes[i], f);
	}
	tacho_program_free(p);
	tacho_buffer_free(from);
	tacho_buffer_free(to);
}

static void test_all(void **state)
{
	struct tacho_device *d;
	uint32_t codes[40];

	(void)state;
	if (!have_compiler())
		return;
	assert_int_equal(tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		for (int positive = 0; positive < 2; positive++) {
			unsigned n = case_choose(codes, &formats[i], positive);

			if (n)
				run_codes(d, &formats[i], TACHO_HIFI4, codes, n, positive);
		}
	}
	tacho_device_close(d);
}

/* A fidelity changes how long it takes; the model's results do not depend on it. */
static void test_fidelities(void **state)
{
	static const enum tacho_fidelity fidelities[] = {TACHO_LOFI, TACHO_HIFI2, TACHO_HIFI3,
							 TACHO_HIFI4};
	uint32_t codes[20] = {0};
	uint64_t cycles[4];

	(void)state;
	if (!have_compiler())
		return;
	for (unsigned i = 0; i < 4; i++) {
		struct tacho_device *d;
		uint64_t start;

		assert_int_equal(
			tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}), 0);
		random_state = 1;
		start = tacho_device_cycles(d);
		run_codes(d, &formats[1], fidelities[i], codes, 20, false);
		cycles[i] = tacho_device_cycles(d) - start;
		tacho_device_close(d);
		assert_true(i == 0 || cycles[i] > cycles[i - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_fidelities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
