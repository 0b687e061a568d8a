/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flame graph: zones merged by the names on their path. The size of the tree depends on the
 * number of different paths, not of zones, and is limited to NODES.
 */
#include "base/map.h"
#include "view/call_args.h"

#include <string.h>

#define NODES 200000u
#define DEPTH 256u
#define SHOWN 2000u

struct node {
	uint32_t srcloc, parent;
	uint32_t first, next; /* child; sibling */
	uint32_t recent;      /* the child found last: the usual next one */
	uint64_t total, inside, count;
};

struct flame {
	struct view_call *c;
	struct {
		VEC(struct node);
	} nodes;           /* [0] is the root */
	struct map places; /* parent << 32 | source location */
	uint32_t stack[DEPTH + 1];
	uint64_t ends[DEPTH + 1];
	uint32_t depth; /* of the stack */
	uint64_t least; /* ticks of a node that is shown */
};

/* The child of PARENT for a name; PARENT itself if there is no room for another. */
static int child_of(struct flame *f, uint32_t parent, uint32_t srcloc, uint32_t *child)
{
	uint64_t key = (uint64_t)parent << 32 | srcloc;
	uint32_t recent = f->nodes.v[parent].recent;
	const uint32_t *known;
	struct node fresh = {.srcloc = srcloc, .parent = parent, .next = f->nodes.v[parent].first};

	if (recent && f->nodes.v[recent].srcloc == srcloc) {
		*child = recent;
		return 0;
	}
	known = map_get(&f->places, key);
	if (known)
		f->nodes.v[parent].recent = *known;
	if (known || f->nodes.n == NODES) {
		*child = known ? *known : parent;
		return 0;
	}
	*child = (uint32_t)f->nodes.n;
	if (map_set(&f->places, key, *child) < 0 || vec_push(&f->nodes, fresh) < 0)
		return TACHO_ENOMEM;
	f->nodes.v[parent].first = f->nodes.v[parent].recent = *child;
	return 0;
}

/* Zones come in order of start, parents first, so a zone that has ended is no longer a parent. */
static int flame_graph_zone_add(struct flame *f, const struct trace_zone *zone)
{
	uint64_t length = zone->end - zone->start;
	uint32_t node;
	int r;

	while (f->depth && f->ends[f->depth] <= zone->start && f->ends[f->depth] < zone->end)
		f->depth--;
	r = child_of(f, f->stack[f->depth], zone->srcloc, &node);
	if (r < 0)
		return r;
	f->nodes.v[node].total += length;
	f->nodes.v[node].count++;
	f->nodes.v[f->stack[f->depth]].inside += length;
	if (f->depth < DEPTH) {
		f->depth++;
		f->stack[f->depth] = node;
		f->ends[f->depth] = zone->end;
	}
	return 0;
}

static int flame_graph_track_add(struct flame *f, uint32_t track, uint64_t t0, uint64_t t1)
{
	struct trace_walk *walk;
	struct trace_zone zone;
	uint32_t lane, steps = 0;
	int r = trace_walk_open(&walk, f->c->trace, track, t0, t1);

	f->depth = 0;
	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_walk_next(walk, &zone, &lane)) > 0) {
		/* Of a zone that crosses an edge, only the part inside counts. */
		if (zone.start < t0)
			zone.start = t0;
		if (zone.end > t1)
			zone.end = t1;
		r = flame_graph_zone_add(f, &zone);
		if (++steps % (1u << 18) == 0 && call_gone(f->c))
			break;
	}
	trace_walk_close(walk);
	return r < 0 ? r : 0;
}

/* ---------------------------------------------------------------- writing */

static int flame_graph_by_total(const void *a, const void *b, void *context)
{
	const struct flame *f = context;
	const struct node *x = &f->nodes.v[*(const uint32_t *)a],
			  *y = &f->nodes.v[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->srcloc > y->srcloc) - (x->srcloc < y->srcloc);
}

