/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the SFPU does to tiles of dst: NAME_tile_init(), then NAME_tile(dst, parameters). Parameters
 * are the bits of floats, or integers where the name says so. Template arguments that choose
 * between approximations are taken and have no effect: the model computes each function exactly.
 */
#ifndef TACHO_KERNEL_SFPU_H
#define TACHO_KERNEL_SFPU_H

#include "kernel/compute.h"

namespace ckernel
{
namespace tacho_impl
{
FORCE_INLINE void unary(uint32_t op, uint32_t dst)
{
	MATH(TE_PUSH(TE_SFPU, op << 8 | dst));
}
FORCE_INLINE void unary(uint32_t op, uint32_t dst, uint32_t p0)
{
	MATH(parameter(0, p0));
	unary(op, dst);
}
FORCE_INLINE void unary(uint32_t op, uint32_t dst, uint32_t p0, uint32_t p1)
{
	MATH(parameter(1, p1));
	unary(op, dst, p0);
}
FORCE_INLINE void unary(uint32_t op, uint32_t dst, uint32_t p0, uint32_t p1, uint32_t p2)
{
	MATH(parameter(2, p2));
	unary(op, dst, p0, p1);
}
/* For the packing thread, on tiles that math has finished. */
template <class... P> FORCE_INLINE void unary_pack(uint32_t op, uint32_t dst, P... parameters)
{
#if TACHO_RISC == 4
	uint32_t i = 0;

	(parameter(i++, parameters), ...);
	TE_PUSH(TE_SFPU, op << 8 | dst);
#else
	(void)op, (void)dst, ((void)parameters, ...);
#endif
}
FORCE_INLINE void binary(uint32_t op, uint32_t a, uint32_t b, uint32_t out)
{
	MATH(TE_PUSH(TE_SFPU2, op << 12 | a << 8 | b << 4 | out));
}
FORCE_INLINE void ternary(uint32_t op, uint32_t a, uint32_t b, uint32_t c, uint32_t out)
{
	MATH(TE_PUSH(TE_SFPU3, op << 16 | a << 12 | b << 8 | c << 4 | out));
}
/* Flags of integers, where the operation's number is shifted by SHIFT. */
constexpr uint32_t kind(DataFormat f, uint32_t shift)
{
	return f == DataFormat::UInt32 || f == DataFormat::UInt16 || f == DataFormat::UInt8
		       ? (TE_INT | TE_UNSIGNED) >> shift
	       : f == DataFormat::Int32 || f == DataFormat::Int8 ? TE_INT >> shift
								 : 0;
}
constexpr uint32_t as_int = TE_INT >> 8, as_uint = (TE_INT | TE_UNSIGNED) >> 8;
constexpr uint32_t as_int2 = TE_INT >> 12, as_uint2 = (TE_INT | TE_UNSIGNED) >> 12;
} // namespace tacho_impl

/* An init with any arguments and no effect. */
#define TACHO_SFPU_INIT(name)                                                     \
	template <auto... o, class... A> ALWI void name##_tile_init(A &&...)      \
	{                                                                         \
	}                                                                         \
	template <auto... o, class... A> ALWI void name##_tile_init_pack(A &&...) \
	{                                                                         \
	}

/* Without parameters; arguments after dst (the vector mode) have no effect. */
#define TACHO_SFPU(name, op)                                                          \
	TACHO_SFPU_INIT(name)                                                         \
	template <auto... o, class... A> ALWI void name##_tile(uint32_t dst, A &&...) \
	{                                                                             \
		tacho_impl::unary(op, dst);                                           \
	}                                                                             \
	ALWI void name##_tile_pack(uint32_t dst)                                      \
	{                                                                             \
		tacho_impl::unary_pack(op, dst);                                      \
	}
#define TACHO_SFPU_1(name, op)                                                                     \
	TACHO_SFPU_INIT(name)                                                                      \
	template <auto... o, class... A> ALWI void name##_tile(uint32_t dst, uint32_t p0, A &&...) \
	{                                                                                          \
		tacho_impl::unary(op, dst, p0);                                                    \
	}                                                                                          \
	ALWI void name##_tile_pack(uint32_t dst, uint32_t p0)                                      \
	{                                                                                          \
		tacho_impl::unary_pack(op, dst, p0);                                               \
	}
#define TACHO_SFPU_2(name, op)                                                 \
	TACHO_SFPU_INIT(name)                                                  \
	template <auto... o, class... A>                                       \
	ALWI void name##_tile(uint32_t dst, uint32_t p0, uint32_t p1, A &&...) \
	{                                                                      \
		tacho_impl::unary(op, dst, p0, p1);                            \
	}                                                                      \
	ALWI void name##_tile_pack(uint32_t dst, uint32_t p0, uint32_t p1)     \
	{                                                                      \
		tacho_impl::unary_pack(op, dst, p0, p1);                       \
	}
/* Forms for integers, by a suffix of the name. */
#define TACHO_SFPU_INT(name, op)                                    \
	ALWI void name##_tile_int32(uint32_t dst)                   \
	{                                                           \
		tacho_impl::unary((op) | tacho_impl::as_int, dst);  \
	}                                                           \
	ALWI void name##_tile_uint32(uint32_t dst)                  \
	{                                                           \
		tacho_impl::unary((op) | tacho_impl::as_uint, dst); \
	}                                                           \
	ALWI void name##_tile_uint16(uint32_t dst)                  \
	{                                                           \
		tacho_impl::unary((op) | tacho_impl::as_uint, dst); \
	}
#define TACHO_SFPU_INT_1(name, op)                                      \
	ALWI void name##_tile_int32(uint32_t dst, uint32_t p0)          \
	{                                                               \
		tacho_impl::unary((op) | tacho_impl::as_int, dst, p0);  \
	}                                                               \
	ALWI void name##_tile_uint32(uint32_t dst, uint32_t p0)         \
	{                                                               \
		tacho_impl::unary((op) | tacho_impl::as_uint, dst, p0); \
	}                                                               \
	ALWI void name##_tile_uint16(uint32_t dst, uint32_t p0)         \
	{                                                               \
		tacho_impl::unary((op) | tacho_impl::as_uint, dst, p0); \
	}
#define TACHO_SFPU_INT_NAMED(name, op)                                  \
	ALWI void name##_int32_tile(uint32_t dst, uint32_t p0)          \
	{                                                               \
		tacho_impl::unary((op) | tacho_impl::as_int, dst, p0);  \
	}                                                               \
	ALWI void name##_uint32_tile(uint32_t dst, uint32_t p0)         \
	{                                                               \
		tacho_impl::unary((op) | tacho_impl::as_uint, dst, p0); \
	}                                                               \
	TACHO_SFPU_INIT(name##_int32)                                   \
	TACHO_SFPU_INIT(name##_uint32)

/* ---- of one tile ---- */
TACHO_SFPU(relu, TE_U_RELU)
TACHO_SFPU(gelu, TE_U_GELU)
TACHO_SFPU(sqrt, TE_U_SQRT)
TACHO_SFPU(recip, TE_U_RECIP)
TACHO_SFPU(sigmoid, TE_U_SIGMOID)
TACHO_SFPU(abs, TE_U_ABS)
TACHO_SFPU(negative, TE_U_NEGATIVE)
TACHO_SFPU(square, TE_U_SQUARE)
TACHO_SFPU(log1p, TE_U_LOG1P)
TACHO_SFPU(rsqrt, TE_U_RSQRT)
TACHO_SFPU(tanh, TE_U_TANH)
TACHO_SFPU(silu, TE_U_SILU)
TACHO_SFPU(sign, TE_U_SIGN)
TACHO_SFPU(signbit, TE_U_SIGNBIT)
TACHO_SFPU(exp2, TE_U_EXP2)
TACHO_SFPU(expm1, TE_U_EXPM1)
TACHO_SFPU(sin, TE_U_SIN)
TACHO_SFPU(cos, TE_U_COS)
TACHO_SFPU(tan, TE_U_TAN)
TACHO_SFPU(asin, TE_U_ASIN)
TACHO_SFPU(acos, TE_U_ACOS)
TACHO_SFPU(atan, TE_U_ATAN)
TACHO_SFPU(sinh, TE_U_SINH)
TACHO_SFPU(cosh, TE_U_COSH)
TACHO_SFPU(asinh, TE_U_ASINH)
TACHO_SFPU(acosh, TE_U_ACOSH)
TACHO_SFPU(atanh, TE_U_ATANH)
TACHO_SFPU(erf, TE_U_ERF)
TACHO_SFPU(erfc, TE_U_ERFC)
TACHO_SFPU(erfinv, TE_U_ERFINV)
TACHO_SFPU(i0, TE_U_I0)
TACHO_SFPU(i1, TE_U_I1)
TACHO_SFPU(lgamma, TE_U_LGAMMA)
TACHO_SFPU(digamma, TE_U_DIGAMMA)
TACHO_SFPU(cbrt, TE_U_CBRT)
TACHO_SFPU(floor, TE_U_FLOOR)
TACHO_SFPU(ceil, TE_U_CEIL)
TACHO_SFPU(trunc, TE_U_TRUNC)
TACHO_SFPU(frac, TE_U_FRAC)
TACHO_SFPU(softsign, TE_U_SOFTSIGN)
TACHO_SFPU(hardsigmoid, TE_U_HARDSIGMOID)
TACHO_SFPU(hardmish, TE_U_HARDMISH)
TACHO_SFPU(mish, TE_U_MISH)
TACHO_SFPU(identity, TE_U_IDENTITY)
TACHO_SFPU(isinf, TE_U_ISINF)
TACHO_SFPU(isposinf, TE_U_ISPOSINF)
TACHO_SFPU(isneginf, TE_U_ISNEGINF)
TACHO_SFPU(isnan, TE_U_ISNAN)
TACHO_SFPU(isfinite, TE_U_ISFINITE)
TACHO_SFPU(eqz, TE_U_EQZ)
TACHO_SFPU(nez, TE_U_NEZ)
TACHO_SFPU(ltz, TE_U_LTZ)
TACHO_SFPU(gtz, TE_U_GTZ)
TACHO_SFPU(lez, TE_U_LEZ)
TACHO_SFPU(gez, TE_U_GEZ)
TACHO_SFPU(tanh_derivative, TE_U_TANH_DERIVATIVE)
TACHO_SFPU(gelu_derivative, TE_U_GELU_DERIVATIVE)
TACHO_SFPU(gelu_tanh, TE_U_GELU_TANH)
TACHO_SFPU(tanhshrink, TE_U_TANHSHRINK)
TACHO_SFPU_1(add_unary, TE_U_ADD_UNARY)
TACHO_SFPU_1(sub_unary, TE_U_SUB_UNARY)
TACHO_SFPU_1(mul_unary, TE_U_MUL_UNARY)
TACHO_SFPU_1(div_unary, TE_U_DIV_UNARY)
TACHO_SFPU_1(rsub_unary, TE_U_RSUB_UNARY)
TACHO_SFPU_1(rdiv, TE_U_RDIV)
TACHO_SFPU_1(power, TE_U_POWER)
TACHO_SFPU_1(rpow, TE_U_RPOW)
TACHO_SFPU_1(elu, TE_U_ELU)
TACHO_SFPU_1(leaky_relu, TE_U_LEAKY_RELU)
TACHO_SFPU_1(relu_max, TE_U_RELU_MAX)
TACHO_SFPU_1(relu_min, TE_U_RELU_MIN)
TACHO_SFPU_1(heaviside, TE_U_HEAVISIDE)
TACHO_SFPU_1(hardshrink, TE_U_HARDSHRINK)
TACHO_SFPU_1(softshrink, TE_U_SOFTSHRINK)
TACHO_SFPU_1(unary_max, TE_U_UNARY_MAX)
TACHO_SFPU_1(unary_min, TE_U_UNARY_MIN)
TACHO_SFPU_1(unary_eq, TE_U_UNARY_EQ)
TACHO_SFPU_1(unary_ne, TE_U_UNARY_NE)
TACHO_SFPU_1(unary_lt, TE_U_UNARY_LT)
TACHO_SFPU_1(unary_gt, TE_U_UNARY_GT)
TACHO_SFPU_1(unary_le, TE_U_UNARY_LE)
TACHO_SFPU_1(unary_ge, TE_U_UNARY_GE)
TACHO_SFPU_1(prelu, TE_U_LEAKY_RELU)
TACHO_SFPU_1(power_iterative, TE_U_POWER)
TACHO_SFPU_1(rsub, TE_U_RSUB_UNARY)
TACHO_SFPU_1(round, TE_U_ROUND)
TACHO_SFPU_2(clamp, TE_U_CLAMP)
TACHO_SFPU_2(threshold, TE_U_THRESHOLD)
TACHO_SFPU_2(celu, TE_U_CELU)
TACHO_SFPU_2(selu, TE_U_SELU)
TACHO_SFPU_2(softcap, TE_U_SOFTCAP)
TACHO_SFPU_2(xielu, TE_U_XIELU)
TACHO_SFPU_2(hardtanh, TE_U_CLAMP)
TACHO_SFPU_INT(relu, TE_U_RELU)
TACHO_SFPU_INT(abs, TE_U_ABS)
TACHO_SFPU_INT(negative, TE_U_NEGATIVE)
TACHO_SFPU_INT(signbit, TE_U_SIGNBIT)
TACHO_SFPU_INT(eqz, TE_U_EQZ)
TACHO_SFPU_INT(nez, TE_U_NEZ)
TACHO_SFPU_INT(ltz, TE_U_LTZ)
TACHO_SFPU_INT(gtz, TE_U_GTZ)
TACHO_SFPU_INT(lez, TE_U_LEZ)
TACHO_SFPU_INT(gez, TE_U_GEZ)
TACHO_SFPU_INT(identity, TE_U_IDENTITY)
TACHO_SFPU_INT(square, TE_U_SQUARE)
TACHO_SFPU_INT_1(add_unary, TE_U_ADD_UNARY)
TACHO_SFPU_INT_1(sub_unary, TE_U_SUB_UNARY)
TACHO_SFPU_INT_1(mul_unary, TE_U_MUL_UNARY)
TACHO_SFPU_INT_1(rsub_unary, TE_U_RSUB_UNARY)
TACHO_SFPU_INT_1(relu_max, TE_U_RELU_MAX)
TACHO_SFPU_INT_1(relu_min, TE_U_RELU_MIN)
TACHO_SFPU_INT_1(unary_max, TE_U_UNARY_MAX)
TACHO_SFPU_INT_1(unary_min, TE_U_UNARY_MIN)
TACHO_SFPU_INT_1(unary_eq, TE_U_UNARY_EQ)
TACHO_SFPU_INT_1(unary_ne, TE_U_UNARY_NE)
TACHO_SFPU_INT_1(unary_lt, TE_U_UNARY_LT)
TACHO_SFPU_INT_1(unary_gt, TE_U_UNARY_GT)
TACHO_SFPU_INT_1(unary_le, TE_U_UNARY_LE)
TACHO_SFPU_INT_1(unary_ge, TE_U_UNARY_GE)
TACHO_SFPU_INT_1(remainder, TE_U_REMAINDER)
TACHO_SFPU_INT_1(fmod, TE_U_FMOD)
TACHO_SFPU_INT_NAMED(unary_max, TE_U_UNARY_MAX)
TACHO_SFPU_INT_NAMED(unary_min, TE_U_UNARY_MIN)
TACHO_SFPU_INT_NAMED(rsub_unary, TE_U_RSUB_UNARY)
ALWI void clamp_tile_int32(uint32_t dst, uint32_t low, uint32_t high)
{
	tacho_impl::unary(TE_U_CLAMP | tacho_impl::as_int, dst, low, high);
}
TACHO_SFPU_INIT(binop_with_scalar)

/* exp(scale * v); SCALE is a bfloat16. */
TACHO_SFPU_INIT(exp)
template <bool approx = false, bool scaled = false, auto... o>
ALWI void exp_tile(uint32_t dst, VectorMode = VectorMode::RC, uint32_t scale = 0x3F80)
{
	if constexpr (scaled)
		tacho_impl::unary(TE_U_EXP | TE_SCALED >> 8, dst, scale << 16);
	else
		tacho_impl::unary(TE_U_EXP, dst);
}
template <bool approx = false, bool scaled = false, auto... o>
ALWI void exp_packthread_tile(uint32_t dst, VectorMode = VectorMode::RC, uint32_t scale = 0x3F80)
{
	if constexpr (scaled)
		tacho_impl::unary_pack(TE_U_EXP | TE_SCALED >> 8, dst, scale << 16);
	else
		tacho_impl::unary_pack(TE_U_EXP, dst);
}
TACHO_SFPU_INIT(exp_packthread)
TACHO_SFPU(log, TE_U_LOG)
/* log(v) times the bits of a float, 1 / log of the base. */
TACHO_SFPU_INIT(log_with_base)
template <bool approx = false, bool base_is_two = false>
ALWI void log_with_base_tile(uint32_t dst, uint32_t scale)
{
	tacho_impl::unary(TE_U_LOG | TE_SCALED >> 8, dst, scale);
}
TACHO_SFPU_INIT(softplus)
ALWI void softplus_tile(uint32_t dst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold)
{
	tacho_impl::unary(TE_U_SOFTPLUS, dst, beta, beta_reciprocal, threshold);
}
ALWI void softplus_tile_pack(uint32_t dst, uint32_t beta, uint32_t beta_reciprocal,
			     uint32_t threshold)
{
	tacho_impl::unary_pack(TE_U_SOFTPLUS, dst, beta, beta_reciprocal, threshold);
}
TACHO_NOTHING(rounding_op_tile_init)
/* Uses the divisor of the init call. */
template <class... A> ALWI void fmod_tile_init(uint32_t divisor, A &&...)
{
	MATH(tacho_impl::parameter(4, divisor));
}
ALWI void fmod_tile(uint32_t dst)
{
	tacho_impl::unary(TE_U_FMOD | TE_LATER >> 8, dst);
}
template <class... A> ALWI void remainder_tile_init(uint32_t divisor, A &&...)
{
	MATH(tacho_impl::parameter(4, divisor));
}
ALWI void remainder_tile(uint32_t dst)
{
	tacho_impl::unary(TE_U_REMAINDER | TE_LATER >> 8, dst);
}

TACHO_SFPU_INIT(fill)
ALWI void fill_tile(uint32_t dst, float value)
{
	tacho_impl::unary(TE_U_FILL, dst, __builtin_bit_cast(uint32_t, value));
}
ALWI void fill_tile_bitcast(uint32_t dst, uint32_t bits)
{
	tacho_impl::unary(TE_U_FILL, dst, bits);
}
template <DataFormat f = DataFormat::Int32> ALWI void fill_tile_int(uint32_t dst, uint32_t value)
{
	tacho_impl::unary(TE_U_FILL | tacho_impl::as_int, dst, value);
}
TACHO_SFPU_INIT(logical_not)
template <DataFormat f = DataFormat::Float32> ALWI void logical_not_tile(uint32_t dst)
{
	tacho_impl::unary(TE_U_LOGICAL_NOT | tacho_impl::kind(f, 8), dst);
}
TACHO_SFPU_INIT(logical_not_unary)
ALWI void logical_not_unary_tile(uint32_t dst)
{
	tacho_impl::unary(TE_U_LOGICAL_NOT, dst);
}
TACHO_SFPU_INIT(bitwise_not)
ALWI void bitwise_not_tile(uint32_t dst)
{
	tacho_impl::unary(TE_U_BITWISE_NOT | tacho_impl::as_int, dst);
}
#define TACHO_SFPU_BITS(name, op)                                      \
	TACHO_SFPU_INIT(name)                                          \
	template <DataFormat f = DataFormat::Int32>                    \
	ALWI void name##_tile(uint32_t dst, uint32_t p0)               \
	{                                                              \
		tacho_impl::unary((op) | tacho_impl::as_int, dst, p0); \
	}
TACHO_SFPU_BITS(bitwise_and, TE_U_BITWISE_AND)
TACHO_SFPU_BITS(bitwise_or, TE_U_BITWISE_OR)
TACHO_SFPU_BITS(bitwise_xor, TE_U_BITWISE_XOR)
TACHO_SFPU_BITS(left_shift, TE_U_LEFT_SHIFT)
TACHO_SFPU_BITS(right_shift, TE_U_RIGHT_SHIFT)

template <auto... o, class... A> ALWI void typecast_tile_init(A &&...)
{
}
template <uint32_t from, uint32_t to> ALWI void typecast_tile(uint32_t dst)
{
	tacho_impl::unary(TE_U_TYPECAST, dst, from, to);
}
template <DataFormat from, DataFormat to> ALWI void typecast_tile(uint32_t dst)
{
	tacho_impl::unary(TE_U_TYPECAST, dst, (uint32_t)from, (uint32_t)to);
}
/* Uniform numbers from FROM on, over SCALE; both are bits of floats. */
ALWI void rand_tile_init(uint32_t seed = 0, uint32_t stream = 0)
{
	tacho_impl::unary(TE_U_RAND_SEED, 0, seed, stream);
}
ALWI void rand_tile(uint32_t dst, uint32_t from, uint32_t scale)
{
	tacho_impl::unary(TE_U_RAND, dst, from, scale);
}
ALWI void dropout_kernel_init(uint32_t seed = 0)
{
	rand_tile_init(seed);
}
ALWI void dropout_tile(uint32_t dst, uint32_t probability, uint32_t scale)
{
	tacho_impl::unary(TE_U_DROPOUT, dst, probability, scale);
}
TACHO_SFPU_INIT(cumsum)
ALWI void cumsum_tile(uint32_t dst, bool first = true)
{
	tacho_impl::unary(TE_U_CUMSUM, dst, !first);
}
/*
 * Reduces tiles of dst: each column into the first row, or each row into the first column, that of
 * RT rows of CT tiles into the first tile of each row.
 */
template <PoolType pool, DataFormat format, auto... o> ALWI void sfpu_reduce_init()
{
}
template <PoolType pool, DataFormat format, ReduceDim dim = ReduceDim::REDUCE_COL>
ALWI void sfpu_reduce(uint32_t dst, uint32_t ct = 1, uint32_t rt = 1)
{
	constexpr bool columns = dim == ReduceDim::REDUCE_COL;
	constexpr uint32_t join = pool == PoolType::MAX   ? TE_B_MAX
				  : pool == PoolType::MIN ? TE_B_MIN
							  : TE_B_ADD;

	static_assert(dim != ReduceDim::REDUCE_SCALAR, "sfpu_reduce: rows or columns");
	static_assert(pool != PoolType::AVG || (columns && !tacho_impl::kind(format, 0)),
		      "sfpu_reduce: averages are those of columns of floats");
	for (uint32_t r = 0; r < rt; r++) {
		const uint32_t first = dst + r * ct;

		for (uint32_t c = 1; c < ct; c++)
			tacho_impl::binary(join | tacho_impl::kind(format, 12), first, first + c,
					   first);
		tacho_impl::unary(TE_U_REDUCE_DST | tacho_impl::kind(format, 8), first,
				  static_cast<uint32_t>(pool), columns);
	}
}
/* Integers: the sum of each column in the first row, or of each row in the first column. */
TACHO_NOTHING(sfpu_sum_int_init)
ALWI void sfpu_sum_int_col(uint32_t dst)
{
	sfpu_reduce<PoolType::SUM, DataFormat::Int32, ReduceDim::REDUCE_COL>(dst);
}
ALWI void sfpu_sum_int_row(uint32_t dst)
{
	sfpu_reduce<PoolType::SUM, DataFormat::Int32, ReduceDim::REDUCE_ROW>(dst);
}
ALWI void sfpu_add_int(uint32_t dst, uint32_t offset = 2, int32_t = 8)
{
	tacho_impl::binary(TE_B_ADD | tacho_impl::as_int2, dst, dst + offset, dst);
}

/*
 * Mean and variance of columns in one pass. The unit keeps the mean and the sum of squared
 * distances; START samples were seen before. What is saved goes to two tiles, MEAN and the next:
 * in the first row, or as the registers hold it in four rows of the first face.
 */
enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };
ALWI void welford_clear()
{
	tacho_impl::unary(TE_U_WELFORD_CLEAR, 0);
}
template <WelfordInitMode mode = WelfordInitMode::ClearStats> ALWI void welford_init()
{
	if constexpr (mode == WelfordInitMode::ClearStats)
		welford_clear();
}
TACHO_NOTHING(welford_reinit)
template <std::size_t n>
ALWI void welford_update_rows(uint32_t dst, uint32_t start, uint32_t row, uint32_t rows,
			      const std::array<uint32_t, n> &)
{
	tacho_impl::unary(TE_U_WELFORD, dst, start, row | rows << 8);
}
template <std::size_t n>
ALWI void welford_update(uint32_t dst, uint32_t start, const std::array<uint32_t, n> &table)
{
	welford_update_rows(dst, start, 0, 32, table);
}
namespace tacho_impl
{
/* SAMPLES: the variance is the sum divided by it; 0: the sum itself. */
FORCE_INLINE void welford_store(uint32_t mean, uint32_t how, uint32_t samples)
{
	constexpr uint32_t one = 0x3F800000;
	MATH(uint32_t factor = samples ? __builtin_bit_cast(uint32_t, 1.0f / (float)samples) : one;
	     unary(TE_U_WELFORD_STORE, mean, how, one);
	     unary(TE_U_WELFORD_STORE, mean + 1, how | TE_WELFORD_SQUARES, factor));
}
} // namespace tacho_impl
ALWI void welford_save_state(uint32_t mean, uint32_t group = 0)
{
	tacho_impl::welford_store(mean, group << 8, 0);
}
ALWI void welford_restore_state(uint32_t mean, uint32_t group = 0)
{
	tacho_impl::unary(TE_U_WELFORD_LOAD, mean, group << 8);
	tacho_impl::unary(TE_U_WELFORD_LOAD, mean + 1, group << 8 | TE_WELFORD_SQUARES);
}
template <std::size_t n>
ALWI void welford_finalize_to_row(uint32_t mean, uint32_t scale, const std::array<uint32_t, n> &)
{
	tacho_impl::welford_store(mean, TE_WELFORD_ROW, scale + 1);
}
template <std::size_t n>
ALWI void welford_finalize_to_face(uint32_t mean, uint32_t scale, const std::array<uint32_t, n> &)
{
	tacho_impl::welford_store(mean, 0, scale + 1);
}
template <std::size_t n>
ALWI void welford_finalize_to_face(uint32_t mean, uint32_t group, uint32_t scale,
				   const std::array<uint32_t, n> &)
{
	tacho_impl::welford_store(mean, group << 8, scale + 1);
}

/*
 * The largest K of 64 values in each column of tiles DST and DST + 1, with their indices in the two
 * tiles after them.
 */
TACHO_NOTHING(topk_tile_init)
TACHO_NOTHING(topk_uint16_prepare_value_tile_for_pack)
template <bool stable = false>
ALWI void topk_local_sort(uint32_t dst, int rising, int end_phase, int start_phase = 0,
			  int end_step = 0, int start_step = 0)
{
	tacho_impl::unary(TE_U_TOPK_SORT, dst,
			  (rising ? TE_TOPK_RISING : 0) | (stable ? TE_TOPK_STABLE : 0),
			  (uint32_t)end_phase | (uint32_t)start_phase << 8 |
				  (uint32_t)end_step << 16 | (uint32_t)start_step << 24);
}
template <bool rising = false, bool stable = false>
ALWI void topk_merge(uint32_t dst, int iteration, int k)
{
	tacho_impl::unary(TE_U_TOPK_MERGE, dst,
			  (rising ? TE_TOPK_RISING : 0) | (stable ? TE_TOPK_STABLE : 0),
			  (uint32_t)iteration | (uint32_t)k << 8);
}
template <bool stable = false>
ALWI void topk_rebuild(uint32_t dst, bool rising, int iteration, int k, int, int one)
{
	tacho_impl::unary(TE_U_TOPK_REBUILD, dst,
			  (rising ? TE_TOPK_RISING : 0) | (stable ? TE_TOPK_STABLE : 0) |
				  (one & 1 ? TE_TOPK_ONE : 0),
			  (uint32_t)iteration | (uint32_t)k << 8);
}
template <auto... o, class... A> ALWI void transpose_wh_dest_init_short(A &&...)
{
}
template <auto... o, class... A> ALWI void transpose_wh_dest(uint32_t dst, A &&...)
{
	tacho_impl::unary(TE_U_TRANSPOSE_DST, dst);
}
template <auto... o, class... A> ALWI void transpose_dest_init(A &&...)
{
}
template <auto... o, class... A> ALWI void transpose_dest(uint32_t dst, A &&...)
{
	tacho_impl::unary(TE_U_TRANSPOSE_DST, dst);
}

/* ---- of two tiles: out = a op b ---- */
#define TACHO_SFPU_PAIR(name, op)                                            \
	TACHO_SFPU_INIT(name)                                                \
	template <auto... o, class... A>                                     \
	ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out, A &&...) \
	{                                                                    \
		tacho_impl::binary(op, a, b, out);                           \
	}
#define TACHO_SFPU_PAIR_INT(name, op)                                                        \
	TACHO_SFPU_INIT(name)                                                                \
	template <DataFormat f = DataFormat::Int32, auto... o, class... A>                   \
	ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out, A &&...)                 \
	{                                                                                    \
		tacho_impl::binary((op) | (tacho_impl::kind(f, 12) ? tacho_impl::kind(f, 12) \
								   : tacho_impl::as_int2),   \
				   a, b, out);                                               \
	}
