/* SPDX-License-Identifier: Apache-2.0 */
/* Private: when threads waited for which locks; see profile_waits(). */
#ifndef SAMPLE_PROFILE_WAITS_H
#define SAMPLE_PROFILE_WAITS_H

#include "sample/window.h"

void profile_waits_free(struct profile_waits *w);

/* The waits of a thread, as far as they were used. */
struct wait_cursor {
	const struct profile_wait *v;
	size_t n;
};

/*
 * Adds a time in which a thread was blocked, in the system call of STATE, to NS by what it waited
 * for, and to LOCK_NS (see profile_thread_states()). Times come in order. WINDOW may be NULL.
 */
void profile_blocked_add(const struct profile *p, struct wait_cursor *waits,
			 const struct window *window, const struct trace_row *state, uint64_t start,
			 uint64_t end, double *ns, double *lock_ns);

#endif
