/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SFPU's operations on tiles of dst: functions of one value, of two and of three, by the tables
 * of tacho_engine.h. The C library computes them in float, element by element; the hardware's own
 * approximations are not modelled. Integers have functions of their own.
 */
#include "tensix/tile.h"

#include "tensix/wide.h"

#include "tacho_engine.h"

#include <math.h>
#include <string.h>

static float parameter_float(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, 4);
	return v;
}

/* ---- one value ---- */
static float sigmoid_value(float v)
{
	return 1 / (1 + expf(-v));
}

/* Modified Bessel functions I0 and I1: the series converge for results that fit into a float. */
static float bessel_value(float v, int order)
{
	double half = v / 2.0, term = order ? half : 1, sum = term;

	for (int k = 1; k < 500 && fabs(term) > fabs(sum) * 1e-12; k++) {
		term *= half * half / ((double)k * (k + order));
		sum += term;
	}
	return (float)sum;
}

static float erfinv_value(float v)
{
	double x, w;

	if (!(fabsf(v) < 1))
		return fabsf(v) == 1 ? copysignf(INFINITY, v) : NAN;
	/* A first guess, refined by Newton's method. */
	w = log(1 - (double)v * v);
	x = copysign(sqrt(sqrt((4.33 + w / 2) * (4.33 + w / 2) - w / 0.147) - (4.33 + w / 2)), v);
	for (int i = 0; i < 4; i++)
		x -= (erf(x) - (double)v) / (1.1283791670955126 * exp(-x * x));
	return (float)x;
}

static float digamma_value(float v)
{
	double x = v, sum = 0;

	if (x <= 0 && x == floor(x))
		return NAN;
	if (x < 0) /* by reflection */
		return (float)((double)digamma_value((float)(1 - x)) -
			       3.141592653589793 / tan(3.141592653589793 * x));
	for (; x < 10; x++)
		sum -= 1 / x;
	return (float)(sum + log(x) - 1 / (2 * x) - 1 / (12 * x * x) + 1 / (120 * pow(x, 4)) -
		       1 / (252 * pow(x, 6)));
}

