/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rows of tiles for a norm. Words:
 *
 *	0    tiles of a row
 *	1    bits of 1 / width
 *	2    bits of epsilon
 *	3    flags: 1 without the mean, 2 residual, 4 gamma, 8 beta,
 *	     16 mean and deviation are outputs, 32, 64 gamma, beta in rows of 32
 *	4    columns in use of the last tile (0: all)
 *	5, 6 codes of tile_fill() for x, for the residual
 *
 * Inputs: x, then those that the flags name, in that order.
 */
#include "ops.h"

/* Into the first row of tiles: what is in rows of 32 values. */
static void line_read(uint32_t cb, uint32_t tensor, uint32_t wt, bool rows)
{
	const uint32_t size = cb_page(cb), run = size / 64; /* 16 of 1024 values */
	uint32_t to;

	if (!rows) {
		pages_read(cb, tensor, 0, wt);
		return;
	}
	cb_reserve_back(cb, wt);
	to = get_write_ptr(cb);
	for (uint32_t i = 0; i < wt; i++, to = cb_next(cb, to, size)) {
		uint32_t stride = op_stride(tensor, 2 * run);

		noc_async_read(op_page(tensor, i, stride), to, run);
		noc_async_read(op_page(tensor, i, stride, run), to + size / 4, run);
	}
	noc_async_read_barrier();
	cb_push_back(cb, wt);
}

static void row_read(uint32_t cb, uint32_t tensor, uint32_t unit, uint32_t code)
{
	const uint32_t wt = OP_WORD(0), valid = OP_WORD(4), size = cb_page(cb);
	uint32_t to;

	cb_reserve_back(cb, wt);
	to = get_write_ptr(cb);
	for (uint32_t i = 0; i < wt; i++, to = cb_next(cb, to, size)) {
		noc_async_read(op_page(tensor, unit * wt + i, size), to, size);
		if (valid && i == wt - 1) {
			noc_async_read_barrier();
			tile_fill(to, code, 32, valid, 0);
		}
	}
	noc_async_read_barrier();
	cb_push_back(cb, wt);
}

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), flags = OP_WORD(3);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	scaler_push(CB_SCALER, OP_WORD(1));
	if (OP_WORD(4))
		ones_push(CB_MASK, OP_WORD(4));
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t tensor = 1;

		row_read(0, 0, unit, OP_WORD(5));
		if (flags & 2)
			row_read(3, tensor++, unit, OP_WORD(6));
		if (unit > first)
			continue;
		if (flags & 4)
			line_read(1, tensor++, wt, flags & 32);
		if (flags & 8)
			line_read(2, tensor++, wt, flags & 64);
	}
}
