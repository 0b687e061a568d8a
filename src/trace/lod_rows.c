/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of pixels: what a view from afar shows, made beforehand. By nodes such a view costs what it
 * has of pixels, since a node that is taken as a whole is no wider than one or two. So a lane has,
 * for the pixels of 2^RES ns of the grid that the tiles of a viewer lie on, the share that zones
 * cover of each in one byte, from the RES on at which a pixel has LOD_ROW_ZONES zones on the
 * average: a quarter of a byte per zone at most for all of them together. Rows know no names, so a
 * tile that has a zone of a pixel and more in it is made without them.
 */
#include "trace/lod.h"
#include "trace/strip.h"

#include <stdlib.h>

#define ROW_LEAST 64u /* pixels: fewer are quickly made */

/* Pixels of the row of 2^RES ns. */
static uint64_t row_pixels(uint64_t duration, uint32_t res)
{
	return (duration >> res) + 1;
}

uint64_t lod_duration(const struct trace *t)
{
	int64_t ns = trace_ns(t, t->end);

	return ns > 0 ? (uint64_t)ns : 0;
}

void lod_rows_shape(uint64_t duration, uint64_t zones, uint32_t *first, uint32_t *count)
{
	*first = *count = 0;
	while (*first < LOD_ROW_RES && row_pixels(duration, *first) > zones / LOD_ROW_ZONES)
		++*first;
	while (*first + *count < LOD_ROW_RES && row_pixels(duration, *first + *count) >= ROW_LEAST)
		++*count;
}

uint64_t lod_rows_bytes(uint64_t duration, uint32_t first, uint32_t count)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += row_pixels(duration, first + i);
	return (bytes + 63) & ~63ull;
}

/* ----------------------------------------------------------------- making */

int lod_rows_begin(struct lod_rows *r, const struct trace *t, uint64_t zones)
{
	*r = (struct lod_rows){.trace = t, .duration = lod_duration(t)};
	lod_rows_shape(r->duration, zones, &r->first, &r->count);
	if (!r->count)
		return 0;
	r->cover = calloc(row_pixels(r->duration, r->first), sizeof(*r->cover));
	return r->cover ? 0 : TACHO_ENOMEM;
}

/* The sum goes to its pixel. */
static void pixel_close(struct lod_rows *r)
{
	uint64_t ticks = r->limit - r->from;

	if (r->seen && r->pixel < row_pixels(r->duration, r->first))
		r->cover[r->pixel] = STRIP_TOUCHED + (ticks ? (float)r->busy / (float)ticks : 1);
	r->busy = 0;
	r->seen = false;
}

static uint64_t pixel_ticks(const struct lod_rows *r, uint64_t pixel)
{
	return trace_ticks(r->trace, (int64_t)(pixel << r->first));
}

static void pixel_open(struct lod_rows *r, uint64_t pixel)
{
	r->pixel = pixel;
	r->from = pixel_ticks(r, pixel);
	r->limit = pixel_ticks(r, pixel + 1);
}

static void pixel_next(struct lod_rows *r)
{
	pixel_close(r);
	r->pixel++;
	r->from = r->limit;
	r->limit = pixel_ticks(r, r->pixel + 1);
}

void lod_rows_step(struct lod_rows *r, uint64_t start, uint64_t end)
{
	uint64_t beyond = row_pixels(r->duration, r->first);

	if (start >= r->limit && r->limit)
		pixel_next(r);
	if (start >= r->limit) {
		int64_t ns = trace_ns(r->trace, start);

		/* The zone starts after the open pixel: advance to the one that holds it. */
		pixel_close(r);
		pixel_open(r, ns > 0 ? (uint64_t)ns >> r->first : 0);
		/* Ticks and nanoseconds are rounded. */
		while (r->from > start && r->pixel)
			pixel_open(r, r->pixel - 1);
		while (r->limit <= start && r->pixel < row_pixels(r->duration, r->first))
			pixel_next(r);
	}
	while (end > r->limit && r->pixel < beyond) {
		r->busy += r->limit - start;
		r->seen = true;
		start = r->limit;
		pixel_next(r);
	}
	r->busy += end > start ? end - start : 0;
	r->seen = true;
}

