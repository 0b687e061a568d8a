/* SPDX-License-Identifier: Apache-2.0 */
/* More zones than a RISC has room for. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

void kernel_main(void)
{
	for (uint32_t i = 0; i < get_compile_time_arg_val(0); i++) {
		DeviceZoneScopedN("TEST-FULL");
		__asm__ volatile("nop");
	}
}
