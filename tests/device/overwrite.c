/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records three zones and overwrites words of the profiler in L1, from word (1) of its control
 * vector on: (0) words, value (2). Only BRISC does; zones of the other RISCs are there for it to
 * hit.
 */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

static __attribute__((unused)) void spoil(uint32_t words, uint32_t from, uint32_t value)
{
	volatile uint32_t *at = (volatile uint32_t *)MAILBOX(M_PROF_CONTROL) + from;

	for (uint32_t i = 0; i < words; i++)
		at[i] = value;
}

void kernel_main(void)
{
	{
		DeviceZoneScopedN("X");
	}
	{
		DeviceZoneScopedN("Y");
	}
#if TACHO_RISC == 0
	spoil(get_arg_val(0), get_arg_val(1), get_arg_val(2));
#endif
	{
		DeviceZoneScopedN("Z");
	}
}
