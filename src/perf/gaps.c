/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes the host's time in the gaps between ops: see gaps.h. */
#include "perf/gaps.h"

#include "base/buf.h"
#include "base/fmt.h"
#include "base/order.h"
#include "op/trace_cores.h"
#include "trace/device_clock.h"
#include "trace/trace.h"

#include <math.h>
#include <string.h>
#include <strings.h>

const char *perf_cause_name(enum perf_cause cause)
{
	static const char *const names[CAUSES] = {
		"kernel compile", "dispatch", "reading back", "writing to the device",
		"waiting",        "Python",   "other zones",  "no zone",
	};

	return names[cause];
}

/* The cause of a zone by its name: the first part that occurs in it, ignoring case. */
static const struct {
	const char *part;
	enum perf_cause cause;
} name_parts[] = {
	{"compile", CAUSE_COMPILE},
	{"jit_build", CAUSE_COMPILE},
	{"JitBuild", CAUSE_COMPILE},
	{"buffer_read", CAUSE_READ},
	{"core_read", CAUSE_READ},
	{"dram_read", CAUSE_READ},
	{"ReadBuffer", CAUSE_READ},
	{"read_buffer", CAUSE_READ},
	{"EnqueueRead", CAUSE_READ},
	{"to_torch", CAUSE_READ},
	{"from_device", CAUSE_READ},
	{"completion_queue", CAUSE_READ},
	{"buffer_write", CAUSE_WRITE},
	{"core_write", CAUSE_WRITE},
	{"dram_write", CAUSE_WRITE},
	{"WriteBuffer", CAUSE_WRITE},
	{"write_buffer", CAUSE_WRITE},
	{"EnqueueWrite", CAUSE_WRITE},
	{"from_torch", CAUSE_WRITE},
	{"to_device", CAUSE_WRITE},
	{"finish", CAUSE_WAIT},
	{"synchronize", CAUSE_WAIT},
	{"wait", CAUSE_WAIT},
	{"sleep", CAUSE_WAIT},
	{"TT_DNN_DEVICE_OP", CAUSE_DISPATCH},
	{"enqueue", CAUSE_DISPATCH},
	{"EnqueueProgram", CAUSE_DISPATCH},
	{"launch", CAUSE_DISPATCH},
	{"dispatch", CAUSE_DISPATCH},
	{"replay", CAUSE_DISPATCH},
	{"execute_trace", CAUSE_DISPATCH},
	{"run_operation", CAUSE_DISPATCH},
};

enum perf_cause perf_cause_of(const char *name, const char *file)
{
	size_t len = strlen(file);

	for (size_t i = 0; i < sizeof(name_parts) / sizeof(name_parts[0]); i++)
		if (strcasestr(name, name_parts[i].part))
			return name_parts[i].cause;
	return len > 3 && !strcmp(file + len - 3, ".py") ? CAUSE_PYTHON : CAUSE_OTHER;
}

/* A gap in ticks of the trace. */
struct span {
	uint64_t start, end;
	uint32_t row;
};

struct work {
	struct perf_gaps *out;
	const struct perf_report *r;
	struct trace *t;
	uint32_t process; /* the one whose devices are looked at */
	struct {
		VEC(struct span);
	} spans;           /* by start */
	uint8_t *cause;    /* by source location, + 1; 0: not computed yet */
	uint64_t *longest; /* by span: ends of the furthest gap up to it, for the search */
};

static enum perf_cause zone_cause(struct work *w, uint32_t srcloc)
{
	const struct trace_srcloc *s;

	if (srcloc >= w->t->srcloc_count)
		return CAUSE_OTHER;
	if (!w->cause[srcloc]) {
		s = &w->t->srclocs[srcloc];
		w->cause[srcloc] =
			(uint8_t)(1 + perf_cause_of(trace_srcloc_name(w->t, srcloc), s->file));
	}
	return (enum perf_cause)(w->cause[srcloc] - 1);
}

/* ------------------------------------------------------------------- gaps */

static int row_compare(const void *a, const void *b, void *arg)
{
	const struct perf_row *rows = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (rows[i].device != rows[k].device)
		return rows[i].device < rows[k].device ? -1 : 1;
	if (rows[i].fw_start != rows[k].fw_start)
		return rows[i].fw_start < rows[k].fw_start ? -1 : 1;
	return i < k ? -1 : i > k;
}

ORDER_BY(span_compare, struct span, ORDER_UP(start));

