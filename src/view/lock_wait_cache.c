/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock waits of zones, for statistics and single zones. They are computed once per trace
 * (repeatedly for a recording) and cached in a list by the start of the zones.
 */
#include "base/now.h"
#include "base/order.h"
#include "view/lock_spans.h"
#include "view/spill_array.h"
#include "view/zone_stats.h"

#include <string.h>

#define REST 9.0  /* a result for a recording is reused for this many times the time it took */
#define OLD  30.0 /* seconds at most */

struct waits {
	SPILL(struct view_wait);
	uint64_t gen;
	double made, good; /* seconds of the monotonic clock */
	uint32_t users;    /* calls, and the trace's own */
};

/* With the trace's lock held. */
static void waits_drop(struct waits *w)
{
	if (!w || --w->users)
		return;
	spill_free(w);
	free(w);
}

static void waits_put(struct view_trace *t, struct waits *w)
{
	pthread_mutex_lock(&t->lock);
	waits_drop(w);
	pthread_mutex_unlock(&t->lock);
}

void waits_forget(struct view_trace *t)
{
	waits_drop(t->waits);
	t->waits = NULL;
}

struct waits_maker {
	struct view_call *c;
	struct waits *w;
};

static int wait_keep(void *context, const struct view_wait *wait)
{
	struct waits *w = ((struct waits_maker *)context)->w;
	struct view_wait *last = w->n ? &w->v[w->n - 1] : NULL;

	if (last && last->start == wait->start && last->track == wait->track &&
	    last->depth == wait->depth && last->srcloc == wait->srcloc) {
		last->ticks += wait->ticks;
		return 0;
	}
	return spill_push(w, *wait);
}

static bool maker_gone(void *context)
{
	return call_gone(((struct waits_maker *)context)->c);
}

ORDER_BY(by_start, struct view_wait, ORDER_UP(start) ?: ORDER_UP(track) ?: ORDER_UP(depth));

static int waits_make(struct view_call *c, struct waits **out)
{
	struct waits_maker m = {c, calloc(1, sizeof(struct waits))};
	struct view_waits_options o = {wait_keep, maker_gone, &m};
	double begin = now_seconds();
	int r = m.w ? view_waits(c->trace, &o) : TACHO_ENOMEM;

	if (r == 0 && call_gone(c))
		r = TACHO_ENO;
	if (r < 0) {
		if (m.w)
			spill_free(m.w);
		free(m.w);
		return r;
	}
	if (m.w->n)
		qsort(m.w->v, m.w->n, sizeof(*m.w->v), by_start);
	m.w->gen = c->gen;
	m.w->made = now_seconds();
	m.w->good = (m.w->made - begin) * REST < OLD ? (m.w->made - begin) * REST : OLD;
	*out = m.w;
	return 0;
}

/* NULL in *OUT: there are no locks. waits_put() gives it back. */
static int waits_take(struct view_call *c, struct waits **out)
{
	struct view_trace *t = c->on;
	bool locks = false;
	int r;

	*out = NULL;
	for (uint32_t i = 0; !locks && i < c->trace->track_count; i++)
		locks = c->trace->tracks[i].kind == TRACE_LOCK;
	if (!locks)
		return 0;
	pthread_mutex_lock(&t->lock);
	if (t->waits && (t->waits->gen == c->gen ||
			 (t->live && now_seconds() < t->waits->made + t->waits->good))) {
		*out = t->waits;
		t->waits->users++;
	}
	pthread_mutex_unlock(&t->lock);
	if (*out)
		return 0;
	r = waits_make(c, out);
	if (r < 0)
		return r;
	pthread_mutex_lock(&t->lock);
	waits_drop(t->waits);
	t->waits = *out;
	t->waits->users = 2;
	pthread_mutex_unlock(&t->lock);
	return 0;
}

/* The first one that starts at START or later. */
static size_t waits_from(const struct waits *w, uint64_t start)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->v[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int waits_split(struct view_call *c, const struct trace_filter *filter, struct trace_stat *stats,
		size_t count)
{
	uint64_t *sums;
	struct waits *w;
	int r = waits_take(c, &w);

	if (r < 0 || !w)
		return r;
	sums = calloc((size_t)c->trace->srcloc_count + 1, sizeof(*sums));
	for (size_t i = waits_from(w, filter->t0); sums && i < w->n && w->v[i].start < filter->t1;
	     i++) {
		const struct view_wait *one = &w->v[i];

		/* Another handle may have read further than this one. */
		if (one->srcloc < c->trace->srcloc_count && one->track < c->trace->track_count &&
		    (!filter->tracks || filter->tracks[one->track]))
			sums[one->srcloc] += one->ticks;
	}
	if (sums)
		view_stats_split(stats, count, sums);
	free(sums);
	waits_put(c->on, w);
	return sums ? 0 : TACHO_ENOMEM;
}

int waits_of_zone(struct view_call *c, uint32_t track, uint32_t depth, uint64_t start,
		  uint64_t *ticks)
{
	struct waits *w;
	int r = waits_take(c, &w);

	*ticks = 0;
	if (r < 0 || !w)
		return r;
	for (size_t i = waits_from(w, start); i < w->n && w->v[i].start == start; i++)
		if (w->v[i].track == track && w->v[i].depth == depth)
			*ticks += w->v[i].ticks;
	waits_put(c->on, w);
	return 0;
}
