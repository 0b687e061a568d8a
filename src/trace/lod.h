/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the level-of-detail index.
 *
 * Each lane has a pyramid. A bottom node, a leaf, covers up to 8 zones. It ends early before a gap
 * that is long compared with its surroundings, and a comparatively long zone gets a leaf of its
 * own: otherwise one long zone would make a wide leaf of small zones, and a view of many such
 * leaves would decode a block for each. The next level has 40 leaves per node, higher levels 4
 * nodes: a pixel visits more nodes the wider they fan out, and only the bottom of the pyramid costs
 * space.
 *
 * A query takes a whole node if it is narrower than a pixel, or if it is not much wider and has
 * neither a zone nor, in sum, gaps of a pixel: then each pixel it touches contains something. So a
 * query visits a bounded number of nodes whatever the number of zones, and decodes zones only where
 * single zones or real gaps are visible.
 *
 * Wide views are made from rows of pixels, which are stored next to the pyramid: lod_rows.c.
 *
 * lod_live.c has the index of a trace that is being written, which has no rows; the rest of this
 * comment describes all others.
 *
 * The file: a header and one struct lod_lane per lane, padded to a whole block; the data, which is
 * the levels and rows of each lane, in blocks of LOD_BLOCK bytes; the checksums of these blocks.
 * Header, lane table and checksums are read and verified when the index is opened, blocks on first
 * use (lod_pages.c). Offsets are computed from the counts in the lane table; nothing else in the
 * index can lead outside. A damaged index is rebuilt.
 */
#ifndef TRACE_LOD_H
#define TRACE_LOD_H

#include "trace/reader.h"

#define LOD_MAGIC        "TACHOLOD"
#define LOD_VERSION      4u
#define LOD_BLOCK        4096u       /* bytes that have one checksum and are read at once */
#define LOD_RESIDENT     (32u << 20) /* default size of the block cache in bytes */
#define LOD_HEAP         (32u << 10) /* bytes of a live level that stay on the heap */
#define LOD_ZONES        8u          /* of a leaf, at most */
#define LOD_LEAVES       40u         /* of a node above leaves */
#define LOD_FAN          4u          /* children of the other nodes */
#define LOD_LEVELS       22u         /* 8 * 40 * 4^21 zones are more than there can be */
#define LOD_ROW_ZONES    8u          /* of a pixel of the finest row, on the average at least */
#define LOD_ROW_RES      40u         /* rows have pixels of fewer than 2^this ns */
#define LOD_CREDIT       32u         /* one node in so many may end early */
#define LOD_CREDIT_FIRST 4u

/* A leaf: 2 bytes per zone. Times are relative to the start of the node above it. */
struct lod_leaf {
	uint32_t start, end;
	uint32_t busy;    /* in a leaf of one zone, whose times say it: the source location */
	uint32_t longest; /* ticks << 6 | its place in the node << 3 | (zones - 1) */
};

/* In LEAF.longest's ticks: the node does not fit 32 bits and its zones must be read. */
#define LEAF_WIDE ((1u << 26) - 1)

struct lod_node {
	uint64_t start, end;
	uint64_t busy;
	uint64_t longest; /* ticks */
	uint64_t first;   /* zone << 24 | distance to the longest after it, or NODE_FAR */
};

#define NODE_FAR 0xffffffu /* the distance to the longest exceeds 24 bits */

struct lod_header {
	char magic[8];
	uint32_t version, lane_count;
	uint8_t uuid[16];
	uint64_t trace_size, zones;
	uint64_t blocks;           /* of data */
	uint64_t origin, duration; /* of the grid that the rows lie on: ticks, ns */
	uint64_t sums;             /* checksum of the blocks' checksums */
	uint64_t checksum;         /* of all before it and of the lane table */
};

struct lod_lane {
	uint64_t zones;
	uint64_t leaves; /* number of bottom nodes */
	uint64_t offset; /* of the leaves in the data; the levels above follow, then the rows */
	uint32_t row_first, row_count; /* rows have pixels of 2^row_first ns and coarser */
};

/* A block in the file. */
struct lod_block {
	uint64_t sum;
	uint64_t place; /* offset in the file */
	uint8_t *frame; /* where it is in memory; NULL: it is not */
};

