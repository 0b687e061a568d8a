/* SPDX-License-Identifier: Apache-2.0 */
/* csvexport: a row per source location. */
#include "base/order.h"
#include "tracy/self.h"
#include "tracy/sheet.h"

#include <math.h>
#include <stdlib.h>

struct figures {
	uint32_t srcloc;
	uint64_t count;
	int64_t total, min, max; /* nanoseconds */
	double variance;         /* sum of squared distances from the mean as printed */
};

/* The length stored in the file; otherwise from the first to the last event. */
static int64_t span_of(const struct sheet *c)
{
	const char *span = trace_property(c->trace, TRACE_SPAN);
	int64_t ns = span ? strtoll(span, NULL, 10) : sheet_ns(c, c->trace->end);

	return ns > 0 ? ns : 1;
}

static void sheet_stats_row_put(struct sheet *c, const struct figures *f, int64_t span)
{
	int64_t mean = f->total / (int64_t)f->count;
	double deviation = f->count > 1 ? sqrt(f->variance / (double)(f->count - 1)) : 0;

	sheet_srcloc(c, f->srcloc, true);
	sheet_number(c, f->total);
	sheet_next(c);
	buf_addf(&c->out, "%f", 100. * (double)f->total / (double)span);
	sheet_next(c);
	sheet_number(c, (int64_t)f->count);
	sheet_next(c);
	sheet_number(c, mean);
	sheet_next(c);
	sheet_number(c, f->min);
	sheet_next(c);
	sheet_number(c, f->max);
	sheet_next(c);
	buf_addf(&c->out, "%f", deviation);
	sheet_end(c);
}

/* The mean is printed truncated to whole nanoseconds; the deviation is relative to that. */
static void set_variance(struct figures *f, double sigma, double mean)
{
	double off = mean - (double)(f->total / (int64_t)f->count);

	f->variance = (double)f->count * (sigma * sigma + off * off);
}

/* ------------------------------------------------------------- whole times */

static double ns_per_tick(const struct trace *t)
{
	return t->end > t->start
		       ? trace_duration_ns(t, t->start, t->end) / (double)(t->end - t->start)
		       : 1;
}

/* This table omits device zones; without device tracks the file's own statistics serve. */
static int thread_stats(struct sheet *c, struct trace_stat **stats, size_t *count)
{
	struct trace_filter filter = {.t1 = UINT64_MAX, .no_percentiles = true};
	uint8_t *tracks = malloc(c->trace->track_count + 1);
	int r;

	if (!tracks)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < c->trace->track_count; i++) {
		tracks[i] = sheet_is_thread(c, i);
		if (c->trace->tracks[i].kind == TRACE_CORE)
			filter.tracks = tracks;
	}
	r = trace_stats(c->trace, &filter, stats, count, NULL);
	free(tracks);
	return r;
}

/* The sums are the totals of this table. */
ORDER_BY(by_sum, struct trace_stat, ORDER_DOWN(sum) ?: ORDER_UP(srcloc));

static int put_totals(struct sheet *c, int64_t span)
{
	double scale = ns_per_tick(c->trace);
	struct trace_stat *stats;
	size_t count;
	int r = thread_stats(c, &stats, &count);

	if (r < 0)
		return r;
	if (count)
		qsort(stats, count, sizeof(*stats), by_sum);
	for (size_t i = 0; i < count; i++) {
		const struct trace_stat *s = &stats[i];
		struct figures f = {.srcloc = s->srcloc, .count = s->count};

		if (!s->count || !c->taken[s->srcloc])
			continue;
		f.total = llround((double)s->sum * scale); /* as in Tracy: recursion counts again */
		f.min = llround((double)s->min * scale);
		f.max = llround((double)s->max * scale);
		set_variance(&f, s->sigma * scale, s->mean * scale);
		sheet_stats_row_put(c, &f, span);
	}
	free(stats);
	return 0;
}

/* -------------------------------------------------------------- self times */

/* Mean and sum of squared distances from it, updated per zone. */
struct running {
	uint64_t count, total, min, max;
	double mean, squares;
};

static int add_lane(struct sheet *c, uint32_t lane, struct running *all)
{
	struct self_lane below = {0};
	struct trace_cursor *cursor;
	struct trace_zone zone;
	uint64_t self;
	int r = trace_cursor_open(&cursor, c->trace, lane, 0, UINT64_MAX);

	while (r >= 0 && (r = trace_cursor_next(cursor, &zone)) > 0) {
		r = self_of(&below, c->trace, lane, &zone, &self);
		if (r == 0 && !(zone.flags & TRACE_ZONE_UNFINISHED) &&
		    zone.srcloc < c->trace->srcloc_count && c->taken[zone.srcloc]) {
			struct running *f = &all[zone.srcloc];
			double from = (double)self - f->mean;

			f->min = !f->count || self < f->min ? self : f->min;
			f->max = self > f->max ? self : f->max;
			f->total += self;
			f->count++;
			f->mean += from / (double)f->count;
			f->squares += from * ((double)self - f->mean);
		}
	}
	self_close(&below);
	trace_cursor_close(cursor);
	return r;
}

ORDER_BY(by_total, struct figures, ORDER_DOWN(total) ?: ORDER_UP(srcloc));

static void put_running(struct sheet *c, const struct running *all, struct figures *rows,
			int64_t span)
{
	double scale = ns_per_tick(c->trace);
	size_t n = 0;

	for (uint32_t i = 0; i < c->trace->srcloc_count; i++) {
		struct figures f = {.srcloc = i, .count = all[i].count};

		if (!f.count)
			continue;
		f.total = llround((double)all[i].total * scale);
		f.min = llround((double)all[i].min * scale);
		f.max = llround((double)all[i].max * scale);
		set_variance(&f, sqrt(all[i].squares / (double)f.count) * scale,
			     all[i].mean * scale);
		rows[n++] = f;
	}
	qsort(rows, n, sizeof(*rows), by_total);
	for (size_t i = 0; i < n; i++)
		sheet_stats_row_put(c, &rows[i], span);
}

static int put_selves(struct sheet *c, int64_t span)
{
	struct running *all = calloc(c->trace->srcloc_count + 1, sizeof(*all));
	struct figures *rows = calloc(c->trace->srcloc_count + 1, sizeof(*rows));
	int r = all && rows ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; i < c->trace->lane_count && r == 0; i++)
		if (sheet_is_thread(c, c->trace->lanes[i].track))
			r = add_lane(c, i, all);
	if (r == 0)
		put_running(c, all, rows, span);
	free(all);
	free(rows);
	return r;
}

int sheet_stats(struct sheet *c)
{
	static const char *const names[] = {"name",       "src_file", "src_line", "total_ns",
					    "total_perc", "counts",   "mean_ns",  "min_ns",
					    "max_ns",     "std_ns",   NULL};

	sheet_header(c, names);
	return c->o->self ? put_selves(c, span_of(c)) : put_totals(c, span_of(c));
}
