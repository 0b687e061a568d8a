/* SPDX-License-Identifier: Apache-2.0 */
// Tiles of C: each is a row of tiles of A times a column of tiles of B.
#include "api/compute/matmul.h"
#include "api/compute/tile_move_copy.h"

void kernel_main()
{
	constexpr uint32_t results = get_compile_time_arg_val(0),
			   k_tiles = get_compile_time_arg_val(1);
	constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;

	compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
	matmul_init(a, b);
	for (uint32_t i = 0; i < results; i++) {
		tile_regs_acquire();
		cb_wait_front(a, k_tiles);
		for (uint32_t k = 0; k < k_tiles; k++) {
			cb_wait_front(b, 1);
			matmul_tiles(a, b, k, 0, 0);
			cb_pop_front(b, 1);
		}
		cb_pop_front(a, k_tiles);
		tile_regs_commit();
		tile_regs_wait();
		cb_reserve_back(out, 1);
		pack_tile(0, out);
		cb_push_back(out, 1);
		tile_regs_release();
	}
}
