/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rows of logits and the 32 targets of each, as one-hot tiles. Words: tiles of a row, columns
 * in use of the last tile, bits of the scale of the gradient.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t wt = OP_WORD(0);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	scaler_push(CB_SCALER, 0x3f800000);
	columns_push(CB_MASK, OP_WORD(1));
	for (uint32_t unit = first; unit < first + count; unit++) {
		pages_read(0, 0, unit * wt, wt);
		one_hot_push(CB_HOT, ids_read(1, 1, unit), 0, wt);
		cb_pop_front(1, 1);
	}
}
