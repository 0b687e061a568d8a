/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tiles that this core computes, one after the other. */
#include "dataflow_api.h"

void kernel_main(void)
{
	struct InterleavedAddrGen from = {get_common_arg_val(0), get_tile_size(0)};
	uint32_t first = get_arg_val(0), count = get_arg_val(1);

	for (uint32_t tile = first; tile < first + count; tile++) {
		DeviceZoneScopedN("READ-TILE");
		cb_reserve_back(0, 1);
		noc_async_read_page(tile, &from, get_write_ptr(0));
		noc_async_read_barrier();
		cb_push_back(0, 1);
	}
}
