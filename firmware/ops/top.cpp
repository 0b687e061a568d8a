/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest or smallest values of each row of a tensor in rows. A unit is a page of the output,
 * of RESULTS rows each. Words: columns, how many, 1 for the largest, bytes of a value, kind (0
 * float32, 1 bfloat16, 2 int32, 3 uint32), rows of the input for a page of the output, rows of all.
 * Outputs: values, columns; or columns only.
 */
#include "ops.h"

/* Integers in the order of the values. */
static int64_t value_at(uint32_t row, uint32_t i)
{
	uint32_t kind = OP_WORD(4), bits;

	if (kind == 1)
		bits = (uint32_t)((volatile uint16_t *)row)[i] << 16;
	else
		bits = ((volatile uint32_t *)row)[i];
	if (kind == 3)
		return (int64_t)bits;
	if (kind == 2)
		return (int32_t)bits;
	return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

/* Of those that come after PREVIOUS in order, the first. */
static uint32_t next_find(uint32_t row, uint32_t previous, bool any)
{
	const uint32_t columns = OP_WORD(0);
	int64_t best = 0, bound = any ? 0 : value_at(row, previous);
	uint32_t found = columns;

	for (uint32_t i = 0; i < columns; i++) {
		int64_t v = value_at(row, i);
		bool after =
			any || (OP_WORD(2) ? v < bound : v > bound) || (v == bound && i > previous);

		if (after && (found == columns || (OP_WORD(2) ? v > best : v < best))) {
			best = v;
			found = i;
		}
	}
	return found;
}

void kernel_main()
{
	const uint32_t columns = OP_WORD(0), k = OP_WORD(1), value = OP_WORD(3), group = OP_WORD(5);
	const uint32_t stride = op_stride(0, columns * value), last = INPUTS + OUTPUTS - 1;
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	cb_reserve_back(0, 1);
	cb_reserve_back(1, 1);
	cb_reserve_back(2, 1);
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t row = get_write_ptr(0), values = get_write_ptr(1), ids = get_write_ptr(2);
		uint32_t at = 0;

		for (uint32_t r = 0; r < group && unit * group + r < OP_WORD(6); r++) {
			uint32_t previous = 0;

			noc_async_read(op_page(0, unit * group + r, stride), row, columns * value);
			noc_async_read_barrier();
			for (uint32_t i = 0; i < k; i++, at++) {
				previous = next_find(row, previous, i == 0);
				((volatile uint32_t *)ids)[at] = previous;
				value_put(values + at * value, value,
					  value == 2 ? ((volatile uint16_t *)row)[previous]
						     : ((volatile uint32_t *)row)[previous]);
			}
		}
		if (OUTPUTS == 2)
			noc_async_write(values,
					op_page(INPUTS, unit, op_stride(INPUTS, at * value)),
					(at * value + 3) / 4 * 4);
		noc_async_write(ids, op_page(last, unit, op_stride(last, at * 4)), at * 4);
		noc_async_write_barrier();
	}
}
