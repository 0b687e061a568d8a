/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vector unit by the macros of the layer below, for kernels that only want the first column of
 * a tile. As in kernel/sfpu.h the whole tile is computed. The calls are for the thread that makes
 * them: math, or packing on what math has handed over.
 */
#ifndef TACHO_KERNEL_SFPU_CALLS_H
#define TACHO_KERNEL_SFPU_CALLS_H

#include "kernel/compute.h"

#define TACHO_LIST(...) __VA_ARGS__
#define SFPU_UNARY_CALL(sync, accumulate, name, arguments, dst, mode, ...) \
	::ckernel::sfpu::name<TACHO_LIST arguments>(dst __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, accumulate, name, dst, mode, ...) \
	::ckernel::sfpu::name(dst __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_UNARY_INIT(...)    ((void)0)
#define SFPU_UNARY_INIT_FN(...) ((void)0)

namespace ckernel
{
enum { ADD_UNARY, SUB_UNARY, MUL_UNARY, DIV_UNARY, RSUB_UNARY };

namespace sfpu
{
template <class... P> FORCE_INLINE void unary_here(uint32_t op, uint32_t dst, P... parameters)
{
	uint32_t i = 0;

	(tacho_impl::parameter(i++, parameters), ...);
	TE_PUSH(TE_SFPU, op << 8 | dst);
}
FORCE_INLINE void binary_here(uint32_t op, uint32_t a, uint32_t b, uint32_t out)
{
	TE_PUSH(TE_SFPU2, op << 12 | a << 8 | b << 4 | out);
}
FORCE_INLINE void exp_scaled(uint32_t dst, uint32_t bfloat16)
{
	unary_here(TE_U_EXP | TE_SCALED >> 8, dst, bfloat16 << 16);
}

template <bool...> void sfpu_reciprocal_init()
{
}
template <bool legacy = true> void calculate_recip_first_column(uint32_t dst)
{
	unary_here(TE_U_RECIP, dst);
}
/* exp(scale * x) */
template <bool approximate, uint16_t scale> void calculate_exponential_first_column(uint32_t dst)
{
	exp_scaled(dst, scale);
}
template <uint16_t scale> void calculate_exponential_first_column(uint32_t dst)
{
	exp_scaled(dst, scale);
}
inline void calculate_softplus_first_column(uint32_t dst, uint32_t beta, uint32_t beta_reciprocal,
					    uint32_t threshold)
{
	unary_here(TE_U_SOFTPLUS, dst, beta, beta_reciprocal, threshold);
}
template <bool approximate, int op, int iterations>
void calculate_binop_with_scalar(uint32_t dst, uint32_t value)
{
	static constexpr uint32_t ops[] = {TE_U_ADD_UNARY, TE_U_SUB_UNARY, TE_U_MUL_UNARY,
					   TE_U_DIV_UNARY, TE_U_RSUB_UNARY};

	unary_here(ops[op], dst, value);
}
/*
 * Two softmaxes become one. From dst on: maximum and maximum of another, the larger of both (out),
 * sum and sum of the other. The maxima become their factors, the sum that of both.
 */
inline void calculate_fused_max_sub_exp_add_tile(uint32_t dst, int scale)
{
	uint32_t other = dst + 1, larger = dst + 2, sum = dst + 3, other_sum = dst + 4;

	binary_here(TE_B_MAX, dst, other, larger);
	binary_here(TE_B_SUB, dst, larger, dst);
	binary_here(TE_B_SUB, other, larger, other);
	exp_scaled(dst, (uint32_t)scale);
	exp_scaled(other, (uint32_t)scale);
	binary_here(TE_B_MUL, sum, dst, sum);
	binary_here(TE_B_MUL, other_sum, other, other_sum);
	binary_here(TE_B_ADD, sum, other_sum, sum);
}
} // namespace sfpu
} // namespace ckernel

#endif
