/* SPDX-License-Identifier: Apache-2.0 */
/* Far more than a buffer holds: zones in zones, values, events, all numbered. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

void kernel_main(void)
{
	DeviceZoneScopedN("ALL");
	for (uint32_t i = 0; i < get_arg_val(0); i++) {
		DeviceZoneScopedN("OUTER");
		DeviceTimestampedData("INDEX", i);
		{
			DeviceZoneScopedN("INNER");
			DeviceRecordEvent(i);
		}
	}
	if (get_arg_val(1) == 1)
		*(volatile uint32_t *)0xDEAD0000 = 1;
	DeviceValidateProfiler(get_arg_val(1) != 2);
}
