/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of causal attention for Q. For a tile row with gradient g: D = sum of g O along each
 * row; against each key P = exp(scale Q K^T - log of the sums), dS = P (g V^T - D) scale; dQ = dS
 * K. Outputs: dQ and D, a column. Words as of sdpa_read.cpp.
 */
#include "ops.h"

enum { CB_DS = CB_TEMP, CB_D, CB_LSE = 8 };

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), wt = OP_WORD(1), scale = OP_WORD(2);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	mm_init();
	cb_wait_front(CB_MASK, 1);
	for (uint32_t unit = first; unit < first + count; unit++) {
		const uint32_t n = unit % rows + 1;

		cb_wait_front(0, wt);
		cb_wait_front(1, wt);
		tile_regs_acquire();
		for (uint32_t d = 0; d < wt; d++)
			tacho_impl::two(TE_MUL, 0, 1, d, d, 0, TE_HOW_ACCUMULATE);
		sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
		pack_begin();
		tile_out(0, CB_D);
		tile_out(0, CB_OUT + 1);
		tile_regs_release();
		cb_pop_front(1, wt);

		cb_wait_front(2, wt);
		cb_wait_front(CB_LSE, 1);
		cb_wait_front(CB_D, 1);
		cb_reserve_back(CB_DS, n);
		for (uint32_t j = 0; j < n; j++) {
			cb_wait_front(3, (j + 1) * wt);
			cb_wait_front(4, (j + 1) * wt);
			tile_regs_acquire();
			for (uint32_t d = 0; d < wt; d++) {
				product(2, 3, d, j * wt + d, 0, TURN_B);
				product(0, 4, d, j * wt + d, 1, TURN_B);
			}
			mul_unary_tile(0, scale);
			if (j == n - 1)
				dst_with(TE_ADD, CB_MASK, 0, 0);
			dst_with(TE_SUB, CB_LSE, 0, 0, BroadcastType::COL);
			exp_tile(0);
			dst_with(TE_SUB, CB_D, 0, 1, BroadcastType::COL);
			mul_binary_tile(0, 1, 0);
			mul_unary_tile(0, scale);
			pack_begin();
			pack_tile(0, CB_DS);
			tile_regs_release();
		}
		cb_push_back(CB_DS, n);
		cb_pop_front(0, wt);
		cb_pop_front(2, wt);
		cb_pop_front(CB_LSE, 1);
		cb_pop_front(CB_D, 1);

		cb_wait_front(CB_DS, n);
		for (uint32_t d = 0; d < wt; d++) {
			tile_regs_acquire();
			for (uint32_t j = 0; j < n; j++)
				product(CB_DS, 3, j, j * wt + d, 0, TURN_NONE);
			pack_begin();
			tile_out(0, CB_OUT);
			tile_regs_release();
		}
		cb_pop_front(CB_DS, n);
		cb_pop_front(3, n * wt);
		cb_pop_front(4, n * wt);
	}
	cb_pop_front(CB_MASK, 1);
}
