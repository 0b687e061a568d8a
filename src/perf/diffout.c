/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a diff: text for people, JSON, Markdown for a comment on a change, JUnit for CI. */
#include "base/fmt.h"
#include "base/json.h"
#include "perf/diff.h"

#include <math.h>
#include <string.h>

#define DEFAULT 20 /* lines of each list */

static const char *const side_names[SIDES] = {"before", "after"};
static const char *const metric_titles[METRICS] = {"device time", "total", "gaps"};

struct writer {
	const struct perf_diff *d;
	struct perf_style style;
	int64_t top;
	struct buf *out;
};

static void diffout_number_add(struct buf *out, double value, int width)
{
	char text[FMT_FIXED_SIZE];

	fmt_fixed(text, value, 1);
	buf_addf(out, "%*s", width, text);
}

static void percent_add(struct buf *out, double percent)
{
	if (isnan(percent) || isinf(percent))
		buf_adds(out, "         -");
	else
		buf_addf(out, " %+7.1f %%", percent);
}

static void label_add(struct writer *w, const char *label)
{
	if (w->style.safe)
		term_add_safe(w->out, label, strlen(label));
	else
		buf_adds(w->out, label);
}

static void change_add(struct writer *w, double change)
{
	enum term_color color = !w->style.color ? TERM_NONE : change > 0 ? TERM_RED : TERM_GREEN;
	struct buf number = BUF_INIT;

	diffout_number_add(&number, change, 13);
	term_add(w->out, color, number.data, number.len);
	buf_free(&number);
}

/* Device time first: gaps are the host's, and the noisiest. */
static void headline_text(struct writer *w)
{
	static const enum perf_metric order[METRICS] = {METRIC_TIME, METRIC_GAP, METRIC_TOTAL};
	const struct perf_change *c = &w->d->whole;

	buf_addf(w->out, "%-12s%15s%15s%15s%10s\n", "us", "before", "after", "change", "");
	for (int i = 0; i < METRICS; i++) {
		enum perf_metric m = order[i];

		buf_addf(w->out, "%-12s", metric_titles[m]);
		diffout_number_add(w->out, c->runs[m][BEFORE].mean, 15);
		diffout_number_add(w->out, c->runs[m][AFTER].mean, 15);
		buf_adds(w->out, "  ");
		change_add(w, perf_change_of(c, m));
		percent_add(w->out, perf_change_percent(c, m));
		if (c->runs[m][BEFORE].n + c->runs[m][AFTER].n > 2)
			buf_adds(w->out, perf_change_clear(c, m) ? "  beyond the noise"
								 : "  within the noise");
		buf_addc(w->out, '\n');
	}
	buf_addf(w->out, "%-12s%15llu%15llu\n", "ops", (unsigned long long)c->ops[BEFORE],
		 (unsigned long long)c->ops[AFTER]);
	if (w->d->n[BEFORE] > 1 || w->d->n[AFTER] > 1)
		buf_addf(w->out, "%-12s%15zu%15zu\n", "runs", w->d->n[BEFORE], w->d->n[AFTER]);
}

static void heading_text(struct writer *w, const char *title, bool ids)
{
	buf_addf(w->out, "\n%s\n", title);
	buf_addf(w->out, "%13s %9s%15s%15s%13s%13s%8s%8s  %s\n", "change us", "", "before us",
		 "after us", "of time", "of gaps", ids ? "ID" : "ops", ids ? "ID" : "ops", "op");
}

static uint32_t pair_id(const struct perf_diff *d, const struct perf_pair *p, int side)
{
	const struct perf_report *r = d->reports[side == BEFORE ? 0 : d->n[BEFORE]];

	return p->op[side] == UINT32_MAX ? 0 : perf_op_id(&r->ops.v[p->op[side]]);
}

static double pair_value(const struct perf_diff *d, const struct perf_pair *p, int side)
{
	return d->metric == METRIC_TIME  ? p->time[side]
	       : d->metric == METRIC_GAP ? p->gap[side]
					 : p->time[side] + p->gap[side];
}

