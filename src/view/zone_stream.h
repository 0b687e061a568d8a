/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones of a trace with all that belongs to them: names, texts, values, self times. Read as a
 * stream: memory does not grow with the number of zones. A stream is used by one thread at a time.
 */
#ifndef VIEW_ZONE_STREAM_H
#define VIEW_ZONE_STREAM_H

#include "base/buf.h"
#include "base/pattern.h"
#include "base/table.h"
#include "trace/trace.h"

struct view_filter {
	struct trace_filter in;     /* times, tracks, source locations */
	const struct pattern *name; /* a zone's own name may match instead of its source location */
	bool overlap;          /* zones that reach into the time, not only those that start in it */
	uint64_t min_duration; /* ticks */
};

/* True if the filter takes rows of this track, made by this thread. */
bool view_takes(const struct view_filter *f, uint32_t track, uint32_t thread);

struct view_zone {
	struct trace_zone zone;
	uint32_t lane, track;
	uint64_t self;     /* ticks; 0 unless it was asked for */
	uint32_t color;    /* its own, else that of its source location, else 0 */
	struct buf name;   /* its own, else of its source location */
	struct buf text;   /* its texts, a line each */
	struct buf values; /* its values, separated by blanks */
};

struct view_zones;

/* Zones by start, parents before children. FILTER must outlive the stream. */
int view_zones_open(struct view_zones **s, struct trace *trace, const struct view_filter *filter,
		    bool self);
/* 1 and *ZONE, valid until the next call; 0 at the end. */
int view_zones_next(struct view_zones *s, struct view_zone **zone);
void view_zones_close(struct view_zones *s);

/* A table of zones: the same columns for the verb and for the CSV file. */
void view_zone_table(struct table *t, FILE *out, const struct table_style *style);
int view_zone_row(struct table *t, const struct trace *trace, const struct view_zone *zone);

#endif
