/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the spans of a lock, cached for the timeline. */
#ifndef VIEW_LOCK_TIMELINE_H
#define VIEW_LOCK_TIMELINE_H

#include "view/lock_spans.h"
#include "view/row_cache.h"
#include "view/span_list.h"

enum { HOLDS, WAITS };

struct lock_row {
	uint32_t thread;       /* TRACE_NONE in row 0 */
	struct spans spans[2]; /* holds, waits */
};

struct lock {
	struct row_cache cache;
	struct view_lock events; /* the spans come from here */
	struct {
		VEC(struct lock_row *);
	} rows; /* [0]: the times in which any thread holds the lock, or waits for it */
	struct map by_thread;
	uint32_t open[2];   /* threads that hold it, that wait */
	uint32_t exclusive; /* threads that hold it alone: 0 or 1 */
};

/* lock_table.c: what a lock is called, on its track or where it is declared; "": nowhere. */
const char *lock_name(const struct trace *t, uint32_t track);

/* The lock of TRACK with all that the trace has now. */
int lock_cached(struct view_call *c, uint32_t track, struct lock **l);

#endif
