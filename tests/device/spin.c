/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a given time: thousands of cycles. */
#include "dataflow_api.h"

void kernel_main(void)
{
	uint64_t end = tacho_wall_clock() + (uint64_t)get_arg_val(0) * 1000;
	DeviceZoneScopedN("SPIN");

	while (tacho_wall_clock() < end)
		;
}