/* The file that blocks are read from, and the memory that they are read to. */
struct lod_file {
	int fd;       /* -1: none */
	uint64_t end; /* where the next block of a live index goes */
	struct {
		VEC(uint8_t *);
	} chunks;
	uint64_t frames; /* in use */
	uint64_t limit;  /* bytes of them, after which they are used again */
};

/* A run of bytes: the first SETTLED blocks are in the file, the rest, which grows, is at MAP. */
struct lod_pages {
	struct lod_block *blocks;
	size_t block_room;
	uint64_t settled;
	uint8_t *map;
	uint64_t room; /* bytes at MAP */
	bool mapped;   /* else on the heap */
};

/* Where a level of a lane is. */
struct lod_level {
	struct lod_pages *pages;
	uint64_t at;
	uint64_t count; /* leaves or nodes */
};

/* The levels of a lane. */
struct lod_levels {
	uint64_t zones;
	struct lod_level leaves;
	struct lod_level nodes[LOD_LEVELS]; /* [0] is the level above the leaves */
	unsigned levels;
};

struct lod_rows;

/* The leaf that is being filled, and the budget for those that end early. */
struct lod_builder {
	struct lod_leaf *leaves; /* from number LEAF_BASE on */
	uint64_t leaf_count, leaf_base;
	struct lod_node
		*parents; /* of the leaves; filled as leaves are, so that they have a base */
	uint64_t first;   /* zone */
	uint32_t zones;
	uint64_t start, end, busy, longest;
	uint32_t longest_at;
	uint32_t srcloc;       /* of the first zone */
	bool alone;            /* the zone that it holds is a long one */
	struct lod_rows *rows; /* NULL: none are made */
	uint64_t usual;        /* ticks that leaves of several zones span, smoothed */
	uint32_t credit;
};

/* The rows of a lane that are being made. */
struct lod_rows {
	const struct trace *trace;
	uint64_t duration;
	uint32_t first, count;
	float *cover;                /* of the finest: share of each pixel */
	uint64_t pixel, from, limit; /* the one that is open, and its ticks */
	uint64_t busy;
	bool seen;
};

struct trace_lod {
	struct trace_private *p;
	char *dir; /* the cache folder; NULL: the usual one */
	struct lod_file file;
	uint64_t size; /* bytes of the index */
	/* A trace that is followed: its lanes by lane.number. */
	bool live;
	int error;        /* why lod_fetch() failed last */
	bool damaged;     /* a block of a live index could not be read: rebuild */
	uint64_t reloads; /* trace_private.reloads that it was made for */
	struct {
		VEC(struct lod_live *);
	} live_lanes;
	/* All others. */
	struct lod_header header;
	struct lod_lane *lanes;
	struct lod_pages data;
	bool rows; /* they lie on the grid of the trace */
};

/* The number of nodes above so many leaves, and above so many nodes; there is none above one. */
static inline uint64_t lod_parents(uint64_t leaves)
{
	return (leaves + LOD_LEAVES - 1) / LOD_LEAVES;
}

static inline uint64_t lod_above(uint64_t nodes)
{
	return nodes > 1 ? (nodes + LOD_FAN - 1) / LOD_FAN : 0;
}

/* Bytes of all levels of a lane that has so many leaves. */
uint64_t lod_lane_bytes(uint64_t leaves);
void lod_levels_of(struct trace_lod *lod, uint32_t lane, struct lod_levels *levels);
/* Where the data begins in the file of an index of so many lanes. */
uint64_t lod_data_offset(uint32_t lane_count);
uint64_t lod_header_checksum(const struct lod_header *h, const struct lod_lane *lanes);
/*
 * LEN bytes from offset AT of PAGES on; NULL when the index is damaged and cannot be built again,
 * or without memory: lod->error says which. Bytes of several blocks are put together in SCRATCH.
 * The answer is good until lod_trim().
 */
const void *lod_fetch(struct trace_lod *lod, struct lod_pages *pages, uint64_t at, uint64_t len,
		      void *scratch);
/* Uses frames again when there are too many. */
void lod_trim(struct trace_lod *lod);

