/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the firmware of all RISCs. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#define TACHO_FIRMWARE 1

#include "tacho_noc.h"
#include <tacho/kernel_profiler.h>

/* Reads the launch message: arguments, semaphores, circular buffers, the NoC of this RISC. */
void launch_setup(const volatile uint8_t *launch);

/* Runs this RISC's kernel inside its zone. */
void launch_kernel(const volatile uint8_t *launch);

/* Kernel profiler, around each run; nothing when it is off. */
void prof_init(const volatile uint8_t *launch);
void prof_finish(void);
/* A replay of a trace starts (BRISC). */
void prof_replay(void);

#define LAUNCH_U32(launch, offset) (*(const volatile uint32_t *)((launch) + (offset)))
#define LAUNCH_U16(launch, offset) (*(const volatile uint16_t *)((launch) + (offset)))

static inline const volatile uint8_t *launch_message(void)
{
	return (const volatile uint8_t *)(uintptr_t)(MAILBOX(M_LAUNCH) +
						     (REG32(MAILBOX(M_LAUNCH_RD_PTR)) & 7) *
							     LAUNCH_SIZE);
}

#if PROFILE_KERNEL & PROF_MODE_TRACE
#define RISC_NAME "TRACE" /* whichever RISC it is */
#elif TACHO_RISC == 0
#ifdef TACHO_ERISC
#define RISC_NAME "ERISC"
#else
#define RISC_NAME "BRISC"
#endif
#elif TACHO_RISC == 1
#define RISC_NAME "NCRISC"
#else
#define RISC_NAME "TRISC"
#endif

#ifdef TACHO_DISPATCH_CORE
#undef DeviceZoneScopedMainN
#undef DeviceZoneScopedMainChildN
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#endif

#endif
