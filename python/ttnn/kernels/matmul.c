/* SPDX-License-Identifier: Apache-2.0 */
/* One tile of the product after the other: the sum along the inner dimension, then UNARY if given.
 */
#include "compute_kernel_api.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

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
#if defined(UNARY)
		JOIN(UNARY, _tile)(0);
#endif
		tile_regs_commit();
		tile_regs_wait();
		cb_reserve_back(16, 1);
		pack_tile(0, 16);
		cb_push_back(16, 1);
		tile_regs_release();
	}
}
