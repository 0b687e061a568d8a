/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the tiles of one or two tensors for each tile of the result that this core computes.
 * Three strides select the tile of a tensor: for its batch, its row and its column of tiles. A
 * stride of 0 reads the same tile again, exchanged strides transpose. Compile-time arguments: how
 * many tensors, rows and columns of tiles of the result, three strides for each tensor.
 */
#include "tensor.h"

void kernel_main(void)
{
	const uint32_t rows = get_compile_time_arg_val(1);
	const uint32_t columns = get_compile_time_arg_val(2);
	const uint32_t strides[2][3] = {
		{get_compile_time_arg_val(3), get_compile_time_arg_val(4),
		 get_compile_time_arg_val(5)},
		{get_compile_time_arg_val(6), get_compile_time_arg_val(7),
		 get_compile_time_arg_val(8)},
	};
	uint32_t first = get_arg_val(0), count = get_arg_val(1);

	for (uint32_t tile = first; tile < first + count; tile++) {
		uint32_t batch = tile / (rows * columns), row = tile / columns % rows;

		DeviceZoneScopedN("READ-TILES");
		for (uint32_t i = 0; i < get_compile_time_arg_val(0); i++) {
			uint32_t page = batch * strides[i][0] + row * strides[i][1] +
					tile % columns * strides[i][2];

			cb_reserve_back(i, 1);
			noc_async_read(tensor_page(page, get_common_arg_val(i),
						   get_common_arg_val(2 + i), get_tile_size(i)),
				       get_write_ptr(i), get_tile_size(i));
		}
		noc_async_read_barrier();
		for (uint32_t i = 0; i < get_compile_time_arg_val(0); i++)
			cb_push_back(i, 1);
	}
}
