/* SPDX-License-Identifier: Apache-2.0 */
/* The reverse of heads_split.cpp, with the same words: PARTS inputs, one output. */
#include "ops.h"

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), heads = OP_WORD(1), width = OP_WORD(2);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		const uint32_t tiles = PARTS * heads * width;
#ifdef READ
		const uint32_t size = get_tile_size(0);
		uint32_t to;

		cb_reserve_back(0, tiles);
		to = get_write_ptr(0);
		for (uint32_t part = 0; part < PARTS; part++)
			for (uint32_t head = 0; head < heads; head++)
				for (uint32_t i = 0; i < width; i++, to += size) {
					uint32_t page = ((unit / rows * heads + head) * rows +
							 unit % rows) *
								width +
							i;

					noc_async_read(op_page(part, page, size), to, size);
				}
		noc_async_read_barrier();
		cb_push_back(0, tiles);
#else
		pages_write(0, PARTS, unit * tiles, tiles);
#endif
	}
}
