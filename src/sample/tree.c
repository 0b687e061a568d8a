/* SPDX-License-Identifier: Apache-2.0 */
/* A prefix tree of stacks, indexed by hash; see tree.h. */
#include "sample/tree.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

static uint32_t tree_hash(uint32_t parent, uint64_t key)
{
	uint64_t h = (key ^ (uint64_t)parent * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;

	return (uint32_t)(h >> 32);
}

static void slot_put(struct tree *t, uint32_t node)
{
	uint32_t at = tree_hash(t->nodes[node].parent, t->nodes[node].key);

	while (t->slots[at & (t->slot_cap - 1)])
		at++;
	t->slots[at & (t->slot_cap - 1)] = node;
}

static int tree_grow(struct tree *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : 1024, *slots;
	struct tree_node *nodes = reallocarray(t->nodes, cap, sizeof(*nodes));

	if (!nodes)
		return -1;
	t->nodes = nodes;
	slots = calloc((size_t)cap * 2, sizeof(*slots));
	if (!slots)
		return -1;
	free(t->slots);
	t->slots = slots;
	t->slot_cap = cap * 2;
	t->cap = cap;
	if (!t->count)
		memset(&t->nodes[t->count++], 0, sizeof(*nodes));
	for (uint32_t i = 1; i < t->count; i++)
		slot_put(t, i);
	return 0;
}

uint32_t tree_child(struct tree *t, uint32_t parent, uint64_t key)
{
	uint32_t at, node;

	if (t->slot_cap) {
		at = tree_hash(parent, key);
		for (; (node = t->slots[at & (t->slot_cap - 1)]) != 0; at++)
			if (t->nodes[node].parent == parent && t->nodes[node].key == key)
				return node;
	}
	if (t->count >= LIMIT_STACK_NODES || (t->count >= t->cap && tree_grow(t) < 0))
		return 0;
	node = t->count++;
	t->nodes[node] = (struct tree_node){parent, key};
	slot_put(t, node);
	return node;
}

void tree_free(struct tree *t)
{
	free(t->nodes);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}
