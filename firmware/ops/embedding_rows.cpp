/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers rows of a table in rows by ids in rows. A unit is a page of the output: a row, or a tile.
 * Words: columns, bytes of a value, ids of a row, 1 if the output is in tiles, rows of the table.
 */
#include "ops.h"

/* An id beyond the table reads its last row: the host has checked those that it has seen. */
static uint32_t id_read(uint32_t index)
{
	const uint32_t width = OP_WORD(2), stride = op_stride(0, 4 * width);
	uint32_t to = get_write_ptr(0), id;

	noc_async_read(op_page(0, index / width, stride, index % width * 4), to, 4);
	noc_async_read_barrier();
	id = *(volatile uint32_t *)to;
	return id < OP_WORD(4) ? id : OP_WORD(4) - 1;
}

void kernel_main()
{
	const uint32_t columns = OP_WORD(0), value = OP_WORD(1), ids = OP_WORD(2);
	const uint32_t stride = op_stride(1, columns * value), size = cb_page(CB_OUT);
	const uint32_t across = (columns + 31) / 32, down = (ids + 31) / 32;
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	cb_reserve_back(0, 1);
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t to;

		cb_reserve_back(CB_OUT, 1);
		to = get_write_ptr(CB_OUT);
		if (!OP_WORD(3)) {
			noc_async_read(op_page(1, id_read(unit), stride), to, columns * value);
		} else {
			uint32_t column = unit % across * 32, row = unit / across % down * 32;
			uint32_t start = unit / across / down * ids + row;

			l1_clear(to, size);
			for (uint32_t r = 0; r < 32 && row + r < ids; r++) {
				uint32_t id = id_read(start + r);

				for (uint32_t half = 0; half < 32 && column + half < columns;
				     half += 16) {
					uint32_t n = columns - column - half;

					noc_async_read(
						op_page(1, id, stride, (column + half) * value),
						to + value * tile_cell(r, half),
						(n < 16 ? n : 16) * value);
				}
			}
		}
		noc_async_read_barrier();
		cb_push_back(CB_OUT, 1);
	}
}
