/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that bench_tensix measures: a number of zones, or of other events, in sequence. */
#include "dataflow_api.h"

void kernel_main(void)
{
	for (uint32_t i = 0; i < get_arg_val(1); i++) {
		switch (get_arg_val(0)) {
		case 1: {
			DeviceZoneScopedN("ZONE");
			break;
		}
		case 2:
			DeviceTimestampedData("VALUE", i);
			break;
		case 3:
			DeviceRecordEvent(i);
			break;
		case 4: {
			DeviceZoneScopedSumN1("SUM");
			break;
		}
		default:
			__asm__ volatile("");
			break;
		}
	}
}
