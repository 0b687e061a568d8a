/*
 * Locks: rows for the timeline. A lock has a row for each thread that used it, in the order of
 * first use, below one for all threads together; a row has a lane of holds and one of waits.
 */
#include "web/locks.h"
#include "export/export.h"

#define HOLDERS 1000u /* spans that are looked at for those that overlap another */

enum { NAME_WAIT, NAME_HOLD }; /* NAME_HOLD + 1: shared */

/* ---------------------------------------------------------------- making */

static struct kept *lock_make(const struct kept_kind *kind)
{
	(void)kind;
	return calloc(1, sizeof(struct lock));
}

static void lock_free(struct kept *k)
{
	struct lock *l = (struct lock *)k;

	for (size_t i = 0; i < l->rows.n; i++) {
		spans_free(&l->rows.v[i]->spans[HOLDS]);
		spans_free(&l->rows.v[i]->spans[WAITS]);
		free(l->rows.v[i]);
	}
	vec_free(&l->rows);
	map_free(&l->by_thread);
	free(l);
}

static size_t lock_memory(const struct kept *k)
{
	const struct lock *l = (const struct lock *)k;
	size_t bytes = sizeof(*l);

	for (size_t i = 0; i < l->rows.n; i++)
		bytes += sizeof(struct lock_row) + spans_memory(&l->rows.v[i]->spans[HOLDS]) +
			 spans_memory(&l->rows.v[i]->spans[WAITS]);
	return bytes;
}

static void lock_rest(struct kept *k, bool last)
{
	const struct lock *l = (const struct lock *)k;

	(void)last;
	for (size_t i = 0; i < l->rows.n; i++) {
		spill_rest(&l->rows.v[i]->spans[HOLDS].store);
		spill_rest(&l->rows.v[i]->spans[WAITS].store);
	}
}

static int row_add(struct lock *l, uint32_t thread)
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

/* The row of a thread; NULL with *R 0: it has none, since there are too many. */
static struct lock_row *row_of(struct lock *l, uint32_t thread, int *r)
{
	const uint32_t *known = map_get(&l->by_thread, thread);
	uint32_t place;

	*r = l->rows.n ? 0 : row_add(l, TRACE_NONE);
	if (*r == 0 && !known) {
		place = l->rows.n <= WEB_ROWS ? (uint32_t)l->rows.n : 0;
		*r = map_set(&l->by_thread, thread, place) < 0 ? TACHO_ENOMEM : 0;
		if (*r == 0 && place)
			*r = row_add(l, thread);
		l->threads++;
		known = map_get(&l->by_thread, thread);
	}
	return *r == 0 && *known ? l->rows.v[*known] : NULL;
}

static void lock_wait(struct lock_row *all, struct lock_row *row, uint64_t time)
{
	if (row->waiting++)
		return;
	spans_begin(&row->spans[WAITS], time, row->thread, false);
	if (all->waiting++ == 0)
		spans_begin(&all->spans[WAITS], time, row->thread, false);
}

/*
 * A thread often says that it has released a lock when the next one has it already: then that one
 * holds it.
 */
static int lock_obtain(struct lock_row *all, struct lock_row *row, uint64_t time, bool shared)
{
	int r = 0;

	if (row->waiting) {
		row->waiting = 0;
		r = spans_end(&row->spans[WAITS], time);
		if (r == 0 && --all->waiting == 0)
			r = spans_end(&all->spans[WAITS], time);
	}
	if (row->depth++)
		return r;
	spans_begin(&row->spans[HOLDS], time, row->thread, shared);
	if (r == 0 && !shared)
		r = spans_end(&all->spans[HOLDS], time);
	spans_begin(&all->spans[HOLDS], time, row->thread, shared);
	all->depth++;
	return r;
}

static int lock_release(struct lock_row *all, struct lock_row *row, uint64_t time)
{
	int r;

	if (!row->depth || --row->depth)
		return 0;
	r = spans_end(&row->spans[HOLDS], time);
	if (r == 0 && --all->depth == 0)
		r = spans_end(&all->spans[HOLDS], time);
	return r;
}

static void lock_mark(struct lock_row *all, struct lock_row *row, uint64_t srcloc)
{
	struct span *own = &row->spans[HOLDS].open, *common = &all->spans[HOLDS].open;

	if (srcloc >= SPAN_NO_MARK || !row->depth)
		return;
	own->mark = (uint32_t)srcloc;
	if (common->thread == row->thread)
		common->mark = (uint32_t)srcloc;
}

