/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Norm of rows: y = gamma (x - mean) / deviation + beta, or without the mean; also mean and 1 /
 * deviation, as columns of float32. Words as of norm_read.cpp.
 */
#include "kernel/reduce.h"
#include "ops.h"

enum { CB_MEAN = CB_TEMP, CB_CENTRED, CB_RSTD, CB_SUM };
enum { RMS = 1, RESIDUAL = 2, GAMMA = 4, BETA = 8, STATS = 16 };

/* x + residual to CB_SUM. */
FORCE_INLINE void sum_make(uint32_t wt)
{
	cb_wait_front(0, wt);
	cb_wait_front(3, wt);
	cb_reserve_back(CB_SUM, wt);
	for (uint32_t i = 0; i < wt; i++) {
		tile_regs_acquire();
		add_tiles(0, 3, i, i, 0);
		pack_begin();
		pack_tile(0, CB_SUM);
		tile_regs_release();
	}
	cb_push_back(CB_SUM, wt);
	cb_pop_front(0, wt);
	cb_pop_front(3, wt);
}

FORCE_INLINE void mean_make(uint32_t from, uint32_t wt, uint32_t flags)
{
	tile_regs_acquire();
	for (uint32_t i = 0; i < wt; i++)
		reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(from, CB_SCALER, i, 0, 0);
	pack_begin();
	tile_out(0, CB_MEAN);
	if (flags & STATS)
		tile_out(0, CB_OUT + 1);
	tile_regs_release();
}

/* x - mean, with 0 where there is padding. */
FORCE_INLINE void centred_make(uint32_t from, uint32_t wt, uint32_t flags, uint32_t valid)
{
	if (!(flags & RMS))
		cb_wait_front(CB_MEAN, 1);
	cb_reserve_back(CB_CENTRED, wt);
	for (uint32_t i = 0; i < wt; i++) {
		tile_regs_acquire();
		if (flags & RMS)
			copy_tile(from, i, 0);
		else
			sub_tiles_bcast<BroadcastType::COL>(from, CB_MEAN, i, 0, 0);
		if (valid && i == wt - 1)
			dst_with(TE_MUL, CB_MASK, 0, 0);
		pack_begin();
		pack_tile(0, CB_CENTRED);
		tile_regs_release();
	}
	cb_push_back(CB_CENTRED, wt);
	cb_pop_front(from, wt);
	if (!(flags & RMS))
		cb_pop_front(CB_MEAN, 1);
}

FORCE_INLINE void deviation_make(uint32_t wt, uint32_t flags)
{
	tile_regs_acquire();
	for (uint32_t i = 0; i < wt; i++)
		tacho_impl::two(TE_MUL, CB_CENTRED, CB_CENTRED, i, i, 0, TE_HOW_ACCUMULATE);
	sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
	mul_unary_tile(0, OP_WORD(1));
	add_unary_tile(0, OP_WORD(2));
	rsqrt_tile(0);
	pack_begin();
	tile_out(0, CB_RSTD);
	if (flags & STATS)
		tile_out(0, CB_OUT + 2);
	tile_regs_release();
}

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), flags = OP_WORD(3), valid = OP_WORD(4);
	const uint32_t from = flags & RESIDUAL ? CB_SUM : 0;
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	cb_wait_front(CB_SCALER, 1);
	if (valid)
		cb_wait_front(CB_MASK, 1);
	for (uint32_t unit = 0; unit < count; unit++) {
		if (flags & RESIDUAL)
			sum_make(wt);
		cb_wait_front(from, wt);
		if (!(flags & RMS))
			mean_make(from, wt, flags);
		centred_make(from, wt, flags, valid);
		cb_wait_front(CB_CENTRED, wt);
		deviation_make(wt, flags);

		cb_wait_front(CB_RSTD, 1);
		if (flags & GAMMA)
			cb_wait_front(1, wt);
		if (flags & BETA)
			cb_wait_front(2, wt);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			mul_tiles_bcast<BroadcastType::COL>(CB_CENTRED, CB_RSTD, i, 0, 0);
			if (flags & GAMMA)
				dst_with(TE_MUL, 1, i, 0, BroadcastType::ROW);
			if (flags & BETA)
				dst_with(TE_ADD, 2, i, 0, BroadcastType::ROW);
			pack_begin();
			tile_out(0, CB_OUT);
			tile_regs_release();
		}
		cb_pop_front(CB_CENTRED, wt);
		cb_pop_front(CB_RSTD, 1);
	}
	if (flags & GAMMA)
		cb_pop_front(1, wt);
	if (flags & BETA)
		cb_pop_front(2, wt);
	cb_pop_front(CB_SCALER, 1);
	if (valid)
		cb_pop_front(CB_MASK, 1);
}
