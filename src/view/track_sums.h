/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: sums of each track of a kind, computed in one pass over the rows of all of them. For
 * tables of more tracks than can be cached one by one: reading each separately would read most
 * blocks again and again.
 */
#ifndef VIEW_TRACK_SUMS_H
#define VIEW_TRACK_SUMS_H

#include "view/row_cache.h"

#define TRACK_SUMS_FROM 64u /* tracks */

struct track_sums;

struct track_sums_kind {
	struct row_cache_kind cache; /* TRACK_SUMS_CACHE */
	uint32_t tracks;             /* of which kind */
	bool before;                 /* rows before the range are taken, too */
	size_t size;                 /* of the sums of a track, which begin as zeros */
	int (*take)(const struct track_sums *f, void *sums, const struct trace_row *row);
	void (*clear)(void *sums); /* or NULL */
};

struct track_sums {
	struct row_cache cache;
	uint8_t *sums; /* by track */
	uint32_t tracks;
	uint64_t t0;   /* the range begins there */
	bool of_range; /* the caller's, not kept */
};

/* True if there are that many tracks of this kind. */
bool track_sums_wanted(const struct view_call *c, uint32_t tracks);

/*
 * Sums of all rows if t0 is 0 and t1 UINT64_MAX (cached and extended), else of those in [t0,
 * t1). Release with track_sums_put(). TACHO_ENO: the client has left.
 */
int track_sums_of(struct view_call *c, const struct track_sums_kind *kind, uint64_t t0, uint64_t t1,
		  struct track_sums **f);
/* The sums of a track; NULL: it has no rows. */
const void *track_sums_at(const struct track_sums *f, uint32_t track);
void track_sums_put(struct track_sums *f);

/* For the tables of kinds: TRACK_SUMS_CACHE. */
int track_sums_take(struct row_cache *k, const struct trace_row *row);
size_t track_sums_memory(const struct row_cache *k);
void track_sums_free(struct row_cache *k);

#define TRACK_SUMS_CACHE                                                             \
	{                                                                            \
		sizeof(struct track_sums), track_sums_take, track_sums_memory, NULL, \
			track_sums_free                                              \
	}

#endif
