/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduces tiles: the values of each row times the scaler, to the first column; of each column, to
 * the first row; or tile on tile. Words as of reduce_read.cpp.
 */
#include "kernel/reduce.h"
#include "ops.h"

template <PoolType kind> FORCE_INLINE void tile_reduce(uint32_t axis)
{
	if (axis == 0)
		reduce_tile<kind, ReduceDim::REDUCE_ROW>(0, CB_SCALER, 0, 0, 0);
	else
		reduce_tile<kind, ReduceDim::REDUCE_COL>(0, CB_SCALER, 0, 0, 0);
}

/* dst = the greater or lesser of dst and the next tile. */
FORCE_INLINE void tile_choose(uint32_t kind, bool first)
{
	if (first) {
		copy_tile(0, 0, 0);
		return;
	}
	copy_tile(0, 0, 1);
	if (kind == 1)
		binary_max_tile(0, 1, 0);
	else
		binary_min_tile(0, 1, 0);
}

void kernel_main()
{
	const uint32_t n = OP_WORD(0), axis = OP_WORD(3), kind = OP_WORD(4);
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	cb_wait_front(CB_SCALER, 1);
	for (uint32_t unit = 0; unit < count; unit++) {
		tile_regs_acquire();
		for (uint32_t k = 0; k < n; k++) {
			cb_wait_front(0, 1);
			if (axis == 2 && kind == 0)
				dst_with(TE_ADD, 0, 0, 0);
			else if (axis == 2)
				tile_choose(kind, k == 0);
			else if (kind == 0)
				tile_reduce<PoolType::SUM>(axis);
			else if (kind == 1)
				tile_reduce<PoolType::MAX>(axis);
			else
				tile_reduce<PoolType::MIN>(axis);
			cb_pop_front(0, 1);
		}
		if (axis == 2 && kind == 0)
			mul_unary_tile(0, OP_WORD(2));
		pack_begin();
		tile_out(0, CB_OUT);
		tile_regs_release();
	}
	cb_pop_front(CB_SCALER, 1);
}
