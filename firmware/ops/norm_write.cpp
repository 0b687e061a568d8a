/* SPDX-License-Identifier: Apache-2.0 */
/* Writes mean and 1 / deviation, if asked, then a row of tiles, for each unit. Words as of
 * norm_read.cpp. */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(0);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		for (uint32_t i = 1; i < OUTPUTS; i++)
			pages_write(CB_OUT + i, INPUTS + i, unit, 1);
		for (uint32_t i = 0; i < wt; i++)
			pages_write(CB_OUT, INPUTS, unit * wt + i, 1);
	}
}
