/* What the matrix unit does to tiles: products, sums, broadcasts, reductions, transposition. */
#include "tensix/tile.h"

#include "tensix/wide.h"

#include <math.h>
#include <string.h>

/* Rows of a tile as floats: each row is two runs of 16 values. */
static void tile_rows(float rows[TILE_DIM][TILE_DIM], const struct tile *t)
{
	struct tile space;

	if (t->integer) {
		space = *t;
		tile_make_float(&space);
		t = &space;
	}
	for (unsigned r = 0; r < TILE_DIM; r++) {
		memcpy(rows[r], &t->f[tile_at(r, 0)], 16 * sizeof(float));
		memcpy(rows[r] + 16, &t->f[tile_at(r, 16)], 16 * sizeof(float));
	}
}

typedef float eight __attribute__((vector_size(32), aligned(4)));

/* OUT: 32 sums of products of one row of A with all of B, in the order of K. */
WIDE void product_rows(float out[TILE_DIM][TILE_DIM], const float a[TILE_DIM][TILE_DIM],
		       const float b[TILE_DIM][TILE_DIM])
{
	for (unsigned r = 0; r < TILE_DIM; r += 2) {
		eight sum[2][4] = {{{0}}};

		for (unsigned k = 0; k < TILE_DIM; k++) {
			const eight *row = (const eight *)(const void *)b[k];

			for (unsigned i = 0; i < 4; i++) {
				sum[0][i] += a[r][k] * row[i];
				sum[1][i] += a[r + 1][k] * row[i];
			}
		}
		memcpy(out[r], sum[0], sizeof(sum[0]));
		memcpy(out[r + 1], sum[1], sizeof(sum[1]));
	}
}
WIDE_CALL(product_rows,
	  (float out[TILE_DIM][TILE_DIM], const float a[TILE_DIM][TILE_DIM],
	   const float b[TILE_DIM][TILE_DIM]),
	  (out, a, b))

void tile_matmul(struct tile *dst, const struct tile *a, const struct tile *b, bool transpose)
{
	float ra[TILE_DIM][TILE_DIM], rb[TILE_DIM][TILE_DIM], out[TILE_DIM][TILE_DIM];
	struct tile turned;

	if (transpose) {
		tile_transpose(&turned, b);
		b = &turned;
	}
	tile_make_float(dst);
	tile_rows(ra, a);
	tile_rows(rb, b);
	product_rows_best(out, (const float(*)[TILE_DIM])ra, (const float(*)[TILE_DIM])rb);
	for (unsigned r = 0; r < TILE_DIM; r++)
		for (unsigned c = 0; c < TILE_DIM; c += 16)
			for (unsigned i = 0; i < 16; i++)
				dst->f[tile_at(r, c) + i] += out[r][c + i];
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

/* Row ROW becomes the first, which is the one that a broadcast takes. */
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
		if (a->integer) {
			x = *a;
			tile_make_float(&x);
			a = &x;
		}
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
		 enum tile_reduce op, enum tile_axis axis, bool fresh)
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
				      ? reduce_line(rows[i], TILE_DIM, 1, op)
				      : reduce_line(&rows[0][i], TILE_DIM, TILE_DIM, op);
		float *to = &dst->f[axis == TILE_ALONG_ROW ? tile_at(i, 0) : tile_at(0, i)];

		columns[i] = value;
		if (axis != TILE_ALONG_BOTH)
			*to = fresh ? value : reduce_two(*to, value, op);
	}
	if (axis == TILE_ALONG_BOTH) {
		float value = reduce_line(columns, TILE_DIM, 1, op);

		dst->f[0] = fresh ? value : reduce_two(dst->f[0], value, op);
	}
}
