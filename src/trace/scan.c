/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: which blocks the file has, by its index or by going through it. */
#include "base/fmt.h"
#include "base/limits.h"
#include "trace/reader.h"

#include <stdio.h>

/* A block may be met several times; beyond BAD_KNOWN of them the count may be too high. */
#define BAD_KNOWN 4096u

void damage_add(struct trace_private *p, uint64_t offset)
{
	struct trace_damage *d = &p->trace.damage;

	for (size_t i = 0; i < p->bad.n; i++)
		if (p->bad.v[i] == offset)
			return;
	/* Without memory for the note the block counts again when it is met again: no harm. */
	if (p->bad.n < BAD_KNOWN)
		(void)vec_push(&p->bad, offset);
	if (!d->bad_blocks++)
		d->bad_offset = offset;
	damage_text(p);
}

void damage_text(struct trace_private *p)
{
	struct trace_damage *d = &p->trace.damage;
	char zones[FMT_SIZE], rows[FMT_SIZE];
	int n = 0;

	d->text[0] = 0;
	if (d->unfinished)
		n += snprintf(d->text, sizeof(d->text), "the recorder did not close it");
	if (d->missing_bytes)
		n += snprintf(d->text + n, sizeof(d->text) - (size_t)n,
			      "%sthe last %llu bytes are not a whole block", n ? "; " : "",
			      (unsigned long long)d->missing_bytes);
	if (d->bad_blocks)
		n += snprintf(d->text + n, sizeof(d->text) - (size_t)n,
			      "%s%llu damaged blocks passed over, the first at byte %llu",
			      n ? "; " : "", (unsigned long long)d->bad_blocks,
			      (unsigned long long)d->bad_offset);
	if (d->missing_bytes && (size_t)n < sizeof(d->text))
		snprintf(d->text + n, sizeof(d->text) - (size_t)n,
			 "; recovered: %s zones, %s other events", fmt_count(zones, p->trace.zones),
			 fmt_count(rows, p->trace.rows));
}

int stats_load(struct trace_private *p, struct in *in)
{
	uint64_t used = in_limited(in, LIMIT_SRCLOCS);
	struct zone_sums *sums = calloc(p->srclocs.n + 1, sizeof(*sums));

	if (!sums)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < p->srclocs.n; i++)
		sums[i].min = UINT64_MAX;
	for (; used && !in->bad; used--) {
		uint64_t id = in_varint(in), low;
		struct zone_sums *s = &sums[id < p->srclocs.n ? id : 0];

		if (id >= p->srclocs.n)
			in->bad = true;
		s->count = in_varint(in);
		s->total = in_varint(in);
		s->children = in_varint(in);
		s->min = in_varint(in);
		s->max = in_varint(in);
		low = in_varint(in);
		s->squares = (unsigned __int128)in_varint(in) << 64 | low;
		s->unfinished = in_varint(in);
		if (s->children > s->total || (s->count && s->min > s->max))
			in->bad = true;
	}
	if (p->recursion_known) {
		for (uint64_t n = in_limited(in, LIMIT_SRCLOCS); n && !in->bad; n--) {
			uint64_t id = in_varint(in);
			struct zone_sums *s = &sums[id < p->srclocs.n ? id : 0];

			s->recursive = in_varint(in);
			if (id >= p->srclocs.n || s->recursive > s->total)
				in->bad = true;
		}
	}
	if (in->bad) {
		free(sums);
		return TACHO_EDAMAGED;
	}
	free(p->sums);
	p->sums = sums;
	p->sums_srclocs = p->srclocs.n;
	return 0;
}

/* ------------------------------------------------------------------ index */

/* Reads the block at OFFSET, which must be of TYPE, up to its payload. */
static int read_block(struct trace_private *p, uint64_t offset, uint16_t type, struct in *in)
{
	struct block b;
	int r = block_read(p->fd, offset, p->trace.file_size, &p->store, &b);

	if (r < 0)
		return r;
	if (b.type != type)
		return TACHO_EDAMAGED;
	return block_payload(p->unpacker, &p->store, &b, &p->unpacked, in);
}

