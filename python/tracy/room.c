/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the program take more of the C stack when they are recorded, up to a quarter, where the
 * interpreter needs any for them. So that it may recurse as deep as without us, the stack of the
 * main thread is made larger.
 */
#include "_tracy.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A stack grows to an address that is touched, as far as the limit of the moment allows: the limit
 * is raised for one touch, and is the program's own again. A system call touches it, which fails
 * when something else is there.
 */
void room_make(void)
{
	static int made;
	struct rlimit limit, more;
	uintptr_t low;

	if (made || syscall(SYS_gettid) != getpid() || getrlimit(RLIMIT_STACK, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return;
	made = 1;
	more = limit;
	more.rlim_cur += limit.rlim_cur / 2;
	if (more.rlim_cur > more.rlim_max || setrlimit(RLIMIT_STACK, &more))
		return;
	/* Something of the stack is above us; only what will be used takes memory. */
	low = (uintptr_t)__builtin_frame_address(0) - limit.rlim_cur / 8 * 11;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, low & ~(uintptr_t)63);
	setrlimit(RLIMIT_STACK, &limit);
}
