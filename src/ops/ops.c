#include "ops/ops.h"

#include "base/folder.h"
#include "base/opt.h"
#include "ops/analyses.h"
#include "ops/cores.h"
#include "ops/cppreport.h"
#include "ops/detect.h"
#include "ops/files.h"
#include "ops/hostlog.h"
#include "ops/hosttrace.h"
#include "ops/join.h"
#include "ops/logs.h"
#include "ops/metrics.h"
#include "ops/noc.h"
#include "ops/noctrace.h"
#include "ops/report.h"
#include "ops/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACY_FILE "tracy_profile_log_host.tracy"

struct work {
	const struct ops_options *o;
	struct ops_result *result;
	struct ops_issues *issues;
	struct tacho_error *err;
	char *logs;
	struct ops_picked picked;
	struct ops_host host;
	struct devlog dev;
	struct ops_cpp cpp;
	struct ops_device_ops device_ops;
	struct ops_rows rows;
	struct ops_metrics *metrics;
	struct ops_noc noc;
	struct ops_cores cores; /* of the trace */
	struct ops_runtime *runtime;
};

static int no_analysis(struct work *w, const char *name)
{
	const char *names[OPS_ANALYSES + 1] = {NULL}, *near;

	for (int a = 0; a < OPS_ANALYSES; a++)
		names[a] = ops_analyses[a].name;
	near = opt_nearest(name, names);
	if (near)
		return err_set(w->err, TACHO_EUSAGE,
			       "there is no analysis '%s'; did you mean '%s'?", name, near);
	return err_set(w->err, TACHO_EUSAGE,
		       "there is no analysis '%s', but '%s', '%s' and others: 'tacho ops stats' "
		       "lists them",
		       name, ops_analyses[OPS_AN_KERNEL].name, ops_analyses[OPS_AN_FW].name);
}

static int pick(struct work *w)
{
	if (!w->o->analyses.n) {
		w->picked = (struct ops_picked){OPS_ANALYSES_ALL, true, true};
		return 0;
	}
	for (size_t i = 0; i < w->o->analyses.n; i++)
		if (!ops_analysis_pick(&w->picked, w->o->analyses.v[i]))
			return no_analysis(w, w->o->analyses.v[i]);
	return 0;
}

static void missing(struct work *w, const char *file, const char *hint)
{
	ops_issue_add(w->issues, OPS_ISSUE_MISSING_FILE, file, 0, OPS_NOWHERE, "%s", hint);
}

static int read_file(struct work *w, const char *name,
		     int (*reader)(struct ops_host *, const char *, struct ops_issues *,
				   struct tacho_error *))
{
	char *path = ops_path(w->logs, name);
	int r = path ? reader(&w->host, path, w->issues, w->err)
		     : err_set(w->err, TACHO_ENOMEM, "out of memory");

	free(path);
	return r;
}

/* --- what is read: logs, or a trace --- */

struct inputs {
	bool data, times, device, cpp;
};

static int look(struct work *w, struct inputs *in)
{
	int host;

	if (!w->o->trace) {
		*in = (struct inputs){.data = ops_exists(w->logs, OPS_DATA_FILE),
				      .times = ops_exists(w->logs, OPS_TIMES_FILE),
				      .device = ops_exists(w->logs, OPS_DEVICE_FILE),
				      .cpp = ops_exists(w->logs, OPS_CPP_FILE)};
		return 0;
	}
	host = ops_trace_has_messages(w->o->trace, w->o->tracks);
	if (host < 0)
		return err_set(w->err, host, "%s: %s", w->o->trace->path, err_text(host));
	*in = (struct inputs){.data = host,
			      .times = host,
			      .device = w->cores.riscs.n > 0,
			      .cpp = w->cores.riscs.n > 0 && !w->cores.raw_only};
	return 0;
}

/* Both host logs, or the one that there is. */
static int read_host(struct work *w, const struct inputs *in)
{
	int r = 0;

	if (in->data && !in->times)
		missing(w, OPS_TIMES_FILE, "without it the times of the host are unknown");
	if (in->times && !in->data)
		missing(w, OPS_DATA_FILE, "without it the names of the ops are unknown");
	if (w->o->trace && in->data)
		return ops_trace_host(&w->host, w->o->trace, w->o->tracks,
				      w->o->children ? w->o->children : OPS_ZONE_CHILDREN,
				      w->issues, w->err);
	if (in->data)
		r = read_file(w, OPS_DATA_FILE, ops_messages_read);
	if (in->times && r == 0)
		r = read_file(w, OPS_TIMES_FILE, ops_times_read);
	return r;
}

