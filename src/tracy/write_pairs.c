/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write locks and memory. What the file stores for an event depends on later ones (where a lock was
 * taken, when memory was freed), so the events of one lock or pool are held while they are written.
 */
#include "tracy/write.h"

#include <stdlib.h>

/* -------------------------------------------------------------------- locks */

struct lock_event {
	int64_t time;
	int16_t srcloc;
	uint8_t thread, type;
};

struct lock {
	struct {
		VEC(struct lock_event);
	} events;
	uint64_t tids[LOCK_THREADS];
	size_t last[LOCK_THREADS]; /* the thread's last event + 1 */
	bool waits[LOCK_THREADS];
	unsigned threads;
	int64_t end;
};

static int lock_thread(struct write *w, struct lock *l, uint32_t track)
{
	uint64_t tid = track < w->trace->track_count ? w->threads[track].tid : 0;
	unsigned i;

	for (i = 0; i < l->threads; i++)
		if (l->tids[i] == tid)
			return (int)i;
	if (i == LOCK_THREADS)
		return -1;
	l->tids[i] = tid;
	l->threads++;
	return (int)i;
}

static int16_t lock_srcloc(const struct write *w, uint64_t srcloc)
{
	return srcloc < w->trace->srcloc_count ? w->srcloc[srcloc] : 0;
}

static int lock_push(struct lock *l, int thread, uint8_t type, int64_t time, int16_t srcloc)
{
	struct lock_event e = {time, srcloc, (uint8_t)thread, type};

	l->waits[thread] = type == TRACE_LOCK_WAIT || type == TRACE_LOCK_WAIT_SHARED;
	l->last[thread] = l->events.n + 1;
	return vec_push(&l->events, e);
}

/* Readers assume that a thread waits before it obtains a lock. */
static int lock_add(struct write *w, struct lock *l, const struct trace_row *row)
{
	bool obtains = row->a == TRACE_LOCK_OBTAIN || row->a == TRACE_LOCK_OBTAIN_SHARED;
	int64_t time = write_ns(w, row->time);
	int16_t srcloc = lock_srcloc(w, row->b);
	int thread, r = 0;

	if (row->a == TRACE_LOCK_END) {
		l->end = time;
		return 0;
	}
	thread = lock_thread(w, l, row->thread);
	if (thread < 0 || row->a > TRACE_LOCK_MARK) {
		w->notes->n[TRACY_NOTE_LOCK_THREADS]++;
		return 0;
	}
	if (row->a == TRACE_LOCK_MARK) {
		if (l->last[thread])
			l->events.v[l->last[thread] - 1].srcloc = srcloc;
		return 0;
	}
	if (obtains && !l->waits[thread])
		r = lock_push(l, thread, (uint8_t)(row->a - 1), time, 0);
	return r < 0 ? r : lock_push(l, thread, (uint8_t)row->a, time, srcloc);
}

static void lock_put(struct write *w, const struct lock *l, uint32_t track, uint32_t number)
{
	const struct trace_track *t = &w->trace->tracks[track];
	int64_t announced = l->events.n ? l->events.v[0].time : 0, reference = announced;
	int16_t srcloc = lock_srcloc(w, t->srcloc);
	struct out *out = &w->out;

	out_u32(out, number);
	out_u24(out, w->names[track] < 0 || w->names[track] >= STRING_MAX
			     ? 0
			     : (uint32_t)w->names[track] + 1);
	out_i16(out, srcloc ? srcloc : w->lock_srcloc ? w->lock_srcloc : 1);
	out_u8(out, t->format == 1);
	out_u8(out, 1);
	out_i64(out, announced);
	out_i64(out, l->end);
	out_u64(out, l->threads);
	out_copy(out, l->tids, l->threads * sizeof(l->tids[0]));
	out_u64(out, l->events.n);
	for (size_t i = 0; i < l->events.n; i++) {
		const struct lock_event *e = &l->events.v[i];

		out_i64(out, e->time - reference);
		reference = e->time;
		out_i16(out, e->srcloc);
		out_u8(out, e->thread);
		out_u8(out, e->type);
	}
}

static int write_pairs_lock_put(struct write *w, uint32_t track, uint32_t number)
{
	struct lock *l = calloc(1, sizeof(*l));
	struct trace_row row;
	int r = l ? by_track_begin(&w->by_track, track) : TACHO_ENOMEM;

	while (r >= 0 && (r = by_track_next(&w->by_track, &row)) > 0)
		if (row.kind == TRACE_ROW_LOCK)
			r = lock_add(w, l, &row);
	if (r == 0)
		lock_put(w, l, track, number);
	if (l)
		vec_free(&l->events);
	free(l);
	return r;
}

static bool is_lock(const struct write *w, uint32_t track)
{
	/* Each needs a source location: without any there is nothing to refer to. */
	return w->trace->tracks[track].kind == TRACE_LOCK && w->srclocs.n;
}

