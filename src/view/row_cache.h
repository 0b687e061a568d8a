/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: what was made of the rows of a track and is kept for the next question, such as a
 * pyramid over a plot. It is made when it is first asked for and reads on what a trace that is
 * being recorded has got since. It belongs to the handle for rows, so who has that may use it.
 */
#ifndef VIEW_ROW_CACHE_H
#define VIEW_ROW_CACHE_H

#include "view/call.h"

struct row_cache;

struct row_cache_kind {
	struct row_cache *(*make)(
		const struct row_cache_kind *kind); /* zeroed memory for one, or NULL */
	int (*take)(struct row_cache *k, const struct trace_row *row); /* rows by time */
	size_t (*memory)(const struct row_cache *k);                   /* bytes, but for files */
	void (*rest)(struct row_cache *k,
		     bool last); /* a pass has ended; LAST: no rows will come */
	void (*free)(struct row_cache *k);
};

/* At the beginning of what is kept. */
struct row_cache {
	const struct row_cache_kind *kind;
	uint32_t track;
	uint64_t seen;   /* offset in the file behind which rows were not taken */
	uint64_t asked;  /* when, to forget the oldest first */
	uint64_t memory; /* bytes when it was last asked for */
	uint32_t row_track,
		row_kind; /* the track of the row that is taken, and of which kind it is */
};

/*
 * What is kept of TRACK (or of all, TRACE_NONE), which knows all that the trace has now. It stays
 * until the next call of this. TACHO_ENO: the client has gone.
 */
int row_cache_get(struct view_call *c, uint32_t track, const struct row_cache_kind *kind,
		  struct row_cache **cache);

#endif
