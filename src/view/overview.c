/* SPDX-License-Identifier: Apache-2.0 */
/* The first page: where the time went, what is uneven, what is wrong. */
#include "base/order.h"
#include "view/core_busy.h"
#include "view/device_clock.h"
#include "view/op_table.h"
#include "view/zone_stats.h"

#include <math.h>
#include <string.h>

#define TOP     10u
#define DEVICES 64u

ORDER_BY(by_self, struct trace_stat, ORDER_DOWN(self) ?: ORDER_UP(srcloc));

/* Lock waits of all names, and the name that has the most of them. */
static void waits_put_sum(struct view_call *c, const char *key, uint64_t wait,
			  const struct trace_stat *most)
{
	struct json *j = &c->json;

	json_double(j, key, (double)wait * call_tick(c));
	if (!most)
		return;
	json_object(j, "top_wait");
	json_uint(j, "name", most->srcloc);
	json_text(j, "text", trace_srcloc_name(c->trace, most->srcloc));
	json_double(j, "wait", (double)most->wait * call_tick(c));
	json_end(j);
}

/*
 * The names with the most self time among tracks of some kinds: names that only contain others
 * would hide where the time goes. Lock waits do not count as self time. SUM: of all names, with
 * lock waits; WAITS: these only.
 */
static int top_put(struct view_call *c, const char *key, const char *sum, const char *waits,
		   uint32_t first, uint32_t last)
{
	struct trace_filter filter = {.t1 = UINT64_MAX, .no_percentiles = true};
	const struct trace *t = c->trace;
	uint8_t *tracks = calloc(t->track_count + 1, 1);
	struct trace_stat *stats = NULL, *most = NULL;
	struct json *j = &c->json;
	size_t count = 0;
	uint64_t self = 0, wait = 0;
	int r = tracks ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; r == 0 && i < t->track_count; i++)
		tracks[i] = t->tracks[i].kind >= first && t->tracks[i].kind <= last;
	filter.tracks = tracks;
	if (r == 0)
		r = stats_count(c, &filter, &stats, &count);
	if (r == 0 && count)
		qsort(stats, count, sizeof(*stats), by_self);
	for (size_t i = 0; r == 0 && i < count; i++) {
		wait += stats[i].wait;
		if (stats[i].wait && (!most || stats[i].wait > most->wait))
			most = &stats[i];
	}
	for (size_t i = 0; r == 0 && i < count; i++)
		self += stats[i].self;
	json_double(j, sum, (double)(self + wait) * call_tick(c));
	if (waits)
		waits_put_sum(c, waits, wait, most);
	json_array(j, key);
	for (size_t i = 0; r == 0 && i < count && i < TOP && stats[i].count; i++) {
		json_object(j, NULL);
		json_uint(j, "name", stats[i].srcloc);
		json_text(j, "text", trace_srcloc_name(t, stats[i].srcloc));
		json_uint(j, "count", stats[i].count);
		json_double(j, "total", (double)stats[i].total * call_tick(c));
		json_double(j, "self", (double)stats[i].self * call_tick(c));
		json_double(j, "wait", (double)stats[i].wait * call_tick(c));
		json_double(j, "max", (double)stats[i].max * call_tick(c));
		json_end(j);
	}
	json_end(j);
	free(stats);
	free(tracks);
	return r;
}

/* Numbers of devices that have tracks. */
static size_t devices_find(const struct trace *t, uint32_t *devices)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->track_count && n < DEVICES; i++) {
		struct core_place place;
		size_t k = 0;

		if (!track_place(&t->tracks[i], &place))
			continue;
		while (k < n && devices[k] != place.device)
			k++;
		if (k == n)
			devices[n++] = place.device;
	}
	return n;
}

/* Ops that were only captured into a trace have not run. */
static void ops_of_device(const struct ops *o, uint32_t device, uint64_t *count, double *time)
{
	*count = 0;
	*time = 0;
	for (size_t i = 0; o && i < o->report.ops.n; i++) {
		const struct perf_op *op = &o->report.ops.v[i];

		if (op->type != TYPE_DEVICE || op->time_blank ||
		    o->in.rows.v[op->row].device != (int64_t)device)
			continue;
		++*count;
		if (op->has & HAS_TIME && isfinite(op->time))
			*time += op->time;
	}
}

static int overview_devices_put(struct view_call *c, const struct ops *o)
{
	uint32_t devices[DEVICES];
	double imbalance[DEVICES];
	size_t n = devices_find(c->trace, devices);
	struct json *j = &c->json;
	int r = 0;

	json_array(j, "devices");
	for (size_t i = 0; r == 0 && i < n; i++) {
		double busy = 0, span = 0, time;
		uint64_t count, first, last;

		if (view_device_times(c->trace, devices[i], TRACE_NONE, &first, &last))
			span = trace_duration_ns(c->trace, first, last);
		r = grid_imbalance(c, devices[i], &imbalance[i], &busy);
		ops_of_device(o, devices[i], &count, &time);
		json_object(j, NULL);
		json_uint(j, "device", devices[i]);
		json_uint(j, "ops", count);
		json_double(j, "time_us", time);
		json_double(j, "span_us", span / 1000);
		json_double(j, "busy_pct", busy);
		json_end(j);
	}
	json_end(j);
	json_array(j, "imbalance");
	for (size_t i = 0; r == 0 && i < n; i++) {
		json_object(j, NULL);
		json_uint(j, "device", devices[i]);
		json_double(j, "value", imbalance[i]);
		json_end(j);
	}
	json_end(j);
	return r;
}

