/* Memory pools. */
#include "web/values.h"

#include <string.h>

#define ACTIVE 1000u /* allocations that are listed */

static int by_bytes(const void *a, const void *b)
{
	const struct export_allocation *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Allocations that are alive, largest first. */
static int active_put(struct web_call *c, const struct export_pool *p)
{
	struct export_allocation *alive = malloc((p->alive + 1) * sizeof(*alive));
	struct json *j = &c->json;
	size_t n = 0;

	if (!alive)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < p->slot_count && n < p->alive; i++)
		if (p->slots[i].used)
			alive[n++] = p->slots[i];
	qsort(alive, n, sizeof(*alive), by_bytes);
	json_uint(j, "active_total", n);
	json_array(j, "active");
	for (size_t i = 0; i < n && i < ACTIVE; i++) {
		char address[32];

		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)alive[i].address);
		json_object(j, NULL);
		json_text(j, "address", address);
		json_uint(j, "size", alive[i].bytes);
		json_ns(c, "t", alive[i].time);
		if (alive[i].thread == TRACE_NONE)
			json_null(j, "thread");
		else
			json_uint(j, "thread", alive[i].thread);
		json_end(j);
	}
	json_end(j);
	free(alive);
	return 0;
}

static int pool_put(struct web_call *c, uint32_t track, const struct export_pool *p,
		    uint64_t allocs, uint64_t frees, uint64_t peak)
{
	struct json *j = &c->json;
	int r;

	json_object(j, NULL);
	json_uint(j, "track", track);
	json_text(j, "name", c->trace->tracks[track].name);
	json_uint(j, "process", c->trace->tracks[track].process);
	json_uint(j, "current", p->bytes);
	json_uint(j, "peak", peak);
	json_uint(j, "allocs", allocs);
	json_uint(j, "frees", frees);
	json_uint(j, "unknown_frees", p->unknown_frees);
	r = active_put(c, p);
	json_end(j);
	return r;
}

/* What was allocated and freed in the time, and what is alive at its end. */
static int range_put(struct web_call *c, uint32_t track, uint64_t t0, uint64_t t1)
{
	struct export_pool p = {0};
	uint64_t allocs = 0, frees = 0, peak = 0;
	struct trace_row row;
	struct rows *rows;
	uint32_t ignored;
	int r = rows_open(&rows, c, 0, track, 0, t1);

	if (r < 0)
		return r;
	while (r >= 0 && (r = rows_next(rows, &row, &ignored)) > 0) {
		r = export_pool_row(&p, &row);
		if (row.time < t0)
			continue;
		allocs += row.kind == TRACE_ROW_ALLOC;
		frees += row.kind == TRACE_ROW_FREE;
		if (p.bytes > peak)
			peak = p.bytes;
	}
	rows_close(rows);
	if (r >= 0)
		r = pool_put(c, track, &p, allocs, frees, peak);
	export_pool_free(&p);
	return r;
}

/* The same of the whole trace. */
static int whole_put(struct web_call *c, uint32_t track)
{
	struct values *v;
	int r = values_of(c, track, &v);

	return r < 0 ? r : pool_put(c, track, &v->pool, v->allocs, v->n - v->allocs, v->pool.peak);
}

/* How much was in use, as a tile like that of a plot. */
static int usage_tile(struct web_call *c)
{
	uint64_t t0, t1;
	struct values *v;
	uint32_t track;
	int r = arg_track_of(c, TRACE_MEMORY, &track);

	if (r == 0)
		r = arg_tile(c, &t0, &t1);
	if (r == 0)
		r = values_of(c, track, &v);
	if (r < 0)
		return r;
	call_begin(c);
	values_tile_put(c, v, t0, t1, 0);
	json_end(&c->json);
	reply_cache(c, t1);
	return 0;
}

int call_memory(struct web_call *c)
{
	bool whole = c->handle == &c->on->rows;
	uint64_t t0, t1;
	uint32_t track;
	int r;

	if (query_get(&c->query, "res"))
		return whole ? usage_tile(c) : call_fail(c, 400, "a tile has no t0 and t1");
	r = arg_track(c, &track);
	if (r == 0)
		r = arg_range(c, &t0, &t1);
	if (r < 0)
		return r;
	call_begin(c);
	json_array(&c->json, "pools");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++)
		if (c->trace->tracks[i].kind == TRACE_MEMORY && (track == TRACE_NONE || track == i))
			r = whole ? whole_put(c, i) : range_put(c, i, t0, t1);
	json_end(&c->json);
	json_end(&c->json);
	return r;
}
