/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles between memory and the engine: the formats. The loops over all values are written so that
 * the compiler vectorizes them; on x86 they are compiled twice, and the wider form is used where
 * the processor supports it. Both give the same bits.
 */
#include "tensix/tile.h"

#include "tensix/wide.h"

#include <math.h>
#include <string.h>

#define EXPONENTS 64 /* of a block format: one for 16 values */

static const struct {
	unsigned format;
	uint32_t value, bytes;
} formats[] = {
	{TILE_FLOAT32, 4, 4096},
	{TILE_BFLOAT16, 2, 2048},
	{TILE_FLOAT16, 2, 2048},
	{TILE_TF32, 4, 4096},
	{TILE_BFP8, 0, EXPONENTS + 1024},
	{TILE_BFP4, 0, EXPONENTS + 512},
	{TILE_BFP2, 0, EXPONENTS + 256},
	{TILE_INT32, 4, 4096},
	{TILE_UINT32, 4, 4096},
	{TILE_UINT16, 2, 2048},
	{TILE_INT8, 1, 1024},
	{TILE_UINT8, 1, 1024},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

uint32_t tile_bytes(unsigned format)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].format == format)
			return formats[i].bytes;
	return 0;
}

uint32_t tile_value_bytes(unsigned format)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].format == format)
			return formats[i].value;
	return 0;
}

/* ---- block formats ---- */

/* Sign and magnitude of BITS with a shared exponent: the magnitude's top bit is 2^0. */
static void block_unpack(struct tile *out, const uint8_t *bytes, unsigned bits)
{
	const uint8_t *codes = bytes + EXPONENTS;
	unsigned per_byte = 8 / bits;
	uint32_t most = (1u << (bits - 1)) - 1;

	for (unsigned row = 0; row < EXPONENTS; row++) {
		float scale = ldexpf(1, (int)bytes[row] - 127 - ((int)bits - 2));

		for (unsigned i = 16 * row; i < 16 * row + 16; i++) {
			uint32_t code = (uint32_t)codes[i / per_byte] >> (i % per_byte * bits);
			float value = (float)(code & most) * scale;

			out->f[i] = code >> (bits - 1) & 1 ? -value : value;
		}
	}
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

static uint32_t block_code(float v, float scale, unsigned bits)
{
	uint32_t most = (1u << (bits - 1)) - 1;
	float scaled = fabsf(v) * scale;
	uint32_t magnitude = scaled >= (float)most ? most : (uint32_t)rintf(scaled);

	if (isnan(v))
		magnitude = 0;
	return magnitude | (magnitude && signbit(v) ? 1u << (bits - 1) : 0);
}

static void block_pack(uint8_t *bytes, const float *v, unsigned bits)
{
	uint8_t *codes = bytes + EXPONENTS;
	unsigned per_byte = 8 / bits;

	for (unsigned row = 0; row < EXPONENTS; row++) {
		float scale;

		bytes[row] = block_exponent(v + 16 * row);
		scale = ldexpf(1, (int)bits - 2 + 127 - (int)bytes[row]);
		for (unsigned i = 16 * row; i < 16 * row + 16; i++) {
			uint32_t code = block_code(v[i], scale, bits) << (i % per_byte * bits);

			if (i % per_byte == 0)
				codes[i / per_byte] = 0;
			codes[i / per_byte] |= (uint8_t)code;
		}
	}
}

/* ---- bfloat16 and float16 ---- */
WIDE void bfloat16_unpack(uint32_t *out, const uint16_t *in, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = (uint32_t)in[i] << 16;
}
WIDE_CALL(bfloat16_unpack, (uint32_t * out, const uint16_t *in, unsigned n), (out, in, n))

/* Rounds to nearest, ties to even; NaN stays NaN. */
WIDE void bfloat16_pack(uint16_t *out, const uint32_t *in, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t u = in[i], rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
		uint32_t nan = u >> 16 | 0x40;

		out[i] = (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? nan : rounded);
	}
}
WIDE_CALL(bfloat16_pack, (uint16_t * out, const uint32_t *in, unsigned n), (out, in, n))

static float float16_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	float v;

	if (exponent == 31)
		v = h & 1023 ? NAN : INFINITY;
	else if (exponent)
		v = ldexpf((float)(1024 + (h & 1023)), exponent - 25);
	else
		v = ldexpf((float)(h & 1023), -24);
	return h >> 15 ? -v : v;
}

