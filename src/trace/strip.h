/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: pixels of a view. Zones of a lane do not overlap, so what lies whole inside a zone is
 * covered by nothing else.
 */
#ifndef TRACE_STRIP_H
#define TRACE_STRIP_H

#include "base/vec.h"
#include "trace/trace.h"

#define STRIP_TOUCHED 1e-6f /* what a zone of no length covers */

static inline bool strip_fits(const struct trace_strip *s)
{
	return s->t1 > s->t0 && s->t1 - s->t0 <= INT64_MAX && s->width &&
	       s->width <= TRACE_STRIP_WIDTH;
}

/* Where a time lies, from 0 to the width. */
static inline double strip_place(const struct trace_strip *s, double per_tick, uint64_t t)
{
	if (t <= s->t0)
		return 0;
	return t >= s->t1 ? s->width : (double)(int64_t)(t - s->t0) * per_tick;
}

static inline void strip_part(struct trace_strip *s, uint32_t i, float part, uint32_t name)
{
	s->busy[i] += part + STRIP_TOUCHED;
	if (name != TRACE_NONE && part > s->lead[i]) {
		s->lead[i] = part;
		s->name[i] = name;
	}
}

/* Spreads SHARE of each pixel between two places. */
static inline void strip_cover(struct trace_strip *s, double x0, double x1, float share,
			       uint32_t name)
{
	uint32_t first = (uint32_t)x0, last = (uint32_t)x1;

	if (first >= s->width)
		first = s->width - 1;
	if (last >= s->width)
		last = s->width - 1;
	s->any = true;
	if (first == last) {
		strip_part(s, first, (float)(x1 - x0) * share, name);
		return;
	}
	strip_part(s, first, (float)(first + 1 - x0) * share, name);
	for (uint32_t i = first + 1; i < last; i++)
		s->busy[i] = share + STRIP_TOUCHED;
	if (name != TRACE_NONE)
		for (uint32_t i = first + 1; i < last; i++) {
			s->lead[i] = share;
			s->name[i] = name;
		}
	if (x1 > last)
		strip_part(s, last, (float)(x1 - last) * share, name);
}

/*
 * Zones that are smaller than a pixel: BUSY ticks of those from START to END. Nearly always they
 * are in one pixel or in two.
 */
static inline void strip_small(struct trace_strip *s, double per_tick, uint64_t start, uint64_t end,
			       uint64_t busy)
{
	double x0 = strip_place(s, per_tick, start), x1 = strip_place(s, per_tick, end);
	uint32_t i = (uint32_t)x0, j = (uint32_t)x1;

	if (x0 > 0 && j < s->width && j - i <= 1) {
		float covered = (float)((double)(int64_t)busy * per_tick), part = covered;

		if (j > i)
			part *= (float)(j - x0) / (float)(x1 - x0);
		s->any = true;
		s->busy[i] += part + STRIP_TOUCHED;
		if (x1 > j && j > i)
			s->busy[j] += covered - part + STRIP_TOUCHED;
		return;
	}
	strip_cover(s, x0, x1, end > start ? (float)busy / (float)(end - start) : 1, TRACE_NONE);
}

/* One zone. */
static inline int strip_single(struct trace_strip *s, double per_tick, uint64_t start, uint64_t end,
			       uint64_t index, uint32_t name)
{
	double x0 = strip_place(s, per_tick, start), x1 = strip_place(s, per_tick, end);

	strip_cover(s, x0, x1, 1, name);
	if ((double)(end - start) * per_tick < s->wide)
		return 0;
	if (s->count == s->cap &&
	    vec_grow((void **)&s->items, &s->cap, s->count + 1, sizeof(*s->items)) < 0)
		return TACHO_ENOMEM;
	s->items[s->count++] = (struct trace_lod_item){start, end, 1, end - start, index, name};
	return 0;
}

#endif
