/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the members of a job from traces and reports: ops of devices, or else zones of threads. */
#include "base/fmt.h"
#include "base/order.h"
#include "base/text.h"
#include "fleet/private.h"
#include "fleet/stragglers.h"
#include "op/load.h"
#include "op/trace_cores.h"
#include "perf/input.h"
#include "tracy/tracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- ops */

/* An op of a device. */
struct reader_op {
	int64_t end; /* cycles */
	uint32_t row;
	int32_t device;
};

struct reader_ops {
	VEC(struct reader_op);
};

ORDER_BY(reader_op_compare, struct reader_op, ORDER_UP(device) ?: ORDER_UP(end) ?: ORDER_UP(row));

/* From start to end of the firmware, as the cycles are; reports without it have kernels only. */
static double op_duration(const struct perf_row *row)
{
	return row->fw_duration >= 0 ? row->fw_duration : row->duration;
}

/* Cycles per nanosecond of a device, by its ops; 0: unknown, or an op has no cycles. */
static double device_rate(const struct perf_input *in, const struct reader_op *ops, size_t n,
			  double *ratios)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		const struct perf_row *row = &in->rows.v[ops[i].row];

		if (row->fw_end == PERF_NO_NUMBER)
			return 0;
		if (row->fw_start != PERF_NO_NUMBER && row->fw_end > row->fw_start &&
		    row->fw_duration > 0)
			ratios[known++] = (double)(row->fw_end - row->fw_start) / row->fw_duration;
	}
	if (!known)
		return 0;
	qsort(ratios, known, sizeof(*ratios), order_double);
	return (ratios[known / 2] + ratios[(known - 1) / 2]) / 2;
}

static int device_spans(struct stragglers *s, const struct perf_input *in, const uint32_t *kinds,
			const struct reader_op *ops, size_t n, double rate)
{
	double end = 0;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct perf_row *row = &in->rows.v[ops[i].row];

		/* Small differences of large counters stay exact. */
		end = rate > 0 ? (double)(row->fw_end - ops[0].end) / rate : end + op_duration(row);
		r = stragglers_span(s, 0, kinds[row->kind], end - op_duration(row), end);
	}
	return r;
}

static int ops_collect(const struct perf_input *in, struct reader_ops *ops)
{
	bool sorted = true;

	for (uint32_t i = 0; i < in->rows.n; i++) {
		const struct perf_row *row = &in->rows.v[i];
		int64_t end = row->fw_end == PERF_NO_NUMBER ? 0 : row->fw_end;

		if (row->type != TYPE_DEVICE || !(op_duration(row) >= 0))
			continue;
		if (vec_push(ops, ((struct reader_op){end, i, row->device})) < 0)
			return TACHO_ENOMEM;
		sorted &= ops->n < 2 ||
			  reader_op_compare(&ops->v[ops->n - 2], &ops->v[ops->n - 1]) <= 0;
	}
	if (!sorted)
		qsort(ops->v, ops->n, sizeof(*ops->v), reader_op_compare);
	return 0;
}

/* Adds the devices of a rank. *FOUND: some op is a collective. */
static int input_read(struct stragglers *s, const struct perf_input *in,
		      const struct stragglers_member *who, bool *found)
{
	struct reader_ops ops = {0};
	uint32_t *kinds = calloc(in->kinds.n + 1, sizeof(*kinds));
	double *ratios = NULL;
	int64_t kind = kinds ? 0 : TACHO_ENOMEM;
	int r;

	for (size_t i = 0; i < in->kinds.n && kind >= 0; i++) {
		bool collective;

		kind = stragglers_kind(s, in->kinds.v[i].label, in->kinds.v[i].label_len,
				       &collective);
		*found |= kind >= 0 && collective;
		kinds[i] = (uint32_t)kind;
	}
	r = kind < 0 ? (int)kind : *found ? ops_collect(in, &ops) : 0;
	ratios = malloc((ops.n + 1) * sizeof(*ratios));
	if (!ratios)
		r = TACHO_ENOMEM;
	for (size_t i = 0, n; i < ops.n && r == 0; i += n) {
		struct stragglers_member member = *who;
		double rate;

		for (n = 1; i + n < ops.n && ops.v[i + n].device == ops.v[i].device;)
			n++;
		rate = device_rate(in, &ops.v[i], n, ratios);
		member.device = ops.v[i].device == PERF_NO_DEVICE ? -1 : ops.v[i].device;
		r = device_spans(s, in, kinds, &ops.v[i], n, rate);
		if (r == 0)
			r = stragglers_unit(s, &member, NAN, rate > 0, false);
	}
	vec_free(&ops);
	free(ratios);
	free(kinds);
	return r;
}

