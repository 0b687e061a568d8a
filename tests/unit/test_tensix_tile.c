/* SPDX-License-Identifier: Apache-2.0 */
/* Formats and operations of the tile engine against plain host arithmetic. */
#include "tensix_tools.h"

#include "tacho_engine.h"

#include <math.h>

static const unsigned formats[] = {TILE_FLOAT32, TILE_BFLOAT16, TILE_BFP8, TILE_BFP4};
/* Relative precision of a value, of blocks against the largest value of its 16. */
static const double precision[] = {1e-7, 1.0 / 256, 1.0 / 64, 1.0 / 4};

static uint32_t random_state = 99;
static float random_float(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (float)((int32_t)random_state / 2147483648.0 * 4);
}

static void random_tile(struct tile *t)
{
	t->integer = false;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		t->f[i] = random_float();
}

/* Packs and unpacks again: what the engine sees of a tile in this format. */
static void value_through(struct tile *t, unsigned format)
{
	uint8_t bytes[4096];

	assert_true(tile_pack(bytes, t, format));
	assert_true(tile_unpack(t, bytes, format));
}

static void test_formats(void **state)
{
	struct tile a, b;

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		random_tile(&a);
		a.f[5] = 0;
		b = a;
		value_through(&b, formats[k]);
		for (unsigned row = 0; row < 64; row++) {
			float most = 0;

			for (unsigned i = 0; i < 16; i++)
				most = fmaxf(most, fabsf(a.f[16 * row + i]));
			for (unsigned i = 0; i < 16; i++)
				assert_true(fabsf(a.f[16 * row + i] - b.f[16 * row + i]) <=
					    precision[k] * most);
		}
		assert_true(b.f[5] == 0);
		/* what is representable stays as it is */
		a = b;
		value_through(&a, formats[k]);
		assert_memory_equal(a.f, b.f, sizeof(a.f));
	}
	assert_int_equal(tile_bytes(TILE_BFLOAT16), 2048);
	assert_int_equal(tile_bytes(TILE_BFP8), 1088);
	assert_int_equal(tile_bytes(TILE_BFP4), 576);
	assert_int_equal(tile_bytes(99), 0);
	assert_false(tile_unpack(&a, (const uint8_t *)"", 99));
}

static void test_bfloat16_rounding(void **state)
{
	struct tile t = {0};
	uint8_t bytes[2048];
	uint16_t half;

	(void)state;
	t.f[0] = 1.00390625f; /* half way between two: to even */
	t.f[1] = 1.01171875f;
	t.f[2] = INFINITY;
	t.f[3] = NAN;
	tile_pack(bytes, &t, TILE_BFLOAT16);
	memcpy(&half, bytes, 2);
	assert_int_equal(half, 0x3f80);
	memcpy(&half, bytes + 2, 2);
	assert_int_equal(half, 0x3f82);
	memcpy(&half, bytes + 4, 2);
	assert_int_equal(half, 0x7f80);
	memcpy(&half, bytes + 6, 2);
	assert_true((half & 0x7f80) == 0x7f80 && (half & 0x7f));
}

static void test_integers(void **state)
{
	struct tile a = {.integer = true}, b = {.integer = true}, c;
	uint8_t bytes[4096];
	int32_t value;

	(void)state;
	a.i[0] = INT32_MAX;
	b.i[0] = 1;
	a.i[1] = 100000;
	b.i[1] = 100000;
	tile_binary(&c, &a, &b, TILE_ADD, TILE_BCAST_NONE, 0);
	assert_true(c.integer);
	assert_int_equal(c.i[0], INT32_MIN);
	tile_binary(&c, &a, &b, TILE_MUL, TILE_BCAST_NONE, 0);
	assert_int_equal((uint32_t)c.i[1], (uint32_t)(100000ull * 100000ull));
	assert_true(tile_pack(bytes, &c, TILE_UINT32));
	memcpy(&value, bytes + 4, 4);
	assert_int_equal(value, c.i[1]);
	/* and between integers and floats */
	c = (struct tile){0};
	c.f[0] = 2.5f;
	c.f[1] = -7.0f;
	c.f[2] = 3e9f;
	assert_true(tile_pack(bytes, &c, TILE_INT32));
	memcpy(&value, bytes, 4);
	assert_int_equal(value, 2);
	memcpy(&value, bytes + 4, 4);
	assert_int_equal(value, -7);
	memcpy(&value, bytes + 8, 4);
	assert_int_equal((uint32_t)value, 3000000000u);
}

