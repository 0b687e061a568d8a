/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of an embedding: one-hot ids, transposed, times the gradient. The order of sums is
 * fixed, so that runs are repeatable. Words as of embedding_bw_read.cpp.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t groups = OP_WORD(0);
	uint32_t count = UNIT_COUNT;

	mm_init();
	for (uint32_t unit = 0; unit < count; unit++) {
		tile_regs_acquire();
		for (uint32_t i = 0; i < groups; i++) {
			cb_wait_front(CB_HOT, 1);
			cb_wait_front(1, 1);
			product(CB_HOT, 1, 0, 0, 0, TURN_A);
			cb_pop_front(CB_HOT, 1);
			cb_pop_front(1, 1);
		}
		pack_begin();
		tile_out(0, CB_OUT);
		tile_regs_release();
	}
}
