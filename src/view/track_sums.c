/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of all tracks of a kind, computed in one pass. */
#include "view/track_sums.h"

#include <string.h>

bool track_sums_wanted(const struct view_call *c, uint32_t tracks)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->trace->track_count && n <= TRACK_SUMS_FROM; i++)
		n += c->trace->tracks[i].kind == tracks;
	return n > TRACK_SUMS_FROM;
}

struct row_cache *track_sums_make(const struct row_cache_kind *kind)
{
	struct track_sums *f = calloc(1, sizeof(*f));

	if (f)
		f->kind = (const struct track_sums_kind *)kind; /* it begins with it */
	return (struct row_cache *)f;
}

/* Makes room for tracks up to TRACK. */
static int figures_grow(struct track_sums *f, uint32_t track)
{
	uint32_t tracks = track + track / 2 + 16;
	uint8_t *sums = reallocarray(f->sums, tracks, f->kind->size);

	if (!sums)
		return TACHO_ENOMEM;
	memset(sums + (size_t)f->tracks * f->kind->size, 0,
	       (size_t)(tracks - f->tracks) * f->kind->size);
	f->sums = sums;
	f->tracks = tracks;
	return 0;
}

int track_sums_take(struct row_cache *k, const struct trace_row *row)
{
	struct track_sums *f = (struct track_sums *)k;

	if (k->row_kind != f->kind->tracks)
		return 0;
	if (k->row_track >= f->tracks && figures_grow(f, k->row_track) < 0)
		return TACHO_ENOMEM;
	return f->kind->take(f, f->sums + (size_t)k->row_track * f->kind->size, row);
}

size_t track_sums_memory(const struct row_cache *k)
{
	const struct track_sums *f = (const struct track_sums *)k;

	return sizeof(*f) + (size_t)f->tracks * f->kind->size;
}

void track_sums_rest(struct row_cache *k, bool last)
{
	(void)k, (void)last;
}

void track_sums_free(struct row_cache *k)
{
	struct track_sums *f = (struct track_sums *)k;

	for (uint32_t i = 0; f->kind->clear && i < f->tracks; i++)
		f->kind->clear(f->sums + (size_t)i * f->kind->size);
	free(f->sums);
	free(f);
}

/* One pass over the rows of a range. */
static int figures_count(struct view_call *c, struct track_sums *f, uint64_t t0, uint64_t t1)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint64_t steps = 0;
	int r = trace_rows_open(&rows, c->trace, TRACE_NONE, f->kind->before ? 0 : t0, t1);

	if (r < 0)
		return r;
	f->t0 = t0;
	while (r >= 0 && (r = trace_rows_next(rows, &row, &f->cache.row_track)) > 0) {
		f->cache.row_kind = c->trace->tracks[f->cache.row_track].kind;
		r = track_sums_take(&f->cache, &row);
		if (++steps % 65536 == 0 && call_gone(c))
			r = TACHO_ENO;
	}
	trace_rows_close(rows);
	return r;
}

int track_sums_of(struct view_call *c, const struct track_sums_kind *kind, uint64_t t0, uint64_t t1,
		  struct track_sums **figures)
{
	struct row_cache *k = NULL;
	int r;

	if (t0 == 0 && t1 == UINT64_MAX) {
		r = row_cache_get(c, TRACE_NONE, &kind->cache, &k);
	} else {
		k = track_sums_make(&kind->cache);
		r = k ? figures_count(c, (struct track_sums *)k, t0, t1) : TACHO_ENOMEM;
		if (k)
			((struct track_sums *)k)->of_range = true;
		if (r < 0 && k) {
			track_sums_free(k);
			k = NULL;
		}
	}
	*figures = (struct track_sums *)k;
	return r < 0 ? r : 0;
}

const void *track_sums_at(const struct track_sums *f, uint32_t track)
{
	return track < f->tracks ? f->sums + (size_t)track * f->kind->size : NULL;
}

void track_sums_put(struct track_sums *f)
{
	if (f && f->of_range)
		track_sums_free(&f->cache);
}
