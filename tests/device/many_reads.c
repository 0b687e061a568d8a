/* SPDX-License-Identifier: Apache-2.0 */
/* A thousand transfers inside one zone: more events than a buffer holds. */
#include "dataflow_api.h"

void kernel_main(void)
{
	DeviceZoneScopedN("READS");
	for (uint32_t i = 0; i < 1000; i++)
		noc_async_read(get_noc_addr_from_bank_id(0, 0x100000 + 64 * i), 0x40000, 64);
	noc_async_read_barrier();
}
