/* SPDX-License-Identifier: Apache-2.0 */
/* ERISC: writes pages from the link to DRAM and acknowledges them to the sender. */
#include "dataflow_api.h"

#define PAGE  0x30000
#define READY 0x2f000
#define DONE  0x2f010

/* address of the buffer, page size, pages */
void kernel_main(void)
{
	struct InterleavedAddrGen to = {get_arg_val(0), get_arg_val(1)};

	for (uint32_t i = 0; i < get_arg_val(2); i++) {
		DeviceZoneScopedN("ETH-RECEIVE");
		noc_semaphore_wait((tacho_word *)READY, i + 1);
		noc_async_write_page(i, &to, PAGE);
		noc_async_write_barrier();
		eth_write_remote_reg(0, DONE, i + 1);
	}
	REG32(READY) = 0;
}
