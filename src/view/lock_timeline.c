/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks: rows for the timeline. A lock has a row for each thread that used it, in the order of
 * first use, below one for the times in which any thread held it or waited. A row has a lane of
 * holds and one of waits. Only the threads' rows have details of a wait; a point on the first row
 * leads to the span of a thread.
 */
#include "view/lock_timeline.h"
#include "trace/names.h"
#include "view/lane_numbers.h"
#include "view/tiles.h"

#define SCAN_MOST 100000u /* spans that are compared to find the longest */

enum { NAME_WAIT, NAME_HOLD }; /* NAME_HOLD + 1: shared */

/* ---------------------------------------------------------------- making */

static void lock_free(struct row_cache *k)
{
	struct lock *l = (struct lock *)k;

	for (size_t i = 0; i < l->rows.n; i++) {
		spans_free(&l->rows.v[i]->spans[HOLDS]);
		spans_free(&l->rows.v[i]->spans[WAITS]);
		free(l->rows.v[i]);
	}
	vec_free(&l->rows);
	map_free(&l->by_thread);
	view_lock_free(&l->events);
	free(l);
}

static size_t lock_memory(const struct row_cache *k)
{
	const struct lock *l = (const struct lock *)k;
	size_t bytes = sizeof(*l) + l->events.uses.cap * sizeof(*l->events.uses.v);

	for (size_t i = 0; i < l->rows.n; i++)
		bytes += sizeof(struct lock_row) + spans_memory(&l->rows.v[i]->spans[HOLDS]) +
			 spans_memory(&l->rows.v[i]->spans[WAITS]);
	return bytes;
}

static void lock_rest(struct row_cache *k, bool last)
{
	const struct lock *l = (const struct lock *)k;

	(void)last;
	for (size_t i = 0; i < l->rows.n; i++) {
		spill_rest(&l->rows.v[i]->spans[HOLDS].store);
		spill_rest(&l->rows.v[i]->spans[WAITS].store);
	}
}

static int lock_timeline_row_add(struct lock *l, uint32_t thread)
{
	struct lock_row *row = calloc(1, sizeof(*row));

	if (!row)
		return TACHO_ENOMEM;
	row->thread = thread;
	if (vec_push(&l->rows, row) == 0)
		return 0;
	free(row);
	return TACHO_ENOMEM;
}

/* The row of a thread; NULL with *R 0: the lock has too many threads. */
static struct lock_row *lock_timeline_row_of(struct lock *l, uint32_t thread, int *r)
{
	const uint32_t *known = map_get(&l->by_thread, thread);

	*r = 0;
	if (known)
		return l->rows.v[*known];
	if (l->rows.n > VIEW_ROWS)
		return NULL;
	*r = lock_timeline_row_add(l, thread);
	if (*r == 0 && map_set(&l->by_thread, thread, (uint32_t)l->rows.n - 1) < 0)
		*r = TACHO_ENOMEM;
	return *r == 0 ? l->rows.v[l->rows.n - 1] : NULL;
}

/* Row 0: a span begins with the first thread and ends with the last; holds by one thread alone and
 * shared ones are apart, since they have colours of their own. When a wait was given up is not
 * known; here it lasts until the thread waits again. */
static int common_take(struct lock *l, const struct view_lock_span *s)
{
	int what = s->held ? HOLDS : WAITS, r = 0;
	struct spans *common = &l->rows.v[0]->spans[what];
	uint64_t now = s->ended ? s->end : s->start;
	bool other;

	if (s->again)
		return 0;
	l->open[what] += s->ended ? -1u : 1u;
	if (s->held && !s->shared)
		l->exclusive += s->ended ? -1u : 1u;
	other = s->held && common->open.shared == (l->exclusive > 0);
	if (common->is_open && (!l->open[what] || other))
		r = spans_end(common, now);
	if (l->open[what])
		spans_begin(common, now, TRACE_NONE, s->held && !l->exclusive);
	return r;
}

static int span_take(void *context, const struct view_lock_span *s)
{
	struct lock *l = context;
	int what = s->held ? HOLDS : WAITS, r;
	struct lock_row *row = lock_timeline_row_of(l, s->thread, &r);

	if (row && s->again)
		spans_restart(&row->spans[what], s->start);
	else if (row && !s->ended)
		spans_begin(&row->spans[what], s->start, s->thread, s->shared);
	else if (row)
		r = spans_end(&row->spans[what], s->end);
	return r < 0 ? r : common_take(l, s);
}

