/* SPDX-License-Identifier: Apache-2.0 */
/* The command "tt_profile": record a command, then write its logs and ops report. */
#include "base/buf.h"
#include "base/folder.h"
#include "base/term.h"
#include "cmds/cmds.h"
#include "cmds/passes.h"
#include "cmds/port.h"
#include "cmds/record.h"
#include "cmds/ttlogs.h"
#include "cmds/words.h"
#include "op/trace_cores.h"
#include "tracy/tracy.h"
#include "ttlog/files.h"
#include "ttlog/merge.h"
#include "ttlog/mlir.h"
#include "ttlog/report.h"

#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_PORT 8086
#define LAST_PORT  8499
#define OUTPUT     "results/perf/device_ops_perf_trace.csv"

struct conf {
	const char *output, *counters;
	int64_t port;
	bool multipass;
};

/* One command, recorded once or, for performance counters, several times. */
struct job {
	const struct conf *conf;
	const struct cmd_common *common;
	struct record_conf record;
	struct counter_passes passes;
	char **command;
	const char *folder, *logs;
	int status; /* of the first run that failed, else 0 */
};

static const struct opt opts[] = {
	OPT_STR('o', "output_path", "FILE", struct conf, output,
		"write the report to FILE (default " OUTPUT ")"),
	OPT_INT('p', "port", "PORT", struct conf, port,
		"use PORT for programs built with Tracy (default 8086)"),
	OPT_STR(0, "profiler-capture-perf-counters", "GROUPS", struct conf, counters,
		"record performance counters: fpu, pack, unpack, l1, instrn, all"),
	OPT_FLAG(0, "perf-counter-multipass", struct conf, multipass,
		 "run the command as often as the counter groups need, one L1 bank per run, and "
		 "merge their counters into one device log and report; all are then all of the "
		 "architecture"),
	OPT_END,
};

static void cmd_tt_profile_init(void *conf)
{
	struct conf *cf = conf;

	cf->output = OUTPUT;
	cf->port = FIRST_PORT;
}

/* Chooses the port; reports a busy one and falls back to another. */
static int choose_port(int64_t wanted, struct tacho_error *err)
{
	char owner[128];
	int port;

	if (wanted < 1 || wanted > 65535)
		return err_set(err, TACHO_EUSAGE, "no port %" PRId64, wanted);
	if (port_is_free((int)wanted))
		return (int)wanted;
	port_owner((int)wanted, owner, sizeof(owner));
	port = port_find(FIRST_PORT, LAST_PORT);
	if (port < 0)
		return err_set(err, TACHO_ECONNECT,
			       "port %" PRId64 " is taken by %s, and so are all of %d to %d",
			       wanted, owner, FIRST_PORT, LAST_PORT);
	err_warn("port %" PRId64 " is taken by %s; %d is used instead", wanted, owner, port);
	return port;
}

/* Writes the logs that the program did not write itself from its trace. */
static int export_logs(struct trace *trace, const char *logs, struct tacho_error *err)
{
	struct tracy_notes notes = {{0}};
	struct ttlog_written device;
	int r = ttlogs_write_host(&(struct ttlogs_part){.trace = trace}, logs, &notes, err);

	if (r == 0 && !ttlog_exists(logs, TTLOG_DEVICE_FILE) && !ttlogs_forbidden())
		r = ttlog_write(trace, NULL, logs, &device, err);
	return r;
}

static int write_output(const char *path, const char *report, const char *logs,
			struct tacho_error *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
	char *messages = ttlog_path(logs, "tracy_ops_data.csv");
	struct output out;
	int r = folder && messages ? 0 : err_set(err, TACHO_ENOMEM, "out of memory");

	if (r == 0)
		r = folder_make(*folder ? folder : "/", err);
	if (r == 0)
		r = ttlog_create(&out, *folder ? folder : "/", slash ? slash + 1 : path, false,
				 err);
	if (r == 0) {
		r = ttlog_mlir_write(report, messages, out.file, err);
		if (r == 0)
			r = output_close(&out, err);
		else
			output_abandon(&out);
	}
	free(folder);
	free(messages);
	return r;
}

/* Writes the report and OUTPUT, its form for compilers, with what the messages in LOGS contain. */
static int tt_profile_report(const struct ttlog_options *options, const char *output,
			     const char *logs, const struct cmd_common *common,
			     struct tacho_error *err)
{
	struct ttlog_result result = {0};
	int r = ttlog_report(options, &result, err);

