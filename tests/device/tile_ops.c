/* SPDX-License-Identifier: Apache-2.0 */
/* One tile operation after the other, as the arguments say: number of them, then their codes. */
#if TACHO_RISC < 2
#include "dataflow_api.h"

/* buffer of inputs, buffer of results, bytes of a tile, count */
void kernel_main(void)
{
	struct InterleavedAddrGen in = {get_arg_val(0), get_arg_val(2)};
	struct InterleavedAddrGen out = {get_arg_val(1), get_arg_val(2)};

	for (uint32_t i = 0; i < get_arg_val(3); i++) {
		for (uint32_t cb = 0; cb < 2; cb++) {
			cb_reserve_back(cb, 1);
			noc_async_read_page(cb, &in, get_write_ptr(cb));
			noc_async_read_barrier();
			cb_push_back(cb, 1);
		}
		cb_wait_front(16, 1);
		noc_async_write_page(i, &out, get_read_ptr(16));
		noc_async_write_barrier();
		cb_pop_front(16, 1);
	}
}
#else
#include "compute_kernel_api.h"

static void tile_unary(uint32_t which)
{
	copy_tile(0, 0, 0);
	switch (which) {
	case 0:
		relu_tile(0);
		break;
	case 1:
		gelu_tile(0);
		break;
	case 2:
		exp_tile(0);
		break;
	case 3:
		sqrt_tile(0);
		break;
	case 4:
		recip_tile(0);
		break;
	default:
		sigmoid_tile(0);
		break;
	}
}

/* 0 matmul; 1-12 add, sub, mul by broadcast; 13 copy; 14 transpose; 16-24 reduce; 32-37 unary */
static void tile_compute(uint32_t code)
{
	if (code == 0)
		matmul_tiles(0, 1, 0, 0, 0);
	else if (code < 5)
		add_tiles_bcast(0, 1, 0, 0, 0, code - 1);
	else if (code < 9)
		sub_tiles_bcast(0, 1, 0, 0, 0, code - 5);
	else if (code < 13)
		mul_tiles_bcast(0, 1, 0, 0, 0, code - 9);
	else if (code == 13)
		copy_tile(0, 0, 0);
	else if (code == 14)
		transpose_wh_tile(0, 0, 0);
	else if (code < 32)
		reduce_tile((code - 16) / 3, (code - 16) % 3, 0, 1, 0, 0, 0);
	else
		tile_unary(code - 32);
}

void kernel_main(void)
{
	mm_init(0, 1, 16);
	for (uint32_t i = 0; i < get_arg_val(0); i++) {
		uint32_t code = get_arg_val(1 + i);

		cb_wait_front(0, 1);
		cb_wait_front(1, 1);
		tile_regs_acquire();
		tile_compute(code);
		tile_regs_commit();
		tile_regs_wait();
		cb_reserve_back(16, 1);
		pack_tile(0, 16);
		cb_push_back(16, 1);
		tile_regs_release();
		cb_pop_front(0, 1);
		cb_pop_front(1, 1);
	}
}
#endif
