/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices, a block of at most 16 tiles at a time, which dst accumulates; then the
 * bias, a row, and the steps of the activation. Words as of matmul_read.cpp.
 */
#include "ops.h"

/*
 * dst += the products of a block in circular buffers 0 and 1. A tile of A stays for all columns;
 * the block does not wrap, so its tiles are at constant distances.
 */
FORCE_INLINE void block_add(uint32_t rows, uint32_t columns, uint32_t step, uint32_t how)
{
#if TACHO_RISC == 2
	const uint32_t a_size = tacho_cbs[0].fifo_page_size, b_size = tacho_cbs[1].fifo_page_size;
	const uint32_t a = tacho_cbs[0].fifo_rd_ptr, b = tacho_cbs[1].fifo_rd_ptr;

	TE_PUSH(TE_FORMAT, 0u << 16 | tacho_impl::cb_layout[0]);
	TE_PUSH(TE_FORMAT, 1u << 16 | tacho_impl::cb_layout[1]);
	for (uint32_t k = 0; k < step; k++)
		for (uint32_t m = 0; m < rows; m++) {
			uint32_t at = b + k * columns * b_size;

			TE_PUSH(TE_UNPACK_A, a + (m * step + k) * a_size);
			for (uint32_t n = 0; n < columns; n++, at += b_size)
				TE_PUSH(TE_UNPACK_B, at);
		}
#elif TACHO_RISC == 3
	const uint32_t word = how << 16 | TE_MATMUL << 8;

	for (uint32_t k = 0; k < step; k++)
		for (uint32_t dst = 0; dst < rows * columns; dst += columns) {
			uint32_t n = 0;

			for (; n < columns - 1; n++)
				TE_PUSH(TE_MATH, word | TE_KEEP_A | (dst + n));
			TE_PUSH(TE_MATH, word | (dst + n));
		}
#endif
}

void kernel_main()
{
	const uint32_t mt = OP_WORD(0), kt = OP_WORD(1), nt = OP_WORD(2), bm = OP_WORD(3),
		       bn = OP_WORD(4), bk = OP_WORD(5), bias = OP_WORD(9), steps = OP_WORD(15);
	const uint32_t how =
		(OP_WORD(6) ? TE_HOW_TRANSPOSE_A : 0) | (OP_WORD(7) ? TE_HOW_TRANSPOSE : 0);
	const uint32_t across = (nt + bn - 1) / bn, down = (mt + bm - 1) / bm;
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	mm_init();
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t m0 = unit / across % down * bm, n0 = unit % across * bn;
		uint32_t rows = mt - m0 < bm ? mt - m0 : bm, columns = nt - n0 < bn ? nt - n0 : bn;

		tile_regs_acquire();
		for (uint32_t k0 = 0; k0 < kt; k0 += bk) {
			uint32_t step = kt - k0 < bk ? kt - k0 : bk;

			cb_wait_front(0, bm * bk);
			cb_wait_front(1, bn * bk);
			block_add(rows, columns, step, how);
			cb_pop_front(0, bm * bk);
			cb_pop_front(1, bn * bk);
		}
		if (bias) {
			cb_wait_front(2, columns);
			for (uint32_t i = 0; i < rows * columns; i++)
				dst_with(TE_ADD, 2, i % columns, i, BroadcastType::ROW);
			cb_pop_front(2, columns);
		}
		for (uint32_t i = 0; steps && i < rows * columns; i++)
			steps_do(16, steps, i);
		pack_begin();
		for (uint32_t i = 0; i < rows * columns; i++)
			tile_out(i, CB_OUT);
		tile_regs_release();
	}
}
