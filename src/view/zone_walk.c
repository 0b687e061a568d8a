/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the zones of many lanes, one lane after the other, with their parents and children. */
#include "view/zone_walk.h"

static bool same_track(const struct trace *t, uint32_t a, uint32_t b, uint32_t depth)
{
	return b < t->lane_count && t->lanes[b].track == t->lanes[a].track &&
	       t->lanes[b].depth == depth;
}

static int beside_next(struct beside *b)
{
	int r = b->cursor ? trace_cursor_next(b->cursor, &b->zone) : 0;

	b->more = r > 0;
	return r < 0 ? r : 0;
}

static int beside_open(struct zones *z, struct beside *b, uint32_t lane)
{
	int r = trace_cursor_open(&b->cursor, z->c->trace, lane, z->choice.t0, UINT64_MAX);

	return r < 0 ? r : beside_next(b);
}

static void lane_close(struct zones *z)
{
	trace_cursor_close(z->cursor);
	trace_cursor_close(z->child.cursor);
	trace_cursor_close(z->parent.cursor);
	z->cursor = z->child.cursor = z->parent.cursor = NULL;
	z->child.more = z->parent.more = false;
}

static bool lane_chosen(const struct zones *z, uint32_t lane)
{
	const struct trace_lane_info *info = &z->c->trace->lanes[lane];

	return (!z->choice.tracks || z->choice.tracks[info->track]) &&
	       info->depth <= z->choice.depth && info->start < z->choice.t1 &&
	       info->end >= z->choice.t0;
}

/* Opens the next lane that is chosen. 1, 0 when there is none, or an error. */
static int lane_open(struct zones *z)
{
	const struct trace *t = z->c->trace;
	uint32_t i, depth;
	int r;

	lane_close(z);
	if (z->choice.numbered && z->opened)
		return 0;
	z->opened = true;
	while (z->lane < t->lane_count && !lane_chosen(z, z->lane))
		z->lane++;
	if (z->lane >= t->lane_count)
		return 0;
	i = z->lane++;
	depth = t->lanes[i].depth;
	if (z->choice.numbered)
		r = trace_cursor_open_at(&z->cursor, z->c->trace, i, z->choice.number);
	else
		r = trace_cursor_open(&z->cursor, z->c->trace, i, z->choice.t0, z->choice.t1);
	if (r == 0 && z->choice.self && same_track(t, i, i + 1, depth + 1))
		r = beside_open(z, &z->child, i + 1);
	if (r == 0 && z->choice.parents && depth && same_track(t, i, i - 1, depth - 1))
		r = beside_open(z, &z->parent, i - 1);
	return r < 0 ? r : 1;
}

static int self_find(struct zones *z, const struct trace_zone *zone, uint64_t *self)
{
	uint64_t inside = 0;
	int r = 0;

	while (r == 0 && z->child.more && z->child.zone.start < zone->start)
		r = beside_next(&z->child);
	while (r == 0 && z->child.more && z->child.zone.end <= zone->end) {
		inside += z->child.zone.end - z->child.zone.start;
		r = beside_next(&z->child);
	}
	*self = zone->end - zone->start - inside;
	return r;
}

static int parent_find(struct zones *z, const struct trace_zone *zone, uint32_t *parent)
{
	int r = 0;

	while (r == 0 && z->parent.more && z->parent.zone.end < zone->end)
		r = beside_next(&z->parent);
	*parent = z->parent.more && z->parent.zone.start <= zone->start ? z->parent.zone.srcloc
									: TRACE_NONE;
	return r;
}

void zone_walk_open(struct zones *z, struct view_call *c, const struct zones_choice *choice)
{
	*z = (struct zones){.c = c, .choice = *choice};
}

int zone_walk_next(struct zones *z, struct zone_found *found)
{
	for (;;) {
		struct trace_zone *zone = &found->zone;
		int r = z->cursor ? trace_cursor_next(z->cursor, zone) : 0;

		if (r < 0)
			return r;
		if (r == 0) {
			r = lane_open(z);
			if (r <= 0)
				return r;
			continue;
		}
		if (z->choice.numbered &&
		    (z->given++ == z->choice.numbered || zone->start >= z->choice.t1))
			return 0;
		if (++z->steps % (1u << 18) == 0 && call_gone(z->c))
			return 0;
		if (zone->start < z->choice.t0 ||
		    (z->choice.srcloc != TRACE_NONE && zone->srcloc != z->choice.srcloc) ||
		    (z->choice.srclocs && !z->choice.srclocs[zone->srcloc]) ||
		    (zone->flags & TRACE_ZONE_UNFINISHED && !z->choice.unfinished))
			continue;
		found->lane = z->lane - 1;
		found->self = zone->end - zone->start;
		found->parent = TRACE_NONE;
		if (z->choice.self)
			r = self_find(z, zone, &found->self);
		if (r >= 0 && z->choice.parents)
			r = parent_find(z, zone, &found->parent);
		return r < 0 ? r : 1;
	}
}

uint64_t zone_walk_number(const struct zones *z)
{
	return trace_cursor_number(z->cursor);
}

void zone_walk_close(struct zones *z)
{
	lane_close(z);
}
