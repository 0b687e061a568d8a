/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a trace that is being written. A lane keeps the leaf that it is filling; for queries
 * a copy of it is at the end of the leaves, which is taken back when more zones come. So at any
 * time the index of a lane is what lod_build() would make of it, and an update costs what is new
 * and, above it, one node per level.
 *
 * What does not change any more goes to a file without a name, so that a recording of any length
 * can be followed with the same memory: the last block of each level and the blocks in use.
 */
#include "trace/lod.h"

struct live_level {
	struct lod_pages pages;
	uint64_t n; /* leaves or nodes */
};

struct lod_live {
	struct lod_builder builder; /* without the temporary leaf for queries */
	struct lod_node parent;     /* of that leaf, as it was without it */
	struct live_level leaves;
	struct live_level nodes[LOD_LEVELS];
	unsigned levels;
	uint64_t zones;
	size_t segments; /* that are in it */
};

static void live_lane_free(struct lod_live *l)
{
	if (!l)
		return;
	lod_pages_free(&l->leaves.pages);
	for (unsigned i = 0; i < LOD_LEVELS; i++)
		lod_pages_free(&l->nodes[i].pages);
	free(l);
}

static struct lod_node *level_nodes(const struct lod_live *l, unsigned level)
{
	return (struct lod_node *)l->nodes[level].pages.map;
}

static int live_reserve(struct lod_live *l, uint32_t count)
{
	struct lod_builder *b = &l->builder;
	uint64_t leaves = b->leaf_count + lod_leaf_room(b, count);

	if (lod_pages_grow(&l->leaves.pages, leaves * sizeof(struct lod_leaf)) < 0 ||
	    lod_pages_grow(&l->nodes[0].pages,
			   (leaves / LOD_LEAVES + 1) * sizeof(struct lod_node)) < 0)
		return TACHO_ENOMEM;
	b->leaves = (struct lod_leaf *)l->leaves.pages.map;
	b->parents = level_nodes(l, 0);
	return 0;
}

/* The levels above the parents of leaves; nodes before CHANGED of level 0 are as they were. */
static int levels_update(struct lod_live *l, uint64_t changed)
{
	unsigned level = 1;

	for (; l->nodes[level - 1].n > 1 && level < LOD_LEVELS; level++) {
		uint64_t below = l->nodes[level - 1].n, n = lod_above(below);

		changed /= LOD_FAN;
		if (lod_pages_grow(&l->nodes[level].pages, n * sizeof(struct lod_node)) < 0)
			return TACHO_ENOMEM;
		l->nodes[level].n = n;
		for (uint64_t i = changed; i < n; i++) {
			uint64_t left = below - i * LOD_FAN;

			lod_node_sum(level_nodes(l, level) + i,
				     level_nodes(l, level - 1) + i * LOD_FAN,
				     left < LOD_FAN ? left : LOD_FAN);
		}
	}
	l->levels = level;
	return 0;
}

static int live_lane_update(struct trace_lod *lod, struct lod_live *l, const struct lane *lane)
{
	struct lod_builder *b = &l->builder, shown;
	uint64_t changed = b->leaf_count / LOD_LEAVES;
	int r = 0;

	if (l->segments && b->leaf_count % LOD_LEAVES)
		level_nodes(l, 0)[changed] = l->parent;
	for (; r == 0 && l->segments < lane->segments.n; l->segments++) {
		const struct segment *s = &lane->segments.v[l->segments];

		r = live_reserve(l, s->count);
		if (r == 0)
			r = lod_segment_add(b, lod->p, s);
		l->zones = s->zone + s->count;
		if (r == 0) {
			/* The file is opened for the first lane that needs it. */
			if (l->leaves.pages.mapped && lod->file.fd < 0)
				lod->file.fd = lod_cache_unnamed(lod->dir);
			lod_pages_settle(&l->leaves.pages, &lod->file,
					 l->builder.leaf_count * sizeof(struct lod_leaf));
		}
	}
	if (r < 0)
		return r;
	if (b->leaf_count % LOD_LEAVES)
		l->parent = b->parents[b->leaf_count / LOD_LEAVES];
	shown = *b;
	if (shown.zones)
		lod_leaf_close(&shown);
	l->leaves.n = shown.leaf_count;
	l->nodes[0].n = lod_parents(shown.leaf_count);
	return levels_update(l, changed);
}

