/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one row of each matrix of a cache of tiles. A unit is a head of a batch. Words: heads,
 * tiles of a row, tile rows of the cache, 1 if the input is [1, batch, heads, width] and not [1,
 * heads, batch, width], the first row of the input, tile rows of a matrix of the input, then for
 * each batch the row to write; with two inputs these are in the second one, with three the last one
 * has, for each batch, a row of the blocks of its matrices.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t heads = OP_WORD(0), wt = OP_WORD(1), rows = OP_WORD(2), start = OP_WORD(4);
	const uint32_t size = cb_page(0), run = size / 64, value = run / 16;
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT, ids = 0;

	cb_reserve_back(0, 1);
	if (INPUTS == 3)
		cb_reserve_back(2, 1);
	if (INPUTS >= 2) {
		cb_reserve_back(1, 1);
		ids = get_write_ptr(1);
		noc_async_read(op_page(1, 0, op_stride(1, cb_page(1))), ids, cb_page(1));
		noc_async_read_barrier();
	}
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t batch = unit / heads, head = unit % heads, to = get_write_ptr(0);
		uint32_t matrix = OP_WORD(3) ? batch : head;
		uint32_t row = OP_WORD(3) ? head : start + batch;
		uint32_t at = ids ? ((volatile uint32_t *)ids)[batch] : OP_WORD(6 + batch);

		uint32_t matrix_out = unit;

		if (INPUTS == 3 && (int32_t)at >= 0) {
			uint32_t block = at / 32 / rows, blocks = get_write_ptr(2);

			if (4 * block >= cb_page(2))
				continue;
			noc_async_read(
				op_page(INPUTS - 1, batch, op_stride(INPUTS - 1, cb_page(2))),
				blocks, cb_page(2));
			noc_async_read_barrier();
			matrix_out = ((volatile uint32_t *)blocks)[block] * heads + head;
			at -= block * rows * 32;
		}
		if (at >= 32 * rows)
			continue;
		for (uint32_t i = 0; i < wt; i++) {
			uint32_t from = (matrix * OP_WORD(5) + row / 32) * wt + i;
			uint32_t page = (matrix_out * rows + at / 32) * wt + i;

			for (uint32_t half = 0; half < 32; half += 16) {
				noc_async_read(
					op_page(0, from, size, value * tile_cell(row % 32, half)),
					to, run);
				noc_async_read_barrier();
				noc_async_write(to,
						op_page(INPUTS, page, size,
							value * tile_cell(at % 32, half)),
						run);
				noc_async_write_barrier();
			}
		}
	}
}
