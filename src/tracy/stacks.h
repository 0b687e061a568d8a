/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: call stacks of a trace that come from Tracy. Rows of modules, symbols and stacks, all on
 * one track, as readers of stacks expect; trace.h describes them.
 */
#ifndef TRACY_STACKS_H
#define TRACY_STACKS_H

#include "base/map.h"
#include "tracy/sink.h"

struct stacks {
	bool made;
	uint32_t track, process;
	uint64_t time;      /* of the next rows: never decreases */
	struct map modules; /* hash of a name to its number, from 1 */
	struct map node_of; /* hash of a node to its number, from 1 */
	struct {
		VEC(struct stacks_node);
	} nodes;
};

struct stacks_node {
	uint64_t key;
	uint32_t caller;
};

/* The key of the frame at ADDRESS of the file IMAGE; "" is not known. */
uint64_t stacks_frame(struct stacks *s, struct sink *sink, const char *image, uint64_t address);
/* Names a frame; INLINED counts the functions inlined there, innermost 0. */
void stacks_symbol(struct stacks *s, struct sink *sink, uint64_t key, uint32_t line,
		   uint32_t inlined, const char *name, const char *file);
/* The number of the stack with a caller, 0: none, and a frame. 0: too many, or no memory. */
uint32_t stacks_node(struct stacks *s, struct sink *sink, uint32_t caller, uint64_t key);
void stacks_free(struct stacks *s);

#endif
