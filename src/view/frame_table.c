/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, cached with sums, maximum lengths and histograms of parts, so that the cost of a view
 * depends on what it shows, not on their number.
 */
#include "view/frame_table.h"
#include "base/order.h"
#include "base/search.h"
#include "view/call_args.h"
#include "view/frame_spans.h"
#include "view/range_max.h"
#include "view/row_cache.h"
#include "view/zone_histogram.h"

#include <math.h>

#define FRAMES 20000u /* rows of one answer */
#define BLOCK  16384u /* frames of a histogram */
#define EXACT                                                                                \
	65536u /* frames whose lengths are sorted; beyond it median and p99 are right to 1 % \
		*/

struct frame {
	uint64_t start, end; /* ticks; by start */
	uint64_t reach;      /* the last end so far: frames from start to end may overlap */
	uint64_t before;     /* sum of the lengths before it */
};

struct block {
	uint16_t counts[HIST_BUCKETS];
};

struct frames {
	struct row_cache cache;
	SPILL(struct frame);
	struct peaks longest;
	struct {
		SPILL(struct block);
	} blocks; /* whole ones */
	struct view_frames fold;
};

/* ---------------------------------------------------------------- making */

static uint64_t frame_table_length_of(const void *context, uint64_t i)
{
	const struct frames *f = context;

	return f->v[i].end - f->v[i].start;
}

/* The histogram of the last BLOCK frames. */
static int frame_table_block_add(struct frames *f)
{
	struct block *b = calloc(1, sizeof(*b));
	int r = b ? 0 : TACHO_ENOMEM;

	for (size_t i = f->n - BLOCK; r == 0 && i < f->n; i++)
		b->counts[hist_bucket(frame_table_length_of(f, i))]++;
	if (r == 0)
		r = spill_push(&f->blocks, *b);
	free(b);
	return r;
}

static const struct row_cache_kind marks, pairs;

static int frames_take(struct row_cache *k, const struct trace_row *row)
{
	struct frames *f = (struct frames *)k;
	const struct frame *last = f->n ? &f->v[f->n - 1] : NULL;
	struct view_frame found;
	struct frame frame;
	int r;

	f->fold.pairs = k->kind == &pairs;
	if (!view_frames_row(&f->fold, row, &found))
		return 0;
	/* Moves a late frame to its place. */
	frame.start = last && found.start < last->start ? last->start : found.start;
	frame.end = found.end > frame.start ? found.end : frame.start;
	frame.reach = last && last->reach > frame.end ? last->reach : frame.end;
	frame.before = last ? last->before + last->end - last->start : 0;
	r = spill_push(f, frame);
	if (r == 0)
		r = peaks_add(&f->longest, frame.end - frame.start);
	return r == 0 && f->n % BLOCK == 0 ? frame_table_block_add(f) : r;
}

static size_t frames_memory(const struct row_cache *k)
{
	const struct frames *f = (const struct frames *)k;

	return sizeof(*f) + spill_memory(&f->store) + peaks_memory(&f->longest) +
	       spill_memory(&f->blocks.store);
}

static void frames_rest(struct row_cache *k, bool last)
{
	const struct frames *f = (const struct frames *)k;

	(void)last;
	spill_rest(&f->store);
	spill_rest(&f->blocks.store);
}

static void frames_free(struct row_cache *k)
{
	struct frames *f = (struct frames *)k;

	spill_free(f);
	peaks_free(&f->longest);
	spill_free(&f->blocks);
	free(f);
}

static const struct row_cache_kind marks = {sizeof(struct frames), frames_take, frames_memory,
					    frames_rest, frames_free};
static const struct row_cache_kind pairs = {sizeof(struct frames), frames_take, frames_memory,
					    frames_rest, frames_free};

static int frames_of(struct view_call *c, uint32_t track, struct frames **frames)
{
	struct row_cache *k = NULL;
	int r = row_cache_get(c, track, c->trace->tracks[track].format == 1 ? &pairs : &marks, &k);

	*frames = (struct frames *)k;
	return r;
}

/* ----------------------------------------------------------------- asking */

static uint64_t start_of(const struct frame *f)
{
	return f->start;
}

static uint64_t reach_of(const struct frame *f)
{
	return f->reach;
}

/* The first of [low, high) whose KEY is not below T. */
static size_t frame_table_find(const struct frames *f, size_t low, size_t high, uint64_t t,
			       uint64_t (*key)(const struct frame *))
{
	SEARCH_FIRST(low, high, middle, key(&f->v[middle]) < t);
	return low;
}

/* The same by galloping search, which touches only nearby entries. */
static size_t find_near(const struct frames *f, size_t low, size_t end, uint64_t t,
			uint64_t (*key)(const struct frame *))
{
	size_t high = low;

	for (size_t step = 1; high < end && key(&f->v[high]) < t; step *= 2) {
		low = high + 1;
		high += step;
	}
	return frame_table_find(f, low, high < end ? high : end, t, key);
}

/* [first, end) are the frames that may overlap [t0, t1). */
struct part {
	size_t first, end;
};

