/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded calls need up to a quarter more C stack, where the interpreter needs any for them.
 * So that a program can recurse as deep as without recording, the stack of the main thread is
 * enlarged.
 */
#include "_tracy.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A stack grows to an address that is touched, up to the current limit: raise the limit for one
 * touch, then restore the program's own. A system call does the touch, because it fails if another
 * mapping is there.
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
	/* Part of the stack is above us; only pages that are used take memory. */
	low = (uintptr_t)__builtin_frame_address(0) - limit.rlim_cur / 8 * 11;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, low & ~(uintptr_t)63);
	setrlimit(RLIMIT_STACK, &limit);
}