static int report_read(struct stragglers *s, const char *path, struct stragglers_member *who,
		       struct tacho_error *err)
{
	struct perf_input in = PERF_INPUT_INIT;
	struct perf_notes notes = {0};
	char *paths[] = {(char *)path};
	bool found = false;
	int r = perf_input_read(&in, paths, 1, &notes, err);

	if (r == 0)
		r = input_read(s, &in, who, &found);
	perf_input_free(&in);
	perf_notes_free(&notes);
	return r;
}

/* ------------------------------------------------------------------ zones */

/* Where a recording belongs; in a merged trace, where its processes do. */
struct reader_trace {
	struct trace *trace;
	struct stragglers_member who;
	bool merged;
};

/* The host of a rank and the error of its clock, by the properties and tracks of a merged trace. */
static int merged_host(const struct reader_trace *t, struct stragglers_member *who, double *error)
{
	struct trace *trace = t->trace;
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	char name[100];
	int r;

	*error = NAN;
	for (uint32_t i = 0; i < trace->property_count; i++) {
		long long rank;
		char host[64];

		if (!strncmp(trace->properties[i].key, "source ", 7) &&
		    sscanf(trace->properties[i].value, "rank %lld, host %63[^,],", &rank, host) ==
			    2 &&
		    rank == who->rank)
			memcpy(who->host, host, sizeof(host));
	}
	snprintf(name, sizeof(name), "host %s clock", who->host);
	r = trace_rows_open_kind(&rows, trace, TRACE_OTHER, 0, UINT64_MAX);
	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0)
		if (row.kind == TRACE_ROW_HOST_CLOCK && !strcmp(trace->tracks[track].name, name)) {
			*error = row.b == UINT64_MAX ? NAN : (double)row.b;
			break;
		}
	trace_rows_close(rows);
	return r < 0 ? r : 0;
}

struct open_zone {
	uint32_t kind;
	bool collective;
	double since, end;
};

/* A thread is in its innermost zone, but within a collective in the outermost such. */
struct thread_reader {
	struct stragglers *s;
	uint32_t lane;
	struct {
		VEC(struct open_zone);
	} open;
};

static int open_close(struct thread_reader *t, double until)
{
	int r = 0;

	while (r == 0 && t->open.n && t->open.v[t->open.n - 1].end <= until) {
		struct open_zone z = t->open.v[--t->open.n];

		if (z.end > z.since)
			r = stragglers_span(t->s, t->lane, z.kind, z.since, z.end);
		if (t->open.n)
			t->open.v[t->open.n - 1].since = z.end;
	}
	return r;
}

static int zone_take(struct thread_reader *t, struct open_zone zone)
{
	struct open_zone *parent;
	int r = open_close(t, zone.since);

	parent = t->open.n ? &t->open.v[t->open.n - 1] : NULL;
	if (r < 0 || (parent && parent->collective))
		return r;
	if (parent && zone.since > parent->since)
		r = stragglers_span(t->s, t->lane, parent->kind, parent->since, zone.since);
	return r < 0 ? r : vec_push(&t->open, zone);
}

static int thread_read(struct thread_reader *t, struct trace *trace, uint32_t track,
		       const struct open_zone *kinds)
{
	struct trace_walk *walk;
	struct trace_zone zone;
	uint32_t lane;
	int r = trace_walk_open(&walk, trace, track, 0, UINT64_MAX), closed;

	if (r < 0)
		return r;
	while ((r = trace_walk_next(walk, &zone, &lane)) > 0) {
		struct open_zone z = kinds[zone.srcloc];

		if (zone.flags & TRACE_ZONE_UNFINISHED)
			continue;
		z.since = trace_duration_ns(trace, trace->start, zone.start);
		z.end = trace_duration_ns(trace, trace->start, zone.end);
		r = zone_take(t, z);
		if (r < 0)
			break;
	}
	trace_walk_close(walk);
	closed = open_close(t, INFINITY);
	return r < 0 ? r : closed;
}

static int process_zones(struct stragglers *s, const struct reader_trace *t, uint32_t process,
			 const struct open_zone *kinds, bool alone)
{
	struct thread_reader reader = {.s = s};
	struct stragglers_member who = t->who;
	double error = alone ? 0 : NAN;
	int r = 0;

	who.device = -1;
	if (t->merged) {
		long long rank;

		if (sscanf(t->trace->processes[process].name, "r%lld ", &rank) == 1)
			who.rank = rank;
		r = merged_host(t, &who, &error);
	} else if (alone) {
		who.pid = t->trace->processes[process].pid;
	}
	for (uint32_t i = 0; i < t->trace->track_count && r == 0; i++) {
		if (t->trace->tracks[i].process != process ||
		    t->trace->tracks[i].kind != TRACE_THREAD)
			continue;
		reader.lane = i;
		r = thread_read(&reader, t->trace, i, kinds);
	}
	vec_free(&reader.open);
	return r < 0 ? r : stragglers_unit(s, &who, error, true, true);
}

