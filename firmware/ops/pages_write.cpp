/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a page for each unit: of unit u, seen as eight dimensions, page base + sum of the place in
 * each dimension times its stride. Words: 1, base, extents, strides; or 2: page u.
 */
#include "ops.h"

void kernel_main()
{
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT, size = cb_page(CB_OUT);
	uint32_t stride = op_stride(INPUTS, size);

	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t page = unit;

		if (OP_WORD(0) == 1) {
			uint32_t rest = unit;

			page = OP_WORD(1);
			for (uint32_t d = 8; d--;) {
				page += rest % OP_WORD(2 + d) * OP_WORD(10 + d);
				rest /= OP_WORD(2 + d);
			}
		}
		cb_wait_front(CB_OUT, 1);
		noc_async_write(get_read_ptr(CB_OUT), op_page(INPUTS, page, stride), size);
		noc_async_writes_flushed();
		cb_pop_front(CB_OUT, 1);
	}
	noc_async_write_barrier();
}
