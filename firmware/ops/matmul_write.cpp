/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the blocks of a product. Words as of matmul_read.cpp; the output is the last tensor. */
#include "ops.h"

void kernel_main()
{
	const uint32_t mt = OP_WORD(0), nt = OP_WORD(2), bm = OP_WORD(3), bn = OP_WORD(4);
	const uint32_t across = (nt + bn - 1) / bn, down = (mt + bm - 1) / bm;
	const uint32_t size = get_tile_size(CB_OUT);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t matrix = unit / (across * down);
		uint32_t m0 = unit / across % down * bm, n0 = unit % across * bn;
		uint32_t rows = mt - m0 < bm ? mt - m0 : bm, columns = nt - n0 < bn ? nt - n0 : bn;

		for (uint32_t m = 0; m < rows; m++)
			for (uint32_t n = 0; n < columns; n++) {
				cb_wait_front(CB_OUT, 1);
				noc_async_write(get_read_ptr(CB_OUT),
						op_page(TENSORS - 1,
							(matrix * mt + m0 + m) * nt + n0 + n, size),
						size);
				noc_async_writes_flushed();
				cb_pop_front(CB_OUT, 1);
			}
	}
	noc_async_write_barrier();
}
