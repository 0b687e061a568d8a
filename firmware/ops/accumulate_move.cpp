/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes the tiles of a running sum: of unit u those from u % inner + u / inner * n *
 *inner on, with distance inner. Words:
 *
 *	0 n
 *	1 inner
 *	2 1 to begin with the last tile
 *	3 the instruction on two tiles and its parameters
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t n = OP_WORD(0), inner = OP_WORD(1);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t page = unit % inner + unit / inner * n * inner;

		for (uint32_t k = 0; k < n; k++) {
			uint32_t at = page + (OP_WORD(2) ? n - 1 - k : k) * inner;
#ifdef READ
			pages_read(0, 0, at, 1);
#else
			pages_write(CB_OUT, INPUTS, at, 1);
#endif
		}
	}
}
