/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits rows of tiles into heads: [batch, rows, heads * width] to PARTS tensors [batch, heads,
 * rows, width], or [batch, heads, width, rows] of transposed tiles. A unit is a row of tiles.
 * Words, in tiles but for the heads: rows of a batch, width of a head, heads of each of three
 * parts, a bit for each part that is transposed, parts that the first input has (the second has the
 * others). READ: the reader, which takes the rows as they are; else the writer.
 */
#include "ops.h"

#ifndef READ
/* Where tile I of head HEAD of PART goes. */
FORCE_INLINE uint32_t page_of(uint32_t unit, uint32_t part, uint32_t head, uint32_t i)
{
	const uint32_t rows = OP_WORD(0), width = OP_WORD(1);
	uint32_t matrix = unit / rows * OP_WORD(2 + part) + head;

	if (OP_WORD(5) >> part & 1)
		return (matrix * width + i) * rows + unit % rows;
	return (matrix * rows + unit % rows) * width + i;
}
#endif

void kernel_main()
{
	const uint32_t width = OP_WORD(1);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
#ifdef READ
		uint32_t tiles[2] = {};

		for (uint32_t part = 0; part < PARTS; part++)
			tiles[part >= OP_WORD(6)] += OP_WORD(2 + part) * width;
		for (uint32_t i = 0; i < INPUTS; i++)
			pages_read(0, i, unit * tiles[i], tiles[i]);
#else
		const uint32_t from = OP_WORD(5) ? CB_OUT : 0, size = cb_page(from);

		for (uint32_t part = 0; part < PARTS; part++) {
			uint32_t tiles = OP_WORD(2 + part) * width, at;

			cb_wait_front(from, tiles);
			at = get_read_ptr(from);
			for (uint32_t head = 0; head < OP_WORD(2 + part); head++)
				for (uint32_t i = 0; i < width; i++, at = cb_next(from, at, size))
					noc_async_write(at,
							op_page(INPUTS + part,
								page_of(unit, part, head, i), size),
							size);
			noc_async_write_barrier();
			cb_pop_front(from, tiles);
		}
#endif
	}
}
