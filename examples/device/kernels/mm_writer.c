/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tiles of the result to DRAM. */
#include "dataflow_api.h"

void kernel_main(void)
{
	struct InterleavedAddrGen c = {get_common_arg_val(0), get_tile_size(16)};
	uint32_t first = get_arg_val(0), count = get_arg_val(1);

	for (uint32_t tile = first; tile < first + count; tile++) {
		DeviceZoneScopedN("WRITE-TILE");
		cb_wait_front(16, 1);
		noc_async_write_page(tile, &c, get_read_ptr(16));
		noc_async_write_barrier();
		cb_pop_front(16, 1);
	}
}
