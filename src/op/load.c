/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the records of a source and builds the table of ops. */
#include "op/load.h"

#include "base/opt.h"
#include "op/detect.h"
#include "op/metrics.h"

struct loading {
	const struct op_source *source;
	const struct op_load_options *o;
	struct op_loaded *out;
	struct op_executions executions;
	struct op_measurements measured;
	struct op_rows rows;
	struct op_noc noc;
	struct tacho_error *err;
};

static int no_measure(const char *name, struct tacho_error *err)
{
	const char *names[OP_MEASURES + 1] = {NULL}, *near;

	for (int a = 0; a < OP_MEASURES; a++)
		names[a] = op_measures[a].name;
	near = opt_nearest(name, names);
	if (near)
		return err_set(err, TACHO_EUSAGE, "there is no analysis '%s'; did you mean '%s'?",
			       name, near);
	return err_set(err, TACHO_EUSAGE,
		       "there is no analysis '%s', but '%s', '%s' and others: 'tacho ops stats' "
		       "lists them",
		       name, op_measures[OP_M_KERNEL].name, op_measures[OP_M_FW].name);
}

static int measures_pick(struct loading *l)
{
	if (!l->o->measure_count)
		l->out->picked = (struct op_picked){OP_MEASURES_ALL, true, true};
	for (size_t i = 0; i < l->o->measure_count; i++)
		if (!op_measure_pick(&l->out->picked, l->o->measures[i]))
			return no_measure(l->o->measures[i], l->err);
	return 0;
}

static void file_missing(struct loading *l, const char *file, const char *hint)
{
	op_issue_add(&l->out->issues, OP_ISSUE_MISSING_FILE, file, 0, OP_NOWHERE, "%s", hint);
}

static int host_read(struct loading *l)
{
	const struct op_source *s = l->source;

	if (s->data && !s->times)
		file_missing(l, TTLOG_TIMES_FILE, "without it the times of the host are unknown");
	if (s->times && !s->data)
		file_missing(l, TTLOG_DATA_FILE, "without it the names of the ops are unknown");
	return s->data || s->times ? s->host(s->context, &l->out->host, &l->out->issues, l->err)
				   : 0;
}

static int markers_read(struct loading *l, enum devlog_want want)
{
	struct devlog *dev = &l->out->dev;
	int r = l->source->markers(l->source->context, dev, want, &l->out->issues, l->err);

	if (r == TACHO_EFORMAT && l->out->host.ops.n) {
		op_issue_add(&l->out->issues, OP_ISSUE_BAD_HEADER, TTLOG_DEVICE_FILE, 1, OP_NOWHERE,
			     "%s; the report is without it", l->err->text);
		devlog_free(dev);
		r = 0;
	}
	if (r == 0 && l->source->losses)
		l->source->losses(l->source->context, &l->out->issues);
	if (r == 0 && want == DEVLOG_ALL)
		r = devlog_sort(dev, l->err);
	return r;
}

static int executions_find(struct loading *l, enum op_detect_mode mode)
{
	struct op_loaded *out = l->out;
	int r = 0;

	for (size_t i = 0; i < out->dev.devices.n && r == 0; i++) {
		struct op_executions one = {0};
		int64_t device = out->dev.devices.v[i];

		r = op_detect(&out->dev, device, mode, out->picked.spans, &one, &out->issues,
			      l->err);
		if (r == 0 && mode == OP_DETECT_EACH)
			r = op_dispatch(&out->dev, device, out->host.replays.n > 0,
					out->picked.spans, &one, &out->issues, l->err);
		for (size_t k = 0; k < one.n && r == 0; k++)
			if (vec_push(&l->executions, one.v[k]) < 0)
				r = err_set(l->err, TACHO_ENOMEM, "out of memory");
		vec_free(&one);
	}
	return r;
}

static int metrics_find(struct loading *l, enum op_metrics_mode mode)
{
	return l->out->picked.counters
		       ? op_metrics_compute(&l->out->metrics, &l->out->dev, mode, l->err)
		       : 0;
}

