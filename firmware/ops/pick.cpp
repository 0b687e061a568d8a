/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of each row by columns: out[r][i] = in[r][ids[r][i]], all in rows. A unit is a row. Words:
 * columns of the input, of the output, bytes of a value.
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t columns = OP_WORD(0), picks = OP_WORD(1), value = OP_WORD(2);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	cb_reserve_back(0, 1);
	cb_reserve_back(1, 1);
	for (uint32_t unit = first; unit < first + count; unit++) {
		const uint32_t row = get_write_ptr(0), ids = get_write_ptr(1);
		uint32_t to;

		cb_reserve_back(CB_OUT, 1);
		to = get_write_ptr(CB_OUT);
		noc_async_read(op_page(0, unit, op_stride(0, columns * value)), row,
			       columns * value);
		noc_async_read(op_page(1, unit, op_stride(1, picks * 4)), ids, picks * 4);
		noc_async_read_barrier();
		for (uint32_t i = 0; i < picks; i++) {
			uint32_t id = ((volatile uint32_t *)ids)[i], bits = 0;

			if (id < columns)
				bits = value == 4   ? ((volatile uint32_t *)row)[id]
				       : value == 2 ? ((volatile uint16_t *)row)[id]
						    : ((volatile uint8_t *)row)[id];
			value_put(to + i * value, value, bits);
		}
		cb_push_back(CB_OUT, 1);
	}
}
