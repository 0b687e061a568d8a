/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of a memory pool that are in use: an event that discards the whole pool frees them.
 *	struct owned o = {0};
 *	owned_add(&o, address); owned_remove(&o, address);
 *	while (owned_take(&o, &address)) ...
 *	owned_free(&o);
 */
#ifndef BASE_OWNED_H
#define BASE_OWNED_H

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>

struct owned {
	struct map index; /* address to its index in list + 1; 0: no longer in use */
	struct {
		VEC(uint64_t);
	} list;
	bool incomplete; /* more than LIMIT_OWNED, or no memory: some are missing */
};

void owned_add(struct owned *o, uint64_t address);
void owned_remove(struct owned *o, uint64_t address);
/* Removes any one. False: none is left, and all memory is freed. */
bool owned_take(struct owned *o, uint64_t *address);
void owned_free(struct owned *o);

#endif
