/* SPDX-License-Identifier: Apache-2.0 */
/* Move from one segment of a stream to the next. */
#include "ring/stream.h"

bool segment_enter(struct ring_stream *s, uint32_t extent, uint32_t offset)
{
	struct ring_reader *r = s->reader;
	struct ring_segment *segment;

	if (extent >= r->max_extents ||
	    atomic_load_explicit(&r->table[extent].state, memory_order_acquire) !=
		    RING_EXTENT_SEGMENT)
		return false;
	segment = (struct ring_segment *)(r->base + ring_segment_offset(extent));
	if (__atomic_load_n(&segment->magic, __ATOMIC_ACQUIRE) != RING_SEG_MAGIC ||
	    segment->extent != extent || segment->thread != s->number)
		return false;
	s->segment = segment;
	s->at = (const char *)segment + offset;
	s->end = (const char *)segment + RING_SEG_SIZE;
	s->extent = extent;
	s->sequence = segment->sequence;
	s->stuck = 0;
	s->tainted = false;
	return true;
}

int segment_next(struct ring_stream *s)
{
	uint32_t next = atomic_load_explicit(&s->segment->next, memory_order_acquire);
	uint64_t was = s->sequence;

	if (next == 0)
		return 0;
	if (!stream_on_page(s) && !s->tainted && vec_push(&s->consumed, s->extent) == 0)
		s->reader->unreleased += RING_SEG_SIZE;
	if (!segment_enter(s, next - 1, sizeof(struct ring_segment)))
		return -1;
	if (s->sequence <= was)
		return -1;
	s->time = s->segment->ticks;
	return 1;
}