static void test_matmul(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct tile a, b, c = {0}, d;

		random_tile(&a);
		random_tile(&b);
		value_through(&a, formats[k]);
		value_through(&b, formats[k]);
		tile_matmul(&c, &a, &b, false, false);
		d = c;
		tile_matmul(&d, &a, &b, false, false);
		for (unsigned row = 0; row < 32; row++) {
			for (unsigned column = 0; column < 32; column++) {
				double want = 0;

				for (unsigned i = 0; i < 32; i++)
					want += (double)a.f[tile_at(row, i)] *
						b.f[tile_at(i, column)];
				assert_true(fabs(c.f[tile_at(row, column)] - want) < 1e-3);
				assert_true(fabs(d.f[tile_at(row, column)] - 2 * want) < 1e-3);
			}
		}
	}
}

static void test_binary(void **state)
{
	struct tile a, b, c;

	(void)state;
	random_tile(&a);
	random_tile(&b);
	for (unsigned op = 0; op < TILE_BINARIES; op++) {
		for (unsigned how = 0; how < 4; how++) {
			tile_binary(&c, &a, &b, (enum tile_binary)op, (enum tile_broadcast)how, 0);
			for (unsigned row = 0; row < 32; row++) {
				for (unsigned column = 0; column < 32; column++) {
					float x = a.f[tile_at(row, column)];
					float y = b.f[tile_at(
						how == TILE_BCAST_NONE || how == TILE_BCAST_COL
							? row
							: 0,
						how == TILE_BCAST_NONE || how == TILE_BCAST_ROW
							? column
							: 0)];
					float want = op == 0 ? x + y : op == 1 ? x - y : x * y;

					assert_true(c.f[tile_at(row, column)] == want);
				}
			}
		}
	}
}

/* Of double precision, by their definitions; P: the parameters. */
static double reference_sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double reference_gelu(double x)
{
	return 0.5 * x * (1 + erf(x / sqrt(2)));
}

static double reference_clamped(double x, double low, double high)
{
	return fmin(fmax(x, low), high);
}

static double inverse_erf(double y)
{
	double low = -6, high = 6;

	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (erf(middle) < y)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* I0 and I1 as the mean of exp(x cos t) cos(n t). */
static double reference_bessel(double x, int n)
{
	double sum = 0;

	for (int i = 0; i < 2000; i++) {
		double t = M_PI * (i + 0.5) / 2000;

		sum += exp(x * cos(t)) * cos(n * t);
	}
	return sum / 2000;
}

#define UNARY(NAME, low, high, p0, p1, p2, tolerance, want)  \
	static double want_##NAME(double x, const double *p) \
	{                                                    \
		(void)p, (void)x;                            \
		return want;                                 \
	}
#include "sfpu_unaries.h"
#undef UNARY

static const struct {
	unsigned op;
	const char *name;
	double low, high, p[3], tolerance;
	double (*want)(double x, const double *p);
} unaries[] = {
#define UNARY(NAME, low, high, p0, p1, p2, tolerance, want) \
	{TE_U_##NAME, #NAME, low, high, {p0, p1, p2}, tolerance, want_##NAME},
#include "sfpu_unaries.h"
#undef UNARY
};

/* Each function within the tolerance that is stated for it, relative for values above 1. */
static void test_unary(void **state)
{
	uint32_t tested[(TE_UNARY_COUNT + 31) / 32] = {0};

	(void)state;
	for (unsigned k = 0; k < sizeof(unaries) / sizeof(unaries[0]); k++) {
		struct tile_state memory = {0};
		struct tile a = {0}, b;
		uint32_t p[8] = {0};

		tested[unaries[k].op / 32] |= 1u << unaries[k].op % 32;
		for (unsigned i = 0; i < 3; i++) {
			float v = (float)unaries[k].p[i];

			memcpy(&p[i], &v, 4);
		}
		if (unaries[k].op == TE_U_ROUND)
			p[0] = (uint32_t)unaries[k].p[0];
		for (unsigned i = 0; i < TILE_VALUES; i++)
			a.f[i] = (float)(unaries[k].low +
					 (unaries[k].high - unaries[k].low) * i / 1023.0);
		b = a;
		tile_unary(&b, unaries[k].op, TE_SCALED, p, &memory);
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			double want = unaries[k].want(a.f[i], unaries[k].p);
			double most = unaries[k].tolerance * fmax(1, fabs(want));

			if (!(fabs(b.f[i] - want) <= most) && !(isnan(want) && isnan(b.f[i])) &&
			    want != b.f[i])
				fail_msg("%s(%g) is %g, not %g", unaries[k].name, (double)a.f[i],
					 (double)b.f[i], want);
		}
	}
	/* None is forgotten but those that have tests of their own, and those for integers. */
	for (unsigned op = 0; op < TE_UNARY_COUNT; op++)
		if (!(tested[op / 32] >> op % 32 & 1) && op != TE_U_RAND && op != TE_U_RAND_SEED &&
		    op != TE_U_DROPOUT && op != TE_U_TYPECAST && op != TE_U_CUMSUM &&
		    op != TE_U_TRANSPOSE_DST && op != TE_U_IDENTITY && op < TE_U_REDUCE_DST &&
		    (op < TE_U_BITWISE_AND || op > TE_U_RIGHT_SHIFT) && op != TE_U_BITWISE_NOT)
			fail_msg("unary operation %u is not tested", op);
}

static double want_binary(unsigned op, double a, double b)
{
	switch (op) {
	case TE_B_ADD:
		return a + b;
	case TE_B_SUB:
		return a - b;
	case TE_B_MUL:
		return a * b;
	case TE_B_DIV:
		return a / b;
	case TE_B_RSUB:
		return b - a;
	case TE_B_POWER:
		return pow(a, b);
	case TE_B_MAX:
		return fmax(a, b);
	case TE_B_MIN:
		return fmin(a, b);
	case TE_B_EQ:
		return a == b;
	case TE_B_NE:
		return a != b;
	case TE_B_LT:
		return a < b;
	case TE_B_GT:
		return a > b;
	case TE_B_LE:
		return a <= b;
	case TE_B_GE:
		return a >= b;
	case TE_B_ATAN2:
		return atan2(a, b);
	case TE_B_FMOD:
		return fmod(a, b);
	case TE_B_REMAINDER:
		return a - b * floor(a / b);
	case TE_B_XLOGY:
		return a * log(b);
	case TE_B_COPY:
		return a;
	case TE_B_MASK:
		return b == 0 ? 0 : a;
	case TE_B_LOGSIGMOID:
		return -log1p(exp(-a));
	default:
		return NAN; /* integers only, or a test of its own */
	}
}

static void test_pairs(void **state)
{
	static const uint32_t none[8];

	(void)state;
	for (unsigned op = 0; op < TE_BINARY_COUNT; op++) {
		struct tile a = {0}, b = {0}, c;

		for (unsigned i = 0; i < TILE_VALUES; i++) {
			a.f[i] = (float)((int)(i % 61) - 30) / 8;
			b.f[i] = (float)(1 + i % 37) / 8;
			if (op == TE_B_POWER)
				a.f[i] = fabsf(a.f[i]);
		}
		if (isnan(want_binary(op, 1, 2)))
			continue;
		tile_pair(&c, &a, &b, op, 0, none);
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			double want = want_binary(op, a.f[i], b.f[i]);

			if (!(fabs(c.f[i] - want) <= 2e-6 * fmax(1, fabs(want))))
				fail_msg("binary %u of %g and %g is %g, not %g", op, (double)a.f[i],
					 (double)b.f[i], (double)c.f[i], want);
		}
		/* The result may be an operand. */
		tile_pair(&a, &a, &b, op, 0, none);
		assert_memory_equal(a.f, c.f, sizeof(a.f));
	}
}