/* Devices of an ops report, which has no tracks. */
static void bare_devices_put(struct view_call *c, const struct ops *o)
{
	struct json *j = &c->json;
	int32_t seen[DEVICES];
	size_t n = 0;

	json_array(j, "devices");
	for (size_t i = 0; i < o->in.rows.n && n < DEVICES; i++) {
		uint64_t count;
		double time;
		size_t k = 0;

		while (k < n && seen[k] != o->in.rows.v[i].device)
			k++;
		if (k < n || o->in.rows.v[i].device == PERF_NO_DEVICE)
			continue;
		seen[n++] = o->in.rows.v[i].device;
		ops_of_device(o, (uint32_t)seen[n - 1], &count, &time);
		json_object(j, NULL);
		json_int(j, "device", seen[n - 1]);
		json_uint(j, "ops", count);
		json_double(j, "time_us", time);
		json_null(j, "busy_pct");
		json_end(j);
	}
	json_end(j);
}

/* The largest savings: for each kind of advice, the op with the largest one. */
static void overview_advice_put(struct view_call *c, const struct ops *o)
{
	struct json *j = &c->json;
	struct {
		double saving;
		uint32_t row;
		uint64_t ops;
		char text[400];
	} best[ADVICE_KINDS] = {0};

	for (size_t i = 0; i < o->report.ops.n; i++) {
		struct perf_advice_item items[PERF_ADVICE_MAX];
		int n = perf_advise(&o->report, &o->report.ops.v[i], items);

		for (int k = 0; k < n; k++) {
			if (items[k].kind == ADVICE_NOTHING || !(items[k].saving > 0))
				continue;
			best[items[k].kind].ops++;
			if (items[k].saving <= best[items[k].kind].saving)
				continue;
			best[items[k].kind].saving = items[k].saving;
			best[items[k].kind].row = perf_row_line(o->report.ops.v[i].row);
			memcpy(best[items[k].kind].text, items[k].text, sizeof(items[k].text));
		}
	}
	json_array(j, "advice");
	for (int i = 0; i < ADVICE_KINDS; i++) {
		char id[16];

		if (!best[i].ops)
			continue;
		snprintf(id, sizeof(id), "%u", best[i].row);
		json_object(j, NULL);
		json_text(j, "title", perf_advice_title((enum perf_advice_kind)i));
		json_text(j, "text", best[i].text);
		json_uint(j, "ops", best[i].ops);
		json_double(j, "saves_us", best[i].saving);
		json_text(j, "op", id);
		json_end(j);
	}
	json_end(j);
}

static int ops_part(struct view_call *c, struct ops *o)
{
	struct perf_summary s;
	int r = ops_summary_put(c, &o->report);
	struct json *j;

	if (r == 0)
		r = perf_summary_make(&s, &o->report);
	if (r < 0)
		return r;
	/* Long gaps, as times if they are known. */
	j = &c->json;
	json_array(j, "gaps");
	for (int i = 0; i < s.gaps_n; i++) {
		const struct perf_op *op = &o->report.ops.v[s.gaps[i]];
		const struct perf_gap *gap;
		uint64_t t0, t1, before;

		json_object(j, NULL);
		json_int(j, "device", o->in.rows.v[op->row].device);
		json_uint(j, "row", perf_row_line(op->row));
		json_text(j, "before", perf_op_kind(&o->report, op)->label);
		json_double(j, "gap_us", op->gap);
		if (ops_time(c, o, op, &t0, &t1) && ops_time_before(c, o, op, &before)) {
			json_ns(c, "t0", before < t0 ? before : t0);
			json_ns(c, "t1", t0);
		}
		gap = ops_gap(c, o, op);
		if (gap)
			ops_causes_put(j, gap);
		json_end(j);
	}
	json_end(j);
	overview_advice_put(c, o);
	return 0;
}

/* Ops as they are listed: those of several devices are one. */
static int listed_put(struct view_call *c)
{
	struct ops *o;
	int r = ops_take(c, true, &o);

	if (r == 0) {
		r = ops_part(c, o);
		ops_put(c, o);
	}
	return r;
}

int call_overview(struct view_call *c)
{
	struct ops *o = NULL;
	int r = 0;

	/* A trace without ops has the rest. */
	if (ops_take(c, false, &o) < 0) {
		if (!c->trace)
			return TACHO_EUSAGE;
		o = NULL;
		call_reset(c);
	}
	call_begin(c);
	if (c->trace) {
		r = top_put(c, "top_zones", "host_self", "host_wait", TRACE_THREAD, TRACE_FIBER);
		if (r == 0)
			r = top_put(c, "top_kernels", "core_self", NULL, TRACE_CORE, TRACE_CORE);
		if (r == 0)
			r = overview_devices_put(c, o);
		r = r == 0 ? warnings_put(c) : r;
	} else {
		bare_devices_put(c, o);
	}
	if (o)
		ops_put(c, o);
	if (r == 0 && o)
		r = listed_put(c);
	json_end(&c->json);
	return r;
}
