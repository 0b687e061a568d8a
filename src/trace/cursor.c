/* SPDX-License-Identifier: Apache-2.0 */
/* Zones of a lane in order, and zones of many lanes merged by start. */
#include "base/search.h"
#include "trace/reader.h"

struct trace_cursor {
	struct trace_private *p;
	uint64_t t0, t1;
	const struct segment *segment, *segment_end;
	uint32_t skip;                /* zones of the first segment to skip */
	struct zblock *block;         /* of segment - 1, or NULL */
	uint32_t zone, zone_end;      /* in the block */
	uint32_t mark;                /* the first of the block's marks at or after zone */
	const struct zone_mark *last; /* of the zone given last, or NULL */
	const uint8_t *recursive;     /* of the lane, of a file without marks; or NULL */
};

/* The first segment of a lane that ends after t0. Segments are sorted by start and by end. */
static const struct segment *segment_from(const struct segment *low, const struct segment *high,
					  uint64_t t0)
{
	while (low < high) {
		const struct segment *middle = low + (high - low) / 2;

		if (middle->end < t0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void cursor_init(struct trace_cursor *c, struct trace_private *p, uint32_t lane, uint64_t t0,
			uint64_t t1)
{
	const struct lane *l = p->trace.lanes[lane].private;

	memset(c, 0, sizeof(*c));
	c->p = p;
	c->t0 = t0;
	c->t1 = t1;
	c->recursive = l->recursive;
	c->segment_end = l->segments.v + l->segments.n;
	c->segment = segment_from(l->segments.v, c->segment_end, t0);
}

int trace_cursor_open(struct trace_cursor **cursor, struct trace *trace, uint32_t lane, uint64_t t0,
		      uint64_t t1)
{
	struct trace_cursor *c;

	if (lane >= trace->lane_count)
		return TACHO_EINTERNAL;
	c = malloc(sizeof(*c));
	if (!c)
		return TACHO_ENOMEM;
	cursor_init(c, private_of(trace), lane, t0, t1);
	*cursor = c;
	return 0;
}

/* Skips zones that end before t0: the first of the block by halving. */
static void cursor_skip(struct trace_cursor *c)
{
	const struct zone_marks *m = &c->block->marks;
	uint32_t low = c->zone, high = c->zone_end;

	SEARCH_FIRST(low, high, middle, c->block->end[middle] < c->t0);
	c->zone = low;
	for (c->mark = 0; c->mark < m->count && m->v[c->mark].zone < low; c->mark++)
		;
}

/* Decodes the next segment that overlaps. 1, 0 at the end, or an error. */
static int cursor_load(struct trace_cursor *c)
{
	const struct segment *s;
	int r;

	zblock_put(c->p, c->block);
	c->block = NULL;
	if (c->segment == c->segment_end)
		return 0;
	s = c->segment;
	if (s->start >= c->t1)
		return 0;
	c->segment++;
	r = zblock_get(c->p, s->offset, ZBLOCK_ALL, &c->block);
	if (r < 0)
		return r;
	c->zone = c->zone_end = 0;
	if (segment_fits(s, c->block)) {
		c->zone = s->first;
		c->zone_end = s->first + s->count;
		cursor_skip(c);
		if (c->skip) {
			const struct zone_marks *m = &c->block->marks;
			uint32_t left = c->zone_end - c->zone;

			c->zone += c->skip < left ? c->skip : left;
			while (c->mark < m->count && m->v[c->mark].zone < c->zone)
				c->mark++;
		}
	}
	c->skip = 0;
	return 1;
}

static void cursor_mark(struct trace_cursor *c, struct trace_zone *zone)
{
	const struct zone_marks *m = &c->block->marks;

	c->last = NULL;
	if (c->mark == m->count || m->v[c->mark].zone != c->zone)
		return;
	c->last = &m->v[c->mark++];
	zone->flags = c->last->flags;
	zone->extras = c->last->extras;
}

static bool bit_at(const void *bits, uint64_t i)
{
	return ((const uint8_t *)bits)[i / 8] >> i % 8 & 1;
}

static bool zone_is_recursive(const struct trace_cursor *c)
{
	const struct zone_marks *m = &c->block->marks;
	const struct segment *s = c->segment - 1;

	if (m->recursive.len)
		return bit_at(m->recursive.data, c->zone);
	return c->recursive && bit_at(c->recursive, s->zone + c->zone - s->first);
}

int trace_cursor_next(struct trace_cursor *c, struct trace_zone *zone)
{
	for (;;) {
		uint64_t start, end;

		while (!c->block || c->zone == c->zone_end) {
			int r = cursor_load(c);

			if (r <= 0)
				return r;
		}
		start = c->block->start[c->zone];
		end = c->block->end[c->zone];
		if (start >= c->t1)
			return 0;
		*zone = (struct trace_zone){start, end, c->block->srcloc[c->zone], 0, 0};
		cursor_mark(c, zone);
		if (zone_is_recursive(c))
			zone->flags |= TRACE_ZONE_RECURSIVE;
		c->zone++;
		/* A zone of no length that lies at t0 is inside, one that ends there is not. */
		if (end > c->t0 || start >= c->t0)
			return 1;
	}
}

int trace_cursor_extra(struct trace_cursor *c, uint32_t i, struct trace_extra *extra)
{
	if (!c->last || i >= c->last->extras)
		return TACHO_ENO;
	*extra = c->block->marks.extras[c->last->first_extra + i];
	return 0;
}

/* The last segment that begins at or before zone NUMBER of the lane. */
static const struct segment *segment_at(const struct segment *low, const struct segment *high,
					uint64_t number)
{
	while (high - low > 1) {
		const struct segment *middle = low + (high - low) / 2;

		if (middle->zone <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int trace_cursor_open_at(struct trace_cursor **cursor, struct trace *trace, uint32_t lane,
			 uint64_t number)
{
	int r = trace_cursor_open(cursor, trace, lane, 0, UINT64_MAX);
	struct trace_cursor *c;

	if (r < 0)
		return r;
	c = *cursor;
	if (number >= trace->lanes[lane].zones) {
		c->segment = c->segment_end;
		return 0;
	}
	c->segment = segment_at(c->segment, c->segment_end, number);
	c->skip = (uint32_t)(number - c->segment->zone);
	return 0;
}

uint64_t trace_cursor_number(const struct trace_cursor *c)
{
	const struct segment *s = c->segment - 1;

	return s->zone + c->zone - 1 - s->first;
}

void trace_cursor_close(struct trace_cursor *c)
{
	if (!c)
		return;
	zblock_put(c->p, c->block);
	free(c);
}

/* ------------------------------------------------------------------- walk */

/*
 * A heap of lanes by the start of their next zone; lanes that start together are in the order of
 * trace->lanes, which puts parents before children. A lane's cursor is opened when its turn comes,
 * so that short-lived threads do not all hold a block.
 */
struct walk_lane {
	struct trace_cursor *cursor; /* NULL: not yet opened; then zone.start is the lane's */
	struct trace_zone zone;
	uint32_t lane;
};

struct trace_walk {
	struct trace_private *p;
	uint64_t t0, t1;
	struct walk_lane *heap;
	uint32_t n;
	struct trace_cursor *last; /* of the zone given last: not yet moved on */
};

static bool walk_before(const struct walk_lane *a, const struct walk_lane *b)
{
	if (a->zone.start != b->zone.start)
		return a->zone.start < b->zone.start;
	return a->lane < b->lane;
}

static void heap_sink(struct trace_walk *w, uint32_t i)
{
	struct walk_lane item = w->heap[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= w->n)
			break;
		if (child + 1 < w->n && walk_before(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!walk_before(&w->heap[child], &item))
			break;
		w->heap[i] = w->heap[child];
		i = child;
	}
	w->heap[i] = item;
}

int trace_walk_open(struct trace_walk **walk, struct trace *trace, uint32_t track, uint64_t t0,
		    uint64_t t1)
{
	uint32_t first = 0, count = trace->lane_count;
	struct trace_walk *w = calloc(1, sizeof(*w));

	if (track != TRACE_NONE)
		trace_track_lanes(trace, track, &first, &count);
	if (w)
		w->heap = calloc(count + 1, sizeof(*w->heap));
	if (!w || !w->heap) {
		free(w);
		return TACHO_ENOMEM;
	}
	w->p = private_of(trace);
	w->t0 = t0;
	w->t1 = t1;
	for (uint32_t i = 0; i < count; i++) {
		const struct trace_lane_info *info = &trace->lanes[first + i];
		uint64_t start = info->start > t0 ? info->start : t0;

		if (info->start >= t1 || info->end < t0)
			continue;
		/* A zone that spans t0 starts before it: such a lane is opened at once. */
		if (info->start < t0)
			start = 0;
		w->heap[w->n++] = (struct walk_lane){.zone.start = start, .lane = first + i};
	}
	for (uint32_t i = w->n / 2; i-- > 0;)
		heap_sink(w, i);
	*walk = w;
	return 0;
}

/* Moves the top lane on to its next zone. */
static int walk_advance(struct trace_walk *w)
{
	struct walk_lane *top = &w->heap[0];
	int r = 0;

	if (!top->cursor)
		r = trace_cursor_open(&top->cursor, &w->p->trace, top->lane, w->t0, w->t1);
	if (r == 0)
		r = trace_cursor_next(top->cursor, &top->zone);
	if (r < 0)
		return r;
	if (r == 0) {
		trace_cursor_close(top->cursor);
		*top = w->heap[--w->n];
	}
	if (w->n)
		heap_sink(w, 0);
	return 0;
}

int trace_walk_next(struct trace_walk *w, struct trace_zone *zone, uint32_t *lane)
{
	int r = w->last ? walk_advance(w) : 0;

	w->last = NULL;
	while (r == 0 && w->n && !w->heap[0].cursor)
		r = walk_advance(w);
	if (r < 0 || !w->n)
		return r;
	*zone = w->heap[0].zone;
	*lane = w->heap[0].lane;
	w->last = w->heap[0].cursor;
	return 1;
}

struct trace_cursor *trace_walk_cursor(struct trace_walk *w)
{
	return w->last;
}

void trace_walk_close(struct trace_walk *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		trace_cursor_close(w->heap[i].cursor);
	free(w->heap);
	free(w);
}
