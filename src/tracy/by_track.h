/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: rows track by track. A block of the trace holds rows of many tracks, so reading one
 * track after the other would decode every block once per track. Here one pass over the trace
 * collects the rows of as many tracks of one kind as fit in a fixed amount of memory. Texts are
 * dropped.
 */
#ifndef TRACY_BY_TRACK_H
#define TRACY_BY_TRACK_H

#include "base/vec.h"
#include "trace/trace.h"

struct kept_row {
	uint64_t time, a, b;
	uint32_t kind, thread;
};

struct by_track {
	struct trace *trace;
	uint64_t held;    /* maximum number of held rows */
	uint64_t *counts; /* rows per track, from the trace's directory */
	/* Tracks whose rows are held, and the first row of each. */
	uint32_t first, end;
	struct {
		VEC(struct kept_row);
	} rows;
	struct {
		VEC(uint64_t);
	} starts, ends;
	/* The current track: held rows, or a cursor if it has too many. */
	uint64_t at, stop;
	struct trace_rows *stream;
};

int by_track_open(struct by_track *b, struct trace *trace);
void by_track_close(struct by_track *b);

/* Starts at the first row of TRACK; call with ascending tracks. Rows have no texts. */
int by_track_begin(struct by_track *b, uint32_t track);
/* Returns 1, 0 at the end or a negative error. */
int by_track_next(struct by_track *b, struct trace_row *row);

#endif