/* The gaps of rows ORDER[0..n) of one device. Ops may overlap: the one that ended last counts. */
static int device_gaps(struct work *w, const uint32_t *order, size_t n, const bool *wanted)
{
	const struct perf_row *rows = w->r->in->rows.v;
	struct device_clock clock = {0};
	int64_t end = PERF_NO_NUMBER;
	int r = trace_device_clock_find(w->t, w->process, (uint32_t)rows[order[0]].device, &clock);

	for (size_t i = 0; i < n && r == 0 && clock.n; i++) {
		const struct perf_row *row = &rows[order[i]];
		struct span s = {.row = order[i]};

		if (end != PERF_NO_NUMBER && row->fw_start > end && wanted[order[i]]) {
			s.start = device_clock_ticks(&clock, (uint64_t)end);
			s.end = device_clock_ticks(&clock, (uint64_t)row->fw_start);
			if (s.end > s.start)
				r = vec_push(&w->spans, s);
		}
		if (end == PERF_NO_NUMBER || row->fw_end > end)
			end = row->fw_end;
	}
	device_clock_free(&clock);
	return r;
}

/* Gaps of all rows if the process was CHOSEN, else of those on its devices. */
static int gaps_spans_find(struct work *w, bool chosen)
{
	const struct perf_row *rows = w->r->in->rows.v;
	size_t all = w->r->in->rows.n, n = 0, end;
	uint32_t *order = malloc((all + 1) * sizeof(*order));
	bool *wanted = calloc(all + 1, sizeof(*wanted));
	int r = order && wanted ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; r == 0 && i < w->r->ops.n; i++)
		wanted[w->r->ops.v[i].row] = true;
	for (uint32_t i = 0; r == 0 && i < all; i++)
		if (rows[i].device != PERF_NO_DEVICE && rows[i].fw_start != PERF_NO_NUMBER &&
		    rows[i].fw_end != PERF_NO_NUMBER)
			order[n++] = i;
	if (r == 0)
		qsort_r(order, n, sizeof(*order), row_compare, w->r->in->rows.v);
	for (size_t i = 0; i < n && r == 0; i = end) {
		for (end = i; end < n && rows[order[end]].device == rows[order[i]].device;)
			end++;
		if (chosen || op_device_user(w->t, (uint32_t)rows[order[i]].device) == w->process)
			r = device_gaps(w, order + i, end - i, wanted);
	}
	free(order);
	free(wanted);
	if (r < 0)
		return r;
	if (w->spans.n)
		qsort(w->spans.v, w->spans.n, sizeof(*w->spans.v), span_compare);
	free(w->longest);
	w->longest = malloc((w->spans.n + 1) * sizeof(*w->longest));
	if (!w->longest)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < w->spans.n; i++)
		w->longest[i] = i && w->longest[i - 1] > w->spans.v[i].end ? w->longest[i - 1]
									   : w->spans.v[i].end;
	return 0;
}

/* ------------------------------------------------------------------ zones */

/* The thread that dispatches ops: the one with the most such zones. TRACE_NONE: none. */
static int gaps_thread_find(struct work *w, uint32_t *track)
{
	uint64_t most = 0;

	*track = TRACE_NONE;
	for (uint32_t i = 0; i < w->t->track_count; i++) {
		struct trace_walk *walk;
		struct trace_zone zone;
		uint32_t lane;
		uint64_t n = 0;
		int r;

		if (w->t->tracks[i].kind != TRACE_THREAD || w->t->tracks[i].process != w->process)
			continue;
		r = trace_walk_open(&walk, w->t, i, 0, UINT64_MAX);
		while (r == 0 && (r = trace_walk_next(walk, &zone, &lane)) > 0) {
			n += zone_cause(w, zone.srcloc) == CAUSE_DISPATCH;
			r = 0;
		}
		trace_walk_close(walk);
		if (r < 0)
			return r;
		if (n > most) {
			most = n;
			*track = i;
		}
	}
	return 0;
}

