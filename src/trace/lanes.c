/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: segments into lanes and rows, as they are found. */
#include "trace/rows.h"

#include "base/order.h"

/* The lane of a segment; made when it is the first. NULL: no memory. */
static struct lane *lane_of(struct trace_private *p, const struct segment *s)
{
	struct trace_lane_info info = {.track = s->track, .depth = s->depth, .start = s->start};
	uint64_t key = LANE_KEY(s->track, s->depth);
	uint32_t *number = map_get(&p->lane_numbers, key);
	struct lane *lane;

	if (number)
		return p->lane_list.v[*number];
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return NULL;
	lane->number = (uint32_t)p->lane_list.n;
	lane->position = (uint32_t)p->lanes.n;
	info.private = lane;
	if (vec_reserve(&p->lanes, p->lanes.n + 1) < 0 ||
	    vec_reserve(&p->lane_list, p->lane_list.n + 1) < 0 ||
	    map_set(&p->lane_numbers, key, lane->number) < 0) {
		free(lane);
		return NULL;
	}
	p->lane_list.v[p->lane_list.n++] = lane;
	p->lanes.v[p->lanes.n++] = info;
	p->lanes_new = true;
	return lane;
}

/* 1: it goes back in time, which is damage, and was left out. */
static int lanes_zones_add(struct trace_private *p, const struct segment *s)
{
	struct lane *lane = lane_of(p, s);
	struct trace_lane_info *info;
	struct segment new = *s;

	if (!lane)
		return TACHO_ENOMEM;
	info = &p->lanes.v[lane->position];
	if (s->start < info->end) {
		damage_add(p, s->offset);
		return 1;
	}
	new.zone = info->zones;
	if (vec_push(&lane->segments, new) < 0)
		return TACHO_ENOMEM;
	info->zones += s->count;
	info->end = s->end;
	p->trace.zones += s->count;
	p->zone_segments++;
	return 0;
}

int lanes_add_segment(struct trace_private *p, uint16_t type, const struct segment *s)
{
	int r;

	if (s->track >= p->tracks_needed)
		p->tracks_needed = s->track + 1;
	if (type == BLOCK_ZONES) {
		r = lanes_zones_add(p, s);
	} else {
		r = vec_push(&p->rows, *s);
		p->trace.rows += s->count;
	}
	if (r)
		return r < 0 ? r : 0;
	p->span_start = s->start < p->span_start ? s->start : p->span_start;
	p->span_end = s->end > p->span_end ? s->end : p->span_end;
	return 0;
}

ORDER_BY(by_lane, struct trace_lane_info, ORDER_UP(track) ?: ORDER_UP(depth));

ORDER_BY(lanes_by_start, struct segment, ORDER_UP(start) ?: ORDER_UP(offset) ?: ORDER_UP(first));

static void rows_forget(struct trace_private *p)
{
	free(p->row_places);
	free(p->row_firsts);
	p->row_places = p->row_firsts = NULL;
	p->row_tracks = 0;
}

/* Rows come nearly in order: only those from the least new one on are sorted. */
static void rows_sort(struct trace_private *p)
{
	const struct segment *v = p->rows.v, *least;
	size_t from = p->rows_sorted;

	if (from == p->rows.n)
		return;
	rows_forget(p);
	least = &v[from];
	for (size_t i = from; i < p->rows.n; i++)
		least = lanes_by_start(&v[i], least) < 0 ? &v[i] : least;
	while (from && lanes_by_start(least, &v[from - 1]) < 0)
		from--;
	qsort(p->rows.v + from, p->rows.n - from, sizeof(*p->rows.v), lanes_by_start);
	p->rows_sorted = p->rows.n;
}

/* Counting sort by track, which keeps the order of start. */
static int rows_index(struct trace_private *p)
{
	uint32_t *firsts = calloc(p->tracks.n + 2, sizeof(*firsts));
	uint32_t *places = malloc((p->rows.n + 1) * sizeof(*places));

	if (!firsts || !places) {
		free(firsts);
		free(places);
		return TACHO_ENOMEM;
	}
	/* firsts[i + 1] is where the next segment of track i goes, and at last where i ends. */
	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.v[i].track < p->tracks.n)
			firsts[p->rows.v[i].track + 2]++;
	for (size_t i = 1; i < p->tracks.n + 2; i++)
		firsts[i] += firsts[i - 1];
	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.v[i].track < p->tracks.n)
			places[firsts[p->rows.v[i].track + 1]++] = (uint32_t)i;
	p->row_places = places;
	p->row_firsts = firsts;
	p->row_tracks = p->tracks.n;
	return 0;
}

int lanes_rows_of(struct trace_private *p, uint32_t track, uint32_t *first, uint32_t *end)
{
	int r = 0;

	if (p->row_tracks != p->tracks.n)
		rows_forget(p);
	if (!p->row_places)
		r = rows_index(p);
	*first = *end = 0;
	if (r == 0 && track < p->tracks.n) {
		*first = p->row_firsts[track];
		*end = p->row_firsts[track + 1];
	}
	return r;
}

void lanes_finish(struct trace_private *p)
{
	struct trace *t = &p->trace;

	if (p->lanes_new) {
		qsort(p->lanes.v, p->lanes.n, sizeof(*p->lanes.v), by_lane);
		for (size_t i = 0; i < p->lanes.n; i++)
			p->lanes.v[i].private->position = (uint32_t)i;
		p->lanes_new = false;
	}
	rows_sort(p);
	t->lanes = p->lanes.v;
	t->lane_count = (uint32_t)p->lanes.n;
	t->start = p->span_start;
	t->end = p->span_end;
	if (t->start == UINT64_MAX)
		t->start = t->end = p->clock_points.n ? p->clock_points.v[0].ticks : 0;
}

void lanes_clear(struct trace_private *p)
{
	for (size_t i = 0; i < p->lane_list.n; i++) {
		vec_free(&p->lane_list.v[i]->segments);
		free(p->lane_list.v[i]->recursive);
		free(p->lane_list.v[i]);
	}
	map_free(&p->lane_numbers);
	rows_forget(p);
	rblocks_forget(p);
	p->lane_list.n = p->lanes.n = p->rows.n = p->rows_sorted = p->zone_segments = 0;
	p->lanes_new = false;
	p->trace.zones = p->trace.rows = 0;
	p->span_start = UINT64_MAX;
	p->span_end = 0;
	p->tracks_needed = 0;
}
