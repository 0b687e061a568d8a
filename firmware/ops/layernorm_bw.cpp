/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of a layer norm. With n = (x - mean) r and h = g gamma: dx = r (h - mean(h) - n mean(h
 * n)), and g n, whose column sums are the gradient of gamma. Words as of layernorm_bw_read.cpp.
 */
#include "ops.h"

enum { CB_NORM = CB_TEMP, CB_H, CB_MEAN_H, CB_MEAN_HN };

/* The mean of each row of dst, as the first column of CB. */
FORCE_INLINE void mean_out(uint32_t cb, uint32_t inverse)
{
	sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
	mul_unary_tile(0, inverse);
	pack_begin();
	tile_out(0, cb);
	tile_regs_release();
}

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), inverse = OP_WORD(1);
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	cb_wait_front(2, wt);
	for (uint32_t unit = 0; unit < count; unit++) {
		cb_wait_front(3, 1);
		cb_wait_front(4, 1);
		cb_wait_front(1, wt);
		cb_wait_front(0, wt);
		cb_reserve_back(CB_NORM, wt);
		cb_reserve_back(CB_H, wt);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			sub_tiles_bcast<BroadcastType::COL>(1, 3, i, 0, 0);
			dst_with(TE_MUL, 4, 0, 0, BroadcastType::COL);
			mul_tiles_bcast<BroadcastType::ROW>(0, 2, i, i, 1);
			copy_dest_values(0, 2);
			dst_with(TE_MUL, 0, i, 2);
			pack_begin();
			pack_tile(0, CB_NORM);
			pack_tile(1, CB_H);
			tile_out(2, CB_OUT + 1);
			tile_regs_release();
		}
		cb_push_back(CB_NORM, wt);
		cb_push_back(CB_H, wt);
		cb_pop_front(0, wt);
		cb_pop_front(1, wt);
		cb_pop_front(3, 1);

		cb_wait_front(CB_NORM, wt);
		cb_wait_front(CB_H, wt);
		tile_regs_acquire();
		for (uint32_t i = 0; i < wt; i++)
			dst_with(TE_ADD, CB_H, i, 0);
		mean_out(CB_MEAN_H, inverse);
		tile_regs_acquire();
		for (uint32_t i = 0; i < wt; i++)
			tacho_impl::two(TE_MUL, CB_H, CB_NORM, i, i, 0, TE_HOW_ACCUMULATE);
		mean_out(CB_MEAN_HN, inverse);

		cb_wait_front(CB_MEAN_H, 1);
		cb_wait_front(CB_MEAN_HN, 1);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			sub_tiles_bcast<BroadcastType::COL>(CB_H, CB_MEAN_H, i, 0, 0);
			mul_tiles_bcast<BroadcastType::COL>(CB_NORM, CB_MEAN_HN, i, 0, 1);
			sub_binary_tile(0, 1, 0);
			dst_with(TE_MUL, 4, 0, 0, BroadcastType::COL);
			pack_begin();
			tile_out(0, CB_OUT);
			tile_regs_release();
		}
		cb_pop_front(CB_MEAN_H, 1);
		cb_pop_front(CB_MEAN_HN, 1);
		cb_pop_front(CB_NORM, wt);
		cb_pop_front(CB_H, wt);
		cb_pop_front(4, 1);
	}
	cb_pop_front(2, wt);
}
