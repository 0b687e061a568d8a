/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "ops": write the ops report of a trace or of logs. */
#include "base/folder.h"
#include "base/output.h"
#include "base/term.h"
#include "cmds/query.h"
#include "cmds/ranks.h"
#include "cmds/ttlogs.h"
#include "op/merge.h"
#include "op/stats.h"
#include "op/trace_host.h"
#include "op/trace_source.h"
#include "ttlog/device_log.h"
#include "ttlog/files.h"
#include "ttlog/merge.h"
#include "ttlog/report.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct conf {
	struct query_conf query;
	const char *folder;
	const char *name;
	const char *log;
	const char *children;
	bool date, device_only, no_device, legacy, noc, force, series, logs, visualizer;
	int format;
	int64_t top;
	struct opt_list analyses;
};

static const char *const stats_formats[] = {"text", "json", NULL};

static const struct opt opts[] = {
	OPT_STR('o', "output-folder", "DIR", struct conf, folder,
		"read DIR/.logs and write DIR/reports (default $TT_METAL_PROFILER_DIR)"),
	OPT_STR('n', "name-append", "NAME", struct conf, name,
		"put the report into a folder NAME and NAME into its file name"),
	OPT_FLAG(0, "date", struct conf, date, "add date and time in the same way"),
	OPT_FLAG(0, "device-only", struct conf, device_only, "use only the device's log"),
	OPT_FLAG(0, "no-device", struct conf, no_device,
		 "accept a missing device log: the device was not profiled"),
	OPT_FLAG(0, "force-legacy-device-logs", struct conf, legacy,
		 "measure from the raw device log even if the runtime has already measured"),
	OPT_FLAG(0, "analyze-noc-traces", struct conf, noc,
		 "add columns with the NoC traces of each op"),
	OPT_STR(0, "child-functions", "NAMES", struct conf, children,
		"trace only: add a column with the time within ops of these host functions, "
		"separated by commas (default " OP_ZONE_CHILDREN ")"),
	OPT_FLAG(0, "logs", struct conf, logs,
		 "trace only: also write the device's log, " TTLOG_DEVICE_FILE
		 ", next to the report, for "
		 "heat maps and other tools; it is many times larger"),
	OPT_FLAG(0, "visualizer", struct conf, visualizer,
		 "complete the report's folder for ttnn-visualizer: for a trace, also write the "
		 "device's log and " TRACY_TT_FILE),
	OPT_LIST('p', "process", "PID|NAME", struct conf, query.processes,
		 "trace only: select this process, by number or by a pattern for its name; may be "
		 "repeated"),
	OPT_LIST('a', "device-analysis-types", "TYPE", struct conf, analyses,
		 "run only this analysis; may be repeated"),
	OPT_STR('d', "device-input-log", "FILE", struct conf, log,
		"stats: read this device log instead of the folder's"),
	OPT_ENUM(0, "format", struct conf, format, stats_formats,
		 "stats: choose the output format"),
	OPT_FLAG(0, "series", struct conf, series,
		 "stats: with --format=json, include the values of each execution"),
	OPT_FLAG('f', "force", struct conf, force,
		 "replace an older report of the same name instead of keeping it"),
	OPT_INT(0, "top", "N", struct conf, top, "show N ops in the summary (default 10)"),
	OPT_END,
};

static void cmd_ops_init(void *conf)
{
	((struct conf *)conf)->top = 10;
}

enum word { REPORT, STATS, MERGE };

static int ops_options_check(struct conf *cf, enum word word, int argc, struct tacho_error *err)
{
	bool trace = argc > (word == STATS);

	if (word != MERGE && argc > 1 + (word == STATS))
		return err_set(err, TACHO_EUSAGE, "one trace at a time");
	if (word == MERGE && argc < 3)
		return err_set(err, TACHO_EUSAGE, "merge takes two reports or more");
	if (word == MERGE && !cf->folder)
		return err_set(err, TACHO_EUSAGE, "merge needs -o FILE; - is standard output");
	if (cf->name && (!*cf->name || strchr(cf->name, '/') || !strcmp(cf->name, "..") ||
			 !strcmp(cf->name, ".")))
		return err_set(err, TACHO_EUSAGE, "'%s' cannot be part of a file name", cf->name);
	if (cf->log && (word != STATS || trace))
		return err_set(err, TACHO_EUSAGE, "-d is for 'ops stats', instead of a trace");
	if (cf->visualizer && word != REPORT)
		return err_set(err, TACHO_EUSAGE, "--visualizer is for the report");
	if ((!trace || word == MERGE) && (cf->query.processes.n || cf->children || cf->logs))
		return err_set(err, TACHO_EUSAGE,
			       "-p, --child-functions and --logs are for traces");
	return 0;
}

