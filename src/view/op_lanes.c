/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ops of a device on the timeline. Ops that overlap, on sub-devices or queues, are in lanes of
 * their own. Neighbours that are too short to draw become one row.
 */
#include "base/order.h"
#include "trace/names.h"
#include "view/op_table.h"

#include <math.h>
#include <string.h>

#define LANES 8u     /* of a device: further ops that overlap share the last one */
#define ROWS  20000u /* of one answer */
#define LABEL                                                                              \
	40 /* rows whose host zone is so many times LEAST long stay alone: it has room for \
	      a name */

struct lane_op {
	uint64_t start, end; /* ticks on the device, by its clock */
	int64_t host_start;  /* ns of the timeline; INT64_MIN: unknown */
	double host_ns;
	uint32_t op, lane;
};

struct lane_ops {
	struct view_call *c;
	struct ops *o;
	VEC(struct lane_op);
	uint32_t lanes;
};

ORDER_BY(op_lanes_by_start, struct lane_op, ORDER_UP(start) ?: ORDER_UP(op));

static int lane_ops_find(struct lane_ops *s, int64_t device)
{
	const struct perf_report *report = &s->o->report;
	const struct trace *t = s->c->trace;
	const char *start = trace_property(t, TRACE_ORIGIN);
	/* Nanoseconds of the timeline at which the host's reports begin to count. */
	int64_t origin = start ? trace_ns(t, strtoull(start, NULL, 10)) : 0;
	uint64_t busy[LANES] = {0};

	for (size_t i = 0; i < report->ops.n; i++) {
		const struct perf_op *op = &report->ops.v[i];
		const struct perf_row *row = &s->o->in.rows.v[op->row];
		struct lane_op span = {
			.op = (uint32_t)i, .host_start = INT64_MIN, .host_ns = row->host_duration};

		if (row->device != device || op->type == TYPE_SIGNPOST ||
		    !ops_time(s->c, s->o, op, &span.start, &span.end))
			continue;
		if (row->start != PERF_NO_START)
			span.host_start = row->start + origin;
		if (vec_push(s, span) < 0)
			return TACHO_ENOMEM;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), op_lanes_by_start);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t lane = 0;

		while (lane + 1 < LANES && busy[lane] > s->v[i].start)
			lane++;
		busy[lane] = s->v[i].end;
		s->v[i].lane = lane;
		s->lanes = lane + 1 > s->lanes ? lane + 1 : s->lanes;
	}
	return 0;
}

static bool lane_op_is_short(const struct lane_ops *s, const struct lane_op *span, double least)
{
	return trace_duration_ns(s->c->trace, span->start, span->end) < least &&
	       !(span->host_start != INT64_MIN && span->host_ns >= LABEL * least);
}

/* Either side of it is in the range, or what is between them. */
static bool lane_op_is_seen(const struct lane_ops *s, const struct lane_op *span, double t0,
			    double t1)
{
	double first = call_ns(s->c, span->start), last = call_ns(s->c, span->end);

	if (span->host_start != INT64_MIN) {
		double host = (double)span->host_start;

		first = fmin(first, host);
		last = fmax(last, isnan(span->host_ns) ? host : host + span->host_ns);
	}
	return last >= t0 && first < t1;
}

static void lane_op_put(struct lane_ops *s, const struct lane_op *span, uint64_t end,
			uint64_t count)
{
	const struct perf_op *op = &s->o->report.ops.v[span->op];
	struct json *j = &s->c->json;

	json_array(j, NULL);
	json_ns(s->c, NULL, span->start);
	json_ns(s->c, NULL, end);
	json_uint(j, NULL, span->lane);
	json_text(j, NULL, perf_op_kind(&s->o->report, op)->label);
	json_text(j, NULL, perf_bound_name(op->bound));
	json_uint(j, NULL, perf_row_line(op->row));
	json_uint(j, NULL, count);
	if (count == 1 && span->host_start != INT64_MIN) {
		json_int(j, NULL, span->host_start);
		json_double(j, NULL, isnan(span->host_ns) ? 0 : span->host_ns);
	}
	json_end(j);
}

