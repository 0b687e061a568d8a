/* SPDX-License-Identifier: Apache-2.0 */
/* Names of threads, for programs written for Tracy. Works without TRACY_ENABLE too. */
#ifndef TACHO_TRACY_SYSTEM_HPP
#define TACHO_TRACY_SYSTEM_HPP

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef TRACY_ENABLE
#include <tacho/tacho.h>
#endif

namespace tracy
{
inline uint32_t GetThreadHandle()
{
	return (uint32_t)syscall(SYS_gettid);
}

inline void SetThreadName(const char *name)
{
#ifdef TRACY_ENABLE
	tacho_thread_name(name);
#else
	prctl(PR_SET_NAME, name);
#endif
}

/* Tacho sorts threads by itself: the hint is ignored. */
inline void SetThreadNameWithHint(const char *name, int32_t)
{
	SetThreadName(name);
}

/* The kernel's name of a thread of this process, valid until the calling thread asks again. */
inline const char *GetThreadName(uint32_t id)
{
	static thread_local char name[32];
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", id);
	f = fopen(path, "re");
	if (!f || !fgets(name, sizeof(name), f))
		snprintf(name, sizeof(name), "%u", id);
	if (f)
		fclose(f);
	name[strcspn(name, "\n")] = 0;
	return name;
}
} // namespace tracy

#endif
