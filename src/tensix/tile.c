#include "tensix/tile.h"

#include <math.h>
#include <string.h>

#define EXPONENTS 64 /* of a block format: one for 16 values */

static const struct {
	unsigned format;
	uint32_t bytes;
} formats[] = {
	{TILE_FLOAT32, 4096},         {TILE_BFLOAT16, 2048}, {TILE_BFP8, EXPONENTS + 1024},
	{TILE_BFP4, EXPONENTS + 512}, {TILE_INT32, 4096},    {TILE_UINT32, 4096},
};

uint32_t tile_bytes(unsigned format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].format == format)
			return formats[i].bytes;
	return 0;
}

/* Sign and magnitude of BITS against a shared exponent: the magnitude's top bit stands for 2^0. */
static float block_value(uint8_t exponent, uint32_t sm, int bits)
{
	uint32_t magnitude = sm & ((1u << (bits - 1)) - 1);
	float value = ldexpf((float)magnitude, (int)exponent - 127 - (bits - 2));

	return sm >> (bits - 1) & 1 ? -value : value;
}

static uint8_t block_exponent(const float *v)
{
	float most = 0;
	int e;

	for (int i = 0; i < 16; i++)
		if (isfinite(v[i]) && fabsf(v[i]) > most)
			most = fabsf(v[i]);
	if (most == 0)
		return 0;
	frexpf(most, &e);
	e += 126;
	return (uint8_t)(e < 0 ? 0 : e > 254 ? 254 : e);
}

static uint32_t block_code(float v, uint8_t exponent, int bits)
{
	uint32_t most = (1u << (bits - 1)) - 1;
	float scaled = fabsf(v) * ldexpf(1, bits - 2 + 127 - (int)exponent);
	uint32_t magnitude = scaled >= (float)most ? most : (uint32_t)rintf(scaled);

	if (isnan(v))
		magnitude = 0;
	return magnitude | (magnitude && signbit(v) ? 1u << (bits - 1) : 0);
}

static void block_unpack(struct tile *out, const uint8_t *bytes, int bits)
{
	const uint8_t *codes = bytes + EXPONENTS;

	for (unsigned i = 0; i < TILE_VALUES; i++) {
		uint32_t code = bits == 8 ? codes[i] : codes[i / 2] >> (i % 2 * 4) & 15;

		out->f[i] = block_value(bytes[i / 16], code, bits);
	}
}

static void block_pack(uint8_t *bytes, const float *v, int bits)
{
	uint8_t *codes = bytes + EXPONENTS;

	for (unsigned row = 0; row < EXPONENTS; row++) {
		bytes[row] = block_exponent(v + 16 * row);
		for (unsigned i = 16 * row; i < 16 * row + 16; i++) {
			uint32_t code = block_code(v[i], bytes[row], bits);

			if (bits == 8)
				codes[i] = (uint8_t)code;
			else if (i % 2)
				codes[i / 2] |= (uint8_t)(code << 4);
			else
				codes[i / 2] = (uint8_t)code;
		}
	}
}

static uint16_t bfloat16_of(float v)
{
	uint32_t u;

	memcpy(&u, &v, 4);
	if (isnan(v))
		return (uint16_t)(u >> 16 | 0x40);
	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

bool tile_unpack(struct tile *out, const uint8_t *bytes, unsigned format)
{
	out->integer = format == TILE_INT32 || format == TILE_UINT32;
	switch (format) {
	case TILE_FLOAT32:
	case TILE_INT32:
	case TILE_UINT32:
		memcpy(out->f, bytes, sizeof(out->f));
		return true;
	case TILE_BFLOAT16:
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			uint32_t u = (uint32_t)bytes[2 * i] << 16 | (uint32_t)bytes[2 * i + 1]
									    << 24;

			memcpy(&out->f[i], &u, 4);
		}
		return true;
	case TILE_BFP8:
	case TILE_BFP4:
		block_unpack(out, bytes, format == TILE_BFP8 ? 8 : 4);
		return true;
	default:
		return false;
	}
}

static float as_float(const struct tile *t, unsigned i)
{
	return t->integer ? (float)t->i[i] : t->f[i];
}

static int32_t as_integer(const struct tile *t, unsigned i)
{
	double v;

	if (t->integer)
		return t->i[i];
	v = rint((double)t->f[i]);
	if (!(v > -2147483649.0))
		return isnan(v) ? 0 : INT32_MIN;
	/* Above the signed range the bits of an unsigned number are meant. */
	return v > 4294967295.0 ? -1 : (int32_t)(uint32_t)(int64_t)v;
}

bool tile_pack(uint8_t *bytes, const struct tile *in, unsigned format)
{
	float v[TILE_VALUES];
	uint16_t half;

	if (format == TILE_INT32 || format == TILE_UINT32) {
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			int32_t value = as_integer(in, i);

			memcpy(bytes + 4 * i, &value, 4);
		}
		return true;
	}
	for (unsigned i = 0; i < TILE_VALUES; i++)
		v[i] = as_float(in, i);
	switch (format) {
	case TILE_FLOAT32:
		memcpy(bytes, v, sizeof(v));
		return true;
	case TILE_BFLOAT16:
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			half = bfloat16_of(v[i]);
			memcpy(bytes + 2 * i, &half, 2);
		}
		return true;
	case TILE_BFP8:
	case TILE_BFP4:
		block_pack(bytes, v, format == TILE_BFP8 ? 8 : 4);
		return true;
	default:
		return false;
	}
}

