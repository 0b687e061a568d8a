/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer norm of rows: y = gamma (x - mean) / deviation + beta; also mean and 1 / deviation, as
 * columns of float32. Words as of layernorm_read.cpp.
 */
#include "kernel/reduce.h"
#include "ops.h"

enum { CB_MEAN = CB_TEMP, CB_CENTRED, CB_RSTD };

void kernel_main()
{
	const uint32_t wt = OP_WORD(0), inverse = OP_WORD(1), epsilon = OP_WORD(2);
	uint32_t count = UNIT_COUNT;

	unary_op_init_common(0, CB_OUT);
	cb_wait_front(CB_SCALER, 1);
	for (uint32_t unit = 0; unit < count; unit++) {
		cb_wait_front(0, wt);
		tile_regs_acquire();
		for (uint32_t i = 0; i < wt; i++)
			reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, CB_SCALER, i, 0, 0);
		pack_begin();
		tile_out(0, CB_MEAN);
		tile_out(0, CB_OUT + 1);
		tile_regs_release();

		cb_wait_front(CB_MEAN, 1);
		cb_reserve_back(CB_CENTRED, wt);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			sub_tiles_bcast<BroadcastType::COL>(0, CB_MEAN, i, 0, 0);
			pack_begin();
			pack_tile(0, CB_CENTRED);
			tile_regs_release();
		}
		cb_push_back(CB_CENTRED, wt);
		cb_pop_front(0, wt);
		cb_pop_front(CB_MEAN, 1);

		cb_wait_front(CB_CENTRED, wt);
		tile_regs_acquire();
		for (uint32_t i = 0; i < wt; i++)
			tacho_impl::two(TE_MUL, CB_CENTRED, CB_CENTRED, i, i, 0, TE_HOW_ACCUMULATE);
		sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
		mul_unary_tile(0, inverse);
		add_unary_tile(0, epsilon);
		rsqrt_tile(0);
		pack_begin();
		tile_out(0, CB_RSTD);
		tile_out(0, CB_OUT + 2);
		tile_regs_release();

		cb_wait_front(CB_RSTD, 1);
		cb_wait_front(1, wt);
		cb_wait_front(2, wt);
		for (uint32_t i = 0; i < wt; i++) {
			tile_regs_acquire();
			mul_tiles_bcast<BroadcastType::COL>(CB_CENTRED, CB_RSTD, i, 0, 0);
			dst_with(TE_MUL, 1, i, 0, BroadcastType::ROW);
			dst_with(TE_ADD, 2, i, 0, BroadcastType::ROW);
			pack_begin();
			tile_out(0, CB_OUT);
			tile_regs_release();
		}
		cb_pop_front(CB_CENTRED, wt);
		cb_pop_front(CB_RSTD, 1);
	}
	cb_pop_front(1, wt);
	cb_pop_front(2, wt);
	cb_pop_front(CB_SCALER, 1);
}
