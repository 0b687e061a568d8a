/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb "perf-report": turn the CSV of an ops report into a table, advice, a stacked report, a
 * diff.
 */
#include "base/output.h"
#include "base/pager.h"
#include "base/term.h"
#include "cmds/cmds.h"
#include "cmds/perf_trace.h"
#include "cmds/ranks.h"
#include "perf/diff.h"
#include "perf/output.h"
#include "perf/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_JUNIT };

struct conf {
	const char *start_signpost, *end_signpost, *signpost;
	bool ignore_signposts, print_signposts;
	double min_percentage;
	const char *id_range, *arch, *csv, *summary_file, *stacked_csv, *why;
	bool no_advice, tracing_mode, raw_op_codes, no_host_ops, no_summary, no_stacked_report;
	bool no_stack_by_in0, classic_colors, no_merge_devices, no_color, diff, force;
	bool list_signposts, count_warm_ups, no_pager;
	int group_by, model, format, replays, metric;
	const char *fail_above, *html;
	int64_t before;
	const char *active_experts;
	int64_t top, process;
};

static const char *const groups[] = {"op", "memory", "category", NULL};
static const char *const models[] = {"tacho", "1.2.4", "next", NULL};
static const char *const formats[] = {"text", "csv", "json", "markdown", "junit", NULL};
static const char *const metrics[] = {"device-time", "total", "gap", NULL};
static const char *const replays[] = {"each", "mean", "last", NULL};

#define HIDDEN(kind, l, n, a, s, f, h)                                               \
	{                                                                            \
		.type = (kind), .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.offset = offsetof(s, f), .hidden = true                             \
	}

/* Existing scripts abbreviate older options: these options do not make them ambiguous. */
#define YIELDS(kind, n, a, s, f, c, h)                                                \
	{                                                                             \
		.type = (kind), .name = (n), .arg = (a), .help = (h), .yields = true, \
		.offset = offsetof(s, f), .choices = (c)                              \
	}