static uint64_t live_lane_bytes(const struct lod_live *l)
{
	uint64_t bytes = l->leaves.n * sizeof(struct lod_leaf);

	for (unsigned i = 0; i < LOD_LEVELS; i++)
		bytes += l->nodes[i].n * sizeof(struct lod_node);
	return bytes;
}

int lod_live_update(struct trace_lod *lod)
{
	const struct trace_private *p = lod->p;
	int r = 0;

	while (r == 0 && lod->live_lanes.n < p->lane_list.n)
		r = vec_push(&lod->live_lanes, NULL);
	for (size_t i = 0; r == 0 && i < p->lane_list.n; i++) {
		const struct lane *lane = p->lane_list.v[i];
		struct lod_live **l = &lod->live_lanes.v[i];
		uint64_t node;

		if (!*l) {
			*l = calloc(1, sizeof(**l));
			if (!*l)
				return TACHO_ENOMEM;
			(*l)->builder.credit = LOD_CREDIT_FIRST;
		} else if ((*l)->segments == lane->segments.n) {
			continue;
		} else {
			lod->size -= live_lane_bytes(*l);
		}
		r = live_lane_update(lod, *l, lane);
		if (r == 0) {
			lod->size += live_lane_bytes(*l);
			/* Write out the nodes before the first whose parent may still change. */
			node = (*l)->builder.leaf_count / LOD_LEAVES;
			for (unsigned k = 0; k < (*l)->levels; k++, node /= LOD_FAN)
				lod_pages_settle(&(*l)->nodes[k].pages, &lod->file,
						 node / LOD_FAN * LOD_FAN *
							 sizeof(struct lod_node));
		} else {
			/* Incomplete: rebuild it next time. */
			live_lane_free(*l);
			*l = NULL;
		}
	}
	return r;
}

void lod_live_free(struct trace_lod *lod)
{
	for (size_t i = 0; i < lod->live_lanes.n; i++)
		live_lane_free(lod->live_lanes.v[i]);
	lod->live_lanes.n = 0;
	lod->size = 0;
}

void lod_live_drop(struct trace_lod *lod)
{
	for (size_t i = 0; i < lod->live_lanes.n; i++) {
		struct lod_live *l = lod->live_lanes.v[i];

		if (!l)
			continue;
		lod_pages_drop(&l->leaves.pages);
		for (unsigned k = 0; k < l->levels; k++)
			lod_pages_drop(&l->nodes[k].pages);
	}
}

uint64_t lod_live_memory(const struct trace_lod *lod)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < lod->live_lanes.n; i++) {
		const struct lod_live *l = lod->live_lanes.v[i];

		if (!l)
			continue;
		bytes += sizeof(*l) +
			 lod_pages_memory(&l->leaves.pages, l->leaves.n * sizeof(struct lod_leaf));
		for (unsigned k = 0; k < l->levels; k++)
			bytes += lod_pages_memory(&l->nodes[k].pages,
						  l->nodes[k].n * sizeof(struct lod_node));
	}
	return bytes;
}

void lod_live_levels(const struct trace_lod *lod, uint32_t lane, struct lod_levels *levels)
{
	uint32_t number = lod->p->trace.lanes[lane].private->number;
	struct lod_live *l = number < lod->live_lanes.n ? lod->live_lanes.v[number] : NULL;

	if (!l || !l->leaves.n)
		return;
	levels->leaves = (struct lod_level){&l->leaves.pages, 0, l->leaves.n};
	levels->zones = l->zones;
	levels->levels = l->levels;
	for (unsigned i = 0; i < l->levels; i++)
		levels->nodes[i] = (struct lod_level){&l->nodes[i].pages, 0, l->nodes[i].n};
}
