/* SPDX-License-Identifier: Apache-2.0 */
/* Strings in chunks. */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK (64u << 10)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	char bytes[];
};

char *arena_add(struct arena *arena, const void *bytes, size_t len)
{
	struct arena_chunk *c = arena->chunks;
	char *s;

	if (!c || c->size - c->used < len + 1) {
		size_t size = len + 1 > ARENA_CHUNK ? len + 1 : ARENA_CHUNK;

		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		c->used = 0;
		c->size = size;
		c->next = arena->chunks;
		arena->chunks = c;
	}
	s = c->bytes + c->used;
	if (len)
		memcpy(s, bytes, len);
	s[len] = 0;
	c->used += len + 1;
	return s;
}

void arena_free(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
}