static int read_device_file(struct work *w, enum devlog_want want)
{
	char *path = ops_path(w->logs, OPS_DEVICE_FILE);
	int r = path ? devlog_read(&w->dev, path, want, w->issues, w->err)
		     : err_set(w->err, TACHO_ENOMEM, "out of memory");

	free(path);
	return r;
}

static int read_device(struct work *w, enum devlog_want want)
{
	int r = w->o->trace ? ops_logs_device(&w->cores, &w->dev, want, w->issues, w->err)
			    : read_device_file(w, want);

	if (r == TACHO_EFORMAT && w->host.ops.n) {
		ops_issue_add(w->issues, OPS_ISSUE_BAD_HEADER, OPS_DEVICE_FILE, 1, OPS_NOWHERE,
			      "%s; the report is without it", w->err->text);
		devlog_free(&w->dev);
		r = 0;
	}
	w->result->device_rows = w->dev.rows;
	if (r == 0 && want == DEVLOG_ALL)
		r = devlog_sort(&w->dev, w->err);
	return r;
}

static int detect_all(struct work *w, enum ops_detect_mode mode)
{
	int r = 0;

	for (size_t i = 0; i < w->dev.devices.n && r == 0; i++) {
		struct ops_device_ops one = {0};
		int64_t device = w->dev.devices.v[i];

		r = ops_detect(&w->dev, device, mode, w->picked.spans, &one, w->issues, w->err);
		if (r == 0 && mode == OPS_DETECT_EACH)
			r = ops_dispatch(&w->dev, device, w->host.replays.n > 0, w->picked.spans,
					 &one, w->issues, w->err);
		for (size_t k = 0; k < one.n && r == 0; k++)
			if (vec_push(&w->device_ops, one.v[k]) < 0)
				r = err_set(w->err, TACHO_ENOMEM, "out of memory");
		vec_free(&one);
	}
	return r;
}

static int read_cpp(struct work *w)
{
	char *path;
	int r;

	if (w->o->trace)
		return ops_logs_runtime(&w->cores, &w->runtime, &w->cpp, w->issues, w->err);
	path = ops_path(w->logs, OPS_CPP_FILE);
	r = path ? ops_cpp_read(&w->cpp, path, w->issues, w->err)
		 : err_set(w->err, TACHO_ENOMEM, "out of memory");
	free(path);
	return r;
}

static int join_cpp(struct work *w, bool has_device)
{
	int r = read_cpp(w);

	if (r == 0 && w->o->analyses.n)
		ops_issue_add(w->issues, OPS_ISSUE_IGNORED, OPS_CPP_FILE, 0, OPS_NOWHERE,
			      "the runtime has measured already: -a has no effect");
	if (r == 0 && has_device)
		r = read_device(w, DEVLOG_SUB_DEVICES);
	return r < 0 ? r : ops_join_cpp(&w->host, &w->cpp, &w->rows, w->issues, w->err);
}

static int join_device(struct work *w)
{
	int r = read_device(w, DEVLOG_ALL);

	if (r == 0)
		r = detect_all(w, OPS_DETECT_EACH);
	if (r == 0 && w->picked.counters)
		r = ops_metrics_compute(&w->metrics, &w->dev, OPS_METRICS_JOINED, w->err);
	return r < 0 ? r : ops_join_device(&w->host, &w->device_ops, &w->rows, w->issues, w->err);
}

static int join(struct work *w, const struct inputs *in)
{
	if (in->cpp && !w->o->legacy)
		return join_cpp(w, in->device);
	if (in->device)
		return join_device(w);
	if (!w->o->no_device)
		missing(w, OPS_DEVICE_FILE,
			"no device data: profile with TT_METAL_DEVICE_PROFILER=1 to have it, and close the "
			"device before the program ends; TT_METAL_TRACE_PROFILER=1 records replays only");
	return ops_join_host(&w->host, &w->rows, w->issues, w->err);
}

/* --- output --- */

static char *file_name(const struct ops_options *o, const char *stem)
{
	struct buf name = BUF_INIT;

	buf_adds(&name, stem);
	if (o->name)
		buf_addf(&name, "_%s", o->name);
	if (o->date)
		buf_addf(&name, "_%s", o->date);
	buf_adds(&name, ".csv");
	return buf_detach(&name);
}

