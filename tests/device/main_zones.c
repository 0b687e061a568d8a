/* SPDX-License-Identifier: Apache-2.0 */
/* Zones that must not get lost come last, after many that do. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

void kernel_main(void)
{
	for (int i = 0; i < 300; i++) {
		DeviceZoneScopedN("MANY");
	}
	DeviceZoneScopedMainN("MAIN");
	{
		DeviceZoneScopedMainChildN("CHILD");
	}
}
