/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics per source location: from the file when it has them, else counted. */
#include "trace/stats.h"

#include "base/order.h"

#include <math.h>

/* ------------------------------------------------------------------- scan */

static bool track_selected(const struct trace_filter *f, uint32_t track)
{
	return !f || !f->tracks || f->tracks[track];
}

static bool segment_selected(const struct trace_filter *f, const struct segment *s)
{
	return !f || (track_selected(f, s->track) && s->start < f->t1 && s->end >= f->t0);
}

int zone_scan_open(struct zone_scan *s, struct trace_private *p, const struct trace_filter *filter)
{
	size_t n = 0;

	*s = (struct zone_scan){.p = p,
				.filter = filter_is_all(filter) ? NULL : filter,
				.fold = filter ? filter->fold : NULL};
	s->offsets = malloc((p->zone_segments + 1) * sizeof(*s->offsets));
	if (!s->offsets)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < p->lane_list.n; i++) {
		const struct lane *l = p->lane_list.v[i];

		for (size_t k = 0; k < l->segments.n; k++)
			if (segment_selected(s->filter, &l->segments.v[k]))
				s->offsets[n++] = l->segments.v[k].offset;
	}
	qsort(s->offsets, n, sizeof(*s->offsets), order_u64);
	for (size_t i = 0; i < n; i++)
		if (!i || s->offsets[i] != s->offsets[i - 1])
			s->offsets[s->block_count++] = s->offsets[i];
	return 0;
}

void zone_scan_close(struct zone_scan *s)
{
	free(s->offsets);
	free(s->columns.start);
	memset(s, 0, sizeof(*s));
}

/* Ends become durations, and what the filter leaves out loses its source location. */
static void scan_filter(struct zone_scan *s, const struct zpayload *z)
{
	const struct trace_filter *f = s->filter;
	const uint64_t *start = s->columns.start;
	struct in in = z->directory;
	struct segment g = {0};
	struct directory d;

	directory_read(&in, &d);
	for (uint32_t k = 0; k < d.segments; k++) {
		bool selected;

		directory_next(&in, &d, z->offset, &g);
		selected = g.track < s->p->tracks.n && segment_selected(f, &g);
		for (uint32_t i = g.first; i < g.first + g.count; i++) {
			s->duration[i] -= start[i];
			if (!selected || start[i] < f->t0 || start[i] >= f->t1 ||
			    (f->srclocs && !f->srclocs[s->srcloc[i]]))
				s->srcloc[i] = TRACE_NONE;
		}
	}
}

static int drop_unfinished(struct zone_scan *s, const struct zpayload *z)
{
	struct in in = z->marks;
	struct zone_marks marks;
	int r;

	if (!in_varint(&in) && !in.bad)
		return 0;
	r = zpayload_marks(s->p, z, &marks);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < marks.count; i++)
		if (marks.v[i].flags & TRACE_ZONE_UNFINISHED)
			s->srcloc[marks.v[i].zone] = TRACE_NONE;
	zone_marks_free(&marks);
	return 0;
}

int zone_scan_block(struct zone_scan *s, size_t i)
{
	struct zpayload z;
	int r = zpayload_read(s->p, s->offsets[i], &z);

	s->n = r == 0 ? z.n : 0;
	if (r == 0)
		r = zone_columns_room(&s->columns, z.n);
	s->duration = s->columns.end;
	s->srcloc = s->columns.srcloc;
	if (r == 0)
		r = zpayload_srclocs(s->p, &z, s->srcloc);
	if (r == 0 && s->filter)
		r = zpayload_times(s->p, &z, s->columns.start, s->duration);
	else if (r == 0)
		r = zpayload_durations(s->p, &z, s->duration);
	if (r == 0 && s->filter)
		scan_filter(s, &z);
	if (r == 0)
		r = drop_unfinished(s, &z);
	for (uint32_t k = 0; r == 0 && s->fold && k < s->n; k++)
		if (s->srcloc[k] != TRACE_NONE)
			s->srcloc[k] = s->fold[s->srcloc[k]];
	if (r < 0)
		s->n = 0;
	if (r == TACHO_EDAMAGED) {
		damage_add(s->p, s->offsets[i]);
		r = 0;
	}
	return r;
}

