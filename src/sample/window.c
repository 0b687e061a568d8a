/* SPDX-License-Identifier: Apache-2.0 */
/* Times inside zones, for queries of samples and states; see window.h. */
#include "sample/window.h"

#include "base/search.h"

static int span_add(struct window *w, uint64_t start, uint64_t end)
{
	struct window_span s = {start, end};

	if (w->n && start <= w->v[w->n - 1].end) {
		if (end > w->v[w->n - 1].end)
			w->v[w->n - 1].end = end;
		return 0;
	}
	return vec_push(w, s);
}

/* The zones that are open during a walk, outermost first. */
struct segments {
	struct {
		VEC(struct window_segment);
	} open;
	uint64_t at; /* all before it was given */
	window_segment_fn *take;
	void *context;
};

/* The innermost zone owns the time until UNTIL; zones that end before it are left. */
static int segments_advance(struct segments *s, uint64_t until)
{
	int r = 0;

	while (r == 0 && s->open.n) {
		struct window_segment part = s->open.v[s->open.n - 1];
		bool ends = part.end <= until;

		part.start = s->at > part.start ? s->at : part.start;
		part.end = ends ? part.end : until;
		if (part.end > part.start)
			r = s->take(s->context, &part);
		s->at = part.end > s->at ? part.end : s->at;
		if (!ends)
			break;
		s->open.n--;
	}
	return r;
}

int window_segments(struct trace *trace, uint32_t track, uint64_t t0, uint64_t t1,
		    window_segment_fn *take, void *context)
{
	struct segments s = {.take = take, .context = context, .at = t0};
	struct trace_walk *walk;
	struct trace_zone z;
	uint32_t lane;
	int r = trace_walk_open(&walk, trace, track, t0, t1), taken = 0;

	if (r < 0)
		return r;
	while (taken == 0 && (r = trace_walk_next(walk, &z, &lane)) > 0) {
		struct window_segment open = {z.start, z.end < t1 ? z.end : t1, z.srcloc,
					      trace->lanes[lane].depth};

		taken = segments_advance(&s, z.start);
		if (taken == 0 && vec_push(&s.open, open) < 0)
			taken = TACHO_ENOMEM;
	}
	trace_walk_close(walk);
	if (r >= 0 && taken == 0)
		taken = segments_advance(&s, t1);
	vec_free(&s.open);
	return taken < 0 ? taken : r;
}

struct window_maker {
	struct window *w;
	const struct trace *trace;
	const struct profile_filter *filter;
};

static int window_part_add(void *context, const struct window_segment *part)
{
	const struct window_maker *m = context;
	const struct profile_filter *f = m->filter;
	uint64_t start = part->start > f->t0 ? part->start : f->t0;
	uint64_t end = part->end < f->t1 ? part->end : f->t1;

	if (part->srcloc >= m->trace->srcloc_count || !f->zones[part->srcloc] || start >= end ||
	    (f->level && f->level != part->depth + 1))
		return 0;
	return span_add(m->w, start, end);
}

static int window_zones_add(struct window_maker *m, struct trace *trace, uint32_t track)
{
	struct trace_walk *walk;
	struct trace_zone z;
	uint32_t lane;
	int r = trace_walk_open(&walk, trace, track, m->filter->t0, m->filter->t1), added = 0;

	if (r < 0)
		return r;
	while (added == 0 && (r = trace_walk_next(walk, &z, &lane)) > 0) {
		struct window_segment whole = {z.start, z.end, z.srcloc, trace->lanes[lane].depth};

		added = window_part_add(m, &whole);
	}
	trace_walk_close(walk);
	return added < 0 ? added : r;
}

int window_make(struct window *w, struct trace *trace, uint32_t track,
		const struct profile_filter *filter)
{
	struct window_maker m = {w, trace, filter};
	int r;

	*w = (struct window){0};
	if (!filter->zones)
		return span_add(w, filter->t0, filter->t1);
	if (filter->self)
		r = window_segments(trace, track, filter->t0, filter->t1, window_part_add, &m);
	else
		r = window_zones_add(&m, trace, track);
	if (r < 0)
		window_free(w);
	return r < 0 ? r : 0;
}

void window_free(struct window *w)
{
	vec_free(w);
}

/* The first span that ends after TIME. */
static size_t window_first(const struct window *w, uint64_t time)
{
	size_t low = 0, high = w->n;

	SEARCH_FIRST(low, high, middle, w->v[middle].end <= time);
	return low;
}

bool window_has(const struct window *w, uint64_t time)
{
	size_t i = window_first(w, time);

	return i < w->n && w->v[i].start <= time;
}

uint64_t window_overlap(const struct window *w, uint64_t start, uint64_t end)
{
	uint64_t sum = 0;

	for (size_t i = window_first(w, start); i < w->n && w->v[i].start < end; i++) {
		uint64_t from = w->v[i].start > start ? w->v[i].start : start;
		uint64_t to = w->v[i].end < end ? w->v[i].end : end;

		sum += to > from ? to - from : 0;
	}
	return sum;
}
