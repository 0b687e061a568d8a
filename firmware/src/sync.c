/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel of BRISC for sync_device_info.csv: keeps its clock beside each word that the host
 * writes. The profiler's buffer holds them: the clock's upper word first, then pairs.
 */
#include "dataflow_api.h"

void kernel_main(void)
{
	volatile uint32_t *from_host = (volatile uint32_t *)MAILBOX(M_PROF_CONTROL) + PROF_SYNC;
	volatile uint32_t *out = (volatile uint32_t *)MAILBOX(M_PROF_BUFFER) + PROF_OPTIONAL;
	uint32_t samples = get_arg_val(0);

	DeviceValidateProfiler(0); /* not a program of the user */
	for (uint32_t i = 0; i < samples; i++) {
		uint32_t host;
		uint64_t now;

		while (!(host = *from_host))
			;
		now = tacho_wall_clock();
		if (i == 0)
			out[0] = (uint32_t)(now >> 32);
		out[2 + 2 * i] = (uint32_t)now;
		out[3 + 2 * i] = host;
		*from_host = 0;
	}
}
