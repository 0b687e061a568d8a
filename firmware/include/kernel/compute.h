/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What compute kernels in C++ call. One source is compiled three times: for TRISC0, which unpacks,
 * TRISC1, which computes, and TRISC2, which packs; each call does its part on each of them. For
 * kernels in C see compute_kernel_api.h.
 *
 * Formats go with each tile to the engine, so what hardware has to be reported of them beforehand
 * (reconfig_*, *_init) has nothing to do here but set the fidelity.
 */
#ifndef TACHO_KERNEL_COMPUTE_H
#define TACHO_KERNEL_COMPUTE_H

#include "kernel/args.h"
#include "tacho_engine.h"

#include <tacho/kernel_profiler.h>

#if TACHO_RISC == 2
#define UNPACK(...) __VA_ARGS__
#define UCK_CHLKC_UNPACK
#define TRISC_UNPACK
#else
#define UNPACK(...)
#endif
#if TACHO_RISC == 3
#define MATH(...) __VA_ARGS__
#define UCK_CHLKC_MATH
#define TRISC_MATH
#else
#define MATH(...)
#endif
#if TACHO_RISC == 4
#define PACK(...) __VA_ARGS__
#define UCK_CHLKC_PACK
#define TRISC_PACK
#else
#define PACK(...)
#endif

/* Older kernels are written as "namespace NAMESPACE { void MAIN { ... } }". */
#ifndef MAIN
#define MAIN kernel_main()
#endif
#ifndef NAMESPACE
#define NAMESPACE tacho_kernel
#endif
namespace NAMESPACE
{
}
using namespace NAMESPACE;

#ifndef TACHO_FIDELITY
#define TACHO_FIDELITY 3
#endif
/* Kernels also test whether it is defined: only a program that asks for it makes it a macro. */
#ifndef DST_ACCUM_MODE
#ifdef TACHO_DST_FP32
constexpr bool DST_ACCUM_MODE = true;
#else
constexpr bool DST_ACCUM_MODE = false;
#endif
#endif
#ifndef APPROX
#define APPROX false
#endif

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4, Invalid = 255 };
enum class DstSync : uint8_t { SyncHalf, SyncFull };
#ifndef DST_SYNC_MODE
#define DST_SYNC_MODE DstSync::SyncHalf
#endif
#define DST_SYNC_FULL DstSync::SyncFull
constexpr MathFidelity MATH_FIDELITY = TACHO_FIDELITY == 0   ? MathFidelity::LoFi
				       : TACHO_FIDELITY == 1 ? MathFidelity::HiFi2
				       : TACHO_FIDELITY == 2 ? MathFidelity::HiFi3
							     : MathFidelity::HiFi4;