static int lock_take(struct kept *k, const struct trace_row *event)
{
	struct lock *l = (struct lock *)k;
	struct lock_row *row, *all;
	int r;

	if (event->kind != TRACE_ROW_LOCK || event->a == TRACE_LOCK_END)
		return 0;
	row = row_of(l, event->thread, &r);
	if (!row)
		return r;
	all = l->rows.v[0];
	switch (event->a) {
	case TRACE_LOCK_WAIT:
	case TRACE_LOCK_WAIT_SHARED:
		lock_wait(all, row, event->time);
		break;
	case TRACE_LOCK_OBTAIN:
	case TRACE_LOCK_OBTAIN_SHARED:
		r = lock_obtain(all, row, event->time, event->a == TRACE_LOCK_OBTAIN_SHARED);
		lock_mark(all, row, event->b);
		break;
	case TRACE_LOCK_RELEASE:
	case TRACE_LOCK_RELEASE_SHARED:
		r = lock_release(all, row, event->time);
		break;
	case TRACE_LOCK_MARK:
		lock_mark(all, row, event->b);
		break;
	}
	return r;
}

int lock_kept(struct web_call *c, uint32_t track, struct lock **l)
{
	static const struct kept_kind kind = {lock_make, lock_take, lock_memory, lock_rest,
					      lock_free};
	struct kept *k = NULL;
	int r = kept_of(c, track, &kind, &k);

	*l = (struct lock *)k;
	return r;
}

static int lock_of(struct web_call *c, struct lock **l)
{
	uint32_t track;
	int r = arg_track_of(c, TRACE_LOCK, &track);

	return r < 0 ? r : lock_kept(c, track, l);
}

/* ------------------------------------------------------------------- rows */

static void row_put(struct web_call *c, const struct lock *l, size_t i)
{
	const struct lock_row *row = l->rows.v[i];
	const struct spans *holds = &row->spans[HOLDS], *waits = &row->spans[WAITS];
	struct json *j = &c->json;
	double tick = call_tick(c);

	json_object(j, NULL);
	json_bool(j, "all", i == 0);
	json_thread(j, "thread", row->thread);
	json_uint(j, "hold", 2 * i + HOLDS);
	json_uint(j, "wait", 2 * i + WAITS);
	json_uint(j, "holds", holds->n + holds->is_open);
	json_uint(j, "waits", waits->n + waits->is_open);
	json_double(j, "hold_total", (double)spans_total(holds) * tick);
	json_double(j, "wait_total", (double)spans_total(waits) * tick);
	json_double(j, "max_hold", (double)holds->longest * tick);
	json_double(j, "max_wait", (double)waits->longest * tick);
	json_end(j);
}

static void rows_put(struct web_call *c, const struct lock *l)
{
	const struct trace_track *t = &c->trace->tracks[l->kept.track];
	struct json *j = &c->json;

	json_text(j, "name", lock_name(c->trace, l->kept.track));
	json_uint(j, "process", t->process);
	json_bool(j, "shared", t->format == 1);
	json_uint(j, "threads", l->threads);
	json_array(j, "rows");
	for (size_t i = 0; i < l->rows.n; i++)
		row_put(c, l, i);
	json_end(j);
}

/* --------------------------------------------------------------- one span */

static const struct spans *spans_of(const struct lock *l, uint64_t lane)
{
	return lane / 2 < l->rows.n ? &l->rows.v[lane / 2]->spans[lane % 2] : NULL;
}

/* Who had the lock for the most of a wait. */
static void holder_put(struct web_call *c, const struct lock *l, const struct span *wait)
{
	const struct spans *s = &l->rows.v[0]->spans[HOLDS];
	size_t first = spans_find(s, wait->start), end = s->n + s->is_open;
	uint64_t longest = 0;
	uint32_t holder = TRACE_NONE;

	for (size_t i = first; i < end && i < first + HOLDERS; i++) {
		const struct span *h = i < s->n ? &s->v[i] : &s->open;
		uint64_t from = h->start > wait->start ? h->start : wait->start;
		uint64_t to = i < s->n && h->end < wait->end ? h->end : wait->end;

		if (h->start >= wait->end)
			break;
		if (to > from && to - from > longest && h->thread != wait->thread) {
			longest = to - from;
			holder = h->thread;
		}
	}
	json_thread(&c->json, "holder", holder);
}

