/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows of attention; if decode, the first row of each to the row of its head. Words as of
 * attention_read.cpp. */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(1), heads = OP_WORD(7), size = cb_page(CB_OUT), run = size / 64;
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t batch = unit / heads, head = unit % heads;

		for (uint32_t i = 0; i < wt; i++) {
			if (!OP_WORD(14)) {
				pages_write(CB_OUT, INPUTS, unit * wt + i, 1);
				continue;
			}
			uint32_t page = (batch * OP_WORD(15) + head / 32) * wt + i;

			cb_wait_front(CB_OUT, 1);
			for (uint32_t half = 0; half < 2; half++)
				noc_async_write(get_read_ptr(CB_OUT) + half * size / 4,
						op_page(INPUTS, page, size,
							run / 16 * tile_cell(head % 32, 16 * half)),
						run);
			noc_async_write_barrier();
			cb_pop_front(CB_OUT, 1);
		}
	}
}
