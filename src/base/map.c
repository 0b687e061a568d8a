/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map from 64-bit keys to 32-bit values, with linear probing. */
#include "base/map.h"
#include "base/err.h"

#include <stdlib.h>

static struct map_slot *map_slot_of(struct map_slot *slots, size_t cap, uint64_t key)
{
	size_t at = (size_t)((key ^ key >> 32) * 0x9e3779b97f4a7c15ull >> 20) & (cap - 1);

	while (slots[at].used && slots[at].key != key)
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

uint32_t *map_get(const struct map *m, uint64_t key)
{
	struct map_slot *slot;

	if (!m->cap)
		return NULL;
	slot = map_slot_of(m->slots, m->cap, key);
	return slot->used ? &slot->value : NULL;
}

static int map_grow(struct map *m)
{
	size_t cap = m->cap ? m->cap * 2 : 16;
	struct map_slot *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			*map_slot_of(slots, cap, m->slots[i].key) = m->slots[i];
	free(m->slots);
	m->slots = slots;
	m->cap = cap;
	return 0;
}

int map_set(struct map *m, uint64_t key, uint32_t value)
{
	struct map_slot *slot;

	if ((m->n + 1) * 4 > m->cap * 3 && map_grow(m) < 0)
		return TACHO_ENOMEM;
	slot = map_slot_of(m->slots, m->cap, key);
	if (!slot->used)
		m->n++;
	*slot = (struct map_slot){key, value, 1};
	return 0;
}

void map_free(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}