static const struct opt opts[] = {
	OPT_STR(0, "signpost", "NAME", struct conf, signpost,
		"report the last region that signpost NAME begins (default: the last region of all)"),
	YIELDS(OPT_T_FLAG, "list-signposts", NULL, struct conf, list_signposts, NULL,
	       "print all regions between signposts with their ops and times, and exit"),
	OPT_STR(0, "start-signpost", "NAME", struct conf, start_signpost,
		"report only ops after the first signpost NAME"),
	OPT_STR(0, "end-signpost", "NAME", struct conf, end_signpost,
		"report only ops before the first signpost NAME, the second if it is the start too"),
	OPT_FLAG(0, "ignore-signposts", struct conf, ignore_signposts,
		 "report the whole file (default: the last region between signposts)"),
	OPT_FLAG(0, "print-signposts", struct conf, print_signposts,
		 "show signposts as lines of the table"),
	OPT_STR(0, "id-range", "A-B", struct conf, id_range,
		"report only the ops with these IDs; A- and -B work too"),
	OPT_DOUBLE(0, "min-percentage", "P", struct conf, min_percentage,
		   "hide ops below P percent of the total time in the table (default 0.5)"),
	YIELDS(OPT_T_INT, "top", "N", struct conf, top, NULL,
	       "show only the N ops with the most time and gap, the longest first"),
	YIELDS(OPT_T_ENUM, "replays", NULL, struct conf, replays, replays,
	       "show each replay of a replayed trace, their mean with its spread, or the last"),
	YIELDS(OPT_T_FLAG, "count-warm-ups", NULL, struct conf, count_warm_ups, NULL,
	       "count ops that were compiled and later run again from the cache"),
	YIELDS(OPT_T_INT, "process", "PID", struct conf, process, NULL,
	       "trace only: the ops of this process (default: all, or of several that used the same "
	       "device the one that used it most)"),
	OPT_FLAG(0, "no-host-ops", struct conf, no_host_ops, "omit ops that ran on the host"),
	OPT_FLAG(0, "no-merge-devices", struct conf, no_merge_devices,
		 "keep the rows of each device instead of one for all"),
	OPT_FLAG(0, "tracing-mode", struct conf, tracing_mode,
		 "keep the order of the file instead of that of the host's clock"),
	OPT_STR(0, "arch", "NAME", struct conf, arch,
		"set the architecture if the file does not name it: wormhole, blackhole, p100, bh20, n1"),
	YIELDS(OPT_T_ENUM, "model", NULL, struct conf, model, models,
	       "use the rules of tt-perf-report 1.2.4 to the last bit, of its next version, or, by "
	       "default, of 1.2.4 with its errors corrected"),
	YIELDS(OPT_T_STR, "active-experts", "K", struct conf, active_experts, NULL,
	       "set the experts that a sparse matmul computes if the file does not"),
	OPT_FLAG(0, "no-advice", struct conf, no_advice, "omit the advice"),
	OPT_FLAG(0, "no-summary", struct conf, no_summary,
		 "omit the stacked report and the summary"),
	OPT_ENUM(0, "group-by", struct conf, group_by, groups,
		 "group the stacked report by this (memory: op and memory of input 0)"),
	OPT_STR(0, "csv", "FILE", struct conf, csv,
		"write the op table to FILE instead of printing it, and the stacked report next to it"),
	OPT_FLAG(0, "raw-op-codes", struct conf, raw_op_codes,
		 "with --csv: add a last column with the names as in the input"),
	OPT_STR(0, "summary-file", "BASE", struct conf, summary_file,
		"write the stacked report to BASE.csv, BASE.svg and BASE.png"),
	YIELDS(OPT_T_STR, "html", "FILE", struct conf, html, NULL,
	       "write FILE, a page with the table, charts and advice that needs no network"),
	OPT_FLAG(0, "classic-colors", struct conf, classic_colors,
		 "use a colour per op in pictures instead of shades by category"),
	OPT_ENUM(0, "format", struct conf, format, formats,
		 "choose the format of standard output; markdown and junit need --diff"),
	OPT_STR(0, "why", "ID", struct conf, why,
		"explain one op: its figures, and how its bound is computed"),
	OPT_FLAG(0, "diff", struct conf, diff,
		 "compare two files, or two halves of several: show what got slower or faster"),
	YIELDS(OPT_T_STR, "fail-above", "P%", struct conf, fail_above, NULL,
	       "with --diff: exit with 1 if something got slower by more than P percent, and than "
	       "the noise of several runs"),
	YIELDS(OPT_T_ENUM, "metric", NULL, struct conf, metric, metrics,
	       "with --diff: compare this (default device-time)"),
	YIELDS(OPT_T_INT, "before", "N", struct conf, before, NULL,
	       "with --diff: take the first N files as the runs before, the rest as those after "
	       "(default half)"),
	YIELDS(OPT_T_FLAG, "no-pager", NULL, struct conf, no_pager, NULL,
	       "do not page text on a terminal"),
	OPT_FLAG('f', "force", struct conf, force, "replace files that are not older reports"),
	HIDDEN(OPT_T_FLAG, 0, "no-color", NULL, struct conf, no_color, ""),
	HIDDEN(OPT_T_FLAG, 0, "no-stacked-report", NULL, struct conf, no_stacked_report, ""),
	HIDDEN(OPT_T_FLAG, 0, "no-stack-by-in0", NULL, struct conf, no_stack_by_in0, ""),
	HIDDEN(OPT_T_STR, 0, "stacked-csv", "BASE", struct conf, stacked_csv, ""),
	OPT_END,
};

static void cmd_perf_report_init(void *arg)
{
	struct conf *c = arg;

	c->min_percentage = 0.5;
	c->group_by = GROUP_MEMORY;
}

/* One run of the verb. */
struct job {
	const struct conf *c;
	const struct cmd_common *common;
	struct perf_options options;
	struct perf_style style;
	struct perf_notes notes;
	struct perf_input in;
	struct perf_report report;
	struct perf_trace trace; /* the input, if it is a trace */
	struct perf_gaps gaps;
	struct perf_view view;
	struct perf_hidden hidden;
	struct perf_stacked stacked;
	bool has_stacked;
	bool failed; /* a diff that is worse than allowed */
	char *base;  /* base of the stacked files, or NULL */
	char *const *paths;
	size_t n;
	struct tacho_error err;
};

