/* SPDX-License-Identifier: Apache-2.0 */
/* Writes mean, 1 / deviation, then a row of tiles, for each unit. Words as of layernorm_read.cpp.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(0);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		pages_write(CB_OUT + 1, INPUTS + 1, unit, 1);
		pages_write(CB_OUT + 2, INPUTS + 2, unit, 1);
		for (uint32_t i = 0; i < wt; i++)
			pages_write(CB_OUT, INPUTS, unit * wt + i, 1);
	}
}
