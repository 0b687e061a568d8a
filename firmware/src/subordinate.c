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
#if PROFILE_KERNEL
		prof_init();
#endif
		run(launch_message());
#if PROFILE_KERNEL
		prof_finish();
#endif
		SYNC = GO_DONE;
	}
}