/* The result has the sign of the divisor, as in Python. */
static float remainder_value(float a, float b)
{
	float r = fmodf(a, b);

	return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static float sfpu_limit_value(float v, float low, float high)
{
	return v < low ? low : v > high ? high : v;
}

static float function_value(unsigned op, float v)
{
	switch (op) {
	case TE_U_GELU:
		return 0.5f * v * (1 + erff(v * 0.70710678f));
	case TE_U_SQRT:
		return sqrtf(v);
	case TE_U_RECIP:
		return 1 / v;
	case TE_U_SIGMOID:
		return sigmoid_value(v);
	case TE_U_LOG1P:
		return log1pf(v);
	case TE_U_RSQRT:
		return 1 / sqrtf(v);
	case TE_U_TANH:
		return tanhf(v);
	case TE_U_SILU:
		return v * sigmoid_value(v);
	case TE_U_EXP2:
		return exp2f(v);
	case TE_U_EXPM1:
		return expm1f(v);
	case TE_U_SIN:
		return sinf(v);
	case TE_U_COS:
		return cosf(v);
	case TE_U_TAN:
		return tanf(v);
	case TE_U_ASIN:
		return asinf(v);
	case TE_U_ACOS:
		return acosf(v);
	case TE_U_ATAN:
		return atanf(v);
	case TE_U_SINH:
		return sinhf(v);
	case TE_U_COSH:
		return coshf(v);
	case TE_U_ASINH:
		return asinhf(v);
	case TE_U_ACOSH:
		return acoshf(v);
	case TE_U_ATANH:
		return atanhf(v);
	case TE_U_ERF:
		return erff(v);
	case TE_U_ERFC:
		return erfcf(v);
	case TE_U_ERFINV:
		return erfinv_value(v);
	case TE_U_I0:
		return bessel_value(v, 0);
	case TE_U_I1:
		return bessel_value(v, 1);
	case TE_U_LGAMMA:
		return lgammaf(v);
	case TE_U_DIGAMMA:
		return digamma_value(v);
	case TE_U_CBRT:
		return cbrtf(v);
	case TE_U_SOFTSIGN:
		return v / (1 + fabsf(v));
	case TE_U_HARDSIGMOID:
		return sfpu_limit_value(v / 6 + 0.5f, 0, 1);
	case TE_U_HARDMISH:
		return v * sfpu_limit_value(0.5f * v + 1, 0, 1);
	case TE_U_MISH:
		return v * tanhf(v > 20 ? v : log1pf(expf(v)));
	case TE_U_TANH_DERIVATIVE:
		return 1 - tanhf(v) * tanhf(v);
	case TE_U_GELU_DERIVATIVE:
		return 0.5f * (1 + erff(v * 0.70710678f)) + v * 0.39894228f * expf(-0.5f * v * v);
	case TE_U_GELU_TANH:
		return 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
	case TE_U_TANHSHRINK:
		return v - tanhf(v);
	default:
		return v;
	}
}

static float simple_value(unsigned op, float v)
{
	switch (op) {
	case TE_U_RELU:
		return v > 0 ? v : 0;
	case TE_U_ABS:
		return fabsf(v);
	case TE_U_NEGATIVE:
		return -v;
	case TE_U_SQUARE:
		return v * v;
	case TE_U_SIGN:
		return (float)((v > 0) - (v < 0));
	case TE_U_SIGNBIT:
		return signbit(v) ? 1 : 0;
	case TE_U_FLOOR:
		return floorf(v);
	case TE_U_CEIL:
		return ceilf(v);
	case TE_U_TRUNC:
		return truncf(v);
	case TE_U_FRAC:
		return v - truncf(v);
	case TE_U_LOGICAL_NOT:
	case TE_U_EQZ:
		return v == 0;
	case TE_U_NEZ:
		return v != 0;
	case TE_U_LTZ:
		return v < 0;
	case TE_U_GTZ:
		return v > 0;
	case TE_U_LEZ:
		return v <= 0;
	case TE_U_GEZ:
		return v >= 0;
	case TE_U_ISINF:
		return isinf(v) != 0;
	case TE_U_ISPOSINF:
		return isinf(v) && v > 0;
	case TE_U_ISNEGINF:
		return isinf(v) && v < 0;
	case TE_U_ISNAN:
		return isnan(v) != 0;
	case TE_U_ISFINITE:
		return isfinite(v) != 0;
	default:
		return function_value(op, v);
	}
}

static float scalar_compare(unsigned op, float v, float p)
{
	switch (op) {
	case TE_U_UNARY_EQ:
		return v == p;
	case TE_U_UNARY_NE:
		return v != p;
	case TE_U_UNARY_LT:
		return v < p;
	case TE_U_UNARY_GT:
		return v > p;
	case TE_U_UNARY_LE:
		return v <= p;
	default:
		return v >= p;
	}
}

static float scalar_value(unsigned op, float v, const float *p)
{
	switch (op) {
	case TE_U_ADD_UNARY:
		return v + p[0];
	case TE_U_SUB_UNARY:
		return v - p[0];
	case TE_U_MUL_UNARY:
	case TE_U_DIV_UNARY:
		return v * p[0];
	case TE_U_RSUB_UNARY:
		return p[0] - v;
	case TE_U_RDIV:
		return p[0] / v;
	case TE_U_POWER:
		return powf(v, p[0]);
	case TE_U_RPOW:
		return powf(p[0], v);
	case TE_U_ELU:
		return v >= 0 ? v : p[0] * expm1f(v);
	case TE_U_LEAKY_RELU:
		return v >= 0 ? v : p[0] * v;
	case TE_U_RELU_MAX:
		return sfpu_limit_value(v, 0, p[0]);
	case TE_U_RELU_MIN:
	case TE_U_UNARY_MAX:
		return v > p[0] ? v : p[0];
	case TE_U_UNARY_MIN:
		return v < p[0] ? v : p[0];
	case TE_U_HEAVISIDE:
		return v == 0 ? p[0] : v > 0;
	case TE_U_HARDSHRINK:
		return fabsf(v) <= p[0] ? 0 : v;
	case TE_U_SOFTSHRINK:
		return v > p[0] ? v - p[0] : v < -p[0] ? v + p[0] : 0;
	case TE_U_FILL:
		return p[0];
	case TE_U_FMOD:
		return fmodf(v, p[0]);
	case TE_U_REMAINDER:
		return remainder_value(v, p[0]);
	case TE_U_CLAMP:
		return sfpu_limit_value(v, p[0], p[1]);
	case TE_U_THRESHOLD:
		return v > p[0] ? v : p[1];
	case TE_U_CELU:
		return v >= 0 ? v : p[0] * expm1f(v * p[1]);
	case TE_U_SELU:
		return v >= 0 ? p[0] * v : p[0] * p[1] * expm1f(v);
	case TE_U_SOFTCAP:
		return p[0] * tanhf(v * p[1]);
	case TE_U_SOFTPLUS:
		return p[0] * v > p[2] ? v : p[1] * log1pf(expf(p[0] * v));
	case TE_U_XIELU:
		return v > 0 ? p[0] * v * v + 0.5f * v
			     : (expm1f(v < -1e-6f ? v : -1e-6f) - v) * p[1] + 0.5f * v;
	default:
		return scalar_compare(op, v, p[0]);
	}
}

static int32_t scalar_integer(unsigned op, int32_t v, int32_t p)
{
	switch (op) {
	case TE_U_ADD_UNARY:
		return (int32_t)((uint32_t)v + (uint32_t)p);
	case TE_U_SUB_UNARY:
		return (int32_t)((uint32_t)v - (uint32_t)p);
	case TE_U_RSUB_UNARY:
		return (int32_t)((uint32_t)p - (uint32_t)v);
	case TE_U_MUL_UNARY:
		return (int32_t)((uint32_t)v * (uint32_t)p);
	case TE_U_FILL:
		return p;
	case TE_U_BITWISE_AND:
		return v & p;
	case TE_U_BITWISE_OR:
		return v | p;
	case TE_U_BITWISE_XOR:
		return v ^ p;
	case TE_U_LEFT_SHIFT:
		return p < 0 || p > 31 ? 0 : (int32_t)((uint32_t)v << p);
	case TE_U_RIGHT_SHIFT:
		return p < 0 || p > 31 ? (v < 0 ? -1 : 0) : v >> p;
	case TE_U_UNARY_EQ:
		return v == p;
	case TE_U_UNARY_NE:
		return v != p;
	case TE_U_REMAINDER:
		return p == 0 ? 0 : (int32_t)(((int64_t)v % p + p) % p);
	case TE_U_FMOD:
		return p == 0 ? 0 : (int32_t)((int64_t)v % p);
	default:
		return v;
	}
}

/* Compares A and B as signed or as unsigned numbers: -1, 0, 1. */
static int integer_order(int32_t a, int32_t b, bool is_unsigned)
{
	uint32_t x = (uint32_t)a, y = (uint32_t)b;

	return is_unsigned ? (x > y) - (x < y) : (a > b) - (a < b);
}

static int32_t unary_integer(unsigned op, int32_t v, const uint32_t *p, bool is_unsigned)
{
	int order = integer_order(v, (int32_t)p[0], is_unsigned);

	switch (op) {
	case TE_U_RELU:
		return !is_unsigned && v < 0 ? 0 : v;
	case TE_U_ABS:
		return v < 0 && !is_unsigned ? (int32_t) - (uint32_t)v : v;
	case TE_U_NEGATIVE:
		return (int32_t) - (uint32_t)v;
	case TE_U_SQUARE:
		return (int32_t)((uint32_t)v * (uint32_t)v);
	case TE_U_SIGN:
		return (v > 0) - (v < 0);
	case TE_U_SIGNBIT:
	case TE_U_LTZ:
		return !is_unsigned && v < 0;
	case TE_U_EQZ:
	case TE_U_LOGICAL_NOT:
		return v == 0;
	case TE_U_NEZ:
		return v != 0;
	case TE_U_GTZ:
		return is_unsigned ? v != 0 : v > 0;
	case TE_U_LEZ:
		return is_unsigned ? v == 0 : v <= 0;
	case TE_U_GEZ:
		return is_unsigned || v >= 0;
	case TE_U_BITWISE_NOT:
		return ~v;
	case TE_U_UNARY_LT:
		return order < 0;
	case TE_U_UNARY_GT:
		return order > 0;
	case TE_U_UNARY_LE:
		return order <= 0;
	case TE_U_UNARY_GE:
		return order >= 0;
	case TE_U_UNARY_MAX:
	case TE_U_RELU_MIN:
		return order > 0 ? v : (int32_t)p[0];
	case TE_U_UNARY_MIN:
		return order < 0 ? v : (int32_t)p[0];
	case TE_U_RELU_MAX:
		return v < 0 && !is_unsigned ? 0 : order < 0 ? v : (int32_t)p[0];
	case TE_U_CLAMP:
		if (order < 0)
			return (int32_t)p[0];
		return integer_order(v, (int32_t)p[1], is_unsigned) > 0 ? (int32_t)p[1] : v;
	default:
		return scalar_integer(op, v, (int32_t)p[0]);
	}
}

/* ---- whole tiles ---- */
static uint32_t random_next(struct tile_state *state)
{
	uint64_t x = state->random ? state->random : 0x9e3779b97f4a7c15ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	state->random = x;
	return (uint32_t)(x >> 32);
}

static bool tile_random(struct tile *t, unsigned op, const uint32_t *p, struct tile_state *state)
{
	float from = parameter_float(p[0]), scale = parameter_float(p[1]);

	if (op == TE_U_RAND_SEED) {
		state->random = (uint64_t)p[0] << 32 | (p[1] * 2654435761u + 1);
		for (int i = 0; i < 8; i++)
			random_next(state);
		return true;
	}
	if (op != TE_U_RAND && op != TE_U_DROPOUT)
		return false;
	tile_make_float(t);
	for (unsigned i = 0; i < TILE_VALUES; i++) {
		uint32_t r = random_next(state);

		if (op == TE_U_RAND)
			t->f[i] = from + scale * ((float)(r >> 8) * 0x1p-24f);
		else
			t->f[i] = (r >> 1) < p[0] ? 0 : t->f[i] * scale;
	}
	return true;
}

/* To integers towards 0, to 16 and 8 bits to the nearest, saturated. */
static void tile_typecast(struct tile *t, uint32_t from, uint32_t to)
{
	if (to == TILE_INT32 || to == TILE_UINT32 || to == TILE_UINT16 || to == TILE_INT8 ||
	    to == TILE_UINT8) {
		for (unsigned i = 0; !t->integer && i < TILE_VALUES; i++) {
			double v = t->f[i];
			double low = to == TILE_INT32 ? -2147483648.0 : to == TILE_INT8 ? -128 : 0;
			double high = to == TILE_INT32    ? 2147483647.0
				      : to == TILE_UINT32 ? 4294967295.0
				      : to == TILE_UINT16 ? 65535
				      : to == TILE_UINT8  ? 255
							  : 127;

			v = to == TILE_INT32 || to == TILE_UINT32 ? trunc(v) : rint(v);
			v = isnan(v) ? 0 : v < low ? low : v > high ? high : v;
			t->i[i] = (int32_t)(uint32_t)(int64_t)v;
		}
		for (unsigned i = 0; t->integer && i < TILE_VALUES; i++) {
			if (to == TILE_UINT16)
				t->i[i] &= 0xffff;
			else if (to == TILE_UINT8)
				t->i[i] &= 0xff;
		}
		t->integer = true;
		return;
	}
	if (t->integer && from == TILE_UINT32) {
		for (unsigned i = 0; i < TILE_VALUES; i++)
			t->f[i] = (float)(uint32_t)t->i[i];
		t->integer = false;
	}
	tile_make_float(t);
	if (to == TILE_BFLOAT16)
		tile_round_bfloat16(t);
}

static bool tile_special(struct tile *t, unsigned op, const uint32_t *p, struct tile_state *state)
{
	struct tile copy;

	switch (op) {
	case TE_U_TYPECAST:
		tile_typecast(t, p[0], p[1]);
		return true;
	case TE_U_CUMSUM:
		tile_make_float(t);
		if (!p[0])
			memset(state->column, 0, sizeof(state->column));
		for (unsigned r = 0; r < TILE_DIM; r++)
			for (unsigned c = 0; c < TILE_DIM; c++)
				t->f[tile_at(r, c)] = state->column[c] += t->f[tile_at(r, c)];
		return true;
	case TE_U_TRANSPOSE_DST:
		copy = *t;
		tile_transpose(t, &copy);
		return true;
	case TE_U_IDENTITY:
		return true;
	case TE_U_FILL: /* the previous value and its type are ignored */
		t->integer = false;
		return false;
	default:
		return tile_welford(t, op, p, state) || tile_random(t, op, p, state);
	}
}

static int32_t reduce_integer(int32_t a, int32_t b, enum tile_reduce op, bool is_unsigned)
{
	bool less = is_unsigned ? (uint32_t)a < (uint32_t)b : a < b;

	if (op == TILE_MAX)
		return less ? b : a;
	if (op == TILE_MIN)
		return less ? a : b;
	return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* Each row into its first value, or each column; an average is that of floats. */
static void tile_reduce_dst(struct tile *t, unsigned flags, enum tile_reduce op, bool columns)
{
	const struct tile one = {.f = {op == TILE_AVG ? 1.0f / TILE_DIM : 1}};
	struct tile source;

	if (!(flags & TE_INT)) {
		tile_make_float(t);
		source = *t;
		tile_reduce(t, &source, &one, op, columns ? TILE_ALONG_COL : TILE_ALONG_ROW, true,
			    TILE_WHOLE);
		return;
	}
	tile_make_integer(t);
	for (unsigned line = 0; line < TILE_DIM; line++) {
		int32_t *first = &t->i[columns ? tile_at(0, line) : tile_at(line, 0)];

		for (unsigned k = 1; k < TILE_DIM; k++)
			*first = reduce_integer(*first,
						t->i[columns ? tile_at(k, line) : tile_at(line, k)],
						op, flags & TE_UNSIGNED);
	}
}

/* The most frequent operations with a scalar, in loops that the compiler vectorizes. */
WIDE void scalars_simple(float *v, unsigned op, float p)
{
	if (op == TE_U_ADD_UNARY)
		for (unsigned i = 0; i < TILE_VALUES; i++)
			v[i] += p;
	else if (op == TE_U_MUL_UNARY)
		for (unsigned i = 0; i < TILE_VALUES; i++)
			v[i] *= p;
	else
		for (unsigned i = 0; i < TILE_VALUES; i++)
			v[i] *= v[i];
}
WIDE_CALL(scalars_simple, (float *v, unsigned op, float p), (v, op, p))

void tile_unary(struct tile *t, unsigned op, unsigned flags, const uint32_t *p,
		struct tile_state *state)
{
	float v[3] = {parameter_float(p[0]), parameter_float(p[1]), parameter_float(p[2])};

	if (op == TE_U_REDUCE_DST) {
		tile_reduce_dst(t, flags, (enum tile_reduce)(p[0] & 3), p[1]);
		return;
	}
	if (!(flags & TE_INT) && tile_special(t, op, p, state))
		return;
	if (flags & TE_INT) {
		tile_make_integer(t);
		for (unsigned i = 0; i < TILE_VALUES; i++)
			t->i[i] = unary_integer(op, t->i[i], p, flags & TE_UNSIGNED);
		return;
	}
	tile_make_float(t);
	if (op == TE_U_ADD_UNARY || op == TE_U_MUL_UNARY || op == TE_U_SQUARE) {
		scalars_simple_best(t->f, op, v[0]);
	} else if (op == TE_U_EXP || op == TE_U_LOG) {
		float scale = flags & TE_SCALED ? v[0] : 1;

		for (unsigned i = 0; i < TILE_VALUES; i++)
			t->f[i] = op == TE_U_EXP ? expf(t->f[i] * scale) : logf(t->f[i]) * scale;
	} else if (op == TE_U_ROUND) {
		double scale = pow(10, (int)p[0]);

		for (unsigned i = 0; i < TILE_VALUES; i++)
			if (isfinite(t->f[i]))
				t->f[i] = (float)(rint(t->f[i] * scale) / scale);
	} else if (op >= TE_U_ADD_UNARY) {
		for (unsigned i = 0; i < TILE_VALUES; i++)
			t->f[i] = scalar_value(op, t->f[i], v);
	} else {
		for (unsigned i = 0; i < TILE_VALUES; i++)
			t->f[i] = simple_value(op, t->f[i]);
	}
}

/* ---- two values ---- */
static float pair_function(unsigned op, float a, float b, const float *p)
{
	switch (op) {
	case TE_B_POWER:
		return powf(a, b);
	case TE_B_ATAN2:
		return atan2f(a, b);
	case TE_B_FMOD:
		return fmodf(a, b);
	case TE_B_REMAINDER:
		return remainder_value(a, b);
	case TE_B_XLOGY:
		return a == 0 && !isnan(b) ? 0 : a * logf(b);
	case TE_B_MASK:
		return b == 0 ? 0 : a;
	case TE_B_MASK_POSINF:
		return b == 0 ? INFINITY : a;
	case TE_B_ISCLOSE:
		return a == b || fabsf(a - b) <= p[1] + p[0] * fabsf(b);
	case TE_B_LOGSIGMOID: /* b is exp(-a): the hardware takes it as an operand */
		return a < -80 ? a : -log1pf(expf(-a));
	default:
		return b;
	}
}

static float sfpu_pair_value(unsigned op, float a, float b, const float *p)
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
	case TE_B_DIV:
		return a / b;
	case TE_B_MAX:
		return a > b ? a : b;
	case TE_B_MIN:
		return a < b ? a : b;
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
	default:
		return pair_function(op, a, b, p);
	}
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint32_t sfpu_magnitude(int32_t v)
{
	return v < 0 ? -(uint32_t)v : (uint32_t)v;
}

static int32_t pair_quotient(unsigned op, int64_t a, int64_t b)
{
	int64_t q;

	if (b == 0)
		return 0;
	q = a / b;
	switch (op) {
	case TE_B_DIV_FLOOR:
		return (int32_t)(q - (a % b != 0 && (a < 0) != (b < 0)));
	case TE_B_FMOD:
		return (int32_t)(a % b);
	case TE_B_REMAINDER:
		return (int32_t)((a % b + b) % b);
	default:
		return (int32_t)q;
	}
}

static int32_t pair_bits(unsigned op, int32_t a, int32_t b)
{
	bool far = b < 0 || b > 31;

	switch (op) {
	case TE_B_AND:
		return a & b;
	case TE_B_OR:
		return a | b;
	case TE_B_XOR:
		return a ^ b;
	case TE_B_SHIFT_LEFT:
		return far ? 0 : (int32_t)((uint32_t)a << b);
	case TE_B_SHIFT_RIGHT:
		return far ? (a < 0 ? -1 : 0) : a >> b;
	case TE_B_SHIFT_LOGICAL:
		return far ? 0 : (int32_t)((uint32_t)a >> b);
	case TE_B_GCD:
		return (int32_t)common_divisor(sfpu_magnitude(a), sfpu_magnitude(b));
	case TE_B_LCM:
		return a && b ? (int32_t)(sfpu_magnitude(a) /
					  common_divisor(sfpu_magnitude(a), sfpu_magnitude(b)) *
					  sfpu_magnitude(b))
			      : 0;
	case TE_B_MASK:
		return b ? a : 0;
	default:
		return b;
	}
}

static int32_t pair_integer(unsigned op, int32_t a, int32_t b, bool is_unsigned)
{
	int order = integer_order(a, b, is_unsigned);

	switch (op) {
	case TE_B_ADD:
		return (int32_t)((uint32_t)a + (uint32_t)b);
	case TE_B_SUB:
		return (int32_t)((uint32_t)a - (uint32_t)b);
	case TE_B_RSUB:
		return (int32_t)((uint32_t)b - (uint32_t)a);
	case TE_B_MUL:
		return (int32_t)((uint32_t)a * (uint32_t)b);
	case TE_B_MAX:
		return order > 0 ? a : b;
	case TE_B_MIN:
		return order < 0 ? a : b;
	case TE_B_EQ:
		return order == 0;
	case TE_B_NE:
		return order != 0;
	case TE_B_LT:
		return order < 0;
	case TE_B_GT:
		return order > 0;
	case TE_B_LE:
		return order <= 0;
	case TE_B_GE:
		return order >= 0;
	case TE_B_DIV:
	case TE_B_DIV_TRUNC:
	case TE_B_DIV_FLOOR:
	case TE_B_FMOD:
	case TE_B_REMAINDER:
		return is_unsigned ? pair_quotient(op, (uint32_t)a, (uint32_t)b)
				   : pair_quotient(op, a, b);
	default:
		return pair_bits(op, a, b);
	}
}

/* The most frequent ones, in loops that the compiler vectorizes. OUT may be one of the others. */
WIDE void pairs_simple(float *out, const float *a, const float *b, unsigned op)
{
	if (op == TE_B_ADD)
		for (unsigned i = 0; i < TILE_VALUES; i++)
			out[i] = a[i] + b[i];
	else if (op == TE_B_SUB)
		for (unsigned i = 0; i < TILE_VALUES; i++)
			out[i] = a[i] - b[i];
	else
		for (unsigned i = 0; i < TILE_VALUES; i++)
			out[i] = a[i] * b[i];
}
WIDE_CALL(pairs_simple, (float *out, const float *a, const float *b, unsigned op), (out, a, b, op))

void tile_pair(struct tile *out, const struct tile *a, const struct tile *b, unsigned op,
	       unsigned flags, const uint32_t *p)
{
	float v[2] = {parameter_float(p[0]), parameter_float(p[1])};
	struct tile x, y;

	if (op == TE_B_COPY) {
		if (out != a)
			*out = *a;
		return;
	}
	if (op <= TE_B_MUL && !(flags & TE_INT) && !a->integer && !b->integer) {
		pairs_simple_best(out->f, a->f, b->f, op);
		out->integer = false;
		return;
	}
	x = *a;
	y = *b;
	/* Integers stay integers, whatever the call says. */
	if ((flags & TE_INT) || (x.integer && y.integer)) {
		tile_make_integer(&x);
		tile_make_integer(&y);
		for (unsigned i = 0; i < TILE_VALUES; i++)
			out->i[i] = pair_integer(op, x.i[i], y.i[i], flags & TE_UNSIGNED);
		out->integer = true;
		return;
	}
	tile_make_float(&x);
	tile_make_float(&y);
	for (unsigned i = 0; i < TILE_VALUES; i++)
		out->f[i] = sfpu_pair_value(op, x.f[i], y.f[i], v);
	out->integer = false;
}

/* ---- three values ---- */
static float triple_value(unsigned op, float a, float b, float c, float p)
{
	switch (op) {
	case TE_T_ADDCMUL:
		return a + p * b * c;
	case TE_T_ADDCDIV:
		return a + p * b / c;
	case TE_T_LGAMMA_REFLECT:
		return c < 0.5f ? 1.1447298858494002f - b - a : a;
	case TE_T_LERP:
		return a + c * (b - a);
	default:
		return a * b + c;
	}
}

void tile_triple(struct tile *out, const struct tile *a, const struct tile *b, const struct tile *c,
		 unsigned op, const uint32_t *p)
{
	struct tile x = *a, y = *b, z = *c;

	if (op == TE_T_WHERE) {
		bool integer = y.integer && z.integer;

		if (!integer) {
			tile_make_float(&y);
			tile_make_float(&z);
		}
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			bool yes = x.integer ? x.i[i] != 0 : x.f[i] != 0;

			out->i[i] = yes ? y.i[i] : z.i[i];
		}
		out->integer = integer;
		return;
	}
	tile_make_float(&x);
	tile_make_float(&y);
	tile_make_float(&z);
	for (unsigned i = 0; i < TILE_VALUES; i++)
		out->f[i] = triple_value(op, x.f[i], y.f[i], z.f[i], parameter_float(p[0]));
	out->integer = false;
}