static void to_rows(float rows[TILE_DIM][TILE_DIM], const struct tile *t)
{
	for (unsigned r = 0; r < TILE_DIM; r++)
		for (unsigned c = 0; c < TILE_DIM; c++)
			rows[r][c] = as_float(t, tile_at(r, c));
}

static void make_float(struct tile *t)
{
	if (!t->integer)
		return;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		t->f[i] = (float)t->i[i];
	t->integer = false;
}

void tile_matmul(struct tile *dst, const struct tile *a, const struct tile *b)
{
	float ra[TILE_DIM][TILE_DIM], rb[TILE_DIM][TILE_DIM];

	make_float(dst);
	to_rows(ra, a);
	to_rows(rb, b);
	for (unsigned r = 0; r < TILE_DIM; r++) {
		float sum[TILE_DIM] = {0};

		for (unsigned k = 0; k < TILE_DIM; k++)
			for (unsigned c = 0; c < TILE_DIM; c++)
				sum[c] += ra[r][k] * rb[k][c];
		for (unsigned c = 0; c < TILE_DIM; c++)
			dst->f[tile_at(r, c)] += sum[c];
	}
}

static unsigned broadcast_at(unsigned r, unsigned c, enum tile_broadcast broadcast)
{
	switch (broadcast) {
	case TILE_BCAST_COL:
		return tile_at(r, 0);
	case TILE_BCAST_ROW:
		return tile_at(0, c);
	case TILE_BCAST_SCALAR:
		return 0;
	default:
		return tile_at(r, c);
	}
}

static float float_binary(float a, float b, enum tile_binary op)
{
	return op == TILE_ADD ? a + b : op == TILE_SUB ? a - b : a * b;
}

static int32_t integer_binary(uint32_t a, uint32_t b, enum tile_binary op)
{
	return (int32_t)(op == TILE_ADD ? a + b : op == TILE_SUB ? a - b : a * b);
}

void tile_binary(struct tile *dst, const struct tile *a, const struct tile *b, enum tile_binary op,
		 enum tile_broadcast broadcast)
{
	dst->integer = a->integer && b->integer;
	for (unsigned r = 0; r < TILE_DIM; r++) {
		for (unsigned c = 0; c < TILE_DIM; c++) {
			unsigned i = tile_at(r, c), k = broadcast_at(r, c, broadcast);

			if (dst->integer)
				dst->i[i] =
					integer_binary((uint32_t)a->i[i], (uint32_t)b->i[k], op);
			else
				dst->f[i] = float_binary(as_float(a, i), as_float(b, k), op);
		}
	}
}

static float unary(float v, enum tile_unary op)
{
	switch (op) {
	case TILE_RELU:
		return v > 0 ? v : 0;
	case TILE_GELU:
		return 0.5f * v * (1 + erff(v * 0.70710678f));
	case TILE_EXP:
		return expf(v);
	case TILE_SQRT:
		return sqrtf(v);
	case TILE_RECIP:
		return 1 / v;
	case TILE_SIGMOID:
		return 1 / (1 + expf(-v));
	default:
		return v;
	}
}

void tile_unary(struct tile *tile, enum tile_unary op)
{
	if (tile->integer && op == TILE_RELU) {
		for (unsigned i = 0; i < TILE_VALUES; i++)
			if (tile->i[i] < 0)
				tile->i[i] = 0;
		return;
	}
	make_float(tile);
	for (unsigned i = 0; i < TILE_VALUES; i++)
		tile->f[i] = unary(tile->f[i], op);
}

void tile_transpose(struct tile *dst, const struct tile *a)
{
	dst->integer = a->integer;
	for (unsigned r = 0; r < TILE_DIM; r++)
		for (unsigned c = 0; c < TILE_DIM; c++)
			dst->i[tile_at(c, r)] = a->i[tile_at(r, c)];
}

static void reduce_line(float *out, const float *v, unsigned n, enum tile_reduce op)
{
	float sum = 0, most = v[0];

	for (unsigned i = 0; i < n; i++) {
		sum += v[i];
		if (v[i] > most)
			most = v[i];
	}
	if (op == TILE_MAX)
		*out = *out > most ? *out : most;
	else
		*out += sum;
}

void tile_reduce(struct tile *dst, const struct tile *a, const struct tile *scaler,
		 enum tile_reduce op, enum tile_axis axis)
{
	float rows[TILE_DIM][TILE_DIM], line[TILE_DIM], columns[TILE_DIM] = {0};
	float scale = as_float(scaler, 0);

	make_float(dst);
	to_rows(rows, a);
	for (unsigned r = 0; r < TILE_DIM; r++)
		for (unsigned c = 0; c < TILE_DIM; c++)
			rows[r][c] *= scale;
	if (axis == TILE_ALONG_ROW) {
		for (unsigned r = 0; r < TILE_DIM; r++)
			reduce_line(&dst->f[tile_at(r, 0)], rows[r], TILE_DIM, op);
		return;
	}
	for (unsigned c = 0; c < TILE_DIM; c++) {
		for (unsigned r = 0; r < TILE_DIM; r++)
			line[r] = rows[r][c];
		if (op == TILE_MAX)
			columns[c] = axis == TILE_ALONG_COL ? dst->f[tile_at(0, c)] : line[0];
		else
			columns[c] = axis == TILE_ALONG_COL ? dst->f[tile_at(0, c)] : 0;
		reduce_line(&columns[c], line, TILE_DIM, op);
		if (axis == TILE_ALONG_COL)
			dst->f[tile_at(0, c)] = columns[c];
	}
	if (axis == TILE_ALONG_BOTH)
		reduce_line(&dst->f[0], columns, TILE_DIM, op);
}
