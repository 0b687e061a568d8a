/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the parts of the reader.
 *
 * Opening reads the index (or, when there is none, every block) and the definitions: afterwards
 * memory holds the model and one segment entry per block. Zones and rows are decoded on demand,
 * block by block, through the cache in zblock.c. Everything that comes from the file is checked
 * here, so that the arrays of struct trace may be used as they are: every id in them is in range,
 * every string is a string.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "clock/clock.h"
#include "trace/block.h"
#include "trace/segment.h"
#include "trace/sums.h"
#include "trace/trace.h"

/* The parts of a zone block, not yet decoded; they point into trace_private.store. */
struct zpayload {
	uint64_t offset;
	uint32_t segments, n;
	struct in directory, gap, duration, srcloc, marks;
};

/* Zones with flags or attachments, by zone. */
struct zone_marks {
	struct zone_mark {
		uint32_t zone, flags;
		uint32_t first_extra, extras;
	} * v;
	uint32_t count, extra_count;
	struct trace_extra *extras; /* texts point into TEXT */
	struct buf text;
	struct buf recursive; /* a bit for each zone, or empty */
	size_t bytes;
};

/* A column of a block as far as it must be unpacked to look at single numbers: see zpeek.c. */
struct peek_patch {
	uint32_t at;
	uint64_t value;
};

struct peek_column {
	uint64_t base;
	unsigned planes; /* that are not constant */
	const uint8_t *plane[8];
	uint8_t shift[8];
	uint8_t narrow[8]; /* a plane has 8 >> narrow bits for each number */
	uint32_t patch_count;
	const struct peek_patch *patches; /* by place */
};

enum { PEEK_GAP, PEEK_DURATION, PEEK_SRCLOC, PEEK_COLUMNS };

struct zpeek {
	struct peek_column columns[PEEK_COLUMNS];
	void *memory[PEEK_COLUMNS]; /* of the columns that were read together, at the first */
	size_t bytes[PEEK_COLUMNS];
};

/* A decoded zone block. Counted references; kept in the cache while there is room. */
struct zblock {
	uint64_t offset;
	uint32_t n; /* zones; segments are contiguous */
	uint32_t references;
	uint32_t columns; /* ZBLOCK_* that are decoded */
	bool bad;         /* could not be decoded: n = 0 */
	size_t bytes;
	uint64_t *start, *end; /* one allocation with srcloc; NULL: not decoded */
	uint32_t *srcloc;
	struct zone_marks marks;
	struct zpeek peek;
	bool no_peek;        /* its columns must be decoded as a whole */
	struct zblock *next; /* in the bucket */
	/* Of those without references: */
	struct zblock *newer, *older;
	uint64_t used;   /* zblock_ages when it was used last */
	uint32_t rarity; /* blocks of its lane, log2; less than ZBLOCK_RARITIES */
	bool waits;      /* it is among those used last */
};

/* Blocks without references in the order of their use. */
struct rblock;

struct zblock_list {
	struct zblock *newest, *oldest;
	size_t bytes;
};

#define ZBLOCK_RARITIES 16u

#define ZBLOCK_TIMES   1u
#define ZBLOCK_SRCLOCS 2u
#define ZBLOCK_MARKS   4u
#define ZBLOCK_ALL     7u
/* For a look at single zones: gaps and durations, source locations. */
#define ZBLOCK_PEEK_TIMES   8u
#define ZBLOCK_PEEK_SRCLOCS 16u

#define CACHE_BUCKETS 1024u
#define ROW_BLOCKS    64u /* a power of two */

#define LANE_KEY(track, depth) ((uint64_t)(track) << 32 | (depth))

/* The state of a lane; public positions change when lanes are found, this does not move. */
struct lane {
	struct {
		VEC(struct segment);
	} segments;         /* in order */
	uint32_t position;  /* in trace->lanes */
	uint32_t number;    /* in trace_private.lane_list */
	uint8_t *recursive; /* a bit for each zone, of files without marks; NULL: none */
};

struct trace_private {
	struct trace trace; /* what the caller sees; first, so that both have one address */
	int fd;
	struct unpacker *unpacker;
	struct buf store, unpacked;
	struct arena arena;