#define TACHO_SFPU_PAIR_UINT(name, op)                                      \
	TACHO_SFPU_INIT(name)                                               \
	ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out)         \
	{                                                                   \
		tacho_impl::binary((op) | tacho_impl::as_uint2, a, b, out); \
	}
TACHO_SFPU_PAIR(add_binary, TE_B_ADD)
TACHO_SFPU_PAIR(sub_binary, TE_B_SUB)
TACHO_SFPU_PAIR(mul_binary, TE_B_MUL)
TACHO_SFPU_PAIR(div_binary, TE_B_DIV)
TACHO_SFPU_PAIR(rsub_binary, TE_B_RSUB)
TACHO_SFPU_PAIR(power_binary, TE_B_POWER)
TACHO_SFPU_PAIR(binary_max, TE_B_MAX)
TACHO_SFPU_PAIR(binary_min, TE_B_MIN)
TACHO_SFPU_PAIR(eq_binary, TE_B_EQ)
TACHO_SFPU_PAIR(ne_binary, TE_B_NE)
TACHO_SFPU_PAIR(lt_binary, TE_B_LT)
TACHO_SFPU_PAIR(gt_binary, TE_B_GT)
TACHO_SFPU_PAIR(le_binary, TE_B_LE)
TACHO_SFPU_PAIR(ge_binary, TE_B_GE)
TACHO_SFPU_PAIR(atan2_binary, TE_B_ATAN2)
TACHO_SFPU_PAIR(fmod_binary, TE_B_FMOD)
TACHO_SFPU_PAIR(remainder_binary, TE_B_REMAINDER)
TACHO_SFPU_PAIR(xlogy_binary, TE_B_XLOGY)
TACHO_SFPU_PAIR(logsigmoid, TE_B_LOGSIGMOID)
TACHO_SFPU_PAIR_INT(add_int, TE_B_ADD)
TACHO_SFPU_PAIR_INT(sub_int, TE_B_SUB)
TACHO_SFPU_PAIR_INT(rsub_int, TE_B_RSUB)
TACHO_SFPU_PAIR_INT(mul_int, TE_B_MUL)
TACHO_SFPU_PAIR_INT(eq_int, TE_B_EQ)
TACHO_SFPU_PAIR_INT(ne_int, TE_B_NE)
TACHO_SFPU_PAIR_INT(lt_int, TE_B_LT)
TACHO_SFPU_PAIR_INT(gt_int, TE_B_GT)
TACHO_SFPU_PAIR_INT(le_int, TE_B_LE)
TACHO_SFPU_PAIR_INT(ge_int, TE_B_GE)
TACHO_SFPU_PAIR_INT(add_int32, TE_B_ADD)
TACHO_SFPU_PAIR_INT(sub_int32, TE_B_SUB)
TACHO_SFPU_PAIR_INT(mul_int32, TE_B_MUL)
TACHO_SFPU_PAIR_INT(binary_max_int32, TE_B_MAX)
TACHO_SFPU_PAIR_INT(binary_min_int32, TE_B_MIN)
TACHO_SFPU_PAIR_INT(gcd, TE_B_GCD)
TACHO_SFPU_PAIR_INT(lcm, TE_B_LCM)
TACHO_SFPU_PAIR_INT(bitwise_and_binary, TE_B_AND)
TACHO_SFPU_PAIR_INT(bitwise_or_binary, TE_B_OR)
TACHO_SFPU_PAIR_INT(bitwise_xor_binary, TE_B_XOR)
TACHO_SFPU_PAIR_INT(binary_left_shift, TE_B_SHIFT_LEFT)
TACHO_SFPU_PAIR_INT(binary_right_shift, TE_B_SHIFT_RIGHT)
TACHO_SFPU_PAIR_INT(binary_logical_right_shift, TE_B_SHIFT_LOGICAL)
TACHO_SFPU_PAIR_INT(div_int32, TE_B_DIV)
TACHO_SFPU_PAIR_INT(div_int32_trunc, TE_B_DIV_TRUNC)
TACHO_SFPU_PAIR_INT(div_int32_floor, TE_B_DIV_FLOOR)
TACHO_SFPU_PAIR_INT(fmod_int32, TE_B_FMOD)
TACHO_SFPU_PAIR_INT(remainder_int32, TE_B_REMAINDER)
TACHO_SFPU_PAIR_UINT(binary_max_uint32, TE_B_MAX)
TACHO_SFPU_PAIR_UINT(binary_min_uint32, TE_B_MIN)
TACHO_SFPU_PAIR_UINT(remainder_uint32, TE_B_REMAINDER)
TACHO_SFPU_PAIR_UINT(add_uint16, TE_B_ADD)
TACHO_SFPU_PAIR_UINT(sub_uint16, TE_B_SUB)
TACHO_SFPU_PAIR_UINT(mul_uint16, TE_B_MUL)
TACHO_SFPU_PAIR_UINT(add_uint32, TE_B_ADD)
TACHO_SFPU_PAIR_UINT(sub_uint32, TE_B_SUB)
TACHO_SFPU_PAIR_UINT(mul_uint32, TE_B_MUL)
#define TACHO_BITWISE_OLD(name, op)                                        \
	ALWI void name(uint32_t a, uint32_t b, uint32_t out)               \
	{                                                                  \
		tacho_impl::binary((op) | tacho_impl::as_int2, a, b, out); \
	}
