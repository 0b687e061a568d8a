/* SPDX-License-Identifier: Apache-2.0 */
/* Cache what was computed from the rows of a track. */
#include "view/row_cache.h"

#define CACHE_MEMORY ((uint64_t)64 << 20) /* of the whole cache of a trace, without files */

static struct row_cache *row_cache_find(struct view_handle *h, uint32_t track,
					const struct row_cache_kind *kind)
{
	for (size_t i = 0; i < h->caches.n; i++)
		if (h->caches.v[i]->track == track && h->caches.v[i]->kind == kind)
			return h->caches.v[i];
	return NULL;
}

static void row_cache_remove(struct view_handle *h, size_t i)
{
	struct row_cache *k = h->caches.v[i];

	h->caches.v[i] = h->caches.v[--h->caches.n];
	k->kind->free(k);
}

static int row_cache_new(struct view_handle *h, uint32_t track, const struct row_cache_kind *kind,
			 struct row_cache **cache)
{
	struct row_cache *k = calloc(1, kind->bytes);

	if (!k)
		return TACHO_ENOMEM;
	k->kind = kind;
	k->track = track;
	if (vec_push(&h->caches, k) < 0) {
		kind->free(k);
		return TACHO_ENOMEM;
	}
	*cache = k;
	return 0;
}

static int row_cache_read_on(struct row_cache *k, struct view_call *c)
{
	uint64_t known = trace_known(c->trace), taken = 0;
	struct trace_rows *rows;
	struct trace_row row;
	int r;

	if (k->seen >= known)
		return 0;
	r = trace_rows_open_from(&rows, c->trace, k->track, k->seen);
	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_rows_next(rows, &row, &k->row_track)) > 0) {
		k->row_kind = c->trace->tracks[k->row_track].kind;
		r = k->kind->take(k, &row);
		if (++taken % 65536 == 0 && call_gone(c))
			r = TACHO_ENO;
	}
	trace_rows_close(rows);
	if (r < 0)
		return r;
	k->seen = known;
	if (taken && k->kind->rest)
		k->kind->rest(k, !c->live);
	return 0;
}

int row_cache_get(struct view_call *c, uint32_t track, const struct row_cache_kind *kind,
		  struct row_cache **cache)
{
	struct view_handle *h = c->handle;
	struct row_cache *k = row_cache_find(h, track, kind);
	int r = k ? 0 : row_cache_new(h, track, kind, &k);
	uint64_t total;

	if (r < 0)
		return r;
	k->asked = ++h->asked;
	r = row_cache_read_on(k, c);
	if (r < 0) {
		/* The refresh was incomplete. */
		for (size_t i = 0; i < h->caches.n; i++)
			if (h->caches.v[i] == k) {
				row_cache_remove(h, i);
				break;
			}
		return r;
	}
	k->memory = kind->memory(k);
	/* Drops the least recently used entries while the cache is too large. */
	total = 0;
	for (size_t i = 0; i < h->caches.n; i++)
		total += h->caches.v[i]->memory;
	while (total > CACHE_MEMORY && h->caches.n > 1) {
		size_t oldest = 0;

		for (size_t i = 1; i < h->caches.n; i++)
			if (h->caches.v[i]->asked < h->caches.v[oldest]->asked)
				oldest = i;
		total -= h->caches.v[oldest]->memory;
		row_cache_remove(h, oldest);
	}
	*cache = k;
	return 0;
}

void row_cache_forget(struct view_handle *h)
{
	while (h->caches.n)
		row_cache_remove(h, h->caches.n - 1);
	vec_free(&h->caches);
}