static void pair_text(struct writer *w, const struct perf_pair *p)
{
	double before = pair_value(w->d, p, BEFORE);

	change_add(w, perf_pair_change(p, w->d->metric));
	percent_add(w->out, before > 0 ? perf_pair_change(p, w->d->metric) / before * 100 : NAN);
	diffout_number_add(w->out, before, 15);
	diffout_number_add(w->out, pair_value(w->d, p, AFTER), 15);
	diffout_number_add(w->out, p->time[AFTER] - p->time[BEFORE], 13);
	diffout_number_add(w->out, p->gap[AFTER] - p->gap[BEFORE], 13);
	for (int s = 0; s < SIDES; s++) {
		if (pair_id(w->d, p, s))
			buf_addf(w->out, "%8u", pair_id(w->d, p, s));
		else
			buf_addf(w->out, "%8s", "-");
	}
	buf_adds(w->out, "  ");
	label_add(w, p->label);
	buf_addc(w->out, '\n');
}

/* The lists are sorted by time lost: slower ones from the front, faster ones from the back. */
static void groups_text(struct writer *w, bool slower)
{
	int64_t shown = 0;

	for (size_t i = 0; i < w->d->groups.n && shown < w->top; i++) {
		const struct perf_change *c = &w->d->groups.v[slower ? i : w->d->groups.n - 1 - i];
		double change = perf_change_of(c, w->d->metric);
		enum perf_metric m;

		if (slower ? change <= 0 : change >= 0)
			break;
		if (shown++ == 0)
			heading_text(w, slower ? "Slower, by op" : "Faster, by op", false);
		m = w->d->metric;
		change_add(w, perf_change_of(c, m));
		percent_add(w->out, perf_change_percent(c, m));
		diffout_number_add(w->out, c->runs[m][BEFORE].mean, 15);
		diffout_number_add(w->out, c->runs[m][AFTER].mean, 15);
		diffout_number_add(w->out, perf_change_of(c, METRIC_TIME), 13);
		diffout_number_add(w->out, perf_change_of(c, METRIC_GAP), 13);
		buf_addf(w->out, "%8llu%8llu  ", (unsigned long long)c->ops[BEFORE],
			 (unsigned long long)c->ops[AFTER]);
		label_add(w, c->label);
		buf_adds(w->out, !perf_change_clear(c, m) ? "  (within the noise)\n" : "\n");
	}
}

static void pairs_text(struct writer *w, bool slower)
{
	int64_t shown = 0;

	for (size_t i = 0; i < w->d->pairs.n && shown < w->top; i++) {
		const struct perf_pair *p = &w->d->pairs.v[slower ? i : w->d->pairs.n - 1 - i];
		double change = perf_pair_change(p, w->d->metric);

		if (slower ? change <= 0 : change >= 0)
			break;
		if (shown++ == 0)
			heading_text(w, slower ? "Slower, one by one" : "Faster, one by one", true);
		pair_text(w, p);
	}
}

static void unpaired_text(struct writer *w, int side)
{
	uint64_t n = 0;
	double time = 0;

	for (size_t i = 0; i < w->d->pairs.n; i++) {
		const struct perf_pair *p = &w->d->pairs.v[i];

		if (p->op[!side] != UINT32_MAX || p->op[side] == UINT32_MAX)
			continue;
		n++;
		time += p->time[side] + p->gap[side];
	}
	if (n)
		buf_addf(w->out,
			 "\n%llu op%s only %s (%.1f " MICRO "); listed with '-' as the ID\n",
			 (unsigned long long)n, n > 1 ? "s" : "", side_names[side], time);
}

/* "failed: device time is 4.2 % worse, more than 3 %: Matmul 32 x 32 x 32 ..." */
static void failures_text(struct writer *w)
{
	const struct perf_diff *d = w->d;

	if (d->limit < 0)
		return;
	if (!d->failed) {
		buf_addf(w->out, "\npassed: nothing is worse by more than %g %% (%s)\n", d->limit,
			 metric_titles[d->metric]);
		return;
	}
	buf_addf(w->out, "\nfailed: worse by more than %g %% (%s)\n", d->limit,
		 metric_titles[d->metric]);
	if (d->whole.failed)
		buf_addf(w->out, " %+7.1f %%  all ops together\n",
			 perf_change_percent(&d->whole, d->metric));
	for (size_t i = 0; i < d->groups.n; i++) {
		if (!d->groups.v[i].failed)
			continue;
		buf_addf(w->out, " %+7.1f %%  ", perf_change_percent(&d->groups.v[i], d->metric));
		label_add(w, d->groups.v[i].label);
		buf_addc(w->out, '\n');
	}
}

