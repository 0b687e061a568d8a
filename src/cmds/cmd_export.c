/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "export": write a trace in the formats of other tools. */
#include "base/fmt.h"
#include "base/folder.h"
#include "base/output.h"
#include "cmds/query.h"
#include "cmds/tracy_notes.h"
#include "cmds/ttlogs.h"
#include "export/export.h"
#include "op/trace_cores.h"
#include "op/trace_host.h"
#include "sample/profile_export.h"
#include "ttlog/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct conf {
	struct query_conf query;
	int to;
	const char *output;
	const char *children;
	bool force, host_only, lz4;
	int64_t level;
	int version;
};

/* The formats of src/export, two of other folders, and those of samples. */
enum { TO_TRACY = EXPORT_PERFETTO + 1, TO_TT_LOGS, TO_FOLDED, TO_SPEEDSCOPE, TO_PPROF };
static const char *const formats[] = {"chrome",     "csv",   "json",    "pstats",
				      "perfetto",   "tracy", "tt-logs", "folded",
				      "speedscope", "pprof", NULL};

static const char *const versions[] = TRACY_FILE_VERSIONS;

static const struct opt opts[] = {
	OPT_ENUM(
		0, "to", struct conf, to, formats,
		"perfetto: everything, for Perfetto (.pftrace); chrome: events for chrome://tracing "
		"and others; csv: all zones; json: "
		"everything; pstats: functions with their callers, for Python's pstats and snakeviz; "
		"tracy: the whole trace for the Tracy viewer; tt-logs: the folder of "
		"logs that the ops report is made from; samples, as 'tacho run --sample' records them: "
		"folded: a line per call stack (\"collapsed\"), for flame graphs; speedscope; pprof"),
	OPT_STR('o', "output", "FILE", struct conf, output,
		"write to FILE, - is standard output; the default is the name of the trace "
		"with another ending. tt-logs: the folder that gets .logs (default "
		"TT_METAL_PROFILER_DIR, else generated/profiler)"),
	OPT_FLAG('f', "force", struct conf, force,
		 "replace an existing file; tt-logs: put older logs aside"),
	OPT_FLAG(0, "host-only", struct conf, host_only, "tt-logs: write no logs of devices"),
	OPT_STR(0, "child-functions", "NAMES", struct conf, children,
		"tt-logs: count the time of these host functions within ops, separated by commas "
		"(default " OP_ZONE_CHILDREN ")"),
	QUERY_NAME(struct conf, query),
	OPT_STR('r', "range", "T0..T1", struct conf, query.range,
		"select what overlaps this time: 1s..2.5s, 250ms.., ..3s, 1s+20ms, 10%..20%, "
		"-1s.. (the last second)"),
	QUERY_PROCESS(struct conf, query),
	QUERY_THREAD(struct conf, query),
	OPT_ENUM(
		0, "tracy-version", struct conf, version, versions,
		"tracy, tt-logs: the file's version. 0.14: Tracy 0.14 and newer; 0.10: "
		"Tenstorrent's 0.10, and Tracy up to 0.14.0; auto: 0.10 for a file named " TRACY_TT_FILE
		", else 0.14"),
	OPT_INT(0, "level", "N", struct conf, level,
		"tracy: compress with Zstd at level 1 to 19 (default 3)"),
	OPT_FLAG('4', "lz4", struct conf, lz4,
		 "tracy: compress with LZ4: faster, and several times as large"),
	OPT_END,
};

static bool export_strip(char *path, const char *ending)
{
	size_t len = strlen(path), n = strlen(ending);

	if (len <= n || strcmp(path + len - n, ending))
		return false;
	path[len - n] = 0;
	return true;
}

/* app.tacho gives app.json, app.csv or app.tracy in the same folder. */
static char *export_default_output(const char *trace, int format)
{
	static const char *const endings[] = {
		"json",  "csv", "json",   "pstats",          "pftrace",
		"tracy", "",    "folded", "speedscope.json", "pb.gz"};
	char *stem = strdup(trace), *path = NULL;

	if (!stem)
		return NULL;
	export_strip(stem, ".part");
	if (!export_strip(stem, ".tacho"))
		export_strip(stem, ".tracy");
	if (asprintf(&path, "%s.%s", stem, endings[format]) < 0)
		path = NULL;
	free(stem);
	return path;
}

/* Formats without parts. */
static int check_whole(struct query *q, const struct conf *conf)
{
	if (q->filter.in.tracks || q->filter.in.srclocs || conf->query.range)
		return err_set(&q->err, TACHO_EUSAGE, "--to=%s writes the whole trace",
			       formats[conf->to]);
	return 0;
}