static int read_options(struct job *j)
{
	const struct conf *c = j->c;
	char *end = "";

	j->options = (struct perf_options){
		.model = (enum perf_model)c->model,
		.start_signpost = c->start_signpost,
		.end_signpost = c->end_signpost,
		.signpost = c->signpost,
		.replays = (enum perf_replays)c->replays,
		.count_warm_ups = c->count_warm_ups,
		.count_ids = c->model == PERF_MODEL_TACHO,
		.ignore_signposts = c->ignore_signposts,
		.print_signposts = c->print_signposts,
		.min_percentage = c->min_percentage,
		.arch = c->arch && *c->arch ? c->arch : NULL,
		.tracing_mode = c->tracing_mode,
		.no_host_ops = c->no_host_ops,
		.no_merge_devices = c->no_merge_devices,
	};
	if (c->active_experts)
		j->options.active_experts = strtoll(c->active_experts, &end, 10);
	if (c->active_experts && (*end || j->options.active_experts <= 0))
		return err_set(&j->err, TACHO_EUSAGE,
			       "--active-experts: '%s' is not a number above 0", c->active_experts);
	if (c->id_range)
		return perf_range_parse(c->id_range, &j->options, &j->err);
	return 0;
}

/* Notes on how the input was read belong to a text report; other outputs omit them. */
static void print_notes(const struct job *j)
{
	bool beside = j->c->format != FORMAT_TEXT || (j->c->csv && !strcmp(j->c->csv, "-"));
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < j->notes.n && !j->common->quiet; i++) {
		const struct perf_note *note = &j->notes.v[i];

		if (note->level == NOTE_WARNING) {
			err_warn("%s", note->text);
			continue;
		}
		if (beside)
			continue;
		buf_reset(&line);
		term_add_safe(&line, note->text, strlen(note->text));
		printf(j->style.color ? "\x1b[38;5;14m%s\x1b[0m\n" : "%s\n", line.data);
	}
	buf_free(&line);
}

/* Only the warnings. */
static void print_warnings(const struct job *j)
{
	for (size_t i = 0; i < j->notes.n && !j->common->quiet; i++)
		if (j->notes.v[i].level == NOTE_WARNING)
			err_warn("%s", j->notes.v[i].text);
}

/* Reports of an earlier run are replaced without asking; anything else needs -f. */
static bool older_report(const char *path)
{
	static const char *const starts[] = {"ID,Total %,Bound,", "Total % [%],Op Code,",
					     PERF_SVG_START, PERF_HTML_START};
	char head[PERF_PNG_HEAD + 64] = "";
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return false;
	n = fread(head, 1, sizeof(head) - 1, file);
	fclose(file);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(head, starts[i], strlen(starts[i])))
			return true;
	return n == 0 || perf_png_ours(head, n);
}

static int open_file(struct job *j, struct output *out, const char *path)
{
	return output_open(out, path, j->c->force || older_report(path), &j->err);
}

static int write_csv(struct job *j, const char *path)
{
	struct perf_csv_options o = {j->c->no_advice, j->c->raw_op_codes};
	struct output out;
	int r = open_file(j, &out, path);

	if (r < 0)
		return r;
	r = perf_csv_write(&j->report, &j->view, &o, out.file);
	if (r < 0) {
		output_abandon(&out);
		return err_errno(&j->err, r, "cannot write %s", path);
	}
	return output_close(&out, &j->err);
}

enum { STACKED_CSV, STACKED_SVG, STACKED_PNG, STACKED_FILES };

static int write_stacked_file(struct job *j, const char *path, int kind)
{
	struct output out;
	struct buf text = BUF_INIT;
	int r = open_file(j, &out, path);

	if (r < 0)
		return r;
	if (kind == STACKED_CSV)
		perf_stacked_csv(&j->stacked, j->options.model == PERF_MODEL_NEXT, &text);
	else if (kind == STACKED_SVG)
		r = perf_picture_svg(&j->stacked, j->c->classic_colors, &text);
	else
		r = perf_picture_png(&j->stacked, j->c->classic_colors, &text);
	if (r == 0)
		r = perf_flush(&text, out.file);
	buf_free(&text);
	if (r < 0) {
		output_abandon(&out);
		return err_errno(&j->err, r, "cannot write %s", path);
	}
	return output_close(&out, &j->err);
}

