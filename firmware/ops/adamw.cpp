/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AdamW: parameter, gradient, first and second moment to the new parameter and moments. Words, bits
 * of floats: beta1, 1 - beta1, beta2, 1 - beta2, lr / (1 - beta1^t), 1 / (1 - beta2^t), epsilon,
 * 1 - lr * weight decay.
 */
#include "ops.h"

enum { D_M, D_V, D_GRAD, D_STEP, D_ROOT, D_PARAM };

void kernel_main()
{
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	for (uint32_t unit = 0; unit < count; unit++) {
		tile_regs_acquire();
		for (uint32_t cb = 0; cb < 4; cb++)
			cb_wait_front(cb, 1);
		copy_tile(0, 0, D_PARAM);
		copy_tile(1, 0, D_GRAD);
		copy_tile(2, 0, D_M);
		copy_tile(3, 0, D_V);
		for (uint32_t cb = 0; cb < 4; cb++)
			cb_pop_front(cb, 1);
		/* m = beta1 m + (1 - beta1) g */
		copy_dest_values(D_GRAD, D_STEP);
		mul_unary_tile(D_STEP, OP_WORD(1));
		mul_unary_tile(D_M, OP_WORD(0));
		add_binary_tile(D_M, D_STEP, D_M);
		/* v = beta2 v + (1 - beta2) g^2 */
		square_tile(D_GRAD);
		mul_unary_tile(D_GRAD, OP_WORD(3));
		mul_unary_tile(D_V, OP_WORD(2));
		add_binary_tile(D_V, D_GRAD, D_V);
		/* the step: lr m^ / (sqrt(v^) + epsilon) */
		copy_dest_values(D_V, D_ROOT);
		mul_unary_tile(D_ROOT, OP_WORD(5));
		sqrt_tile(D_ROOT);
		add_unary_tile(D_ROOT, OP_WORD(6));
		copy_dest_values(D_M, D_STEP);
		mul_unary_tile(D_STEP, OP_WORD(4));
		div_binary_tile(D_STEP, D_ROOT, D_STEP);
		mul_unary_tile(D_PARAM, OP_WORD(7));
		sub_binary_tile(D_PARAM, D_STEP, D_PARAM);
		pack_begin();
		tile_out(D_PARAM, CB_OUT);
		tile_out(D_M, CB_OUT + 1);
		tile_out(D_V, CB_OUT + 2);
		tile_regs_release();
	}
}