static int export_tracy_write(struct query *q, const struct conf *conf, const struct output *out)
{
	struct tracy_write_options options = {
		.version = conf->version, .level = conf->lz4 ? TRACY_LEVEL_LZ4 : (int)conf->level};
	struct tracy_notes notes = {{0}};
	int r = check_whole(q, conf);

	if (r < 0)
		return r;
	if (conf->level < 0 || conf->level > TRACY_LEVEL_MAX)
		return err_set(&q->err, TACHO_EUSAGE, "--level: 1 to %d", TRACY_LEVEL_MAX);
	if (!out->path && isatty(STDOUT_FILENO))
		return err_set(&q->err, TACHO_EUSAGE,
			       "a .tracy file is not for a terminal; -o names a file");
	r = tracy_write(q->trace, fileno(out->file), out->path ? out->path : "standard output",
			&options, &notes, &q->err);
	if (r == 0 && !q->common->quiet)
		tracy_notes_print(&notes);
	return r;
}

static int export_samples_write(struct query *q, const struct conf *conf, FILE *out)
{
	struct profile_filter filter = {
		.t0 = q->filter.in.t0, .t1 = q->filter.in.t1, .tracks = q->filter.in.tracks};
	struct profile *p;
	int r = profile_open(&p, q->trace, &q->err);

	if (r < 0)
		return r;
	if (conf->to == TO_FOLDED)
		r = profile_write_folded(out, p, &filter);
	else if (conf->to == TO_SPEEDSCOPE)
		r = profile_write_speedscope(out, p, &filter);
	else
		r = profile_write_pprof(out, p, &filter);
	profile_close(p);
	return r;
}

static int export_file_write(struct query *q, const struct conf *conf, const char *path)
{
	struct output out;
	struct progress progress;
	int r = output_open(&out, path, conf->force, &q->err);

	if (r < 0)
		return r;
	progress_start(&progress, q->common->quiet);
	if (conf->to == TO_TRACY)
		r = export_tracy_write(q, conf, &out);
	else if (conf->to >= TO_FOLDED)
		r = export_samples_write(q, conf, out.file);
	else
		r = export_write(out.file, q->trace, (enum export_format)conf->to, &q->filter,
				 &progress);
	progress_end(&progress);
	if (r == 0 || (r == TACHO_EWRITE && conf->to != TO_TRACY))
		return output_close(&out, &q->err);
	output_abandon(&out);
	return r;
}

/* ", 1,234 things", or nothing if there are none. */
static void add_count(struct buf *text, uint64_t n, const char *thing)
{
	char number[FMT_SIZE];

	if (n)
		buf_addf(text, ", %s %s%s", fmt_count(number, n), thing, n == 1 ? "" : "s");
}

/* Totals over the logs of all processes. */
struct logs_job {
	struct query *q;
	const struct conf *conf;
	const char *folder;
	uint8_t *tracks;
	bool several;
};

static int check_one(const struct logs_job *job, const char *folder, bool first)
{
	(void)first;
	return job->conf->force ? 0 : ttlogs_check(folder, &job->q->err);
}

static int write_one(const struct logs_job *job, const char *folder, bool first)
{
	struct ttlogs_part part = {.trace = job->q->trace,
				   .tracks = job->several ? job->tracks : NULL,
				   .children = job->conf->children,
				   .tracy = first,
				   .version = job->conf->version,
				   .host_only = job->conf->host_only};
	struct ttlogs logs;
	int r = ttlogs_write(&part, folder, &logs, &job->q->err);

	if (r == 0 && !job->q->common->quiet) {
		struct buf counts = BUF_INIT;

		add_count(&counts, logs.device.rows, "device row");
		add_count(&counts, logs.device.executions, "program run");
		add_count(&counts, logs.device.noc_files, "NoC trace");
		add_count(&counts, logs.device.sync_points, "clock point");
		err_note("wrote %s/.logs: %s%s", folder,
			 counts.len ? counts.data + 2 : "nothing of devices",
			 logs.host ? "" : "; no messages, so no logs of the host");
		buf_free(&counts);
		tracy_notes_print(&logs.notes);
		if (logs.device.mixed)
			err_warn(
				"the devices are of several kinds, and the head of the device log is of the "
				"first: tools that read cycles there assume its frequency for all");
	}
	return r;
}

