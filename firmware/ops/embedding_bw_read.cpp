/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads for the gradient of an embedding: a unit is a tile of the table. For each 32 ids a one-hot
 * tile of the unit's rows, and the gradient's tile of its column. Words: groups of 32 ids, tiles of
 * a row.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t groups = OP_WORD(0), wt = OP_WORD(1);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		for (uint32_t i = 0; i < groups; i++) {
			one_hot_push(CB_HOT, ids_read(0, 0, i), unit / wt * 32, 1);
			cb_pop_front(0, 1);
			pages_read(1, 1, i * wt + unit % wt, 1);
		}
	}
}
