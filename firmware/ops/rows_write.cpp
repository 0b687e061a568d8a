/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes rows of tiles: for each unit OP_WORD(i) tiles of output i, which follow each other in the
 * tensor. INPUTS tensors come before the outputs.
 */
#include "ops.h"

void kernel_main()
{
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		for (uint32_t i = 0; i < OUTPUTS; i++) {
			uint32_t size = get_tile_size(CB_OUT + i), n = OP_WORD(i);

			for (uint32_t k = 0; k < n; k++) {
				cb_wait_front(CB_OUT + i, 1);
				noc_async_write(get_read_ptr(CB_OUT + i),
						op_page(INPUTS + i, unit * n + k, size), size);
				noc_async_writes_flushed();
				cb_pop_front(CB_OUT + i, 1);
			}
		}
	}
	noc_async_write_barrier();
}
