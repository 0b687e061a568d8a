/* SPDX-License-Identifier: Apache-2.0 */
/* "tacho db regress": print what has changed. */
#include "base/fmt.h"
#include "base/table.h"
#include "cmds/cmds.h"
#include "cmds/database.h"
#include "db/regress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct table_column columns[] = {
	{"state", "state", TABLE_STRING},
	{"change_percent", NULL, TABLE_NUMBER},
	{"low_percent", NULL, TABLE_NUMBER},
	{"high_percent", NULL, TABLE_NUMBER},
	{NULL, "change", TABLE_STRING},
	{NULL, "from", TABLE_STRING},
	{NULL, "to", TABLE_STRING},
	{"before", NULL, TABLE_NUMBER},
	{"after", NULL, TABLE_NUMBER},
	{"z", NULL, TABLE_NUMBER},
	{"probability", NULL, TABLE_NUMBER},
	{NULL, "certainty", TABLE_STRING},
	{"commit", "at commit", TABLE_STRING},
	{"last_good_commit", NULL, TABLE_STRING},
	{"commits", "of", TABLE_COUNT},
	{"runs_before", NULL, TABLE_COUNT},
	{"runs_after", NULL, TABLE_COUNT},
	{NULL, "runs", TABLE_STRING},
	{"project", "project", TABLE_STRING},
	{"suite", "suite", TABLE_STRING},
	{"config", "config", TABLE_STRING},
	{"branch", "branch", TABLE_STRING},
	{"kind", NULL, TABLE_STRING},
	{"name", "op", TABLE_STRING},
	{"detail", "arguments", TABLE_STRING},
	{"series", "series", TABLE_STRING},
};

/* The output, while it is made. */
struct printer {
	const struct database_call *call;
	const struct db_runs *runs;
	const struct regress *result;
	bool sets;
	bool people; /* text or Markdown */
};

static void cell_real(struct table *t, double value)
{
	if (isfinite(value))
		table_real(t, value);
	else
		table_none(t);
}

/* A figure of the series in its own unit. */
static void cell_figure(struct table *t, const struct db_series *s, double value)
{
	char text[FMT_FIXED_SIZE + 80];

	if (s->kind != DB_METRIC)
		fmt_ns(text, value);
	else
		snprintf(text, sizeof(text), "%.6g%s%.64s", value, s->detail[0] ? " " : "",
			 s->detail);
	table_text(t, text);
}

/* A commit for people: ten digits of it. */
static void cell_commit(struct table *t, const char *sha, bool people)
{
	size_t len = strlen(sha);

	table_string(t, sha, people && len > 10 ? 10 : len);
}

static void finding_print(struct table *t, const struct regress_finding *f, const struct printer *p)
{
	static const char *const kinds[] = {
		[DB_OP] = "op", [DB_ZONE] = "zone", [DB_METRIC] = "metric"};
	size_t before = p->sets ? p->result->base_runs : f->step.at - f->step.from;
	size_t after = p->sets ? p->result->head_runs : f->step.to - f->step.at;
	const struct db_run *run = &p->runs->v[f->after];
	char text[100];

	table_text(t, regress_states[f->state]);
	cell_real(t, 100 * f->step.change);
	cell_real(t, 100 * f->step.low);
	cell_real(t, 100 * f->step.high);
	snprintf(text, sizeof(text), "%+.1f %% [%.1f, %.1f]", 100 * f->step.change,
		 100 * f->step.low, 100 * f->step.high);
	table_text(t, text);
	cell_figure(t, f->series, f->step.before);
	cell_figure(t, f->series, f->step.after);
	cell_real(t, f->step.before);
	cell_real(t, f->step.after);
	cell_real(t, f->step.z);
	cell_real(t, f->probability);
	if (isnan(f->probability))
		snprintf(text, sizeof(text), "%s %.1f", f->step.fast ? "fast" : "z",
			 fabs(f->step.z));
	else
		snprintf(text, sizeof(text), "p %.1g", f->probability);
	table_text(t, text);
	cell_commit(t, run->sha, p->people);
	cell_commit(t, p->runs->v[f->before].sha, p->people);
	if (f->commits)
		table_int(t, f->commits);
	else
		table_none(t);
	table_uint(t, before);
	table_uint(t, after);
	snprintf(text, sizeof(text), "%zu/%zu", before, after);
	table_text(t, text);
	table_text(t, run->project);
	table_text(t, run->suite);
	table_text(t, run->config);
	table_text(t, run->branch);
	table_text(t, kinds[f->series->kind]);
	table_text(t, f->series->name);
	table_text(t, f->series->kind == DB_METRIC ? "" : f->series->detail);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)f->series->id);
	table_text(t, text);
	if (f->state == REGRESS_WORSE)
		table_color(t, TERM_RED);
	else if (f->state == REGRESS_BETTER)
		table_color(t, TERM_GREEN);
}

