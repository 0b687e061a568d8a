/* SPDX-License-Identifier: Apache-2.0 */
/* A run whose record is not to be kept. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

void kernel_main(void)
{
	DeviceZoneScopedN("NO");
	DeviceValidateProfiler(0);
}
