#include "web/kept.h"

#define KEPT_MEMORY ((uint64_t)64 << 20) /* of all that is kept of a trace; files do not count */

static struct kept *kept_find(struct web_handle *h, uint32_t track, const struct kept_kind *kind)
{
	for (size_t i = 0; i < h->kept.n; i++)
		if (h->kept.v[i]->track == track && h->kept.v[i]->kind == kind)
			return h->kept.v[i];
	return NULL;
}

static void kept_remove(struct web_handle *h, size_t i)
{
	struct kept *k = h->kept.v[i];

	h->kept.v[i] = h->kept.v[--h->kept.n];
	k->kind->free(k);
}

/* Forgets what was not asked for the longest while there is too much. */
static void kept_shrink(struct web_handle *h)
{
	uint64_t total = 0;

	for (size_t i = 0; i < h->kept.n; i++)
		total += h->kept.v[i]->memory;
	while (total > KEPT_MEMORY && h->kept.n > 1) {
		size_t oldest = 0;

		for (size_t i = 1; i < h->kept.n; i++)
			if (h->kept.v[i]->asked < h->kept.v[oldest]->asked)
				oldest = i;
		total -= h->kept.v[oldest]->memory;
		kept_remove(h, oldest);
	}
}

static int kept_new(struct web_handle *h, uint32_t track, const struct kept_kind *kind,
		    struct kept **kept)
{
	struct kept *k = kind->make(kind);

	if (!k)
		return TACHO_ENOMEM;
	k->kind = kind;
	k->track = track;
	if (vec_push(&h->kept, k) < 0) {
		kind->free(k);
		return TACHO_ENOMEM;
	}
	*kept = k;
	return 0;
}

static int kept_read_on(struct kept *k, struct web_call *c)
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
	if (taken)
		k->kind->rest(k, !c->live);
	return 0;
}

int kept_of(struct web_call *c, uint32_t track, const struct kept_kind *kind, struct kept **kept)
{
	struct web_handle *h = c->handle;
	struct kept *k = kept_find(h, track, kind);
	int r = k ? 0 : kept_new(h, track, kind, &k);

	if (r < 0)
		return r;
	k->asked = ++h->asked;
	r = kept_read_on(k, c);
	if (r < 0) {
		/* Half of a refresh is in it. */
		for (size_t i = 0; i < h->kept.n; i++)
			if (h->kept.v[i] == k) {
				kept_remove(h, i);
				break;
			}
		return r;
	}
	k->memory = kind->memory(k);
	kept_shrink(h);
	*kept = k;
	return 0;
}

void kept_forget(struct web_handle *h)
{
	while (h->kept.n)
		kept_remove(h, h->kept.n - 1);
	vec_free(&h->kept);
}
