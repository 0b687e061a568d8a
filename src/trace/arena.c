/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of a trace: strings that live as long as the trace. */
#include "trace/reader.h"

#define ARENA_CHUNK (64u << 10)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	char bytes[];
};

char *arena_string(struct trace_private *p, const void *bytes, size_t len)
{
	struct arena_chunk *c = p->arena;
	char *s;

	if (!c || c->size - c->used < len + 1) {
		size_t size = len + 1 > ARENA_CHUNK ? len + 1 : ARENA_CHUNK;

		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		c->used = 0;
		c->size = size;
		c->next = p->arena;
		p->arena = c;
	}
	s = c->bytes + c->used;
	if (len)
		memcpy(s, bytes, len);
	s[len] = 0;
	c->used += len + 1;
	return s;
}

void arena_free(struct trace_private *p)
{
	while (p->arena) {
		struct arena_chunk *next = p->arena->next;

		free(p->arena);
		p->arena = next;
	}
}
