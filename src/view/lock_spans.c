/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of a lock: which thread waited for it and which one held it, from its events. For the
 * locks verb, the Chrome export and the viewer.
 */
#include "view/lock_spans.h"

/* The index in uses of a thread's part of the lock, or a negative error. */
static int64_t use_find(struct view_lock *l, uint32_t thread)
{
	struct view_lock_use fresh = {.thread = thread};
	const uint32_t *known = map_get(&l->by_thread, thread);

	if (known)
		return *known;
	if (vec_push(&l->uses, fresh) < 0 ||
	    map_set(&l->by_thread, thread, (uint32_t)l->uses.n - 1) < 0)
		return TACHO_ENOMEM;
	return (int64_t)l->uses.n - 1;
}

static void span_count(struct view_lock *l, const struct view_lock_span *span)
{
	uint64_t length = span->end - span->start;
	uint64_t *n = span->held ? &l->holds : &l->waits;
	uint64_t *total = span->held ? &l->hold_total : &l->wait_total;
	uint64_t *max = span->held ? &l->hold_max : &l->wait_max;

	++*n;
	*total += length;
	if (length > *max)
		*max = length;
}

/* Where a lock's spans go. */
struct lock_sink {
	view_lock_fn *take;
	void *context;
	uint64_t now;
};

static int span_begin(const struct lock_sink *sink, const struct view_lock_use *u, bool held,
		      bool again)
{
	struct view_lock_span span = {
		.held = held,
		.shared = held && u->shared,
		.again = again,
		.thread = u->thread,
		.start = sink->now,
	};

	return sink->take ? sink->take(sink->context, &span) : 0;
}

static int span_end(struct view_lock *l, const struct lock_sink *sink,
		    const struct view_lock_use *u, bool held)
{
	struct view_lock_span span = {
		.held = held,
		.shared = held && u->shared,
		.ended = true,
		.thread = u->thread,
		.start = held ? u->holds_since : u->waits_since,
	};

	span.end = sink->now > span.start ? sink->now : span.start;
	span_count(l, &span);
	return sink->take ? sink->take(sink->context, &span) : 0;
}

/* Ends the holds that must have ended when a thread obtains the lock. */
static int holders_displace(struct view_lock *l, const struct lock_sink *sink, bool shared)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < l->holders.n; i++) {
		struct view_lock_use *u = &l->uses.v[l->holders.v[i]];

		if (shared && u->shared) {
			l->holders.v[kept++] = l->holders.v[i];
			continue;
		}
		u->depth = 0;
		if (r == 0)
			r = span_end(l, sink, u, true);
	}
	l->holders.n = kept;
	return r;
}

static int lock_obtain(struct view_lock *l, const struct lock_sink *sink, uint32_t index,
		       bool shared)
{
	struct view_lock_use *u = &l->uses.v[index];
	bool waited = u->waiting;
	int r = 0;

	l->obtained++;
	u->waiting = false;
	if (waited)
		r = span_end(l, sink, u, false);
	if (u->depth++ || r < 0)
		return r;
	r = holders_displace(l, sink, shared);
	if (r == 0 && vec_push(&l->holders, index) < 0)
		r = TACHO_ENOMEM;
	u->holds_since = sink->now;
	u->shared = shared;
	return r < 0 ? r : span_begin(sink, u, true, false);
}

static int lock_release(struct view_lock *l, const struct lock_sink *sink, uint32_t index)
{
	struct view_lock_use *u = &l->uses.v[index];

	if (u->depth == 0 || --u->depth > 0)
		return 0;
	for (size_t i = 0; i < l->holders.n; i++)
		if (l->holders.v[i] == index) {
			l->holders.v[i] = l->holders.v[--l->holders.n];
			break;
		}
	return span_end(l, sink, u, true);
}

int view_lock_row(struct view_lock *l, const struct trace_row *row, view_lock_fn *take,
		  void *context)
{
	struct lock_sink sink = {take, context, row->time};
	struct view_lock_use *u;
	int64_t index;
	bool again;

	if (row->kind != TRACE_ROW_LOCK || row->a > TRACE_LOCK_RELEASE_SHARED)
		return 0; /* ending or marking a lock is not a use of it */
	index = use_find(l, row->thread);
	if (index < 0)
		return (int)index;
	u = &l->uses.v[index];
	switch (row->a) {
	case TRACE_LOCK_WAIT:
	case TRACE_LOCK_WAIT_SHARED:
		again = u->waiting;
		u->waiting = true;
		u->waits_since = sink.now;
		return span_begin(&sink, u, false, again);
	case TRACE_LOCK_OBTAIN:
	case TRACE_LOCK_OBTAIN_SHARED:
		return lock_obtain(l, &sink, (uint32_t)index, row->a == TRACE_LOCK_OBTAIN_SHARED);
	default:
		return lock_release(l, &sink, (uint32_t)index);
	}
}

void view_lock_free(struct view_lock *l)
{
	vec_free(&l->uses);
	vec_free(&l->holders);
	map_free(&l->by_thread);
}
