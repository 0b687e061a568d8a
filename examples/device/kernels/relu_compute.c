/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces negative values by 0. */
#include "compute_kernel_api.h"

void kernel_main(void)
{
	uint32_t count = get_arg_val(0);

	unary_op_init_common(0, 16);
	relu_tile_init();
	for (uint32_t tile = 0; tile < count; tile++) {
		DeviceZoneScopedN("TILE");
		tile_regs_acquire();
		cb_wait_front(0, 1);
		copy_tile(0, 0, 0);
		relu_tile(0);
		cb_pop_front(0, 1);
		tile_regs_commit();
		tile_regs_wait();
		cb_reserve_back(16, 1);
		pack_tile(0, 16);
		cb_push_back(16, 1);
		tile_regs_release();
	}
}
