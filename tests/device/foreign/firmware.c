/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign BRISC firmware: boots, releases NCRISC, runs launches, sends its markers to DRAM. */
#define FIRMWARE
#include "board.h"

/* Where the markers of RISC go: bank flat / per_bank, area of 48000 bytes each, base 32. */
static void marker_push(u32 risc, u32 words)
{
	volatile u32 *c = (volatile u32 *)CONTROL;
	u32 flat = c[54], per_bank = c[55], bank = flat / per_bank;
	u32 banks = R32(0x40000), l1_banks = R32(0x40004);
	u32 offsets = 53440 + ((banks + l1_banks) * 4 + 3) / 4 * 4;
	u32 to = c[50] + ((flat % per_bank) * 5 + risc) * 48000 + c[risc] * 4;

	*(volatile u32 *)(BUFFER + 2048 * risc + 8) = risc | flat << 5;
	board_command(0x12, BUFFER + 2048 * risc, 0, to + R32(offsets + 4 * bank),
		      (u32)R16(53440 + 2 * bank) << 4, words * 4);
	c[risc] += words;
}

static void kernel_run(void)
{
	u32 fw = ZONE("FOREIGN-FW");
	u32 base = R32(LAUNCH), enables = R32(LAUNCH + 120);
	u32 acks = R32(NIU + 0x204);

	for (u32 r = 0; r < 2; r++) {
		for (u32 i = 0; i < 4; i++)
			R32(BUFFER + 2048 * r + 4 * i) = 0;
		for (u32 i = 4; i < 12; i++)
			R32(BUFFER + 2048 * r + 4 * i) = 0x80000000u;
		R32(BUFFER + 2048 * r + 12) = R32(LAUNCH + 116);
	}
	board_mark(0, 4, 0, fw);
	if (enables & 2)
		R8(SUBORDINATE_SYNC) = 0x80;
	if (enables & 1)
		((void (*)(u32))(base + R32(LAUNCH + 52)))(base + R16(LAUNCH + 28));
	while (R8(SUBORDINATE_SYNC))
		;
	board_mark(0, 6, 1, fw);
	marker_push(0, 16);
	if (enables & 2)
		marker_push(1, 12);
	while (R32(NIU + 0x204) - acks < (enables & 2 ? 2 : 1))
		;
}

int main(void)
{
	R8(SUBORDINATE_SYNC) = 0x40;
	R32(SOFT_RESET) = 0x7000; /* the TRISCs stay where they are */
	while (R8(SUBORDINATE_SYNC))
		;
	R8(GO_SIGNAL) = 0;
	for (;;) {
		while (R8(GO_SIGNAL) != 0x80)
			;
		kernel_run();
		R8(GO_SIGNAL) = 0;
	}
}