TACHO_BITWISE_OLD(and_binary_tile, TE_B_AND)
TACHO_BITWISE_OLD(or_binary_tile, TE_B_OR)
TACHO_BITWISE_OLD(xor_binary_tile, TE_B_XOR)
TACHO_SFPU_INIT(binary_bitwise)
TACHO_SFPU_INIT(binary_shift)
template <bool equal_nan = false>
ALWI void isclose_binary_tile(uint32_t a, uint32_t b, uint32_t out, uint32_t rtol, uint32_t atol)
{
	MATH(tacho_impl::parameter(0, rtol));
	MATH(tacho_impl::parameter(1, atol));
	tacho_impl::binary(TE_B_ISCLOSE, a, b, out);
}
TACHO_SFPU_INIT(isclose_binary)

/* The values of the first where the second, a mask, is not 0. */
TACHO_SFPU_INIT(mask)
template <class... A> ALWI void mask_tile(uint32_t data, uint32_t mask, A &&...)
{
	tacho_impl::binary(TE_B_MASK, data, mask, data);
}
ALWI void mask_posinf_tile(uint32_t data, uint32_t mask)
{
	tacho_impl::binary(TE_B_MASK_POSINF, data, mask, data);
}
template <auto... o, class... A> ALWI void copy_dest_values_init(A &&...)
{
}
template <auto... o, class... A> ALWI void copy_dest_values(uint32_t from, uint32_t to, A &&...)
{
	tacho_impl::binary(TE_B_COPY, from, from, to);
}

