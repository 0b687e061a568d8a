/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which source locations are open on a track. A writer of zones must know whether a zone is inside
 * another one of the same source location (TRACE_ZONE_RECURSIVE); this answers it without a look
 * at all that are open, in nearly all cases. Zones must begin and end as a stack.
 */
#ifndef TRACE_NESTING_H
#define TRACE_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NESTING_SLOTS 64u

struct trace_nesting {
	/* The source locations of a slot: one of them, how often it is open, and how many others
	 * are (which may be the same one, from before). */
	struct trace_nesting_slot {
		uint32_t srcloc, count, others;
	} slots[NESTING_SLOTS];
};

static inline void trace_nesting_begin(struct trace_nesting *n, uint32_t srcloc)
{
	struct trace_nesting_slot *s = &n->slots[srcloc % NESTING_SLOTS];

	if (!s->count)
		s->srcloc = srcloc;
	if (s->srcloc == srcloc)
		s->count++;
	else
		s->others++;
}

static inline void trace_nesting_end(struct trace_nesting *n, uint32_t srcloc)
{
	struct trace_nesting_slot *s = &n->slots[srcloc % NESTING_SLOTS];

	if (s->count && s->srcloc == srcloc)
		s->count--;
	else
		s->others--;
}

/* True if SRCLOC is open. OPEN is the source location of the outermost open zone; those of the
 * others, COUNT in all, follow STRIDE bytes apart. */
static inline bool trace_nesting_has(const struct trace_nesting *n, uint32_t srcloc,
				     const uint32_t *open, size_t count, size_t stride)
{
	const struct trace_nesting_slot *s = &n->slots[srcloc % NESTING_SLOTS];
	const char *at = (const char *)open + count * stride;

	if (s->count && s->srcloc == srcloc)
		return true;
	if (!s->others)
		return false;
	while (count--) {
		at -= stride;
		if (*(const uint32_t *)at == srcloc)
			return true;
	}
	return false;
}

#endif