static int lock_take(struct row_cache *k, const struct trace_row *event)
{
	struct lock *l = (struct lock *)k;
	int r = l->rows.n ? 0 : lock_timeline_row_add(l, TRACE_NONE);

	if (event->kind != TRACE_ROW_LOCK || r < 0)
		return r;
	r = view_lock_row(&l->events, event, span_take, l);
	if (event->a == TRACE_LOCK_OBTAIN || event->a == TRACE_LOCK_OBTAIN_SHARED ||
	    event->a == TRACE_LOCK_MARK) {
		const uint32_t *row = map_get(&l->by_thread, event->thread);
		struct spans *holds = row ? &l->rows.v[*row]->spans[HOLDS] : NULL;

		/* Where the program was when it obtained the lock. */
		if (holds && holds->is_open && event->b < SPAN_NO_MARK)
			holds->open.mark = (uint32_t)event->b;
	}
	return r;
}

int lock_cached(struct view_call *c, uint32_t track, struct lock **l)
{
	static const struct row_cache_kind kind = {sizeof(struct lock), lock_take, lock_memory,
						   lock_rest, lock_free};
	struct row_cache *k = NULL;
	int r = row_cache_get(c, track, &kind, &k);

	*l = (struct lock *)k;
	return r;
}

static int lock_timeline_lock_of(struct view_call *c, struct lock **l)
{
	uint32_t track;
	int r = arg_track_of(c, TRACE_LOCK, &track);

	return r < 0 ? r : lock_cached(c, track, l);
}

/* ------------------------------------------------------------------- rows */

/* The row of all threads shows the sum over the threads, as the table does. */
static void lock_timeline_row_put(struct view_call *c, const struct lock *l, size_t i)
{
	const struct spans *holds = &l->rows.v[i]->spans[HOLDS];
	const struct spans *waits = &l->rows.v[i]->spans[WAITS];
	const struct view_lock *all = &l->events;
	struct json *j = &c->json;
	double tick = call_tick(c);

	json_object(j, NULL);
	json_bool(j, "all", i == 0);
	json_thread(j, "thread", l->rows.v[i]->thread);
	json_uint(j, "hold", 2 * i + HOLDS);
	json_uint(j, "wait", 2 * i + WAITS);
	json_uint(j, "holds", i ? holds->n + holds->is_open : all->holds + l->open[HOLDS]);
	json_uint(j, "waits", i ? waits->n + waits->is_open : all->waits + l->open[WAITS]);
	json_double(j, "hold_total", (double)(i ? spans_total(holds) : all->hold_total) * tick);
	json_double(j, "wait_total", (double)(i ? spans_total(waits) : all->wait_total) * tick);
	json_double(j, "max_hold", (double)(i ? holds->longest : all->hold_max) * tick);
	json_double(j, "max_wait", (double)(i ? waits->longest : all->wait_max) * tick);
	json_end(j);
}

/* --------------------------------------------------------------- one span */

static const struct spans *spans_of(const struct lock *l, uint64_t lane)
{
	return lane / 2 < l->rows.n ? &l->rows.v[lane / 2]->spans[lane % 2] : NULL;
}

/* A thread and the ticks that it held the lock, or a span and those that it shares with another. */
struct lock_part {
	uint64_t lane, index;
	const struct span *span;
	uint64_t ticks;
};

#define PARTS 50u /* that are listed */

struct lock_parts {
	struct lock_part v[PARTS];
	size_t n;
};

/* Keeps the longest, in order. */
static void parts_add(struct lock_parts *p, struct lock_part part)
{
	size_t i = p->n < PARTS ? p->n++ : PARTS;

	if (i == PARTS && p->v[--i].ticks >= part.ticks)
		return;
	for (; i && p->v[i - 1].ticks < part.ticks; i--)
		p->v[i] = p->v[i - 1];
	p->v[i] = part;
}