/* Adjacent frames that are too short to draw become one row. */
static void frame_table_rows_put(struct view_call *c, const struct frames *f, struct part part,
				 uint64_t least, uint64_t room)
{
	double tick = call_tick(c);

	json_array(&c->json, "rows");
	for (size_t i = part.first, end; i < part.end && room--; i = end) {
		uint64_t edge = f->v[i].start + least + 1;
		struct json *j;

		end = find_near(f, i + 1, part.end, edge > least ? edge : UINT64_MAX, reach_of);
		j = &c->json;
		json_array(j, NULL);
		json_ns(c, NULL, f->v[i].start);
		json_ns(c, NULL, end == i + 1 ? f->v[i].end : f->v[end - 1].reach);
		if (end > i + 1) {
			json_uint(j, NULL, end - i);
			json_double(j, NULL,
				    tick * (double)peaks_max(&f->longest, i, end,
							     frame_table_length_of, f));
		}
		json_end(j);
	}
	json_end(&c->json);
}

struct percentiles {
	double median, p99; /* ticks */
};

static int sorted_percentiles(const struct frames *f, struct part part, struct percentiles *p)
{
	size_t n = part.end - part.first;
	uint64_t *lengths = malloc((n + 1) * sizeof(*lengths));

	if (!lengths)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < n; i++)
		lengths[i] = frame_table_length_of(f, part.first + i);
	qsort(lengths, n, sizeof(*lengths), order_u64);
	p->median = n ? (double)lengths[(n - 1) / 2] : NAN;
	p->p99 = n ? (double)lengths[(n * 99 + 99) / 100 - 1] : NAN;
	free(lengths);
	return 0;
}

/* Whole blocks, and single frames at the edges. */
static int counted_percentiles(const struct frames *f, struct part part, struct percentiles *p)
{
	struct hist *h = calloc(1, sizeof(*h));

	if (!h)
		return TACHO_ENOMEM;
	for (size_t i = part.first; i < part.end;) {
		if (i % BLOCK || part.end - i < BLOCK || i / BLOCK >= f->blocks.n) {
			h->buckets[hist_bucket(frame_table_length_of(f, i++))]++;
			continue;
		}
		for (uint32_t b = 0; b < HIST_BUCKETS; b++)
			h->buckets[b] += f->blocks.v[i / BLOCK].counts[b];
		i += BLOCK;
	}
	h->count = part.end - part.first;
	h->min = 0;
	h->max = peaks_max(&f->longest, part.first, part.end, frame_table_length_of, f);
	p->median = hist_at(h, 0.5);
	p->p99 = hist_at(h, 0.99);
	free(h);
	return 0;
}

static int frame_table_stats_put(struct view_call *c, const struct frames *f, struct part part)
{
	size_t n = part.end - part.first;
	struct percentiles p;
	int r = n <= EXACT ? sorted_percentiles(f, part, &p) : counted_percentiles(f, part, &p);
	const struct frame *last = n ? &f->v[part.end - 1] : NULL;
	double tick = call_tick(c);
	struct json *j = &c->json;
	uint64_t sum = n ? last->before + last->end - last->start - f->v[part.first].before : 0;

	if (r < 0)
		return r;
	json_object(j, "stats");
	json_uint(j, "count", n);
	json_double(j, "mean", n ? (double)sum * tick / (double)n : NAN);
	json_double(j, "median", p.median * tick);
	json_double(j, "p99", p.p99 * tick);
	json_double(j, "max",
		    n ? tick * (double)peaks_max(&f->longest, part.first, part.end,
						 frame_table_length_of, f)
		      : NAN);
	json_end(j);
	return 0;
}

int frame_marks_at(struct view_call *c, uint32_t track, uint64_t t, struct frame_marks *around)
{
	struct frames *f;
	size_t i, from;
	int r = frames_of(c, track, &f);

	if (r < 0)
		return r;
	*around = (struct frame_marks){0};
	i = frame_table_find(f, 0, f->n, t < UINT64_MAX ? t + 1 : t, start_of);
	if (!i || f->v[i - 1].end <= t)
		return 0;
	from = i > FRAME_MARKS_BEFORE ? i - FRAME_MARKS_BEFORE : 0;
	around->number = i;
	around->before = from;
	for (size_t k = from; k < f->n && around->n < FRAME_MARKS; k++)
		around->v[around->n++] = f->v[k].start;
	/* The last mark begins a frame that has not ended. */
	if (from + around->n == f->n && around->n < FRAME_MARKS)
		around->v[around->n++] = f->v[f->n - 1].end;
	around->all = from + around->n > f->n;
	return 0;
}

int call_frames(struct view_call *c)
{
	uint64_t t0, t1, least = 0, room = FRAMES;
	struct frames *f;
	struct part part;
	uint32_t track;
	int r = arg_track_of(c, TRACE_FRAMES, &track);

	if (r == 0)
		r = arg_range(c, &t0, &t1);
	if (r == 0)
		r = arg_uint(c, "limit", FRAMES, &room);
	if (r >= 0)
		r = arg_uint(c, "least", INT64_MAX, &least);
	if (r >= 0)
		r = frames_of(c, track, &f);
	if (r < 0)
		return r;
	part.first = frame_table_find(f, 0, f->n, t0 < UINT64_MAX ? t0 + 1 : t0, reach_of);
	part.end = frame_table_find(f, part.first, f->n, t1, start_of);
	call_begin(c);
	frame_table_rows_put(
		c, f, part,
		least ? trace_ticks(c->trace, (int64_t)least) - trace_ticks(c->trace, 0) : 0, room);
	r = frame_table_stats_put(c, f, part);
	json_end(&c->json);
	return r;
}
