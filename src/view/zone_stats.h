/* SPDX-License-Identifier: Apache-2.0 */
/* Private: statistics of source locations, with the lock waits of their zones. */
#ifndef VIEW_ZONE_STATS_H
#define VIEW_ZONE_STATS_H

#include "view/call.h"

/* Freed by the caller. Recent answers are cached. */
int stats_count(struct view_call *c, const struct trace_filter *filter, struct trace_stat **stats,
		size_t *count);

/* lock_wait_cache.c: moves lock waits from .self to .wait; of one zone, ticks of its self time. */
int waits_split(struct view_call *c, const struct trace_filter *filter, struct trace_stat *stats,
		size_t count);
int waits_of_zone(struct view_call *c, uint32_t track, uint32_t depth, uint64_t start,
		  uint64_t *ticks);

#endif