#define OTHERS 50u /* spans that are listed */

/* Those of the other kind that overlap a span: who held the lock while it waited, who waited
 * meanwhile. */
static void others_put(struct web_call *c, const struct lock *l, uint64_t lane,
		       const struct span *span)
{
	uint64_t what = lane % 2 == WAITS ? HOLDS : WAITS, total = 0;
	struct json *j = &c->json;

	json_array(j, "others");
	for (size_t row = 1; row < l->rows.n; row++) {
		const struct spans *s = &l->rows.v[row]->spans[what];

		for (size_t i = spans_find(s, span->start); i < s->n + s->is_open; i++) {
			bool open = i == s->n;
			const struct span *o = open ? &s->open : &s->v[i];

			if (o->start >= span->end || total >= HOLDERS)
				break;
			if (total++ >= OTHERS)
				continue;
			json_object(j, NULL);
			json_uint(j, "lane", 2 * row + what);
			json_uint(j, "idx", open ? WEB_OPEN : i);
			json_thread(j, "thread", o->thread);
			json_ns(c, "start", o->start);
			json_ns(c, "end", open ? c->trace->end : o->end);
			json_end(j);
		}
	}
	json_end(j);
	json_uint(j, "others_total", total); /* HOLDERS: that many or more */
}

static void span_put(struct web_call *c, const struct lock *l, uint64_t lane, uint64_t index,
		     struct span span, bool open)
{
	const struct trace_srcloc *loc =
		export_srcloc(c->trace, c->trace->tracks[l->kept.track].srcloc);
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
		holder_put(c, l, &span);
	if (query_get(&c->query, "idx")) {
		json_text(j, "file", loc->file);
		json_uint(j, "line", loc->line);
		others_put(c, l, lane, &span);
	}
}

/* By number, or the one at a time (the nearest within two pixels if there is a resolution). */
static int span_find(struct web_call *c, const struct spans *s, uint64_t *index)
{
	uint64_t t, reach;
	size_t i;
	int r = arg_uint(c, "idx", INT64_MAX, index);

	if (r != 0)
		return r < 0 ? r : 0;
	r = arg_moment(c, &t, &reach);
	if (r < 0)
		return r;
	i = spans_find(s, t);
	*index = UINT64_MAX;
	if (i < s->n && s->v[i].start <= t + reach)
		*index = i;
	else if (s->is_open && s->open.start <= t + reach)
		*index = WEB_OPEN;
	/* The one before may be nearer. */
	if (i && s->v[i - 1].end + reach > t &&
	    (*index == UINT64_MAX || *index == WEB_OPEN ||
	     s->v[i].start > t + (t - s->v[i - 1].end)))
		*index = i - 1;
	return 0;
}

static int one_put(struct web_call *c, const struct lock *l, uint64_t lane)
{
	const struct spans *s = spans_of(l, lane);
	uint64_t index;
	int r = s ? span_find(c, s, &index)
		  : call_fail(c, 404, "there is no such lane of this lock");

	if (r < 0)
		return r;
	if (index == WEB_OPEN && s->is_open)
		span_put(c, l, lane, index, s->open, true);
	else if (index < s->n)
		span_put(c, l, lane, index, s->v[index], false);
	else if (query_get(&c->query, "idx"))
		return call_fail(c, 404, "there is no such span");
	else
		json_null(&c->json, "idx");
	return 0;
}

int call_lock(struct web_call *c)
{
	struct lock *l;
	uint64_t lane;
	int r = lock_of(c, &l), one = r == 0 ? arg_uint(c, "lane", UINT32_MAX, &lane) : r;

	if (one < 0)
		return one;
	call_begin(c);
	json_uint(&c->json, "track", l->kept.track);
	if (one)
		r = one_put(c, l, lane);
	else
		rows_put(c, l);
	if (r == 0)
		json_end(&c->json);
	return r;
}

/* ------------------------------------------------------------------ tiles */

static int lane_find(struct web_call *c, void *context, uint32_t lane, struct trace_strip *strip)
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

int call_lock_tiles(struct web_call *c)
{
	struct lock *l;
	int r = lock_of(c, &l);

	return r < 0 ? r : tiles_answer(c, lane_find, l);
}
