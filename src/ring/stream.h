/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the parts of the reader of rings.
 *	reader.c	a process's ring file and its streams
 *	segment.c	move from one segment to the next
 *	record.c	records with payload, and strings in several parts
 *	read.c		events, in the order of a stream
 *	release.c	positions in streams, and returned memory
 */
#ifndef RING_STREAM_H
#define RING_STREAM_H

#include "base/vec.h"
#include "ring/guard.h"
#include "ring/identity.h"
#include "ring/ring.h"

/* The start of a long string whose end is pending. */
struct parts {
	uint32_t group;
	uint32_t age; /* events since; a string without an end is dropped */
	VEC(char);    /* the text so far */
	bool cut;     /* longer than LIMIT_TEXT */
};

struct ring_stream {
	struct ring_reader *reader;
	uint64_t number;
	struct ring_page *page;
	struct ring_segment *segment; /* in use: the page's or one of its own */
	const char *at, *end;         /* next word, end of the words */
	uint32_t extent, page_extent;
	uint64_t sequence;
	uint64_t time;
	unsigned stuck;       /* reads that found nothing */
	uint64_t stuck_since; /* ticks of the first word seen after an unwritten claim */
	bool tainted; /* a claim in this segment was given up: its owner may still write to it */
	bool finished, bad;
	struct {
		VEC(uint32_t);
	} consumed; /* extents to return */
	struct {
		VEC(struct parts);
	} parts;
	struct ring_position parts_start; /* of the first of them */
	uint64_t since_parts;             /* events after it that were returned */
	uint64_t skip;                    /* events to skip: an earlier recorder had them */
	struct {
		VEC(uint64_t);
	} scratch; /* payload of the events of one ring_read() */
	struct {
		VEC(char);
	} text; /* their strings */
	void *user;
};

struct ring_reader {
	int fd;
	char *name;
	uint64_t offset; /* its offset in the file: not 0 in the pool */
	uint64_t length; /* an area of the pool: its size; 0: all of the file */
	struct ring_header copy;
	char *base; /* the whole file, mapped: only touched memory counts as ours */
	size_t size;
	struct guard_range guard;
	struct ring_header *header;
	struct ring_extent *table;
	uint32_t max_extents;
	bool *known; /* per extent: it is the thread page of a stream, or must never be one again */
	uint32_t threads_seen;
	struct {
		VEC(struct ring_stream *);
	} streams;
	struct identity identity;
	bool dead, replaced;
	volatile bool shrunk;
	uint64_t unreleased;
};

/* Loads a word that the program may be writing now. */
static inline uint64_t stream_load(const char *at)
{
	return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

/* True if the current segment is the thread page. */
static inline bool stream_on_page(const struct ring_stream *s)
{
	return s->extent == s->page_extent;
}

/* ---- reader.c */
void stream_free(struct ring_stream *s);

/* ---- pool.c */
/* The area named NAME; false if its process no longer has it. */
bool pool_area_named(const struct ring_session *s, const char *name, uint32_t *area);

/* ---- segment.c */
/* Enters the segment EXTENT; false if it is not a segment of this stream. */
bool segment_enter(struct ring_stream *s, uint32_t extent, uint32_t offset);
/* Enters the next segment. 1: done, 0: not linked yet, -1: corrupt. */
int segment_next(struct ring_stream *s);

/* ---- record.c */
/*
 * Copies a record's payload and checks it. 1: an event, 0: consumed silently, -1: corrupt, -2: out
 * of memory. Its pointers are indices until record_fix_pointers(): the memory may move.
 */
int record_take(struct ring_stream *s, struct ring_event *e, uint64_t word);
void record_fix_pointers(struct ring_stream *s, struct ring_event *events, size_t count);
/* The thread may have jumped out of the middle of a long string: drops parts that are too old. */
void parts_age(struct ring_stream *s, size_t events);
void parts_free(struct ring_stream *s);

#endif
