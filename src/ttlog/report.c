/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report of a folder of logs, or of a trace, and the files beside it. */
#include "ttlog/report.h"

#include "base/folder.h"
#include "op/csv.h"
#include "op/load.h"
#include "op/metrics.h"
#include "op/trace_cores.h"
#include "ttlog/files.h"
#include "ttlog/source.h"
#include "ttlog/write.h"

#include <stdlib.h>
#include <string.h>

#include <unistd.h>

struct work {
	const struct ttlog_options *o;
	struct ttlog_result *result;
	struct tacho_error *err;
	char *logs;
	struct op_source source; /* of logs: the files present */
	struct op_loaded loaded;
};

/* --- output --- */

static char *file_name(const struct ttlog_options *o, const char *stem)
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

static int report_file_write(struct work *w, const char *name, writer write, char **path)
{
	struct output out;
	int r;

	if (!name)
		return err_set(w->err, TACHO_ENOMEM, "out of memory");
	r = ttlog_create(&out, w->result->folder, name, w->o->force, w->err);
	if (r < 0)
		return r;
	r = write(w, out.file);
	if (r < 0) {
		output_abandon(&out);
		return r;
	}
	r = output_close(&out, w->err);
	if (r == 0 && path && !(*path = ttlog_path(w->result->folder, name)))
		r = err_set(w->err, TACHO_ENOMEM, "out of memory");
	return r;
}

static int write_ops(struct work *w, FILE *out)
{
	return op_table_write_csv(&w->loaded.host.table, out, w->err);
}

static int write_per_core(struct work *w, FILE *out)
{
	return op_per_core_write(&w->loaded.dev, w->loaded.picked.op2op, out, w->err);
}

static int write_issues(struct work *w, FILE *out)
{
	int r = op_issues_write(&w->loaded.issues, out);

	return r < 0 ? err_set(w->err, r, "cannot write the list of issues") : 0;
}

static int write_report(struct work *w, const char *stem, writer write, char **path)
{
	char *name = file_name(w->o, stem);
	int r = report_file_write(w, name, write, path);

	free(name);
	return r;
}

static int write_device_log(struct work *w, FILE *out)
{
	return ttlog_write_device(w->o->trace, w->o->tracks, out, w->err);
}

/* The device log of a trace is many times larger than the report: only on request. */
static int copy_logs(struct work *w)
{
	const char *to = w->result->folder;
	int r = 0;

	if (w->o->no_copies)
		return 0;
	if (w->o->trace)
		return w->o->logs && op_device_process(w->o->trace, w->o->tracks, TRACE_NONE) !=
					       TRACE_NONE
			       ? report_file_write(w, TTLOG_DEVICE_FILE, write_device_log, NULL)
			       : 0;
	if (!w->result->device_only) {
		static const char *const names[] = {TTLOG_TRACY_FILE, TTLOG_TIMES_FILE,
						    TTLOG_DATA_FILE};

		for (size_t i = 0; r == 0 && i < sizeof(names) / sizeof(*names); i++)
			r = ttlog_copy(w->logs, to, names[i], w->o->force, w->err);
		if (r == 0)
			r = ttlog_copy_folder(w->o->folder, to, "npe_viz", w->o->force, w->err);
	}
	return r < 0 ? r : ttlog_copy(w->logs, to, TTLOG_DEVICE_FILE, w->o->force, w->err);
}

static int nothing_found(struct work *w)
{
	if (w->o->trace && w->o->device_only)
		return err_set(w->err, TACHO_EREAD,
			       "%s has no device data, and --device-only reports on nothing else",
			       w->o->trace->path);
	if (w->o->trace)
		return err_set(w->err, TACHO_EREAD,
			       "%s has no ops, no signposts and no device: nothing to report on",
			       w->o->trace->path);
	if (ttlog_exists(w->o->folder, TTLOG_DEVICE_FILE) ||
	    ttlog_exists(w->o->folder, TTLOG_DATA_FILE))
		return err_set(w->err, TACHO_EREAD,
			       "the logs are in %s itself, not in .logs below it: give the folder "
			       "above",
			       w->o->folder);
	if (w->o->device_only)
		return err_set(w->err, TACHO_EREAD,
			       "%s has no %s, and --device-only reports on nothing else", w->logs,
			       TTLOG_DEVICE_FILE);
	if (!(w->source.data || w->source.times))
		return err_set(w->err, TACHO_EREAD,
			       "%s has neither %s nor the host's %s and %s: nothing to report on",
			       w->logs, TTLOG_DEVICE_FILE, TTLOG_DATA_FILE, TTLOG_TIMES_FILE);
	return err_set(w->err, TACHO_EREAD,
		       "the host's logs in %s name no op and no signpost, and there is no %s: "
		       "nothing to report on",
		       w->logs, TTLOG_DEVICE_FILE);
}

static int counters_text(struct work *w)
{
	struct buf text = BUF_INIT;

	if (!w->loaded.metrics)
		return 0;
	if (op_metrics_text(w->loaded.metrics, &w->loaded.dev, &text) == 0)
		w->result->counters = buf_detach(&text);
	buf_free(&text);
	return w->result->counters ? 0 : err_set(w->err, TACHO_ENOMEM, "out of memory");
}

static int load_all(struct work *w)
{
	const struct op_load_options options = {
		.device_only = w->o->device_only,
		.no_device = w->o->no_device,
		.legacy = w->o->legacy,
		.noc = w->o->noc,
		.measures = (const char *const *)w->o->analyses.v,
		.measure_count = w->o->analyses.n,
	};
	int r = w->o->trace ? op_load_trace(&w->loaded, w->o->trace, w->o->tracks, w->o->children,
					    &options, w->err)
			    : ttlog_load(&w->loaded, &w->source, w->logs, &options, w->err);

	return r == TACHO_ENO ? nothing_found(w) : r;
}

static int report_make(struct work *w)
{
	int r = load_all(w);

	if (r == 0)
		r = make_report_folder(w);
	if (r == 0)
		r = write_report(w, "ops_perf_results", write_ops, &w->result->report);
	w->result->device_only = w->loaded.device_only;
	w->result->rows = w->loaded.host.table.ops.n;
	w->result->device_rows = w->loaded.dev.rows;
	if (r == 0 && w->loaded.device_only)
		r = write_report(w, "per_core_op_to_op_times", write_per_core, NULL);
	if (r == 0)
		r = copy_logs(w);
	if (r == 0)
		r = counters_text(w);
	if (r == 0 && (w->loaded.issues.n || w->loaded.issues.failed))
		r = report_file_write(w, "report_issues.csv", write_issues,
				      &w->result->issues_path);
	return r;
}

int ttlog_report(const struct ttlog_options *options, struct ttlog_result *result,
		 struct tacho_error *err)
{
	struct work w = {.o = options, .result = result, .err = err};
	int r;

	w.logs = ttlog_path(options->folder, ".logs");
	r = w.logs ? report_make(&w) : err_set(err, TACHO_ENOMEM, "out of memory");
	free(w.logs);
	/* The caller takes over what it prints. */
	result->issues = w.loaded.issues;
	result->summary = w.loaded.summary;
	w.loaded.issues = (struct op_issues){0};
	w.loaded.summary = (struct op_summary){0};
	op_loaded_free(&w.loaded);
	return r;
}

void ttlog_result_free(struct ttlog_result *result)
{
	free(result->folder);
	free(result->report);
	free(result->issues_path);
	free(result->counters);
	op_issues_free(&result->issues);
	op_summary_free(&result->summary);
}
