/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that live together: copied one by one, freed at once. Zeroed: empty. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks; /* private */
};

/* A copy with a NUL after it. NULL: no memory. */
char *arena_add(struct arena *arena, const void *bytes, size_t len);
void arena_free(struct arena *arena);

#endif