static int64_t want_integer(unsigned op, int64_t a, int64_t b)
{
	switch (op) {
	case TE_B_ADD:
		return a + b;
	case TE_B_SUB:
		return a - b;
	case TE_B_RSUB:
		return b - a;
	case TE_B_MUL:
		return a * b;
	case TE_B_MAX:
		return a > b ? a : b;
	case TE_B_MIN:
		return a < b ? a : b;
	case TE_B_LT:
		return a < b;
	case TE_B_GE:
		return a >= b;
	case TE_B_EQ:
		return a == b;
	case TE_B_AND:
		return a & b;
	case TE_B_OR:
		return a | b;
	case TE_B_XOR:
		return a ^ b;
	case TE_B_SHIFT_LEFT:
		return (int32_t)((uint32_t)a << b);
	case TE_B_SHIFT_RIGHT:
		return a >> b;
	case TE_B_SHIFT_LOGICAL:
		return (uint32_t)a >> b;
	case TE_B_DIV_TRUNC:
		return a / b;
	case TE_B_DIV_FLOOR:
		return (int64_t)floor((double)a / (double)b);
	case TE_B_FMOD:
		return a % b;
	case TE_B_REMAINDER:
		return a - b * (int64_t)floor((double)a / (double)b);
	default:
		return INT64_MIN;
	}
}

static void test_integer_pairs(void **state)
{
	static const uint32_t none[8];
	struct tile a = {.integer = true}, b = {.integer = true}, c;

	(void)state;
	for (unsigned i = 0; i < TILE_VALUES; i++) {
		a.i[i] = (int32_t)(i * 7919) - 4000000;
		b.i[i] = (int32_t)(1 + i % 29);
	}
	for (unsigned op = 0; op < TE_BINARY_COUNT; op++) {
		if (want_integer(op, 1, 1) == INT64_MIN)
			continue;
		tile_pair(&c, &a, &b, op, TE_INT, none);
		assert_true(c.integer);
		for (unsigned i = 0; i < TILE_VALUES; i++)
			if (c.i[i] != (int32_t)want_integer(op, a.i[i], b.i[i]))
				fail_msg("integer %u of %d and %d is %d", op, a.i[i], b.i[i],
					 c.i[i]);
	}
	/* Unsigned numbers have another order. */
	a.i[0] = -1;
	b.i[0] = 1;
	tile_pair(&c, &a, &b, TE_B_MAX, TE_INT | TE_UNSIGNED, none);
	assert_int_equal(c.i[0], -1);
	tile_pair(&c, &a, &b, TE_B_GCD, TE_INT, none);
	assert_int_equal(c.i[0], 1);
}

