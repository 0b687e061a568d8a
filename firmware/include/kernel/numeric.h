/* SPDX-License-Identifier: Apache-2.0 */
/* bfloat16 and float32 as bits. */
#ifndef TACHO_KERNEL_NUMERIC_H
#define TACHO_KERNEL_NUMERIC_H

#include "kernel/types.h"

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80, POS_INF_BFLOAT16 = 0x7F80,
			  NAN_BFLOAT16 = 0x7FFF, BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr uint32_t NEG_INF_FLOAT32 = 0xFF800000, POS_INF_FLOAT32 = 0x7F800000,
			  NAN_FLOAT32 = 0x7FFFFFFF, FLOAT32_SIGN_MASK = 0x80000000,
			  FLOAT32_EXPONENT_MASK = 0x7F800000, FLOAT32_MANTISSA_MASK = 0x007FFFFF,
			  FLOAT32_MAGNITUDE_MASK = 0x7FFFFFFF, INT32_SIGN_MASK = 0x80000000;
inline constexpr int32_t NEG_INF_INT32 = INT32_MIN, POS_INF_INT32 = INT32_MAX;

constexpr uint16_t fp32_to_bf16_truncate(float v)
{
	return (uint16_t)(__builtin_bit_cast(uint32_t, v) >> 16);
}
constexpr uint16_t float_to_bfloat16(float v)
{
	uint32_t u = __builtin_bit_cast(uint32_t, v);

	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
constexpr uint16_t fp32_to_bf16(float v)
{
	return v != v ? (uint16_t)(__builtin_bit_cast(uint32_t, v) >> 16 | 0x40)
		      : float_to_bfloat16(v);
}
constexpr float bfloat16_to_float(uint16_t bits)
{
	return __builtin_bit_cast(float, (uint32_t)bits << 16);
}
constexpr float bf16_to_fp32(uint16_t bits)
{
	return bfloat16_to_float(bits);
}
/* Orders bits like the numbers they represent. */
constexpr bool bfloat16_greater(uint16_t a, uint16_t b)
{
	return bfloat16_to_float(a) > bfloat16_to_float(b);
}
constexpr bool float32_greater(uint32_t a, uint32_t b)
{
	return __builtin_bit_cast(float, a) > __builtin_bit_cast(float, b);
}
constexpr bool int32_greater(uint32_t a, uint32_t b)
{
	return (int32_t)a > (int32_t)b;
}

#endif
