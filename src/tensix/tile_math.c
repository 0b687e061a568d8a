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
void tile_broadcast(struct tile *dst, const struct tile *a, enum tile_broadcast broadcast)
{
	struct tile from = *a;

	dst->integer = from.integer;
	for (unsigned r = 0; r < TILE_DIM; r++) {
		for (unsigned c = 0; c < TILE_DIM; c++) {
			unsigned at = broadcast == TILE_BCAST_COL      ? tile_at(r, 0)
				      : broadcast == TILE_BCAST_ROW    ? tile_at(0, c)
				      : broadcast == TILE_BCAST_SCALAR ? 0
								       : tile_at(r, c);

			dst->i[tile_at(r, c)] = from.i[at];
		}
	}
}

/* Copies row ROW to the first row, which a broadcast uses. */
static void tile_row_first(struct tile *t, unsigned row)
{
	memmove(&t->i[tile_at(0, 0)], &t->i[tile_at(row, 0)], 16 * sizeof(float));
	memmove(&t->i[tile_at(0, 16)], &t->i[tile_at(row, 16)], 16 * sizeof(float));
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

static void integer_pairs(int32_t *dst, const int32_t *a, const int32_t *b, enum tile_binary op)
{
	for (unsigned i = 0; i < TILE_VALUES; i++) {
		uint32_t x = (uint32_t)a[i], y = (uint32_t)b[i];

		dst[i] = (int32_t)(op == TILE_ADD ? x + y : op == TILE_SUB ? x - y : x * y);
	}
}

void tile_binary(struct tile *dst, const struct tile *a, const struct tile *b, enum tile_binary op,
		 enum tile_broadcast broadcast, unsigned row)
{
	struct tile x, y;
	bool integer = a->integer && b->integer;

	if (broadcast) {
		y = *b;
		if (broadcast == TILE_BCAST_ROW && row && row < TILE_DIM)
			tile_row_first(&y, row);
		tile_broadcast(&y, &y, broadcast);
		b = &y;
	}
	if (integer) {
		integer_pairs(dst->i, a->i, b->i, op);
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

void tile_transpose(struct tile *dst, const struct tile *a)
{
	dst->integer = a->integer;
	for (unsigned r = 0; r < TILE_DIM; r++)
		for (unsigned c = 0; c < TILE_DIM; c++)
			dst->i[tile_at(c, r)] = a->i[tile_at(r, c)];
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