static int perf_report_stacked_write(struct job *j, const char *base)
{
	static const char *const endings[STACKED_FILES] = {"csv", "svg", "png"};
	int r = 0;

	for (int i = 0; i < STACKED_FILES && r == 0; i++) {
		char *path;

		if (asprintf(&path, "%s.%s", base, endings[i]) < 0)
			return err_set(&j->err, TACHO_ENOMEM, "out of memory");
		r = write_stacked_file(j, path, i);
		free(path);
	}
	return r;
}

/* "dir/a.b.csv" gives "dir/a.b_stacked". */
static char *stacked_base(const char *csv)
{
	const char *name = strrchr(csv, '/'), *dot;
	char *base;

	name = name ? name + 1 : csv;
	dot = strrchr(name, '.');
	if (dot && strspn(name, ".") >= (size_t)(dot - name) + 1)
		dot = NULL;
	if (asprintf(&base, "%.*s_stacked", (int)(dot ? dot - csv : (long)strlen(csv)), csv) < 0)
		return NULL;
	return base;
}

/*
 * Where the stacked report goes: the requested path, or next to the CSV of the ops. NULL: nowhere.
 */
static int choose_base(struct job *j)
{
	const char *given = j->c->summary_file ? j->c->summary_file : j->c->stacked_csv;
	bool beside = j->c->csv && strcmp(j->c->csv, "-");

	if (!j->has_stacked || j->stacked.n == 0 || (!given && !beside))
		return 0;
	j->base = given ? strdup(given) : stacked_base(j->c->csv);
	return j->base ? 0 : err_set(&j->err, TACHO_ENOMEM, "out of memory");
}

static int write_html(struct job *j, const char *path)
{
	struct perf_stacked stacked = {0};
	struct output out;
	int r = perf_stacked_make(&stacked, &j->report, GROUP_OP, &j->notes);

	if (r == 0)
		r = open_file(j, &out, path);
	if (r == 0) {
		r = perf_html_write(&j->report, &stacked, &j->notes, out.file);
		if (r < 0) {
			output_abandon(&out);
			err_errno(&j->err, r, "cannot write %s", path);
		} else {
			r = output_close(&out, &j->err);
		}
	}
	perf_stacked_free(&stacked);
	if (r == 0 && !j->common->quiet && strcmp(path, "-"))
		err_note("wrote %s", path);
	return r;
}

static int write_files(struct job *j)
{
	int r = j->c->csv ? write_csv(j, j->c->csv) : 0;

	if (r == 0 && j->c->html)
		r = write_html(j, j->c->html);
	if (r == 0 && j->base)
		r = perf_report_stacked_write(j, j->base);
	if (r < 0 || j->common->quiet || j->c->format != FORMAT_TEXT || !j->c->csv ||
	    !strcmp(j->c->csv, "-"))
		return r;
	printf("Wrote %s\n", j->c->csv);
	if (j->base)
		printf("Wrote %s.csv, %s.svg and %s.png\n", j->base, j->base, j->base);
	return 0;
}

static int write_standard(struct job *j)
{
	struct perf_text_options text = {.style = j->style,
					 .no_advice = j->c->no_advice,
					 .no_summary = !j->has_stacked,
					 .hidden = &j->hidden,
					 .stacked_base = j->base};
	struct perf_csv_options csv = {j->c->no_advice, j->c->raw_op_codes};
	/* Text is coloured and escaped where it is produced. */
	FILE *out = term_guard(stdout);
	int r = 0;

	if (j->c->format == FORMAT_JSON)
		r = perf_json_write(&j->report, &j->view, j->has_stacked ? &j->stacked : NULL,
				    &j->notes, out);
	else if (j->c->format == FORMAT_CSV && !j->c->csv)
		r = perf_csv_write(&j->report, &j->view, &csv, out);
	else if (!j->c->csv)
		r = perf_text_write(&j->report, &j->view, j->has_stacked ? &j->stacked : NULL,
				    &text, stdout);
	term_unguard(out, stdout);
	if (r < 0)
		return err_errno(&j->err, r, "cannot write the report");
	return 0;
}

