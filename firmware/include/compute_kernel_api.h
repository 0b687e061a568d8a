/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What compute kernels use. One source is compiled three times: for TRISC0, which unpacks, TRISC1,
 * which computes, and TRISC2, which packs; each call does its part on each of them.
 *
 *	#include "compute_kernel_api.h"
 *
 *	void kernel_main(void)
 *	{
 *		mm_init(0, 1, 16);
 *		tile_regs_acquire();
 *		for (uint32_t k = 0; k < get_compile_time_arg_val(0); k++) {
 *			cb_wait_front(0, 1);
 *			cb_wait_front(1, 1);
 *			matmul_tiles(0, 1, 0, 0, 0);
 *			cb_pop_front(0, 1);
 *			cb_pop_front(1, 1);
 *		}
 *		tile_regs_commit();
 *		tile_regs_wait();
 *		cb_reserve_back(16, 1);
 *		pack_tile(0, 16);
 *		cb_push_back(16, 1);
 *		tile_regs_release();
 *	}
 *
 * dst holds 16 tiles between acquire and release, cleared at first.
 */
#ifdef __cplusplus
#include "kernel/compute.h"
#endif
#ifndef TACHO_COMPUTE_KERNEL_API_H
#define TACHO_COMPUTE_KERNEL_API_H
#ifndef __cplusplus

#include "tacho_engine.h"
#include "tacho_hw.h"
#include <tacho/kernel_profiler.h>

#ifndef MAIN
#define MAIN kernel_main()
#endif
#ifndef TACHO_FIDELITY
#define TACHO_FIDELITY 3
#endif
#ifndef TACHO_CB_FORMATS
#define TACHO_CB_FORMATS 5
#endif

#if TACHO_RISC == 2
#define UNPACK(x) x
#else
#define UNPACK(x)
#endif
#if TACHO_RISC == 3
#define MATH(x) x
#else
#define MATH(x)
#endif
#if TACHO_RISC == 4
#define PACK(x) x
#else
#define PACK(x)
#endif

/* Formats of the circular buffers, numbers of the hardware: 0 float32, 5 bfloat16, 6 bfp8_b, ... */
static const uint8_t tacho_cb_format[MAX_CBS] = {TACHO_CB_FORMATS};

/* ---- the tile engine ---- */
/* Waits until the engine has executed everything that this RISC pushed. */
FORCE_INLINE void tensix_sync(void)
{
	(void)REG32(0xFFE80004);
}

/* In units of 16 bytes. */
FORCE_INLINE uint32_t tacho_tile_address(uint32_t cb, uint32_t tile)
{
	const struct LocalCBInterface *c = &tacho_cbs[cb];
	uint32_t address = c->fifo_rd_ptr + tile * c->fifo_page_size;

	return address >= c->fifo_limit ? address - c->fifo_size : address;
}

FORCE_INLINE void tacho_unpack_a(uint32_t cb, uint32_t tile)
{
	TE_PUSH(TE_FORMAT, 0u << 16 | tacho_cb_format[cb]);
	TE_PUSH(TE_UNPACK_A, tacho_tile_address(cb, tile));
}

FORCE_INLINE void tacho_unpack_b(uint32_t cb, uint32_t tile)
{
	TE_PUSH(TE_FORMAT, 1u << 16 | tacho_cb_format[cb]);
	TE_PUSH(TE_UNPACK_B, tacho_tile_address(cb, tile));
}

FORCE_INLINE void tacho_math(uint32_t op, uint32_t dst, uint32_t how)
{
	TE_PUSH(TE_MATH, how << 16 | op << 8 | dst);
}

FORCE_INLINE void tacho_init(void)
{
	MATH(TE_PUSH(TE_FIDELITY, TACHO_FIDELITY));
}

/* ---- circular buffers: TRISC0 consumes, TRISC2 produces ---- */
FORCE_INLINE void cb_wait_front(uint32_t cb, uint32_t pages)
{
	UNPACK(while ((uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) < pages));
	(void)cb, (void)pages;
}

FORCE_INLINE void cb_pop_front(uint32_t cb, uint32_t pages)
{
#if TACHO_RISC == 2
	struct LocalCBInterface *c = &tacho_cbs[cb];

	tensix_sync();
	CB_ACKED(cb) = CB_ACKED(cb) + pages;
	c->fifo_rd_ptr += pages * c->fifo_page_size;
	if (c->fifo_rd_ptr >= c->fifo_limit)
		c->fifo_rd_ptr -= c->fifo_size;
#else
	(void)cb, (void)pages;
#endif
}

FORCE_INLINE void cb_reserve_back(uint32_t cb, uint32_t pages)
{
	PACK(while (tacho_cbs[cb].fifo_num_pages - (uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) <
		    pages));
	(void)cb, (void)pages;
}

FORCE_INLINE void cb_push_back(uint32_t cb, uint32_t pages)
{
#if TACHO_RISC == 4
	struct LocalCBInterface *c = &tacho_cbs[cb];

	tensix_sync();
	c->fifo_wr_ptr += pages * c->fifo_page_size;
	if (c->fifo_wr_ptr >= c->fifo_limit)
		c->fifo_wr_ptr -= c->fifo_size;
	c->fifo_wr_tile_ptr = 0;
	CB_RECEIVED(cb) = CB_RECEIVED(cb) + pages;
#else
	(void)cb, (void)pages;
#endif
}

/* ---- dst: math fills one half while the other is packed ---- */
FORCE_INLINE void tile_regs_acquire(void)
{
	MATH(TE_PUSH(TE_SEMWAIT, TE_SEM_DST | 2u));
}

