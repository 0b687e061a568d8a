/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a row of A and a column of B for each tile of the product that this core computes.
 * Compile-time arguments, in tiles: inner dimension, rows and columns of the product, and the
 * distance between two matrices of B; 0 if there is only one.
 */
#include "tensor.h"

void kernel_main(void)
{
	const uint32_t inner = get_compile_time_arg_val(0);
	const uint32_t rows = get_compile_time_arg_val(1);
	const uint32_t columns = get_compile_time_arg_val(2);
	const uint32_t a = get_common_arg_val(0), a_in_l1 = get_common_arg_val(2);
	const uint32_t b = get_common_arg_val(1), b_in_l1 = get_common_arg_val(3);
	const uint32_t a_size = get_tile_size(0), b_size = get_tile_size(1);
	uint32_t first = get_arg_val(0), count = get_arg_val(1);

	for (uint32_t tile = first; tile < first + count; tile++) {
		uint32_t column =
			tile % columns + tile / (rows * columns) * get_compile_time_arg_val(3);

		for (uint32_t k = 0; k < inner; k++) {
			DeviceZoneScopedN("READ-TILES");
			cb_reserve_back(0, 1);
			cb_reserve_back(1, 1);
			noc_async_read(tensor_page(tile / columns * inner + k, a, a_in_l1, a_size),
				       get_write_ptr(0), a_size);
			noc_async_read(tensor_page(k * columns + column, b, b_in_l1, b_size),
				       get_write_ptr(1), b_size);
			noc_async_read_barrier();
			cb_push_back(0, 1);
			cb_push_back(1, 1);
		}
	}
}
