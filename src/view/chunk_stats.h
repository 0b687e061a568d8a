/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: statistics of parts of lanes, so that those of any range of a large trace are sums. A
 * chunk is CHUNK_ZONES consecutive zones of a lane; for each name in it there are exact sums and
 * the number of durations in each bucket of a histogram (see hist.h). A background thread computes
 * them in one pass over the trace and stores them in an unnamed file, so memory does not grow with
 * the trace. A range takes whole chunks as they are and reads single zones only at its edges. For a
 * trace being recorded each query adds those of new data.
 */
#ifndef VIEW_CHUNK_STATS_H
#define VIEW_CHUNK_STATS_H

#include "view/zone_histogram.h"

#define CHUNK_ZONES 16384u
#define CHUNKS_FROM 2000000u /* smaller traces do not need it */

struct chunks;

/* Starts to compute them in the background, unless the trace grows. NULL if out of memory. */
struct chunks *chunks_start(struct view_trace *t);
/* Stops, waits, frees. Takes NULL. */
void chunks_free(struct chunks *k);

/*
 * Waits until they are ready. False if they cannot be computed, the client has left, or a growing
 * trace is small.
 */
bool chunks_ready(struct chunks *k, struct view_call *c);

/* As trace_stats(); median and p99 are right to one percent. */
int chunks_stats(struct chunks *k, struct view_call *c, const struct trace_filter *filter,
		 struct trace_stat **stats, size_t *count);

/* As hist_count(), for one name and whole durations. */
int chunks_hist(struct chunks *k, struct view_call *c, const struct zones_choice *choice,
		struct hist *h);

#endif
