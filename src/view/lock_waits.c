/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compute how much of the self time of zones threads waited for locks. Lock events show when a
 * thread waited; the wait belongs to the innermost zone open at that time. For the stats verb and
 * the viewer.
 */
#include "view/lock_spans.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* Up to this many locks are read one by one; for more, all rows of the trace are read once. */
#define ROWS_ALONE 64u
/* Zones to skip before searching for the position. */
#define STEPS_MOST 512u

struct wait {
	uint32_t thread;
	uint64_t start, end;
};

struct waits_found {
	VEC(struct wait);
};

/* ---------------------------------------------------------------- finding */

static int wait_take(void *context, const struct view_lock_span *span)
{
	struct waits_found *w = context;

	if (span->held || !span->ended || span->end == span->start)
		return 0;
	return vec_push(w, ((struct wait){span->thread, span->start, span->end}));
}

static int rows_take(struct trace *t, uint32_t track, struct view_lock *locks,
		     struct waits_found *w, const struct view_waits_options *o)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t on, steps = 0;
	int r = trace_rows_open(&rows, t, track, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_rows_next(rows, &row, &on)) > 0) {
		if (row.kind == TRACE_ROW_LOCK && t->tracks[on].kind == TRACE_LOCK)
			r = view_lock_row(&locks[on], &row, wait_take, w);
		if (o->stop && ++steps % (1u << 16) == 0 && o->stop(o->context))
			break;
	}
	trace_rows_close(rows);
	return r < 0 ? r : 0;
}

static int waits_find(struct trace *t, struct waits_found *w, const struct view_waits_options *o)
{
	struct view_lock *locks = calloc((size_t)t->track_count + 1, sizeof(*locks));
	uint32_t count = 0;
	int r = locks ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; i < t->track_count; i++)
		count += t->tracks[i].kind == TRACE_LOCK;
	if (r == 0 && count > ROWS_ALONE)
		r = rows_take(t, TRACE_NONE, locks, w, o);
	for (uint32_t i = 0; r == 0 && count <= ROWS_ALONE && i < t->track_count; i++)
		if (t->tracks[i].kind == TRACE_LOCK)
			r = rows_take(t, i, locks, w, o);
	for (uint32_t i = 0; locks && i < t->track_count; i++)
		view_lock_free(&locks[i]);
	free(locks);
	return r;
}

ORDER_BY(by_thread, struct wait, ORDER_UP(thread) ?: ORDER_UP(start));

/* -------------------------------------------------------------- attributing */

/* One lane of the thread, at the first zone that may overlap the next wait. */
struct wait_lane {
	struct trace_cursor *cursor;
	struct trace_zone zone;
	bool more;
};

/* A zone that is open during a part of the wait, and the ticks of it that are its own. */
struct wait_part {
	struct trace_zone zone;
	uint64_t ticks;
};

struct wait_parts {
	VEC(struct wait_part);
};

struct wait_thread {
	struct trace *trace;
	uint32_t first, count; /* its lanes */
	struct wait_lane *lanes;
	struct wait_parts outer, inner; /* of two depths */
	const struct view_waits_options *o;
};

static int lane_seek(struct wait_thread *t, uint32_t depth, uint64_t start)
{
	struct wait_lane *l = &t->lanes[depth];
	int r = 0;

	for (uint32_t i = 0; r == 0 && l->more && l->zone.end <= start; i++) {
		if (i < STEPS_MOST) {
			r = trace_cursor_next(l->cursor, &l->zone);
			l->more = r > 0;
			r = r < 0 ? r : 0;
			continue;
		}
		trace_cursor_close(l->cursor);
		l->cursor = NULL;
		break;
	}
	if (r == 0 && !l->cursor) {
		r = trace_cursor_open(&l->cursor, t->trace, t->first + depth, start, UINT64_MAX);
		if (r == 0)
			r = trace_cursor_next(l->cursor, &l->zone);
		l->more = r > 0;
	}
	return r < 0 ? r : 0;
}

/* Subtracts the part of an outer zone that belongs to the inner one. */
static void part_move(struct wait_parts *outer, const struct wait_part *inner)
{
	for (size_t i = outer->n; i-- > 0;)
		if (outer->v[i].zone.start <= inner->zone.start &&
		    outer->v[i].zone.end >= inner->zone.end) {
			outer->v[i].ticks -=
				inner->ticks < outer->v[i].ticks ? inner->ticks : outer->v[i].ticks;
			return;
		}
}

