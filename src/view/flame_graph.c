/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph of zones, of one trace or of two, from the top, from the bottom, or around a
 * name. */
#include "view/flame_tree.h"

#include "op/names.h"
#include "view/call_args.h"

#include <math.h>
#include <string.h>

#define DEPTH 256u
#define SHOWN 2000u

struct flame {
	struct view_call *c;
	struct flame_tree tree;
	const uint32_t *numbers; /* by source location: the names of the tree; NULL: the same */
	uint32_t stack[DEPTH + 1];
	uint64_t ends[DEPTH + 1];
	uint32_t depth; /* of the stack */
};

/*
 * Zones come in order of start, parents first, so a zone that has ended is no longer a parent. A
 * zone without room in the tree is self time of its parent.
 */
static int flame_graph_zone_add(struct flame *f, const struct trace_zone *zone)
{
	uint64_t length = zone->end - zone->start;
	uint32_t parent, node;
	int r;

	while (f->depth && f->ends[f->depth] <= zone->start && f->ends[f->depth] < zone->end)
		f->depth--;
	parent = node = f->stack[f->depth];
	r = flame_tree_child(&f->tree, parent, f->numbers ? f->numbers[zone->srcloc] : zone->srcloc,
			     &node);
	if (r < 0)
		return r;
	if (r == 0) {
		f->tree.v[node].total += length;
		f->tree.v[node].count++;
		f->tree.v[parent].inside += length;
	}
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

/* Adds the zones of the call's tracks between T0 and T1 to the tree. */
static int flame_graph_fill(struct flame *f, uint64_t t0, uint64_t t1)
{
	const struct trace *t = f->c->trace;
	uint8_t *tracks = NULL;
	int r = arg_tracks(f->c, &tracks);

	for (uint32_t i = 0; r == 0 && i < t->track_count; i++)
		if (t->tracks[i].kind <= TRACE_CORE && (!tracks || tracks[i]))
			r = flame_graph_track_add(f, i, t0, t1);
	if (r == 0)
		f->tree.v[0].total = f->tree.v[0].inside;
	free(tracks);
	return r;
}

/* Replaces the tree by the view of it that the call wants: see docs/view.md. */
static int flame_graph_turn(struct flame *f, bool up, uint64_t name)
{
	struct flame_tree turned = {0};
	int r = flame_tree_init(&turned);

	if (r == 0 && name == UINT64_MAX)
		r = flame_tree_invert(&turned, &f->tree);
	else if (r == 0)
		r = (up ? flame_tree_callers : flame_tree_calls)(&turned, &f->tree, (uint32_t)name);
	flame_tree_free(&f->tree);
	f->tree = turned;
	return r;
}

int call_flame(struct view_call *c)
{
	struct flame f = {.c = c};
	uint64_t t0, t1, limit = SHOWN, name = UINT64_MAX, least;
	bool up = false;
	int r = arg_range(c, &t0, &t1);

	if (r == 0)
		r = arg_uint(c, "limit", FLAME_NODES, &limit);
	if (r >= 0)
		r = arg_uint(c, "name", UINT32_MAX, &name);
	if (r >= 0)
		r = arg_bool(c, "up", &up);
	if (r >= 0)
		r = flame_tree_init(&f.tree);
	if (r == 0)
		r = flame_graph_fill(&f, t0, t1);
	if (r == 0 && (up || name != UINT64_MAX))
		r = flame_graph_turn(&f, up, name);
	for (size_t i = 0; r == 0 && i < f.tree.n; i++)
		f.tree.v[i].weight = f.tree.v[i].total;
	if (r == 0)
		r = flame_tree_sort(&f.tree, limit, &least);
	if (r == 0) {
		buf_addf(&c->answer->body,
			 "{\"gen\":%llu,\"nodes\":%zu,\"root\":", (unsigned long long)c->gen,
			 f.tree.n - 1);
		flame_tree_put(&f.tree, &c->answer->body, least, call_tick(c));
		buf_addc(&c->answer->body, '}');
	}
	flame_tree_free(&f.tree);
	return r;
}

/* --------------------------------------------------------------- compared */

/* One tree for both traces, its names numbered by their text. */
struct flame_pair {
	struct flame flame;
	struct op_names names;
	struct flame_node *first; /* the nodes after the first trace */
	size_t first_count;
	int side;
	double tick[2];
};

static int flame_numbers_find(struct flame_pair *p, const struct trace *t, uint32_t **numbers)
{
	*numbers = malloc((t->srcloc_count + 1) * sizeof(**numbers));
	if (!*numbers)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < t->srcloc_count; i++) {
		const char *name = trace_srcloc_name(t, i);
		int64_t number = op_names_add(&p->names, name, strlen(name));

		if (number < 0)
			return (int)number;
		(*numbers)[i] = (uint32_t)number;
	}
	return 0;
}

