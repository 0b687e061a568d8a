/* SPDX-License-Identifier: Apache-2.0 */
/* Tile by tile: ELTWISE_ADD of two tensors, ELTWISE_GELU of one, ELTWISE_GELU_BW of gradient and
 * input. */
#include "ops.h"

void kernel_main()
{
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	for (uint32_t unit = 0; unit < count; unit++) {
		tile_regs_acquire();
		cb_wait_front(0, 1);
#if defined(ELTWISE_ADD)
		cb_wait_front(1, 1);
		add_tiles(0, 1, 0, 0, 0);
		cb_pop_front(1, 1);
#elif defined(ELTWISE_GELU)
		copy_tile(0, 0, 0);
		gelu_tile(0);
#elif defined(ELTWISE_GELU_BW)
		cb_wait_front(1, 1);
		copy_tile(1, 0, 0);
		gelu_derivative_tile(0);
		dst_with(TE_MUL, 0, 0, 0);
		cb_pop_front(1, 1);
#endif
		cb_pop_front(0, 1);
		pack_begin();
		tile_out(0, CB_OUT);
		tile_regs_release();
	}
}