/* Sorts the children of a node, the longest first. */
static int flame_graph_children_sort(struct flame *f, struct node *node, uint32_t *room)
{
	size_t n = 0;

	for (uint32_t i = node->first; i; i = f->nodes.v[i].next)
		room[n++] = i;
	qsort_r(room, n, sizeof(*room), flame_graph_by_total, f);
	node->first = n ? room[0] : 0;
	for (size_t i = 0; i < n; i++)
		f->nodes.v[room[i]].next = i + 1 < n ? room[i + 1] : 0;
	return 0;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* The minimum length of the LIMIT longest nodes. */
static int least_find(struct flame *f, uint64_t limit)
{
	uint64_t *totals = malloc(f->nodes.n * sizeof(*totals));

	if (!totals)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < f->nodes.n; i++)
		totals[i] = f->nodes.v[i].total;
	qsort(totals, f->nodes.n, sizeof(*totals), by_size);
	f->least = f->nodes.n > limit ? totals[limit] + 1 : 0;
	free(totals);
	return 0;
}

static void flame_graph_track_sums_put(struct flame *f, uint32_t i, double tick)
{
	const struct node *n = &f->nodes.v[i];
	uint64_t self = n->total > n->inside ? n->total - n->inside : 0;

	buf_addf(&f->c->answer->body, "{\"name\":%lld,\"total\":%.0f,\"self\":%.0f,\"count\":%llu",
		 i ? (long long)n->srcloc : -1ll, (double)n->total * tick, (double)self * tick,
		 (unsigned long long)n->count);
}

/* Written by hand: the tree is deeper than struct json allows, and this needs no recursion. */
static void tree_put(struct flame *f, double tick)
{
	struct buf *out = &f->c->answer->body;
	uint32_t at = 0;

	flame_graph_track_sums_put(f, 0, tick);
	for (;;) {
		uint32_t child = f->nodes.v[at].first;

		if (child && f->nodes.v[child].total >= f->least) {
			buf_adds(out, ",\"children\":[");
			at = child;
			flame_graph_track_sums_put(f, at, tick);
			continue;
		}
		buf_adds(out, ",\"children\":[]}");
		while (at) {
			uint32_t next = f->nodes.v[at].next;

			if (next && f->nodes.v[next].total >= f->least) {
				buf_addc(out, ',');
				at = next;
				flame_graph_track_sums_put(f, at, tick);
				break;
			}
			buf_adds(out, "]}");
			at = f->nodes.v[at].parent;
		}
		if (!at)
			return;
	}
}

static int flame_put(struct flame *f, uint64_t limit)
{
	uint32_t *room = malloc(f->nodes.n * sizeof(*room));
	struct node *root = &f->nodes.v[0];
	int r = room ? least_find(f, limit) : TACHO_ENOMEM;

	for (size_t i = 0; r == 0 && i < f->nodes.n; i++)
		r = flame_graph_children_sort(f, &f->nodes.v[i], room);
	free(room);
	if (r < 0)
		return r;
	root->total = root->inside;
	buf_addf(&f->c->answer->body,
		 "{\"gen\":%llu,\"nodes\":%zu,\"root\":", (unsigned long long)f->c->gen,
		 f->nodes.n - 1);
	tree_put(f, call_tick(f->c));
	buf_addc(&f->c->answer->body, '}');
	return 0;
}

int call_flame(struct view_call *c)
{
	struct flame f = {.c = c};
	struct node root = {0};
	uint64_t t0, t1, limit = SHOWN;
	uint8_t *tracks = NULL;
	int r = arg_range(c, &t0, &t1);

	if (r == 0)
		r = arg_uint(c, "limit", NODES, &limit);
	if (r >= 0)
		r = arg_tracks(c, &tracks);
	if (r == 0)
		r = vec_push(&f.nodes, root);
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++)
		if (c->trace->tracks[i].kind <= TRACE_CORE && (!tracks || tracks[i]))
			r = flame_graph_track_add(&f, i, t0, t1);
	if (r == 0)
		r = flame_put(&f, limit);
	vec_free(&f.nodes);
	map_free(&f.places);
	free(tracks);
	return r;
}
