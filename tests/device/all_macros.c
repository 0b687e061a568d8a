/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a kernel can record, in C and, from all_macros.cpp, in C++. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

void kernel_main(void)
{
	DeviceZoneScopedMainN("KERNEL-MAIN");
	for (int i = 0; i < 3; i++) {
		DeviceZoneScopedN("ITERATION");
		{
			DeviceZoneScopedSumN1("SUM-1");
		}
		{
			DeviceZoneScopedSumN2("SUM-2");
			DeviceTimestampedData("VALUE", 0x100000000ull + i);
		}
		DeviceRecordEvent(7 + i);
	}
	DeviceZoneScopedMainChildN("KERNEL-CHILD");
	DeviceValidateProfiler(1);
	DeviceZoneSetCounter(77);
}