/* Calls DO_ONE for each process with a device, or once for all if there is only one. */
static int export_each_process(const struct logs_job *job,
			       int (*do_one)(const struct logs_job *, const char *, bool))
{
	const struct trace *trace = job->q->trace;
	uint32_t process = TRACE_NONE;
	bool first = true;
	char folder[PATH_MAX];
	int r = 0;

	if (!job->several)
		return do_one(job, job->folder, true);
	while (r == 0 && (process = op_device_process(trace, NULL, process)) != TRACE_NONE) {
		char label[OP_PROCESS_LABEL];
		int n;

		op_process_tracks(trace, NULL, process, job->tracks);
		/* Folders are named as the runtime does: the first process has the requested one.
		 */
		op_process_label(job->q->trace, process, label);
		n = snprintf(folder, PATH_MAX, "%s%s%s", job->folder, first ? "" : "/process-",
			     first ? "" : label);
		r = n < PATH_MAX ? 0
				 : err_set(&job->q->err, TACHO_EUSAGE, "%s: the name is too long",
					   job->folder);
		if (r == 0)
			r = do_one(job, folder, first);
		first = false;
	}
	return r;
}

/* Op numbers are per process, so each process with a device gets its own folder. */
static int write_logs(struct query *q, const struct conf *conf)
{
	char folder[PATH_MAX];
	struct logs_job job = {.q = q, .conf = conf, .folder = folder};
	int r = check_whole(q, conf);

	if (r == 0 && conf->output && !strcmp(conf->output, "-"))
		r = err_set(&q->err, TACHO_EUSAGE, "--to=tt-logs writes a folder");
	if (r == 0)
		r = folder_profiler(conf->output, folder, sizeof(folder), &q->err);
	if (r < 0)
		return r;
	job.several = op_several_processes(q->trace, NULL);
	job.tracks = malloc(q->trace->track_count + 1);
	r = job.tracks ? export_each_process(&job, check_one)
		       : err_set(&q->err, TACHO_ENOMEM, "no memory");
	if (r == 0)
		r = export_each_process(&job, write_one);
	free(job.tracks);
	return r;
}

static int export_print(struct query *q, void *verb_conf)
{
	const struct conf *conf = verb_conf;
	char *path;
	int r = TACHO_ENOMEM;

	if (conf->to == TO_TT_LOGS)
		return write_logs(q, conf);
	path = conf->output ? strdup(conf->output)
			    : export_default_output(q->trace->path, conf->to);
	q->filter.overlap = true;
	if (path)
		r = export_file_write(q, conf, path);
	if (r == 0 && strcmp(path, "-") && !q->common->quiet)
		err_note("wrote %s", path);
	free(path);
	return r;
}

QUERY_RUN(export_print)

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write a trace in another format",
	.usage = "[--to=FORMAT] [-o FILE] [-f] [options] FILE",
	.description =
		"Writes a trace, or a part of it, in a format that other tools read.\n\n"
		"perfetto is the native format of ui.perfetto.dev: zones, messages, plots, frames, "
		"memory, locks and losses of all processes, ops of devices with arrows from the zones that "
		"called them, samples, clocks. chrome is the trace event format of chrome://tracing, "
		"which many tools read: the same without ops and samples. csv is a "
		"table of all zones, the same as that of 'tacho zones --format=csv'. json is "
		"one object with everything that the trace holds. pstats is the file that "
		"'python -m cProfile -o' writes, with the zones of the chosen threads and times as "
		"functions: 'python -m pstats' reads it. tracy is a file of the Tracy "
		"viewer (see --tracy-version); what it has no room for is "
		"counted and said.\n\n"
		"folded, speedscope and pprof have the samples of the chosen threads and times; of a "
		"recording without samples they are empty.\n\n"
		"tt-logs is the folder .logs that the runtime and csvexport leave: ops and their host "
		"times (tracy_ops_data.csv, tracy_ops_times.csv), every marker of every core "
		"(profile_log_device.csv), what the runtime measures of it "
		"(cpp_device_perf_report.csv), the device's clock, places of zones, NoC events, and "
		"the .tracy file. When several processes have devices the first has DIR/.logs, and each "
		"other one DIR/process-PID/.logs.",
	.examples =
		"tacho export --to=perfetto app.tacho\n  writes app.pftrace, for ui.perfetto.dev\n"
		"tacho export --to=csv -o - -r 1s..2s app.tacho\n"
		"  zones of the second second on standard output\n"
		"tacho export --to=tt-logs -o prof app.tacho\n  writes prof/.logs\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