static void text_write(struct writer *w)
{
	headline_text(w);
	failures_text(w);
	groups_text(w, true);
	groups_text(w, false);
	pairs_text(w, true);
	pairs_text(w, false);
	unpaired_text(w, BEFORE);
	unpaired_text(w, AFTER);
}

/* ---- JSON ---- */

static void change_json(struct json *j, const struct perf_diff *d, const struct perf_change *c)
{
	static const char *const keys[METRICS] = {"device_time", "total", "op_to_op_gap"};

	json_double(j, "change_us", perf_change_of(c, d->metric));
	json_double(j, "change_percent", perf_change_percent(c, d->metric));
	json_bool(j, "beyond_noise", perf_change_clear(c, d->metric));
	json_bool(j, "failed", c->failed);
	for (int s = 0; s < SIDES; s++) {
		json_object(j, side_names[s]);
		json_int(j, "ops", (int64_t)c->ops[s]);
		for (int m = 0; m < METRICS; m++) {
			json_object(j, keys[m]);
			json_int(j, "runs", c->runs[m][s].n);
			json_double(j, "mean_us", c->runs[m][s].mean);
			json_double(j, "least_us", c->runs[m][s].least);
			json_double(j, "most_us", c->runs[m][s].most);
			json_double(j, "deviation_us", c->runs[m][s].deviation);
			json_end(j);
		}
		json_double(j, "device_time_us", c->runs[METRIC_TIME][s].mean);
		json_double(j, "op_to_op_gap_us", c->runs[METRIC_GAP][s].mean);
		json_end(j);
	}
}

static void json_write(struct writer *w)
{
	const struct perf_diff *d = w->d;
	struct json j;

	json_init(&j, w->out);
	json_object(&j, NULL);
	json_text(&j, "report", "tacho perf-report --diff");
	json_text(&j, "metric", perf_metric_name(d->metric));
	if (d->limit >= 0)
		json_double(&j, "fail_above_percent", d->limit);
	else
		json_null(&j, "fail_above_percent");
	change_json(&j, d, &d->whole);
	json_array(&j, "by_op");
	for (size_t i = 0; i < d->groups.n; i++) {
		json_object(&j, NULL);
		json_text(&j, "op_code", d->groups.v[i].label);
		change_json(&j, d, &d->groups.v[i]);
		json_end(&j);
	}
	json_end(&j);
	json_array(&j, "one_by_one");
	for (size_t i = 0; i < d->pairs.n; i++) {
		json_object(&j, NULL);
		json_text(&j, "op_code", d->pairs.v[i].label);
		json_double(&j, "change_us", perf_pair_change(&d->pairs.v[i], d->metric));
		for (int s = 0; s < SIDES; s++) {
			json_object(&j, side_names[s]);
			if (pair_id(d, &d->pairs.v[i], s))
				json_int(&j, "id", pair_id(d, &d->pairs.v[i], s));
			else
				json_null(&j, "id");
			json_double(&j, "device_time_us", d->pairs.v[i].time[s]);
			json_double(&j, "op_to_op_gap_us", d->pairs.v[i].gap[s]);
			json_end(&j);
		}
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

/* ---- Markdown ---- */

static void row_markdown(struct buf *out, const struct perf_change *c, enum perf_metric m)
{
	for (int s = 0; s < SIDES; s++) {
		buf_addc(out, ' ');
		diffout_number_add(out, c->runs[m][s].mean, 0);
		buf_adds(out, " |");
	}
	buf_addc(out, ' ');
	diffout_number_add(out, perf_change_of(c, m), 0);
	buf_adds(out, " |");
	double percent = perf_change_percent(c, m);

	if (isfinite(percent))
		buf_addf(out, " %+.1f %% |", percent);
	else
		buf_adds(out, " |");
}

static void groups_markdown(struct writer *w, bool slower)
{
	const struct perf_diff *d = w->d;
	int64_t shown = 0;

	for (size_t i = 0; i < d->groups.n && shown < w->top; i++) {
		const struct perf_change *c = &d->groups.v[slower ? i : d->groups.n - 1 - i];
		double change = perf_change_of(c, d->metric);

		if (slower ? change <= 0 : change >= 0)
			break;
		if (!perf_change_clear(c, d->metric))
			continue;
		if (shown++ == 0)
			buf_addf(
				w->out,
				"\n#### %s (%s)\n\n| op | before \xce\xbcs | after \xce\xbcs | change "
				"\xce\xbcs | | |\n|---|---:|---:|---:|---:|---|\n",
				slower ? "Slower" : "Faster", metric_titles[d->metric]);
		buf_adds(w->out, "| `");
		for (const char *p = c->label; *p; p++) {
			bool breaks = *p == '|' || *p == '`' || (unsigned char)*p < ' ';

			buf_addc(w->out, breaks ? ' ' : *p);
		}
		buf_addc(w->out, '`');
		buf_adds(w->out, " |");
		row_markdown(w->out, c, d->metric);
		buf_adds(w->out, c->failed ? " failed |\n" : " |\n");
	}
}

static void markdown_write(struct writer *w)
{
	static const enum perf_metric order[METRICS] = {METRIC_TIME, METRIC_GAP, METRIC_TOTAL};
	const struct perf_diff *d = w->d;

	buf_addf(w->out, "### Performance: %s\n\n",
		 d->limit < 0 ? "before and after"
		 : d->failed  ? "failed"
			      : "passed");
	buf_adds(w->out, "| | before \xce\xbcs | after \xce\xbcs | change \xce\xbcs | | |\n"
			 "|---|---:|---:|---:|---:|---|\n");
	for (int i = 0; i < METRICS; i++) {
		buf_addf(w->out, "| %s |", metric_titles[order[i]]);
		row_markdown(w->out, &d->whole, order[i]);
		buf_adds(w->out, d->whole.failed && order[i] == d->metric ? " failed |\n"
				 : perf_change_clear(&d->whole, order[i]) ? " |\n"
									  : " noise |\n");
	}
	if (d->limit >= 0)
		buf_addf(w->out, "\nMore than %g %% worse, and than the noise, fails.\n", d->limit);
	groups_markdown(w, true);
	groups_markdown(w, false);
}

/* ---- JUnit ---- */

static void text_xml(struct buf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '&')
			buf_adds(out, "&amp;");
		else if (c == '<')
			buf_adds(out, "&lt;");
		else if (c == '>')
			buf_adds(out, "&gt;");
		else if (c == '"')
			buf_adds(out, "&quot;");
		else
			buf_addc(out, c < ' ' ? ' ' : *text);
	}
}

