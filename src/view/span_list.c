/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of time in order: added one by one, searched, summed and drawn. For the viewer's locks. */
#include "view/span_list.h"
#include "base/search.h"
#include "view/lane_numbers.h"
#include "view/tiles.h"

void spans_begin(struct spans *s, uint64_t time, uint32_t thread, bool shared)
{
	if (s->is_open)
		return;
	s->is_open = true;
	s->open = (struct span){
		.start = time, .thread = thread, .mark = SPAN_NO_MARK, .shared = shared};
}

void spans_restart(struct spans *s, uint64_t time)
{
	if (s->is_open)
		s->open.start = time;
}

uint64_t spans_total(const struct spans *s)
{
	const struct span *last = s->n ? &s->v[s->n - 1] : NULL;

	return last ? last->before + last->end - last->start : 0;
}

int spans_end(struct spans *s, uint64_t time)
{
	struct span *o = &s->open;

	if (!s->is_open)
		return 0;
	s->is_open = false;
	if (s->n && o->start < s->v[s->n - 1].end)
		o->start = s->v[s->n - 1].end;
	o->end = time > o->start ? time : o->start;
	o->before = spans_total(s);
	if (o->end - o->start > s->longest)
		s->longest = o->end - o->start;
	return spill_push(s, *o) < 0 ? TACHO_ENOMEM : peaks_add(&s->lengths, o->end - o->start);
}

size_t spans_memory(const struct spans *s)
{
	return spill_memory(&s->store) + peaks_memory(&s->lengths);
}

void spans_free(struct spans *s)
{
	spill_free(s);
	peaks_free(&s->lengths);
}

/* The first from LOW on that starts at or after T. Nearby ones are found fastest. */
static size_t span_list_start_find(const struct spans *s, size_t low, uint64_t t)
{
	size_t step = 1, high = low;

	while (high < s->n && s->v[high].start < t) {
		low = high + 1;
		high += step;
		step *= 2;
	}
	high = high < s->n ? high : s->n;
	SEARCH_FIRST(low, high, middle, s->v[middle].start < t);
	return low;
}

static uint64_t span_list_length_of(const void *context, uint64_t i)
{
	const struct spans *s = context;

	return s->v[i].end - s->v[i].start;
}

struct spans_figures spans_figures(const struct spans *s, uint64_t t0, uint64_t t1)
{
	size_t first = span_list_start_find(s, 0, t0), end = span_list_start_find(s, first, t1);
	struct spans_figures f = {.count = end - first};

	if (f.count) {
		f.total =
			s->v[end - 1].before + span_list_length_of(s, end - 1) - s->v[first].before;
		f.longest = peaks_max(&s->lengths, first, end, span_list_length_of, s);
	}
	return f;
}

size_t spans_before(const struct spans *s, uint64_t t)
{
	return span_list_start_find(s, 0, t);
}

/* Ticks before T that they cover. */
static uint64_t covered_before(const struct spans *s, uint64_t t)
{
	size_t i = spans_before(s, t);
	const struct span *last = i ? &s->v[i - 1] : NULL;
	uint64_t covered = last ? last->before + (last->end < t ? last->end : t) - last->start : 0;

	if (s->is_open && s->open.start < t)
		covered += t - s->open.start;
	return covered;
}

uint64_t spans_covered(const struct spans *s, uint64_t t0, uint64_t t1)
{
	return t1 > t0 ? covered_before(s, t1) - covered_before(s, t0) : 0;
}

size_t spans_find(const struct spans *s, uint64_t t)
{
	size_t i = span_list_start_find(s, 0, t);

	return i && s->v[i - 1].end > t ? i - 1 : i;
}

static int item_add(struct trace_lod_item item, struct trace_lod_item **items, size_t *count,
		    size_t *cap)
{
	if (vec_grow((void **)items, cap, *count + 1, sizeof(item)) < 0)
		return TACHO_ENOMEM;
	(*items)[(*count)++] = item;
	return 0;
}

/* Spans [i, j) as one item. */
static struct trace_lod_item item_of(const struct spans *s, uint32_t name, size_t i, size_t j)
{
	const struct span *first = &s->v[i], *last = &s->v[j - 1];

	return (struct trace_lod_item){
		.start = first->start,
		.end = last->end,
		.count = j - i,
		.busy = last->before - first->before + (last->end - last->start),
		.index = i,
		.srcloc = name + first->shared,
	};
}

int spans_query(const struct spans *s, uint32_t name, uint64_t now, uint64_t t0, uint64_t t1,
		struct trace_lod_item **items, size_t *count, size_t *cap)
{
	const double pixel = (double)(t1 - t0) / VIEW_TILE;
	size_t i = spans_find(s, t0), j;
	int r = 0;

	for (; r == 0 && i < s->n && s->v[i].start < t1; i = j) {
		const struct span *first = &s->v[i];
		double x = first->start > t0 ? (double)(first->start - t0) / pixel : 0;
		uint64_t edge = t0 + (uint64_t)(((double)(uint64_t)x + 1) * pixel);

		j = i + 1;
		if ((double)(first->end - first->start) < pixel) {
			j = span_list_start_find(s, j, edge < t1 ? edge : t1);
			if (j > i + 1 && (double)(s->v[j - 1].end - s->v[j - 1].start) >= pixel)
				j--;
		}
		r = item_add(item_of(s, name, i, j), items, count, cap);
	}
	if (r == 0 && s->is_open && s->open.start < t1 && now > t0 && now >= s->open.start)
		r = item_add((struct trace_lod_item){s->open.start, now, 1, now - s->open.start,
						     VIEW_OPEN, name + s->open.shared},
			     items, count, cap);
	return r;
}
