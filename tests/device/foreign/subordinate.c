/* SPDX-License-Identifier: Apache-2.0 */
/* NCRISC's firmware of the same stranger. */
#define FIRMWARE
#include "board.h"

int main(void)
{
	u32 fw = ZONE("FOREIGN-NC");

	R8(SUBORDINATE_SYNC) = 0;
	for (;;) {
		while (R8(SUBORDINATE_SYNC) != 0x80)
			;
		board_mark(1, 4, 0, fw);
		R32(0x50004) += 7;
		board_mark(1, 6, 1, fw);
		R8(SUBORDINATE_SYNC) = 0;
	}
}