static int make_report_folder(struct work *w)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/reports", w->o->folder);
	if (w->o->name)
		buf_addf(&path, "/%s", w->o->name);
	if (w->o->date)
		buf_addf(&path, "/%s", w->o->date);
	w->result->folder = buf_detach(&path);
	if (!w->result->folder)
		return err_set(w->err, TACHO_ENOMEM, "out of memory");
	return folder_make(w->result->folder, w->err);
}

typedef int (*writer)(struct work *w, FILE *out);

static int write_file(struct work *w, const char *name, writer write, char **path)
{
	struct output out;
	int r;

	if (!name)
		return err_set(w->err, TACHO_ENOMEM, "out of memory");
	r = ops_create(&out, w->result->folder, name, w->o->force, w->err);
	if (r < 0)
		return r;
	r = write(w, out.file);
	if (r < 0) {
		output_abandon(&out);
		return r;
	}
	r = output_close(&out, w->err);
	if (r == 0 && path && !(*path = ops_path(w->result->folder, name)))
		r = err_set(w->err, TACHO_ENOMEM, "out of memory");
	return r;
}

static struct ops_report_input report_input(struct work *w)
{
	return (struct ops_report_input){
		.host = &w->host,
		.rows = &w->rows,
		.device_ops = &w->device_ops,
		.dev = &w->dev,
		.cpp = &w->cpp,
		.metrics = w->metrics,
		.noc = w->o->noc ? &w->noc : NULL,
		.runtime = w->runtime,
		.summary = &w->result->summary,
		.issues = w->issues,
	};
}

static int write_joined(struct work *w, FILE *out)
{
	struct ops_report_input in = report_input(w);

	return ops_report_write(&in, out, w->err);
}

static int write_device_only(struct work *w, FILE *out)
{
	struct ops_report_input in = report_input(w);

	return ops_device_only_write(&in, out, w->err);
}

static int write_per_core(struct work *w, FILE *out)
{
	return ops_per_core_write(&w->dev, w->picked.op2op, out, w->err);
}

static int write_issues(struct work *w, FILE *out)
{
	int r = ops_issues_write(w->issues, out);

	return r < 0 ? err_set(w->err, r, "cannot write the list of issues") : 0;
}

static int write_report(struct work *w, const char *stem, writer write, char **path)
{
	char *name = file_name(w->o, stem);
	int r = write_file(w, name, write, path);

	free(name);
	return r;
}

static int write_device_log(struct work *w, FILE *out)
{
	return ops_logs_write_device(&w->cores, out, w->err);
}

/* The device's log of a trace is many times larger than the report: only if it is asked for. */
static int copy_logs(struct work *w)
{
	const char *to = w->result->folder;
	int r = 0;

	if (w->o->no_copies)
		return 0;
	if (w->o->trace)
		return w->o->logs && w->cores.riscs.n
			       ? write_file(w, OPS_DEVICE_FILE, write_device_log, NULL)
			       : 0;
	if (!w->result->device_only) {
		static const char *const names[] = {TRACY_FILE, OPS_TIMES_FILE, OPS_DATA_FILE};

		for (size_t i = 0; r == 0 && i < sizeof(names) / sizeof(*names); i++)
			r = ops_copy(w->logs, to, names[i], w->o->force, w->err);
		if (r == 0)
			r = ops_copy_folder(w->o->folder, to, "npe_viz", w->o->force, w->err);
	}
	return r < 0 ? r : ops_copy(w->logs, to, OPS_DEVICE_FILE, w->o->force, w->err);
}

static int device_only(struct work *w)
{
	int r = read_device(w, DEVLOG_ALL);

	w->result->device_only = true;
	if (r == 0)
		r = detect_all(w, OPS_DETECT_FLOW);
	if (r == 0 && w->picked.counters)
		r = ops_metrics_compute(&w->metrics, &w->dev, OPS_METRICS_DEVICE_ONLY, w->err);
	w->result->rows = w->device_ops.n;
	if (r == 0)
		r = make_report_folder(w);
	if (r == 0)
		r = write_report(w, "ops_perf_results", write_device_only, &w->result->report);
	if (r == 0)
		r = write_report(w, "per_core_op_to_op_times", write_per_core, NULL);
	return r;
}

static int read_noc(struct work *w)
{
	int r = w->o->trace ? ops_logs_noc(&w->cores, &w->noc, w->err)
			    : ops_noc_read(&w->noc, w->logs, w->issues, w->err);

	if (r == 0 && !w->noc.files)
		ops_issue_add(w->issues, OPS_ISSUE_IGNORED, NULL, 0, OPS_NOWHERE,
			      "there are no NoC traces to analyze; collect them with "
			      "TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1");
	return r;
}