static int join_markers(struct loading *l)
{
	int r = markers_read(l, DEVLOG_ALL);

	if (r == 0)
		r = executions_find(l, OP_DETECT_EACH);
	if (r == 0)
		r = metrics_find(l, OP_METRICS_JOINED);
	return r < 0 ? r
		     : op_join_device(&l->out->host, &l->executions, &l->rows, &l->out->issues,
				      l->err);
}

static int join_all(struct loading *l)
{
	if (l->source->measured && !l->o->legacy) {
		struct op_loaded *out = l->out;
		int r = l->source->runs(l->source->context, &l->measured, &out->host.table,
					&out->issues, l->err);

		if (r == 0 && l->o->measure_count)
			op_issue_add(&out->issues, OP_ISSUE_IGNORED, TTLOG_CPP_FILE, 0, OP_NOWHERE,
				     "the runtime has measured already: -a has no effect");
		if (r == 0 && l->source->device)
			r = markers_read(l, DEVLOG_SUB_DEVICES);
		return r < 0 ? r
			     : op_join_measured(&out->host, &l->measured, &l->rows, &out->issues,
						l->err);
	}
	if (l->source->device)
		return join_markers(l);
	if (!l->o->no_device)
		file_missing(
			l, TTLOG_DEVICE_FILE,
			"no device data: profile with TT_METAL_DEVICE_PROFILER=1 to have it, and "
			"close the device before the program ends; TT_METAL_TRACE_PROFILER=1 "
			"records replays only");
	return op_join_host(&l->out->host, &l->rows, &l->out->issues, l->err);
}

static int noc_read(struct loading *l)
{
	int r = l->source->noc(l->source->context, &l->noc, &l->out->issues, l->err);

	if (r == 0 && !l->noc.files)
		op_issue_add(&l->out->issues, OP_ISSUE_IGNORED, NULL, 0, OP_NOWHERE,
			     "there are no NoC traces to analyze; collect them with "
			     "TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1");
	return r;
}

static struct op_build_input build_input(struct loading *l)
{
	return (struct op_build_input){.host = &l->out->host,
				       .rows = &l->rows,
				       .executions = &l->executions,
				       .dev = &l->out->dev,
				       .measured = &l->measured,
				       .metrics = l->out->metrics,
				       .noc = l->o->noc ? &l->noc : NULL,
				       .summary = &l->out->summary,
				       .issues = &l->out->issues};
}

static int load_joined(struct loading *l)
{
	struct op_build_input in;
	int r = join_all(l);

	if (r == 0 && l->o->noc)
		r = noc_read(l);
	in = build_input(l);
	return r < 0 ? r : op_build(&in, l->err);
}

static int load_device(struct loading *l)
{
	struct op_build_input in;
	int r = markers_read(l, DEVLOG_ALL);

	l->out->device_only = true;
	if (r == 0)
		r = executions_find(l, OP_DETECT_FLOW);
	if (r == 0)
		r = metrics_find(l, OP_METRICS_DEVICE_ONLY);
	in = build_input(l);
	return r < 0 ? r : op_build_device(&in, l->err);
}

int op_load(struct op_loaded *out, const struct op_source *source,
	    const struct op_load_options *options, struct tacho_error *err)
{
	struct loading l = {.source = source, .o = options, .out = out, .err = err};
	int r = measures_pick(&l);

	out->issues.of_trace = source->is_trace;
	if (r == 0 && !options->device_only)
		r = host_read(&l);
	if (r < 0)
		return r;
	if (out->host.ops.n || (out->host.signposts.n && !source->device))
		r = load_joined(&l);
	else if (source->device)
		r = load_device(&l);
	else
		r = TACHO_ENO;
	vec_free(&l.executions);
	op_measurements_free(&l.measured);
	vec_free(&l.rows);
	op_noc_free(&l.noc);
	return r;
}

void op_loaded_free(struct op_loaded *out)
{
	op_host_free(&out->host);
	devlog_free(&out->dev);
	op_metrics_free(out->metrics);
	op_issues_free(&out->issues);
	op_summary_free(&out->summary);
}
