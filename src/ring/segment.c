/* Windows on a ring file, and the way from one segment of a stream to the next. */
#include "ring/stream.h"

#include <sys/mman.h>

bool window_open(struct ring_reader *r, struct window *w, uint64_t offset, size_t size,
		 int protection, int flags)
{
	void *p = mmap(NULL, size, protection, MAP_SHARED | flags, r->fd, (off_t)offset);

	if (p == MAP_FAILED)
		return false;
	w->base = p;
	w->size = size;
	guard_add(&w->guard, p, size, &r->shrunk);
	return true;
}

void window_close(struct window *w)
{
	if (!w->base)
		return;
	guard_remove(&w->guard);
	munmap(w->base, w->size);
	w->base = NULL;
}

/* ------------------------------------------------------------- segments */

bool segment_enter(struct ring_stream *s, uint32_t extent, uint32_t offset)
{
	struct ring_reader *r = s->reader;
	struct ring_segment *segment;
	struct window old = s->window, w = {0};

	if (extent >= r->max_extents ||
	    atomic_load_explicit(&r->table[extent].state, memory_order_acquire) !=
		    RING_EXTENT_SEGMENT)
		return false;
	if (!window_open(r, &w, ring_segment_offset(extent), RING_SEG_SIZE, PROT_READ | PROT_WRITE,
			 MAP_POPULATE))
		return false;
	segment = (struct ring_segment *)w.base;
	if (__atomic_load_n(&segment->magic, __ATOMIC_ACQUIRE) != RING_SEG_MAGIC ||
	    segment->extent != extent || segment->thread != s->number) {
		window_close(&w);
		return false;
	}
	/* The guard's list points into the struct: move by closing and opening its entry. */
	if (old.base)
		window_close(&s->window);
	guard_remove(&w.guard);
	s->window.base = w.base;
	s->window.size = w.size;
	guard_add(&s->window.guard, w.base, w.size, &r->shrunk);
	s->segment = segment;
	s->at = w.base + offset;
	s->end = w.base + RING_SEG_SIZE;
	s->extent = extent;
	s->sequence = segment->sequence;
	s->stuck = 0;
	s->tainted = false;
	return true;
}

static void leave_segment(struct ring_stream *s)
{
	if (stream_on_page(s) || s->tainted)
		return;
	if (vec_push(&s->consumed, s->extent) == 0)
		s->reader->unreleased += RING_SEG_SIZE;
}

int segment_next(struct ring_stream *s)
{
	uint32_t next = atomic_load_explicit(&s->segment->next, memory_order_acquire);
	uint64_t was = s->sequence;

	if (next == 0)
		return 0;
	leave_segment(s);
	if (!segment_enter(s, next - 1, sizeof(struct ring_segment)))
		return -1;
	if (s->sequence <= was)
		return -1;
	s->time = s->segment->ticks;
	return 1;
}
