/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock waits from the program's own lock events: these name the lock of a blocked thread even if it
 * was blocked too shortly for the sampler to see its system call.
 */
#include "sample/profile_waits.h"

#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>

struct profile_waits {
	VEC(struct profile_wait); /* by thread, then start; those of a thread do not overlap */
	struct map open;          /* thread << 32 | lock to the number of its last wait */
};

void profile_waits_free(struct profile_waits *w)
{
	if (!w)
		return;
	vec_free(w);
	map_free(&w->open);
	free(w);
}

static int wait_row_take(struct profile_waits *w, const struct trace_row *row, uint32_t lock)
{
	uint64_t key = (uint64_t)row->thread << 32 | lock;
	uint32_t *at = map_get(&w->open, key);
	struct profile_wait new = {row->thread, lock, row->time, UINT64_MAX};
	struct profile_wait *last = at ? &w->v[*at] : NULL;

	switch (row->a) {
	case TRACE_LOCK_WAIT:
	case TRACE_LOCK_WAIT_SHARED:
		/* The thread gave up the wait before: a try with a timeout. */
		if (last && last->end == UINT64_MAX)
			last->end = last->start;
		if (map_set(&w->open, key, (uint32_t)w->n) < 0)
			return TACHO_ENOMEM;
		return vec_push(w, new);
	case TRACE_LOCK_OBTAIN:
	case TRACE_LOCK_OBTAIN_SHARED:
	case TRACE_LOCK_RELEASE:
	case TRACE_LOCK_RELEASE_SHARED:
		if (last && last->end == UINT64_MAX)
			last->end = row->time;
		return 0;
	default:
		return 0;
	}
}

ORDER_BY(waits_compare, struct profile_wait, ORDER_UP(thread) ?: ORDER_UP(start) ?: ORDER_UP(lock));

static int waits_read(struct profile_waits *w, struct trace *trace)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t lock;
	int r = trace_rows_open_kind(&rows, trace, TRACE_LOCK, 0, UINT64_MAX), taken = 0;

	if (r < 0)
		return r;
	while (taken == 0 && (r = trace_rows_next(rows, &row, &lock)) > 0)
		if (row.kind == TRACE_ROW_LOCK && row.thread < trace->track_count &&
		    w->n < UINT32_MAX)
			taken = wait_row_take(w, &row, lock);
	trace_rows_close(rows);
	if (r < 0 || taken < 0)
		return taken < 0 ? taken : r;
	if (w->n)
		qsort(w->v, w->n, sizeof(*w->v), waits_compare);
	for (size_t i = 0; i < w->n; i++) {
		struct profile_wait *x = &w->v[i], *before = i ? x - 1 : x;

		if (x->end == UINT64_MAX)
			x->end = trace->end > x->start ? trace->end : x->start;
		if (before->thread == x->thread && x->start < before->end && i)
			x->start = before->end;
		if (x->end < x->start)
			x->end = x->start;
	}
	return 0;
}

int profile_waits(struct profile *p, uint32_t thread, uint64_t time,
		  const struct profile_wait **waits, size_t *count)
{
	size_t low = 0, high;

	if (!p->waits) {
		struct profile_waits *w = calloc(1, sizeof(*w));
		int r = w ? waits_read(w, p->trace) : TACHO_ENOMEM;

		if (r < 0) {
			profile_waits_free(w);
			return r;
		}
		map_free(&w->open);
		p->waits = w;
	}
	high = p->waits->n;
	SEARCH_FIRST(low, high, middle,
		     p->waits->v[middle].thread < thread || (p->waits->v[middle].thread == thread &&
							     p->waits->v[middle].end <= time));
	*waits = p->waits->v ? p->waits->v + low : NULL;
	for (*count = 0; low + *count < p->waits->n; ++*count)
		if (p->waits->v[low + *count].thread != thread)
			break;
	return 0;
}

static double blocked_ns(const struct profile *p, const struct window *w, uint64_t start,
			 uint64_t end)
{
	uint64_t ticks = w ? window_overlap(w, start, end) : end - start;

	return trace_duration_ns(p->trace, start, start + ticks);
}

void profile_blocked_add(const struct profile *p, struct wait_cursor *waits,
			 const struct window *window, const struct trace_row *state, uint64_t start,
			 uint64_t end, double *ns, double *lock_ns)
{
	double rest = blocked_ns(p, window, start, end);

	while (waits->n && waits->v->end <= start) {
		waits->v++;
		waits->n--;
	}
	for (size_t i = 0; i < waits->n && waits->v[i].start < end; i++) {
		const struct profile_wait *w = &waits->v[i];
		uint64_t from = w->start > start ? w->start : start;
		uint64_t to = w->end < end ? w->end : end;
		double part = to > from ? blocked_ns(p, window, from, to) : 0;

		ns[PROFILE_LOCK] += part;
		rest -= part;
		if (lock_ns)
			lock_ns[w->lock] += part;
	}
	ns[profile_wait_state(TRACE_STATE_CALL(state->b))] += rest > 0 ? rest : 0;
}
