/* SPDX-License-Identifier: Apache-2.0 */
/* The chip: one figure for each core. */
#include "view/call_args.h"

#include "base/text.h"
#include "view/core_busy.h"
#include "view/core_spread.h"
#include "view/device_clock.h"
#include "view/zone_walk.h"

#include <string.h>

enum metric { KERNEL, FW, BUSY, GAP, NOC_BYTES, ZONES };
static const char *const metrics[] = {"kernel", "fw", "busy", "gap", "noc_bytes", "zones", NULL};
static const char *const units[] = {"ns", "ns", "%", "ns", "B", "zones"};
enum aggregate { SUM, MEAN, MAX };
static const char *const aggregates[] = {"sum", "mean", "max", NULL};

struct cell {
	struct core_place place;
	uint64_t core; /* TRACE_CORE_ID without the RISC */
	double sum, max;
	uint64_t count;
	struct {
		VEC(uint32_t);
	} lanes; /* BUSY: of all its RISCs */
};

struct grid {
	struct view_call *c;
	int metric;
	uint32_t device;
	struct {
		VEC(struct cell);
	} cells;
	uint8_t *kinds;   /* of source locations */
	uint8_t *kernels; /* the same, of view_kernels() */
};

#define IS_KERNEL 1u
#define IS_FW     2u
#define IS_NOC    4u

/* The meaning of a name, looked up once. */
static int kinds_find(struct grid *g)
{
	const struct trace *t = g->c->trace;

	g->kinds = calloc(t->srcloc_count + 1, 1);
	g->kernels = view_kernels(t);
	if (!g->kinds || !g->kernels)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < t->srcloc_count; i++)
		g->kinds[i] = (uint8_t)((g->kernels[i] ? IS_KERNEL : 0) |
					(text_ends_with(t->srclocs[i].name, "-FW") ? IS_FW : 0) |
					(!strcmp(t->srclocs[i].function, "NOC") ? IS_NOC : 0));
	return 0;
}

static struct cell *core_grid_cell_of(struct grid *g, const struct trace_track *track)
{
	struct cell *fresh;
	struct core_place place;

	if (!track_place(track, &place) || place.device != g->device)
		return NULL;
	for (size_t i = g->cells.n; i-- > 0;)
		if (g->cells.v[i].core == track->id >> 8)
			return &g->cells.v[i];
	if (vec_reserve(&g->cells, g->cells.n + 1) < 0)
		return NULL;
	fresh = &g->cells.v[g->cells.n++];
	memset(fresh, 0, sizeof(*fresh));
	fresh->place = place;
	fresh->core = track->id >> 8;
	return fresh;
}

static void cell_add(struct cell *cell, double value)
{
	cell->sum += value;
	cell->count++;
	if (value > cell->max)
		cell->max = value;
}

/* Eight bits of a transfer's word are its size in units of 32 bytes. */
static double noc_bytes(const struct zones *z, const struct trace_zone *zone)
{
	struct trace_extra e;

	if (!zone->extras || trace_cursor_extra(z->cursor, 0, &e) < 0 ||
	    e.kind != TRACE_EXTRA_VALUE)
		return 0;
	return (double)((e.value >> 48 & 0xff) * 32);
}

static void core_grid_zone_add(struct grid *g, struct cell *cell, const struct zones *z,
			       const struct trace_zone *zone, uint64_t *last)
{
	uint8_t kind = g->kinds[zone->srcloc];
	double ticks = (double)(zone->end - zone->start);

	switch (g->metric) {
	case KERNEL:
	case FW:
		if (kind & (g->metric == KERNEL ? IS_KERNEL : IS_FW))
			cell_add(cell, ticks * call_tick(g->c));
		break;
	case GAP:
		if (!(kind & IS_FW))
			break;
		if (*last && zone->start > *last)
			cell_add(cell, (double)(zone->start - *last) * call_tick(g->c));
		*last = zone->end;
		break;
	case NOC_BYTES:
		if (kind & IS_NOC)
			cell_add(cell, noc_bytes(z, zone));
		break;
	default:
		cell_add(cell, 1);
	}
}

static int core_grid_track_add(struct grid *g, uint32_t id, struct zones_choice *choice,
			       uint8_t *tracks)
{
	const struct trace_track *track = &g->c->trace->tracks[id];
	struct cell *cell = core_grid_cell_of(g, track);
	struct zone_found found;
	struct zones zones;
	uint64_t last = 0;
	int r;

	if (!cell)
		return 0;
	if (g->metric == BUSY) {
		uint32_t first, count;

		trace_track_lanes(g->c->trace, id, &first, &count);
		for (uint32_t i = first; i < first + count; i++)
			if (vec_push(&cell->lanes, i) < 0)
				return TACHO_ENOMEM;
		return 0;
	}
	/* The gaps between ops are those of the first RISC. */
	if (g->metric == GAP && TRACE_CORE_RISC(track->id) != 0)
		return 0;
	tracks[id] = 1;
	zone_walk_open(&zones, g->c, choice);
	while ((r = zone_walk_next(&zones, &found)) > 0)
		core_grid_zone_add(g, cell, &zones, &found.zone, &last);
	zone_walk_close(&zones);
	tracks[id] = 0;
	return r;
}