namespace ckernel
{
using ::DstSync;
using ::MathFidelity;
enum class VectorMode { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 255 };
enum class SrcOrder { Regular, Reverse };
enum class EltwiseBinaryType { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
using EltwiseBinaryType::ELWADD;
using EltwiseBinaryType::ELWDIV;
using EltwiseBinaryType::ELWLESS;
using EltwiseBinaryType::ELWMUL;
using EltwiseBinaryType::ELWSUB;
enum class EltwiseBinaryReuseDestType { NONE, DEST_TO_SRCA, DEST_TO_SRCB };
enum class BroadcastType { NONE, COL, ROW, SCALAR };
enum class InputClamping { None, ClampToNegative };
enum class RoundingMode { None, Trunc, Floor };
enum class PackMode { Default, Untilize, Tilize };
enum class ReluType { NO_RELU, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };
/* What the packer does to values; the threshold is a bfloat16's bits. */
struct ReluConfig {
	ReluType mode;
	uint32_t threshold;
	static constexpr ReluConfig none()
	{
		return {ReluType::NO_RELU, 0};
	}
	static constexpr ReluConfig zero()
	{
		return {ReluType::ZERO_RELU, 0};
	}
	static constexpr ReluConfig min_threshold(uint32_t t)
	{
		return {ReluType::MIN_THRESHOLD_RELU, t};
	}
	static constexpr ReluConfig max_threshold(uint32_t t)
	{
		return {ReluType::MAX_THRESHOLD_RELU, t};
	}
	static constexpr ReluConfig from_packed(uint32_t packed)
	{
		return {ReluType(packed & 3), packed >> 16};
	}
};
enum class DataCopyType { A2D, B2D };
enum class SfpuType {
	tanh,
	gelu,
	exponential,
	sigmoid,
	reciprocal,
	sqrt,
	log,
	relu,
	square,
	silu,
	unused
};

/* ---- parts of the calls below ---- */
namespace tacho_impl
{
FORCE_INLINE void parameter(uint32_t i, uint32_t value)
{
	TE_PUSH(TE_PARAM_LOW, i << 16 | (value & 0xffff));
	TE_PUSH(TE_PARAM_HIGH, i << 16 | value >> 16);
}
/* In units of 16 bytes. */
FORCE_INLINE uint32_t page_at(uint32_t cb, uint32_t page)
{
	const LocalCBInterface &c = tacho_cbs[cb];
	uint32_t address = c.fifo_rd_ptr + page * c.fifo_page_size;

	return address >= c.fifo_limit ? address - c.fifo_size : address;
}
/* Format and shape for TE_FORMAT. */
constexpr auto cb_layout = tacho::each_cb([](int32_t i) {
	uint32_t shape = (uint32_t)std::countr_zero(32u / tacho::tile_height((uint32_t)i)) << 8;

	if (tacho::tile_width((uint32_t)i) == 16)
		shape |= TE_NARROW;
	return shape | tacho::cb_format[i];
});
FORCE_INLINE void unpack_a(uint32_t cb, uint32_t tile)
{
	TE_PUSH(TE_FORMAT, 0u << 16 | cb_layout[cb]);
	TE_PUSH(TE_UNPACK_A, page_at(cb, tile));
}
FORCE_INLINE void unpack_b(uint32_t cb, uint32_t tile)
{
	TE_PUSH(TE_FORMAT, 1u << 16 | cb_layout[cb]);
	TE_PUSH(TE_UNPACK_B, page_at(cb, tile));
}
/* The row of the second operand that is broadcast, when it is not the first. */
FORCE_INLINE void broadcast_row(uint32_t row)
{
	if (row)
		MATH(parameter(0, row));
}
FORCE_INLINE void math(uint32_t op, uint32_t dst, uint32_t how)
{
	TE_PUSH(TE_MATH, how << 16 | op << 8 | dst);
}
FORCE_INLINE void init()
{
	MATH(TE_PUSH(TE_FIDELITY, TACHO_FIDELITY));
}
FORCE_INLINE void two(uint32_t op, uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1,
		      uint32_t dst, uint32_t how)
{
	UNPACK(unpack_a(in0, t0));
	UNPACK(unpack_b(in1, t1));
	MATH(math(op, dst, how));
}
FORCE_INLINE void one(uint32_t op, uint32_t in, uint32_t tile, uint32_t dst, uint32_t how)
{
	UNPACK(unpack_a(in, tile));
	MATH(math(op, dst, how));
}
/* The settings of the last *_init, for calls without their own. */
static uint8_t accumulate, copy_transposed, matmul_transposed;
constexpr uint32_t binary_op(EltwiseBinaryType type)
{
	return type == EltwiseBinaryType::ELWADD   ? TE_ADD
	       : type == EltwiseBinaryType::ELWSUB ? TE_SUB
						   : TE_MUL;
}
} // namespace tacho_impl

FORCE_INLINE void tensix_sync()
{
	(void)REG32(0xFFE80004);
}

/* ---- start ---- */
template <SrcOrder order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t, uint32_t, uint32_t)
{
	tacho_impl::init();
}
template <SrcOrder order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t, uint32_t)
{
	tacho_impl::init();
}
#define TACHO_NOTHING(name)                           \
	template <class... A> ALWI void name(A &&...) \
	{                                             \
	}
#define TACHO_INIT(name)                              \
	template <class... A> ALWI void name(A &&...) \
	{                                             \
		tacho_impl::init();                   \
	}