/* The summary, in one line. */
static void summary_print(const struct printer *p, FILE *out)
{
	const struct regress *r = p->result;
	char series[FMT_SIZE], undecided[FMT_SIZE];
	size_t worse = r->counts[REGRESS_WORSE], better = r->counts[REGRESS_BETTER];

	fprintf(out, "%zu regression%s, %zu improvement%s", worse, worse == 1 ? "" : "s", better,
		better == 1 ? "" : "s");
	if (r->counts[REGRESS_RECOVERED])
		fprintf(out, ", %zu recovered", r->counts[REGRESS_RECOVERED]);
	fprintf(out, " in %s series of %zu runs", fmt_count(series, r->series), p->runs->n);
	if (p->runs->groups > 1)
		fprintf(out, " of %u projects, suites, configs or branches", p->runs->groups);
	if (p->sets)
		fprintf(out, ", %zu against %zu", r->head_runs, r->base_runs);
	if (r->undecided)
		fprintf(out, "; undecided: %s with too few runs",
			fmt_count(undecided, r->undecided));
	if (p->sets && !isnan(r->visible))
		fprintf(out, "; noise %.1f %%: changes from %.1f %% on are visible", 100 * r->noise,
			100 * r->visible);
	if (p->sets && r->by_chance >= 0.5)
		fprintf(out, "; about %.0f by chance: more runs would show", r->by_chance);
	fputc('\n', out);
}

static int result_print(const struct printer *p)
{
	static const char *const hidden[] = {"commits", "branch", "project",
					     "suite",   "config", NULL};
	static const char *const hidden_sets[] = {"commits", "branch", NULL};
	const struct database_call *c = p->call;
	struct table_style style = {.format = (enum table_format)c->conf->format,
				    .color = term_use_color(c->common->color, stdout),
				    .width = term_columns(stdout),
				    .hidden = p->runs->groups < 2 ? hidden + !p->sets
					      : p->sets           ? hidden_sets
								  : NULL};
	struct table t;
	int r = 0, closed;

	if (style.format == TABLE_AS_MARKDOWN) {
		printf("**Performance: %s.** ",
		       p->result->counts[REGRESS_WORSE] ? "slower" : "fine");
		summary_print(p, stdout);
		putchar('\n');
	}
	if (p->result->n || !p->people) {
		table_open(&t, stdout, &style, TABLE_COLUMNS(columns));
		for (size_t i = 0; i < p->result->n && r == 0; i++) {
			finding_print(&t, &p->result->v[i], p);
			r = table_row(&t);
		}
		closed = table_close(&t);
		r = r < 0 ? r : closed;
	}
	if (style.format == TABLE_AS_TEXT)
		summary_print(p, stdout);
	return r;
}

/* ----------------------------------------------------------------- verdict */

