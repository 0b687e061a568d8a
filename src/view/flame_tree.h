/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: zones merged by the names on their path. The size of a tree depends on the number of
 * different paths, not of zones; it has at most FLAME_NODES nodes.
 */
#ifndef VIEW_FLAME_TREE_H
#define VIEW_FLAME_TREE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define FLAME_NODES 200000u

struct flame_node {
	uint32_t name; /* a source location, or what the tree's owner numbers */
	uint32_t parent;
	uint32_t first, next; /* child; sibling */
	uint32_t recent;      /* the child found last: the usual next one */
	uint64_t total, inside, count;
	uint64_t weight; /* for flame_tree_sort() */
};

struct flame_tree {
	VEC(struct flame_node); /* [0] is the root; parents come before their children */
	struct map places;      /* parent << 32 | name */
};

/* An empty tree: only the root. */
int flame_tree_init(struct flame_tree *t);
void flame_tree_free(struct flame_tree *t);

/* The child of PARENT for a name, added if new; returns 1 if there is no room for another. */
int flame_tree_child(struct flame_tree *t, uint32_t parent, uint32_t name, uint32_t *child);

/*
 * Other views of FROM, into the empty tree T: from the innermost names to their callers, by self
 * time; all calls of NAME merged, with what they call; the callers of NAME, by the time in it.
 * Calls of NAME inside others of it do not count again.
 */
int flame_tree_invert(struct flame_tree *t, const struct flame_tree *from);
int flame_tree_calls(struct flame_tree *t, const struct flame_tree *from, uint32_t name);
int flame_tree_callers(struct flame_tree *t, const struct flame_tree *from, uint32_t name);

/* Time of a node outside of its children. */
static inline uint64_t flame_node_self(const struct flame_node *n)
{
	return n->total > n->inside ? n->total - n->inside : 0;
}

/* Sorts children by weight, the heaviest first; *LEAST is the weight of the LIMITth heaviest node.
 */
int flame_tree_sort(struct flame_tree *t, uint64_t limit, uint64_t *least);
/*
 * The next node in tree order, 0 at the end; not below AT unless INTO. Siblings of a node that is
 * not entered are lighter, so they are passed over. *DEPTH follows.
 */
uint32_t flame_tree_next(const struct flame_tree *t, uint32_t at, bool into, unsigned *depth);
/* Appends nodes of at least LEAST as nested JSON objects; TICK is in ns. */
void flame_tree_put(const struct flame_tree *t, struct buf *out, uint64_t least, double tick);

#endif
