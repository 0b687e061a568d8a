/* SPDX-License-Identifier: Apache-2.0 */
// A zone around a loop, a value with a time, an event.
#include <tools/profiler/kernel_profiler.hpp>

void kernel_main()
{
	{
		DeviceZoneScopedN("LOOP");
		for (uint32_t i = 0; i < LOOPS; i++)
			asm volatile("nop");
	}
	DeviceTimestampedData("LOOPS", LOOPS);
	DeviceRecordEvent(7);
}