/* Prints the first problems of each kind, then the file with all of them. */
static void ops_issues_print(const struct ttlog_result *result, bool quiet)
{
	int shown[OP_ISSUE_KINDS] = {0};
	uint64_t damage = op_issues_damage(&result->issues);

	for (size_t i = 0; i < result->issues.n; i++) {
		const struct op_issue *issue = &result->issues.v[i];
		char where[160] = "";
		int n = 0;

		if (shown[issue->kind]++ >= 3 || (quiet && !op_issue_is_damage(issue->kind)))
			continue;
		if (issue->file && issue->line)
			n = snprintf(where, sizeof(where), "%s:%" PRIu64 ": ", issue->file,
				     issue->line);
		else if (issue->file)
			n = snprintf(where, sizeof(where), "%s: ", issue->file);
		if (issue->place.op != OP_NONE && issue->place.core_x != OP_NONE)
			snprintf(where + n, sizeof(where) - (size_t)n,
				 "op %" PRId64 ", core %" PRId64 ",%" PRId64 ": ", issue->place.op,
				 issue->place.core_x, issue->place.core_y);
		else if (issue->place.op != OP_NONE)
			snprintf(where + n, sizeof(where) - (size_t)n, "op %" PRId64 ": ",
				 issue->place.op);
		err_warn("%s%s", where, issue->text);
	}
	if (damage)
		err_warn("%" PRIu64 " problem%s in the %s; all are listed in %s", damage,
			 damage == 1 ? "" : "s", result->issues.of_trace ? "trace" : "logs",
			 result->issues_path ? result->issues_path : "-");
}

/* --- statistics --- */

static const struct op_picked all_analyses = {OP_MEASURES_ALL, true, true};

static int print_stats(const struct conf *cf, const struct op_log_stats *stats,
		       struct tacho_error *err)
{
	struct buf text = BUF_INIT;
	FILE *out = term_guard(stdout);
	int r = 0;

	if (cf->format == 1)
		op_log_stats_json(stats, cf->series, &text);
	else
		op_log_stats_text(stats, &text);
	if (text.failed || fwrite(text.data, 1, text.len, out) < text.len)
		r = err_errno(err, TACHO_EWRITE, "cannot write the statistics");
	term_unguard(out, stdout);
	buf_free(&text);
	return r;
}

/* Prints the log's statistics. */
static int log_stats(const struct conf *cf, const char *folder, int *code, struct tacho_error *err)
{
	struct op_log_stats stats = {0};
	struct op_issues issues = {0};
	struct devlog dev = {0};
	char path[PATH_MAX + 64];
	int r;

	snprintf(path, sizeof(path), "%s/.logs/%s", folder, TTLOG_DEVICE_FILE);
	r = devlog_read(&dev, cf->log ? cf->log : path, DEVLOG_ALL, &issues, err);
	if (r == 0)
		r = devlog_sort(&dev, err);
	if (r == 0)
		r = op_devlog_stats(&stats, &dev, &all_analyses, &issues, err);
	if (r == 0)
		r = print_stats(cf, &stats, err);
	if (r == 0 && issues.counts[OP_ISSUE_BAD_ROW]) {
		err_warn("%" PRIu64 " lines of the log cannot be read",
			 issues.counts[OP_ISSUE_BAD_ROW]);
		*code = 4;
	}
	op_log_stats_free(&stats);
	op_issues_free(&issues);
	devlog_free(&dev);
	return r;
}