static int parts_find(struct wait_thread *t, uint32_t depth, const struct wait *w)
{
	struct wait_lane *l = &t->lanes[depth];
	int r = lane_seek(t, depth, w->start);

	t->inner.n = 0;
	while (r == 0 && l->more && l->zone.start < w->end) {
		uint64_t from = l->zone.start > w->start ? l->zone.start : w->start;
		uint64_t to = l->zone.end < w->end ? l->zone.end : w->end;

		if (to > from) {
			struct wait_part part = {l->zone, to - from};

			part_move(&t->outer, &part);
			r = vec_push(&t->inner, part);
		}
		if (r < 0 || l->zone.end > w->end)
			break; /* the next wait may be in it too */
		r = trace_cursor_next(l->cursor, &l->zone);
		l->more = r > 0;
		r = r < 0 ? r : 0;
	}
	return r;
}

static int parts_give(struct wait_thread *t, uint32_t depth)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->outer.n; i++) {
		const struct wait_part *p = &t->outer.v[i];
		struct view_wait wait = {.track = t->trace->lanes[t->first].track,
					 .depth = depth,
					 .srcloc = p->zone.srcloc,
					 .start = p->zone.start,
					 .ticks = p->ticks};

		if (p->ticks && !(p->zone.flags & TRACE_ZONE_UNFINISHED))
			r = t->o->take(t->o->context, &wait);
	}
	return r;
}

/* From the outermost zones inwards, as deep as any is open during the wait. */
static int wait_attribute(struct wait_thread *t, const struct wait *w)
{
	int r = 0;

	t->outer.n = 0;
	for (uint32_t depth = 0; r == 0 && depth < t->count; depth++) {
		struct wait_parts done;

		r = parts_find(t, depth, w);
		if (r == 0 && depth)
			r = parts_give(t, depth - 1);
		done = t->outer;
		t->outer = t->inner;
		t->inner = done;
		if (!t->outer.n)
			return r;
	}
	return r < 0 ? r : parts_give(t, t->count - 1);
}

static int thread_attribute(struct trace *trace, const struct wait *w, size_t n,
			    const struct view_waits_options *o)
{
	struct wait_thread t = {.trace = trace, .o = o};
	uint64_t last = 0;
	int r = 0;

	if (w->thread >= trace->track_count)
		return 0;
	trace_track_lanes(trace, w->thread, &t.first, &t.count);
	if (!t.count)
		return 0;
	t.lanes = calloc(t.count, sizeof(*t.lanes));
	if (!t.lanes)
		return TACHO_ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++) {
		/* A thread waits for one lock at a time: overlaps count once. */
		struct wait one = {w[i].thread, w[i].start > last ? w[i].start : last, w[i].end};

		if (one.end > one.start)
			r = wait_attribute(&t, &one);
		last = one.end > last ? one.end : last;
		if (o->stop && i % 4096 == 4095 && o->stop(o->context))
			break;
	}
	for (uint32_t i = 0; i < t.count; i++)
		trace_cursor_close(t.lanes[i].cursor);
	free(t.lanes);
	vec_free(&t.outer);
	vec_free(&t.inner);
	return r;
}

int view_waits(struct trace *t, const struct view_waits_options *o)
{
	struct waits_found w = {0};
	int r = waits_find(t, &w, o);

	if (r == 0 && w.n)
		qsort(w.v, w.n, sizeof(*w.v), by_thread);
	for (size_t i = 0, n; r == 0 && i < w.n; i += n) {
		for (n = 1; i + n < w.n && w.v[i + n].thread == w.v[i].thread; n++)
			;
		r = thread_attribute(t, &w.v[i], n, o);
	}
	vec_free(&w);
	return r;
}

/* -------------------------------------------------------------- statistics */

struct waits_sums {
	const struct trace_filter *filter;
	uint64_t *by_srcloc;
};

static int lock_waits_sums_take(void *context, const struct view_wait *w)
{
	const struct waits_sums *s = context;
	const struct trace_filter *f = s->filter;

	if (w->start >= f->t0 && w->start < f->t1 && (!f->tracks || f->tracks[w->track]))
		s->by_srcloc[f->fold ? f->fold[w->srcloc] : w->srcloc] += w->ticks;
	return 0;
}

void view_stats_split(struct trace_stat *stats, size_t count, const uint64_t *by_srcloc)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t wait = by_srcloc[stats[i].srcloc];

		stats[i].wait = wait < stats[i].self ? wait : stats[i].self;
		stats[i].self -= stats[i].wait;
	}
}

int view_stats_waits(struct trace *t, const struct trace_filter *filter, struct trace_stat *stats,
		     size_t count)
{
	struct waits_sums sums = {.filter = filter};
	struct view_waits_options o = {.take = lock_waits_sums_take, .context = &sums};
	int r;

	sums.by_srcloc = calloc((size_t)t->srcloc_count + 1, sizeof(*sums.by_srcloc));
	r = sums.by_srcloc ? view_waits(t, &o) : TACHO_ENOMEM;
	if (r == 0)
		view_stats_split(stats, count, sums.by_srcloc);
	free(sums.by_srcloc);
	return r;
}
