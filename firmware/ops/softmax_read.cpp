/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rows of tiles for a softmax. Words:
 *
 *	0 tiles of a row, 1 bits of the scale, 2 mask: 0 none, 1 causal, 2 rows, 3 a single row,
 *	3 columns in use of the last tile (0: all), 4 rows of tiles of a matrix, 5 heads, 6, 7 pages
 *	of the mask from a batch and a head to the next, 8 code of tile_fill(), 9 bits that hide
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), mask = OP_WORD(2), valid = OP_WORD(3), rows = OP_WORD(4),
		       heads = OP_WORD(5), size = cb_page(0);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	scaler_push(CB_SCALER, 0x3f800000);
	if (mask == 1) {
		causal_push(CB_MASK);
		columns_push(CB_MASK, 0);
	}
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t matrix = unit / rows, to;

		cb_reserve_back(0, wt);
		to = get_write_ptr(0);
		for (uint32_t i = 0; i < wt; i++, to = cb_next(0, to, size)) {
			noc_async_read(op_page(0, unit * wt + i, size), to, size);
			if (valid && i == wt - 1) {
				noc_async_read_barrier();
				tile_fill(to, OP_WORD(8), 32, valid, OP_WORD(9));
			}
		}
		noc_async_read_barrier();
		cb_push_back(0, wt);
		if (mask >= 2) {
			uint32_t page = matrix / heads * OP_WORD(6) + matrix % heads * OP_WORD(7);

			pages_read(1, 1, page + (mask == 2 ? unit % rows * wt : 0), wt);
		}
	}
}
