/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the tiles of a sum: for unit u the pages u, u + units, u + 2 units, ... Words: how many,
 * the number of units (of the whole op), bits of the scaler.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t n = OP_WORD(0), units = OP_WORD(1);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	scaler_push(CB_SCALER, OP_WORD(2));
	for (uint32_t unit = first; unit < first + count; unit++) {
		for (uint32_t k = 0, part; k < n; k += part) {
			part = n - k < 4 ? n - k : 4;
			pages_read(0, 0, unit + k * units, part, units);
		}
	}
}
