/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ops come from: an ops report, or the trace itself. */
#include "base/now.h"
#include "op/csv.h"
#include "op/live.h"
#include "op/trace_cores.h"
#include "view/op_table.h"

#include <math.h>
#include <string.h>

#define LIVE_SECONDS 1         /* during which ops of a recording are reused */
#define GAP_ZONES    50000000u /* of the host; with more, explaining gaps takes too long */

static void ops_clear(struct ops *o)
{
	perf_report_free(&o->report);
	perf_input_free(&o->in);
	perf_notes_free(&o->notes);
	trace_clocks_free(&o->clocks);
	free(o->before);
	perf_gaps_free(&o->gaps);
	op_loaded_free(&o->loaded);
	op_table_free(&o->report_table);
	memset(o, 0, sizeof(*o));
}

void ops_forget(struct view_trace *t)
{
	for (int i = 0; i < 2; i++) {
		if (!t->ops[i])
			continue;
		ops_clear(t->ops[i]);
		free(t->ops[i]);
		t->ops[i] = NULL;
	}
}

void ops_live_forget(struct view_handle *h)
{
	if (h->live)
		op_live_free(h->live);
	free(h->live);
	h->live = NULL;
}

/* --------------------------------------------------------------- the clock */

static int clocks_read(struct view_call *c, struct ops *o)
{
	const struct device_clock *clock;
	int r = 0;

	for (size_t i = 0; r == 0 && c->trace && i < o->in.rows.n; i++)
		if (o->in.rows.v[i].device != PERF_NO_DEVICE)
			r = trace_clocks_find(&o->clocks, c->trace, o->process,
					      (uint32_t)o->in.rows.v[i].device, &clock);
	return r;
}

static const struct device_clock *clock_of(const struct ops *o, int64_t device)
{
	for (size_t i = 0; i < o->clocks.n; i++)
		if ((int64_t)o->clocks.v[i].device == device && o->clocks.v[i].clock.n)
			return &o->clocks.v[i].clock;
	return NULL;
}

bool ops_time(struct view_call *c, const struct ops *o, const struct perf_op *op, uint64_t *t0,
	      uint64_t *t1)
{
	const struct perf_row *row = &o->in.rows.v[op->row];
	const struct device_clock *clock = clock_of(o, row->device);

	if (!c->trace || !clock || row->fw_start == PERF_NO_NUMBER || row->fw_end == PERF_NO_NUMBER)
		return false;
	*t0 = device_clock_ticks(clock, (uint64_t)row->fw_start);
	*t1 = device_clock_ticks(clock, (uint64_t)row->fw_end);
	return *t1 >= *t0;
}

bool ops_time_before(struct view_call *c, const struct ops *o, const struct perf_op *op,
		     uint64_t *ticks)
{
	const struct device_clock *clock = clock_of(o, o->in.rows.v[op->row].device);

	if (!c->trace || !clock || !o->before || o->before[op->row] == PERF_NO_NUMBER)
		return false;
	*ticks = device_clock_ticks(clock, (uint64_t)o->before[op->row]);
	return true;
}

static int by_device_start(const void *a, const void *b, void *context)
{
	const struct perf_row *rows = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (rows[i].device != rows[k].device)
		return rows[i].device < rows[k].device ? -1 : 1;
	if (rows[i].fw_start != rows[k].fw_start)
		return rows[i].fw_start < rows[k].fw_start ? -1 : 1;
	return (i > k) - (i < k);
}

/* Ops may overlap: the one that ended last counts. */
static int before_find(struct ops *o)
{
	const struct perf_row *rows = o->in.rows.v;
	uint32_t *order = malloc((o->in.rows.n + 1) * sizeof(*order));
	size_t n = 0;

	o->before = malloc((o->in.rows.n + 1) * sizeof(*o->before));
	if (!order || !o->before) {
		free(order);
		return TACHO_ENOMEM;
	}
	for (uint32_t i = 0; i < o->in.rows.n; i++) {
		o->before[i] = PERF_NO_NUMBER;
		if (rows[i].fw_start != PERF_NO_NUMBER && rows[i].fw_end != PERF_NO_NUMBER)
			order[n++] = i;
	}
	qsort_r(order, n, sizeof(*order), by_device_start, o->in.rows.v);
	for (size_t i = 1; i < n; i++) {
		const struct perf_row *last = &rows[order[i - 1]];
		int64_t earlier = o->before[order[i - 1]];

		if (last->device == rows[order[i]].device)
			o->before[order[i]] = earlier != PERF_NO_NUMBER && earlier > last->fw_end
						      ? earlier
						      : last->fw_end;
	}
	free(order);
	return 0;
}

/* -------------------------------------------------------------------- gaps */

/* A recording grows: its gaps are explained when it is complete. */
static bool gaps_known(struct view_call *c, struct ops *o)
{
	const struct trace *t = c->trace;
	struct tacho_error err;
	uint64_t zones = 0;

	if (o->gaps.by_row || !t || c->live)
		return o->gaps.by_row != NULL;
	for (uint32_t i = 0; i < t->lane_count; i++)
		if (t->tracks[t->lanes[i].track].kind == TRACE_THREAD)
			zones += t->lanes[i].zones;
	if (zones <= GAP_ZONES &&
	    perf_gaps_explain(&o->gaps, &o->report, c->trace, o->process, &err) < 0)
		perf_gaps_free(&o->gaps);
	return o->gaps.by_row != NULL;
}

const struct perf_gap *ops_gap(struct view_call *c, struct ops *o, const struct perf_op *op)
{
	return gaps_known(c, o) ? perf_gap_of(&o->gaps, op) : NULL;
}

