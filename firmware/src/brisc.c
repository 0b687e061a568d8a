/* SPDX-License-Identifier: Apache-2.0 */
/* BRISC (and ERISC): starts the others, waits for the host, runs a launch, reports its end. */
#include "common.c"

#define SYNC REG32(MAILBOX(M_SYNC))
#define GO   REG8(MAILBOX(M_GO) + 3)

/* Data and answers of this core's commands come back here. The software device assumes that;
 * other devices need the coordinates. */
static void niu_set_up(void)
{
	for (uint32_t noc = 0; noc < 2; noc++) {
		uint32_t self = (NIU_CONFIG(noc, 14) & 0xfff) << 4;

		NIU(noc, NIU_BUF_READ, NIU_RET_MID) = self;
		NIU(noc, NIU_BUF_WRITE, NIU_TARG_MID) = self;
		NIU(noc, NIU_BUF_ATOMIC, NIU_RET_MID) = self;
	}
}

static void start_others(void)
{
#ifndef TACHO_ERISC
	SYNC = GO_INIT * 0x01010101u;
	REG32(RISCV_DEBUG_REG_SOFT_RESET_0) = 0;
	while (SYNC)
		;
#endif
}

/* A byte for each RISC that has a kernel: NC is the first. */
static uint32_t sync_word(uint32_t enables)
{
	uint32_t word = 0;

	for (uint32_t r = 1; r < 5; r++)
		if (enables >> r & 1)
			word |= (uint32_t)GO_RUN << 8 * (r - 1);
	return word;
}

static void run(const volatile uint8_t *launch)
{
	uint32_t enables = LAUNCH_U32(launch, LAUNCH_ENABLES);

	launch_setup(launch);
	SYNC = sync_word(enables);
	if (enables & 1)
		launch_kernel(launch);
	while (SYNC)
		;
	counters_record();
}

static void run_profiled(const volatile uint8_t *launch)
{
	prof_init(launch);
	{
		DeviceZoneScopedMainN(RISC_NAME "-FW");
		run(launch);
	}
	prof_finish();
}

/* A dispatch core counts the workers that are done. */
static void tell_dispatcher(const volatile uint8_t *launch)
{
	uint32_t go = REG32(MAILBOX(M_GO)), buffer = NIU_BUF_ATOMIC;

	if (launch[LAUNCH_MODE])
		return;
	niu_wait(noc_index, buffer);
	NIU(noc_index, buffer, NIU_TARG_LO) = L1_FREE + DISPATCH_DONE;
	NIU(noc_index, buffer, NIU_TARG_MID) = (go >> 16 & 63) << 4 | (go >> 8 & 63) << 10;
	NIU(noc_index, buffer, NIU_RET_LO) = 0;
	NIU(noc_index, buffer, NIU_CTRL) = NIU_CTRL_ATOMIC;
	NIU(noc_index, buffer, NIU_LEN) = 1u << 12 | 31u << 2;
	NIU(noc_index, buffer, NIU_DATA) = 1;
	NIU(noc_index, buffer, NIU_GO) = 1;
}

static void run_and_tell(const volatile uint8_t *launch)
{
	run_profiled(launch);
	tell_dispatcher(launch);
}

int main(void)
{
	niu_set_up();
	start_others();
	GO = GO_DONE;
	for (;;) {
		while (GO != GO_RUN && GO != GO_REPLAY)
			;
		if (GO == GO_REPLAY)
			prof_replay();
		else
			run_and_tell(launch_message());
		GO = GO_DONE;
	}
}
