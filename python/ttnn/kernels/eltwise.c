/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tile by tile: BINARY of two tensors (add, sub, mul; BCAST selects the part of the second one), or
 * TRANSPOSE, or a copy; then UNARY (relu, gelu, ...), if given.
 */
#include "compute_kernel_api.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

static void compute_tile(void)
{
	cb_wait_front(0, 1);
#if defined(BINARY)
	cb_wait_front(1, 1);
	JOIN(BINARY, _tiles_bcast)(0, 1, 0, 0, 0, BCAST);
	cb_pop_front(1, 1);
#elif defined(TRANSPOSE)
	transpose_wh_tile(0, 0, 0);
#else
	copy_tile(0, 0, 0);
#endif
	cb_pop_front(0, 1);
#if defined(UNARY)
	JOIN(UNARY, _tile)(0);
#endif
}

void kernel_main(void)
{
	uint32_t count = get_arg_val(0);

#if defined(BINARY)
	mm_init(0, 1, 16);
#else
	unary_op_init_common(0, 16);
#endif
	for (uint32_t tile = 0; tile < count; tile++) {
		DeviceZoneScopedN("TILE");
		tile_regs_acquire();
		compute_tile();
		tile_regs_commit();
		tile_regs_wait();
		cb_reserve_back(16, 1);
		pack_tile(0, 16);
		cb_push_back(16, 1);
		tile_regs_release();
	}
}
