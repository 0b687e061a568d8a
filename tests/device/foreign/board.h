/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody else's firmware knows of the hardware. Nothing of Tacho is included, on purpose:
 * numbers are the hardware's and the launch protocol's.
 */
#ifndef BOARD_H
#define BOARD_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define R32(a) (*(volatile u32 *)(a))
#define R16(a) (*(volatile u16 *)(a))
#define R8(a)  (*(volatile u8 *)(a))

#define SUBORDINATE_SYNC 24
#define LAUNCH           32
#define GO_SIGNAL        (1184 + 3)
#define CONTROL          2816
#define BUFFER           3072
#define SOFT_RESET       0xFFB121B0
#define CLOCK_LOW        0xFFB121F0
#define CLOCK_HIGH       0xFFB121F4
#define NIU              0xFFB20000

#define HASH(text)      (board_hash(text, sizeof(text) - 1))
#define STR_(x)         #x
#define STR(x)          STR_(x)
#define NOTE_(x)        _Pragma(#x)
#define NOTE(x)         NOTE_(x)
#define ZONE_TEXT(name) name "," __FILE__ "," STR(__LINE__) ",KERNEL_PROFILER"
/* The hash of a zone, announced in the compiler's messages. */
#define ZONE(name) ({ NOTE(message(ZONE_TEXT(name))) HASH(ZONE_TEXT(name)); })

static inline u32 board_hash(const char *text, u32 len)
{
	u32 h = 2166136261u;

	for (u32 i = 0; i < len; i++)
		h = (h ^ (u8)text[i]) * 16777619u;
	return ((h & 0xffff) ^ h >> 16) & 0xffff;
}

/* Word INDEX of RISC's buffer: type, number, time. */
static inline void board_mark(u32 risc, u32 index, u32 type, u32 id)
{
	volatile u32 *w = (volatile u32 *)(BUFFER + 2048 * risc) + index;
	u32 high = R32(CLOCK_HIGH), low = R32(CLOCK_LOW);

	w[0] = 0x80000000u | (type << 16 | id) << 12 | (high & 0xfff);
	w[1] = low;
}

static inline void board_niu(u32 reg, u32 value)
{
	R32(NIU + reg) = value;
}

/* One command of NoC 0's first buffer, accepted when this returns. */
static inline void board_command(u32 ctrl, u32 targ_lo, u32 targ_mid, u32 ret_lo, u32 ret_mid,
				 u32 len)
{
	board_niu(0x00, targ_lo);
	board_niu(0x04, targ_mid);
	board_niu(0x0C, ret_lo);
	board_niu(0x10, ret_mid);
	board_niu(0x1C, ctrl);
	board_niu(0x20, len);
	board_niu(0x28, 1);
	while (R32(NIU + 0x28))
		;
}

#ifdef FIRMWARE
int main(void);

__asm__(".section .start, \"ax\"\n"
	".globl _start\n"
	"_start: li sp, 0xFFB00FF0\n"
	"call main\n"
	"1: j 1b\n"
	".text\n");
#endif
#endif