static int sets_select(const struct database_call *c, struct db_runs *runs, bool *base, bool *head,
		       struct tacho_error *err)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < c->conf->base.n && r == 0; i++)
		r = regress_select(runs, c->conf->base.v[i], base, err);
	for (size_t i = 0; i < c->conf->head.n && r == 0; i++)
		r = regress_select(runs, c->conf->head.v[i], head, err);
	for (size_t i = 0; i < runs->n && r == 0; i++)
		if (base[i] && head[i])
			r = err_set(err, TACHO_EUSAGE, "run %s is in --base and in --head",
				    runs->v[i].id);
	/* Only their rows are read. */
	for (size_t i = 0; i < runs->parts.n; i++)
		if (base[runs->parts.v[i].run] || head[runs->parts.v[i].run])
			runs->parts.v[n++] = runs->parts.v[i];
	runs->parts.n = n;
	return r;
}

static int sets_regress(struct database_call *c, const struct db_filter *filter,
			const struct regress_options *options, struct tacho_error *err)
{
	struct db_runs runs = {0};
	struct db_series_list list = {0};
	struct regress result = {0};
	struct db_filter all = *filter;
	bool *base = NULL, *head = NULL;
	int r;

	all.window = 0;
	all.branches = true;
	r = db_runs_read(c->db, &all, &runs, err);
	base = calloc(runs.n + 1, 1);
	head = calloc(runs.n + 1, 1);
	if (r == 0)
		r = base && head ? sets_select(c, &runs, base, head, err) : TACHO_ENOMEM;
	if (r == 0)
		r = db_series_read(c->db, &runs, filter, &list, err);
	if (r == 0)
		r = regress_compare(&result, &runs, &list, base, head, options, err);
	if (r == 0) {
		const struct printer p = {c, &runs, &result, true,
					  c->conf->format == TABLE_AS_TEXT ||
						  c->conf->format == TABLE_AS_MARKDOWN};

		r = result_print(&p);
	}
	if (r == 0 && (result.counts[REGRESS_WORSE] || (c->conf->undecided && result.undecided)))
		r = 1;
	regress_free(&result);
	db_series_free(&list);
	db_runs_free(&runs);
	free(base);
	free(head);
	return r;
}

static int history_regress(struct database_call *c, const struct db_filter *filter,
			   const struct regress_options *options, struct tacho_error *err)
{
	struct db_runs runs = {0};
	struct db_series_list list = {0};
	struct db_accepted_list accepted = {0};
	struct regress result = {0};
	int r = db_runs_read(c->db, filter, &runs, err);

	if (r == 0)
		r = db_series_read(c->db, &runs, filter, &list, err);
	if (r == 0)
		r = db_accepted_read(c->db, &accepted, err);
	if (r == 0)
		r = regress_history(&result, &runs, &list, &accepted, options, err);
	if (r == 0) {
		const struct printer p = {c, &runs, &result, false,
					  c->conf->format == TABLE_AS_TEXT ||
						  c->conf->format == TABLE_AS_MARKDOWN};

		r = result_print(&p);
	}
	if (r == 0 && (result.counts[REGRESS_WORSE] || (c->conf->undecided && result.undecided)))
		r = 1;
	regress_free(&result);
	db_accepted_free(&accepted);
	db_series_free(&list);
	db_runs_free(&runs);
	return r;
}

int database_regress(struct database_call *c, struct tacho_error *err)
{
	const struct database_conf *conf = c->conf;
	struct regress_options options = {conf->min_effect / 100, conf->all};
	struct db_filter filter;

	if (c->argc)
		return err_set(err, TACHO_EUSAGE, "regress takes options only; --op chooses ops");
	if (!!conf->base.n != !!conf->head.n)
		return err_set(err, TACHO_EUSAGE, "--base and --head belong together");
	if (!(conf->min_effect > 0) || conf->min_effect > 1000 || conf->window < 15)
		return err_set(err, TACHO_EUSAGE,
			       "--min-effect is a percentage, --window at least 15 runs");
	database_filter(c, &filter);
	filter.last = 0;
	filter.window = conf->all ? 0 : (size_t)conf->window;
	return conf->base.n ? sets_regress(c, &filter, &options, err)
			    : history_regress(c, &filter, &options, err);
}