static void test_triples(void **state)
{
	uint32_t p[8] = {0x40000000}; /* 2 */
	struct tile a = {0}, b = {0}, c = {0}, d;

	(void)state;
	for (unsigned i = 0; i < TILE_VALUES; i++) {
		a.f[i] = (float)(i % 3);
		b.f[i] = (float)i;
		c.f[i] = (float)(i + 1) / 4;
	}
	for (unsigned op = 0; op < TE_TERNARY_COUNT; op++) {
		tile_triple(&d, &a, &b, &c, op, p);
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			double x = a.f[i], y = b.f[i], z = c.f[i];
			double want[TE_TERNARY_COUNT] = {
				[TE_T_WHERE] = x != 0 ? y : z,
				[TE_T_ADDCMUL] = x + 2 * y * z,
				[TE_T_ADDCDIV] = x + 2 * y / z,
				[TE_T_LERP] = x + z * (y - x),
				[TE_T_MAC] = x * y + z,
				[TE_T_LGAMMA_REFLECT] = z < 0.5 ? log(M_PI) - y - x : x,
			};

			assert_true(fabs(d.f[i] - want[op]) <= 1e-6 * fmax(1, fabs(want[op])));
		}
	}
}

static void test_typecast(void **state)
{
	struct tile_state memory = {0};
	struct tile t = {0};
	uint32_t p[8] = {TILE_FLOAT32, TILE_INT32};

	(void)state;
	t.f[0] = 2.7f, t.f[1] = -2.7f, t.f[2] = 1e20f, t.f[3] = NAN;
	tile_unary(&t, TE_U_TYPECAST, 0, p, &memory);
	assert_true(t.integer && t.i[0] == 2 && t.i[1] == -2 && t.i[2] == INT32_MAX && !t.i[3]);
	p[0] = TILE_INT32, p[1] = TILE_BFLOAT16;
	t.i[0] = 257; /* has more digits than a bfloat16 */
	tile_unary(&t, TE_U_TYPECAST, 0, p, &memory);
	assert_true(!t.integer && t.f[0] == 256);
	p[0] = TILE_FLOAT32, p[1] = TILE_UINT16;
	t.f[0] = 70000, t.f[1] = -1, t.f[2] = 2.5f;
	tile_unary(&t, TE_U_TYPECAST, 0, p, &memory);
	assert_true(t.i[0] == 65535 && t.i[1] == 0 && t.i[2] == 2);
}

static void test_cumsum_and_random(void **state)
{
	struct tile_state memory = {0}, again;
	struct tile t = {0}, u;
	uint32_t p[8] = {0, 0x40000000};
	double mean = 0;

	(void)state;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		t.f[i] = 1;
	u = t;
	tile_unary(&t, TE_U_CUMSUM, 0, p, &memory);
	assert_true(t.f[tile_at(0, 5)] == 1 && t.f[tile_at(31, 31)] == 32);
	p[0] = 1;
	tile_unary(&u, TE_U_CUMSUM, 0, p, &memory);
	assert_true(u.f[tile_at(0, 5)] == 33 && u.f[tile_at(31, 0)] == 64);
	p[0] = 42;
	tile_unary(&t, TE_U_RAND_SEED, 0, p, &memory);
	again = memory;
	p[0] = 0x3f800000; /* from 1 over 2 */
	tile_unary(&t, TE_U_RAND, 0, p, &memory);
	tile_unary(&u, TE_U_RAND, 0, p, &again);
	assert_memory_equal(t.f, u.f, sizeof(t.f));
	for (unsigned i = 0; i < TILE_VALUES; i++) {
		assert_true(t.f[i] >= 1 && t.f[i] < 3);
		mean += t.f[i] / 1024.0;
	}
	assert_true(fabs(mean - 2) < 0.1);
	/* A quarter becomes 0. */
	p[0] = 0x20000000;
	p[1] = 0x3f800000;
	tile_unary(&t, TE_U_DROPOUT, 0, p, &memory);
	for (unsigned i = mean = 0; i < TILE_VALUES; i++)
		mean += t.f[i] == 0;
	assert_true(mean > 180 && mean < 330);
}

