/* SPDX-License-Identifier: Apache-2.0 */
/* One tile product: BRISC brings two tiles and takes the result away, the TRISCs compute. */
#if TACHO_RISC < 2
#include "dataflow_api.h"

void kernel_main(void)
{
	for (uint32_t cb = 0; cb < 2; cb++) {
		cb_reserve_back(cb, 1);
		noc_async_read(get_noc_addr_from_bank_id(0, 0x100000), get_write_ptr(cb), 2048);
		noc_async_read_barrier();
		cb_push_back(cb, 1);
	}
	cb_wait_front(16, 1);
	noc_async_write(get_read_ptr(16), get_noc_addr_from_bank_id(1, 0x100000), 2048);
	noc_async_write_barrier();
	cb_pop_front(16, 1);
}
#else
#include "compute_kernel_api.h"

void kernel_main(void)
{
	mm_init(0, 1, 16);
	cb_wait_front(0, 1);
	cb_wait_front(1, 1);
	tile_regs_acquire();
	matmul_tiles(0, 1, 0, 0, 0);
	tile_regs_commit();
	tile_regs_wait();
	cb_reserve_back(16, 1);
	pack_tile(0, 16);
	cb_push_back(16, 1);
	tile_regs_release();
	cb_pop_front(0, 1);
	cb_pop_front(1, 1);
#if TACHO_RISC == 3
	tensix_sync();
#endif
}
#endif
