/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows: exp(z - max z) over the sum, z = scale * x + mask. Words as of softmax_read.cpp.
 */
#include "row_exp.h"

enum { CB_Z = CB_TEMP, CB_MAX, CB_EXP, CB_INVERSE };

/* z to CB_Z. */
FORCE_INLINE void scores_make(uint32_t wt, uint32_t mask, uint32_t row)
{
	cb_wait_front(0, wt);
	if (mask >= 2)
		cb_wait_front(1, wt);
	cb_reserve_back(CB_Z, wt);
	for (uint32_t i = 0; i < wt; i++) {
		tile_regs_acquire();
		copy_tile(0, i, 0);
		mul_unary_tile(0, OP_WORD(1));
		if (mask == 1 && i >= row)
			dst_with(TE_ADD, CB_MASK, i > row, 0);
		if (mask >= 2)
			dst_with(TE_ADD, 1, i, 0,
				 mask == 3 ? BroadcastType::ROW : BroadcastType::NONE);
		/* Infinities would make NaN of their differences. */
		tacho_impl::unary(TE_U_UNARY_MAX, 0, 0xff7fffff);
		pack_begin();
		pack_tile(0, CB_Z);
		tile_regs_release();
	}
	cb_push_back(CB_Z, wt);
	cb_pop_front(0, wt);
	if (mask >= 2)
		cb_pop_front(1, wt);
}

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), mask = OP_WORD(2), rows = OP_WORD(4);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	cb_wait_front(CB_SCALER, 1);
	if (mask == 1)
		cb_wait_front(CB_MASK, 2);
	for (uint32_t unit = first; unit < first + count; unit++) {
		scores_make(wt, mask, unit % rows);

		row_exp(CB_Z, wt, CB_MAX, CB_EXP);
		cb_pop_front(CB_MAX, 1);

		cb_wait_front(CB_EXP, wt);
		tile_regs_acquire();
		for (uint32_t i = 0; i < wt; i++)
			reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(CB_EXP, CB_SCALER, i, 0,
									  0);
		recip_tile(0);
		pack_begin();
		tile_out(0, CB_INVERSE);
		tile_regs_release();

		cb_wait_front(CB_INVERSE, 1);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			mul_tiles_bcast<BroadcastType::COL>(CB_EXP, CB_INVERSE, i, 0, 0);
			pack_begin();
			tile_out(0, CB_OUT);
			tile_regs_release();
		}
		cb_pop_front(CB_EXP, wt);
		cb_pop_front(CB_INVERSE, 1);
	}
	cb_pop_front(CB_SCALER, 1);
	if (mask == 1)
		cb_pop_front(CB_MASK, 2);
}
