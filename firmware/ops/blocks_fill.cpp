/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes matrices of tiles to the blocks of a cache. A unit is a tile row of a head of the input.
 * Words: heads, tiles of a row, tile rows of a block, tile rows of a matrix, the row of the second
 * input that has the blocks.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t heads = OP_WORD(0), wt = OP_WORD(1), rows = OP_WORD(2), all = OP_WORD(3);
	const uint32_t size = cb_page(0), table = cb_page(1);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;
	const volatile uint32_t *blocks;

	cb_reserve_back(0, wt);
	cb_reserve_back(1, 1);
	blocks = (const volatile uint32_t *)get_write_ptr(1);
	noc_async_read(op_page(1, OP_WORD(4), op_stride(1, table)), get_write_ptr(1), table);
	noc_async_read_barrier();
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t head = unit / all, row = unit % all, to = get_write_ptr(0);
		uint32_t block = blocks[row / rows];
		uint32_t page = ((block * heads + head) * rows + row % rows) * wt;

		for (uint32_t i = 0; i < wt; i++)
			noc_async_read(op_page(0, unit * wt + i, size), to + i * size, size);
		noc_async_read_barrier();
		for (uint32_t i = 0; i < wt; i++)
			noc_async_write(to + i * size, op_page(INPUTS, page + i, size), size);
		noc_async_write_barrier();
	}
}