void ops_causes_put(struct json *j, const struct perf_gap *gap)
{
	bool done[CAUSES] = {0};

	json_array(j, "causes");
	for (;;) {
		int best = -1;

		for (int i = 0; i < CAUSES; i++)
			if (!done[i] && gap->part[i] > gap->all / 100 &&
			    (best < 0 || gap->part[i] > gap->part[best]))
				best = i;
		if (best < 0)
			break;
		done[best] = true;
		json_object(j, NULL);
		json_text(j, "cause", perf_cause_name((enum perf_cause)best));
		json_double(j, "us", gap->part[best]);
		json_text(j, "zone", gap->zone[best]);
		json_end(j);
	}
	json_end(j);
}

/* ------------------------------------------------------------------- table */

bool ops_likely(const struct trace *t)
{
	for (uint32_t i = 0; i < t->srcloc_count; i++)
		if (!strcmp(t->srclocs[i].name, "TT_DNN_DEVICE_OP"))
			return true;
	for (uint32_t i = 0; i < t->track_count; i++)
		if (t->tracks[i].kind == TRACE_CORE && !TRACE_CORE_IS_OTHER(t->tracks[i].id))
			return true;
	return false;
}

/*
 * perf-report's reader reads reports, since it handles their defects; the table has their cells for
 * details.
 */
static int report_read(struct view_call *c, struct ops *o, struct tacho_error *err)
{
	char *paths[] = {(char *)c->on->path};
	int r = perf_input_read(&o->in, paths, 1, &o->notes, err);

	if (r == 0 && op_table_read_csv(&o->report_table, c->on->path, true, NULL, NULL, err) < 0)
		op_table_free(&o->report_table); /* the ops are available all the same */
	o->table = &o->report_table;
	return r;
}

static int trace_read(struct view_call *c, struct ops *o, struct tacho_error *err)
{
	struct op_load_options options = {0};
	uint32_t process = op_main_process(c->trace);
	uint8_t *tracks = NULL;
	int r;

	/* Without memory for it, everything is read each time. */
	if (c->live && !c->handle->live)
		c->handle->live = calloc(1, sizeof(*c->handle->live));
	if (!c->live)
		ops_live_forget(c->handle); /* the trace is complete, so it is read once more */
	options.live = c->handle->live;
	o->process = process;
	if (process != TRACE_NONE) {
		tracks = malloc(c->trace->track_count + 1);
		if (!tracks)
			return TACHO_ENOMEM;
		op_process_tracks(c->trace, NULL, process, tracks);
		perf_note(&o->notes, NOTE_WARNING,
			  "several processes used the same device; these are the ops of process "
			  "%u (%s)",
			  c->trace->processes[process].pid, c->trace->processes[process].name);
	}
	r = ops_likely(c->trace) ? op_load_trace(&o->loaded, c->trace, tracks, NULL, &options, err)
				 : TACHO_ENO;
	free(tracks);
	if (r == TACHO_ENO)
		return err_set(err, r, "the trace has no ops");
	o->table = &o->loaded.host.table;
	return r < 0 ? r : perf_input_ops(&o->in, o->table, c->on->path, err);
}

/* ------------------------------------------------------------------- load */

static int ops_make(struct view_call *c, struct ops *o, bool merged, struct tacho_error *err)
{
	uint64_t gen = c->gen;
	int r;

	ops_clear(o);
	o->in = (struct perf_input)PERF_INPUT_INIT;
	o->options.ignore_signposts = true;
	o->options.print_signposts = true;
	o->options.count_warm_ups = true; /* the page lists all ops, and its shares are of them */
	o->options.count_ids = true;
	o->options.no_merge_devices = !merged;
	r = c->trace ? trace_read(c, o, err) : report_read(c, o, err);
	if (r == 0)
		r = perf_report_make(&o->report, &o->in, &o->options, &o->notes, err);
	if (r == 0) {
		/* A signpost has the ID of the next op, so that a range of IDs contains it. */
		uint32_t next = 1;

		for (size_t i = 0; i < o->report.ops.n; i++)
			if (o->report.ops.v[i].type != TYPE_SIGNPOST)
				next = o->report.ops.v[i].id + 1;
		for (size_t i = o->report.ops.n; i-- > 0;) {
			if (o->report.ops.v[i].type == TYPE_SIGNPOST)
				o->report.ops.v[i].id = next;
			next = o->report.ops.v[i].id;
		}
	}
	if (r == 0)
		r = clocks_read(c, o);
	if (r == 0 && c->trace)
		r = before_find(o);
	if (r == 0) {
		o->gen = gen;
		o->made = now_seconds();
	}
	return r;
}

int ops_take(struct view_call *c, bool merged, struct ops **ops)
{
	struct view_trace *t = c->on;
	struct tacho_error err = {0};
	struct ops *o;
	int r = 0;

	pthread_mutex_lock(&t->ops_lock);
	o = t->ops[merged];
	if (!o)
		o = t->ops[merged] = calloc(1, sizeof(*o));
	if (!o)
		r = TACHO_ENOMEM;
	else if (!o->gen ||
		 (o->gen != c->gen && !(c->live && now_seconds() - o->made < LIVE_SECONDS)))
		r = ops_make(c, o, merged, &err);
	if (r == 0) {
		*ops = o;
		return 0;
	}
	pthread_mutex_unlock(&t->ops_lock);
	if (r == TACHO_ENOMEM)
		return r;
	call_fail(c, VIEW_MISSING, "%s", err.text[0] ? err.text : "there are no ops");
	return r == TACHO_ENO ? r : TACHO_EUSAGE;
}

void ops_put(struct view_call *c, struct ops *ops)
{
	(void)ops;
	pthread_mutex_unlock(&c->on->ops_lock);
}
