/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers rows of a table of tiles of bfloat16: a unit is 32 ids, a page of the first tensor. Word:
 * tiles of a row. A row of a tile is two runs of 16 values.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), size = get_tile_size(CB_OUT);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		const volatile uint32_t *ids = ids_read(0, 0, unit);
		uint32_t to;

		cb_reserve_back(CB_OUT, wt);
		to = get_write_ptr(CB_OUT);
		for (uint32_t r = 0; r < 32; r++) {
			uint32_t id = ids[r], page = id / 32 * wt;

			for (uint32_t i = 0; i < wt; i++)
				for (uint32_t half = 0; half < 32; half += 16)
					noc_async_read(op_page(1, page + i, size,
							       2 * tile_cell(id % 32, half)),
						       to + i * size + 2 * tile_cell(r, half), 32);
		}
		noc_async_read_barrier();
		cb_push_back(CB_OUT, wt);
		cb_pop_front(0, 1);
	}
}