/* ---- of three tiles ---- */
#define TACHO_SFPU_TRIPLE(name, op)                                             \
	TACHO_SFPU_INIT(name)                                                   \
	template <DataFormat f = DataFormat::Float32>                           \
	ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out) \
	{                                                                       \
		tacho_impl::ternary(op, a, b, c, out);                          \
	}
TACHO_SFPU_TRIPLE(where, TE_T_WHERE)
TACHO_SFPU_TRIPLE(lerp, TE_T_LERP)
TACHO_SFPU_TRIPLE(mac, TE_T_MAC)
ALWI void where_fp32_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out)
{
	where_tile(a, b, c, out);
}
ALWI void where_int32_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out)
{
	where_tile(a, b, c, out);
}
#define TACHO_SFPU_TRIPLE_1(name, op)                                                           \
	TACHO_SFPU_INIT(name)                                                                   \
	template <DataFormat f = DataFormat::Float32>                                           \
	ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out, uint32_t value) \
	{                                                                                       \
		MATH(tacho_impl::parameter(0, value));                                          \
		tacho_impl::ternary(op, a, b, c, out);                                          \
	}
TACHO_SFPU_TRIPLE_1(addcmul, TE_T_ADDCMUL)
TACHO_SFPU_TRIPLE_1(addcdiv, TE_T_ADDCDIV)