/* Of two circular buffers: a plain function, since kernels also take its address. */
#define TACHO_INIT_PAIR(name)                                    \
	ALWI void name(uint32_t = 0, uint32_t = 0, uint32_t = 0) \
	{                                                        \
		tacho_impl::init();                              \
	}
TACHO_INIT(binary_op_init_common)
TACHO_INIT(unary_op_init_common)
TACHO_INIT(unary_op_init_common_no_pack)
TACHO_INIT(init_sfpu)

/* ---- formats: each tile brings its own ---- */
template <SrcOrder order = SrcOrder::Regular, bool dims = false, class... A>
ALWI void reconfig_data_format(A &&...)
{
}
template <bool a, bool dims = false, class... A> ALWI void reconfig_data_format(A &&...)
{
}
template <SrcOrder order = SrcOrder::Regular, bool dims = false, class... A>
ALWI void reconfig_full_operand(A &&...)
{
}
template <SrcOrder order = SrcOrder::Regular, bool dims = false, class... A>
ALWI void reconfig_data_format_skip_int8(A &&...)
{
}
#define TACHO_RECONFIG(name)                                                          \
	template <bool a = false, bool b = false, class... A> ALWI void name(A &&...) \
	{                                                                             \
	}
TACHO_RECONFIG(reconfig_data_format_srca)
TACHO_RECONFIG(reconfig_data_format_srcb)
TACHO_RECONFIG(reconfig_full_operand_srca)
TACHO_RECONFIG(reconfig_full_operand_srcb)
TACHO_RECONFIG(reconfig_data_format_srca_skip_int8)
TACHO_RECONFIG(reconfig_data_format_srcb_skip_int8)
TACHO_RECONFIG(reconfig_tile_shape_srca)
TACHO_RECONFIG(reconfig_tile_shape_srcb)
TACHO_RECONFIG(pack_reconfig_data_format)
TACHO_RECONFIG(pack_reconfig_full_operand)
TACHO_NOTHING(pack_init)
TACHO_NOTHING(pack_block_init)

/* ---- circular buffers: TRISC0 consumes, TRISC2 produces ---- */
} // namespace ckernel

FORCE_INLINE void cb_wait_front(uint32_t cb, uint32_t pages)
{
	UNPACK(while ((uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) < pages));
}
FORCE_INLINE void cb_pop_front(uint32_t cb, uint32_t pages)
{
#if TACHO_RISC == 2
	LocalCBInterface &c = tacho_cbs[cb];

	ckernel::tensix_sync();
	CB_ACKED(cb) = CB_ACKED(cb) + pages;
	c.fifo_rd_ptr += pages * c.fifo_page_size;
	if (c.fifo_rd_ptr >= c.fifo_limit)
		c.fifo_rd_ptr -= c.fifo_size;
#endif
}
FORCE_INLINE void cb_reserve_back(uint32_t cb, uint32_t pages)
{
	PACK(while (tacho_cbs[cb].fifo_num_pages - (uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) <
		    (int32_t)pages));
}
FORCE_INLINE void cb_push_back(uint32_t cb, uint32_t pages)
{
#if TACHO_RISC == 4
	LocalCBInterface &c = tacho_cbs[cb];

	ckernel::tensix_sync();
	c.fifo_wr_ptr += pages * c.fifo_page_size;
	if (c.fifo_wr_ptr >= c.fifo_limit)
		c.fifo_wr_ptr -= c.fifo_size;
	c.fifo_wr_tile_ptr = 0;
	CB_RECEIVED(cb) = CB_RECEIVED(cb) + pages;
#endif
}
FORCE_INLINE uint32_t get_read_ptr(uint32_t cb)
{
	return tacho_cbs[cb].fifo_rd_ptr << CB_SHIFT;
}
FORCE_INLINE uint32_t get_write_ptr(uint32_t cb)
{
	return tacho_cbs[cb].fifo_wr_ptr << CB_SHIFT;
}