	if (r == 0)
		r = write_output(output, result.report, logs, err);
	if (r == 0 && op_issues_damage(&result.issues))
		err_warn("%" PRIu64 " problem%s in the logs; all are listed in %s",
			 op_issues_damage(&result.issues),
			 op_issues_damage(&result.issues) == 1 ? "" : "s", result.issues_path);
	if (r == 0 && !common->quiet) {
		op_summary_print(&result.summary, &result.issues, 10, stdout);
		fputs("\nreport: ", stdout);
		term_print_safe(stdout, output);
		putchar('\n');
	}
	ttlog_result_free(&result);
	return r;
}

/* PATH with the process's number before its extension. */
static int output_of(const char *path, const char *label, char *out, size_t size)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	int stem = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path));

	return snprintf(out, size, "%.*s-%s%s", stem, path, label, path + stem);
}

/* The log folder of a single process; returns whether it has a device log. */
static bool own_logs(const char *folder, const struct trace *trace, uint32_t process, char *logs,
		     size_t size)
{
	char label[OP_PROCESS_LABEL];

	op_process_label(trace, process, label);
	snprintf(logs, size, "%s/process-%s/.logs", folder, label);
	return ttlog_exists(logs, TTLOG_DEVICE_FILE);
}

/*
 * Several processes with devices. Of those that run at the same time, any one writes its device log
 * to the folder and each other to a folder of its own; those that run one after the other share
 * one.
 */
struct sharing {
	uint32_t main; /* the process whose logs are in the folder itself */
	bool shared;   /* others have written to its device log */
};

static struct sharing find_sharing(const char *folder, const struct trace *trace)
{
	struct sharing s = {TRACE_NONE, false};
	uint32_t process = TRACE_NONE;
	char logs[PATH_MAX + 96];

	while ((process = op_device_process(trace, NULL, process)) != TRACE_NONE) {
		if (own_logs(folder, trace, process, logs, sizeof(logs)))
			continue;
		s.shared = s.main != TRACE_NONE;
		if (!s.shared)
			s.main = process;
	}
	if (s.main == TRACE_NONE)
		s.main = op_device_process(trace, NULL, TRACE_NONE);
	return s;
}

/*
 * Reports one of several processes: its logs are in one place, and the main one writes the output.
 */
static int tt_profile_process_report(const struct conf *cf, const char *folder, struct trace *trace,
				     uint32_t process, const uint8_t *tracks,
				     struct sharing sharing, const struct cmd_common *common,
				     struct tacho_error *err)
{
	char label[OP_PROCESS_LABEL], logs[PATH_MAX + 96], output[PATH_MAX];
	struct ttlog_options options = {.folder = folder,
					.trace = trace,
					.tracks = tracks,
					.name = label,
					.no_copies = true};
	bool main = process == sharing.main;
	bool left = own_logs(folder, trace, process, logs, sizeof(logs));
	struct ttlogs_part part = {.trace = trace, .tracks = tracks};
	struct tracy_notes notes = {{0}};
	struct ttlog_written device;
	int r;

	op_process_label(trace, process, label);
	if (main && !left) {
		snprintf(logs, sizeof(logs), "%s/.logs", folder);
		left = !sharing.shared && ttlog_exists(logs, TTLOG_DEVICE_FILE);
	}
	if (output_of(cf->output, label, output, sizeof(output)) >= PATH_MAX)
		return err_set(err, TACHO_EWRITE, "%s: the name is too long", cf->output);
	r = folder_make(logs, err);
	if (r == 0)
		r = ttlogs_write_host(&part, logs, main ? &notes : NULL, err);
	if (r == 0 && !left)
		r = ttlog_write(trace, tracks, logs, &device, err);
	return r < 0 ? r
		     : tt_profile_report(&options, main ? cf->output : output, logs, common, err);
}

/* Op numbers are per process, so each has its own report, from the trace. */
static int report_each(const struct conf *cf, const char *folder, struct trace *trace,
		       const struct cmd_common *common, struct tacho_error *err)
{
	uint8_t *tracks = malloc(trace->track_count + 1);
	struct sharing sharing = find_sharing(folder, trace);
	uint32_t process = TRACE_NONE;
	int r = tracks ? 0 : err_set(err, TACHO_ENOMEM, "out of memory");

	while (r == 0 && (process = op_device_process(trace, NULL, process)) != TRACE_NONE) {
		op_process_tracks(trace, NULL, process, tracks);
		r = tt_profile_process_report(cf, folder, trace, process, tracks, sharing, common,
					      err);
	}
	free(tracks);
	return r;
}

/* ---------------------------------------------------------------- runs */

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