static void case_junit(struct writer *w, const char *name, const struct perf_change *c)
{
	const struct perf_runs *runs = c->runs[w->d->metric];

	buf_adds(w->out, "    <testcase classname=\"perf-report\" name=\"");
	text_xml(w->out, name);
	buf_addf(w->out, "\" time=\"%.9f\"", runs[AFTER].mean / 1e6);
	if (!c->failed) {
		buf_adds(w->out, "/>\n");
		return;
	}
	buf_addf(w->out,
		 ">\n      <failure message=\"%s %+.1f %%: %.1f us before, %.1f us after; %g %% is "
		 "allowed\"/>\n    </testcase>\n",
		 metric_titles[w->d->metric], perf_change_percent(c, w->d->metric),
		 runs[BEFORE].mean, runs[AFTER].mean, w->d->limit);
}

static void junit_write(struct writer *w)
{
	const struct perf_diff *d = w->d;

	buf_adds(w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	buf_addf(w->out,
		 "  <testsuite name=\"tacho perf-report\" tests=\"%zu\" failures=\"%zu\">\n",
		 d->groups.n + 1, d->failed);
	case_junit(w, "all ops together", &d->whole);
	for (size_t i = 0; i < d->groups.n; i++)
		case_junit(w, d->groups.v[i].label, &d->groups.v[i]);
	buf_adds(w->out, "  </testsuite>\n</testsuites>\n");
}

int perf_diff_write(const struct perf_diff *d, enum perf_diff_format format, int64_t top,
		    struct perf_style style, FILE *file)
{
	static void (*const writers[])(struct writer *) = {
		[DIFF_TEXT] = text_write,
		[DIFF_JSON] = json_write,
		[DIFF_MARKDOWN] = markdown_write,
		[DIFF_JUNIT] = junit_write,
	};
	struct buf out = BUF_INIT;
	struct writer w = {.d = d, .style = style, .top = top > 0 ? top : DEFAULT, .out = &out};
	int code;

	writers[format](&w);
	code = perf_flush(&out, file);
	buf_free(&out);
	return code;
}