/* An entry for a definitions block: DEFS collects their offsets. */
struct offsets {
	VEC(uint64_t);
};

/*
 * Segments of one block must be contiguous, so a hostile index cannot claim more than its file has
 * room for.
 */
static int read_segment(struct trace_private *p, struct in *in, uint16_t type, uint64_t offset,
			struct segment *s)
{
	uint32_t first = offset == s->offset ? s->first + s->count : 0;

	s->first = (uint32_t)in_limited(in, BLOCK_ITEMS_MAX);
	segment_read(in, s, s->track, s->start);
	s->offset = offset;
	if (in->bad || s->first != first || s->count > BLOCK_ITEMS_MAX - first)
		return TACHO_EDAMAGED;
	return lanes_add_segment(p, type, s);
}

static int read_entries(struct trace_private *p, struct in *in, uint64_t limit, uint64_t count,
			struct offsets *defs)
{
	struct segment s = {0};
	uint64_t offset = 0;
	int r = 0;

	for (; count && r == 0 && !in->bad; count--) {
		uint64_t type = in_varint(in), last = offset;

		offset += in_varint(in);
		if (offset < FILE_HEADER_SIZE || offset >= limit ||
		    (offset != last && offset - last < BLOCK_HEADER_SIZE))
			return TACHO_EDAMAGED;
		if (type == BLOCK_ZONES || type == BLOCK_ROWS)
			r = read_segment(p, in, (uint16_t)type, offset, &s);
		else if (type == BLOCK_DEFS)
			r = vec_push(defs, offset);
		else if (type >= BLOCK_TYPES)
			p->trace.damage.unknown_blocks++;
	}
	return r < 0 ? r : in->bad ? TACHO_EDAMAGED : 0;
}

/* The index blocks point back to each other: their offsets, last first. */
static int index_chain(struct trace_private *p, uint64_t offset, struct offsets *chain)
{
	struct in in;
	int r = 0;

	while (r == 0 && offset) {
		r = vec_push(chain, offset);
		if (r == 0)
			r = read_block(p, offset, BLOCK_INDEX, &in);
		if (r == 0) {
			uint64_t previous = in_varint(&in);

			if (in.bad || previous >= offset)
				return TACHO_EDAMAGED;
			offset = previous;
		}
	}
	return r;
}

static int index_read(struct trace_private *p, uint64_t offset, struct offsets *defs)
{
	uint64_t count, srclocs;
	struct in in;
	int r = read_block(p, offset, BLOCK_INDEX, &in);

	if (r < 0)
		return r;
	in_varint(&in);
	count = in_varint(&in);
	srclocs = in_limited(&in, LIMIT_SRCLOCS);
	if (srclocs > p->srclocs_needed)
		p->srclocs_needed = (uint32_t)srclocs;
	return read_entries(p, &in, offset, count, defs);
}

static int index_follow(struct trace_private *p, uint64_t index, uint64_t stats)
{
	struct offsets chain = {0}, defs = {0};
	struct in in;
	int r = index_chain(p, index, &chain);

	for (size_t i = chain.n; r == 0 && i-- > 0;)
		r = index_read(p, chain.v[i], &defs);
	for (size_t i = 0; r == 0 && i < defs.n; i++) {
		r = read_block(p, defs.v[i], BLOCK_DEFS, &in);
		if (r == 0)
			r = model_read(p, &in);
	}
	if (r == 0 && stats) {
		r = read_block(p, stats, BLOCK_STATS, &in);
		if (r == 0)
			r = stats_load(p, &in);
	}
	vec_free(&chain);
	vec_free(&defs);
	return r;
}

int index_load(struct trace_private *p)
{
	struct in trailer;
	int r;

	if (p->trace.file_size < FILE_HEADER_SIZE + TRAILER_SIZE)
		return TACHO_EDAMAGED;
	r = read_block(p, p->trace.file_size - TRAILER_SIZE, BLOCK_TRAILER, &trailer);
	if (r < 0)
		return r;
	if (in_left(&trailer) != TRAILER_PAYLOAD)
		return TACHO_EDAMAGED;
	return index_follow(p, le_get64(trailer.p), le_get64(trailer.p + 8));
}