/* One row for SPAN and the short ones of its lane that follow within LEAST. */
static void lane_ops_merge(struct lane_ops *s, size_t first, bool *done, double least)
{
	const struct lane_op *longest = &s->v[first];
	uint64_t end = longest->end, count = 1;

	for (size_t i = first + 1; i < s->n && lane_op_is_short(s, &s->v[first], least); i++) {
		const struct lane_op *next = &s->v[i];

		if (trace_duration_ns(s->c->trace, s->v[first].start, next->start) >= least)
			break;
		if (next->lane != s->v[first].lane || done[i])
			continue;
		if (!lane_op_is_short(s, next, least))
			break;
		done[i] = true;
		count++;
		end = next->end > end ? next->end : end;
		if (next->end - next->start > longest->end - longest->start)
			longest = next;
	}
	if (count == 1) {
		lane_op_put(s, longest, end, 1);
	} else {
		struct lane_op merged = *longest;

		merged.start = s->v[first].start;
		lane_op_put(s, &merged, end, count);
	}
}

/* Marks the ops next to the range in each lane: what is between them is a gap in the range. */
static void lane_ops_mark_next(const struct lane_ops *s, double t0, double t1, bool *next)
{
	size_t before[LANES], after[LANES];

	memset(before, 0xff, sizeof(before));
	memset(after, 0xff, sizeof(after));
	for (size_t i = 0; i < s->n; i++) {
		const struct lane_op *span = &s->v[i];

		if (call_ns(s->c, span->end) < t0)
			before[span->lane] = i;
		else if (call_ns(s->c, span->start) >= t1 && after[span->lane] == SIZE_MAX)
			after[span->lane] = i;
	}
	for (uint32_t i = 0; i < LANES; i++) {
		if (before[i] != SIZE_MAX)
			next[before[i]] = true;
		if (after[i] != SIZE_MAX)
			next[after[i]] = true;
	}
}

static int lane_ops_put(struct lane_ops *s, double t0, double t1, double least)
{
	bool *done = calloc(2 * s->n + 1, sizeof(*done)), *next;
	uint64_t room = ROWS;
	size_t i = 0;

	if (!done)
		return TACHO_ENOMEM;
	next = done + s->n;
	lane_ops_mark_next(s, t0, t1, next);
	call_begin(s->c);
	json_uint(&s->c->json, "total", s->n);
	json_uint(&s->c->json, "lanes", s->lanes);
	json_array(&s->c->json, "rows");
	for (; i < s->n && room; i++) {
		if (done[i] || !(next[i] || lane_op_is_seen(s, &s->v[i], t0, t1)))
			continue;
		lane_ops_merge(s, i, done, least);
		room--;
	}
	json_end(&s->c->json);
	json_bool(&s->c->json, "more", i < s->n);
	json_end(&s->c->json);
	free(done);
	return 0;
}

int call_op_lanes(struct view_call *c)
{
	struct lane_ops s = {.c = c};
	uint64_t t0, t1, least = 0, device = 0;
	int r = arg_range(c, &t0, &t1);

	if (r == 0)
		r = arg_need(c, "dev", 0xffff, &device);
	if (r == 0)
		r = arg_uint(c, "least", INT64_MAX, &least);
	if (r >= 0)
		r = ops_take(c, false, &s.o);
	if (r < 0)
		return r;
	r = lane_ops_find(&s, (int64_t)device);
	if (r == 0)
		r = lane_ops_put(&s, t0 ? call_ns(c, t0) : -INFINITY,
				 t1 == UINT64_MAX ? INFINITY : call_ns(c, t1), (double)least);
	ops_put(c, s.o);
	vec_free(&s);
	return r;
}
