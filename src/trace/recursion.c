/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones inside others of the same source location, in files whose writer did not mark them: older
 * ones. One pass over all zones, when statistics are first asked for; a bit per zone is kept for
 * lanes that have any.
 */
#include "trace/reader.h"

/* The zones that are open, by depth. */
struct open_zones {
	VEC(struct {
		uint32_t srcloc;
		uint64_t end;
	});
};

/* Opens ZONE at DEPTH. 1: one around it has its source location; 0: none has; or an error. */
static int open_push(struct open_zones *o, uint32_t depth, const struct trace_zone *zone)
{
	int found = 0;

	if (vec_reserve(o, depth + 1) < 0)
		return TACHO_ENOMEM;
	/* Of a damaged file the zones around it may be missing. */
	for (; o->n < depth; o->n++)
		o->v[o->n].srcloc = TRACE_NONE;
	for (size_t i = depth; i-- > 0 && !found;)
		found = o->v[i].srcloc == zone->srcloc && o->v[i].end >= zone->end;
	o->v[depth].srcloc = zone->srcloc;
	o->v[depth].end = zone->end;
	o->n = depth + 1;
	return found;
}

static int lane_mark(const struct trace_lane_info *info, uint64_t number)
{
	struct lane *l = (struct lane *)info->private;

	if (!l->recursive)
		l->recursive = calloc(info->zones / 8 + 1, 1);
	if (!l->recursive)
		return TACHO_ENOMEM;
	l->recursive[number / 8] |= (uint8_t)(1u << number % 8);
	return 0;
}

static int recursion_zone_take(struct trace_private *p, struct open_zones *o, struct trace_walk *w,
			       const struct trace_zone *zone, uint32_t lane)
{
	const struct trace_lane_info *info = &p->trace.lanes[lane];
	uint64_t number = trace_cursor_number(trace_walk_cursor(w));
	int r = open_push(o, info->depth, zone);

	if (r <= 0)
		return r;
	if (p->sums && !(zone->flags & TRACE_ZONE_UNFINISHED))
		p->sums[zone->srcloc].recursive += zone->end - zone->start;
	return number < info->zones ? lane_mark(info, number) : 0;
}

static int track_find(struct trace_private *p, uint32_t track)
{
	struct open_zones open = {0};
	struct trace_zone zone;
	struct trace_walk *w;
	uint32_t first, count, lane;
	int r;

	trace_track_lanes(&p->trace, track, &first, &count);
	if (count < 2)
		return 0;
	r = trace_walk_open(&w, &p->trace, track, 0, UINT64_MAX);
	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_walk_next(w, &zone, &lane)) > 0)
		r = recursion_zone_take(p, &open, w, &zone, lane);
	trace_walk_close(w);
	vec_free(&open);
	return r < 0 ? r : 0;
}

int recursion_find(struct trace_private *p)
{
	int r = 0;

	/* A follower does not wait for a pass over the whole recording each time. */
	if (p->recursion_known || p->followed)
		return 0;
	for (uint32_t i = 0; r == 0 && i < p->trace.track_count; i++)
		r = track_find(p, i);
	if (r < 0) {
		for (size_t i = 0; i < p->lane_list.n; i++) {
			free(p->lane_list.v[i]->recursive);
			p->lane_list.v[i]->recursive = NULL;
		}
		for (size_t i = 0; p->sums && i < p->sums_srclocs; i++)
			p->sums[i].recursive = 0;
	}
	p->recursion_known = r == 0;
	return r;
}

int trace_find_recursion(struct trace *trace)
{
	return recursion_find(private_of(trace));
}
