/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rows of tiles for the gradient of a layer norm. Words: tiles of a row, bits of 1 / width.
 * Inputs: gradient, x, gamma, mean, 1 / deviation.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(0);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	pages_read(2, 2, 0, wt);
	for (uint32_t unit = first; unit < first + count; unit++) {
		pages_read(3, 3, unit, 1);
		pages_read(4, 4, unit, 1);
		pages_read(1, 1, unit * wt, wt);
		pages_read(0, 0, unit * wt, wt);
	}
}