static const struct perf_op *perf_report_op_find(struct job *j, int *r)
{
	const char *text = j->c->why;
	char *end;
	long long id = strtoll(text, &end, 10);

	*r = 0;
	if (end == text || *end) {
		*r = err_set(&j->err, TACHO_EUSAGE, "--why: '%s' is not an ID", text);
		return NULL;
	}
	for (size_t i = 0; i < j->report.ops.n && id > 0; i++)
		if (perf_op_id(&j->report.ops.v[i]) == id)
			return &j->report.ops.v[i];
	*r = err_set(
		&j->err, TACHO_EUSAGE,
		"--why: no op with ID %lld in this part; --ignore-signposts takes the whole file",
		id);
	return NULL;
}

/* CSV files, or one trace. */
static int read_input(struct job *j)
{
	if (j->n != 1 || !perf_trace_is(j->paths[0]))
		return perf_input_read(&j->in, j->paths, j->n, &j->notes, &j->err);
	return perf_trace_open(&j->trace, j->paths[0], j->c->process, &j->in, &j->notes, &j->err);
}

static int explain_gaps(struct job *j)
{
	int r;

	if (!j->trace.trace)
		return 0;
	r = perf_gaps_explain(&j->gaps, &j->report, j->trace.trace, j->trace.process, &j->err);
	j->report.gaps = &j->gaps;
	return r;
}

static int run_list(struct job *j)
{
	int r = read_input(j);

	if (r < 0)
		return r;
	print_warnings(j);
	r = perf_regions_write(&j->in, &j->options, j->c->format == FORMAT_JSON, j->style, stdout);
	return r < 0 ? err_errno(&j->err, r, "cannot write the list") : 0;
}

static int run_report(struct job *j)
{
	const struct conf *c = j->c;
	int r = read_input(j);
	bool table;

	if (r == 0)
		r = perf_report_make(&j->report, &j->in, &j->options, &j->notes, &j->err);
	if (r == 0)
		r = explain_gaps(j);
	if (r < 0)
		return r;
	/* Small ops are hidden in text, not in formats for programs. */
	table = j->c->format == FORMAT_TEXT && !j->c->csv && !j->c->top;
	r = perf_view_make(&j->view, &j->report, j->c->top);
	if (r == 0 && table && j->options.model == PERF_MODEL_TACHO && j->c->min_percentage > 0)
		r = perf_view_hide(&j->view, &j->report, &j->hidden);
	if (r < 0)
		return err_set(&j->err, TACHO_ENOMEM, "out of memory");
	j->has_stacked = !c->no_summary && !c->no_stacked_report;
	if (j->has_stacked &&
	    perf_stacked_make(&j->stacked, &j->report, (enum perf_group)c->group_by, &j->notes) < 0)
		return err_set(&j->err, TACHO_ENOMEM, "out of memory");
	r = choose_base(j);
	if (r < 0)
		return r;
	print_notes(j);
	if (c->why) {
		const struct perf_op *op = perf_report_op_find(j, &r);

		if (!op)
			return r;
		if (j->c->format == FORMAT_JSON) {
			j->view.n = 0;
			if (vec_push(&j->view, (uint32_t)(op - j->report.ops.v)) < 0)
				return err_set(&j->err, TACHO_ENOMEM, "out of memory");
			return write_standard(j);
		}
		return perf_why_write(&j->report, op, j->paths, j->n, j->style, stdout, &j->err);
	}
	r = write_standard(j);
	return r < 0 ? r : write_files(j);
}

/* One run of a side of a diff. */
struct diff_run {
	struct perf_trace trace;
	struct perf_input in;
	struct perf_report report;
};

static int read_run(struct job *j, struct diff_run *run, char *const *path)
{
	int r;

	run->in = (struct perf_input)PERF_INPUT_INIT;
	if (perf_trace_is(*path))
		r = perf_trace_open(&run->trace, *path, j->c->process, &run->in, &j->notes,
				    &j->err);
	else
		r = perf_input_read(&run->in, path, 1, &j->notes, &j->err);
	if (r == 0)
		r = perf_report_make(&run->report, &run->in, &j->options, &j->notes, &j->err);
	j->in.damaged |= run->in.damaged;
	return r;
}

