/* SPDX-License-Identifier: Apache-2.0 */
// COMBINE (add_tiles, sub_tiles, mul_tiles) of circular buffers 0 and 1 into 16.
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

void kernel_main()
{
	constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
	const uint32_t count = get_arg_val<uint32_t>(0);

	compute_kernel_hw_startup(a, b, out);
	COMBINE_INIT(a, b);
	for (uint32_t i = 0; i < count; i++) {
		cb_wait_front(a, 1);
		cb_wait_front(b, 1);
		tile_regs_acquire();
		COMBINE(a, b, 0, 0, 0);
		tile_regs_commit();
		tile_regs_wait();
		cb_reserve_back(out, 1);
		pack_tile(0, out);
		cb_push_back(out, 1);
		tile_regs_release();
		cb_pop_front(a, 1);
		cb_pop_front(b, 1);
	}
}
