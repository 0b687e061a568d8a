/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walk the zones of a track as a tree.
 *
 * A lane holds the zones of one depth, but the file needs a tree with the number of children before
 * them. So two cursors read each lane: one counts the children of a zone ahead of the other, which
 * returns them. A zone belongs to the first parent that ends after the zone's start.
 */
#include "tracy/write.h"

#include <stdlib.h>

struct level {
	struct trace_cursor *ahead, *cursor;
	struct trace_zone next; /* of AHEAD, if there is one */
	bool has_next;
	uint64_t total, given; /* zones of the lane */
	uint64_t left;         /* of the open parent */
	struct tree_zone zone; /* that is open */
};

struct tree {
	struct write *w;
	struct level *levels;
	uint32_t count;
};

static int move_ahead(struct level *l)
{
	int r = trace_cursor_next(l->ahead, &l->next);

	l->has_next = r > 0;
	return r < 0 ? r : 0;
}

/* The index has the number of zones of a lane, unless the file is damaged. */
static int count_zones(struct trace *t, uint32_t lane, uint64_t *total)
{
	struct trace_cursor *c;
	struct trace_zone zone;
	int r;

	*total = t->lanes[lane].zones;
	if (!t->damage.bad_blocks && !t->damage.unfinished)
		return 0;
	r = trace_cursor_open(&c, t, lane, 0, UINT64_MAX);
	for (*total = 0; r >= 0 && (r = trace_cursor_next(c, &zone)) > 0; (*total)++)
		;
	trace_cursor_close(c);
	return r;
}

static int tree_open(struct tree *tree, struct write *w, uint32_t track)
{
	uint32_t first;
	int r = 0;

	trace_track_lanes(w->trace, track, &first, &tree->count);
	tree->count = tree->count < DEPTH_MAX ? tree->count : DEPTH_MAX;
	tree->w = w;
	tree->levels = calloc(tree->count + 1, sizeof(*tree->levels));
	if (!tree->levels)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < tree->count && r == 0; i++) {
		struct level *l = &tree->levels[i];

		r = count_zones(w->trace, first + i, &l->total);
		if (r == 0)
			r = trace_cursor_open(&l->cursor, w->trace, first + i, 0, UINT64_MAX);
		if (r == 0 && i)
			r = trace_cursor_open(&l->ahead, w->trace, first + i, 0, UINT64_MAX);
		if (r == 0 && i)
			r = move_ahead(l);
	}
	return r;
}

/* The last zone of a lane takes the rest of the next one. */
static int count_children(struct level *l, const struct trace_zone *parent, bool last,
			  uint64_t *children)
{
	int r = 0;

	while (r == 0 && l->has_next &&
	       (last || l->next.start < parent->end || l->next.end <= parent->end)) {
		++*children;
		r = move_ahead(l);
	}
	return r;
}

/* Converts the times of a zone, which must not reach beyond its parent's. */
static void tree_zone_times(const struct write *w, struct level *l, const struct trace_zone *zone)
{
	struct tree_zone *z = &l->zone;

	z->start = write_ns(w, zone->start);
	z->end = zone->flags & TRACE_ZONE_UNFINISHED ? -1 : write_ns(w, zone->end);
	if (!z->depth)
		return;
	if (z->start < l[-1].zone.start)
		z->start = l[-1].zone.start;
	if (l[-1].zone.end >= 0 && z->start > l[-1].zone.end)
		z->start = l[-1].zone.end;
	if (l[-1].zone.end >= 0 && z->end > l[-1].zone.end)
		z->end = l[-1].zone.end;
	if (z->end >= 0 && z->end < z->start)
		z->end = z->start;
}

/* Reads the next zone of level DEPTH. */
static int tree_zone_read(struct tree *tree, uint32_t depth, bool times)
{
	struct level *l = &tree->levels[depth];
	struct trace_zone zone;
	int r = trace_cursor_next(l->cursor, &zone);

	if (r <= 0)
		return r < 0 ? r : TACHO_EDAMAGED;
	l->given++;
	l->zone = (struct tree_zone){
		.srcloc = zone.srcloc < tree->w->trace->srcloc_count ? zone.srcloc : 0,
		.extras = zone.extras,
		.depth = depth,
		.cursor = l->cursor};
	if (times)
		tree_zone_times(tree->w, l, &zone);
	if (depth + 1 == tree->count)
		return 0;
	return count_children(l + 1, &zone, l->given == l->total, &l->zone.children);
}

static int tree_lane_walk(struct tree *tree, const struct tree_visitor *visitor, void *context)
{
	struct level *levels = tree->levels;
	uint32_t depth = 0;
	int r = visitor->begin ? visitor->begin(tree->w, levels[0].total, context) : 0;

	levels[0].left = levels[0].total;
	while (r == 0) {
		struct level *l = &levels[depth];

		if (l->left == 0) {
			if (depth == 0)
				break;
			depth--;
			if (visitor->leave)
				visitor->leave(tree->w, &levels[depth].zone, context);
			continue;
		}
		l->left--;
		r = tree_zone_read(tree, depth, visitor->leave);
		if (r == 0)
			r = visitor->enter(tree->w, &l->zone, context);
		if (l->zone.children) {
			depth++;
			levels[depth].left = l->zone.children;
		} else if (visitor->leave) {
			visitor->leave(tree->w, &l->zone, context);
		}
	}
	return r;
}

int tree_walk(struct write *w, uint32_t track, const struct tree_visitor *visitor, void *context)
{
	struct tree tree = {0};
	int r = tree_open(&tree, w, track);

	if (r == 0)
		r = tree_lane_walk(&tree, visitor, context);
	for (uint32_t i = 0; tree.levels && i < tree.count; i++) {
		trace_cursor_close(tree.levels[i].cursor);
		trace_cursor_close(tree.levels[i].ahead);
	}
	free(tree.levels);
	return r;
}
