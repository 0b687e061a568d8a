/* SPDX-License-Identifier: Apache-2.0 */
/* One tile of the result after the other: the sum of products along the inner dimension. */
#include "compute_kernel_api.h"

void kernel_main(void)
{
	const uint32_t inner = get_compile_time_arg_val(0);
	uint32_t count = get_arg_val(0);

	mm_init(0, 1, 16);
	for (uint32_t tile = 0; tile < count; tile++) {
		DeviceZoneScopedN("TILE");
		tile_regs_acquire();
		for (uint32_t k = 0; k < inner; k++) {
			cb_wait_front(0, 1);
			cb_wait_front(1, 1);
			matmul_tiles(0, 1, 0, 0, 0);
			cb_pop_front(0, 1);
			cb_pop_front(1, 1);
		}
		tile_regs_commit();
		tile_regs_wait();
		cb_reserve_back(16, 1);
		pack_tile(0, 16);
		cb_push_back(16, 1);
		tile_regs_release();
	}
}