static int stats_of(struct query *q, const struct conf *cf, const uint8_t *tracks)
{
	struct op_log_stats stats = {0};
	struct op_issues issues = {0};
	struct op_cores cores = {0};
	struct devlog dev = {0};
	int r = op_cores_open(&cores, q->trace, tracks, &q->err);

	if (r == 0 && !cores.riscs.n)
		r = err_set(&q->err, TACHO_EREAD, "%s has no device", q->trace->path);
	if (r == 0)
		r = op_trace_devlog(&cores, &dev, DEVLOG_ALL, &issues, &q->err);
	if (r == 0)
		r = devlog_sort(&dev, &q->err);
	if (r == 0)
		r = op_devlog_stats(&stats, &dev, &all_analyses, &issues, &q->err);
	if (r == 0)
		r = print_stats(cf, &stats, &q->err);
	op_log_stats_free(&stats);
	op_issues_free(&issues);
	devlog_free(&dev);
	op_cores_close(&cores);
	return r;
}

/* Op numbers are per process, so each process with a device has its own report. */
static int each_process(struct query *q, struct conf *cf,
			int (*one)(struct query *, struct conf *, const uint8_t *, uint32_t))
{
	const uint8_t *in = q->filter.in.tracks;
	uint8_t *tracks = malloc(q->trace->track_count);
	uint32_t process = TRACE_NONE;
	int r = tracks ? 0 : err_set(&q->err, TACHO_ENOMEM, "no memory");

	while (r == 0 && (process = op_device_process(q->trace, in, process)) != TRACE_NONE) {
		const struct trace_process *p = &q->trace->processes[process];

		op_process_tracks(q->trace, in, process, tracks);
		if (!q->common->quiet) {
			printf("process %u, ", p->pid);
			term_print_safe(stdout, p->name);
			putchar('\n');
		}
		r = one(q, cf, tracks, process);
		if (!q->common->quiet)
			putchar('\n');
	}
	free(tracks);
	return r;
}

static int stats_of_process(struct query *q, struct conf *cf, const uint8_t *tracks,
			    uint32_t process)
{
	(void)process;
	return stats_of(q, cf, tracks);
}

static int trace_stats_of(struct query *q, void *conf)
{
	struct conf *cf = conf;

	if (!op_several_processes(q->trace, q->filter.in.tracks))
		return stats_of(q, cf, q->filter.in.tracks);
	if (cf->format == 1)
		return err_set(&q->err, TACHO_EUSAGE,
			       "several processes have devices: choose one with -p for JSON");
	return each_process(q, cf, stats_of_process);
}

/* --- merge reports --- */

static int ops_merge_logs(const struct conf *cf, const struct cmd_common *common, int argc,
			  char **argv, struct output *out, struct tacho_error *err)
{
	struct ttlog_merged merged;
	int r = ttlog_merge(argv, argc, out->file, &merged, err);

	if (r < 0)
		return r;
	if (!common->quiet)
		fprintf(stderr,
			"tacho: wrote %s: %" PRIu64 " rows and %" PRIu64
			" counters from further logs\n",
			cf->folder, merged.rows, merged.counters);
	if (merged.unmatched)
		err_warn("%" PRIu64 " counters belong to no op of %s: the runs differ",
			 merged.unmatched, argv[0]);
	return 0;
}

static int ops_merge(const struct conf *cf, const struct cmd_common *common, int argc, char **argv,
		     struct tacho_error *err)
{
	struct op_merge_result result;
	struct output out;
	bool logs = true;
	int r = output_open(&out, cf->folder, cf->force, err);

	if (r < 0)
		return r;
	for (int i = 0; i < argc; i++)
		logs &= ttlog_is_device_log(argv[i]);
	if (logs) {
		r = ops_merge_logs(cf, common, argc, argv, &out, err);
		if (r == 0)
			return output_close(&out, err);
		output_abandon(&out);
		return r;
	}
	r = op_merge(argv, argc, out.file, &result, err);
	if (r < 0) {
		output_abandon(&out);
		return r;
	}
	r = output_close(&out, err);
	if (r == 0 && !common->quiet)
		fprintf(stderr,
			"tacho: wrote %s: %" PRIu64 " rows, %" PRIu64 " columns, %" PRIu64
			" cells from further reports; %" PRIu64 " of their rows fit none\n",
			cf->folder, result.rows, result.columns, result.filled, result.unmatched);
	return r;
}

/* --- the report --- */

