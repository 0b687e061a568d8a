/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the parts of the writer.
 *
 * Zones wait in their lane, rows in their track, definitions in one buffer, until a block is full,
 * too much is buffered, or a checkpoint is due. Every block goes through writer_block(), which
 * writes the definitions made so far before it: a file cut after any block is self-contained.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include "base/vec.h"
#include "trace/pack.h"
#include "trace/sums.h"
#include "trace/trace.h"

/* An attachment that waits: texts are in lane_extras.text. */
struct pending_extra {
	uint32_t zone; /* index in the lane's buffer */
	uint32_t kind;
	uint64_t value; /* or the text's length */
};

struct pending_flags {
	uint32_t zone;
	uint32_t flags;
};

/* Members that most lanes never need. */
struct lane_extras {
	struct {
		VEC(struct wide);
	} gaps, durations; /* that 32 bits do not hold */
	struct {
		VEC(struct pending_extra);
	} extras;
	struct {
		VEC(struct pending_flags);
	} flags;
	struct buf text;
};

struct trace_lane {
	uint64_t end;   /* of the last zone */
	uint64_t start; /* of the first buffered zone */
	uint32_t n, cap;
	uint32_t *memory; /* of the three columns below, cap entries each */
	uint32_t *gap;
	uint32_t *duration;
	uint32_t *srcloc;
	struct lane_extras *extras; /* NULL until the lane's first */
	uint8_t *recursive;         /* a bit for each zone of a full buffer; NULL: none ever was */
	uint32_t recursive_count;
	uint32_t track, depth;
};

struct row_buffer {
	struct {
		VEC(struct trace_row); /* text pointers are not used: texts are in TEXT in order */
	} rows;
	struct buf text;
	uint32_t track;
	bool listed; /* in writer.row_holders */
};

struct writer_track {
	struct {
		VEC(struct trace_lane *);
	} lanes; /* by depth */
	struct row_buffer *rows;
	bool ledger_changed;
	struct trace_ledger ledger;
};

struct srcloc_slot {
	uint64_t hash[2]; /* of the whole content: equal hashes are taken for equal contents */
	uint32_t id;
	bool used;
};

struct trace_writer {
	char *path, *part;
	int fd;
	struct trace_writer_options options;
	struct tacho_error error; /* code != 0: sticky */
	uint8_t uuid[16];

	struct buf out;    /* whole blocks that are not yet given to the kernel */
	uint64_t offset;   /* in the file where out begins */
	bool cut;          /* another process has changed the file's size */
	uint64_t sequence; /* of the next block */
	struct buf payload, packed;
	struct packer *packer;

	struct buf defs;
	uint32_t process_count, track_count, srcloc_count, absent_count;
	struct {
		VEC(struct writer_track);
	} tracks;
	struct {
		VEC(struct zone_sums);
	} sums;
	struct srcloc_slot *slots; /* open addressing; a power of two */
	size_t slot_count;

	struct {
		VEC(struct trace_lane *);
	} holders, small; /* lanes that have a buffer; those that wait for a common block */
	bool crowded;     /* a flush gives buffers back */
	struct {
		VEC(struct row_buffer *);
	} row_holders;
	size_t buffered;    /* bytes of lane and row buffers */
	size_t extra_bytes; /* of attachments since the last flush of all lanes */
	uint64_t zones, rows, moved;
	uint64_t features; /* compatible ones, of the header */

	struct buf index; /* entries of the index block that is being filled */
	struct index_state {
		uint64_t entries, offset, start;
		uint32_t track;
	} index_last;
	uint64_t index_previous; /* offset of the last index block written, or 0 */

	void *state; /* of the checkpoint that was resumed */
};

/* All but the file. NULL: no memory. */
void writer_lock(const struct trace_writer *w);
struct trace_writer *writer_new(const char *path, const struct trace_writer_options *options);

/* Keeps the first error; returns the sticky code. */
int writer_fail(struct trace_writer *w, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int writer_no_memory(struct trace_writer *w);
/* Writes the file's header, again. */
int writer_head(const struct trace_writer *w);

/* Appends a block; PACK: zstd. Definitions that wait are written in front of it. */
int writer_block(struct trace_writer *w, enum block_type type, const void *payload, size_t len,
		 bool pack);
int writer_flush_defs(struct trace_writer *w);
/* Gives OUT to the kernel. */
int writer_push(struct trace_writer *w);

/* The offset that the next zone or row block will have; definitions are written first. */
int writer_next_offset(struct trace_writer *w, uint64_t *offset);

/*
 * Zones or rows for one block when the file has TOTAL of them. The blocks of a young file are
 * small: a file that is cut loses a whole block, which should not be all that it has.
 */
static inline uint32_t block_items(uint64_t total, uint32_t most)
{
	return total / 8 < 128 ? 128 : total / 8 < most ? (uint32_t)(total / 8) : most;
}

/* lane.c */
int lanes_flush(struct trace_writer *w);
void lane_free(struct trace_lane *lane);
/* rowbuf.c */
int row_buffers_flush(struct trace_writer *w);
void row_buffer_free(struct row_buffer *b);

/* index.c */
struct segment;
void index_add(struct trace_writer *w, enum block_type type, uint64_t offset,
	       const struct segment *s);
int index_flush(struct trace_writer *w);

/* define.c: the id of a source location; *KNOWN: it had one before. */
int64_t srcloc_intern(struct trace_writer *w, const struct trace_srcloc *s, bool *known);

/* defs.c */
void defs_add_srcloc(struct buf *b, uint32_t id, const struct trace_srcloc *s);
void defs_add_process(struct buf *b, uint32_t id, const struct trace_process *p);
void defs_add_track(struct buf *b, uint32_t id, const struct trace_track *t);
void defs_add_property(struct buf *b, const char *key, const char *value);
void defs_add_clock_point(struct buf *b, const struct trace_clock_point *p);
void defs_add_absent(struct buf *b, uint32_t id, const struct trace_absent *a);
void defs_add_open_zones(struct buf *b, const struct trace_open_zone *v, size_t count);
void defs_add_ledger(struct buf *b, uint32_t track, const struct trace_ledger *l);

#endif