/* ------------------------------------------------------------------- sums */

/* One lane and the lane below it, whose zones are the children of its zones. */
struct family {
	struct trace_cursor *parent, *child;
	struct trace_zone next; /* of the child lane */
	bool more;
};

static int family_step(struct family *f)
{
	int r = trace_cursor_next(f->child, &f->next);

	f->more = r > 0;
	return r < 0 ? r : 0;
}

/* Time of the zones directly inside ZONE. Zones of both lanes are in order. */
static int family_children(struct family *f, const struct trace_zone *zone, uint64_t *children)
{
	int r = 0;

	*children = 0;
	while (r == 0 && f->more && f->next.start < zone->start)
		r = family_step(f);
	while (r == 0 && f->more && f->next.end <= zone->end) {
		*children += f->next.end - f->next.start;
		r = family_step(f);
	}
	return r;
}

static int family_sum(struct family *f, const struct trace_filter *filter, struct zone_sums *sums)
{
	struct trace_zone zone;
	uint64_t children;
	int r;

	while ((r = trace_cursor_next(f->parent, &zone)) > 0) {
		if (filter &&
		    (zone.start < filter->t0 || (filter->srclocs && !filter->srclocs[zone.srcloc])))
			continue;
		r = family_children(f, &zone, &children);
		if (r < 0)
			return r;
		if (zone.flags & TRACE_ZONE_UNFINISHED)
			sums[zone.srcloc].unfinished++;
		else
			zone_sums_add(&sums[zone.srcloc], zone.end - zone.start, children,
				      zone.flags & TRACE_ZONE_RECURSIVE);
	}
	return r;
}

static int lane_sum(struct trace_private *p, uint32_t lane, const struct trace_filter *filter,
		    struct zone_sums *sums)
{
	const struct trace_lane_info *info = &p->trace.lanes[lane];
	bool below = lane + 1 < p->trace.lane_count && info[1].track == info->track &&
		     info[1].depth == info->depth + 1;
	uint64_t t0 = filter ? filter->t0 : 0, t1 = filter ? filter->t1 : UINT64_MAX;
	struct family f = {0};
	int r = trace_cursor_open(&f.parent, &p->trace, lane, t0, t1);

	if (r == 0 && below)
		r = trace_cursor_open(&f.child, &p->trace, lane + 1, t0, UINT64_MAX);
	if (r == 0 && below)
		r = family_step(&f);
	if (r == 0)
		r = family_sum(&f, filter, sums);
	trace_cursor_close(f.parent);
	trace_cursor_close(f.child);
	return r;
}

int sums_count(struct trace_private *p, const struct trace_filter *filter, struct zone_sums *sums)
{
	int r = 0;

	for (uint32_t i = 0; i < p->trace.srcloc_count; i++)
		sums[i].min = UINT64_MAX;
	for (uint32_t i = 0; r == 0 && i < p->trace.lane_count; i++)
		if (track_selected(filter, p->trace.lanes[i].track))
			r = lane_sum(p, i, filter, sums);
	return r;
}

/* ----------------------------------------------------------------- public */

/* sqrt(squares / n - mean * mean) loses all digits of a small spread: integers as far as they go.
 */
static double stats_sigma(const struct zone_sums *s)
{
	unsigned __int128 total = s->total, n = s->count, squares, left;

	if (n == 0)
		return 0;
	if (!__builtin_mul_overflow(n, s->squares, &squares)) {
		left = total * total;
		return left > squares ? 0 : sqrt((double)(squares - left)) / (double)n;
	}
	return sqrt(fabs((double)s->squares / (double)n -
			 (double)total / (double)n * ((double)total / (double)n)));
}

