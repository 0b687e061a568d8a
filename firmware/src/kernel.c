/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After each kernel, in the same text (src/device/source.c): its entry. Its data get their first
 * values, then kernel_main() runs.
 */
#include <tacho/kernel_profiler.h> /* a kernel may include nothing itself */

#ifdef __cplusplus
extern "C" {
#endif
extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];

#if PROFILE_KERNEL && !(PROFILE_KERNEL & PROF_MODE_TRACE)
/* Maximum number of words for the kernel's own zones that must not be lost, if it has any. */
extern const char tacho_prof_main_0[] __attribute__((weak));
extern const char tacho_prof_main_1[] __attribute__((weak));
#define KEEP_ROOM()          \
	(tacho_prof_stack += \
	 (uint32_t)(uintptr_t)tacho_prof_main_0 + (uint32_t)(uintptr_t)tacho_prof_main_1)
#else
#define KEEP_ROOM() ((void)0)
#endif

/* A compute kernel has ended when the engine has done what it pushed: so its zone and the counters
 * around it cover the work, not the pushing of it. */
#if TACHO_RISC >= 2 && TACHO_RISC <= 4
#define FINISH() ((void)*(volatile uint32_t *)0xFFE80004)
#else
#define FINISH() ((void)0)
#endif

__attribute__((section(".start"), used)) void kernel_start(void)
{
	for (uint32_t *to = __data_start, *from = __data_load; to < __data_end;)
		*to++ = *from++;
	for (uint32_t *to = __bss_start; to < __bss_end;)
		*to++ = 0;
	KEEP_ROOM();
	kernel_main();
	FINISH();
}

/* The compiler calls these for its own copies and clears. */
__attribute__((weak)) void *memcpy(void *to, const void *from, __SIZE_TYPE__ len)
{
	for (__SIZE_TYPE__ i = 0; i < len; i++)
		((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
	return to;
}

__attribute__((weak)) void *memset(void *to, int value, __SIZE_TYPE__ len)
{
	for (__SIZE_TYPE__ i = 0; i < len; i++)
		((volatile uint8_t *)to)[i] = (uint8_t)value;
	return to;
}
#ifdef __cplusplus
}
#endif