static uint16_t float16_bits(float v)
{
	uint16_t sign = signbit(v) ? 0x8000 : 0;
	int e;
	float m;

	if (isnan(v))
		return sign | 0x7e00;
	v = fabsf(v);
	if (v >= 65520)
		return sign | 0x7c00;
	if (v < 0x1p-14f)
		return sign | (uint16_t)rintf(v * 0x1p24f);
	m = frexpf(v, &e); /* m in [0.5, 1) */
	return sign | (uint16_t)((uint32_t)((e + 14) << 10) + (uint32_t)rintf(m * 2048) - 1024);
}

/* ---- any number of values of a format that has no blocks ---- */
static void values_unpack(int32_t *out, const uint8_t *in, unsigned format, unsigned n)
{
	switch (format) {
	case TILE_BFLOAT16:
		bfloat16_unpack_best((uint32_t *)out, (const uint16_t *)(const void *)in, n);
		break;
	case TILE_FLOAT16:
		for (unsigned i = 0; i < n; i++) {
			float v = float16_value((uint16_t)(in[2 * i] | in[2 * i + 1] << 8));

			memcpy(&out[i], &v, 4);
		}
		break;
	case TILE_UINT16:
		for (unsigned i = 0; i < n; i++)
			out[i] = in[2 * i] | in[2 * i + 1] << 8;
		break;
	case TILE_INT8:
		for (unsigned i = 0; i < n; i++)
			out[i] = (in[i] ^ 0x80) - 0x80; /* the sign is extended */
		break;
	case TILE_UINT8:
		for (unsigned i = 0; i < n; i++)
			out[i] = in[i];
		break;
	default:
		memcpy(out, in, 4 * (size_t)n);
		break;
	}
}

static bool tile_format_is_integer(unsigned format)
{
	return format == TILE_INT32 || format == TILE_UINT32 || format == TILE_UINT16 ||
	       format == TILE_INT8 || format == TILE_UINT8;
}

static unsigned block_bits(unsigned format)
{
	return format == TILE_BFP8 ? 8 : format == TILE_BFP4 ? 4 : format == TILE_BFP2 ? 2 : 0;
}

bool tile_unpack(struct tile *out, const uint8_t *bytes, unsigned format)
{
	if (!tile_bytes(format))
		return false;
	out->integer = tile_format_is_integer(format);
	if (block_bits(format))
		block_unpack(out, bytes, block_bits(format));
	else
		values_unpack(out->i, bytes, format, TILE_VALUES);
	return true;
}

/* ---- the values of a tile in the form that the packer needs ---- */
static int32_t integer_of(float f)
{
	double v = rint((double)f);

	if (!(v > -2147483649.0))
		return isnan(v) ? 0 : INT32_MIN;
	/* Values above the signed range are the bits of an unsigned number. */
	return v > 4294967295.0 ? -1 : (int32_t)(uint32_t)(int64_t)v;
}

void tile_make_integer(struct tile *t)
{
	if (t->integer)
		return;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		t->i[i] = integer_of(t->f[i]);
	t->integer = true;
}

void tile_make_float(struct tile *t)
{
	if (!t->integer)
		return;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		t->f[i] = (float)t->i[i];
	t->integer = false;
}

void tile_round_bfloat16(struct tile *t)
{
	uint16_t half[TILE_VALUES];

	bfloat16_pack_best(half, (const uint32_t *)t->i, TILE_VALUES);
	bfloat16_unpack_best((uint32_t *)t->i, half, TILE_VALUES);
}

/* IN: floats or integers, depending on the format. */
static void values_pack(uint8_t *bytes, const int32_t *in, unsigned format, unsigned n)
{
	switch (format) {
	case TILE_BFLOAT16:
		bfloat16_pack_best((uint16_t *)(void *)bytes, (const uint32_t *)in, n);
		break;
	case TILE_FLOAT16:
	case TILE_UINT16:
		for (unsigned i = 0; i < n; i++) {
			uint16_t half = (uint16_t)in[i];
			float v;

			memcpy(&v, &in[i], 4);
			if (format == TILE_FLOAT16)
				half = float16_bits(v);
			memcpy(bytes + 2 * i, &half, 2);
		}
		break;
	case TILE_INT8:
	case TILE_UINT8:
		for (unsigned i = 0; i < n; i++)
			bytes[i] = (uint8_t)in[i];
		break;
	default:
		memcpy(bytes, in, 4 * (size_t)n);
		break;
	}
}

/* IN, or a copy in SPACE with the kind of values that FORMAT needs. */
static const struct tile *tile_for(const struct tile *in, unsigned format, struct tile *space)
{
	bool integer = tile_format_is_integer(format);

	if (in->integer == integer)
		return in;
	*space = *in;
	if (integer)
		tile_make_integer(space);
	else
		tile_make_float(space);
	return space;
}