/* ------------------------------------------------------------------ answer */

static void grid_put(struct grid *g, int aggregate)
{
	struct json *j = &g->c->json;
	struct core_spread spread = {0};

	call_begin(g->c);
	json_text(j, "metric", metrics[g->metric]);
	json_text(j, "unit", units[g->metric]);
	json_array(j, "cells");
	for (size_t i = 0; i < g->cells.n; i++) {
		const struct cell *cell = &g->cells.v[i];
		double mean = cell->count ? cell->sum / (double)cell->count : 0;
		double value = aggregate == MEAN ? mean : aggregate == MAX ? cell->max : cell->sum;

		json_object(j, NULL);
		json_uint(j, "x", cell->place.x);
		json_uint(j, "y", cell->place.y);
		if (cell->place.logical) {
			json_uint(j, "lx", cell->place.lx);
			json_uint(j, "ly", cell->place.ly);
		}
		json_text(j, "type", cell->place.ethernet ? "ethernet" : "worker");
		json_double(j, "value", value);
		json_end(j);
		core_spread_add(&spread, value);
	}
	json_end(j);
	json_double(j, "max", spread.max);
	json_double(j, "mean", core_spread_mean(&spread));
	json_double(j, "imbalance", core_spread_imbalance(&spread));
	json_end(j);
}

static bool client_gone(void *call)
{
	return call_gone(call);
}

/*
 * The busy share of each core, in percent, of the device's own time in the range: the time
 * before and after says nothing about the cores. KERNELS, if not NULL: time of
 * kernels of each core, in ns, over all RISCs.
 */
static int busy_fill(struct grid *g, uint64_t t0, uint64_t t1, double *kernels)
{
	struct view_busy_options o = {.kernels = g->kernels, .stop = client_gone, .context = g->c};
	bool any = view_device_times(g->c->trace, g->device, TRACE_NONE, &o.t0, &o.t1);
	int r = 0;

	o.t0 = o.t0 > t0 ? o.t0 : t0;
	o.t1 = o.t1 < t1 ? o.t1 : t1;
	for (size_t i = 0; r == 0 && any && o.t1 > o.t0 && i < g->cells.n; i++) {
		struct cell *cell = &g->cells.v[i];
		struct view_busy busy;

		r = view_core_busy(g->c->trace, cell->lanes.v, cell->lanes.n, &o, &busy);
		if (r == 0)
			cell_add(cell, 100 * (double)busy.ticks / (double)(o.t1 - o.t0));
		if (r == 0 && kernels)
			kernels[i] = (double)busy.kernels * call_tick(g->c);
	}
	return r;
}

static int grid_fill(struct grid *g, struct zones_choice *choice)
{
	uint8_t *tracks = calloc(g->c->trace->track_count + 1, 1);
	int r = tracks ? kinds_find(g) : TACHO_ENOMEM;

	choice->tracks = tracks;
	for (uint32_t i = 0; r == 0 && i < g->c->trace->track_count; i++)
		r = core_grid_track_add(g, i, choice, tracks);
	free(tracks);
	return r;
}

static void grid_free(struct grid *g)
{
	for (size_t i = 0; i < g->cells.n; i++)
		vec_free(&g->cells.v[i].lanes);
	free(g->kinds);
	free(g->kernels);
	vec_free(&g->cells);
}

int grid_imbalance(struct view_call *c, uint32_t device, double *imbalance, double *busy)
{
	struct grid g = {.c = c, .metric = BUSY, .device = device};
	struct zones_choice choice = ZONES_ALL;
	struct core_spread kernel_times = {0}, shares = {0};
	double *kernels = NULL;
	int r = grid_fill(&g, &choice);

	if (r == 0)
		kernels = calloc(g.cells.n + 1, sizeof(*kernels));
	if (r == 0)
		r = kernels ? busy_fill(&g, 0, UINT64_MAX, kernels) : TACHO_ENOMEM;
	for (size_t i = 0; r == 0 && i < g.cells.n; i++) {
		core_spread_add(&shares, g.cells.v[i].sum);
		core_spread_add(&kernel_times, kernels[i]);
	}
	*imbalance = core_spread_imbalance(&kernel_times);
	*busy = core_spread_mean(&shares);
	free(kernels);
	grid_free(&g);
	return r;
}

int call_grid(struct view_call *c)
{
	struct grid g = {.c = c};
	struct zones_choice choice = ZONES_ALL;
	uint64_t device = 0;
	int aggregate = SUM, r = arg_range(c, &choice.t0, &choice.t1);

	if (r == 0)
		r = arg_uint(c, "dev", 0xffff, &device);
	if (r >= 0)
		r = arg_choice(c, "metric", metrics, &g.metric);
	if (r >= 0)
		r = arg_choice(c, "agg", aggregates, &aggregate);
	if (r < 0)
		return r;
	g.device = (uint32_t)device;
	r = grid_fill(&g, &choice);
	if (r == 0 && g.metric == BUSY)
		r = busy_fill(&g, choice.t0, choice.t1, NULL);
	if (r == 0)
		grid_put(&g, aggregate);
	grid_free(&g);
	return r;
}
