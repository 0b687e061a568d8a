/* Memory pools. */
#include "export/export.h"
#include "web/private.h"

#include <string.h>

#define ACTIVE 1000u /* allocations that are listed */

static int by_bytes(const void *a, const void *b)
{
	const struct export_allocation *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Allocations that are alive, largest first; the pool is of no use afterwards. */
static void active_put(struct web_call *c, struct export_pool *p)
{
	struct json *j = &c->json;
	size_t n = 0;

	for (size_t i = 0; i < p->slot_count; i++)
		if (p->slots[i].used)
			p->slots[n++] = p->slots[i];
	if (n)
		qsort(p->slots, n, sizeof(*p->slots), by_bytes);
	json_uint(j, "active_total", n);
	json_array(j, "active");
	for (size_t i = 0; i < n && i < ACTIVE; i++) {
		char address[32];

		snprintf(address, sizeof(address), "0x%llx",
			 (unsigned long long)p->slots[i].address);
		json_object(j, NULL);
		json_text(j, "address", address);
		json_uint(j, "size", p->slots[i].bytes);
		json_ns(c, "t", p->slots[i].time);
		if (p->slots[i].thread == TRACE_NONE)
			json_null(j, "thread");
		else
			json_uint(j, "thread", p->slots[i].thread);
		json_end(j);
	}
	json_end(j);
}

/* What was allocated and freed in the time, and what is alive at its end. */
static int pool_put(struct web_call *c, uint32_t track, uint64_t t0, uint64_t t1)
{
	struct json *j = &c->json;
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
	json_object(j, NULL);
	json_uint(j, "track", track);
	json_text(j, "name", c->trace->tracks[track].name);
	json_uint(j, "process", c->trace->tracks[track].process);
	json_uint(j, "current", p.bytes);
	json_uint(j, "peak", peak);
	json_uint(j, "allocs", allocs);
	json_uint(j, "frees", frees);
	json_uint(j, "unknown_frees", p.unknown_frees);
	active_put(c, &p);
	json_end(j);
	export_pool_free(&p);
	return r < 0 ? r : 0;
}

/* How much was in use, as a tile like that of a plot. */
static int usage_tile(struct web_call *c, uint32_t track, uint64_t t0, uint64_t t1)
{
	struct export_pool p = {0};
	struct pixels pixels;
	uint64_t before = 0;
	struct trace_row row;
	struct rows *rows;
	uint32_t ignored;
	int r = rows_open(&rows, c, 0, track, 0, t1);

	if (r < 0)
		return r;
	pixels_begin(&pixels, c, t0, t1);
	while (r >= 0 && (r = rows_next(rows, &row, &ignored)) > 0) {
		r = export_pool_row(&p, &row);
		if (row.time < t0)
			before = p.bytes;
		else
			pixels_add(&pixels, row.time, (double)p.bytes);
	}
	pixels_end(&pixels);
	json_uint(&c->json, "before", before);
	rows_close(rows);
	export_pool_free(&p);
	return r < 0 ? r : 0;
}

int call_memory(struct web_call *c)
{
	uint64_t t0, t1;
	uint32_t track;
	bool tile = query_get(&c->query, "res");
	int r = tile ? arg_track_of(c, TRACE_MEMORY, &track) : arg_track(c, &track);

	if (r == 0)
		r = tile ? arg_tile(c, &t0, &t1) : arg_range(c, &t0, &t1);
	if (r < 0)
		return r;
	call_begin(c);
	if (tile) {
		r = usage_tile(c, track, t0, t1);
		json_end(&c->json);
		reply_cache(c, t1);
		return r;
	}
	json_array(&c->json, "pools");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++)
		if (c->trace->tracks[i].kind == TRACE_MEMORY && (track == TRACE_NONE || track == i))
			r = pool_put(c, i, t0, t1);
	json_end(&c->json);
	json_end(&c->json);
	return r;
}
