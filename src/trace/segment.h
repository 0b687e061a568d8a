/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: a segment: the part of a zone or row block that belongs to one lane or track. Usually a
 * block is one segment; small ones share a block so that thousands of threads with a few zones each
 * do not make thousands of blocks at each checkpoint.
 */
#ifndef TRACE_SEGMENT_H
#define TRACE_SEGMENT_H

#include "trace/format.h"

struct segment {
	uint64_t offset; /* of the block in the file */
	uint32_t track, depth;
	uint32_t first, count; /* zones or rows: their place in the block */
	uint64_t start, end;   /* zones: of the first, of the last; rows: least and greatest time */
	uint64_t zone;         /* readers: number of its first zone in the lane, from 0 */
};

/* The part of a block's payload that says what is in it. */
struct directory {
	uint32_t srclocs; /* source locations that were defined when it was written */
	uint32_t segments, items;
};

/* Appends the directory of a block with the given segments. */
void directory_add(struct buf *b, uint32_t srclocs, const struct segment *s, size_t count);

/*
 * Reads the head; then directory_next() gives each segment: S must be zero before the first call
 * and untouched between calls. Problems are in IN.bad.
 */
void directory_read(struct in *in, struct directory *d);
void directory_next(struct in *in, struct directory *d, uint64_t offset, struct segment *s);

/* One segment as stored in directories and in the index, relative to the previous one. */
void segment_add(struct buf *b, const struct segment *s, uint32_t last_track, uint64_t last_start);
void segment_read(struct in *in, struct segment *s, uint32_t last_track, uint64_t last_start);

#endif
