/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention: for a tile row of queries the scores S = scale * Q K^T + mask against all keys, P =
 * softmax of each row, O = P V. Keys stream through a circular buffer, then values; the scores of
 * all keys are in L1. Words as of attention_read.cpp, and the keys in use, in CB_USED, to decode.
 */
#include "row_exp.h"

enum { CB_USED = 4, CB_S = CB_TEMP, CB_MAX, CB_P, CB_INVERSE };

/* HIDE: the last tile has a mask of its own. */
FORCE_INLINE void scores_make(uint32_t n, uint32_t wt, bool mask, bool hide)
{
	cb_wait_front(0, wt);
	cb_reserve_back(CB_S, n);
	for (uint32_t j = 0; j < n; j++) {
		cb_wait_front(1, wt);
		tile_regs_acquire();
		for (uint32_t d = 0; d < wt; d++)
			product(0, 1, d, d, 0, TURN_B);
		cb_pop_front(1, wt);
		mul_unary_tile(0, OP_WORD(2));
		if (mask) {
			cb_wait_front(3, 1);
			dst_with(TE_ADD, 3, 0, 0);
			cb_pop_front(3, 1);
		}
		/* Keys in padding may be anything; infinities would make NaN of their differences.
		 */
		tacho_impl::unary(TE_U_UNARY_MAX, 0, 0xfe967699);
		if (hide && j == n - 1)
			dst_with(TE_ADD, CB_MASK, 0, 0);
		pack_begin();
		pack_tile(0, CB_S);
		tile_regs_release();
	}
	cb_push_back(CB_S, n);
	cb_pop_front(0, wt);
}

FORCE_INLINE void softmax_make(uint32_t n)
{
	row_exp(CB_S, n, CB_MAX, CB_P);
	cb_pop_front(CB_MAX, 1);

	cb_wait_front(CB_P, n);
	tile_regs_acquire();
	for (uint32_t j = 0; j < n; j++)
		reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(CB_P, CB_SCALER, j, 0, 0);
	recip_tile(0);
	pack_begin();
	tile_out(0, CB_INVERSE);
	tile_regs_release();
}

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), wt = OP_WORD(1), all = OP_WORD(3), causal = OP_WORD(5),
		       mask = OP_WORD(6), decode = OP_WORD(14);
	const bool hide = causal || decode || OP_WORD(4);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	mm_init();
	cb_wait_front(CB_SCALER, 1);
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t n = causal ? unit % rows + 1 : all;

		if (decode) {
			cb_wait_front(CB_USED, 1);
			n = (read_tile_value(CB_USED, 0, 0) + 31) / 32;
			cb_pop_front(CB_USED, 1);
		}
		if (hide)
			cb_wait_front(CB_MASK, 1);
		scores_make(n, wt, mask, hide);
		if (decode)
			cb_pop_front(CB_MASK, 1);
		softmax_make(n);

		cb_wait_front(CB_INVERSE, 1);
		tile_regs_acquire();
		for (uint32_t j = 0; j < n; j++) {
			cb_wait_front(2, wt);
			for (uint32_t d = 0; d < wt; d++)
				product(CB_P, 2, j, d, d, TURN_NONE);
			cb_pop_front(2, wt);
		}
		for (uint32_t d = 0; d < wt; d++)
			dst_with(TE_MUL, CB_INVERSE, 0, d, BroadcastType::COL);
		pack_begin();
		for (uint32_t d = 0; d < wt; d++)
			tile_out(d, CB_OUT);
		tile_regs_release();
		cb_pop_front(CB_INVERSE, 1);
		cb_pop_front(CB_P, n);
	}
	if (hide && !decode)
		cb_pop_front(CB_MASK, 1);
	cb_pop_front(CB_SCALER, 1);
}
