/* SPDX-License-Identifier: Apache-2.0 */
/* Positions in streams, and returning memory to the program. */
#include "ring/stream.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void ring_stream_position(const struct ring_stream *s, struct ring_position *position)
{
	const char *base = (const char *)s->segment;

	if (stream_on_page(s))
		base -= RING_SEG_SIZE - RING_PAGE_SIZE;
	if (s->parts.n) { /* a recorder that takes over must read the string from its begin */
		*position = s->parts_start;
		position->skip = s->since_parts + s->skip;
		return;
	}
	position->skip = s->skip;
	position->extent = s->extent;
	position->offset = (uint32_t)(s->at - base);
	position->sequence = s->sequence;
	position->time = s->time;
}

bool ring_stream_seek(struct ring_stream *s, const struct ring_position *p)
{
	uint32_t low = p->extent == s->page_extent
			       ? RING_SEG_SIZE - RING_PAGE_SIZE + (uint32_t)sizeof(struct ring_page)
			       : (uint32_t)sizeof(struct ring_segment);

	if (p->offset < low || p->offset > RING_SEG_SIZE || p->offset % 8)
		return false;
	if (p->extent == s->page_extent)
		s->at = (const char *)s->page + p->offset - (RING_SEG_SIZE - RING_PAGE_SIZE);
	else if (!segment_enter(s, p->extent, p->offset) || s->sequence != p->sequence)
		return false;
	s->time = p->time;
	s->skip = p->skip;
	return true;
}

uint64_t ring_unreleased(const struct ring_reader *r)
{
	return r->unreleased;
}

/*
 * Returned extents: neighbours are discarded together. Otherwise pages already read would count as
 * the recorder's memory for as long as they are mapped.
 */
struct forget {
	uint64_t from, to; /* offsets in the file */
};

static void forget_now(struct ring_reader *r, struct forget *f)
{
	if (f->to > f->from)
		madvise(r->base + f->from, f->to - f->from, MADV_DONTNEED);
	f->from = f->to = 0;
}

/* Zeroes an extent and returns it to the program. */
static void give_back(struct ring_reader *r, struct forget *f, uint32_t extent, uint64_t offset,
		      size_t size)
{
	memset(r->base + offset, 0, size);
	if (offset != f->to + (RING_STRIDE - RING_SEG_SIZE) || !f->to) {
		forget_now(r, f);
		f->from = offset;
	}
	f->to = offset + size;
	atomic_store_explicit(&r->table[extent].state, RING_EXTENT_FREE, memory_order_release);
}

static void release_stream(struct ring_stream *s, struct forget *f)
{
	struct ring_reader *r = s->reader;

	if (s->number == 0)
		return; /* names are read again when a recorder takes over */
	if (s->parts.n && !s->finished)
		return; /* so is a string that has only begun */
	for (size_t i = 0; i < s->consumed.n; i++)
		give_back(r, f, s->consumed.v[i], ring_segment_offset(s->consumed.v[i]),
			  RING_SEG_SIZE);
	s->consumed.n = 0;
	if (!s->finished || s->bad)
		return;
	if (!stream_on_page(s) && !s->tainted)
		give_back(r, f, s->extent, ring_segment_offset(s->extent), RING_SEG_SIZE);
	if (stream_on_page(s) && s->tainted)
		return; /* permanent: neither read nor used again */
	give_back(r, f, s->page_extent, ring_page_offset(s->page_extent), RING_PAGE_SIZE);
	r->known[s->page_extent] = false;
}

uint64_t ring_trim(struct ring_reader *r, uint64_t keep)
{
	uint32_t extents = atomic_load_explicit(&r->header->extents, memory_order_acquire);
	uint64_t spare = 0, given = 0, bytes;

	/* A sealed process cannot take memory again. */
	if (r->shrunk || atomic_load_explicit(&r->header->sealed, memory_order_relaxed))
		return 0;
	if (extents > r->max_extents)
		extents = r->max_extents;
	/* Keeps the first free ones: a program searches from the lowest. */
	for (uint32_t i = 0; i < extents; i++) {
		uint32_t state = RING_EXTENT_FREE;

		if (atomic_load_explicit(&r->table[i].state, memory_order_relaxed) != state)
			continue;
		bytes = r->table[i].reserved == RING_EXTENT_PAGE ? RING_PAGE_SIZE : RING_SEG_SIZE;
		spare += bytes;
		if (spare <= keep ||
		    !atomic_compare_exchange_strong(&r->table[i].state, &state, RING_EXTENT_BUSY))
			continue;
		/*
		 * The whole stride: a file system with large folios, such as ext4, allocates the
		 * unused half too. On failure the stride is only lost for this session.
		 */
		if (fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)(r->offset + RING_DATA + (uint64_t)i * RING_STRIDE),
			      RING_STRIDE) == 0) {
			given += bytes;
			atomic_store_explicit(&r->table[i].state, RING_EXTENT_EMPTY,
					      memory_order_release);
		}
	}
	return given;
}

uint64_t ring_bytes(const struct ring_reader *r)
{
	uint64_t most = r->length ? (uint64_t)r->max_extents * RING_SEG_SIZE : UINT64_MAX, bytes;
	struct stat st;

	bytes = fstat(r->fd, &st) < 0 ? 0 : (uint64_t)st.st_blocks * 512;
	return bytes < most ? bytes : most; /* other areas share the pool's file */
}

bool ring_is_area(const struct ring_reader *r)
{
	return r->length != 0;
}

void ring_release(struct ring_reader *r)
{
	struct forget f = {0};
	size_t kept = 0;

	for (size_t i = 0; i < r->streams.n; i++) {
		struct ring_stream *s = r->streams.v[i];

		if (!r->shrunk)
			release_stream(s, &f);
		if (s->finished && s->number != 0 && !s->bad)
			stream_free(s);
		else
			r->streams.v[kept++] = s;
	}
	if (!r->shrunk)
		forget_now(r, &f);
	r->streams.n = kept;
	r->unreleased = 0;
}
