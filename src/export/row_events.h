/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: rows of a trace as events that timelines of other tools have: instants, counters and
 * spans. Plots and memory pools are counters; frames and locks are spans.
 */
#ifndef EXPORT_ROW_EVENTS_H
#define EXPORT_ROW_EVENTS_H

#include "view/zone_stream.h"

struct row_span {
	const char *category, *name;
	uint32_t track; /* of the thread, or of the frames */
	uint64_t id;    /* spans with one id do not overlap */
	uint64_t start, end;
};

/* Members that are NULL leave such rows out. */
struct row_events {
	void *context;
	/* Texts: messages, op records as messages, notes. */
	int (*message)(void *context, const struct trace_row *row, uint32_t track);
	int (*loss)(void *context, const struct trace_row *row, uint32_t track);
	int (*counter)(void *context, const struct trace_row *row, uint32_t track, double value);
	int (*span)(void *context, const struct row_span *span);
	int (*sample)(void *context, const struct trace_row *row, uint32_t track);
	int (*flow)(void *context, const struct trace_row *row, uint32_t track);
};

/* Rows by time. */
int row_events_walk(struct trace *trace, const struct view_filter *filter,
		    const struct row_events *events);

/* The track of the thread that made a row, else the row's own. */
static inline uint32_t row_owner(const struct trace *trace, const struct trace_row *row,
				 uint32_t track)
{
	return row->thread < trace->track_count ? row->thread : track;
}

/* Ids by process and by track, unique among processes and among the tracks of one; malloc()ed. */
int export_ids(const struct trace *trace, uint32_t **pids, uint32_t **tids);

#endif