namespace ckernel
{
using ::cb_pop_front;
using ::cb_push_back;
using ::cb_reserve_back;
using ::cb_wait_front;

/* TRISC0 knows; the others wait for its word. */
FORCE_INLINE uint32_t tacho_share(uint32_t word)
{
#if TACHO_RISC == 2
	mailbox_write(MathThreadId, word);
	mailbox_write(PackThreadId, word);
	return word;
#else
	(void)word;
	return mailbox_read(UnpackThreadId);
#endif
}
ALWI uint32_t get_tile_address(uint32_t cb, uint32_t tile)
{
	return tacho_share((tacho_cbs[cb].fifo_rd_ptr + tile * tacho_cbs[cb].fifo_page_size) << 4);
}
ALWI uint32_t read_tile_value(uint32_t cb, uint32_t tile, uint32_t element)
{
	uint32_t word = 0;

	UNPACK(word = ((volatile uint32_t *)((tacho_cbs[cb].fifo_rd_ptr +
					      tile * tacho_cbs[cb].fifo_page_size)
					     << 4))[element]);
	return tacho_share(word);
}

/* ---- dst: math fills one half while the other is packed ---- */
ALWI void tile_regs_acquire()
{
	MATH(TE_PUSH(TE_SEMWAIT, TE_SEM_DST | 2u));
}
ALWI void tile_regs_commit()
{
	MATH(TE_PUSH(TE_SEMPOST, TE_SEM_DST));
	MATH(TE_PUSH(TE_FLIP, 0));
}
ALWI void tile_regs_wait()
{
	PACK(TE_PUSH(TE_SEMWAIT, TE_SEM_DST | 1u));
}
ALWI void tile_regs_release()
{
	PACK(TE_PUSH(TE_FLIP, 1));
	PACK(TE_PUSH(TE_SEMGET, TE_SEM_DST));
}
template <class... A> ALWI void acquire_dst(A &&...)
{
	tile_regs_acquire();
	tile_regs_wait();
}
template <class... A> ALWI void release_dst(A &&...)
{
	tile_regs_commit();
	tile_regs_release();
}

/* ---- packing ---- */
namespace tacho_impl
{
FORCE_INLINE void pack_to(uint32_t dst, uint32_t cb, uint32_t page)
{
	const LocalCBInterface &c = tacho_cbs[cb];
	uint32_t address = c.fifo_wr_ptr + page * c.fifo_page_size;

	TE_PUSH(TE_FORMAT, 2u << 16 | tacho_impl::cb_layout[cb]);
	TE_PUSH(TE_PACK_DST, dst);
	TE_PUSH(TE_PACK, address >= c.fifo_limit ? address - c.fifo_size : address);
}
} // namespace tacho_impl
/* The n-th tile since the last push goes n pages after the write pointer, or to page INDEX. */
template <bool out_of_order = false, class... A>
ALWI void pack_tile(uint32_t dst, uint32_t cb, uint32_t index = 0, A &&...)
{
	PACK(tacho_impl::pack_to(dst, cb, out_of_order ? index : tacho_cbs[cb].fifo_wr_tile_ptr++));
}
template <class... A> ALWI void pack_tile_block(uint32_t dst, uint32_t cb, uint32_t n, A &&...)
{
	for (uint32_t i = 0; i < n; i++)
		pack_tile(dst + i, cb);
}
template <class... A> ALWI void pack_block(uint32_t dst, uint32_t cb, uint32_t n, A &&...)
{
	pack_tile_block(dst, cb, n);
}
ALWI void matmul_pack_tile(uint32_t dst, uint32_t cb, uint32_t n)
{
	pack_tile_block(dst, cb, n);
}
/* 1: packed tiles are added to the contents of L1. */
ALWI void pack_reconfig_l1_acc(const uint32_t on)
{
	PACK(TE_PUSH(TE_PACK_MODE, TE_PACK_ADD << 8 | (on ? TE_PACK_ADD : 0u)));
}

/* ---- two operands ---- */
#define TACHO_BINARY(name, op)                                                                     \
	ALWI void name##_init(uint32_t, uint32_t, bool acc = false, uint32_t = 0)                  \
	{                                                                                          \
		tacho_impl::init();                                                                \
		tacho_impl::accumulate = acc;                                                      \
	}                                                                                          \
	ALWI void name##_tiles_init(uint32_t a = 0, uint32_t b = 1, bool acc = false,              \
				    uint32_t = 0)                                                  \
	{                                                                                          \
		name##_init(a, b, acc);                                                            \
	}                                                                                          \
	ALWI void name##_tiles_init_f(uint32_t = 0, uint32_t = 0)                                  \
	{                                                                                          \
		name##_init(0, 0);                                                                 \
	}                                                                                          \
	ALWI void name##_tiles_init_nof(uint32_t = 0, uint32_t = 0)                                \
	{                                                                                          \
		name##_init(0, 0);                                                                 \
	}                                                                                          \
	ALWI void name##_tiles(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst) \
	{                                                                                          \
		tacho_impl::two(op, in0, in1, t0, t1, dst,                                         \
				tacho_impl::accumulate ? TE_HOW_ACCUMULATE : 0);                   \
	}                                                                                          \
	ALWI void name##_block(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst, \
			       uint32_t n)                                                         \
	{                                                                                          \
		for (uint32_t i = 0; i < n; i++)                                                   \
			name##_tiles(in0, in1, t0 + i, t1 + i, dst + i);                           \
	}                                                                                          \
	template <BroadcastType how>                                                               \
	ALWI void name##_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1,         \
				     uint32_t dst, uint32_t row = 0)                               \
	{                                                                                          \
		tacho_impl::broadcast_row(row);                                                    \
		tacho_impl::two(op, in0, in1, t0, t1, dst,                                         \
				(uint32_t)how | (row ? TE_HOW_ROW : 0));                           \
	}                                                                                          \
	ALWI void name##_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1,         \
				     uint32_t dst, uint32_t how)                                   \
	{                                                                                          \
		tacho_impl::two(op, in0, in1, t0, t1, dst, how);                                   \
	}                                                                                          \
	TACHO_BCAST(name, op, rows, ROW)                                                           \
	TACHO_BCAST(name, op, cols, COL)                                                           \
	TACHO_BCAST(name, op, scalar, SCALAR)                                                      \
	template <EltwiseBinaryReuseDestType reuse> ALWI void name##_reuse_dest_init(uint32_t)     \
	{                                                                                          \
		tacho_impl::init();                                                                \
	}                                                                                          \
	template <EltwiseBinaryReuseDestType reuse>                                                \
	ALWI void name##_reuse_dest_tiles(uint32_t in, uint32_t tile, uint32_t dst)                \
	{                                                                                          \
		tacho_impl::one(op, in, tile, dst,                                                 \
				reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA ? TE_HOW_DST_A   \
										  : TE_HOW_DST_B); \
	}
