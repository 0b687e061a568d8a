/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: a cache of results computed from the rows of a track, such as a pyramid over a plot. A
 * result is computed on first use and updated with the new rows of a trace that is being recorded.
 * It belongs to the handle for rows: the holder of that handle may use it.
 */
#ifndef VIEW_ROW_CACHE_H
#define VIEW_ROW_CACHE_H

#include "view/call.h"

struct row_cache;

struct row_cache_kind {
	size_t bytes; /* of a result, which begins as zeros */
	int (*take)(struct row_cache *k, const struct trace_row *row); /* rows by time */
	size_t (*memory)(const struct row_cache *k);                   /* bytes, but for files */
	/* A pass has ended; LAST: no rows will come. Or NULL. */
	void (*rest)(struct row_cache *k, bool last);
	void (*free)(struct row_cache *k);
};

/* The first member of a cached result. */
struct row_cache {
	const struct row_cache_kind *kind;
	uint32_t track;
	uint64_t seen;   /* offset in the file up to which rows were read */
	uint64_t asked;  /* time of last use: the oldest is dropped first */
	uint64_t memory; /* bytes when it was last asked for */
	uint32_t row_track,
		row_kind; /* the track of the row that is taken, and of which kind it is */
};

/*
 * The cached result of TRACK (or of all, TRACE_NONE), updated with all that the trace has now.
 * Valid until the next call. TACHO_ENO if the client has left.
 */
int row_cache_get(struct view_call *c, uint32_t track, const struct row_cache_kind *kind,
		  struct row_cache **cache);

#endif
