/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that are compiled twice: for any processor, and on x86 for those with AVX2, which
 * WIDE_CALL's function checks for on each call. Neither form fuses a product and a sum into one
 * rounding or changes the order of sums, so both give the same bits.
 *
 *	WIDE void NAME(...) { ... }
 *	WIDE_CALL(NAME, (parameters), (arguments))
 */
#ifndef TENSIX_WIDE_H
#define TENSIX_WIDE_H

#define WIDE static inline __attribute__((always_inline))

#ifdef __x86_64__
#define WIDE_CALL(name, parameters, arguments)                                       \
	static __attribute__((target("avx2"), noinline)) void name##_avx2 parameters \
	{                                                                            \
		name arguments;                                                      \
	}                                                                            \
	static __attribute__((noinline)) void name##_any parameters                  \
	{                                                                            \
		name arguments;                                                      \
	}                                                                            \
	static inline void name##_best parameters                                    \
	{                                                                            \
		if (__builtin_cpu_supports("avx2"))                                  \
			name##_avx2 arguments;                                       \
		else                                                                 \
			name##_any arguments;                                        \
	}
#else
#define WIDE_CALL(name, parameters, arguments)    \
	static inline void name##_best parameters \
	{                                         \
		name arguments;                   \
	}
#endif

#endif