/* ttnn-visualizer opens a folder only if it has a device log, a .tracy file and a report. */
static int visualizer_complete(const struct ttlog_options *options,
			       const struct ttlog_result *result, struct tacho_error *err)
{
	const char *const names[] = {TTLOG_DEVICE_FILE, TRACY_TT_FILE};
	struct tracy_notes notes = {{0}};
	int r = 0;

	if (options->trace)
		r = ttlogs_write_tracy(
			&(struct ttlogs_part){.trace = options->trace, .force = options->force},
			result->folder, &notes, err);
	for (size_t i = 0; r == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		if (!ttlog_exists(result->folder, names[i]))
			err_warn("ttnn-visualizer cannot open %s without %s, which the %s not have",
				 result->folder, names[i],
				 options->trace ? "trace does" : "logs do");
	return r;
}

/* Writes the report and prints a summary. 0 or a negative error; *CODE is the exit code. */
static int ops_report(const struct conf *cf, const struct cmd_common *common,
		      const struct ttlog_options *options, int *code, struct tacho_error *err)
{
	struct ttlog_result result = {0};
	int r = ttlog_report(options, &result, err);

	if (r == 0 && cf->visualizer)
		r = visualizer_complete(options, &result, err);
	if (r == 0) {
		*code = op_issues_damage(&result.issues) ? 4 : 0;
		ops_issues_print(&result, common->quiet);
		if (!common->quiet) {
			op_summary_print(&result.summary, &result.issues, (int)cf->top, stdout);
			if (result.counters)
				printf("\n%s", result.counters);
			printf("\nreport: %s\n", result.report);
		}
	}
	ttlog_result_free(&result);
	return r;
}

struct names {
	char folder[PATH_MAX], date[32];
};

static int fill_options(const struct conf *cf, struct names *names, struct ttlog_options *options,
			struct tacho_error *err)
{
	time_t now = time(NULL);
	struct tm tm;

	*options = (struct ttlog_options){.name = cf->name,
					  .device_only = cf->device_only,
					  .no_device = cf->no_device,
					  .legacy = cf->legacy,
					  .noc = cf->noc,
					  .force = cf->force,
					  .analyses = cf->analyses,
					  .children = cf->children,
					  .logs = cf->logs || cf->visualizer,
					  .folder = names->folder};
	if (cf->date && localtime_r(&now, &tm)) {
		strftime(names->date, sizeof(names->date), "%Y_%m_%d_%H_%M_%S", &tm);
		options->date = names->date;
	}
	return folder_profiler(cf->folder, names->folder, sizeof(names->folder), err);
}

static int report_tracks(struct query *q, struct conf *cf, const uint8_t *tracks, const char *name)
{
	struct ttlog_options options;
	struct names names;
	int code = 0, r = fill_options(cf, &names, &options, &q->err);

	if (r < 0)
		return r;
	options.trace = q->trace;
	options.tracks = tracks;
	options.name = name;
	r = ops_report(cf, q->common, &options, &code, &q->err);
	if (code > q->exit_code)
		q->exit_code = code;
	return r;
}

static int report_process(struct query *q, struct conf *cf, const uint8_t *tracks, uint32_t process)
{
	char label[OP_PROCESS_LABEL], name[PATH_MAX];

	op_process_label(q->trace, process, label);
	snprintf(name, sizeof(name), "%s%s%s", cf->name ? cf->name : "", cf->name ? "_" : "",
		 label);
	return report_tracks(q, cf, tracks, name);
}

static int report_trace(struct query *q, void *conf)
{
	struct conf *cf = conf;

	return op_several_processes(q->trace, q->filter.in.tracks)
		       ? each_process(q, cf, report_process)
		       : report_tracks(q, cf, q->filter.in.tracks, cf->name);
}

/* Programs that found the folder taken wrote their logs to subfolders, and reported it once. */
static void others_report(const char *folder)
{
	char path[PATH_MAX + NAME_MAX + 64];
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/.logs/%s", folder, e->d_name,
			 TTLOG_DEVICE_FILE);
		if (e->d_name[0] != '.' && access(path, R_OK) == 0)
			err_note("%s/%s has logs of its own: tacho ops -o %s/%s", folder, e->d_name,
				 folder, e->d_name);
	}
	if (dir)
		closedir(dir);
}