/* Column C has a mean of C and, of 32 samples, a variance of 4. */
static void test_welford(void **state)
{
	static const uint32_t save[] = {2 << 8, 0x3f800000, 0}, other[] = {0, 0x3f800000, 0},
			      variance[] = {TE_WELFORD_SQUARES, 0x3d000000, 0};
	struct tile_state memory = {0};
	struct tile t = {0}, kept = {0};

	(void)state;
	for (unsigned r = 0; r < TILE_DIM; r++)
		for (unsigned c = 0; c < TILE_DIM; c++)
			t.f[tile_at(r, c)] = (float)c + (r % 2 ? 2 : -2);
	tile_unary(&t, TE_U_WELFORD, 0, (const uint32_t[]){0, 32 << 8, 0}, &memory);
	tile_unary(&kept, TE_U_WELFORD_STORE, 0, save, &memory);
	/* As the registers hold it: rows 8 to 11, even columns. */
	assert_true(fabsf(kept.f[tile_at(8, 6)] - 6) < 1e-5f);
	assert_true(fabsf(kept.f[tile_at(9, 6)] - 7) < 1e-5f);
	assert_true(fabsf(kept.f[tile_at(10, 0)] - 16) < 1e-5f);
	assert_true(fabsf(kept.f[tile_at(11, 14)] - 31) < 1e-5f);
	assert_true(kept.f[tile_at(8, 7)] == 0 && kept.f[tile_at(12, 6)] == 0);
	tile_unary(&t, TE_U_WELFORD_STORE, 0, variance, &memory);
	assert_true(fabsf(t.f[tile_at(0, 0)] - 4) < 1e-5f);
	tile_unary(&t, TE_U_WELFORD_CLEAR, 0, other, &memory);
	tile_unary(&kept, TE_U_WELFORD_LOAD, 0, save, &memory);
	tile_unary(&t, TE_U_WELFORD_STORE, 0, other, &memory);
	assert_true(fabsf(t.f[tile_at(0, 6)] - 6) < 1e-5f);
}

static void topk_fill(struct tile t[4])
{
	for (unsigned i = 0; i < 64; i++)
		for (unsigned c = 0; c < TILE_DIM; c++) {
			t[i / 32].integer = t[2 + i / 32].integer = true;
			t[i / 32].i[tile_at(i % 32, c)] = (int32_t)((i * 37 + c) % 16);
			t[2 + i / 32].i[tile_at(i % 32, c)] = (int32_t)i;
		}
}

/* True if COUNT values from FIRST on are in order; equal ones by index, if STABLE. */
static bool topk_sorted(const struct tile t[4], unsigned first, unsigned count, bool rising,
			bool stable)
{
	for (unsigned i = first + 1; i < first + count; i++)
		for (unsigned c = 0; c < TILE_DIM; c++) {
			unsigned a = tile_at((i - 1) % 32, c), b = tile_at(i % 32, c);
			int32_t x = t[(i - 1) / 32].i[a], y = t[i / 32].i[b];

			if (rising ? x > y : x < y)
				return false;
			if (stable && x == y && t[2 + (i - 1) / 32].i[a] > t[2 + i / 32].i[b])
				return false;
		}
	return true;
}

static void test_topk(void **state)
{
	static struct tile t[4];
	struct tile *const all[4] = {&t[0], &t[1], &t[2], &t[3]};

	(void)state;
	topk_fill(t);
	tile_topk(all, TE_U_TOPK_SORT, (const uint32_t[]){0, 2});
	for (unsigned i = 0; i < 8; i++)
		assert_true(topk_sorted(t, 8 * i, 8, i & 1, false));
	/* The rest of the phases one by one; the last one in two parts. */
	tile_topk(all, TE_U_TOPK_SORT, (const uint32_t[]){0, 3 | 3 << 8 | 4 << 24});
	tile_topk(all, TE_U_TOPK_SORT, (const uint32_t[]){0, 4 | 4 << 8 | 5 << 24});
	tile_topk(all, TE_U_TOPK_SORT, (const uint32_t[]){0, 5 | 5 << 8 | 4 << 16 | 6 << 24});
	tile_topk(all, TE_U_TOPK_SORT, (const uint32_t[]){0, 5 | 5 << 8 | 4 << 24});
	assert_true(topk_sorted(t, 0, 64, false, false));
	/* Four sequences of 16: the best 16 come first, sorted, with their indices. */
	topk_fill(t);
	tile_topk(all, TE_U_TOPK_SORT, (const uint32_t[]){TE_TOPK_STABLE, 3});
	tile_topk(all, TE_U_TOPK_MERGE, (const uint32_t[]){TE_TOPK_STABLE, 16 << 8});
	tile_topk(all, TE_U_TOPK_REBUILD, (const uint32_t[]){TE_TOPK_STABLE, 16 << 8});
	assert_true(topk_sorted(t, 0, 16, false, true) && topk_sorted(t, 32, 16, true, false));
	tile_topk(all, TE_U_TOPK_MERGE, (const uint32_t[]){TE_TOPK_STABLE, 1 | 16 << 8});
	tile_topk(all, TE_U_TOPK_REBUILD,
		  (const uint32_t[]){TE_TOPK_STABLE | TE_TOPK_ONE, 1 | 16 << 8});
	assert_true(topk_sorted(t, 0, 16, false, true));
	for (unsigned i = 0; i < 16; i++) /* each value is there four times */
		for (unsigned c = 0; c < TILE_DIM; c++) {
			int32_t value = t[0].i[tile_at(i, c)];

			assert_int_equal(value, 15 - (int32_t)i / 4);
			assert_int_equal((t[2].i[tile_at(i, c)] * 37 + (int32_t)c) % 16, value);
		}
	/* Nothing happens to counts that the network does not have. */
	tile_topk(all, TE_U_TOPK_MERGE, (const uint32_t[]){0, 3 << 8});
	tile_topk(all, TE_U_TOPK_REBUILD, (const uint32_t[]){0, 15 | 128 << 8});
	assert_true(topk_sorted(t, 0, 16, false, true));
}

