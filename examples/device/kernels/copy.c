/* SPDX-License-Identifier: Apache-2.0 */
/* Copies pages from one interleaved DRAM buffer to another through L1. */
#include "dataflow_api.h"

#define SCRATCH 0x40000

void kernel_main(void)
{
	struct InterleavedAddrGen from = {get_arg_val(0), get_arg_val(2)};
	struct InterleavedAddrGen to = {get_arg_val(1), get_arg_val(2)};

	for (uint32_t page = get_arg_val(3); page < get_arg_val(4); page += get_arg_val(5)) {
		{
			DeviceZoneScopedN("READ");
			noc_async_read_page(page, &from, SCRATCH);
			noc_async_read_barrier();
		}
		DeviceZoneScopedN("WRITE");
		noc_async_write_page(page, &to, SCRATCH);
		noc_async_write_barrier();
	}
}
