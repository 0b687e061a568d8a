/* SPDX-License-Identifier: Apache-2.0 */
/* About 11,200 instructions: a checksum over words of L1, with a store now and then. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

#define WORDS 880

void kernel_main(void)
{
	volatile uint32_t *data = (volatile uint32_t *)(0x40000 + TACHO_RISC * 0x2000);
	uint32_t sum = 0xffffffff;

	for (uint32_t i = 0; i < WORDS; i++) {
		sum = (sum >> 1 ^ data[i]) + (sum & 1 ? 0x9e3779b9 : 0);
		if ((i & 15) == 0)
			data[i] = sum;
	}
	data[0] = sum;
}