static void holders_put(struct view_call *c, const struct lock *l, uint64_t lane,
			const struct span *wait)
{
	struct lock_parts p = {.n = 0};
	struct json *j = &c->json;

	/* The other threads that held the lock during the wait; for row 0 all threads. */
	for (size_t i = 1; i < l->rows.n; i++) {
		uint64_t ticks = spans_covered(&l->rows.v[i]->spans[HOLDS], wait->start, wait->end);

		if (ticks && i != lane / 2)
			parts_add(&p, (struct lock_part){.lane = 2 * i + HOLDS, .ticks = ticks});
	}
	json_thread(j, "holder", p.n ? l->rows.v[p.v[0].lane / 2]->thread : TRACE_NONE);
	json_array(j, "holders");
	for (size_t i = 0; i < p.n; i++) {
		json_object(j, NULL);
		json_thread(j, "thread", l->rows.v[p.v[i].lane / 2]->thread);
		json_double(j, "held", (double)p.v[i].ticks * call_tick(c));
		json_end(j);
	}
	json_end(j);
}

/* The spans of a lane that overlap SPAN; the number of them is exact. */
static uint64_t overlaps_find(const struct lock *l, uint64_t lane, const struct span *span,
			      uint64_t scan, struct lock_parts *p)
{
	const struct spans *s = spans_of(l, lane);
	size_t first = spans_find(s, span->start), end = spans_before(s, span->end);
	bool open = s->is_open && s->open.start < span->end;
	uint64_t count = (end > first ? end - first : 0) + open;

	for (size_t i = first; i < first + count && scan; i++, scan--) {
		const struct span *o = i < end ? &s->v[i] : &s->open;
		uint64_t from = o->start > span->start ? o->start : span->start;
		uint64_t to = i < end && o->end < span->end ? o->end : span->end;

		parts_add(p, (struct lock_part){lane, i < end ? i : VIEW_OPEN, o, to - from});
	}
	return count;
}

/*
 * Spans of the other kind and of other threads that overlap a span: holders during a wait, waiters
 * during a hold.
 */
static void others_put(struct view_call *c, const struct lock *l, uint64_t lane,
		       const struct span *span)
{
	uint64_t what = lane % 2 == WAITS ? HOLDS : WAITS, total = 0;
	struct lock_parts p = {.n = 0};
	struct json *j = &c->json;

	for (size_t i = 1; i < l->rows.n; i++)
		if (i != lane / 2)
			total += overlaps_find(l, 2 * i + what, span,
					       total < SCAN_MOST ? SCAN_MOST - total : 0, &p);
	json_array(j, "others");
	for (size_t i = 0; i < p.n; i++) {
		const struct lock_part *part = &p.v[i];
		bool open = part->index == VIEW_OPEN;

		json_object(j, NULL);
		json_uint(j, "lane", part->lane);
		json_uint(j, "idx", part->index);
		json_thread(j, "thread", part->span->thread);
		json_ns(c, "start", part->span->start);
		json_ns(c, "end", open ? c->trace->end : part->span->end);
		json_end(j);
	}
	json_end(j);
	json_uint(j, "others_total", total);
}

static void span_put(struct view_call *c, const struct lock *l, uint64_t lane, uint64_t index,
		     struct span span, bool open)
{
	const struct trace_srcloc *loc =
		trace_srcloc_of(c->trace, c->trace->tracks[l->cache.track].srcloc);
	struct json *j = &c->json;

	if (open)
		span.end = c->trace->end > span.start ? c->trace->end : span.start;
	json_uint(j, "lane", lane);
	json_uint(j, "idx", index);
	json_uint(j, "count", spans_of(l, lane)->n); /* in the lane, that have ended */
	json_text(j, "kind", lane % 2 == WAITS ? "wait" : "hold");
	json_bool(j, "shared", span.shared);
	json_bool(j, "open", open);
	json_thread(j, "thread", span.thread);
	json_ns(c, "start", span.start);
	json_ns(c, "end", span.end);
	json_duration(c, "duration", span.start, span.end);
	if (span.mark != SPAN_NO_MARK && span.mark < c->trace->srcloc_count)
		json_uint(j, "name", span.mark);
	else
		json_null(j, "name");
	if (lane % 2 == WAITS)
		holders_put(c, l, lane, &span);
	if (query_get(c->query, "idx")) {
		json_text(j, "file", loc->file);
		json_uint(j, "line", loc->line);
		others_put(c, l, lane, &span);
	}
}

/* The span at T, or the nearest within REACH of it; UINT64_MAX: none. */
static uint64_t span_near(const struct spans *s, uint64_t t, uint64_t reach)
{
	size_t i = spans_find(s, t);
	uint64_t index = UINT64_MAX;

	if (i < s->n && s->v[i].start <= t + reach)
		index = i;
	else if (s->is_open && s->open.start <= t + reach)
		index = VIEW_OPEN;
	/* The previous one may be nearer. */
	if (i && s->v[i - 1].end + reach > t &&
	    (index == UINT64_MAX || index == VIEW_OPEN ||
	     s->v[i].start > t + (t - s->v[i - 1].end)))
		index = i - 1;
	return index;
}

