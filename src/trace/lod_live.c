/*
 * The index of a trace that is being written. A lane keeps the leaf that it is filling; for queries
 * a copy of it stands at the end of the leaves, which is taken back when more zones come. So at any
 * time the index of a lane is what lod_build() would make of it, and an update costs what is new
 * and, above it, one node per level.
 */
#include "trace/lod.h"

struct lod_live {
	struct lod_builder builder; /* without the leaf that stands there for queries */
	struct lod_node parent;     /* of that leaf, as it was without it */
	struct {
		VEC(struct lod_leaf);
	} leaves;
	struct {
		VEC(struct lod_node);
	} nodes[LOD_LEVELS];
	unsigned levels;
	uint64_t zones;
	size_t segments; /* that are in it */
};

static void lane_free(struct lod_live *l)
{
	if (!l)
		return;
	vec_free(&l->leaves);
	for (unsigned i = 0; i < LOD_LEVELS; i++)
		vec_free(&l->nodes[i]);
	free(l);
}

/* Room for the leaves of COUNT more zones: full ones, those that end early, the one for queries. */
static int reserve(struct lod_live *l, uint32_t count)
{
	struct lod_builder *b = &l->builder;
	uint64_t more = count / LOD_ZONES + b->credit + 3;
	size_t leaves = (size_t)(b->leaf_count + more + more / (LOD_CREDIT - 1) + 2);

	if (vec_reserve(&l->leaves, leaves) < 0 ||
	    vec_reserve(&l->nodes[0], leaves / LOD_LEAVES + 1) < 0)
		return TACHO_ENOMEM;
	b->leaves = l->leaves.v;
	b->parents = l->nodes[0].v;
	return 0;
}

/* The levels above the parents of leaves; nodes before CHANGED of level 0 are as they were. */
static int levels_update(struct lod_live *l, uint64_t changed)
{
	unsigned level = 1;

	for (; l->nodes[level - 1].n > 1 && level < LOD_LEVELS; level++) {
		uint64_t below = l->nodes[level - 1].n, n = lod_above(below);

		changed /= LOD_FAN;
		if (vec_reserve(&l->nodes[level], n) < 0)
			return TACHO_ENOMEM;
		l->nodes[level].n = n;
		for (uint64_t i = changed; i < n; i++) {
			uint64_t left = below - i * LOD_FAN;

			lod_node_sum(&l->nodes[level].v[i], l->nodes[level - 1].v + i * LOD_FAN,
				     left < LOD_FAN ? left : LOD_FAN);
		}
	}
	l->levels = level;
	return 0;
}

static int lane_update(struct trace_private *p, struct lod_live *l, const struct lane *lane)
{
	struct lod_builder *b = &l->builder, shown;
	uint64_t changed = b->leaf_count / LOD_LEAVES;
	int r = 0;

	if (l->segments && b->leaf_count % LOD_LEAVES)
		l->nodes[0].v[changed] = l->parent;
	for (; r == 0 && l->segments < lane->segments.n; l->segments++) {
		const struct segment *s = &lane->segments.v[l->segments];

		r = reserve(l, s->count);
		if (r == 0)
			r = lod_segment_add(b, p, s);
		l->zones = s->zone + s->count;
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

static size_t lane_bytes(const struct lod_live *l)
{
	size_t bytes = sizeof(*l) + l->leaves.cap * sizeof(*l->leaves.v);

	for (unsigned i = 0; i < LOD_LEVELS; i++)
		bytes += l->nodes[i].cap * sizeof(*l->nodes[i].v);
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

		if (!*l) {
			*l = calloc(1, sizeof(**l));
			if (!*l)
				return TACHO_ENOMEM;
			(*l)->builder.credit = LOD_CREDIT_FIRST;
		} else if ((*l)->segments == lane->segments.n) {
			continue;
		} else {
			lod->size -= lane_bytes(*l);
		}
		r = lane_update(lod->p, *l, lane);
		if (r == 0) {
			lod->size += lane_bytes(*l);
		} else {
			/* Half done: it is made anew next time. */
			lane_free(*l);
			*l = NULL;
		}
	}
	return r;
}

void lod_live_free(struct trace_lod *lod)
{
	for (size_t i = 0; i < lod->live_lanes.n; i++)
		lane_free(lod->live_lanes.v[i]);
	lod->live_lanes.n = 0;
	lod->size = 0;
}

void lod_live_levels(const struct trace_lod *lod, uint32_t lane, struct lod_levels *levels)
{
	uint32_t number = lod->p->trace.lanes[lane].private->number;
	const struct lod_live *l = number < lod->live_lanes.n ? lod->live_lanes.v[number] : NULL;

	if (!l || !l->leaves.n)
		return;
	levels->leaves = l->leaves.v;
	levels->leaf_count = l->leaves.n;
	levels->zones = l->zones;
	levels->levels = l->levels;
	for (unsigned i = 0; i < l->levels; i++) {
		levels->nodes[i] = l->nodes[i].v;
		levels->counts[i] = l->nodes[i].n;
	}
}
