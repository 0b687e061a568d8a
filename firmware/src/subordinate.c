/* SPDX-License-Identifier: Apache-2.0 */
/* NCRISC and TRISC0-2: wait for BRISC's word, run their kernel, give the word back. */
#include "common.c"

#define SYNC REG8(MAILBOX(M_SYNC) + TACHO_RISC - 1)

static void run(const volatile uint8_t *launch)
{
	DeviceZoneScopedMainN(RISC_NAME "-FW");

	launch_setup(launch);
	launch_kernel(launch);
}

int main(void)
{
	SYNC = GO_DONE;
	for (;;) {
		while (SYNC != GO_RUN)
			;
		prof_init(launch_message());
		run(launch_message());
		prof_finish();
		SYNC = GO_DONE;
	}
}
