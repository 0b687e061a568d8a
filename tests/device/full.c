/* SPDX-License-Identifier: Apache-2.0 */
/* More zones than there is room for. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

void kernel_main(void)
{
	for (int i = 0; i < 300; i++) {
		DeviceZoneScopedN("TEST-FULL");
	}
}
