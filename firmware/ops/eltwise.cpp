/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tile by tile: inputs to tiles 0, 1, 2 of dst, or the sum, difference or product of two of them to
 * tile 0; then the steps. Words:
 *
 *	0  number of inputs
 *	1  number of steps
 *	2  operation on two inputs (0: none)
 *	3  what is repeated of each input: two bits each
 *	4  a bit for each input that is transposed
 *	5  tiles of the output in each of six dimensions, then the strides of each of three inputs
 *	29 four words for each step: instruction, parameters
 */
#include "ops.h"

void kernel_main()
{
	const uint32_t inputs = OP_WORD(0), steps = OP_WORD(1), math = OP_WORD(2), how = OP_WORD(3),
		       turned = OP_WORD(4);
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	for (uint32_t unit = 0; unit < count; unit++) {
		tile_regs_acquire();
		for (uint32_t i = 0; i < inputs; i++)
			cb_wait_front(i, 1);
		if (math)
			tacho_impl::two(math, 0, 1, 0, 0, 0, how >> 2 & 3);
		else
			for (uint32_t i = 0; i < inputs; i++)
				tacho_impl::one(turned >> i & 1 ? TE_TRANSPOSE : TE_COPY, i, 0, i,
						how >> 2 * i & 3);
		for (uint32_t i = 0; i < inputs; i++)
			cb_pop_front(i, 1);
		steps_do(29, steps);
		pack_begin();
		tile_out(0, CB_OUT);
		tile_regs_release();
	}
}