FORCE_INLINE void tile_regs_commit(void)
{
	MATH(TE_PUSH(TE_SEMPOST, TE_SEM_DST));
	MATH(TE_PUSH(TE_FLIP, 0));
}

FORCE_INLINE void tile_regs_wait(void)
{
	PACK(TE_PUSH(TE_SEMWAIT, TE_SEM_DST | 1u));
}

FORCE_INLINE void tile_regs_release(void)
{
	PACK(TE_PUSH(TE_FLIP, 1));
	PACK(TE_PUSH(TE_SEMGET, TE_SEM_DST));
}

/* Both calls in one: math and packer take turns. */
FORCE_INLINE void acquire_dst(void)
{
	tile_regs_acquire();
	tile_regs_wait();
}

FORCE_INLINE void release_dst(void)
{
	tile_regs_commit();
	tile_regs_release();
}

/* The n-th tile packed since the last push goes n pages after the write pointer. */
FORCE_INLINE void pack_tile(uint32_t dst, uint32_t cb)
{
#if TACHO_RISC == 4
	struct LocalCBInterface *c = &tacho_cbs[cb];
	uint32_t address = c->fifo_wr_ptr + c->fifo_wr_tile_ptr++ * c->fifo_page_size;

	TE_PUSH(TE_FORMAT, 2u << 16 | tacho_cb_format[cb]);
	TE_PUSH(TE_PACK_DST, dst);
	TE_PUSH(TE_PACK, address >= c->fifo_limit ? address - c->fifo_size : address);
#else
	(void)dst, (void)cb;
#endif
}

/* ---- operations ---- */
FORCE_INLINE void mm_init(uint32_t in0, uint32_t in1, uint32_t out)
{
	tacho_init();
	(void)in0, (void)in1, (void)out;
}

FORCE_INLINE void binary_op_init_common(uint32_t in0, uint32_t in1, uint32_t out)
{
	mm_init(in0, in1, out);
}

FORCE_INLINE void unary_op_init_common(uint32_t in, uint32_t out)
{
	mm_init(in, in, out);
}

FORCE_INLINE void tacho_two(uint32_t op, uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1,
			    uint32_t dst, uint32_t how)
{
	UNPACK(tacho_unpack_a(in0, t0));
	UNPACK(tacho_unpack_b(in1, t1));
	MATH(tacho_math(op, dst, how));
	(void)op, (void)in0, (void)in1, (void)t0, (void)t1, (void)dst, (void)how;
}

/* dst += in0[t0] x in1[t1] */
FORCE_INLINE void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, uint32_t dst)
{
	tacho_two(TE_MATMUL, in0, in1, t0, t1, dst, 0);
}

/* dst = in0[t0] op in1[t1], of which the whole, a column, a row or one value is used. */
enum { BCAST_NONE, BCAST_COL, BCAST_ROW, BCAST_SCALAR };

#define TACHO_BINARY(name, op)                                                                     \
	FORCE_INLINE void name##_tiles_init(uint32_t in0, uint32_t in1)                            \
	{                                                                                          \
		mm_init(in0, in1, 0);                                                              \
	}                                                                                          \
	FORCE_INLINE void name##_tiles(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1,       \
				       uint32_t dst)                                               \
	{                                                                                          \
		tacho_two(op, in0, in1, t0, t1, dst, BCAST_NONE);                                  \
	}                                                                                          \
	FORCE_INLINE void name##_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t t0, uint32_t t1, \
					     uint32_t dst, uint32_t bcast)                         \
	{                                                                                          \
		tacho_two(op, in0, in1, t0, t1, dst, bcast);                                       \
	}
TACHO_BINARY(add, TE_ADD)
TACHO_BINARY(sub, TE_SUB)
TACHO_BINARY(mul, TE_MUL)

FORCE_INLINE void copy_tile_init(uint32_t cb)
{
	mm_init(cb, cb, 0);
}

FORCE_INLINE void copy_tile(uint32_t cb, uint32_t tile, uint32_t dst)
{
	UNPACK(tacho_unpack_a(cb, tile));
	MATH(tacho_math(TE_COPY, dst, 0));
	(void)cb, (void)tile, (void)dst;
}

FORCE_INLINE void transpose_wh_tile(uint32_t cb, uint32_t tile, uint32_t dst)
{
	UNPACK(tacho_unpack_a(cb, tile));
	MATH(tacho_math(TE_TRANSPOSE, dst, 0));
	(void)cb, (void)tile, (void)dst;
}

/* Multiplies each value by the first value of the scaler's tile; SUM and AVG add, MAX selects. */
enum { REDUCE_SUM, REDUCE_AVG, REDUCE_MAX };
enum { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };

FORCE_INLINE void reduce_tile(uint32_t op, uint32_t axis, uint32_t cb, uint32_t scaler,
			      uint32_t tile, uint32_t scaler_tile, uint32_t dst)
{
	tacho_two(TE_REDUCE, cb, scaler, tile, scaler_tile, dst, op | axis << 2);
}

#define TACHO_UNARY(name, number)                            \
	FORCE_INLINE void name##_tile_init(void)             \
	{                                                    \
	}                                                    \
	FORCE_INLINE void name##_tile(uint32_t dst)          \
	{                                                    \
		MATH(TE_PUSH(TE_SFPU, (number) << 8 | dst)); \
		(void)dst;                                   \
	}
TACHO_UNARY(relu, 0u)
TACHO_UNARY(gelu, 1u)
TACHO_UNARY(exp, 2u)
TACHO_UNARY(sqrt, 3u)
TACHO_UNARY(recip, 4u)
TACHO_UNARY(sigmoid, 5u)

#endif /* __cplusplus */
#endif
