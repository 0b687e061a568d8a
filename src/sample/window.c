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

int window_make(struct window *w, struct trace *trace, uint32_t track, uint64_t t0, uint64_t t1,
		const uint8_t *srclocs)
{
	struct trace_walk *walk;
	struct trace_zone z;
	uint32_t lane;
	int r;

	*w = (struct window){0};
	if (!srclocs)
		return span_add(w, t0, t1);
	r = trace_walk_open(&walk, trace, track, t0, t1);
	if (r < 0)
		return r;
	while ((r = trace_walk_next(walk, &z, &lane)) > 0) {
		if (z.srcloc >= trace->srcloc_count || !srclocs[z.srcloc])
			continue;
		r = span_add(w, z.start > t0 ? z.start : t0, z.end < t1 ? z.end : t1);
		if (r < 0)
			break;
	}
	trace_walk_close(walk);
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
