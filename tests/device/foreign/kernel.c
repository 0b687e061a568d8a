/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel for it: sums 64 bytes of DRAM bank 0; ARGS: address in the bank. */
#include "board.h"

__attribute__((section(".start"))) void kernel(u32 args)
{
	u32 zone = ZONE("FOREIGN-KERNEL");
	u32 got = R32(NIU + 0x208), sum = 0;

	board_mark(0, 8, 0, zone);
#ifdef BAD
	__asm__ volatile(".globl bad_place\nbad_place: .word 0xffffffff");
#endif
	board_command(0x10, R32(args), (u32)R16(53440) << 4, 0x51000, 0, 64);
	while (R32(NIU + 0x208) == got)
		;
	for (u32 i = 0; i < 16; i++)
		sum += R32(0x51000 + 4 * i);
	R32(0x50000) = sum;
	R32(0xFFB11F00) = R32(0xFFD00040) + 3; /* there is nothing */
	board_mark(0, 12, 4, 321);
	*(volatile u32 *)(BUFFER + 4 * 14) = 0x80000000u;
	*(volatile u32 *)(BUFFER + 4 * 15) = 0;
	board_mark(0, 10, 1, zone);
}