/*
 * lgamma(x) in parts: lgamma(z) of z = x or, below 0.5, 1 - x; then, with log|sin(pi x)|, the
 * reflection of the latter.
 */
TACHO_SFPU_INIT(lgamma_stirling)
TACHO_SFPU_INIT(lgamma_stirling_float)
TACHO_SFPU_INIT(lgamma_adjusted)
ALWI void lgamma_stirling_tile(uint32_t dst)
{
	constexpr uint32_t half = 0x3f000000;

	tacho_impl::unary(TE_U_SUB_UNARY, dst, half);
	tacho_impl::unary(TE_U_ABS, dst);
	tacho_impl::unary(TE_U_ADD_UNARY, dst, half);
	tacho_impl::unary(TE_U_LGAMMA, dst);
}
ALWI void lgamma_stirling_float_tile(uint32_t x, uint32_t, uint32_t out)
{
	if (x != out)
		tacho_impl::binary(TE_B_COPY, x, x, out);
	lgamma_stirling_tile(out);
}
ALWI void lgamma_adjusted_tile(uint32_t stirling, uint32_t log_sin, uint32_t x, uint32_t out)
{
	tacho_impl::ternary(TE_T_LGAMMA_REFLECT, stirling, log_sin, x, out);
}
} // namespace ckernel

#endif
