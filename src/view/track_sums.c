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

static const struct track_sums_kind *track_sums_kind_of(const struct track_sums *f)
{
	return (const struct track_sums_kind *)f->cache.kind; /* it begins with it */
}

/* Makes room for tracks up to TRACK. */
static int figures_grow(struct track_sums *f, uint32_t track)
{
	uint32_t tracks = track + track / 2 + 16;
	uint8_t *sums = reallocarray(f->sums, tracks, track_sums_kind_of(f)->size);

	if (!sums)
		return TACHO_ENOMEM;
	memset(sums + (size_t)f->tracks * track_sums_kind_of(f)->size, 0,
	       (size_t)(tracks - f->tracks) * track_sums_kind_of(f)->size);
	f->sums = sums;
	f->tracks = tracks;
	return 0;
}

int track_sums_take(struct row_cache *k, const struct trace_row *row)
{
	struct track_sums *f = (struct track_sums *)k;

	if (k->row_kind != track_sums_kind_of(f)->tracks)
		return 0;
	if (k->row_track >= f->tracks && figures_grow(f, k->row_track) < 0)
		return TACHO_ENOMEM;
	return track_sums_kind_of(f)->take(
		f, f->sums + (size_t)k->row_track * track_sums_kind_of(f)->size, row);
}

size_t track_sums_memory(const struct row_cache *k)
{
	const struct track_sums *f = (const struct track_sums *)k;

	return sizeof(*f) + (size_t)f->tracks * track_sums_kind_of(f)->size;
}

void track_sums_free(struct row_cache *k)
{
	struct track_sums *f = (struct track_sums *)k;

	for (uint32_t i = 0; track_sums_kind_of(f)->clear && i < f->tracks; i++)
		track_sums_kind_of(f)->clear(f->sums + (size_t)i * track_sums_kind_of(f)->size);
	free(f->sums);
	free(f);
}

/* One pass over the rows of a range. */
static int figures_count(struct view_call *c, struct track_sums *f, uint64_t t0, uint64_t t1)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint64_t steps = 0;
	int r = trace_rows_open(&rows, c->trace, TRACE_NONE, track_sums_kind_of(f)->before ? 0 : t0,
				t1);

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

	*figures = NULL;
	if (t0 == 0 && t1 == UINT64_MAX) {
		r = row_cache_get(c, TRACE_NONE, &kind->cache, &k);
	} else {
		k = calloc(1, kind->cache.bytes);
		if (!k)
			return TACHO_ENOMEM;
		k->kind = &kind->cache;
		r = figures_count(c, (struct track_sums *)k, t0, t1);
		((struct track_sums *)k)->of_range = true;
		if (r < 0) {
			track_sums_free(k);
			k = NULL;
		}
	}
	*figures = (struct track_sums *)k;
	return r < 0 ? r : 0;
}

const void *track_sums_at(const struct track_sums *f, uint32_t track)
{
	return track < f->tracks ? f->sums + (size_t)track * track_sums_kind_of(f)->size : NULL;
}

void track_sums_put(struct track_sums *f)
{
	if (f && f->of_range)
		track_sums_free(&f->cache);
}
