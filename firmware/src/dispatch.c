/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a dispatch core: BRISC hands a program's launch messages to the workers, NCRISC
 * sends them their go signals, and both end when all workers have reported that they are done. The
 * host has written the list of workers to L1 (tacho_layout.h, DISPATCH_*).
 */
#include "dataflow_api.h"

#define WORD(offset)          REG32(L1_FREE + (offset))
#define WORKER(i)             WORD(DISPATCH_WORKERS + 4 * (i))
#define WORKER_AT(i, address) get_noc_addr_xy(WORKER(i) & 63, WORKER(i) >> 6 & 63, address)

/* The activity of the enclosing zone, as a number that readers of logs expect. */
enum { CMD_WRITE_PACKED = 5, CMD_WAIT = 7, CMD_SEND_GO_SIGNAL = 14, CMD_NOTIFY_SUBORDINATE = 15 };

#if TACHO_RISC == 0
static void send_messages(void)
{
	DeviceZoneScopedN("CQ-DISPATCH:CQ_DISPATCH_CMD_WRITE_PACKED");
	DeviceTimestampedData("process_cmd_d_dispatch", CMD_WRITE_PACKED);
	DeviceTimestampedData("runtime_host_id_dispatch", WORD(DISPATCH_ID));
	for (uint32_t i = 0; i < WORD(DISPATCH_COUNT); i++)
		noc_async_write(L1_FREE + DISPATCH_MESSAGES + i * DISPATCH_MESSAGE_SIZE,
				WORKER_AT(i, MAILBOX(M_LAUNCH)), LAUNCH_SIZE);
	noc_async_write_barrier();
}

static void notify(void)
{
	DeviceZoneScopedN("CQ-DISPATCH:CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL");
	DeviceTimestampedData("process_cmd_d_dispatch", CMD_NOTIFY_SUBORDINATE);
	WORD(DISPATCH_NOTIFY) = 1;
}

static void wait_for_workers(void)
{
	DeviceZoneScopedN("CQ-DISPATCH:CQ_DISPATCH_CMD_WAIT");
	DeviceTimestampedData("process_cmd_d_dispatch", CMD_WAIT);
	noc_semaphore_wait((tacho_word *)(L1_FREE + DISPATCH_DONE), WORD(DISPATCH_COUNT));
}

void kernel_main(void)
{
	send_messages();
	notify();
	wait_for_workers();
}
#else
static void wait_for_notice(void)
{
	DeviceZoneScopedN("CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_CMD_WAIT");
	DeviceTimestampedData("process_cmd_d_dispatch", CMD_WAIT);
	noc_semaphore_wait((tacho_word *)(L1_FREE + DISPATCH_NOTIFY), 1);
}

static void send_go(void)
{
	uint32_t go = (uint32_t)GO_RUN << 24 | (uint32_t)my_x[0] << 16 | (uint32_t)my_y[0] << 8;

	DeviceZoneScopedN("CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_CMD_SEND_GO_SIGNAL");
	DeviceTimestampedData("process_cmd_d_dispatch", CMD_SEND_GO_SIGNAL);
	for (uint32_t i = 0; i < WORD(DISPATCH_COUNT); i++)
		noc_inline_dw_write(WORKER_AT(i, MAILBOX(M_GO)), go);
	noc_async_write_barrier();
}

void kernel_main(void)
{
	wait_for_notice();
	send_go();
}
#endif
