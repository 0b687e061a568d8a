/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: rows track by track. A block of the trace holds rows of many tracks, so reading one
 * track after the other decodes every block as often as it has tracks. Here one pass over the trace
 * keeps the rows of as many tracks of one kind as a fixed amount of memory holds. Texts are not
 * kept.
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
	uint64_t held;    /* rows that are kept at most */
	uint64_t *counts; /* rows by track, as the trace's directory tells */
	/* The tracks whose rows are held, and where each begins in them. */
	uint32_t first, end;
	struct {
		VEC(struct kept_row);
	} rows;
	struct {
		VEC(uint64_t);
	} starts, ends;
	/* The track that is read: held rows, or those of a track that has too many. */
	uint64_t at, stop;
	struct trace_rows *stream;
};

int by_track_open(struct by_track *b, struct trace *trace);
void by_track_close(struct by_track *b);

/* From the first row of TRACK on; tracks should be asked for in their order. Rows have no texts. */
int by_track_begin(struct by_track *b, uint32_t track);
/* 1, 0 at the end or a negative error. */
int by_track_next(struct by_track *b, struct trace_row *row);

#endif
