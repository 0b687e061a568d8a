/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces of sampled processes, updated by the kernel's records; see space.h. */
#include "sample/space.h"

#include "base/limits.h"
#include "base/search.h"

#include <string.h>

static uint32_t last_generation;

/* Index of the first mapping that ends after ADDRESS. */
static size_t space_first(const struct space *s, uint64_t address)
{
	size_t low = 0, high = s->mappings.n;

	SEARCH_FIRST(low, high, middle, s->mappings.v[middle].end <= address);
	return low;
}

static int mappings_insert(struct space *s, size_t at, const struct mapping *m)
{
	if (s->mappings.n >= LIMIT_MAPPINGS || vec_reserve(&s->mappings, s->mappings.n + 1) < 0)
		return TACHO_ENOMEM;
	memmove(s->mappings.v + at + 1, s->mappings.v + at,
		(s->mappings.n - at) * sizeof(*s->mappings.v));
	s->mappings.v[at] = *m;
	s->mappings.n++;
	return 0;
}

/* Unmaps START to END. */
static int space_unmap(struct space *s, uint64_t start, uint64_t end)
{
	size_t i = space_first(s, start), kept;
	struct mapping *m;

	if (!s->mappings.n)
		return 0;
	if (i < s->mappings.n && s->mappings.v[i].start < start) {
		m = &s->mappings.v[i];
		if (m->end > end) {
			struct mapping rest = *m;

			rest.offset += end - rest.start;
			rest.start = end;
			m->end = start;
			return mappings_insert(s, i + 1, &rest);
		}
		m->end = start;
		i++;
	}
	for (kept = i; i < s->mappings.n && s->mappings.v[i].end <= end; i++)
		;
	memmove(s->mappings.v + kept, s->mappings.v + i,
		(s->mappings.n - i) * sizeof(*s->mappings.v));
	s->mappings.n -= i - kept;
	m = kept < s->mappings.n ? &s->mappings.v[kept] : NULL;
	if (m && m->start < end) {
		m->offset += end - m->start;
		m->start = end;
	}
	return 0;
}

int space_map(struct space *s, const struct mapping *m)
{
	int r;

	if (m->start >= m->end)
		return 0;
	s->generation = ++last_generation;
	r = space_unmap(s, m->start, m->end);
	return r < 0 ? r : mappings_insert(s, space_first(s, m->start), m);
}

const struct mapping *space_find(const struct space *s, uint64_t address)
{
	size_t i = space_first(s, address);

	return i < s->mappings.n && s->mappings.v[i].start <= address ? &s->mappings.v[i] : NULL;
}

int space_copy(struct space *to, const struct space *from)
{
	space_clear(to);
	if (vec_reserve(&to->mappings, from->mappings.n) < 0)
		return TACHO_ENOMEM;
	if (from->mappings.n)
		memcpy(to->mappings.v, from->mappings.v,
		       from->mappings.n * sizeof(*from->mappings.v));
	to->mappings.n = from->mappings.n;
	return 0;
}

void space_clear(struct space *s)
{
	vec_free(&s->mappings);
	s->generation = ++last_generation;
}