/* ---- formats ---- */
static void test_other_formats(void **state)
{
	static const unsigned exact[] = {TILE_FLOAT16, TILE_UINT16, TILE_INT8, TILE_UINT8,
					 TILE_TF32};
	uint8_t bytes[4096], rows[32 * 96 * 4];
	struct tile a, b;

	(void)state;
	for (unsigned k = 0; k < 5; k++) {
		a = (struct tile){0};
		a.integer =
			exact[k] == TILE_UINT16 || exact[k] == TILE_INT8 || exact[k] == TILE_UINT8;
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			int v = (int)(i % 200) - (exact[k] == TILE_INT8 ? 100 : 0);

			if (a.integer)
				a.i[i] = v;
			else
				a.f[i] = (float)v / 8;
		}
		assert_true(tile_pack(bytes, &a, exact[k]));
		assert_true(tile_unpack(&b, bytes, exact[k]));
		assert_memory_equal(a.i, b.i, sizeof(a.i));
		assert_int_equal(a.integer, b.integer);
		/* Rows of three tiles; this is the one in the middle. */
		tile_pack_rows(rows + (size_t)32 * tile_value_bytes(exact[k]), &a, exact[k],
			       (size_t)96 * tile_value_bytes(exact[k]), TILE_WHOLE);
		tile_unpack_rows(&b, rows + (size_t)32 * tile_value_bytes(exact[k]), exact[k],
				 (size_t)96 * tile_value_bytes(exact[k]), TILE_WHOLE);
		assert_memory_equal(a.i, b.i, sizeof(a.i));
	}
	/* float16: the smallest, one that rounds, too large. */
	a = (struct tile){0};
	a.f[0] = 0x1p-24f, a.f[1] = 1 + 0x1p-11f, a.f[2] = 65520, a.f[3] = -0x1p-14f;
	tile_pack(bytes, &a, TILE_FLOAT16);
	tile_unpack(&b, bytes, TILE_FLOAT16);
	assert_true(b.f[0] == 0x1p-24f && b.f[1] == 1 && isinf(b.f[2]) && b.f[3] == -0x1p-14f);
	/* Two bits: 0 or the power of two of the row. */
	a.f[0] = 3, a.f[1] = -2, a.f[2] = 0.5f;
	tile_pack(bytes, &a, TILE_BFP2);
	tile_unpack(&b, bytes, TILE_BFP2);
	assert_true(b.f[0] == 2 && b.f[1] == -2 && b.f[2] == 0);
}

static void test_row_broadcast(void **state)
{
	struct tile a = {0}, b = {0}, c;

	(void)state;
	b.f[tile_at(5, 20)] = 7;
	tile_binary(&c, &a, &b, TILE_ADD, TILE_BCAST_ROW, 5);
	assert_true(c.f[tile_at(31, 20)] == 7 && c.f[tile_at(0, 19)] == 0);
	a.f[tile_at(3, 0)] = 4;
	tile_broadcast(&c, &a, TILE_BCAST_COL);
	assert_true(c.f[tile_at(3, 31)] == 4 && c.f[tile_at(4, 31)] == 0);
}

static void test_transpose_and_reduce(void **state)
{
	struct tile a, b, scaler = {0};
	double sum = 0, most = -1e9;

	(void)state;
	random_tile(&a);
	tile_transpose(&b, &a);
	assert_true(b.f[tile_at(3, 29)] == a.f[tile_at(29, 3)]);
	assert_true(b.f[tile_at(17, 1)] == a.f[tile_at(1, 17)]);
	scaler.f[0] = 0.5f;
	b = (struct tile){0};
	tile_reduce(&b, &a, &scaler, TILE_SUM, TILE_ALONG_ROW, true, TILE_WHOLE);
	for (unsigned i = 0; i < 32; i++)
		sum += 0.5 * a.f[tile_at(7, i)];
	assert_true(fabs(b.f[tile_at(7, 0)] - sum) < 1e-4);
	b = (struct tile){0};
	b.f[tile_at(0, 9)] = -1e9f;
	tile_reduce(&b, &a, &scaler, TILE_MAX, TILE_ALONG_COL, false, TILE_WHOLE);
	for (unsigned i = 0; i < 32; i++)
		most = fmax(most, 0.5 * a.f[tile_at(i, 9)]);
	assert_true(fabs(b.f[tile_at(0, 9)] - most) < 1e-6);
	b = (struct tile){0};
	tile_reduce(&b, &a, &scaler, TILE_SUM, TILE_ALONG_BOTH, true, TILE_WHOLE);
	sum = 0;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		sum += 0.5 * a.f[i];
	assert_true(fabs(b.f[0] - sum) < 1e-3);
}

