/* SPDX-License-Identifier: Apache-2.0 */
// One tile operation after the other by the calls of the C++ API, each result a page of CB 16.
// Compile-time arguments: number of results, then the two buffers' TensorAccessorArgs.
#if TACHO_RISC < 2
void kernel_main()
{
	constexpr uint32_t results = get_compile_time_arg_val(0);
	constexpr auto in_args = TensorAccessorArgs<1>();
	constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
	const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0));
	const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1));
	Noc noc;

	for (uint32_t i = 0; i < 3; i++) {
		CircularBuffer cb(i);

		cb.reserve_back(1);
		noc.async_read(in, cb, cb.get_tile_size(), {.page_id = i}, {});
		noc.async_read_barrier();
		cb.push_back(1);
	}
	for (uint32_t i = 0; i < results; i++) {
		CircularBuffer cb(tt::CBIndex::c_16);

		cb.wait_front(1);
		noc.async_write(cb, out, cb.get_tile_size(), {}, {.page_id = i});
		noc.async_write_barrier();
		cb.pop_front(1);
	}
}
#else
#include "api/compute/bcast.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/matmul.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"

constexpr uint32_t a = 0, b = 1, c = 2, out = 16, rows = 24;

#define RESULT(...)                      \
	do {                             \
		tile_regs_acquire();     \
		__VA_ARGS__;             \
		tile_regs_commit();      \
		cb_reserve_back(out, 1); \
		tile_regs_wait();        \
		pack_tile(0, out);       \
		tile_regs_release();     \
		cb_push_back(out, 1);    \
	} while (0)

static void on_dst()
{
	copy_tile_init(a);
	RESULT(copy_tile(a, 0, 0); exp_tile_init(); exp_tile(0));
	RESULT(copy_tile(a, 0, 0); copy_tile(b, 0, 1); add_binary_tile_init();
	       add_binary_tile(0, 1, 0));
	RESULT(copy_tile(a, 0, 1); copy_tile(b, 0, 2); div_binary_tile(1, 2, 0));
	RESULT(copy_tile(a, 0, 0); gtz_tile(0); copy_tile(b, 0, 1); copy_tile(c, 0, 2);
	       where_tile<DataFormat::Float32>(0, 1, 2, 0));
	RESULT(copy_tile(a, 0, 0); mul_unary_tile(0, 0x40200000)); /* 2.5 */
	RESULT(copy_tile(a, 0, 15); copy_dest_values(15, 0); clamp_tile(0, 0xbf000000, 0x3f000000));
}

static void by_matrix_unit()
{
	add_init(a, b);
	RESULT(add_tiles(a, b, 0, 0, 0));
	sub_tiles_init(a, b);
	RESULT(sub_tiles(a, b, 0, 0, 0));
	mul_init(a, b, true);
	RESULT(mul_tiles(a, b, 0, 0, 0); mul_tiles(a, b, 0, 0, 0));
	mul_init(a, b, false);
	RESULT(add_tiles_bcast<BroadcastType::ROW>(a, b, 0, 0, 0, 5));
	RESULT(mul_tiles_bcast_cols(a, b, 0, 0, 0));
	RESULT(sub_tiles_bcast_scalar(a, b, 0, 0, 0));
	RESULT(copy_tile(a, 0, 0);
	       sub_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(b, 0, 0));
	RESULT(copy_tile(a, 0, 0);
	       sub_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCB>(b, 0, 0));
	matmul_init(a, b);
	RESULT(matmul_tiles(a, b, 0, 0, 0));
	RESULT(matmul_block(a, b, 0, 0, 0, 1, 1, 1, 1));
	reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(a, c, out);
	RESULT(reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(a, c, 0, 0, 0));
	RESULT(reduce_tile<PoolType::MIN, ReduceDim::REDUCE_COL>(a, c, 0, 0, 0));
	RESULT(transpose_tile(a, 0, 0));
	copy_tile_to_dst_init_short(a, 1);
	RESULT(copy_tile(a, 0, 0));
	copy_tile_init(a);
	RESULT(unary_bcast<BroadcastType::COL>(a, 0, 0));
}

void kernel_main()
{
	compute_kernel_hw_startup(a, b, out);
	for (uint32_t cb = 0; cb < 3; cb++)
		cb_wait_front(cb, 1);
	by_matrix_unit();
	on_dst();
	/* As older kernels do it. */
	acquire_dst();
	add_tiles(a, b, 0, 0, 0);
	cb_reserve_back(out, 1);
	pack_tile(0, out);
	cb_push_back(out, 1);
	release_dst();
	/* Added in memory. */
	cb_reserve_back(out, 1);
	for (uint32_t i = 0; i < 2; i++) {
		tile_regs_acquire();
		copy_tile(a, 0, 0);
		tile_regs_commit();
		tile_regs_wait();
		pack_reconfig_l1_acc(i);
		pack_tile<true>(0, out, 0);
		tile_regs_release();
	}
	pack_reconfig_l1_acc(0);
	cb_push_back(out, 1);
#ifdef ROWS
	/* Rows of the tile, and a tile of them again. */
	cb_reserve_back(rows, 1);
	pack_untilize_init<1>(a, rows);
	pack_untilize_block<1>(a, 1, rows);
	cb_push_back(rows, 1);
	cb_wait_front(rows, 1);
	cb_reserve_back(out, 1);
	tilize_init(rows, 1, out);
	tilize_block(rows, 1, out);
	cb_push_back(out, 1);
	/* The rows themselves. */
	cb_reserve_back(out, 1);
	untilize_init(a);
	untilize_block(a, 1, out);
	cb_push_back(out, 1);
#endif
}
#endif