	struct {
		VEC(struct trace_process);
	} processes;
	struct {
		VEC(struct trace_track);
	} tracks;
	struct {
		VEC(struct trace_srcloc);
	} srclocs;
	struct {
		VEC(struct trace_property);
	} properties;
	struct {
		VEC(struct trace_clock_point);
	} clock_points;
	struct {
		VEC(struct trace_ledger);
	} ledgers;
	struct {
		VEC(struct trace_absent);
	} absent;
	struct {
		VEC(struct trace_lane_info);
	} lanes;
	struct {
		VEC(struct lane *);
	} lane_list; /* in the order in which they were met */
	struct map lane_numbers;
	bool lanes_new; /* LANES has some at its end that are not in order yet */
	size_t zone_segments;
	struct {
		VEC(struct segment);
	} rows;             /* by start */
	size_t rows_sorted; /* later ones are new */
	/* Numbers in ROWS by track, made when a track's rows are first read; see lanes_rows_of().
	 */
	uint32_t *row_places, *row_firsts;
	size_t row_tracks;
	struct rblock *row_blocks[ROW_BLOCKS]; /* of rows.c, by offset: decoded last */
	size_t row_block_bytes;
	struct {
		VEC(struct segment);
	} pending;                     /* of the block that is being read */
	uint64_t span_start, span_end; /* of all segments; UINT64_MAX, 0: none yet */
	uint32_t tracks_needed;
	/* Known after a scan only: the last whole checkpoint and what is being read of the next. */
	uint64_t checkpoint, checkpoint_end, checkpoint_sequence;
	uint64_t checkpoint_begin, checkpoint_parts;
	struct {
		VEC(uint64_t);
	} bad; /* offsets of damaged blocks */
	struct {
		VEC(struct trace_open_zone);
	} open;
	uint64_t holes; /* definitions made up for ids that were never defined */
	uint32_t srclocs_needed;

	struct zone_sums *sums; /* of the whole trace, per source location; NULL: not in the file */
	size_t sums_srclocs;    /* source locations that there were when they were read */
	bool recursion_known;   /* zones inside of their like are marked */
	struct clock_fit fit;
	int64_t origin_ns;    /* of trace.origin, by the fit */
	uint64_t scan_end;    /* end of the last whole block; known only after a scan */
	uint64_t tail_offset; /* the last block that was scanned, and its header */
	uint8_t tail[BLOCK_HEADER_SIZE];
	bool defs_new; /* definitions were read since model_finish() */

	char *followed;   /* PATH without .part of a trace that is followed, else NULL */
	bool settled;     /* followed up to checkpoints only */
	bool stale;       /* reading on failed half way: all must be read again */
	uint64_t reloads; /* how often it was read from its beginning again */

	struct zblock *buckets[CACHE_BUCKETS];
	struct zblock_list recent;                  /* without references, used last */
	struct zblock_list others[ZBLOCK_RARITIES]; /* by rarity */
	uint64_t zblock_ages;                       /* blocks that were decoded so far */
	size_t held, idle;                          /* bytes with and without references */
	size_t idle_count, idle_limit;
};

static inline struct trace_private *private_of(const struct trace *t)
{
	return t->private;
}

/* model.c: definitions into the arrays. */
int model_read(struct trace_private *p, struct in *in);
int model_finish(struct trace_private *p);

/*
 * reader.c: PATH becomes the file of P, its header is checked; then reader_load() reads it.
 * reader_finish() makes the arrays of struct trace after more has been read.
 */
int reader_attach(struct trace_private *p, const char *path, uint64_t limit,
		  struct tacho_error *err);
int reader_load(struct trace_private *p, bool scan);
int reader_finish(struct trace_private *p);
/* Times count from here. */
void reader_origin(struct trace_private *p, uint64_t origin);
/* Back to what it was before the first block. */
void reader_forget(struct trace_private *p);
/* The text of error R. */
int reader_explain(const char *path, int r, struct tacho_error *err);
struct trace_private *reader_new(void);
/* Opens the file FD, which is the reader's from here on; NAME is for messages. */
int reader_open_fd(struct trace_private **p, int fd, const char *name, struct tacho_error *err);

/*
 * reader.c: opens by going through all blocks, without looking at anything from byte LIMIT on,
 * whether there is an index or not.
 */
int reader_open_scanned(struct trace_private **p, const char *path, uint64_t limit,
			struct tacho_error *err);

/*
 * lanes.c: segments, in the order of the file, into lanes and rows. lanes_finish() makes the arrays
 * of struct trace out of what was added since it was last called, and costs no more than that.
 */
int lanes_add_segment(struct trace_private *p, uint16_t type, const struct segment *s);
void lanes_finish(struct trace_private *p);
/* The segments of a track are rows.v[row_places[i]] for FIRST <= i < END, by start. */
int lanes_rows_of(struct trace_private *p, uint32_t track, uint32_t *first, uint32_t *end);
void lanes_clear(struct trace_private *p);