/* ALONE: the only input, so that all its processes have one clock. */
static int zones_read(struct stragglers *s, const struct reader_trace *t, bool alone)
{
	struct trace *trace = t->trace;
	struct open_zone *kinds = calloc(trace->srcloc_count + 1, sizeof(*kinds));
	int64_t kind = kinds ? 0 : TACHO_ENOMEM;
	int r;

	for (uint32_t i = 0; i < trace->srcloc_count && kind >= 0; i++) {
		const char *name = trace_srcloc_name(trace, i);

		kind = stragglers_kind(s, name, strlen(name), &kinds[i].collective);
		kinds[i].kind = (uint32_t)kind;
	}
	r = kind < 0 ? (int)kind : 0;
	for (uint32_t i = 0; i < trace->process_count && r == 0; i++)
		r = process_zones(s, t, i, kinds, alone);
	free(kinds);
	return r;
}

/* ----------------------------------------------------------------- traces */

static int trace_ops_read(struct stragglers *s, const struct reader_trace *t, uint32_t process,
			  const uint8_t *tracks, bool *found, struct tacho_error *err)
{
	const struct op_load_options options = {0};
	struct perf_input in = PERF_INPUT_INIT;
	struct stragglers_member who = t->who;
	struct op_loaded loaded = {0};
	double error;
	int r = op_load_trace(&loaded, t->trace, tracks, NULL, &options, err);

	if (r == 0 && t->merged && process != TRACE_NONE) {
		long long rank;

		if (sscanf(t->trace->processes[process].name, "r%lld ", &rank) == 1)
			who.rank = rank;
		r = merged_host(t, &who, &error);
	}
	if (r == 0)
		r = perf_input_ops(&in, &loaded.host.table, t->trace->path, err);
	if (r == 0)
		r = input_read(s, &in, &who, found);
	perf_input_free(&in);
	op_loaded_free(&loaded);
	return r == TACHO_ENO ? 0 : r;
}

static int input_open(struct stragglers *s, const char *path, size_t position, bool alone,
		      struct tacho_error *err)
{
	struct reader_trace t = {.who = {.rank = fleet_path_rank(path), .device = -1}};
	const char *text;
	int r;
	uint32_t process;
	uint8_t *tracks;
	bool found;

	if (t.who.rank < 0)
		t.who.rank = (int64_t)position;
	if (text_ends_with(path, ".csv"))
		return report_read(s, path, &t.who, err);
	r = tracy_open_any(&t.trace, path, NULL, err);
	if (r < 0)
		return r;
	text = trace_property(t.trace, "rank");
	t.who.rank = text ? strtoll(text, NULL, 10) : t.who.rank;
	text = trace_property(t.trace, "host");
	snprintf(t.who.host, sizeof(t.who.host), "%s", text ? text : "");
	t.merged = trace_property(t.trace, "merge sources") != NULL;
	process = TRACE_NONE;
	tracks = malloc(t.trace->track_count + 1);
	found = false;
	r = tracks ? 0 : TACHO_ENOMEM;
	while (r == 0 && (process = op_device_process(t.trace, NULL, process)) != TRACE_NONE) {
		op_process_tracks(t.trace, NULL, process, tracks);
		r = trace_ops_read(s, &t, process, tracks, &found, err);
	}
	free(tracks);
	r = r < 0 || found ? r : zones_read(s, &t, alone);
	trace_close(t.trace);
	return r;
}

int stragglers_read(struct stragglers *s, const char *const *paths, size_t count,
		    const struct stragglers_options *options, struct tacho_error *err)
{
	bool devices = false;
	int r;

	err->text[0] = 0;
	r = stragglers_begin(s, options, err);
	for (size_t i = 0; i < count && r == 0; i++) {
		r = input_open(s, paths[i], i, count == 1, err);
		if (r < 0 && !err->text[0])
			err_set(err, r, "cannot read %s: %s", paths[i], err_text(r));
	}
	if (r == 0)
		r = stragglers_analyze(s, err);
	for (size_t i = 1; i < s->member_count; i++)
		devices |= s->members[i].rank == s->members[i - 1].rank &&
			   s->members[i].device != s->members[i - 1].device;
	if (s->by == STRAGGLERS_AUTO)
		s->by = devices ? STRAGGLERS_DEVICE : STRAGGLERS_RANK;
	return r;
}
