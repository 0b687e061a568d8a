/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools. */
#include "view/memory_history.h"
#include "view/sample_query.h"
#include "view/tiles.h"
#include "view/track_sums.h"

#define ACTIVE 1000u /* allocations that are listed */
#define FEW    20u   /* of each of many pools */

/* A pool in a range of time. */
struct pool_figures {
	uint64_t current, peak, allocs, frees, unknown_frees;
	uint64_t alive; /* at its end */
	const struct life *largest;
	size_t listed;
};

static void life_put(struct view_call *c, const struct life *life)
{
	struct json *j = &c->json;
	struct buf stack = BUF_INIT;
	struct profile *p;
	char address[32];

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)life->address);
	json_object(j, NULL);
	json_text(j, "address", address);
	json_uint(j, "size", life->bytes);
	json_ns(c, "t", life->start);
	json_thread(j, "thread", life->thread);
	if (life->stack && profile_cached(c, &p) == 0) {
		profile_stack_text(p, life->stack, " < ", &stack);
		json_string(j, "stack", stack.data, stack.len);
		buf_free(&stack);
	}
	json_end(j);
}

static void memory_table_pool_put(struct view_call *c, uint32_t track, const struct pool_figures *f)
{
	struct json *j = &c->json;

	json_object(j, NULL);
	json_uint(j, "track", track);
	json_text(j, "name", c->trace->tracks[track].name);
	json_uint(j, "process", c->trace->tracks[track].process);
	json_uint(j, "current", f->current);
	json_uint(j, "peak", f->peak);
	json_uint(j, "allocs", f->allocs);
	json_uint(j, "frees", f->frees);
	json_uint(j, "unknown_frees", f->unknown_frees);
	json_uint(j, "active_total", f->alive);
	json_array(j, "active");
	for (size_t i = 0; i < f->listed; i++)
		life_put(c, &f->largest[i]);
	json_end(j);
	json_end(j);
}

/* ------------------------------------------------------------ of what is kept */

static int memory_table_kept_put(struct view_call *c, uint32_t track, uint64_t t0, uint64_t t1)
{
	struct life *largest = malloc(ACTIVE * sizeof(*largest));
	struct pool_figures f = {.largest = largest};
	const struct values *v;
	size_t first, end;
	struct pool *p;
	int r = largest ? pool_of(c, track, &p) : TACHO_ENOMEM;

	if (r == 0) {
		v = &p->values;
		first = values_find(v, t0);
		end = values_find(v, t1);
		f.allocs = lives_before(&p->lives, t1) - lives_before(&p->lives, t0);
		f.frees = end - first - f.allocs;
		f.unknown_frees = p->now.unknown_frees; /* of all time */
		f.current = end ? (uint64_t)v->v[end - 1].value : 0;
		f.alive = end ? p->alive.v[end - 1] : 0;
		f.peak = first ? (uint64_t)v->v[first - 1].value : 0;
		if (first < end && (double)f.peak < values_range(v, first, end).max)
			f.peak = (uint64_t)values_range(v, first, end).max;
		f.listed = lives_at(&p->lives, t1, largest, ACTIVE);
		memory_table_pool_put(c, track, &f);
	}
	free(largest);
	return r;
}

/* -------------------------------------------------------------- of many pools */

struct pool_sums {
	struct view_pool pool;
	uint64_t allocs, frees, peak; /* in the range */
};

static int memory_table_sums_take(const struct track_sums *f, void *context,
				  const struct trace_row *row)
{
	struct pool_sums *s = context;
	uint64_t before = s->pool.bytes;
	int r = view_pool_row(&s->pool, row);

	if (row->time < f->t0)
		return r;
	s->allocs += row->kind == TRACE_ROW_ALLOC;
	s->frees += row->kind == TRACE_ROW_FREE;
	before = before > s->pool.bytes ? before : s->pool.bytes;
	s->peak = before > s->peak ? before : s->peak;
	return r;
}

static void memory_table_sums_clear(void *context)
{
	view_pool_free(&((struct pool_sums *)context)->pool);
}

static const struct track_sums_kind pools = {TRACK_SUMS_CACHE,
					     .tracks = TRACE_MEMORY,
					     .before = true,
					     .size = sizeof(struct pool_sums),
					     .take = memory_table_sums_take,
					     .clear = memory_table_sums_clear};

/* Live allocations, largest first. */
static size_t alive_of(const struct view_pool *p, struct life *largest, size_t room)
{
	struct lives all = {0};
	size_t n = 0;

	for (size_t i = 0; i < p->slot_count; i++) {
		const struct view_allocation *a = &p->slots[i];
		struct life life = {a->time, UINT64_MAX, a->address, a->bytes, a->thread, a->stack};

		if (a->used && lives_add(&all, &life) < 0)
			break;
	}
	n = lives_at(&all, UINT64_MAX, largest, room);
	lives_free(&all);
	return n;
}

/* ----------------------------------------------------------------------- calls */

/* Bytes in use, as a tile like that of a plot. */
static int usage_tile(struct view_call *c)
{
	uint64_t t0, t1;
	struct pool *p;
	uint32_t track;
	int r = arg_track_of(c, TRACE_MEMORY, &track);

	if (r == 0)
		r = arg_tile(c, &t0, &t1);
	if (r == 0)
		r = pool_of(c, track, &p);
	if (r < 0)
		return r;
	call_begin(c);
	values_tile_put(c, &p->values, t0, t1, 0);
	json_end(&c->json);
	answer_cache(c, t1);
	return 0;
}

int call_memory(struct view_call *c)
{
	bool range = query_get(c->query, "t0") || query_get(c->query, "t1");
	struct track_sums *all = NULL;
	uint64_t t0, t1;
	uint32_t track;
	int r;

	if (query_get(c->query, "res"))
		return range ? call_fail(c, VIEW_BAD, "a tile has no t0 and t1") : usage_tile(c);
	r = arg_track(c, &track);
	if (r == 0)
		r = arg_range(c, &t0, &t1);
	if (r == 0 && track == TRACE_NONE && track_sums_wanted(c, TRACE_MEMORY))
		r = track_sums_of(c, &pools, t0, t1, &all);
	if (r < 0)
		return r;
	call_begin(c);
	json_array(&c->json, "pools");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++)
		if (c->trace->tracks[i].kind != TRACE_MEMORY || (track != TRACE_NONE && track != i))
			continue;
		else if (all) {
			const struct pool_sums *s = track_sums_at(all, i);
			struct life largest[FEW];
			struct pool_figures f = {.largest = largest};

			if (s)
				f = (struct pool_figures){s->pool.bytes,
							  s->peak > s->pool.bytes ? s->peak
										  : s->pool.bytes,
							  s->allocs,
							  s->frees,
							  s->pool.unknown_frees,
							  s->pool.alive,
							  largest,
							  alive_of(&s->pool, largest, FEW)};
			memory_table_pool_put(c, i, &f);
		} else
			r = memory_table_kept_put(c, i, t0, t1);
	track_sums_put(all);
	json_end(&c->json);
	json_end(&c->json);
	return r;
}
