/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: mapped ring files belong to programs that may truncate them at any time; touching such a
 * page would kill the recorder with SIGBUS. While a mapping is registered here, a missing page is
 * replaced by zeros and the flag is set instead.
 */
#ifndef RING_GUARD_H
#define RING_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct guard_range {
	char *base;
	size_t size;
	volatile bool *hit;
	struct guard_range *next, **link;
};

/* RANGE is linked into a list: do not move it until it is removed. */
void guard_add(struct guard_range *range, void *base, size_t size, volatile bool *hit);
void guard_remove(struct guard_range *range);

#endif
