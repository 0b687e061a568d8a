/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a row of A and a column of B for each tile of the result that this core computes. */
#include "dataflow_api.h"

void kernel_main(void)
{
	const uint32_t inner = get_compile_time_arg_val(0), columns = get_compile_time_arg_val(1);
	struct InterleavedAddrGen a = {get_common_arg_val(0), get_tile_size(0)};
	struct InterleavedAddrGen b = {get_common_arg_val(1), get_tile_size(1)};
	uint32_t first = get_arg_val(0), count = get_arg_val(1);

	for (uint32_t tile = first; tile < first + count; tile++) {
		for (uint32_t k = 0; k < inner; k++) {
			DeviceZoneScopedN("READ-TILES");
			cb_reserve_back(0, 1);
			cb_reserve_back(1, 1);
			noc_async_read_page(tile / columns * inner + k, &a, get_write_ptr(0));
			noc_async_read_page(k * columns + tile % columns, &b, get_write_ptr(1));
			noc_async_read_barrier();
			cb_push_back(0, 1);
			cb_push_back(1, 1);
		}
	}
}
