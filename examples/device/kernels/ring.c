/* SPDX-License-Identifier: Apache-2.0 */
/* Passes a number around: each core waits for its turn, adds one, sends it to the next. */
#include "dataflow_api.h"

#define VALUE 0x40000

void kernel_main(void)
{
	uint32_t next_x = get_arg_val(0), next_y = get_arg_val(1), first = get_arg_val(2);
	uint32_t rounds = get_common_arg_val(0);
	tacho_word *turn = (tacho_word *)(uintptr_t)get_semaphore(0);
	tacho_word *value = (tacho_word *)VALUE;

	for (uint32_t round = 0; round < rounds; round++) {
		DeviceZoneScopedN("ROUND");
		if (!first || round)
			noc_semaphore_wait_min(turn, first ? round : round + 1);
		DeviceRecordEvent(round);
		*value += 1;
		noc_async_write(VALUE, get_noc_addr(next_x, next_y, VALUE), 4);
		noc_async_write_barrier();
		noc_semaphore_inc(get_noc_addr(next_x, next_y, get_semaphore(0)), 1);
		noc_async_atomic_barrier();
	}
}
