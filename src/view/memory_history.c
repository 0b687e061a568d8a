/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in use over time, and the life of each allocation, for the page. */
#include "view/memory_history.h"

static int memory_history_pool_take(struct row_cache *k, const struct trace_row *row)
{
	struct pool *p = (struct pool *)k;
	struct values *v = &p->values;
	/* Bytes in use follow the order of the rows: a late row counts from now on. */
	uint64_t last = v->n ? v->v[v->n - 1].time : 0, time = row->time > last ? row->time : last;
	struct life life = {time, UINT64_MAX, row->a, row->b, row->thread, (uint32_t)row->c};
	int r = 0;
	const struct view_allocation *alive;

	if (row->kind != TRACE_ROW_ALLOC && row->kind != TRACE_ROW_FREE)
		return 0;
	/* This event ends the allocation it frees, or one whose address is given out again. */
	alive = view_pool_at(&p->now, row->a);
	if (alive)
		lives_end(&p->lives, alive->number, time);
	if (row->kind == TRACE_ROW_ALLOC)
		r = lives_add(&p->lives, &life);
	if (r == 0)
		r = view_pool_row(&p->now, row);
	if (r == 0)
		r = spill_push(&p->alive, p->now.alive);
	return r < 0 ? r : values_add(v, time, (double)p->now.bytes);
}

static size_t pool_memory(const struct row_cache *k)
{
	const struct pool *p = (const struct pool *)k;
	size_t bytes = sizeof(*p) + values_memory(&p->values) + spill_memory(&p->alive.store) +
		       spill_memory(&p->lives.store) + p->now.slot_count * sizeof(*p->now.slots);

	for (unsigned i = 0; i < LIVES_LEVELS; i++)
		bytes += spill_memory(&p->lives.levels[i].store);
	return bytes;
}

/* Only frees need the allocation at an address, and there may be millions that are never freed. */
static void pool_rest(struct row_cache *k, bool last)
{
	struct pool *p = (struct pool *)k;

	if (last)
		view_pool_free(&p->now);
	values_rest(&p->values);
	spill_rest(&p->alive.store);
	spill_rest(&p->lives.store);
}

static void pool_free(struct row_cache *k)
{
	struct pool *p = (struct pool *)k;

	values_clear(&p->values);
	spill_free(&p->alive);
	lives_free(&p->lives);
	view_pool_free(&p->now);
	free(p);
}

int pool_of(struct view_call *c, uint32_t track, struct pool **pool)
{
	static const struct row_cache_kind kind = {sizeof(struct pool), memory_history_pool_take,
						   pool_memory, pool_rest, pool_free};
	struct row_cache *k = NULL;
	int r = row_cache_get(c, track, &kind, &k);

	*pool = (struct pool *)k;
	return r;
}