int locks_put(struct write *w)
{
	uint32_t count = 0;
	int r = 0;

	for (uint32_t i = 0; i < w->trace->track_count; i++)
		count += is_lock(w, i);
	out_u64(&w->out, count);
	count = 0;
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++)
		if (is_lock(w, i))
			r = write_pairs_lock_put(w, i, count++);
	return r;
}

/* ------------------------------------------------------------------- memory */

struct memory_event {
	uint64_t address, size;
	int64_t alloc, freed; /* freed -1: never */
	uint16_t alloc_thread, free_thread;
	uint32_t alloc_stack, free_stack; /* numbers of the file */
};

struct pool {
	struct {
		VEC(struct memory_event);
	} events;
	struct map live; /* address to index */
	uint64_t high, low, usage, freed;
};

static uint16_t write_pairs_thread_number(const struct write *w, uint32_t track)
{
	return track < w->trace->track_count ? w->threads[track].number : 0;
}

static void pool_free_at(struct write *w, struct pool *p, const struct trace_row *row)
{
	uint32_t *at = map_get(&p->live, row->a);
	struct memory_event *e = at && *at != UINT32_MAX ? &p->events.v[*at] : NULL;

	if (!e) {
		w->notes->n[TRACY_NOTE_FREES] += row->kind == TRACE_ROW_FREE;
		return;
	}
	e->freed = write_ns(w, row->time);
	if (e->freed < e->alloc)
		e->freed = e->alloc;
	e->free_thread = write_pairs_thread_number(w, row->thread);
	e->free_stack = row->kind == TRACE_ROW_FREE ? samples_stack(w, row->c) : 0;
	p->usage -= e->size;
	p->freed++;
	*at = UINT32_MAX;
}

/* Memory that is allocated twice was freed in between, even if that was not recorded. */
static int pool_add(struct write *w, struct pool *p, const struct trace_row *row)
{
	struct memory_event e = {row->a,
				 row->b,
				 write_ns(w, row->time),
				 -1,
				 write_pairs_thread_number(w, row->thread),
				 0,
				 samples_stack(w, row->c),
				 0};

	if (row->kind != TRACE_ROW_ALLOC && row->kind != TRACE_ROW_FREE)
		return 0;
	pool_free_at(w, p, row);
	if (row->kind == TRACE_ROW_FREE)
		return 0;
	if (p->events.n >= UINT32_MAX)
		return TACHO_ELIMIT;
	p->usage += e.size;
	p->low = e.address < p->low ? e.address : p->low;
	p->high = e.address + e.size > p->high ? e.address + e.size : p->high;
	if (map_set(&p->live, e.address, (uint32_t)p->events.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&p->events, e);
}

static void pool_put(struct write *w, const struct pool *p, uint64_t name)
{
	struct out *out = &w->out;
	int64_t reference = 0;

	out_u64(out, name);
	out_u64(out, p->events.n);
	out_u64(out, p->events.n - p->freed);
	out_u64(out, p->freed);
	for (size_t i = 0; i < p->events.n; i++) {
		const struct memory_event *e = &p->events.v[i];

		out_u64(out, e->address);
		out_u64(out, e->size);
		out_u24(out, e->alloc_stack);
		out_u24(out, e->free_stack);
		out_i64(out, e->alloc - reference);
		reference = e->alloc;
		out_i64(out, e->freed < 0 ? -1 : e->freed - e->alloc);
		out_u16(out, e->alloc_thread);
		out_u16(out, e->free_thread);
	}
	out_u64(out, p->high);
	out_u64(out, p->low);
	out_u64(out, p->usage);
	out_u64(out, name);
}

/* If TRACK is TRACE_NONE, writes an empty pool. */
static int put_pool(struct write *w, uint32_t track, uint64_t name)
{
	struct pool p = {.low = UINT64_MAX};
	struct trace_row row;
	int r = track == TRACE_NONE ? 0 : by_track_begin(&w->by_track, track);

	while (track != TRACE_NONE && r >= 0 && (r = by_track_next(&w->by_track, &row)) > 0)
		r = pool_add(w, &p, &row);
	if (r == 0)
		pool_put(w, &p, name);
	map_free(&p.live);
	vec_free(&p.events);
	return r;
}

/* The unnamed pool must exist. */
int memory_put(struct write *w)
{
	uint32_t main_pool = TRACE_NONE;
	uint64_t pools = 1, events = 0;
	int r;

	for (uint32_t i = 0; i < w->trace->track_count; i++) {
		const struct trace_track *t = &w->trace->tracks[i];

		if (t->kind != TRACE_MEMORY)
			continue;
		if (main_pool == TRACE_NONE && !t->name[0] && t->process == w->process)
			main_pool = i;
		else
			pools++;
		events += w->rows[i].n;
	}
	out_u64(&w->out, pools);
	out_u64(&w->out, events);
	r = put_pool(w, main_pool, 0);
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++)
		if (w->trace->tracks[i].kind == TRACE_MEMORY && i != main_pool)
			r = put_pool(w, i, w->names[i] < 0 ? 0 : STRING_POINTER(w->names[i]));
	return r;
}
