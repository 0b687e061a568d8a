/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Causal attention: for a tile row of queries the scores S = scale Q K^T against all keys up to it,
 * P = softmax of each row, O = P V; also the logarithm of each row's sum of exponentials, as a
 * column. The circular buffers of K, V, S and P hold a whole sequence. Words as of sdpa_read.cpp.
 */
#include "row_exp.h"

enum { CB_S = CB_TEMP, CB_MAX, CB_P, CB_INVERSE };

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), wt = OP_WORD(1), scale = OP_WORD(2);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	mm_init();
	cb_wait_front(CB_SCALER, 1);
	cb_wait_front(CB_MASK, 1);
	for (uint32_t unit = first; unit < first + count; unit++) {
		const uint32_t n = unit % rows + 1;

		cb_wait_front(0, wt);
		cb_reserve_back(CB_S, n);
		for (uint32_t j = 0; j < n; j++) {
			cb_wait_front(1, (j + 1) * wt);
			tile_regs_acquire();
			for (uint32_t d = 0; d < wt; d++)
				product(0, 1, d, j * wt + d, 0, TURN_B);
			mul_unary_tile(0, scale);
			if (j == n - 1)
				dst_with(TE_ADD, CB_MASK, 0, 0);
			pack_begin();
			pack_tile(0, CB_S);
			tile_regs_release();
		}
		cb_push_back(CB_S, n);
		cb_pop_front(0, wt);
		cb_pop_front(1, n * wt);

		row_exp(CB_S, n, CB_MAX, CB_P);

		cb_wait_front(CB_P, n);
		tile_regs_acquire();
		for (uint32_t j = 0; j < n; j++)
			reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(CB_P, CB_SCALER, j, 0, 0);
		copy_dest_values(0, 1);
		recip_tile(0);
		log_tile(1);
		dst_with(TE_ADD, CB_MAX, 0, 1);
		pack_begin();
		tile_out(0, CB_INVERSE);
		tile_out(1, CB_OUT + 1);
		tile_regs_release();
		cb_pop_front(CB_MAX, 1);

		cb_wait_front(CB_INVERSE, 1);
		cb_wait_front(2, n * wt);
		for (uint32_t d = 0; d < wt; d++) {
			tile_regs_acquire();
			for (uint32_t j = 0; j < n; j++)
				product(CB_P, 2, j, j * wt + d, 0, TURN_NONE);
			dst_with(TE_MUL, CB_INVERSE, 0, 0, BroadcastType::COL);
			pack_begin();
			tile_out(0, CB_OUT);
			tile_regs_release();
		}
		cb_pop_front(CB_INVERSE, 1);
		cb_pop_front(CB_P, n);
		cb_pop_front(2, n * wt);
	}
	cb_pop_front(CB_MASK, 1);
	cb_pop_front(CB_SCALER, 1);
}
