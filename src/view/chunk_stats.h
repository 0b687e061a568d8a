/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: statistics of parts of lanes, so that those of any range of a large trace are sums. A
 * chunk is CHUNK_ZONES zones of a lane, one behind the other; for each name in it there are exact
 * sums and how many durations are in each bucket of a histogram (see hist.h). They are made by one
 * pass over the trace in a thread of its own and kept in a file without a name, so memory does not
 * grow with the trace. A range takes whole chunks as they are and looks at single zones at its
 * edges alone. Of a trace that is being recorded each question makes those of what is new.
 */
#ifndef VIEW_CHUNK_STATS_H
#define VIEW_CHUNK_STATS_H

#include "view/zone_histogram.h"

#define CHUNK_ZONES 16384u
#define CHUNKS_FROM 2000000u /* zones of a trace from which it is worth while */

struct chunks;

/* Begins to make them in the background, if the trace does not grow. NULL: no memory. */
struct chunks *chunks_start(struct view_trace *t);
/* Stops, waits, frees. Takes NULL. */
void chunks_free(struct chunks *k);

/* Waits until they are there. False: they cannot be made, the client has gone, or
 * a trace that grows is small. */
bool chunks_ready(struct chunks *k, struct view_call *c);

/* As trace_stats(); median and p99 are right to one per cent. */
int chunks_stats(struct chunks *k, struct view_call *c, const struct trace_filter *filter,
		 struct trace_stat **stats, size_t *count);

/* As hist_count(), for one name and whole durations. */
int chunks_hist(struct chunks *k, struct view_call *c, const struct zones_choice *choice,
		struct hist *h);

#endif
