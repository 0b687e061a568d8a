/* SPDX-License-Identifier: Apache-2.0 */
/* When allocations began and ended. */
#include "base/order.h"
#include "base/search.h"
#include "view/memory_history.h"

/* Entry I of level K: what FAN entries below it have. */
static struct lives_group group_of(const struct lives *l, unsigned k, size_t i)
{
	struct lives_group g = {0};

	for (size_t n = i * LIVES_FAN; n < (i + 1) * LIVES_FAN; n++) {
		struct lives_group more = k ? l->levels[k - 1].v[n]
					    : (struct lives_group){l->v[n].end, l->v[n].bytes};

		g.end = more.end > g.end ? more.end : g.end;
		g.bytes = more.bytes > g.bytes ? more.bytes : g.bytes;
	}
	return g;
}

int lives_add(struct lives *l, const struct life *life)
{
	size_t below;
	int r = spill_push(l, *life);

	below = l->n;
	for (unsigned k = 0; r == 0 && k < LIVES_LEVELS && below % LIVES_FAN == 0; k++) {
		struct lives_group g = group_of(l, k, l->levels[k].n);

		r = spill_push(&l->levels[k], g);
		below = l->levels[k].n;
	}
	return r;
}

void lives_end(struct lives *l, uint64_t i, uint64_t time)
{
	l->v[i].end = time > l->v[i].start ? time : l->v[i].start;
	for (unsigned k = 0; k < LIVES_LEVELS; k++) {
		struct lives_group g;

		i /= LIVES_FAN;
		if (i >= l->levels[k].n)
			return;
		g = group_of(l, k, i);
		if (g.end == l->levels[k].v[i].end)
			return;
		l->levels[k].v[i] = g;
	}
}

size_t lives_before(const struct lives *l, uint64_t t)
{
	size_t low = 0, high = l->n;

	SEARCH_FIRST(low, high, middle, l->v[middle].start < t);
	return low;
}

/* The largest so far: a heap with the smallest at the top. */
struct largest {
	struct life *v;
	size_t n, room;
};

static void allocation_index_sift(struct largest *h, size_t i)
{
	for (;;) {
		struct life moved = h->v[i];
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < h->n; k++)
			if (h->v[k].bytes < h->v[least].bytes)
				least = k;
		if (least == i)
			return;
		h->v[i] = h->v[least];
		h->v[least] = moved;
		i = least;
	}
}

static void allocation_index_offer(struct largest *h, const struct life *life)
{
	if (h->n < h->room) {
		h->v[h->n++] = *life;
		if (h->n == h->room)
			for (size_t i = h->n / 2; i-- > 0;)
				allocation_index_sift(h, i);
	} else if (h->room && life->bytes > h->v[0].bytes) {
		h->v[0] = *life;
		allocation_index_sift(h, 0);
	}
}

/* Group I of level K, then what is in it; LEVEL 0 are the allocations themselves. */
static void group_search(const struct lives *l, unsigned level, size_t i, uint64_t t,
			 struct largest *h)
{
	if (level == 0) {
		if (l->v[i].end >= t)
			allocation_index_offer(h, &l->v[i]);
		return;
	}
	if (l->levels[level - 1].v[i].end < t ||
	    (h->n == h->room && (!h->room || l->levels[level - 1].v[i].bytes <= h->v[0].bytes)))
		return;
	for (size_t n = i * LIVES_FAN; n < (i + 1) * LIVES_FAN; n++)
		group_search(l, level - 1, n, t, h);
}

ORDER_BY(by_bytes, struct life, ORDER_DOWN(bytes) ?: ORDER_UP(address));

size_t lives_at(const struct lives *l, uint64_t t, struct life *largest, size_t room)
{
	struct largest h = {largest, 0, room};
	size_t end = lives_before(l, t);

	for (size_t first = 0; first < end;) {
		unsigned level = 0;
		size_t size = 1;

		while (level < LIVES_LEVELS && first % (size * LIVES_FAN) == 0 &&
		       end - first >= size * LIVES_FAN &&
		       first / (size * LIVES_FAN) < l->levels[level].n) {
			size *= LIVES_FAN;
			level++;
		}
		group_search(l, level, first / size, t, &h);
		first += size;
	}
	qsort(largest, h.n, sizeof(*largest), by_bytes);
	return h.n;
}

void lives_free(struct lives *l)
{
	spill_free(l);
	for (unsigned k = 0; k < LIVES_LEVELS; k++)
		spill_free(&l->levels[k]);
}
