/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of a memory pool that are in use. */
#include "base/owned.h"
#include "base/limits.h"

/* The map never forgets a key: start again when most of its keys are no longer in use. */
static void owned_renew(struct owned *o)
{
	if (o->index.n < 1024 || o->index.n / 4 < o->list.n)
		return;
	map_free(&o->index);
	for (size_t i = 0; i < o->list.n; i++)
		if (map_set(&o->index, o->list.v[i], (uint32_t)i + 1) < 0) {
			o->incomplete = true;
			o->list.n = i; /* what is in no index could not be removed */
		}
}

void owned_add(struct owned *o, uint64_t address)
{
	const uint32_t *at = map_get(&o->index, address);

	if (at && *at)
		return;
	if (o->list.n >= LIMIT_OWNED || vec_reserve(&o->list, o->list.n + 1) < 0 ||
	    map_set(&o->index, address, (uint32_t)o->list.n + 1) < 0)
		o->incomplete = true;
	else
		o->list.v[o->list.n++] = address;
}

void owned_remove(struct owned *o, uint64_t address)
{
	uint32_t *at = map_get(&o->index, address), *moved;
	uint64_t last;

	if (!at || !*at)
		return;
	last = o->list.v[--o->list.n];
	o->list.v[*at - 1] = last;
	moved = map_get(&o->index, last);
	if (moved)
		*moved = *at;
	*at = 0;
	owned_renew(o);
}

bool owned_take(struct owned *o, uint64_t *address)
{
	if (!o->list.n) {
		owned_free(o);
		return false;
	}
	*address = o->list.v[o->list.n - 1];
	owned_remove(o, *address);
	return true;
}

void owned_free(struct owned *o)
{
	map_free(&o->index);
	vec_free(&o->list);
	o->incomplete = false;
}