/* scan.c: finds the blocks. index_load() is TACHO_EDAMAGED when there is no usable index. */
int index_load(struct trace_private *p);
int file_scan(struct trace_private *p);
/* Continues after what file_scan() found, up to file_size. */
int file_scan_on(struct trace_private *p);
int stats_load(struct trace_private *p, struct in *in);

/* recursion.c: finds the zones inside of their like in a file that does not mark them. */
int recursion_find(struct trace_private *p);

/* Notes a block that could not be used. */
void damage_add(struct trace_private *p, uint64_t offset);
void damage_text(struct trace_private *p);

/*
 * zpayload.c: the block at OFFSET into its parts, which stay valid until the next block is read;
 * then any of its columns, n numbers each. TACHO_EDAMAGED when they are not what they should be.
 */
int zpayload_read(struct trace_private *p, uint64_t offset, struct zpayload *z);
int zpayload_times(struct trace_private *p, const struct zpayload *z, uint64_t *start,
		   uint64_t *end);
int zpayload_durations(struct trace_private *p, const struct zpayload *z, uint64_t *duration);
int zpayload_srclocs(struct trace_private *p, const struct zpayload *z, uint32_t *srcloc);
/* Room for the columns of a block that are decoded outside of the cache. */
struct zone_columns {
	uint64_t *start, *end; /* one allocation with srcloc */
	uint32_t *srcloc;
	uint32_t room;
};

int zone_columns_room(struct zone_columns *c, uint32_t n);
int zpayload_marks(struct trace_private *p, const struct zpayload *z, struct zone_marks *m);
void zone_marks_free(struct zone_marks *m);

/*
 * zpeek.c: columns [FIRST, END) of a block. TACHO_ENO: they cannot be read in place, which is
 * no error. peek_at() gives number I; nothing is checked but that it is read from the block.
 */
int zpeek_read(struct unpacker *u, const struct zpayload *z, uint32_t first, uint32_t end,
	       struct zpeek *peek);
void zpeek_free(struct zpeek *peek);
uint64_t peek_patched(const struct peek_column *c, uint32_t i, uint64_t value);

static inline uint64_t peek_at(const struct peek_column *c, uint32_t i)
{
	uint64_t value = c->base;

	for (unsigned k = 0; k < c->planes; k++) {
		unsigned narrow = c->narrow[k], byte = c->plane[k][i >> narrow];

		if (narrow) /* usually only high bytes and names are */
			byte = byte >> (i % (1u << narrow) * (8u >> narrow)) &
			       (0xffu >> (8 - (8u >> narrow)));
		value += (uint64_t)byte << c->shift[k];
	}
	return c->patch_count ? peek_patched(c, i, value) : value;
}

/* The same for N numbers from I on. */
static inline void peek_run(const struct peek_column *c, uint32_t i, uint32_t n, uint64_t *v)
{
	for (uint32_t j = 0; j < n; j++)
		v[j] = c->base;
	for (unsigned k = 0; k < c->planes; k++) {
		unsigned narrow = c->narrow[k], shift = c->shift[k], bits = 8u >> narrow;
		const uint8_t *plane = c->plane[k];

		if (!narrow)
			for (uint32_t j = 0; j < n; j++)
				v[j] += (uint64_t)plane[i + j] << shift;
		else
			for (uint32_t j = 0; j < n; j++)
				v[j] += (uint64_t)(plane[(i + j) >> narrow] >>
							   ((i + j) % (1u << narrow) * bits) &
						   (0xffu >> (8 - bits)))
					<< shift;
	}
	for (uint32_t j = 0; c->patch_count && j < n; j++)
		v[j] = peek_patched(c, i + j, v[j]);
}

/*
 * zblock.c: the block at OFFSET with at least COLUMNS decoded. A block that is damaged is noted in
 * trace->damage and comes back empty. zblock_put() gives it back. One that cannot be read
 * zone by zone comes back with .no_peek.
 */
int zblock_get(struct trace_private *p, uint64_t offset, uint32_t columns, struct zblock **block);
/* Says of a block that is held that its lane has so many of them. */
void zblock_of_lane(struct zblock *block, size_t blocks);
void zblock_put(struct trace_private *p, struct zblock *block);
void zblock_cache_free(struct trace_private *p);

/* True if segment S fits what was found in BLOCK. */
static inline bool segment_fits(const struct segment *s, const struct zblock *block)
{
	return s->first <= block->n && s->count <= block->n - s->first;
}

#endif