static inline const void *lod_at(struct trace_lod *lod, struct lod_pages *pages, uint64_t at,
				 uint64_t len, void *scratch)
{
	uint64_t block = at / LOD_BLOCK;

	if (block < pages->settled && (at + len - 1) / LOD_BLOCK == block &&
	    pages->blocks[block].frame)
		return pages->blocks[block].frame + at % LOD_BLOCK;
	return lod_fetch(lod, pages, at, len, scratch);
}

static inline const struct lod_node *lod_nodes(struct trace_lod *lod, const struct lod_level *l,
					       uint64_t first, uint64_t last,
					       struct lod_node *scratch)
{
	return lod_at(lod, l->pages, l->at + first * sizeof(*scratch),
		      (last - first) * sizeof(*scratch), scratch);
}

/* lod_pages.c. Reads a settled block into a frame. */
int lod_block_read(struct lod_file *file, struct lod_pages *p, uint64_t block);
void lod_file_close(struct lod_file *file);
uint64_t lod_file_memory(const struct lod_file *file);
/* Room for BYTES in all. */
int lod_pages_grow(struct lod_pages *p, uint64_t bytes);
/* Moves the whole blocks of the first BYTES, which do not change any more, to the file. */
void lod_pages_settle(struct lod_pages *p, struct lod_file *file, uint64_t bytes);
/* Forgets the frames. */
void lod_pages_drop(struct lod_pages *p);
void lod_pages_free(struct lod_pages *p);
/* Bytes of the first BYTES that are in memory, and of the table of blocks. */
uint64_t lod_pages_memory(const struct lod_pages *p, uint64_t bytes);
int lod_write(int fd, uint64_t at, const void *bytes, size_t len);

/* lod_build.c: writes the index of TRACE to PATH, or to memory when PATH is NULL; *FD is the file.
 */
int lod_build(const struct trace_lod *lod, const char *path, int *fd);
/* For both ways of making it; the caller sees to the room. */
int lod_segment_add(struct lod_builder *b, struct trace_private *p, const struct segment *s);
uint64_t lod_leaf_room(const struct lod_builder *b, uint64_t count);
void lod_leaf_close(struct lod_builder *b);
/* A node out of its children. */
void lod_node_sum(struct lod_node *node, const struct lod_node *child, uint64_t count);

/* lod_rows.c: which rows a lane has, and their bytes. */
uint64_t lod_duration(const struct trace *t);
void lod_rows_shape(uint64_t duration, uint64_t zones, uint32_t *first, uint32_t *count);
uint64_t lod_rows_bytes(uint64_t duration, uint32_t first, uint32_t count);
/* Making them: begin, all zones in order, end; free in any case. */
int lod_rows_begin(struct lod_rows *r, const struct trace *t, uint64_t zones);
void lod_rows_step(struct lod_rows *r, uint64_t start, uint64_t end);
void lod_rows_end(struct lod_rows *r, uint8_t *to);
void lod_rows_free(struct lod_rows *r);
/* Adds what is in view by rows; false when it must be done by nodes. */
bool lod_rows_strip(struct trace_lod *lod, uint32_t lane, struct trace_strip *s);

static inline void lod_rows_zone(struct lod_rows *r, uint64_t start, uint64_t end)
{
	if (start >= r->limit || end > r->limit) {
		lod_rows_step(r, start, end);
		return;
	}
	r->busy += end - start;
	r->seen = true;
}

/* lod_cache.c: "FOLDER/UUID-SIZE.lod", or NULL when there is no folder to keep it in. */
char *lod_cache_path(const struct trace *t, const char *dir);
/* A file without a name in the cache folder or the one for temporary files; -1 when there is none.
 */
int lod_cache_unnamed(const char *dir);

/* lod_live.c: an index that grows. */
int lod_live_update(struct trace_lod *lod);
void lod_live_free(struct trace_lod *lod);
void lod_live_drop(struct trace_lod *lod);
uint64_t lod_live_memory(const struct trace_lod *lod);
void lod_live_levels(const struct trace_lod *lod, uint32_t lane, struct lod_levels *levels);

#endif
