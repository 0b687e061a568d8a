/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of causal attention for K and V. For a tile row of keys, over all queries from it on: P
 * and dS as in sdpa_bw_q.cpp, dK = dS^T Q, dV = P^T g. Words as of sdpa_read.cpp.
 */
#include "ops.h"

enum { CB_DS = CB_TEMP, CB_P, CB_LSE = 8, CB_D };

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), wt = OP_WORD(1), scale = OP_WORD(2);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	mm_init();
	cb_wait_front(CB_MASK, 1);
	for (uint32_t unit = first; unit < first + count; unit++) {
		const uint32_t n = rows - unit % rows;

		cb_wait_front(2, wt);
		cb_wait_front(3, wt);
		cb_reserve_back(CB_P, n);
		cb_reserve_back(CB_DS, n);
		for (uint32_t i = 0; i < n; i++) {
			cb_wait_front(CB_LSE, 1);
			cb_wait_front(CB_D, 1);
			cb_wait_front(1, (i + 1) * wt);
			cb_wait_front(0, (i + 1) * wt);
			tile_regs_acquire();
			for (uint32_t d = 0; d < wt; d++) {
				product(1, 2, i * wt + d, d, 0, TURN_B);
				product(0, 3, i * wt + d, d, 1, TURN_B);
			}
			mul_unary_tile(0, scale);
			if (i == 0)
				dst_with(TE_ADD, CB_MASK, 0, 0);
			dst_with(TE_SUB, CB_LSE, 0, 0, BroadcastType::COL);
			exp_tile(0);
			dst_with(TE_SUB, CB_D, 0, 1, BroadcastType::COL);
			mul_binary_tile(0, 1, 1);
			mul_unary_tile(1, scale);
			cb_pop_front(CB_LSE, 1);
			cb_pop_front(CB_D, 1);
			pack_begin();
			pack_tile(0, CB_P);
			pack_tile(1, CB_DS);
			tile_regs_release();
		}
		cb_push_back(CB_P, n);
		cb_push_back(CB_DS, n);
		cb_pop_front(2, wt);
		cb_pop_front(3, wt);

		cb_wait_front(CB_P, n);
		cb_wait_front(CB_DS, n);
		for (uint32_t d = 0; d < wt; d++) {
			tile_regs_acquire();
			for (uint32_t i = 0; i < n; i++) {
				product(CB_DS, 1, i, i * wt + d, 0, TURN_A);
				product(CB_P, 0, i, i * wt + d, 1, TURN_A);
			}
			pack_begin();
			tile_out(0, CB_OUT);
			tile_out(1, CB_OUT + 1);
			tile_regs_release();
		}
		cb_pop_front(CB_P, n);
		cb_pop_front(CB_DS, n);
		cb_pop_front(0, n * wt);
		cb_pop_front(1, n * wt);
	}
	cb_pop_front(CB_MASK, 1);
}
