/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of zones by the names on their path; see flame_tree.h. */
#include "view/flame_tree.h"

#include "base/err.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

int flame_tree_init(struct flame_tree *t)
{
	struct flame_node root = {0};

	return vec_push(t, root);
}

void flame_tree_free(struct flame_tree *t)
{
	vec_free(t);
	map_free(&t->places);
}

int flame_tree_child(struct flame_tree *t, uint32_t parent, uint32_t name, uint32_t *child)
{
	uint64_t key = (uint64_t)parent << 32 | name;
	uint32_t recent = t->v[parent].recent;
	const uint32_t *known;
	struct flame_node fresh = {.name = name, .parent = parent, .next = t->v[parent].first};

	if (recent && t->v[recent].name == name) {
		*child = recent;
		return 0;
	}
	known = map_get(&t->places, key);
	if (known)
		t->v[parent].recent = *known;
	if (known) {
		*child = *known;
		return 0;
	}
	if (t->n == FLAME_NODES)
		return 1;
	*child = (uint32_t)t->n;
	if (map_set(&t->places, key, *child) < 0 || vec_push(t, fresh) < 0)
		return TACHO_ENOMEM;
	t->v[parent].first = t->v[parent].recent = *child;
	return 0;
}

/* ------------------------------------------------------------------ views */

/* Adds TIME and COUNT to the root and to the path of callers from AT on. */
static int flame_callers_add(struct flame_tree *t, const struct flame_tree *from, uint32_t at,
			     uint64_t time, uint64_t count)
{
	uint32_t node = 0;
	int r = 0;

	t->v[0].total += time;
	t->v[0].count += count;
	for (; at && r == 0; at = from->v[at].parent) {
		uint32_t below = node;

		r = flame_tree_child(t, below, from->v[at].name, &node);
		if (r == 0) {
			t->v[below].inside += time;
			t->v[node].total += time;
			t->v[node].count += count;
		}
	}
	return r < 0 ? r : 0;
}

int flame_tree_invert(struct flame_tree *t, const struct flame_tree *from)
{
	int r = 0;

	for (uint32_t i = 1; i < from->n && r == 0; i++)
		r = flame_callers_add(t, from, i, flame_node_self(&from->v[i]), from->v[i].count);
	return r;
}

int flame_tree_calls(struct flame_tree *t, const struct flame_tree *from, uint32_t name)
{
	uint32_t *places = malloc(from->n * sizeof(*places));
	int r = places ? 0 : TACHO_ENOMEM;

	if (places)
		places[0] = NOWHERE;
	for (uint32_t i = 1; i < from->n && r == 0; i++) {
		const struct flame_node *n = &from->v[i];
		uint32_t above = places[n->parent];

		places[i] = above != NOWHERE || n->name != name ? NOWHERE : 0;
		if (above != NOWHERE)
			r = flame_tree_child(t, above, n->name, &places[i]);
		if (r == 0 && places[i] != NOWHERE) {
			t->v[places[i]].total += n->total;
			t->v[places[i]].count += n->count;
			t->v[above == NOWHERE ? 0 : above].inside +=
				above == NOWHERE ? 0 : n->total;
		}
	}
	free(places);
	return r < 0 ? r : 0;
}

int flame_tree_callers(struct flame_tree *t, const struct flame_tree *from, uint32_t name)
{
	uint8_t *inside = calloc(from->n, 1);
	int r = inside ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 1; i < from->n && r == 0; i++) {
		const struct flame_node *n = &from->v[i];

		inside[i] = inside[n->parent] || n->name == name;
		if (inside[i] && !inside[n->parent])
			r = flame_callers_add(t, from, n->parent, n->total, n->count);
	}
	free(inside);
	return r;
}

/* ---------------------------------------------------------------- sorting */

static int flame_heavier_first(const void *a, const void *b, void *context)
{
	const struct flame_tree *t = context;
	const struct flame_node *x = &t->v[*(const uint32_t *)a], *y = &t->v[*(const uint32_t *)b];

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

static int flame_weights_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

static int flame_least_find(const struct flame_tree *t, uint64_t limit, uint64_t *least)
{
	uint64_t *weights = malloc(t->n * sizeof(*weights));

	if (!weights)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		weights[i] = t->v[i].weight;
	qsort(weights, t->n, sizeof(*weights), flame_weights_compare);
	*least = t->n > limit ? weights[limit] + 1 : 0;
	free(weights);
	return 0;
}

int flame_tree_sort(struct flame_tree *t, uint64_t limit, uint64_t *least)
{
	uint32_t *room = malloc(t->n * sizeof(*room));

	if (!room)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		struct flame_node *node = &t->v[i];
		size_t n = 0;

		for (uint32_t k = node->first; k; k = t->v[k].next)
			room[n++] = k;
		qsort_r(room, n, sizeof(*room), flame_heavier_first, t);
		node->first = n ? room[0] : 0;
		for (size_t k = 0; k < n; k++)
			t->v[room[k]].next = k + 1 < n ? room[k + 1] : 0;
	}
	free(room);
	return flame_least_find(t, limit, least);
}

uint32_t flame_tree_next(const struct flame_tree *t, uint32_t at, bool into, unsigned *depth)
{
	if (into && t->v[at].first) {
		++*depth;
		return t->v[at].first;
	}
	if (into && t->v[at].next)
		return t->v[at].next;
	while ((at = t->v[at].parent) != 0) {
		--*depth;
		if (t->v[at].next)
			return t->v[at].next;
	}
	return 0;
}

/* ---------------------------------------------------------------- writing */

static void flame_node_put(const struct flame_tree *t, uint32_t i, struct buf *out, double tick)
{
	const struct flame_node *n = &t->v[i];

	buf_addf(out, "{\"name\":%lld,\"total\":%.0f,\"self\":%.0f,\"count\":%llu",
		 i ? (long long)n->name : -1ll, (double)n->total * tick,
		 (double)flame_node_self(n) * tick, (unsigned long long)n->count);
}

/* Written by hand: the tree is deeper than struct json allows, and this needs no recursion. */
void flame_tree_put(const struct flame_tree *t, struct buf *out, uint64_t least, double tick)
{
	uint32_t at = 0;

	flame_node_put(t, 0, out, tick);
	for (;;) {
		uint32_t child = t->v[at].first;

		if (child && t->v[child].weight >= least) {
			buf_adds(out, ",\"children\":[");
			at = child;
			flame_node_put(t, at, out, tick);
			continue;
		}
		buf_adds(out, ",\"children\":[]}");
		while (at) {
			uint32_t next = t->v[at].next;

			if (next && t->v[next].weight >= least) {
				buf_addc(out, ',');
				at = next;
				flame_node_put(t, at, out, tick);
				break;
			}
			buf_adds(out, "]}");
			at = t->v[at].parent;
		}
		if (!at)
			return;
	}
}
