/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes the tiles of some parts between the ends of heads_split.cpp, with its words. */
#include "ops.h"

void kernel_main()
{
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	for (uint32_t unit = 0; unit < count; unit++)
		for (uint32_t part = 0; part < 3; part++)
			for (uint32_t i = 0; i < OP_WORD(2 + part) * OP_WORD(1); i++) {
				cb_wait_front(0, 1);
				tile_regs_acquire();
				tacho_impl::one(OP_WORD(5) >> part & 1 ? TE_TRANSPOSE : TE_COPY, 0,
						0, 0, 0);
				cb_pop_front(0, 1);
				pack_begin();
				tile_out(0, CB_OUT);
				tile_regs_release();
			}
}