/* Each row is made of the one before it, two pixels of which are one. */
void lod_rows_end(struct lod_rows *r, uint8_t *to)
{
	if (r->count)
		pixel_close(r);
	for (uint32_t k = 0; k < r->count; k++) {
		uint64_t n = row_pixels(r->duration, r->first + k);

		for (uint64_t i = 0; i < n; i++) {
			int share = (int)(r->cover[i] * 255 + 0.5f);

			share = share > 255 ? 255 : share;
			to[i] = (uint8_t)(share | ((r->cover[i] > 0) & (share == 0)));
		}
		for (uint64_t i = 0; i < n / 2; i++)
			r->cover[i] = (r->cover[2 * i] + r->cover[2 * i + 1]) / 2;
		if (n % 2)
			r->cover[n / 2] = r->cover[n - 1] / 2;
		to += n;
	}
}

void lod_rows_free(struct lod_rows *r)
{
	free(r->cover);
	r->cover = NULL;
}

/* ---------------------------------------------------------------- looking */

/*
 * Whether nodes [first, last) of a level may have a zone of PIXEL ticks and more in [t0, t1). So do
 * those that cannot be read: nodes are then used instead of rows, and report the error.
 */
static bool may_be_long(struct trace_lod *lod, const struct lod_levels *l, unsigned level,
			uint64_t first, uint64_t last, const struct trace_strip *s, uint64_t pixel)
{
	struct lod_node scratch[LOD_FAN];
	const struct lod_node *nodes;

	if (last > l->nodes[level].count)
		last = l->nodes[level].count;
	if (first >= last)
		return false;
	nodes = lod_nodes(lod, &l->nodes[level], first, last, scratch);
	if (!nodes)
		return true;
	for (uint64_t i = first; i < last; i++) {
		const struct lod_node *n = &nodes[i - first];

		if (n->longest < pixel || n->end < s->t0)
			continue;
		if (n->start >= s->t1)
			return false;
		if (level == 0 || (n->start >= s->t0 && n->end <= s->t1))
			return true;
		if (may_be_long(lod, l, level - 1, i * LOD_FAN, (i + 1) * LOD_FAN, s, pixel))
			return true;
	}
	return false;
}

/* The place of the row of 2^RES ns of a lane, and its pixels; 0 when there is none. */
static uint64_t lod_row_of(const struct trace_lod *lod, uint32_t lane, uint32_t res, uint64_t *at)
{
	const struct lod_lane *l = &lod->lanes[lane];
	uint64_t duration = lod->header.duration;

	if (res < l->row_first || res - l->row_first >= l->row_count)
		return 0;
	*at = l->offset + lod_lane_bytes(l->leaves);
	for (uint32_t i = l->row_first; i < res; i++)
		*at += row_pixels(duration, i);
	return row_pixels(duration, res);
}

#define ROW_PIECE 512u /* pixels that are tested together: a tile's */

/* Adds pixels [at, at + count) of the rows. All are tested before any is added. */
static bool lod_row_add(struct trace_lod *lod, uint64_t at, uint64_t count, struct trace_strip *s)
{
	uint8_t scratch[ROW_PIECE];
	unsigned any = 0;

	for (uint64_t i = 0, n; i < count; i += n) {
		n = count - i < ROW_PIECE ? count - i : ROW_PIECE;
		if (!lod_at(lod, &lod->data, at + i, n, scratch))
			return false;
	}
	for (uint64_t i = 0, n; i < count; i += n) {
		const uint8_t *row;

		n = count - i < ROW_PIECE ? count - i : ROW_PIECE;
		row = lod_at(lod, &lod->data, at + i, n, scratch);
		for (uint64_t k = 0; k < n; k++) {
			s->busy[i + k] += (float)row[k] * (1.0f / 255);
			any |= row[k];
		}
	}
	s->any |= any != 0;
	return true;
}

bool lod_rows_strip(struct trace_lod *lod, uint32_t lane, struct trace_strip *s)
{
	uint64_t pixel = (s->t1 - s->t0) / s->width, n, count, at = 0;
	struct lod_levels levels;

	if (!s->on_grid || !lod->rows || lane >= lod->p->trace.lane_count)
		return false;
	n = lod_row_of(lod, lane, s->res, &at);
	if (!n)
		return false;
	lod_levels_of(lod, lane, &levels);
	if (levels.levels &&
	    may_be_long(lod, &levels, levels.levels - 1, 0, UINT64_MAX, s, pixel ? pixel : 1))
		return false;
	count = s->pixel < n ? n - s->pixel : 0;
	count = count < s->width ? count : s->width;
	return lod_row_add(lod, at + s->pixel, count, s);
}
