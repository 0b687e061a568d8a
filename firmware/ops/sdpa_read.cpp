/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads for causal attention. A unit is a tile row of a head: row u % rows of matrix u / rows.
 * Words: rows of a matrix, tiles of a row (width of a head), bits of the scale, bits of 1.
 *
 * Forward: inputs Q, K, V; the unit's row of Q, rows 0 to its own of K and V.
 * BACKWARD_Q: gradient, O, Q, K, V, log of the sums; the unit's row of the first three and of the
 * last, rows 0 to its own of K and V.
 * BACKWARD_KV: gradient, Q, K, V, log of the sums, D; the unit's row of K and V, rows from its own
 * on of the others.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), wt = OP_WORD(1);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	causal_push(CB_MASK);
#ifndef BACKWARD_KV
#ifndef BACKWARD_Q
	scaler_push(CB_SCALER, 0x3f800000);
#endif
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t matrix = unit / rows * rows, n = unit - matrix + 1;
#ifdef BACKWARD_Q
		constexpr uint32_t K = 3, V = 4;

		pages_read(0, 0, unit * wt, wt);
		pages_read(1, 1, unit * wt, wt);
		pages_read(2, 2, unit * wt, wt);
		pages_read(8, 5, unit, 1);
#else
		constexpr uint32_t K = 1, V = 2;

		pages_read(0, 0, unit * wt, wt);
#endif
		for (uint32_t i = 0; i < n; i++) {
			pages_read(K, K, (matrix + i) * wt, wt);
			pages_read(V, V, (matrix + i) * wt, wt);
		}
	}
#else
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t matrix = unit / rows * rows;

		pages_read(2, 2, unit * wt, wt);
		pages_read(3, 3, unit * wt, wt);
		for (uint32_t i = unit; i < matrix + rows; i++) {
			pages_read(8, 4, i, 1);
			pages_read(9, 5, i, 1);
			pages_read(1, 1, i * wt, wt);
			pages_read(0, 0, i * wt, wt);
		}
	}
#endif
}