static void stat_fill(struct trace_stat *stat, uint32_t srcloc, const struct zone_sums *s)
{
	memset(stat, 0, sizeof(*stat));
	stat->srcloc = srcloc;
	stat->unfinished = s->unfinished;
	if (!s->count)
		return;
	stat->count = s->count;
	stat->sum = s->total;
	stat->self = s->total - s->children;
	/* A range may begin inside a recursion, and the outermost zone may be unfinished. */
	stat->total = s->total - s->recursive;
	if (stat->total < stat->self)
		stat->total = stat->self;
	stat->min = s->min;
	stat->max = s->max;
	stat->mean = (double)s->total / (double)s->count;
	stat->sigma = stats_sigma(s);
}

ORDER_BY(stats_by_total, struct trace_stat, ORDER_DOWN(total) ?: ORDER_UP(srcloc));

static int stats_list(struct trace_private *p, const struct trace_filter *filter,
		      const struct zone_sums *sums, struct trace_stat **stats, size_t *count)
{
	struct trace_stat *list;
	struct zone_scan scan;
	size_t n = 0;
	int r = 0;

	for (uint32_t i = 0; i < p->trace.srcloc_count; i++)
		n += sums[i].count || sums[i].unfinished;
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		return TACHO_ENOMEM;
	n = 0;
	for (uint32_t i = 0; i < p->trace.srcloc_count; i++)
		if (sums[i].count || sums[i].unfinished)
			stat_fill(&list[n++], i, &sums[i]);
	if (!filter || !filter->no_percentiles) {
		r = zone_scan_open(&scan, p, filter);
		if (r == 0) {
			r = percentiles_find(&scan, list, n);
			zone_scan_close(&scan);
		}
	}
	if (r < 0) {
		free(list);
		return r;
	}
	qsort(list, n, sizeof(*list), stats_by_total);
	*stats = list;
	*count = n;
	return 0;
}

static int stats_make(struct trace_private *p, const struct trace_filter *filter,
		      const struct zone_sums *sums, struct trace_stat **stats, size_t *count)
{
	size_t n = p->trace.srcloc_count;
	struct zone_sums *folded;
	int r;

	if (!filter || !filter->fold)
		return stats_list(p, filter, sums, stats, count);
	folded = malloc((n + 1) * sizeof(*folded));
	if (!folded)
		return TACHO_ENOMEM;
	memcpy(folded, sums, n * sizeof(*folded));
	for (size_t i = 0; i < n; i++)
		if (filter->fold[i] != i) {
			struct zone_sums *from = &folded[i];
			struct zone_sums *to = &folded[filter->fold[i]];

			to->count += from->count;
			to->total += from->total;
			to->children += from->children;
			to->recursive += from->recursive;
			to->unfinished += from->unfinished;
			to->squares += from->squares;
			to->min = from->min < to->min ? from->min : to->min;
			to->max = from->max > to->max ? from->max : to->max;
			*from = (struct zone_sums){.min = UINT64_MAX};
		}
	r = stats_list(p, filter, folded, stats, count);
	free(folded);
	return r;
}

int trace_stats(struct trace *trace, const struct trace_filter *filter, struct trace_stat **stats,
		size_t *count, struct tacho_error *err)
{
	struct trace_private *p = private_of(trace);
	int r = recursion_find(p);
	bool stored = p->sums && filter_is_all(filter) && !trace->damage.bad_blocks;

	if (r == 0 && stored)
		r = stats_make(p, filter, p->sums, stats, count);

	/* Stored ones are of all zones: not right when the passes met a damaged block. */
	if (r == 0 && stored && trace->damage.bad_blocks) {
		free(*stats);
		stored = false;
	}
	if (r == 0 && !stored) {
		struct zone_sums *sums = calloc(p->trace.srcloc_count + 1, sizeof(*sums));

		r = sums ? sums_count(p, filter, sums) : TACHO_ENOMEM;
		if (r == 0)
			r = stats_make(p, filter, sums, stats, count);
		free(sums);
	}
	if (r < 0)
		err_set(err, r, "cannot count the zones of %s: %s", trace->path, err_text(r));
	return r;
}
