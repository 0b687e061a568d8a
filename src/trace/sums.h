/* SPDX-License-Identifier: Apache-2.0 */
/* Private: running figures of one source location: exact integers, so that a scan gives the same as
 * the writer. */
#ifndef TRACE_SUMS_H
#define TRACE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct zone_sums {
	uint64_t count, total, children;
	uint64_t recursive; /* of the total: zones inside others of the source location */
	uint64_t min, max;  /* min is UINT64_MAX while count is 0 */
	uint64_t unfinished;
	unsigned __int128 squares;
};

static inline void zone_sums_add(struct zone_sums *s, uint64_t duration, uint64_t children,
				 bool recursive)
{
	s->count++;
	s->total += duration;
	s->recursive += recursive ? duration : 0;
	s->children += children < duration ? children : duration;
	s->squares += (unsigned __int128)duration * duration;
	if (duration < s->min)
		s->min = duration;
	if (duration > s->max)
		s->max = duration;
}

/* The same for COUNT zones that have no zones inside. */
static inline void zone_sums_add_leaves(struct zone_sums *s, const uint32_t *duration, size_t count)
{
	struct zone_sums sums = *s;

	for (size_t i = 0; i < count; i++)
		zone_sums_add(&sums, duration[i], 0, false);
	*s = sums;
}

#endif