/* The span at T of any thread, or the nearest one; among several, the longest. */
static void span_of_threads(const struct lock *l, uint64_t t, uint64_t reach, uint64_t now,
			    uint64_t *lane, uint64_t *index)
{
	uint64_t what = *lane % 2, nearest = UINT64_MAX, longest = 0;

	for (size_t i = 1; i < l->rows.n; i++) {
		const struct spans *s = &l->rows.v[i]->spans[what];
		uint64_t found = span_near(s, t, reach), away, length;
		const struct span *one;
		uint64_t end;

		if (found == UINT64_MAX)
			continue;
		/* How far a span is from T, and how long it takes. */
		one = found == VIEW_OPEN ? &s->open : &s->v[found];
		end = found == VIEW_OPEN ? now : one->end;
		away = t < one->start ? one->start - t : t > end ? t - end : 0;
		length = end > one->start ? end - one->start : 0;
		if (away > nearest || (away == nearest && length <= longest))
			continue;
		nearest = away;
		longest = length;
		*lane = 2 * i + what;
		*index = found;
	}
}

/* By number, or at a time. */
static int span_find(struct view_call *c, const struct lock *l, uint64_t *lane, uint64_t *index)
{
	uint64_t t, reach;
	int r = arg_uint(c, "idx", INT64_MAX, index);

	if (r != 0)
		return r < 0 ? r : 0;
	r = arg_moment(c, &t, &reach);
	if (r < 0)
		return r;
	*index = UINT64_MAX;
	if (*lane < 2)
		span_of_threads(l, t, reach, c->trace->end, lane, index);
	else
		*index = span_near(spans_of(l, *lane), t, reach);
	return 0;
}

static int one_put(struct view_call *c, const struct lock *l, uint64_t lane)
{
	const struct spans *s = spans_of(l, lane);
	uint64_t index;
	int r = s ? span_find(c, l, &lane, &index)
		  : call_fail(c, VIEW_MISSING, "there is no such lane of this lock");

	if (r < 0)
		return r;
	s = spans_of(l, lane);
	if (index == VIEW_OPEN && s->is_open)
		span_put(c, l, lane, index, s->open, true);
	else if (index < s->n)
		span_put(c, l, lane, index, s->v[index], false);
	else if (query_get(c->query, "idx"))
		return call_fail(c, VIEW_MISSING, "there is no such span");
	else
		json_null(&c->json, "idx");
	return 0;
}

int call_lock(struct view_call *c)
{
	struct lock *l;
	uint64_t lane;
	int r = lock_timeline_lock_of(c, &l),
	    one = r == 0 ? arg_uint(c, "lane", UINT32_MAX, &lane) : r;

	if (one < 0)
		return one;
	call_begin(c);
	json_uint(&c->json, "track", l->cache.track);
	if (one) {
		r = one_put(c, l, lane);
	} else {
		const struct trace_track *t = &c->trace->tracks[l->cache.track];
		struct json *j = &c->json;

		json_text(j, "name", lock_name(c->trace, l->cache.track));
		json_uint(j, "process", t->process);
		json_bool(j, "shared", t->format == 1);
		json_uint(j, "threads", l->events.uses.n);
		json_array(j, "rows");
		for (size_t i = 0; i < l->rows.n; i++)
			lock_timeline_row_put(c, l, i);
		json_end(j);
	}
	if (r == 0)
		json_end(&c->json);
	return r;
}

/* ------------------------------------------------------------------ tiles */

static int lane_find(struct view_call *c, void *context, uint32_t lane, struct trace_strip *strip)
{
	const struct spans *s = spans_of(context, lane);
	struct trace_lod_item *items = NULL;
	size_t count = 0, cap = 0;
	int r = 0;

	if (s)
		r = spans_query(s, lane % 2 == WAITS ? NAME_WAIT : NAME_HOLD, c->trace->end,
				strip->t0, strip->t1, &items, &count, &cap);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = trace_strip_add(strip, &items[i]);
	free(items);
	return r;
}

int call_lock_tiles(struct view_call *c)
{
	struct lock *l;
	int r = lock_timeline_lock_of(c, &l);

	return r < 0 ? r : tiles_answer(c, lane_find, l);
}