#define TACHO_BCAST(name, op, which, WHICH)                                                        \
	TACHO_INIT_PAIR(name##_bcast_##which##_init)                                               \
	TACHO_INIT_PAIR(name##_bcast_##which##_init_short)                                         \
	TACHO_INIT_PAIR(name##_tiles_bcast_##which##_init)                                         \
	TACHO_INIT_PAIR(name##_tiles_bcast_##which##_init_short)                                   \
	ALWI void name##_tiles_bcast_##which(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, \
					     uint32_t dst, uint32_t row = 0)                       \
	{                                                                                          \
		tacho_impl::broadcast_row(row);                                                    \
		tacho_impl::two(op, in0, in1, t0, t1, dst,                                         \
				(uint32_t)BroadcastType::WHICH | (row ? TE_HOW_ROW : 0));          \
	}
/* COUNT tiles of one row, each with the column of tile T1. */
#define TACHO_BCAST_COLUMN(name, op)                                                        \
	TACHO_INIT(name##_bcast_cols_init_short_custom)                                     \
	ALWI void name##_tiles_bcast_cols_custom(uint32_t in0, uint32_t in1, uint32_t t0,   \
						 uint32_t t1, uint32_t dst, uint32_t count) \
	{                                                                                   \
		for (uint32_t i = 0; i < count; i++)                                        \
			tacho_impl::two(op, in0, in1, t0 + i, t1, dst + i,                  \
					(uint32_t)BroadcastType::COL);                      \
	}
TACHO_BINARY(add, TE_ADD)
TACHO_BINARY(sub, TE_SUB)
TACHO_BINARY(mul, TE_MUL)
TACHO_BCAST_COLUMN(sub, TE_SUB)
TACHO_BCAST_COLUMN(mul, TE_MUL)
#undef TACHO_BINARY
#undef TACHO_BCAST
#undef TACHO_BCAST_COLUMN

template <bool full_init = true, EltwiseBinaryType type = EltwiseBinaryType::ELWADD, class... B>
ALWI void binary_tiles_init(uint32_t, uint32_t, bool acc = false, B &&...)
{
	tacho_impl::init();
	tacho_impl::accumulate = acc;
}
template <bool full = false, EltwiseBinaryType type = EltwiseBinaryType::ELWADD>
ALWI void binary_op_specific_init(int = 0, int = 1)
{
	tacho_impl::init();
}
template <EltwiseBinaryType type = EltwiseBinaryType::ELWADD,
	  EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t = 0, uint32_t = 0)
{
	tacho_impl::init();
}
template <EltwiseBinaryType type = EltwiseBinaryType::ELWADD,
	  EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles(uint32_t in, uint32_t tile, uint32_t dst)
{
	tacho_impl::one(tacho_impl::binary_op(type), in, tile, dst,
			reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA ? TE_HOW_DST_A
									  : TE_HOW_DST_B);
}
template <EltwiseBinaryType type, EltwiseBinaryReuseDestType reuse>
ALWI void binary_reuse_dest_init(uint32_t)
{
	tacho_impl::init();
}
template <EltwiseBinaryType type, EltwiseBinaryReuseDestType reuse>
ALWI void binary_reuse_dest_tiles(uint32_t in, uint32_t tile, uint32_t dst)
{
	binary_dest_reuse_tiles<type, reuse>(in, tile, dst);
}

/* One row, one column or one value of the second operand. */
template <EltwiseBinaryType type, BroadcastType how, class... A> ALWI void init_bcast(A &&...)
{
	tacho_impl::init();
}
template <EltwiseBinaryType type, BroadcastType how, class... A> ALWI void bcast_init(A &&...)
{
	tacho_impl::init();
}
template <EltwiseBinaryType type, BroadcastType how>
ALWI void any_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst,
			  uint32_t row = 0)
{
	tacho_impl::broadcast_row(row);
	tacho_impl::two(tacho_impl::binary_op(type), in0, in1, t0, t1, dst,
			(uint32_t)how | (row ? TE_HOW_ROW : 0));
}
template <BroadcastType how, class... A> ALWI void unary_bcast_init(A &&...)
{
	tacho_impl::init();
}
template <BroadcastType how, class... A> ALWI void unary_bcast_uninit(A &&...)
{
}
template <BroadcastType how> ALWI void unary_bcast(uint32_t in, uint32_t tile, uint32_t dst)
{
	tacho_impl::one(TE_COPY, in, tile, dst, (uint32_t)how);
}
template <BroadcastType from, BroadcastType to, class... A>
ALWI void reconfigure_unary_bcast(A &&...)
{
}

/* ---- matrix products: dst += in0[t0] x in1[t1] ---- */
template <class... A> ALWI void matmul_init(uint32_t, uint32_t, uint32_t transpose = 0, A &&...)
{
	tacho_impl::init();
	tacho_impl::matmul_transposed = transpose != 0;
}
template <class... A>
ALWI void mm_init(uint32_t = 0, uint32_t = 1, uint32_t = 16, uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_init_short(uint32_t = 0, uint32_t = 1, uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_init_short_with_dt(uint32_t, uint32_t, uint32_t, uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_init_short_with_both_dt(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t transpose = 0,
				     A &&...)
{
	matmul_init(0, 0, transpose);
}
ALWI void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst)
{
	tacho_impl::two(TE_MATMUL, in0, in1, t0, t1, dst,
			tacho_impl::matmul_transposed ? TE_HOW_TRANSPOSE : 0);
}
ALWI void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst,
		       uint32_t transpose)
{
	tacho_impl::two(TE_MATMUL, in0, in1, t0, t1, dst, transpose ? TE_HOW_TRANSPOSE : 0);
}
template <class... A>
ALWI void matmul_block_init(uint32_t, uint32_t, uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_block_init(uint32_t = 0, uint32_t = 1, uint32_t = 16, uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_block_init_short(uint32_t = 0, uint32_t = 1, uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_block_init_short_with_dt(uint32_t, uint32_t, uint32_t, uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_block_init_short_with_both_dt(uint32_t, uint32_t, uint32_t, uint32_t,
					   uint32_t transpose = 0, A &&...)
{
	matmul_init(0, 0, transpose);
}
/* One inner step of a block: rows of in0 are KT tiles apart, columns of in1 follow each other. */
template <class... A>
ALWI void matmul_block(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst,
		       const uint32_t transpose, uint32_t ct, uint32_t rt, uint32_t kt, A &&...)
{
	for (uint32_t r = 0; r < rt; r++)
		for (uint32_t c = 0; c < ct; c++)
			matmul_tiles(in0, in1, t0 + r * kt, t1 + c, dst + r * ct + c, transpose);
}

template <class... A>
ALWI void mm_no_mop_init_short(uint32_t, uint32_t, bool transpose = false, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void mm_no_mop_reinit_short(uint32_t, uint32_t, bool transpose = false, A &&...)
{
	matmul_init(0, 0, transpose);
}
template <class... A>
ALWI void matmul_block_no_mop(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst,
			      bool transpose, uint32_t ct, uint32_t rt, uint32_t kt, A &&...)
{
	matmul_block(in0, in1, t0, t1, dst, transpose, ct, rt, kt);
}

/* ---- one operand ---- */
ALWI void copy_tile_to_dst_init_short(uint32_t = 0, uint32_t transpose = 0, uint32_t = 0,
				      uint32_t = 0)
{
	tacho_impl::init();
	tacho_impl::copy_transposed = transpose != 0;
}
ALWI void copy_tile_init(uint32_t = 0, uint32_t = 0)
{
	copy_tile_to_dst_init_short();
}
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t, uint32_t transpose = 0)
{
	copy_tile_to_dst_init_short(0, transpose);
}
ALWI void copy_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
	tacho_impl::one(tacho_impl::copy_transposed ? TE_TRANSPOSE : TE_COPY, in, tile, dst, 0);
}
ALWI void copy_block(uint32_t in, uint32_t tile, uint32_t dst, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		copy_tile(in, tile + i, dst + i);
}
ALWI void copy_block_matmul_partials(uint32_t in, uint32_t tile, uint32_t dst, uint32_t n)
{
	copy_block(in, tile, dst, n);
}
TACHO_INIT(copy_block_init)
TACHO_INIT(transpose_init)
TACHO_INIT(transpose_wh_init)
TACHO_INIT(transpose_wh_init_short)
TACHO_NOTHING(transpose_wh_uninit)
ALWI void transpose_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
	tacho_impl::one(TE_TRANSPOSE, in, tile, dst, 0);
}
ALWI void transpose_wh_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
	transpose_tile(in, tile, dst);
}
ALWI void transpose_block(uint32_t in, uint32_t tile, uint32_t dst, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		transpose_tile(in, tile + i, dst + i);
}
} // namespace ckernel

using namespace ckernel;

#define REDUCE_SUM PoolType::SUM
#define REDUCE_AVG PoolType::AVG
#define REDUCE_MAX PoolType::MAX

#include "kernel/local.h"
#include "kernel/rows.h"
#include "kernel/sfpu.h"

inline uint32_t tacho::buffer::get_tile_address(uint32_t tile) const
{
	return ckernel::get_tile_address(id, tile);
}
template <typename T> T tacho::buffer::read_tile_value(uint32_t tile, uint32_t element) const
{
	return (T)ckernel::read_tile_value(id, tile, element);
}

#endif