/* "3%" or "3" */
static int read_limit(struct job *j, double *limit)
{
	const char *text = j->c->fail_above;
	char *end;

	*limit = -1;
	if (!text)
		return 0;
	*limit = strtod(text, &end);
	if (end == text || strcmp(*end == '%' ? end + 1 : end, "") || !(*limit >= 0))
		return err_set(&j->err, TACHO_EUSAGE,
			       "--fail-above: '%s' is not a percentage such as 3%%", text);
	return 0;
}

static int write_diff(struct job *j, struct perf_diff *d)
{
	static const enum perf_diff_format kinds[] = {[FORMAT_TEXT] = DIFF_TEXT,
						      [FORMAT_CSV] = DIFF_TEXT,
						      [FORMAT_JSON] = DIFF_JSON,
						      [FORMAT_MARKDOWN] = DIFF_MARKDOWN,
						      [FORMAT_JUNIT] = DIFF_JUNIT};
	int r = perf_diff_make(d, j->c->min_percentage);

	if (r < 0)
		return err_set(&j->err, r, "out of memory");
	r = perf_diff_write(d, kinds[j->c->format], j->c->top, j->style, stdout);
	return r < 0 ? err_errno(&j->err, r, "cannot write the diff") : 0;
}

/* Warns if the runs were not cut at the same signposts. */
static void warn_regions(const struct job *j, const struct diff_run *runs)
{
	const char *first = runs[0].report.region.name;

	for (size_t i = 1; i < j->n && !j->common->quiet; i++) {
		const char *name = runs[i].report.region.name;

		if (first == name || (first && name && !strcmp(first, name)))
			continue;
		err_warn(
			"%s: from signpost '%s', but %s: from signpost '%s': these may be different "
			"parts of the program; --signpost chooses one of both files",
			j->paths[0], first ? first : "(none)", j->paths[i], name ? name : "(none)");
		return;
	}
}

static int run_diff(struct job *j)
{
	size_t before = j->c->before > 0 ? (size_t)j->c->before : j->n / 2;
	struct diff_run *runs = calloc(j->n, sizeof(*runs));
	const struct perf_report **reports = calloc(j->n, sizeof(*reports));
	struct perf_diff d = {.reports = reports,
			      .n = {before, j->n - before},
			      .metric = (enum perf_metric)j->c->metric};
	int r = runs && reports ? read_limit(j, &d.limit)
				: err_set(&j->err, TACHO_ENOMEM, "out of memory");

	for (size_t i = 0; i < j->n && r == 0; i++) {
		r = read_run(j, &runs[i], j->paths + i);
		reports[i] = &runs[i].report;
	}
	if (r == 0) {
		print_warnings(j);
		warn_regions(j, runs);
		r = write_diff(j, &d);
	}
	j->failed = r == 0 && d.failed;
	perf_diff_free(&d);
	for (size_t i = 0; runs && i < j->n; i++) {
		perf_report_free(&runs[i].report);
		perf_input_free(&runs[i].in);
		perf_trace_free(&runs[i].trace);
	}
	free(runs);
	free(reports);
	return r;
}

/* Checks options that depend on each other. */
static int check_options(struct job *j)
{
	const struct conf *c = j->c;
	bool of_diff = c->fail_above || c->metric || c->before || c->format >= FORMAT_MARKDOWN;

	if (j->n == 0)
		return err_set(&j->err, TACHO_EUSAGE, "no CSV file given; see --help");
	if (of_diff && !c->diff)
		return err_set(&j->err, TACHO_EUSAGE,
			       "--fail-above, --metric, --before and --format=markdown|junit need "
			       "--diff");
	if (c->diff && !c->before && (j->n < 2 || j->n % 2))
		return err_set(&j->err, TACHO_EUSAGE,
			       "--diff takes two files, the earlier one first, or as many runs "
			       "before as after (--before N: the first N)");
	if (c->diff && c->before && (c->before < 0 || (uint64_t)c->before >= j->n))
		return err_set(&j->err, TACHO_EUSAGE, "--before: no file is left for after");
	return 0;
}

