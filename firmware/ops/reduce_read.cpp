/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the tiles of a reduction: for unit u the pages u % inner + u / inner * n * inner, and so on
 * with distance inner. Words:
 *
 *	0 n
 *	1 inner
 *	2 bits of the scaler
 *	3 axis: 0 along rows, 1 along columns, 2 neither
 *	4 kind: 0 sum, 1 maximum, 2 minimum
 *	5 rows or columns in use of the last tile (0: all)
 *	6 bits for the others
 *	7 code of tile_fill()
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t n = OP_WORD(0), inner = OP_WORD(1), axis = OP_WORD(3), valid = OP_WORD(5);
	const uint32_t size = cb_page(0);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	scaler_push(CB_SCALER, OP_WORD(2));
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t page = unit % inner + unit / inner * n * inner;

		for (uint32_t k = 0, part; k < n; k += part) {
			uint32_t to;

			part = n - k < 4 ? n - k : 4;
			cb_reserve_back(0, part);
			to = get_write_ptr(0);
			for (uint32_t i = 0; i < part; i++, to = cb_next(0, to, size)) {
				noc_async_read(op_page(0, page + (k + i) * inner, size), to, size);
				if (valid && k + i == n - 1) {
					noc_async_read_barrier();
					tile_fill(to, OP_WORD(7), axis ? valid : 32,
						  axis ? 32 : valid, OP_WORD(6));
				}
			}
			noc_async_read_barrier();
			cb_push_back(0, part);
		}
	}
}
