/* SPDX-License-Identifier: Apache-2.0 */
/* ERISC: sends a page of DRAM over the link, then a word that announces it; waits for the reply. */
#include "dataflow_api.h"

#define PAGE  0x30000
#define READY 0x2f000
#define DONE  0x2f010

/* address of the buffer, page size, pages */
void kernel_main(void)
{
	struct InterleavedAddrGen from = {get_arg_val(0), get_arg_val(1)};

	REG32(DONE) = 0;
	for (uint32_t i = 0; i < get_arg_val(2); i++) {
		DeviceZoneScopedN("ETH-SEND");
		noc_async_read_page(i, &from, PAGE);
		noc_async_read_barrier();
		eth_send_bytes(PAGE, PAGE, get_arg_val(1));
		eth_write_remote_reg(0, READY, i + 1);
		noc_semaphore_wait((tacho_word *)DONE, i + 1);
	}
}
