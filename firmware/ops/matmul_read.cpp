/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads blocks for a product of matrices. Words, in tiles: rows, inner dimension and columns of the
 * product; rows and columns of a block of it; inner step; 1 if A is stored transposed; 1 if B is;
 * the distance between two matrices of B, 0 if there is only one; 1 if there is a bias; the
 * distance between two matrices of A; values in use of the last tile along the inner dimension (0:
 * all), codes of tile_fill() for A and B; one word unused; steps of the activation, four words
 * each. A unit is a block: blocks of a matrix by row, then by column, then the next matrix.
 *
 * For each step: the block's rows of A (rows x step tiles), then its columns of B (step x columns).
 * Blocks at the edge are smaller.
 */
#include "ops.h"

/* The block's last tiles along the inner dimension: zeros in place of padding. */
static void edge_clear(uint32_t rows, uint32_t columns, uint32_t step, uint32_t valid)
{
	const uint32_t a_size = get_tile_size(0), b_size = get_tile_size(1);
	const uint32_t turn_a = OP_WORD(6), turn_b = OP_WORD(7);
	uint32_t a = get_write_ptr(0) + (step - 1) * a_size;
	uint32_t b = get_write_ptr(1) + (step - 1) * columns * b_size;

	for (uint32_t m = 0; m < rows; m++, a += step * a_size)
		tile_fill(a, OP_WORD(12), turn_a ? valid : 32, turn_a ? 32 : valid, 0);
	for (uint32_t n = 0; n < columns; n++, b += b_size)
		tile_fill(b, OP_WORD(13), turn_b ? 32 : valid, turn_b ? valid : 32, 0);
}

void kernel_main()
{
	const uint32_t mt = OP_WORD(0), kt = OP_WORD(1), nt = OP_WORD(2), bm = OP_WORD(3),
		       bn = OP_WORD(4), bk = OP_WORD(5), turn_a = OP_WORD(6), turn_b = OP_WORD(7),
		       b_matrix = OP_WORD(8), bias = OP_WORD(9), a_matrix = OP_WORD(10),
		       valid = OP_WORD(11);
	const uint32_t across = (nt + bn - 1) / bn, down = (mt + bm - 1) / bm;
	const uint32_t a_size = get_tile_size(0), b_size = get_tile_size(1);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t matrix = unit / (across * down);
		uint32_t m0 = unit / across % down * bm, n0 = unit % across * bn;
		uint32_t rows = mt - m0 < bm ? mt - m0 : bm, columns = nt - n0 < bn ? nt - n0 : bn;
		uint32_t a_base = matrix * a_matrix, b_base = matrix * b_matrix;

		if (bias)
			pages_read(2, 2, n0, columns);
		for (uint32_t k0 = 0; k0 < kt; k0 += bk) {
			uint32_t step = kt - k0 < bk ? kt - k0 : bk, to;

			cb_reserve_back(0, bm * bk);
			to = get_write_ptr(0);
			for (uint32_t m = 0; m < rows; m++)
				for (uint32_t k = 0; k < step; k++, to += a_size) {
					uint32_t page = turn_a ? (k0 + k) * mt + m0 + m
							       : (m0 + m) * kt + k0 + k;

					noc_async_read(op_page(0, a_base + page, a_size), to,
						       a_size);
				}
			cb_reserve_back(1, bn * bk);
			to = get_write_ptr(1);
			for (uint32_t k = 0; k < step; k++)
				for (uint32_t n = 0; n < columns; n++, to += b_size) {
					uint32_t page = turn_b ? (n0 + n) * kt + k0 + k
							       : (k0 + k) * nt + n0 + n;

					noc_async_read(op_page(1, b_base + page, b_size), to,
						       b_size);
				}
			noc_async_read_barrier();
			if (valid && k0 + step == kt)
				edge_clear(rows, columns, step, valid);
			cb_push_back(0, bm * bk);
			cb_push_back(1, bn * bk);
		}
	}
}
