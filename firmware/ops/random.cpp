/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform values, tile by tile. Words: bits of the lowest, bits of the range, seed. */
#include "kernel/sfpu.h"
#include "ops.h"

void kernel_main()
{
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	for (uint32_t unit = first; unit < first + count; unit++) {
		tile_regs_acquire();
		/* A tile's values do not depend on the core that makes it. */
		tacho_impl::unary(TE_U_RAND_SEED, 0, OP_WORD(2) + unit * 2654435761u, 0);
		tacho_impl::unary(TE_U_RAND, 0, OP_WORD(0), OP_WORD(1));
		pack_begin();
		tile_out(0, CB_OUT);
		tile_regs_release();
	}
}