static int joined(struct work *w, const struct inputs *in)
{
	int r = join(w, in);

	if (r == 0 && w->o->noc)
		r = read_noc(w);
	w->result->rows = w->rows.n;
	if (r == 0)
		r = make_report_folder(w);
	return r < 0 ? r : write_report(w, "ops_perf_results", write_joined, &w->result->report);
}

static int nothing(struct work *w, const struct inputs *in)
{
	if (w->o->trace && w->o->device_only)
		return err_set(w->err, TACHO_EREAD,
			       "%s has no device data, and --device-only reports on nothing else",
			       w->o->trace->path);
	if (w->o->trace)
		return err_set(
			w->err, TACHO_EREAD,
			"%s tells of no ops, no signposts and no device: nothing to report on",
			w->o->trace->path);
	if (ops_exists(w->o->folder, OPS_DEVICE_FILE) || ops_exists(w->o->folder, OPS_DATA_FILE))
		return err_set(w->err, TACHO_EREAD,
			       "the logs are in %s itself, not in .logs below it: give the folder "
			       "above",
			       w->o->folder);
	if (w->o->device_only)
		return err_set(w->err, TACHO_EREAD,
			       "%s has no %s, and --device-only reports on nothing else", w->logs,
			       OPS_DEVICE_FILE);
	if (!(in->data || in->times))
		return err_set(w->err, TACHO_EREAD,
			       "%s has neither %s nor the host's %s and %s: nothing to report on",
			       w->logs, OPS_DEVICE_FILE, OPS_DATA_FILE, OPS_TIMES_FILE);
	return err_set(w->err, TACHO_EREAD,
		       "the host's logs in %s name no op and no signpost, and there is no %s: "
		       "nothing to report on",
		       w->logs, OPS_DEVICE_FILE);
}

static int tell_counters(struct work *w)
{
	struct buf text = BUF_INIT;

	if (!w->metrics)
		return 0;
	if (ops_metrics_text(w->metrics, &w->dev, &text) == 0)
		w->result->counters = buf_detach(&text);
	buf_free(&text);
	return w->result->counters ? 0 : err_set(w->err, TACHO_ENOMEM, "out of memory");
}

static int run(struct work *w)
{
	struct inputs in = {0};
	int r = look(w, &in);

	if (r == 0)
		r = pick(w);
	if (r == 0 && !w->o->device_only)
		r = read_host(w, &in);
	if (r < 0)
		return r;
	if (w->o->trace)
		r = ops_cores_losses(&w->cores, w->issues);
	if (r < 0)
		return err_set(w->err, r, "%s: %s", w->o->trace->path, err_text(r));
	if (w->host.ops.n || (w->host.signposts.n && !in.device))
		r = joined(w, &in);
	else if (in.device)
		r = device_only(w);
	else
		r = nothing(w, &in);
	if (r == 0)
		r = copy_logs(w);
	if (r == 0)
		r = tell_counters(w);
	if (r == 0 && (w->issues->n || w->issues->failed))
		r = write_file(w, "report_issues.csv", write_issues, &w->result->issues_path);
	return r;
}

int ops_report(const struct ops_options *options, struct ops_result *result,
	       struct tacho_error *err)
{
	struct work w = {.o = options, .result = result, .issues = &result->issues, .err = err};
	int r;

	result->issues.of_trace = options->trace != NULL;
	w.logs = ops_path(options->folder, ".logs");
	r = w.logs ? 0 : err_set(err, TACHO_ENOMEM, "out of memory");
	if (r == 0 && options->trace)
		r = ops_cores_open(&w.cores, options->trace, options->tracks, err);
	if (r == 0)
		r = run(&w);
	free(w.logs);
	ops_runtime_close(w.runtime);
	ops_cores_close(&w.cores);
	ops_host_free(&w.host);
	devlog_free(&w.dev);
	ops_cpp_free(&w.cpp);
	vec_free(&w.device_ops);
	vec_free(&w.rows);
	ops_metrics_free(w.metrics);
	ops_noc_free(&w.noc);
	return r;
}

void ops_result_free(struct ops_result *result)
{
	free(result->folder);
	free(result->report);
	free(result->issues_path);
	free(result->counters);
	ops_issues_free(&result->issues);
	ops_summary_free(&result->summary);
}
