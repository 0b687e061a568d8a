/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix unit's operations on tiles: products, sums, broadcasts, reductions, transposition. */
#include "tensix/tile.h"

#include "tensix/wide.h"

#include <math.h>
#include <string.h>

typedef float eight __attribute__((vector_size(32), aligned(4)));

/*
 * DST += A x B, two rows at a time: sums of products in the order of K, then added. A row of a tile
 * is two runs of 16 values, 256 apart.
 */
WIDE void product_add(float *dst, const float *a, const float *b)
{
	for (unsigned r = 0; r < TILE_DIM; r += 2) {
		eight sum[2][4] = {{{0}}};

		for (unsigned k = 0; k < TILE_DIM; k++) {
			const eight *left = (const eight *)(const void *)(b + tile_at(k, 0));
			const eight *right = (const eight *)(const void *)(b + tile_at(k, 16));
			float x = a[tile_at(r, k)], y = a[tile_at(r + 1, k)];

			for (unsigned i = 0; i < 2; i++) {
				sum[0][i] += x * left[i];
				sum[0][2 + i] += x * right[i];
				sum[1][i] += y * left[i];
				sum[1][2 + i] += y * right[i];
			}
		}
		for (unsigned half = 0; half < 4; half++) {
			eight *to = (eight *)(void *)(dst + tile_at(r + half / 2, half % 2 * 16));

			to[0] += sum[half / 2][half % 2 * 2];
			to[1] += sum[half / 2][half % 2 * 2 + 1];
		}
	}
}
WIDE_CALL(product_add, (float *dst, const float *a, const float *b), (dst, a, b))

/* T, or a copy of it in SPACE with float values. */
static const struct tile *tile_as_float(const struct tile *t, struct tile *space)
{
	if (!t->integer)
		return t;
	*space = *t;
	tile_make_float(space);
	return space;
}

void tile_matmul(struct tile *dst, const struct tile *a, const struct tile *b, bool transpose_a,
		 bool transpose_b)
{
	struct tile x, y, turned_a, turned_b;

	if (transpose_a) {
		tile_transpose(&turned_a, a);
		a = &turned_a;
	}
	if (transpose_b) {
		tile_transpose(&turned_b, b);
		b = &turned_b;
	}
	tile_make_float(dst);
	product_add_best(dst->f, tile_as_float(a, &x)->f, tile_as_float(b, &y)->f);
}

/* ---- element by element ---- */
/* DST may be A: what is repeated is read before it is overwritten. */
void tile_broadcast(struct tile *dst, const struct tile *a, enum tile_broadcast broadcast)
{
	const int32_t first = a->i[0];

	dst->integer = a->integer;
	if (broadcast == TILE_BCAST_NONE && dst != a)
		*dst = *a;
	for (unsigned r = 0; broadcast != TILE_BCAST_NONE && r < TILE_DIM; r++) {
		const int32_t value = broadcast == TILE_BCAST_COL ? a->i[tile_at(r, 0)] : first;
		int32_t *left = &dst->i[tile_at(r, 0)], *right = &dst->i[tile_at(r, 16)];

		if (broadcast == TILE_BCAST_ROW) {
			memmove(left, &a->i[tile_at(0, 0)], 16 * sizeof(*left));
			memmove(right, &a->i[tile_at(0, 16)], 16 * sizeof(*right));
			continue;
		}
		for (unsigned c = 0; c < 16; c++)
			left[c] = right[c] = value;
	}
}

WIDE void float_pairs(float *dst, const float *a, const float *b, enum tile_binary op)
{
	if (op == TILE_ADD)
		for (unsigned i = 0; i < TILE_VALUES; i++)
			dst[i] = a[i] + b[i];
	else if (op == TILE_SUB)
		for (unsigned i = 0; i < TILE_VALUES; i++)
			dst[i] = a[i] - b[i];
	else
		for (unsigned i = 0; i < TILE_VALUES; i++)
			dst[i] = a[i] * b[i];
}
WIDE_CALL(float_pairs, (float *dst, const float *a, const float *b, enum tile_binary op),
	  (dst, a, b, op))

void tile_binary(struct tile *dst, const struct tile *a, const struct tile *b, enum tile_binary op,
		 enum tile_broadcast broadcast, unsigned row)
{
	struct tile x, y;
	bool integer = a->integer && b->integer;

