/* SPDX-License-Identifier: Apache-2.0 */
/* A part of softmax that several ops share. */
#ifndef TACHO_ROW_EXP_H
#define TACHO_ROW_EXP_H

#include "kernel/reduce.h"
#include "ops.h"

/*
 * Of the N tiles in ROW: the maximum of each row to MAX, where it stays, and exp(value - maximum)
 * to OUT. Pops ROW.
 */
FORCE_INLINE void row_exp(uint32_t row, uint32_t n, uint32_t max, uint32_t out)
{
	cb_wait_front(row, n);
	tile_regs_acquire();
	for (uint32_t i = 0; i < n; i++)
		reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(row, CB_SCALER, i, 0, 0);
	pack_begin();
	tile_out(0, max);
	tile_regs_release();

	cb_wait_front(max, 1);
	cb_reserve_back(out, n);
	for (uint32_t i = 0; i < n; i++) {
		tile_regs_acquire();
		sub_tiles_bcast<BroadcastType::COL>(row, max, i, 0, 0);
		exp_tile(0);
		pack_begin();
		pack_tile(0, out);
		tile_regs_release();
	}
	cb_push_back(out, n);
	cb_pop_front(row, n);
}

#endif
