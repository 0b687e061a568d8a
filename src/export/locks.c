#include "export/export.h"

/* The thread's part of the lock. */
static struct export_lock_use *find_use(struct export_lock *l, uint32_t thread)
{
	struct export_lock_use fresh = {.thread = thread};
	const uint32_t *known = map_get(&l->by_thread, thread);

	if (known)
		return &l->uses.v[*known];
	if (vec_push(&l->uses, fresh) < 0 ||
	    map_set(&l->by_thread, thread, (uint32_t)l->uses.n - 1) < 0)
		return NULL;
	return &l->uses.v[l->uses.n - 1];
}

static int end_span(const struct export_lock_use *u, bool held, uint64_t end,
		    struct export_lock_span *span)
{
	span->held = held;
	span->thread = u->thread;
	span->start = held ? u->holds_since : u->waits_since;
	span->end = end > span->start ? end : span->start;
	return 1;
}

static void count(uint64_t *n, uint64_t *total, uint64_t *max, const struct export_lock_span *span)
{
	uint64_t length = span->end - span->start;

	++*n;
	*total += length;
	if (length > *max)
		*max = length;
}

static int obtain(struct export_lock *l, struct export_lock_use *u, uint64_t time,
		  struct export_lock_span *span)
{
	bool waited = u->waiting;

	l->obtained++;
	if (u->depth++ == 0)
		u->holds_since = time;
	u->waiting = false;
	if (!waited)
		return 0;
	end_span(u, false, time, span);
	count(&l->waits, &l->wait_total, &l->wait_max, span);
	return 1;
}

static int release(struct export_lock *l, struct export_lock_use *u, uint64_t time,
		   struct export_lock_span *span)
{
	if (u->depth == 0 || --u->depth > 0)
		return 0;
	end_span(u, true, time, span);
	count(&l->holds, &l->hold_total, &l->hold_max, span);
	return 1;
}

int export_lock_row(struct export_lock *l, const struct trace_row *row,
		    struct export_lock_span *span)
{
	struct export_lock_use *u;

	if (row->kind != TRACE_ROW_LOCK || row->a > TRACE_LOCK_RELEASE_SHARED)
		return 0; /* who ends a lock has not used it for that */
	u = find_use(l, row->thread);
	if (!u)
		return TACHO_ENOMEM;
	switch (row->a) {
	case TRACE_LOCK_WAIT:
	case TRACE_LOCK_WAIT_SHARED:
		u->waiting = true;
		u->waits_since = row->time;
		return 0;
	case TRACE_LOCK_OBTAIN:
	case TRACE_LOCK_OBTAIN_SHARED:
		return obtain(l, u, row->time, span);
	case TRACE_LOCK_RELEASE:
	case TRACE_LOCK_RELEASE_SHARED:
		return release(l, u, row->time, span);
	default:
		return 0;
	}
}

void export_lock_free(struct export_lock *l)
{
	vec_free(&l->uses);
	map_free(&l->by_thread);
}
