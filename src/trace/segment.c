/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of the file: which block holds which part of which lane. */
#include "trace/segment.h"
#include "base/limits.h"

void segment_add(struct buf *b, const struct segment *s, uint32_t last_track, uint64_t last_start)
{
	add_varint(b, zigzag_encode((int64_t)s->track - last_track));
	add_varint(b, s->depth);
	add_varint(b, s->count);
	add_varint(b, zigzag_encode((int64_t)(s->start - last_start)));
	add_varint(b, s->end - s->start);
}

void segment_read(struct in *in, struct segment *s, uint32_t last_track, uint64_t last_start)
{
	uint64_t track = last_track + (uint64_t)zigzag_decode(in_varint(in));

	s->depth = (uint32_t)in_limited(in, LIMIT_ZONE_DEPTH);
	s->count = (uint32_t)in_limited(in, BLOCK_ITEMS_MAX);
	s->start = last_start + (uint64_t)zigzag_decode(in_varint(in));
	s->end = s->start + in_varint(in);
	s->track = (uint32_t)track;
	if (track >= LIMIT_TRACKS || s->end < s->start || s->count == 0)
		in->bad = true;
}

void directory_add(struct buf *b, uint32_t srclocs, const struct segment *s, size_t count)
{
	uint64_t last_start = 0;
	uint32_t last_track = 0;

	add_varint(b, srclocs);
	add_varint(b, count);
	for (size_t i = 0; i < count; i++) {
		segment_add(b, &s[i], last_track, last_start);
		last_track = s[i].track;
		last_start = s[i].start;
	}
}

void directory_read(struct in *in, struct directory *d)
{
	d->srclocs = (uint32_t)in_limited(in, LIMIT_SRCLOCS);
	d->segments = (uint32_t)in_limited(in, BLOCK_ITEMS_MAX);
	d->items = 0;
}

void directory_next(struct in *in, struct directory *d, uint64_t offset, struct segment *s)
{
	segment_read(in, s, s->track, s->start);
	s->offset = offset;
	s->first = d->items;
	d->items += s->count;
	if (d->items > BLOCK_ITEMS_MAX)
		in->bad = true;
}