bool tile_pack(uint8_t *bytes, const struct tile *in, unsigned format)
{
	struct tile space;

	if (!tile_bytes(format))
		return false;
	in = tile_for(in, format, &space);
	if (block_bits(format))
		block_pack(bytes, in->f, block_bits(format));
	else
		values_pack(bytes, in->i, format, TILE_VALUES);
	return true;
}

/* ---- other shapes ---- */
uint32_t tile_shape_bytes(unsigned format, struct tile_shape shape)
{
	uint32_t values = (uint32_t)shape.rows * shape.columns, bytes = tile_bytes(format);
	bool power = shape.rows && !(shape.rows & (shape.rows - 1)) && shape.rows <= TILE_DIM;

	if (!power || (shape.columns != 16 && shape.columns != 32))
		return 0;
	if (!block_bits(format))
		return bytes / TILE_VALUES * values;
	return (values / 16 + 15) / 16 * 16 + values * block_bits(format) / 8;
}

/*
 * The bytes of a row of 16 values in a whole tile and in a smaller one. A row has its values and,
 * in a block format, an exponent. ROW counts the rows of the smaller tile, face after face.
 */
struct tile_row {
	uint32_t whole, exponent; /* in the whole tile */
	uint32_t small, bytes;
};

static struct tile_row tile_row_find(unsigned format, struct tile_shape shape, unsigned row)
{
	unsigned height = shape.rows < 16 ? shape.rows : 16;
	unsigned face = row / height, across = shape.columns / 16;
	unsigned at = tile_at(face / across * 16 + row % height, face % across * 16) / 16;
	uint32_t exponents = block_bits(format) ? EXPONENTS : 0;
	uint32_t bytes = (tile_bytes(format) - exponents) / 64;
	uint32_t before = tile_shape_bytes(format, shape) -
			  bytes * ((uint32_t)shape.rows * shape.columns / 16);

	return (struct tile_row){exponents + at * bytes, at, before + row * bytes, bytes};
}

bool tile_unpack_shape(struct tile *out, const uint8_t *bytes, unsigned format,
		       struct tile_shape shape)
{
	uint8_t whole[TILE_VALUES * 4] = {0};

	if (shape.rows == TILE_DIM && shape.columns == TILE_DIM)
		return tile_unpack(out, bytes, format);
	if (!tile_shape_bytes(format, shape))
		return false;
	for (unsigned row = 0; row < (unsigned)shape.rows * shape.columns / 16; row++) {
		struct tile_row r = tile_row_find(format, shape, row);

		memcpy(whole + r.whole, bytes + r.small, r.bytes);
		if (block_bits(format))
			whole[r.exponent] = bytes[row];
	}
	return tile_unpack(out, whole, format);
}

bool tile_pack_shape(uint8_t *bytes, const struct tile *in, unsigned format,
		     struct tile_shape shape)
{
	uint8_t whole[TILE_VALUES * 4];

	if (shape.rows == TILE_DIM && shape.columns == TILE_DIM)
		return tile_pack(bytes, in, format);
	if (!tile_shape_bytes(format, shape))
		return false;
	tile_pack(whole, in, format);
	for (unsigned row = 0; row < (unsigned)shape.rows * shape.columns / 16; row++) {
		struct tile_row r = tile_row_find(format, shape, row);

		memcpy(bytes + r.small, whole + r.whole, r.bytes);
		if (block_bits(format))
			bytes[row] = whole[r.exponent];
	}
	return true;
}

/* ---- rows ---- */
void tile_unpack_rows(struct tile *out, const uint8_t *bytes, unsigned format, size_t stride,
		      struct tile_shape shape)
{
	uint32_t value = tile_value_bytes(format);

	if (shape.rows < TILE_DIM || shape.columns < TILE_DIM)
		memset(out, 0, sizeof(*out));
	out->integer = tile_format_is_integer(format);
	for (unsigned r = 0; r < shape.rows; r++, bytes += stride)
		for (unsigned c = 0; c < shape.columns; c += 16)
			values_unpack(out->i + tile_at(r, c), bytes + (size_t)c * value, format,
				      16);
}

void tile_pack_rows(uint8_t *bytes, const struct tile *in, unsigned format, size_t stride,
		    struct tile_shape shape)
{
	uint32_t value = tile_value_bytes(format);
	struct tile space;

	in = tile_for(in, format, &space);
	for (unsigned r = 0; r < shape.rows; r++, bytes += stride)
		for (unsigned c = 0; c < shape.columns; c += 16)
			values_pack(bytes + (size_t)c * value, in->i + tile_at(r, c), format, 16);
}