/* Sets the first trace's figures aside: the tree keeps its shape and counts the second trace. */
static int flame_first_keep(struct flame_pair *p)
{
	struct flame_tree *t = &p->flame.tree;

	p->first = malloc(t->n * sizeof(*p->first));
	if (!p->first)
		return TACHO_ENOMEM;
	memcpy(p->first, t->v, t->n * sizeof(*p->first));
	p->first_count = t->n;
	for (size_t i = 0; i < t->n; i++)
		t->v[i].total = t->v[i].inside = t->v[i].count = 0;
	return 0;
}

static int flame_side_read(struct view_call *c, void *context)
{
	static const char *const keys[2][2] = {{"a0", "a1"}, {"b0", "b1"}};
	struct flame_pair *p = context;
	uint32_t *numbers = NULL;
	uint64_t t0, t1;
	int r;

	if (!c->trace)
		return call_fail(c, VIEW_BAD, "an ops report has no zones");
	p->tick[p->side] = call_tick(c);
	r = arg_range_of(c, keys[p->side], &t0, &t1);
	if (r == 0)
		r = flame_numbers_find(p, c->trace, &numbers);
	p->flame.numbers = numbers;
	if (r == 0)
		r = flame_graph_fill(&p->flame, t0, t1);
	free(numbers);
	p->flame.numbers = NULL;
	return r;
}

static void flame_change_put(struct flame_pair *p, uint32_t i, unsigned depth)
{
	static const struct flame_node none = {0};
	const struct flame_node *v = p->flame.tree.v;
	const struct flame_node *sides[2] = {i < p->first_count ? &p->first[i] : &none, &v[i]};
	const struct flame_node *all[2] = {&p->first[0], &v[0]};
	const struct op_name *name = &p->names.v[v[i].name];
	struct json *j = &p->flame.c->json;
	double share[2];

	json_object(j, NULL);
	json_uint(j, "depth", depth);
	json_cut(j, "name", name->text, name->len, VIEW_TEXT);
	for (int k = 0; k < 2; k++) {
		const struct flame_node *n = sides[k];

		share[k] = all[k]->inside ? 100 * (double)n->total / (double)all[k]->inside : 0;
		json_object(j, k ? "b" : "a");
		json_double(j, "share", share[k]);
		json_double(j, "total", (double)n->total * p->tick[k]);
		json_double(j, "self", (double)flame_node_self(n) * p->tick[k]);
		json_uint(j, "count", n->count);
		json_end(j);
	}
	json_double(j, "change", share[1] - share[0]);
	json_end(j);
}

/* In tree order, names that take longer in either trace first. */
static int flame_changes_put(struct flame_pair *p, uint64_t limit)
{
	struct flame_tree *t = &p->flame.tree;
	struct json *j = &p->flame.c->json;
	unsigned depth = 0;
	uint64_t least;
	int r;

	for (size_t i = 0; i < t->n; i++) {
		double a = i < p->first_count ? (double)p->first[i].total * p->tick[0] : 0;

		t->v[i].weight = (uint64_t)fmax(a, (double)t->v[i].total * p->tick[1]);
	}
	r = flame_tree_sort(t, limit, &least);
	json_array(j, "items");
	for (uint32_t at = r == 0 ? t->v[0].first : 0; at;) {
		bool shown = t->v[at].weight >= least;

		if (shown)
			flame_change_put(p, at, depth);
		at = flame_tree_next(t, at, shown, &depth);
	}
	json_end(j);
	return r;
}

static void flame_sides_put(struct flame_pair *p)
{
	struct json *j = &p->flame.c->json;
	const struct flame_node *roots[2] = {&p->first[0], &p->flame.tree.v[0]};

	for (int k = 0; k < 2; k++) {
		json_object(j, k ? "b" : "a");
		json_double(j, "total", (double)roots[k]->inside * p->tick[k]);
		json_end(j);
	}
	json_uint(j, "items_total", p->flame.tree.n - 1);
}

int call_compare_flame(struct view_call *c)
{
	struct flame_pair p = {.flame = {.c = c}, .names = {.limit = UINT32_MAX}};
	uint64_t limit = SHOWN;
	int r = arg_uint(c, "limit", FLAME_NODES, &limit);

	if (r >= 0)
		r = flame_tree_init(&p.flame.tree);
	if (r == 0)
		r = call_on(c, "a", flame_side_read, &p);
	if (r == 0)
		r = flame_first_keep(&p);
	p.side = 1;
	if (r == 0)
		r = call_on(c, "b", flame_side_read, &p);
	if (r == 0) {
		call_begin(c);
		flame_sides_put(&p);
		r = flame_changes_put(&p, limit);
		json_end(&c->json);
	}
	free(p.first);
	flame_tree_free(&p.flame.tree);
	op_names_free(&p.names);
	return r;
}
