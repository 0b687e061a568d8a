/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds tiles: REDUCE_COLUMNS: the sums of their columns times the scaler, as the first row; else
 * tile on tile. Words as of reduce_read.cpp.
 */
#include "kernel/reduce.h"
#include "ops.h"

void kernel_main()
{
	const uint32_t n = OP_WORD(0);
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	cb_wait_front(CB_SCALER, 1);
	for (uint32_t unit = 0; unit < count; unit++) {
		tile_regs_acquire();
		for (uint32_t k = 0; k < n; k++) {
			cb_wait_front(0, 1);
#ifdef REDUCE_COLUMNS
			reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(0, CB_SCALER, 0, 0, 0);
#else
			dst_with(TE_ADD, 0, 0, 0);
#endif
			cb_pop_front(0, 1);
		}
		pack_begin();
		tile_out(0, CB_OUT);
		tile_regs_release();
	}
	cb_pop_front(CB_SCALER, 1);
}
