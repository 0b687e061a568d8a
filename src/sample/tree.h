/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of all stacks of a trace: a stack is the number of its innermost frame. */
#ifndef SAMPLE_TREE_H
#define SAMPLE_TREE_H

#include <stddef.h>
#include <stdint.h>

#define TREE_KEY(module, offset) ((uint64_t)(module) << 48 | ((offset)&0xffffffffffffull))
#define TREE_MODULE(key)         ((uint32_t)((key) >> 48))
#define TREE_OFFSET(key)         ((key)&0xffffffffffffull)

struct tree_node {
	uint32_t parent; /* smaller than the node's own number; 0: none */
	uint64_t key;    /* TREE_KEY */
};

/* Nodes are numbered from 1; 0 is not a stack. */
struct tree {
	struct tree_node *nodes;
	uint32_t count; /* with node 0 */
	uint32_t cap;
	uint32_t *slots; /* hash of (parent, key) */
	uint32_t slot_cap;
};

/* The node of KEY below PARENT, created if new. 0: no memory, or the limit is reached. */
uint32_t tree_child(struct tree *t, uint32_t parent, uint64_t key);
void tree_free(struct tree *t);

#endif
