/* SPDX-License-Identifier: Apache-2.0 */
/* Values and events with their times. */
#include "dataflow_api.h"

void kernel_main(void)
{
	for (uint32_t i = 0; i < 5; i++) {
		DeviceTimestampedData("ITERATION", (uint64_t)i << 32 | my_x[0]);
		DeviceRecordEvent(100 + i);
		{
			DeviceZoneScopedSumN1("WAIT");
			riscv_wait(100);
		}
	}
}
