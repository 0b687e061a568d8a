/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that print. The host shows each line with device, core and RISC in front:
 *
 *	DPRINT << "tile " << i << " at " << HEX() << address << ENDL();       C++
 *	DPRINT("tile ", i, " at ", DPRINT_HEX(address), "\n");                C, up to 12 items
 *
 * It compiles to nothing unless TT_METAL_DPRINT_CORES names cores (docs/device.md). A RISC whose
 * buffer is full waits for the host. Zones and prints have buffers of their own.
 */
#ifndef TACHO_DPRINT_H
#define TACHO_DPRINT_H

#include "tacho_hw.h"

#ifdef DEBUG_PRINT_ENABLED

#define TACHO_DP_WORDS ((volatile uint32_t *)MAILBOX(M_DPRINT + TACHO_RISC * DPRINT_SIZE))
#define TACHO_DP_BYTES ((volatile uint8_t *)MAILBOX(M_DPRINT + TACHO_RISC * DPRINT_SIZE + 8))

/* One item: its kind, then N bytes. Both counters only grow. */
static __attribute__((noinline, unused)) void tacho_dp_put(uint32_t kind, const void *bytes,
							   uint32_t n)
{
	volatile uint32_t *words = TACHO_DP_WORDS;
	uint32_t at = words[0];

	if (words[1] == DPRINT_OFF)
		return;
	while (at + 1 + n - words[1] > DPRINT_DATA)
		;
	TACHO_DP_BYTES[at++ % DPRINT_DATA] = (uint8_t)kind;
	for (uint32_t i = 0; i < n; i++)
		TACHO_DP_BYTES[at++ % DPRINT_DATA] = ((const uint8_t *)bytes)[i];
	words[0] = at;
}

static __attribute__((noinline, unused)) void tacho_dp_text(const char *text)
{
	while (*text) {
		uint8_t part[33];
		uint8_t n = 0;

		while (n < 32 && text[n]) {
			part[n + 1] = (uint8_t)text[n];
			n++;
		}
		part[0] = n;
		tacho_dp_put(DPRINT_TEXT, part, n + 1u);
		text += n;
	}
}

FORCE_INLINE void tacho_dp_u32(uint32_t v)
{
	tacho_dp_put(DPRINT_U32, &v, 4);
}

FORCE_INLINE void tacho_dp_i32(int32_t v)
{
	tacho_dp_put(DPRINT_I32, &v, 4);
}

FORCE_INLINE void tacho_dp_u64(uint64_t v)
{
	tacho_dp_put(DPRINT_U64, &v, 8);
}

FORCE_INLINE void tacho_dp_i64(int64_t v)
{
	tacho_dp_put(DPRINT_I64, &v, 8);
}

FORCE_INLINE void tacho_dp_float(float v)
{
	tacho_dp_put(DPRINT_FLOAT, &v, 4);
}

FORCE_INLINE void tacho_dp_char(char v)
{
	tacho_dp_put(DPRINT_CHAR, &v, 1);
}

/* Format of the following items: DPRINT_HEX_ON, DPRINT_DEC_ON, DPRINT_WIDTH, DPRINT_PRECISION. */
struct tacho_dp_how {
	uint8_t kind, value;
};

FORCE_INLINE void tacho_dp_put_how(struct tacho_dp_how how)
{
	tacho_dp_put(how.kind, &how.value, 1);
}

struct tacho_dp_hex {
	uint32_t value;
};

FORCE_INLINE void tacho_dp_put_hex(struct tacho_dp_hex hex)
{
	tacho_dp_put_how((struct tacho_dp_how){DPRINT_HEX_ON, 0});
	tacho_dp_u32(hex.value);
	tacho_dp_put_how((struct tacho_dp_how){DPRINT_DEC_ON, 0});
}

#ifdef __cplusplus

struct tacho_dp_end {
};

struct tacho_dp_stream {
};
static constexpr tacho_dp_stream DPRINT;

#define TACHO_DP_OUT(type, call)                                                          \
	static inline const tacho_dp_stream &operator<<(const tacho_dp_stream &s, type v) \
	{                                                                                 \
		call;                                                                     \
		return s;                                                                 \
	}
TACHO_DP_OUT(const char *, tacho_dp_text(v))
TACHO_DP_OUT(char, tacho_dp_char(v))
TACHO_DP_OUT(bool, tacho_dp_u32(v))
TACHO_DP_OUT(unsigned char, tacho_dp_u32(v))
TACHO_DP_OUT(unsigned short, tacho_dp_u32(v))
TACHO_DP_OUT(unsigned, tacho_dp_u32(v))
TACHO_DP_OUT(unsigned long, tacho_dp_u32(v))
TACHO_DP_OUT(unsigned long long, tacho_dp_u64(v))
TACHO_DP_OUT(signed char, tacho_dp_i32(v))
TACHO_DP_OUT(short, tacho_dp_i32(v))
TACHO_DP_OUT(int, tacho_dp_i32(v))
TACHO_DP_OUT(long, tacho_dp_i32(v))
TACHO_DP_OUT(long long, tacho_dp_i64(v))
TACHO_DP_OUT(float, tacho_dp_float(v))
TACHO_DP_OUT(tacho_dp_how, tacho_dp_put_how(v))
TACHO_DP_OUT(tacho_dp_hex, tacho_dp_put_hex(v))
TACHO_DP_OUT(tacho_dp_end, (void)v; tacho_dp_char('\n'))

