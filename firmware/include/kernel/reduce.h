/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums, averages and extremes of a tile's rows, columns or all of it; each value is multiplied by
 * the first one of the scaler's tile. The kernel may name kind and direction by REDUCE_OP and
 * REDUCE_DIM before it includes this.
 */
#ifndef TACHO_KERNEL_REDUCE_H
#define TACHO_KERNEL_REDUCE_H

#include "kernel/compute.h"

#ifndef REDUCE_OP
#define TACHO_REDUCE_OP PoolType::SUM
#else
#define TACHO_REDUCE_OP REDUCE_OP
#endif
#ifndef REDUCE_DIM
#define TACHO_REDUCE_DIM ReduceDim::REDUCE_ROW
#else
#define TACHO_REDUCE_DIM REDUCE_DIM
#endif

namespace ckernel
{
template <PoolType kind = TACHO_REDUCE_OP, ReduceDim dim = TACHO_REDUCE_DIM, auto... o, class... A>
ALWI void reduce_init(A &&...)
{
	tacho_impl::init();
}
template <bool at_start, PoolType kind = TACHO_REDUCE_OP, ReduceDim dim = TACHO_REDUCE_DIM,
	  auto... o, class... A>
ALWI void reduce_init(A &&...)
{
	tacho_impl::init();
}
template <auto... o, class... A> ALWI void reduce_init_delta(A &&...)
{
	tacho_impl::init();
}
template <auto... o, class... A> ALWI void reduce_init_short(A &&...)
{
	tacho_impl::init();
}
template <auto... o, class... A> ALWI void reduce_uninit(A &&...)
{
}
template <auto... o, class... A> ALWI void reduce_revert_delta(A &&...)
{
}
template <PoolType kind = TACHO_REDUCE_OP, ReduceDim dim = TACHO_REDUCE_DIM, auto... o>
ALWI void reduce_tile(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t scaler_tile,
		      uint32_t dst)
{
	tacho_impl::two(TE_REDUCE, in, scaler, tile, scaler_tile, dst,
			(uint32_t)kind | (uint32_t)dim << 2);
}
template <PoolType kind = TACHO_REDUCE_OP, ReduceDim dim = TACHO_REDUCE_DIM, auto... o>
ALWI void reduce_block(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t scaler_tile,
		       uint32_t dst, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		reduce_tile<kind, dim>(in, scaler, tile + i, scaler_tile, dst + i);
}
/* The largest value of each row of N tiles. */
ALWI void reduce_block_max_row_of(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t dst,
				  uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(in, scaler, tile + i, 0, dst);
}
template <uint32_t n, auto... o>
ALWI void reduce_block_max_row(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t dst)
{
	reduce_block_max_row_of(in, scaler, tile, dst, n);
}
template <auto... o, class... A> ALWI void reduce_block_max_row_init(A &&...)
{
	tacho_impl::init();
}
template <auto... o, class... A> ALWI void reduce_block_max_row_uninit(A &&...)
{
}
/* Operands loaded by unpack_tilizeA_B_block(). */
template <PoolType kind = TACHO_REDUCE_OP, ReduceDim dim = TACHO_REDUCE_DIM, auto... o, class... A>
ALWI void reduce_tile_math(uint32_t dst, A &&...)
{
	MATH(tacho_impl::math(TE_REDUCE, dst, (uint32_t)kind | (uint32_t)dim << 2));
}
/* As kernels in C call it. */
ALWI void reduce_tile(PoolType kind, ReduceDim dim, uint32_t in, uint32_t scaler, uint32_t tile,
		      uint32_t scaler_tile, uint32_t dst)
{
	tacho_impl::two(TE_REDUCE, in, scaler, tile, scaler_tile, dst,
			(uint32_t)kind | (uint32_t)dim << 2);
}
} // namespace ckernel

#endif
