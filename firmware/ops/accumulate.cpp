/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tile on tile along a dimension, each result written: sums or products of all tiles up to each.
 * The previous result is in CB_TEMP. Words as of accumulate_move.cpp.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t n = OP_WORD(0);
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	for (uint32_t unit = 0; unit < count; unit++) {
		for (uint32_t k = 0; k < n; k++) {
			tile_regs_acquire();
			cb_wait_front(0, 1);
			copy_tile(0, 0, 0);
			cb_pop_front(0, 1);
			if (k) {
				cb_wait_front(CB_TEMP, 1);
				copy_tile(CB_TEMP, 0, 1);
				cb_pop_front(CB_TEMP, 1);
				steps_do(3, 1);
			}
			pack_begin();
			tile_out(0, CB_OUT);
			if (k + 1 < n)
				tile_out(0, CB_TEMP);
			tile_regs_release();
		}
	}
}