/* The ranks of a job: a report for each, below its own folder. */
static int report_ranks(struct conf *cf, const struct cmd_common *common,
			const struct rank_paths *ranks, int *code, struct tacho_error *err)
{
	int r = 0;

	for (size_t i = 0; i < ranks->n && r == 0; i++) {
		struct ttlog_options options;
		struct names names;
		int one = 0;

		cf->folder = ranks->v[i];
		r = fill_options(cf, &names, &options, err);
		if (r == 0)
			r = ops_report(cf, common, &options, &one, err);
		*code = one > *code ? one : *code;
		if (!common->quiet)
			putchar('\n');
	}
	if (r == 0 && !common->quiet)
		err_note("one report for all ranks: tacho perf-report %.*s",
			 (int)(strrchr(ranks->v[0], '/') - ranks->v[0]), ranks->v[0]);
	return r;
}

static int report_logs(struct conf *cf, const struct cmd_common *common, enum word word,
		       struct tacho_error *err)
{
	struct ttlog_options options;
	struct names names;
	struct rank_paths ranks = {0};
	int r = fill_options(cf, &names, &options, err), code = 0;

	if (r == 0 && word == REPORT && !ttlog_exists(names.folder, ".logs"))
		r = ranks_find(names.folder, &ranks);
	if (r == 0 && ranks.n) {
		r = report_ranks(cf, common, &ranks, &code, err);
		ranks_free(&ranks);
		return r < 0 ? err_report(err, r) : code;
	}
	if (r == 0)
		r = word == STATS ? log_stats(cf, names.folder, &code, err)
				  : ops_report(cf, common, &options, &code, err);
	if (!common->quiet && !cf->log)
		others_report(names.folder);
	return r < 0 ? err_report(err, r) : code;
}

static int cmd_ops_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct tacho_error err = {0};
	enum word word = argc && !strcmp(argv[0], "stats")   ? STATS
			 : argc && !strcmp(argv[0], "merge") ? MERGE
							     : REPORT;
	int r = ops_options_check(cf, word, argc, &err);

	argc -= word != REPORT;
	argv += word != REPORT;
	if (r == 0 && word == MERGE)
		r = ops_merge(cf, common, argc, argv, &err);
	if (r < 0)
		r = err_report(&err, r);
	else if (word != MERGE && argc)
		r = query_run(conf, common, argc, argv,
			      word == STATS ? trace_stats_of : report_trace);
	else if (word != MERGE)
		r = report_logs(cf, common, word, &err);
	opt_list_free(&cf->query.processes);
	opt_list_free(&cf->analyses);
	return r;
}

const struct cmd cmd_ops = {
	.name = "ops",
	.summary = "write the ops report of a trace or of the profiler's logs",
	.usage = "[options] [FILE | stats [FILE] | merge FIRST.csv SECOND.csv...]",
	.description =
		"Reads a trace (.tacho or .tracy), or without one DIR/.logs as the runtime writes it, "
		"joins each op of the host with "
		"its measurements on the device, and writes DIR/reports/ops_perf_results.csv with one "
		"row per op. Then prints the ops that took the most time.\n\n"
		"Incomplete logs give a report too: unknown cells are left empty, every problem is "
		"listed in report_issues.csv next to the report, and the exit code is 4. An older "
		"report of the same name is kept under a numbered name. If several processes of a "
		"trace have devices, each gets its own report, named after its number.\n\n"
		"stats prints the count and the duration in cycles of each analysis of the device's "
		"log, or of a trace. merge joins reports of several runs of one program op by op, for "
		"counters that do not fit into one run; given device logs, it adds the counters of the "
		"further ones to the first.",
	.examples = "  tacho ops app.tacho\n"
		    "      the ops of a recorded program; writes generated/profiler/reports/"
		    "ops_perf_results.csv\n"
		    "  tacho ops -o generated/profiler\n"
		    "      writes generated/profiler/reports/ops_perf_results.csv\n"
		    "  tacho ops -o prof -n mnist --date\n"
		    "      writes prof/reports/mnist/DATE/ops_perf_results_mnist_DATE.csv\n"
		    "  tacho ops --visualizer app.tacho\n"
		    "      a folder that ttnn-visualizer opens: generated/profiler/reports\n"
		    "  tacho ops stats -d profile_log_device.csv\n"
		    "      statistics of one device log\n"
		    "  tacho ops merge -o all.csv fpu.csv unpack.csv\n"
		    "      the first report with the columns of the second\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_ops_init,
	.run = cmd_ops_run,
};
