/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cross entropy of rows of logits z: log(sum exp z) - z[target], as a column of float32; BACKWARD:
 * its gradient (softmax(z) - one-hot) times a scale. Words as of cross_entropy_read.cpp.
 */
#include "row_exp.h"

enum { CB_Z = CB_TEMP, CB_MAX, CB_EXP, CB_SUM };

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), scale = OP_WORD(2);
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	cb_wait_front(CB_SCALER, 1);
	cb_wait_front(CB_MASK, 1);
	for (uint32_t unit = 0; unit < count; unit++) {
		cb_wait_front(0, wt);
		cb_reserve_back(CB_Z, wt);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			copy_tile(0, i, 0);
			if (i == wt - 1)
				dst_with(TE_ADD, CB_MASK, 0, 0);
			pack_begin();
			pack_tile(0, CB_Z);
			tile_regs_release();
		}
		cb_push_back(CB_Z, wt);

		row_exp(CB_Z, wt, CB_MAX, CB_EXP);

		cb_wait_front(CB_EXP, wt);
		cb_wait_front(CB_HOT, wt);
		tile_regs_acquire();
		for (uint32_t i = 0; i < wt; i++)
			reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(CB_EXP, CB_SCALER, i, 0,
									  0);
#ifdef BACKWARD
		recip_tile(0);
		mul_unary_tile(0, scale);
		pack_begin();
		tile_out(0, CB_SUM);
		tile_regs_release();
		cb_wait_front(CB_SUM, 1);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			mul_tiles_bcast<BroadcastType::COL>(CB_EXP, CB_SUM, i, 0, 0);
			copy_tile(CB_HOT, i, 1);
			mul_unary_tile(1, scale);
			sub_binary_tile(0, 1, 0);
			pack_begin();
			tile_out(0, CB_OUT);
			tile_regs_release();
		}
		cb_pop_front(CB_SUM, 1);
#else
		log_tile(0);
		dst_with(TE_ADD, CB_MAX, 0, 0);
		for (uint32_t i = 0; i < wt; i++)
			tacho_impl::two(TE_MUL, 0, CB_HOT, i, i, 1, TE_HOW_ACCUMULATE);
		sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(1);
		sub_binary_tile(0, 1, 0);
		pack_begin();
		tile_out(0, CB_OUT);
		tile_regs_release();
#endif
		cb_pop_front(CB_EXP, wt);
		cb_pop_front(CB_HOT, wt);
		cb_pop_front(CB_MAX, 1);
		cb_pop_front(0, wt);
	}
	cb_pop_front(CB_SCALER, 1);
	cb_pop_front(CB_MASK, 1);
}
