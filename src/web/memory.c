/* Memory pools. */
#include "web/pool.h"

#include <math.h>

#define ACTIVE 1000u /* allocations that are listed */

/* What was alive at T, largest first. */
static int active_put(struct web_call *c, const struct pool *p, uint64_t t)
{
	struct life *alive = malloc(ACTIVE * sizeof(*alive));
	struct json *j = &c->json;
	size_t n, events = values_find(&p->values, t);

	if (!alive)
		return TACHO_ENOMEM;
	n = lives_at(&p->lives, t, alive, ACTIVE);
	json_uint(j, "active_total", events ? p->alive.v[events - 1] : 0);
	json_array(j, "active");
	for (size_t i = 0; i < n; i++) {
		char address[32];

		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)alive[i].address);
		json_object(j, NULL);
		json_text(j, "address", address);
		json_uint(j, "size", alive[i].bytes);
		json_ns(c, "t", alive[i].start);
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

/* What was allocated and freed in the time, the most there was, and what is alive at its end. */
static int pool_put(struct web_call *c, uint32_t track, uint64_t t0, uint64_t t1)
{
	const struct values *v;
	struct json *j = &c->json;
	struct pool *p;
	size_t first, end, allocs;
	double peak = 0;
	int r = pool_of(c, track, &p);

	if (r < 0)
		return r;
	v = &p->values;
	first = values_find(v, t0);
	end = values_find(v, t1);
	allocs = lives_before(&p->lives, t1) - lives_before(&p->lives, t0);
	if (first < end)
		peak = values_range(v, first, end).max;
	if (first)
		peak = fmax(peak, v->v[first - 1].value);
	json_object(j, NULL);
	json_uint(j, "track", track);
	json_text(j, "name", c->trace->tracks[track].name);
	json_uint(j, "process", c->trace->tracks[track].process);
	json_uint(j, "current", end ? (uint64_t)v->v[end - 1].value : 0);
	json_uint(j, "peak", (uint64_t)peak);
	json_uint(j, "allocs", allocs);
	json_uint(j, "frees", end - first - allocs);
	json_uint(j, "unknown_frees", p->now.unknown_frees); /* of all time */
	r = active_put(c, p, t1);
	json_end(j);
	return r;
}

/* How much was in use, as a tile like that of a plot. */
static int usage_tile(struct web_call *c)
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
	reply_cache(c, t1);
	return 0;
}

int call_memory(struct web_call *c)
{
	bool range = query_get(&c->query, "t0") || query_get(&c->query, "t1");
	uint64_t t0, t1;
	uint32_t track;
	int r;

	if (query_get(&c->query, "res"))
		return range ? call_fail(c, 400, "a tile has no t0 and t1") : usage_tile(c);
	r = arg_track(c, &track);
	if (r == 0)
		r = arg_range(c, &t0, &t1);
	if (r < 0)
		return r;
	call_begin(c);
	json_array(&c->json, "pools");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++)
		if (c->trace->tracks[i].kind == TRACE_MEMORY && (track == TRACE_NONE || track == i))
			r = pool_put(c, i, t0, t1);
	json_end(&c->json);
	json_end(&c->json);
	return r;
}
