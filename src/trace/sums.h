/* Running figures of one source location: exact integers, so that a scan gives the same as the
 * writer. */
#ifndef TRACE_SUMS_H
#define TRACE_SUMS_H

#include <stdint.h>

struct zone_sums {
	uint64_t count, total, children;
	uint64_t min, max; /* min is UINT64_MAX while count is 0 */
	uint64_t unfinished;
	unsigned __int128 squares;
};

static inline void zone_sums_add(struct zone_sums *s, uint64_t duration, uint64_t children)
{
	s->count++;
	s->total += duration;
	s->children += children < duration ? children : duration;
	s->squares += (unsigned __int128)duration * duration;
	if (duration < s->min)
		s->min = duration;
	if (duration > s->max)
		s->max = duration;
}

#endif
