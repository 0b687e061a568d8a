/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits rows of tiles into heads: [batch, rows, PARTS * heads * width] to PARTS tensors
 * [batch, heads, rows, width]. A unit is a row of tiles. Words, in tiles but for the heads: rows of
 * a batch, heads, width of one. READ: the reader, which takes the rows as they are; else the
 * writer.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), heads = OP_WORD(1), width = OP_WORD(2);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		const uint32_t tiles = PARTS * heads * width;
#ifdef READ
		pages_read(0, 0, unit * tiles, tiles);
#else
		const uint32_t size = get_tile_size(0);
		uint32_t from;

		cb_wait_front(0, tiles);
		from = get_read_ptr(0);
		for (uint32_t part = 0; part < PARTS; part++)
			for (uint32_t head = 0; head < heads; head++)
				for (uint32_t i = 0; i < width; i++, from += size) {
					uint32_t page = ((unit / rows * heads + head) * rows +
							 unit % rows) *
								width +
							i;

					noc_async_write(from, op_page(1 + part, page, size), size);
				}
		noc_async_write_barrier();
		cb_pop_front(0, tiles);
#endif
	}
}