static int counters_merge(const char *first, const char *further, struct tacho_error *err)
{
	char *paths[] = {(char *)first, (char *)further};
	struct ttlog_merged merged;
	struct output out;
	int r = output_open(&out, first, true, err);

	if (r < 0)
		return r;
	r = ttlog_merge(paths, 2, out.file, &merged, err);
	if (r < 0) {
		output_abandon(&out);
		return r;
	}
	if (merged.unmatched)
		err_warn("%" PRIu64 " counters belong to no op of %s: the runs differ",
			 merged.unmatched, first);
	return output_close(&out, err);
}

/* The device log of a further run, which may be in its trace only, joins that of the first. */
static int pass_merge(const char *first, const char *logs, const char *recorded, size_t run,
		      struct tacho_error *err)
{
	char further[PATH_MAX + 96];
	struct ttlog_written device;
	struct trace *trace = NULL;
	int r = access(recorded, F_OK) == 0 ? trace_open(&trace, recorded, err) : 0;
	bool several = r == 0 && trace && op_several_processes(trace, NULL);

	snprintf(further, sizeof(further), "%s/%s", logs, TTLOG_DEVICE_FILE);
	if (r == 0 && trace && !several && access(further, F_OK) < 0)
		r = ttlog_write(trace, NULL, logs, &device, err);
	trace_close(trace);
	if (r < 0)
		return r;
	if (several)
		err_warn("several processes have devices: the counters of run %zu are not merged",
			 run);
	else if (access(further, F_OK) < 0 || access(first, F_OK) < 0)
		err_warn("run %zu has no device log: its counters are missing", run);
	else
		r = counters_merge(first, further, err);
	return r;
}

/* Run number I + 1, for its counters: its other logs and its trace are not kept. */
static int pass_run(struct job *job, size_t i, struct tacho_error *err)
{
	char place[PATH_MAX + 16], logs[PATH_MAX + 24], trace[PATH_MAX + 64], names[64],
		first[PATH_MAX + 96];
	struct cmd_common quiet = *job->common;
	int r;

	snprintf(place, sizeof(place), "%s/.run-XXXXXX", job->folder);
	if (!mkdtemp(place))
		return err_errno(err, TACHO_EWRITE, "cannot make %s", place);
	snprintf(logs, sizeof(logs), "%s/.logs", place);
	snprintf(trace, sizeof(trace), "%s/tracy_profile_log_host.tacho", logs);
	snprintf(first, sizeof(first), "%s/%s", job->logs, TTLOG_DEVICE_FILE);
	r = folder_make(logs, err);
	if (r == 0) {
		passes_names(&job->passes, i, names, sizeof(names));
		if (!quiet.quiet)
			fprintf(stderr, "tacho: run %zu: %s\n", i + 1, names);
		quiet.quiet = true;
		passes_setenv(&job->passes, i);
		setenv("TT_METAL_PROFILER_DIR", place, 1);
		job->record.output = trace;
		job->status = record_command(&job->record, &quiet, NULL, false, job->command);
		r = pass_merge(first, logs, trace, i + 1, err);
	}
	nftw(place, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
	return r;
}

static int further_passes(struct job *job, struct tacho_error *err)
{
	int r = 0;

	for (size_t i = 1; i < job->passes.n && r == 0; i++) {
		if (job->status || record_stops()) {
			if (job->status)
				err_warn("the command failed with status %d: no further runs",
					 job->status);
			break;
		}
		r = pass_run(job, i, err);
	}
	return r;
}

/* After the first run, with its trace if there is one. 0 or a negative error. */
static int report_all(struct job *job, const char *recorded, struct tacho_error *err)
{
	struct ttlog_options options = {.folder = job->folder, .no_copies = true};
	struct trace *trace = NULL;
	int r = access(recorded, F_OK) == 0 ? trace_open(&trace, recorded, err) : 0;

	if (r == 0 && trace && op_several_processes(trace, NULL)) {
		if (job->passes.n > 1)
			err_warn("several processes have devices: no further runs, only the "
				 "counters of the first");
		r = report_each(job->conf, job->folder, trace, job->common, err);
	} else if (r == 0) {
		r = trace ? export_logs(trace, job->logs, err) : 0;
		if (r == 0)
			r = further_passes(job, err);
		if (ttlogs_forbidden())
			options.trace = trace;
		if (r == 0)
			r = tt_profile_report(&options, job->conf->output, job->logs, job->common,
					      err);
	}
	trace_close(trace);
	return r;
}

static int tt_profile_record(struct job *job, const struct words *words, struct tacho_error *err)
{
	char folder[PATH_MAX], logs[PATH_MAX + 16], trace[PATH_MAX + 64], aside[PATH_MAX + 32],
		names[64];
	int r = folder_profiler(NULL, folder, sizeof(folder), err), first;
	int port = r == 0 ? choose_port(job->conf->port, err) : r;

	if (port < 0)
		return err_report(err, port);
	/* Logs of an earlier run would be mistaken for this one's. */
	r = ttlogs_put_aside(folder, aside, sizeof(aside), err);
	if (r < 0)
		return err_report(err, r);
	snprintf(logs, sizeof(logs), "%s/.logs", folder);
	snprintf(trace, sizeof(trace), "%s/tracy_profile_log_host.tacho", logs);
	job->folder = folder;
	job->logs = logs;
	job->command = words->v + words->settings;
	record_init(&job->record);
	job->record.output = trace;
	job->record.force = true;
	r = record_tracy(&job->record, port, err);
	if (r < 0)
		return err_report(err, r);
	/* The environment of the command; the command's own settings come last. */
	setenv("TT_METAL_PROFILER_DIR", job->folder, 1);
	setenv("TT_METAL_DEVICE_PROFILER", "1", 1);
	setenv("TT_METAL_DEVICE_PROFILER_DISPATCH", "0", 1);
	setenv("TT_METAL_CLEAR_L1", "1", 1);
	for (size_t i = 0; i < words->settings; i++)
		putenv(words->v[i]);
	if (job->passes.n)
		passes_setenv(&job->passes, 0);
	if (job->passes.n > 1 && !job->common->quiet) {
		passes_names(&job->passes, 0, names, sizeof(names));
		fprintf(stderr, "tacho: the counters need %zu runs; the first: %s\n", job->passes.n,
			names);
	}
	first = record_command(&job->record, job->common, NULL, false, job->command);
	if (first == 126 || first == 127)
		return first;
	job->status = first;
	r = report_all(job, trace, err);
	/* The command's status is ours, unless it succeeded and an output cannot be written. */
	if (r < 0)
		r = err_report(err, r);
	return job->status ? job->status : r == 5 ? r : 0;
}

static int counters_check(const struct conf *cf, struct counter_passes *passes,
			  struct tacho_error *err)
{
	if (cf->multipass && !cf->counters)
		return err_set(err, TACHO_EUSAGE,
			       "--perf-counter-multipass needs --profiler-capture-perf-counters");
	if (cf->multipass && ttlogs_forbidden())
		return err_set(err, TACHO_EUSAGE,
			       "--perf-counter-multipass merges device logs, which "
			       "TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES turns off");
	return cf->counters ? passes_make(cf->counters, cf->multipass, passes, err) : 0;
}

static int cmd_tt_profile_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct job job = {.conf = conf, .common = common};
	struct tacho_error err = {0};
	struct words words;
	int r;

	if (argc != 1) {
		err_set(&err, TACHO_EUSAGE,
			argc ? "the command must be quoted, so that it is one argument"
			     : "a command is needed: tt_profile \"pytest test_mnist.py\"");
		return err_report(&err, TACHO_EUSAGE);
	}
	r = counters_check(conf, &job.passes, &err);
	if (r == 0)
		r = words_split(&words, argv[0], &err);
	if (r < 0)
		return err_report(&err, r);
	r = tt_profile_record(&job, &words, &err);
	words_free(&words);
	return r;
}