static int run_job(struct job *j)
{
	const struct conf *c = j->c;
	bool text = c->format == FORMAT_TEXT && !c->csv && !c->no_pager;
	pid_t pager = text ? pager_start() : 0;
	int r = c->list_signposts ? run_list(j) : c->diff ? run_diff(j) : run_report(j);

	pager_end(pager);
	return r;
}

static int cmd_perf_report_run(void *arg, const struct cmd_common *common, int argc, char **argv)
{
	const struct conf *c = arg;
	struct job j = {
		.c = c, .common = common, .in = PERF_INPUT_INIT, .paths = argv, .n = (size_t)argc};
	struct rank_paths paths = {0};
	int r;

	j.style.color = !c->no_color && term_use_color(common->color, stdout);
	if (c->model == PERF_MODEL_TACHO)
		j.style.columns = term_columns(stdout);
	j.style.safe = isatty(STDOUT_FILENO) || c->model == PERF_MODEL_NEXT;
	r = read_options(&j);
	/* Release 1.2.4 takes no folders. */
	for (int i = 0; i < argc && r == 0 && c->model != PERF_MODEL_1_2_4; i++)
		if (ranks_reports(argv[i], &paths) < 0)
			r = err_set(&j.err, TACHO_ENOMEM, "out of memory");
	if (paths.n) {
		j.paths = paths.v;
		j.n = paths.n;
	}
	if (r == 0)
		r = check_options(&j);
	if (r == 0)
		r = run_job(&j);
	if (r < 0)
		r = err_report(&j.err, r);
	else if (j.failed)
		r = EXIT_FAILURE; /* --fail-above */
	else if (j.in.damaged || j.report.unusable)
		r = err_exit_code(TACHO_EDAMAGED);
	free(j.base);
	ranks_free(&paths);
	perf_stacked_free(&j.stacked);
	vec_free(&j.view);
	perf_report_free(&j.report);
	perf_gaps_free(&j.gaps);
	perf_trace_free(&j.trace);
	perf_input_free(&j.in);
	perf_notes_free(&j.notes);
	return r;
}

const struct cmd cmd_perf_report = {
	.name = "perf-report",
	.aliases = {"tt-perf-report"},
	.summary = "show which ops are slow, why, and what to change",
	.usage = "[options] CSV|TRACE|FOLDER...",
	.description =
		"Reads the CSV of an ops report, or a trace, and prints a summary on one screen; one "
		"line per op with its time, the gap before it, and how near it comes to the peaks of "
		"the DRAM and of the arithmetic; advice; and a table by op. Of a trace it also says "
		"what the host did while the device waited. Of a folder it takes the newest report, or "
		"that of each rank if it has folders rank0, rank1 and so on.\n"
		"\n"
		"Without an option the report covers the last region between signposts, or the last "
		"signpost with ops after it; --list-signposts shows all. IDs count its ops from 1. "
		"Several files, one of each host, are sorted and cut each on its own; the devices of "
		"later files are numbered after those of earlier ones.\n"
		"\n"
		"Bound says what limits an op: DRAM or FLOP at 65 percent of a peak "
		"and more, BOTH, SLOW when it is neither, HOST for an op on the CPU.\n"
		"\n"
		"A cell that cannot be read blanks the figures that need it and is reported on standard "
		"error; the exit status is then 4.",
	.examples = "tacho perf-report ops.csv\n"
		    "  table, advice, stacked report and summary\n"
		    "tacho perf-report ops.csv --top 20 --no-advice\n"
		    "  the twenty ops that take the most time\n"
		    "tacho perf-report ops.csv --why 42\n"
		    "  everything about the op with ID 42\n"
		    "tacho perf-report --diff before.csv after.csv\n"
		    "  what got slower and what got faster\n"
		    "tacho perf-report --diff a1.csv a2.csv b1.csv b2.csv --fail-above 3%\n"
		    "  exit with 1 if something got slower by more than that, and than the noise\n"
		    "tacho perf-report app.tacho --html report.html\n"
		    "  what the host did in the gaps; a page to pass on\n"
		    "tacho perf-report ops.csv --summary-file sum\n"
		    "  also sum.csv, sum.svg and sum.png\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_perf_report_init,
	.run = cmd_perf_report_run,
};
