/* SPDX-License-Identifier: Apache-2.0 */
/* Writes dx and g n in the order in which layernorm_bw.cpp makes them. Word: tiles of a row. */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(0);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		for (uint32_t i = 0; i < wt; i++)
			pages_write(CB_OUT + 1, 6, unit * wt + i, 1);
		for (uint32_t i = 0; i < wt; i++)
			pages_write(CB_OUT, 5, unit * wt + i, 1);
	}
}