/* Tiles of other shapes: faces of at most 16 rows, one after the other. */
static void test_shapes(void **state)
{
	static const unsigned packed[] = {TILE_FLOAT32, TILE_BFLOAT16, TILE_BFP8, TILE_BFP4};
	struct tile a = {0}, b, scaler = {.f = {1}};
	uint8_t bytes[4096 + 1];
	int32_t most = 0;
	float first;

	(void)state;
	assert_int_equal(tile_shape_bytes(TILE_BFLOAT16, (struct tile_shape){16, 32}), 1024);
	assert_int_equal(tile_shape_bytes(TILE_BFP8, (struct tile_shape){16, 16}), 16 + 256);
	assert_int_equal(tile_shape_bytes(TILE_BFP8, (struct tile_shape){4, 32}), 16 + 128);
	assert_int_equal(tile_shape_bytes(TILE_BFLOAT16, (struct tile_shape){3, 32}), 0);
	assert_int_equal(tile_shape_bytes(TILE_BFLOAT16, (struct tile_shape){64, 32}), 0);
	assert_int_equal(tile_shape_bytes(TILE_BFLOAT16, (struct tile_shape){16, 8}), 0);
	for (unsigned i = 0; i < TILE_VALUES; i++)
		a.f[i] = -ldexpf(1, (int)(i / 16 % 11)); /* a face row: exact in all formats */
	for (unsigned k = 0; k < 4; k++) {
		for (uint8_t rows = 1; rows <= 32; rows *= 2) {
			for (uint8_t columns = 16; columns <= 32; columns *= 2) {
				struct tile_shape shape = {rows, columns};
				uint32_t n = tile_shape_bytes(packed[k], shape);

				bytes[n] = 0x5a;
				assert_true(tile_pack_shape(bytes, &a, packed[k], shape));
				assert_int_equal(bytes[n], 0x5a);
				assert_true(tile_unpack_shape(&b, bytes, packed[k], shape));
				for (unsigned r = 0; r < 32; r++)
					for (unsigned c = 0; c < 32; c++)
						assert_true(b.f[tile_at(r, c)] ==
							    (r < rows && c < columns
								     ? a.f[tile_at(r, c)]
								     : 0));
			}
		}
	}
	/* The second face of 8 x 32 follows the 8 rows of the first. */
	tile_pack_shape(bytes, &a, TILE_FLOAT32, (struct tile_shape){8, 32});
	memcpy(&first, bytes + 8 * 16 * 4, 4);
	assert_true(first == a.f[tile_at(0, 16)]);
	/* Rows and columns of dst, of integers too. */
	for (unsigned i = 0; i < TILE_VALUES; i++)
		b.i[i] = (int32_t)(i * 7919 % 1000) - 500;
	b.integer = true;
	for (unsigned i = 0, least = 0; i < 32; i++)
		least = b.i[tile_at(3, i)] < b.i[tile_at(3, least)] ? i : least,
		most = b.i[tile_at(3, least)];
	tile_unary(&b, TE_U_REDUCE_DST, TE_INT, (const uint32_t[]){TILE_MIN, 0, 0}, NULL);
	assert_int_equal(b.i[tile_at(3, 0)], most);
	for (unsigned i = 0; i < TILE_VALUES; i++)
		b.f[i] = (float)(i % 16);
	b.integer = false;
	tile_unary(&b, TE_U_REDUCE_DST, 0, (const uint32_t[]){TILE_AVG, 1, 0}, NULL);
	assert_true(b.f[tile_at(0, 21)] == 5);
	/* What is outside takes no part in a maximum. */
	tile_unpack_shape(&b, bytes, TILE_FLOAT32, (struct tile_shape){8, 16});
	tile_reduce(&a, &b, &scaler, TILE_MAX, TILE_ALONG_BOTH, true, (struct tile_shape){8, 16});
	assert_true(a.f[0] == -1);
}

/* ---- after the queues ---- */
#define OP(op, operand) ((uint32_t)(op) << 24 | (operand))

static void tile_push(struct tensix_core *c, unsigned thread, uint32_t word)
{
	uint64_t cycle = 0;

	assert_true(engine_push(c, thread, word, &cycle));
}