static inline tacho_dp_end ENDL()
{
	return {};
}
static inline tacho_dp_how HEX()
{
	return {DPRINT_HEX_ON, 0};
}
static inline tacho_dp_how FIXED()
{
	return {DPRINT_DEC_ON, 0};
}
static inline tacho_dp_how DEFAULTFLOAT()
{
	return {DPRINT_DEC_ON, 0};
}
static inline tacho_dp_how DEC()
{
	return {DPRINT_DEC_ON, 0};
}
static inline tacho_dp_how SETW(uint8_t width)
{
	return {DPRINT_WIDTH, width};
}
static inline tacho_dp_how SETPRECISION(uint8_t digits)
{
	return {DPRINT_PRECISION, digits};
}
static inline float F32(float v)
{
	return v;
}
static inline float BF16(uint16_t bits)
{
	uint32_t word = (uint32_t)bits << 16;
	float v;

	__builtin_memcpy(&v, &word, 4);
	return v;
}
static inline unsigned U32(uint32_t v)
{
	return (unsigned)v;
}

#else

#define DPRINT_HEX(v) ((struct tacho_dp_hex){(uint32_t)(v)})
#define TACHO_DP_ONE(x) \
	_Generic((x),                       \
		char *: tacho_dp_text,      \
		const char *: tacho_dp_text, \
		char: tacho_dp_char,        \
		float: tacho_dp_float,      \
		double: tacho_dp_float,     \
		unsigned char: tacho_dp_u32, \
		unsigned short: tacho_dp_u32, \
		unsigned: tacho_dp_u32,     \
		unsigned long: tacho_dp_u32, \
		signed char: tacho_dp_i32,  \
		short: tacho_dp_i32,        \
		int: tacho_dp_i32,          \
		long: tacho_dp_i32,         \
		long long: tacho_dp_i64,    \
		unsigned long long: tacho_dp_u64, \
		struct tacho_dp_hex: tacho_dp_put_hex)(x);
#define TACHO_DP_N(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, n, ...) n
#define TACHO_DP_1(x)                                                         TACHO_DP_ONE(x)
#define TACHO_DP_2(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_1(__VA_ARGS__)
#define TACHO_DP_3(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_2(__VA_ARGS__)
#define TACHO_DP_4(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_3(__VA_ARGS__)
#define TACHO_DP_5(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_4(__VA_ARGS__)
#define TACHO_DP_6(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_5(__VA_ARGS__)
#define TACHO_DP_7(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_6(__VA_ARGS__)
#define TACHO_DP_8(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_7(__VA_ARGS__)
#define TACHO_DP_9(x, ...)                                                    TACHO_DP_ONE(x) TACHO_DP_8(__VA_ARGS__)
#define TACHO_DP_10(x, ...)                                                   TACHO_DP_ONE(x) TACHO_DP_9(__VA_ARGS__)
#define TACHO_DP_11(x, ...)                                                   TACHO_DP_ONE(x) TACHO_DP_10(__VA_ARGS__)
#define TACHO_DP_12(x, ...)                                                   TACHO_DP_ONE(x) TACHO_DP_11(__VA_ARGS__)
#define DPRINT(...)                                                                                \
	do {                                                                                       \
		TACHO_DP_N(__VA_ARGS__, TACHO_DP_12, TACHO_DP_11, TACHO_DP_10, TACHO_DP_9,         \
			   TACHO_DP_8, TACHO_DP_7, TACHO_DP_6, TACHO_DP_5, TACHO_DP_4, TACHO_DP_3, \
			   TACHO_DP_2, TACHO_DP_1)                                                 \
		(__VA_ARGS__)                                                                      \
	} while (0)
#endif

#else /* nothing is printed */

#ifdef __cplusplus
struct tacho_dp_stream {
};
static constexpr tacho_dp_stream DPRINT;
template <typename T>
static inline const tacho_dp_stream &operator<<(const tacho_dp_stream &s, const T &)
{
	return s;
}
#define TACHO_DP_NONE(name)                                   \
	template <class... A> static inline int name(A &&...) \
	{                                                     \
		return 0;                                     \
	}
TACHO_DP_NONE(ENDL)
TACHO_DP_NONE(HEX)
TACHO_DP_NONE(DEC)
TACHO_DP_NONE(OCT)
TACHO_DP_NONE(FIXED)
TACHO_DP_NONE(DEFAULTFLOAT)
TACHO_DP_NONE(SETW)
TACHO_DP_NONE(SETPRECISION)
TACHO_DP_NONE(F32)
TACHO_DP_NONE(BF16)
TACHO_DP_NONE(U32)
TACHO_DP_NONE(TILE)
#undef TACHO_DP_NONE
#else
#define DPRINT(...) ((void)0)
#endif

#endif

/* Only on one of the RISCs that a source is compiled for. */
#ifdef __cplusplus
#define TACHO_DP_HERE(...) tacho_dp_here(__VA_ARGS__)
#else
#define TACHO_DP_HERE(x) x
#endif
#if TACHO_RISC == 0
#define DPRINT_DATA0(...) TACHO_DP_HERE(__VA_ARGS__)
#else
#define DPRINT_DATA0(...)
#endif
#if TACHO_RISC == 1
#define DPRINT_DATA1(...) TACHO_DP_HERE(__VA_ARGS__)
#else
#define DPRINT_DATA1(...)
#endif
#if TACHO_RISC == 2
#define DPRINT_UNPACK(...) TACHO_DP_HERE(__VA_ARGS__)
#else
#define DPRINT_UNPACK(...)
#endif
#if TACHO_RISC == 3
#define DPRINT_MATH(...) TACHO_DP_HERE(__VA_ARGS__)
#else
#define DPRINT_MATH(...)
#endif
#if TACHO_RISC == 4
#define DPRINT_PACK(...) TACHO_DP_HERE(__VA_ARGS__)
#else
#define DPRINT_PACK(...)
#endif

#ifdef __cplusplus
#include "kernel/print.h"
#endif

#endif
