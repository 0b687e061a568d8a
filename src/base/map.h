/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash map from 64-bit keys to 32-bit values. Open addressing; grows; nothing is ever removed.
 *	struct map m = {0};
 *	if (map_set(&m, key, value) < 0) return TACHO_ENOMEM;
 *	uint32_t *value = map_get(&m, key);	NULL when absent; valid until the next map_set()
 *	map_free(&m);
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

struct map {
	struct map_slot *slots;
	size_t cap; /* a power of two, or 0 */
	size_t n;
};

uint32_t *map_get(const struct map *m, uint64_t key);
int map_set(struct map *m, uint64_t key, uint32_t value);
void map_free(struct map *m);

#endif