/* The first span that ends after TICKS. */
static size_t span_after(const struct work *w, uint64_t ticks)
{
	size_t low = 0, high = w->spans.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (w->longest[middle] <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Counts a zone for CAUSE in each gap that it overlaps, and subtracts it from the enclosing one. */
static void zone_count(struct work *w, const struct trace_zone *z, enum perf_cause cause,
		       enum perf_cause around)
{
	for (size_t i = span_after(w, z->start); i < w->spans.n; i++) {
		const struct span *s = &w->spans.v[i];
		struct perf_gap *gap = &w->out->by_row[s->row];
		uint64_t from = z->start > s->start ? z->start : s->start;
		uint64_t to = z->end < s->end ? z->end : s->end;
		double us;

		if (s->start >= z->end)
			break;
		if (to <= from)
			continue;
		us = trace_duration_ns(w->t, from, to) / 1000;
		gap->part[cause] += us;
		gap->part[around] -= us;
		if (us > gap->zone_time[cause]) {
			gap->zone_time[cause] = us;
			gap->zone[cause] = trace_srcloc_name(w->t, z->srcloc);
		}
	}
}

#define DEPTHS 512 /* deeper zones count for the last of these */

static int zones_count(struct work *w, uint32_t track)
{
	enum perf_cause stack[DEPTHS];
	uint64_t ends[DEPTHS] = {0};
	struct trace_walk *walk = NULL;
	struct trace_zone zone;
	uint32_t lane;
	int r = trace_walk_open(&walk, w->t, track, w->spans.v[0].start,
				w->longest[w->spans.n - 1]);

	while (r == 0 && (r = trace_walk_next(walk, &zone, &lane)) > 0) {
		uint32_t depth = w->t->lanes[lane].depth;
		enum perf_cause cause = zone_cause(w, zone.srcloc), around = CAUSE_NONE;

		r = 0;
		if (depth >= DEPTHS)
			continue;
		if (depth && ends[depth - 1] >= zone.end)
			around = stack[depth - 1];
		if (cause == CAUSE_OTHER && around != CAUSE_NONE)
			cause = around;
		stack[depth] = cause;
		ends[depth] = zone.end;
		zone_count(w, &zone, cause, around);
	}
	trace_walk_close(walk);
	return r;
}

static int process_explain(struct work *w, bool chosen)
{
	uint32_t track;
	int r;

	w->spans.n = 0;
	r = gaps_spans_find(w, chosen);
	if (r < 0 || !w->spans.n)
		return r;
	r = gaps_thread_find(w, &track);
	/* A gap starts as uncovered; zones reduce that part. */
	for (size_t i = 0; i < w->spans.n; i++) {
		struct perf_gap *gap = &w->out->by_row[w->spans.v[i].row];

		gap->all = trace_duration_ns(w->t, w->spans.v[i].start, w->spans.v[i].end) / 1000;
		gap->part[CAUSE_NONE] = gap->all;
	}
	if (r == 0 && track != TRACE_NONE)
		r = zones_count(w, track);
	for (size_t i = 0; i < w->spans.n; i++) {
		struct perf_gap *gap = &w->out->by_row[w->spans.v[i].row];

		for (int c = 0; c < CAUSES; c++)
			if (gap->part[c] < 1e-6) /* rounding */
				gap->part[c] = 0;
	}
	return r;
}

int perf_gaps_explain(struct perf_gaps *gaps, const struct perf_report *r, struct trace *t,
		      uint32_t process, struct tacho_error *err)
{
	struct work w = {.out = gaps, .r = r, .t = t, .process = process};
	bool chosen = process != TRACE_NONE;
	int code = 0;

	gaps->n = r->in->rows.n;
	gaps->by_row = calloc(gaps->n + 1, sizeof(*gaps->by_row));
	w.cause = calloc(t->srcloc_count + 1, sizeof(*w.cause));
	if (!gaps->by_row || !w.cause)
		code = TACHO_ENOMEM;
	else if (chosen)
		code = process_explain(&w, true);
	while (code == 0 && !chosen &&
	       (w.process = op_device_process(t, NULL, w.process)) != TRACE_NONE)
		code = process_explain(&w, false);
	/* Gaps of warm-ups are explained but not counted. */
	for (size_t i = 0; code == 0 && i < r->ops.n; i++) {
		const struct perf_gap *gap = perf_gap_of(gaps, &r->ops.v[i]);

		if (!gap || !perf_op_counts(&r->ops.v[i]))
			continue;
		gaps->all += gap->all;
		for (int c = 0; c < CAUSES; c++)
			gaps->part[c] += gap->part[c];
	}
	vec_free(&w.spans);
	free(w.longest);
	free(w.cause);
	return code < 0 ? err_set(err, code, "cannot read the zones of %s", t->path) : 0;
}

void perf_gaps_free(struct perf_gaps *gaps)
{
	free(gaps->by_row);
	*gaps = (struct perf_gaps){0};
}

const struct perf_gap *perf_gap_of(const struct perf_gaps *gaps, const struct perf_op *op)
{
	return gaps && op->row < gaps->n && gaps->by_row[op->row].all > 0 ? &gaps->by_row[op->row]
									  : NULL;
}

void perf_gap_text(const double *part, double all, struct buf *out)
{
	bool done[CAUSES] = {0};
	int shown = 0;

	for (;;) {
		char text[FMT_FIXED_SIZE];
		int best = -1;

		for (int c = 0; c < CAUSES; c++)
			if (!done[c] && part[c] >= all * 0.01 && (best < 0 || part[c] > part[best]))
				best = c;
		if (best < 0 || all <= 0)
			break;
		done[best] = true;
		fmt_fixed(text, part[best], part[best] < 100 ? 1 : 0);
		buf_addf(out, "%s%s %s " MICRO " (%.0f %%)", shown++ ? ", " : "",
			 perf_cause_name((enum perf_cause)best), text, part[best] / all * 100);
	}
}