/* ------------------------------------------------------------------- scan */

static int scan_directory_blocks(struct trace_private *p, const struct block *b, struct in *in)
{
	struct directory d;
	struct segment s = {0};
	int r = 0;

	p->pending.n = 0;
	directory_read(in, &d);
	for (uint32_t i = 0; r == 0 && !in->bad && i < d.segments; i++) {
		directory_next(in, &d, b->offset, &s);
		r = in->bad ? 0 : vec_push(&p->pending, s);
	}
	if (in->bad)
		return TACHO_EDAMAGED;
	for (size_t i = 0; r == 0 && i < p->pending.n; i++)
		r = lanes_add_segment(p, b->type, &p->pending.v[i]);
	if (b->type == BLOCK_ZONES && d.srclocs > p->srclocs_needed)
		p->srclocs_needed = d.srclocs;
	return r;
}

static int scan_checkpoint(struct trace_private *p, const struct block *b, struct in *in)
{
	uint64_t part = in_varint(in), parts = in_varint(in);

	/* Only with its last part it is a checkpoint; its offset is that of its first part's block.
	 */
	if (in->bad || part >= parts)
		return TACHO_EDAMAGED;
	if (part == 0)
		p->checkpoint_begin = b->offset;
	if (part == p->checkpoint_parts)
		p->checkpoint_parts++;
	else
		p->checkpoint_parts = part == 0;
	if (p->checkpoint_parts != parts)
		return 0;
	p->checkpoint = p->checkpoint_begin;
	p->checkpoint_end = b->offset + BLOCK_HEADER_SIZE + b->packed;
	p->checkpoint_sequence = b->sequence + 1;
	p->checkpoint_parts = 0;
	return 0;
}

/* Interprets the block in STORE. */
static int scan_block(struct trace_private *p, const struct block *b)
{
	struct in in;
	int r;

	p->trace.damage.unfinished = b->type != BLOCK_TRAILER;
	if (b->type == 0 || b->type >= BLOCK_TYPES || b->flags & ~BLOCK_FLAGS) {
		p->trace.damage.unknown_blocks++;
		return 0;
	}
	if (b->type == BLOCK_INDEX || b->type == BLOCK_TRAILER)
		return 0;
	r = block_payload(p->unpacker, &p->store, b, &p->unpacked, &in);
	if (r < 0)
		return r;
	switch (b->type) {
	case BLOCK_DEFS:
		return model_read(p, &in);
	case BLOCK_STATS:
		return stats_load(p, &in);
	case BLOCK_CHECKPOINT:
		return scan_checkpoint(p, b, &in);
	default:
		return scan_directory_blocks(p, b, &in);
	}
}

int file_scan(struct trace_private *p)
{
	p->trace.damage.unfinished = true;
	p->scan_end = FILE_HEADER_SIZE;
	return file_scan_on(p);
}

int file_scan_on(struct trace_private *p)
{
	uint64_t size = p->trace.file_size, at = p->scan_end;
	uint64_t budget = 2 * (size - at) + (16u << 20);
	struct block b;
	int r;

	while (at < size) {
		r = block_read(p->fd, at, size, &p->store, &b);
		if (r == TACHO_EDAMAGED) {
			r = block_resync(p->fd, at + 1, size, &budget, &p->store, &b);
			if (r == TACHO_ENO)
				break;
			if (r == 0)
				damage_add(p, at);
		}
		if (r == 0)
			r = scan_block(p, &b);
		if (r == TACHO_EDAMAGED)
			damage_add(p, b.offset);
		else if (r < 0)
			return r;
		at = p->scan_end = b.offset + BLOCK_HEADER_SIZE + b.packed;
		p->tail_offset = b.offset;
		memcpy(p->tail, p->store.data, sizeof(p->tail));
	}
	p->trace.damage.missing_bytes = size - p->scan_end;
	if (p->trace.damage.missing_bytes)
		p->trace.damage.unfinished = true;
	return 0;
}
