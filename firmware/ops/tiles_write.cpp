/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tiles of OUTPUTS tensors, one of each per unit; INPUTS tensors come before them. */
#include "ops.h"

void kernel_main()
{
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		for (uint32_t i = 0; i < OUTPUTS; i++) {
			uint32_t size = get_tile_size(CB_OUT + i);

			cb_wait_front(CB_OUT + i, 1);
			noc_async_write(get_read_ptr(CB_OUT + i), op_page(INPUTS + i, unit, size),
					size);
		}
		noc_async_writes_flushed();
		for (uint32_t i = 0; i < OUTPUTS; i++)
			cb_pop_front(CB_OUT + i, 1);
	}
	noc_async_write_barrier();
}
