#include "web/figures.h"

#include <string.h>

bool figures_wanted(const struct web_call *c, uint32_t tracks)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->trace->track_count && n <= FIGURES_FROM; i++)
		n += c->trace->tracks[i].kind == tracks;
	return n > FIGURES_FROM;
}

struct kept *figures_make(const struct kept_kind *kind)
{
	struct figures *f = calloc(1, sizeof(*f));

	if (f)
		f->kind = (const struct figures_kind *)kind; /* it begins with it */
	return (struct kept *)f;
}

/* Makes room for tracks up to TRACK. */
static int figures_grow(struct figures *f, uint32_t track)
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

int figures_take(struct kept *k, const struct trace_row *row)
{
	struct figures *f = (struct figures *)k;

	if (k->row_kind != f->kind->tracks)
		return 0;
	if (k->row_track >= f->tracks && figures_grow(f, k->row_track) < 0)
		return TACHO_ENOMEM;
	return f->kind->take(f, f->sums + (size_t)k->row_track * f->kind->size, row);
}

size_t figures_memory(const struct kept *k)
{
	const struct figures *f = (const struct figures *)k;

	return sizeof(*f) + (size_t)f->tracks * f->kind->size;
}

void figures_rest(struct kept *k, bool last)
{
	(void)k, (void)last;
}

void figures_free(struct kept *k)
{
	struct figures *f = (struct figures *)k;

	for (uint32_t i = 0; f->kind->clear && i < f->tracks; i++)
		f->kind->clear(f->sums + (size_t)i * f->kind->size);
	free(f->sums);
	free(f);
}

/* One pass over the rows of a range. */
static int figures_count(struct web_call *c, struct figures *f, uint64_t t0, uint64_t t1)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint64_t steps = 0;
	int r = trace_rows_open(&rows, c->trace, TRACE_NONE, f->kind->before ? 0 : t0, t1);

	if (r < 0)
		return r;
	f->t0 = t0;
	while (r >= 0 && (r = trace_rows_next(rows, &row, &f->kept.row_track)) > 0) {
		f->kept.row_kind = c->trace->tracks[f->kept.row_track].kind;
		r = figures_take(&f->kept, &row);
		if (++steps % 65536 == 0 && call_gone(c))
			r = TACHO_ENO;
	}
	trace_rows_close(rows);
	return r;
}

int figures_of(struct web_call *c, const struct figures_kind *kind, uint64_t t0, uint64_t t1,
	       struct figures **figures)
{
	struct kept *k = NULL;
	int r;

	if (t0 == 0 && t1 == UINT64_MAX) {
		r = kept_of(c, TRACE_NONE, &kind->kept, &k);
	} else {
		k = figures_make(&kind->kept);
		r = k ? figures_count(c, (struct figures *)k, t0, t1) : TACHO_ENOMEM;
		if (k)
			((struct figures *)k)->of_range = true;
		if (r < 0 && k) {
			figures_free(k);
			k = NULL;
		}
	}
	*figures = (struct figures *)k;
	return r < 0 ? r : 0;
}

const void *figures_at(const struct figures *f, uint32_t track)
{
	return track < f->tracks ? f->sums + (size_t)track * f->kind->size : NULL;
}

void figures_put(struct figures *f)
{
	if (f && f->of_range)
		figures_free(&f->kept);
}