	if (broadcast) {
		if (broadcast == TILE_BCAST_ROW && row && row < TILE_DIM) {
			y = *b;
			/* Copies row ROW to the first row, which a broadcast uses. */
			memmove(&y.i[tile_at(0, 0)], &y.i[tile_at(row, 0)], 16 * sizeof(float));
			memmove(&y.i[tile_at(0, 16)], &y.i[tile_at(row, 16)], 16 * sizeof(float));
			b = &y;
		}
		tile_broadcast(&y, b, broadcast);
		b = &y;
	}
	if (integer) {
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			uint32_t p = (uint32_t)a->i[i], q = (uint32_t)b->i[i];

			dst->i[i] = (int32_t)(op == TILE_ADD   ? p + q
					      : op == TILE_SUB ? p - q
							       : p * q);
		}
	} else {
		a = tile_as_float(a, &x);
		if (b->integer) {
			if (b != &y)
				y = *b;
			tile_make_float(&y);
			b = &y;
		}
		float_pairs_best(dst->f, a->f, b->f, op);
	}
	dst->integer = integer;
}

typedef int32_t eight_words __attribute__((vector_size(32), aligned(4)));

/* Eight rows of eight values to eight columns: pairs, then pairs of pairs, then halves. */
WIDE void transpose_eight(int32_t *dst, const int32_t *a, unsigned row, unsigned column)
{
	eight_words v[8], pairs[8], fours[8];

	for (unsigned i = 0; i < 8; i++)
		v[i] = *(const eight_words *)(const void *)(a + tile_at(row + i, column));
	for (unsigned i = 0; i < 8; i += 2) {
		pairs[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		pairs[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
	for (unsigned i = 0; i < 8; i += 4)
		for (unsigned k = 0; k < 2; k++) {
			fours[i + 2 * k] = __builtin_shufflevector(pairs[i + k], pairs[i + k + 2],
								   0, 1, 8, 9, 4, 5, 12, 13);
			fours[i + 2 * k + 1] = __builtin_shufflevector(
				pairs[i + k], pairs[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
		}
	for (unsigned i = 0; i < 4; i++) {
		*(eight_words *)(void *)(dst + tile_at(column + i, row)) =
			__builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		*(eight_words *)(void *)(dst + tile_at(column + i + 4, row)) =
			__builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

WIDE void transpose_words(int32_t *dst, const int32_t *a)
{
	for (unsigned r = 0; r < TILE_DIM; r += 8)
		for (unsigned c = 0; c < TILE_DIM; c += 8)
			transpose_eight(dst, a, r, c);
}
WIDE_CALL(transpose_words, (int32_t * dst, const int32_t *a), (dst, a))

void tile_transpose(struct tile *dst, const struct tile *a)
{
	dst->integer = a->integer;
	transpose_words_best(dst->i, a->i);
}

/* ---- reductions ---- */
/* Rows of a tile as floats: each row is two runs of 16 values. */
static void tile_rows(float rows[TILE_DIM][TILE_DIM], const struct tile *t)
{
	struct tile space;

	t = tile_as_float(t, &space);
	for (unsigned r = 0; r < TILE_DIM; r++) {
		memcpy(rows[r], &t->f[tile_at(r, 0)], 16 * sizeof(float));
		memcpy(rows[r] + 16, &t->f[tile_at(r, 16)], 16 * sizeof(float));
	}
}

static float reduce_two(float a, float b, enum tile_reduce op)
{
	if (op == TILE_MAX)
		return a > b ? a : b;
	if (op == TILE_MIN)
		return a < b ? a : b;
	return a + b;
}

static float reduce_line(const float *v, unsigned n, unsigned step, enum tile_reduce op)
{
	float value = v[0];

	for (unsigned i = 1; i < n; i++)
		value = reduce_two(value, v[i * step], op);
	return value;
}

void tile_reduce(struct tile *dst, const struct tile *a, const struct tile *scaler,
		 enum tile_reduce op, enum tile_axis axis, bool fresh, struct tile_shape shape)
{
	float rows[TILE_DIM][TILE_DIM], columns[TILE_DIM];
	float scale = scaler->integer ? (float)scaler->i[0] : scaler->f[0];

	tile_make_float(dst);
	tile_rows(rows, a);
	for (unsigned r = 0; r < TILE_DIM; r++)
		for (unsigned c = 0; c < TILE_DIM; c++)
			rows[r][c] *= scale;
	for (unsigned i = 0; i < TILE_DIM; i++) {
		float value = axis == TILE_ALONG_ROW
				      ? reduce_line(rows[i], shape.columns, 1, op)
				      : reduce_line(&rows[0][i], shape.rows, TILE_DIM, op);
		float *to = &dst->f[axis == TILE_ALONG_ROW ? tile_at(i, 0) : tile_at(0, i)];

		columns[i] = value;
		if (axis != TILE_ALONG_BOTH)
			*to = fresh ? value : reduce_two(*to, value, op);
	}
	if (axis == TILE_ALONG_BOTH) {
		float value = reduce_line(columns, shape.columns, 1, op);

		dst->f[0] = fresh ? value : reduce_two(dst->f[0], value, op);
	}
}
