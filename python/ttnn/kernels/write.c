/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tiles of the result to their pages. */
#include "tensor.h"

void kernel_main(void)
{
	uint32_t to = get_common_arg_val(0), in_l1 = get_common_arg_val(1),
		 size = get_tile_size(16);
	uint32_t first = get_arg_val(0), count = get_arg_val(1);

	for (uint32_t tile = first; tile < first + count; tile++) {
		DeviceZoneScopedN("WRITE-TILE");
		cb_wait_front(16, 1);
		noc_async_write(get_read_ptr(16), tensor_page(tile, to, in_l1, size), size);
		noc_async_write_barrier();
		cb_pop_front(16, 1);
	}
}