static void test_engine(void **state)
{
	static const unsigned cycles[] = {16, 32, 48, 64};
	struct tensix *t = tools_device("tiny");
	struct tensix_core *c = &t->cores[tools_core(t, 0, 0)];
	struct tile a, b, want = {0}, got;

	(void)state;
	random_tile(&a);
	random_tile(&b);
	value_through(&a, TILE_BFLOAT16);
	value_through(&b, TILE_BFP8);
	tile_pack(c->l1 + 0x10000, &a, TILE_BFLOAT16);
	tile_pack(c->l1 + 0x11000, &b, TILE_BFP8);
	tile_matmul(&want, &a, &b, false, false);
	value_through(&want, TILE_FLOAT32);
	for (unsigned fidelity = 0; fidelity < 4; fidelity++) {
		uint64_t busy = c->engine ? c->engine->count[COUNT_BUSY + UNIT_FPU] : 0;

		/* the packer's thread comes first and has to wait for the others */
		tile_push(c, 2, OP(0xA6, 1u << 1 << 2 | 1));
		tile_push(c, 2, OP(0xE0, 2u << 16 | TILE_FLOAT32));
		tile_push(c, 2, OP(0xE5, 3));
		tile_push(c, 2, OP(0xE6, 0x12000 / 16));
		tile_push(c, 2, OP(0xE7, 1));
		tile_push(c, 2, OP(0xA5, 1u << 1 << 2));
		assert_true(engine_idle(c, 2) == TENSIX_NEVER);
		tile_push(c, 1, OP(0xE3, fidelity));
		tile_push(c, 1, OP(0xE4, 0u << 8 | 3));
		tile_push(c, 1, OP(0xA4, 1u << 1 << 2));
		tile_push(c, 1, OP(0xE7, 0));
		assert_true(engine_idle(c, 1) == TENSIX_NEVER);
		tile_push(c, 0, OP(0xE0, 0u << 16 | TILE_BFLOAT16));
		tile_push(c, 0, OP(0xE1, 0x10000 / 16));
		tile_push(c, 0, OP(0xE0, 1u << 16 | TILE_BFP8));
		tile_push(c, 0, OP(0xE2, 0x11000 / 16));
		assert_true(engine_idle(c, 2) != TENSIX_NEVER);
		assert_int_equal(c->engine->count[COUNT_BUSY + UNIT_FPU] - busy, cycles[fidelity]);
		/* unpack 32, then math, then pack 64, each 5 to get through */
		assert_true(engine_idle(c, 2) >= 32 + 5 + cycles[fidelity] + 5 + 64 + 5);
		tile_unpack(&got, c->l1 + 0x12000, TILE_FLOAT32);
		assert_memory_equal(got.f, want.f, sizeof(got.f));
		memset(c->l1 + 0x12000, 0, 4096);
	}
	tensix_free(t);
}

static void test_engine_faults(void **state)
{
	static const uint32_t words[] = {OP(0xE1, 0xfffff0), OP(0xE4, 0xff00),   OP(0xE8, 0xff00),
					 OP(0xE0, 0x30000),  OP(0xE6, 0xfffff0), OP(0xE4, 200)};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct tensix *t = tools_device("tiny");
		struct tensix_core *c = &t->cores[tools_core(t, 0, 0)];
		struct tensix_fault f;

		tile_push(c, 1, words[i]);
		assert_true(tensix_fault(t, &f, true));
		assert_int_equal(f.kind, TENSIX_FAULT_ENGINE);
		assert_int_equal(f.risc, TENSIX_T1);
		tensix_free(t);
	}
}

/* A queue that is full of what cannot run refuses more; the RISC would wait. */
static void test_engine_queue(void **state)
{
	struct tensix *t = tools_device("tiny");
	struct tensix_core *c = &t->cores[tools_core(t, 0, 0)];
	uint64_t cycle = 0;

	(void)state;
	for (unsigned i = 0; i < ENGINE_QUEUE; i++)
		assert_true(engine_push(c, 0, OP(0xA6, 1u << 2 | 1), &cycle));
	assert_false(engine_push(c, 0, OP(0x02, 0), &cycle));
	tile_push(c, 1, OP(0xA4, 1u << 2));
	assert_true(engine_push(c, 0, OP(0x02, 0), &cycle));
	tile_push(c, 1, OP(0x55, 0));
	assert_int_equal(t->stats.engine_unknown, 1);
	tensix_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_bfloat16_rounding),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_binary),
		cmocka_unit_test(test_unary),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_integer_pairs),
		cmocka_unit_test(test_triples),
		cmocka_unit_test(test_typecast),
		cmocka_unit_test(test_cumsum_and_random),
		cmocka_unit_test(test_welford),
		cmocka_unit_test(test_topk),
		cmocka_unit_test(test_other_formats),
		cmocka_unit_test(test_row_broadcast),
		cmocka_unit_test(test_transpose_and_reduce),
		cmocka_unit_test(test_engine),
		cmocka_unit_test(test_engine_faults),
		cmocka_unit_test(test_engine_queue),
		cmocka_unit_test(test_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