const struct cmd cmd_tt_profile = {
	.name = "tt_profile",
	.aliases = {"tt_profile"},
	.summary = "run a quoted command and write its ops report",
	.usage = "[-h] [-o OUTPUT_PATH] [-p PORT] [options] \"test_command\"",
	.usage_note = "options of the command belong into its quotes",
	.description =
		"Runs the command, records it and every process below it (those that link libtacho, "
		"and those built with Tracy, which listen on PORT) with the device profiler on, and writes " OUTPUT
		" with one row per op: the columns of the ops report and "
		"LOC, CONST_EVAL_OP and PROGRAM_METADATA, which compiled programs report.\n\n"
		"The command is one argument. It is taken apart as a shell would, quotes and "
		"NAME=VALUE in front included, but no shell is run and nothing is expanded; use "
		"sh -c '...' for what needs one.\n\n"
		"Logs are in .logs of the profiler's folder (TT_METAL_PROFILER_DIR, else "
		"generated/profiler below TT_METAL_HOME or here); those of an earlier run are put "
		"aside. Exits with the status of the command.",
	.examples =
		"  tt_profile \"pytest -svv tests/test_mnist.py::test_train[full-eval]\"\n"
		"      writes " OUTPUT "\n"
		"  tt_profile --perf-counter-multipass --profiler-capture-perf-counters=all \"./app\"\n"
		"      runs it twice on a wormhole, six times on a blackhole\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_tt_profile_init,
	.run = cmd_tt_profile_run,
};
