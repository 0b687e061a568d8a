/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "db": a database of runs over commits. */
#include "base/fmt.h"
#include "base/order.h"
#include "base/table.h"
#include "cmds/cmds.h"
#include "cmds/database.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const undecided_words[] = {"ok", "fail", NULL};

static const struct opt opts[] = {
	OPT_STR(0, "db", "URL", struct database_conf, db,
		"sqlite:PATH, clickhouse://HOST:PORT/NAME or clickhouses:// with TLS (default: "
		"$TACHO_DB, then 'db' of db.conf, then a file of this user)"),
	OPT_STR('p', "project", "NAME", struct database_conf, project,
		"the project of the run, or of the runs to use"),
	OPT_STR('s', "suite", "NAME", struct database_conf, suite,
		"the suite of the run, or of the runs to use"),
	OPT_LIST(0, "config", "KEY=VALUE", struct database_conf, config,
		 "a setting of the run; runs with other settings are not compared"),
	OPT_STR(0, "branch", "NAME", struct database_conf, branch, "the branch"),
	OPT_STR(0, "commit", "SHA", struct database_conf, commit, "push: the commit"),
	OPT_INT(0, "commit-seq", "N", struct database_conf, commit_seq,
		"push: the position of the commit in the history"),
	OPT_INT(0, "commit-time", "SECONDS", struct database_conf, commit_time,
		"push: the time of the commit, in seconds since 1970"),
	OPT_STR(0, "git", "DIR", struct database_conf, git,
		"push: read commit, branch, time and position from git in DIR"),
	OPT_STR(0, "run", "ID", struct database_conf, run,
		"push: the ID of the job, the same on all its hosts (default: a hash of the content)"),
	OPT_INT(0, "part", "N", struct database_conf, part,
		"push: the rank, if each rank pushes its own part of --run"),
	OPT_STR(0, "host", "NAME", struct database_conf, host,
		"push: the name of the machine (default: the one in the traces)"),
	OPT_FLAG(0, "anonymous-host", struct database_conf, anonymous,
		 "push: do not store the name of the machine"),
	OPT_LIST(0, "label", "KEY=VALUE", struct database_conf, labels, "push: a label of the run"),
	OPT_LIST('m', "metric", "NAME=NUMBER[UNIT]", struct database_conf, metrics,
		 "push: a metric; more is better if its unit ends with /s. regress: select the "
		 "metric NAME"),
	OPT_LIST(
		0, "metrics", "FILE", struct database_conf, metric_files,
		"push: read metrics from a JSON object, or a CSV file with the columns name, value, "
		"unit and better"),
	OPT_FLAG(0, "ops", struct database_conf, ops, "push: store the ops; on by default"),
	OPT_FLAG(0, "zones", struct database_conf, zones,
		 "push, regress: include statistics of the threads' zones"),
	OPT_FLAG(0, "again", struct database_conf, again,
		 "push: replace a run with the same content"),
	OPT_FLAG(0, "dirty", struct database_conf, dirty,
		 "push: mark uncommitted changes. runs, regress: include runs with such changes"),
	OPT_INT('n', "last", "N", struct database_conf, last, "runs: list the last N"),
	OPT_STR(0, "op", "REGEX", struct database_conf, op, "regress: select ops or zones by name"),
	OPT_INT(0, "window", "N", struct database_conf, window,
		"regress: search the last N runs (default: 60)"),
	OPT_DOUBLE(0, "min-effect", "PERCENT", struct database_conf, min_effect,
		   "regress: ignore smaller changes (default: 0.5)"),
	OPT_FLAG(0, "all", struct database_conf, all, "regress: print every change in the history"),
	OPT_LIST(0, "base", "RUNS", struct database_conf, base,
		 "regress: compare with these runs: a branch, commit, run, or commits A..B; may be "
		 "repeated"),
	OPT_LIST(0, "head", "RUNS", struct database_conf, head, "regress: the new runs"),
	OPT_ENUM(0, "undecided", struct database_conf, undecided, undecided_words,
		 "regress: whether series with too few runs fail"),
	OPT_STR(0, "why", "TEXT", struct database_conf, why, "accept: the reason"),
	OPT_STR(0, "who", "TEXT", struct database_conf, who,
		"accept: the name of the person who accepts"),
	OPT_STR(0, "cluster", "NAME", struct database_conf, cluster,
		"init: make tables on this server, and distributed ones over cluster NAME"),
	OPT_FLAG(0, "replicated", struct database_conf, replicated,
		 "init: make replicated tables, with the macros {shard} and {replica}"),
	OPT_TIME(0, "age", "TIME", struct database_conf, age,
		 "gc: remove unfinished pushes that began longer ago (default: a day)"),
	OPT_ENUM(0, "format", struct database_conf, format, table_formats,
		 "choose the format of tables"),
	OPT_END,
};

static void database_defaults(void *conf)
{
	struct database_conf *c = conf;

	c->ops = true;
	c->part = -1;
	c->window = 60;
	c->min_effect = 0.5;
	c->age = INT64_C(86400000000000);
}

static volatile sig_atomic_t stopped;

static void database_stop(int number)
{
	stopped = number;
}

void database_filter(const struct database_call *c, struct db_filter *filter)
{
	const struct database_conf *conf = c->conf;

	*filter = (struct db_filter){.project = conf->project,
				     .suite = conf->suite,
				     .config = c->config,
				     .branch = conf->branch,
				     .dirty = conf->dirty,
				     .last = (size_t)(conf->last > 0 ? conf->last : 0),
				     .op = conf->op,
				     .metric = conf->metrics.n ? conf->metrics.v[0] : NULL,
				     .zones = conf->zones};
}

static struct table_style style_of(const struct database_call *c)
{
	return (struct table_style){.format = (enum table_format)c->conf->format,
				    .color = term_use_color(c->common->color, stdout),
				    .width = term_columns(stdout)};
}

/* -------------------------------------------------------------------- runs */

static const struct table_column run_columns[] = {
	{"run", "run", TABLE_STRING},           {"started_at_ns", NULL, TABLE_ID},
	{NULL, "started", TABLE_STRING},        {"commit", "commit", TABLE_STRING},
	{"commit_seq", "number", TABLE_ID},     {"branch", "branch", TABLE_STRING},
	{"project", "project", TABLE_STRING},   {"suite", "suite", TABLE_STRING},
	{"config", "config", TABLE_STRING},     {"host", "host", TABLE_STRING},
	{"arch", NULL, TABLE_STRING},           {"parts", NULL, TABLE_COUNT},
	{"ranks", "ranks", TABLE_COUNT},        {"rows", "rows", TABLE_COUNT},
	{"device_ns", "device time", TABLE_NS}, {"dirty", NULL, TABLE_ID},
};

static void run_print(struct table *t, const struct db_run *run, bool people)
{
	time_t seconds = (time_t)(run->started_at / 1000000000);
	char text[40] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm);
	table_string(t, run->id, people && strlen(run->id) == 32 ? 12 : strlen(run->id));
	table_int(t, run->started_at);
	table_text(t, text);
	table_string(t, run->sha, people && strlen(run->sha) > 10 ? 10 : strlen(run->sha));
	table_int(t, run->commit_seq);
	table_text(t, run->branch);
	table_text(t, run->project);
	table_text(t, run->suite);
	table_text(t, run->config);
	table_text(t, run->host);
	table_text(t, run->arch);
	table_uint(t, run->parts);
	table_uint(t, run->ranks);
	table_uint(t, run->rows);
	table_real(t, (double)run->device_ns);
	table_uint(t, run->dirty);
}

static int database_runs(struct database_call *c, struct tacho_error *err)
{
	struct table_style style = style_of(c);
	bool people = style.format == TABLE_AS_TEXT || style.format == TABLE_AS_MARKDOWN;
	struct db_runs runs = {0};
	struct db_filter filter;
	struct table t;
	int r, closed;

	if (c->argc)
		return err_set(err, TACHO_EUSAGE, "runs takes only options");
	database_filter(c, &filter);
	r = db_runs_read(c->db, &filter, &runs, err);
	if (r < 0)
		return r;
	table_open(&t, stdout, &style, TABLE_COLUMNS(run_columns));
	for (size_t i = 0; i < runs.n && r == 0; i++) {
		run_print(&t, &runs.v[i], people);
		r = table_row(&t);
	}
	closed = table_close(&t);
	db_runs_free(&runs);
	return r < 0 ? r : closed;
}

/* ------------------------------------------------------------------- query */

struct query_output {
	struct table table;
	struct table_style style;
	struct table_column *columns;
	char **names;
	size_t n;
	bool open;
};

static int query_begin(void *context, const char *const *names, size_t n)
{
	struct query_output *o = context;

	o->columns = calloc(n, sizeof(*o->columns));
	o->names = calloc(n, sizeof(*o->names));
	for (o->n = 0; o->columns && o->names && o->n < n; o->n++) {
		o->names[o->n] = strdup(names[o->n]);
		if (!o->names[o->n])
			return TACHO_ENOMEM;
		o->columns[o->n] =
			(struct table_column){o->names[o->n], o->names[o->n], TABLE_STRING};
	}
	return o->n == n ? 0 : TACHO_ENOMEM;
}

/* The first row decides which columns are numbers. */
static int query_row(void *context, const struct db_value *v, size_t n)
{
	struct query_output *o = context;

	for (size_t i = 0; i < n && !o->open; i++)
		if (v[i].type != DB_STRING && v[i].type != DB_NULL)
			o->columns[i].type = TABLE_NUMBER;
	if (!o->open)
		table_open(&o->table, stdout, &o->style, o->columns, o->n);
	o->open = true;
	for (size_t i = 0; i < n; i++) {
		if (v[i].type == DB_INT)
			table_int(&o->table, (int64_t)v[i].bits);
		else if (v[i].type == DB_UINT)
			table_uint(&o->table, v[i].bits);
		else if (v[i].type == DB_REAL)
			table_real(&o->table, v[i].real);
		else if (v[i].type == DB_STRING)
			table_string(&o->table, v[i].text, v[i].len);
		else
			table_none(&o->table);
	}
	return table_row(&o->table);
}

static int database_query(struct database_call *c, struct tacho_error *err)
{
	struct query_output o = {.style = style_of(c)};
	const struct db_sink sink = {&o, query_begin, query_row};
	int r, closed = 0;

	if (c->argc != 1)
		return err_set(err, TACHO_EUSAGE, "query takes one SQL statement");
	r = db_query(c->db, c->argv[0], &sink, err);
	if (r == 0 && !o.open && o.columns)
		table_open(&o.table, stdout, &o.style, o.columns, o.n);
	if (o.open || (r == 0 && o.columns))
		closed = table_close(&o.table);
	for (size_t i = 0; i < o.n; i++)
		free(o.names[i]);
	free(o.names);
	free(o.columns);
	return r < 0 ? r : closed;
}

/* ------------------------------------------------- init, rm, accept, gc, check */

static int database_init(struct database_call *c, struct tacho_error *err)
{
	const struct db_layout layout = {c->conf->cluster, c->conf->replicated};
	int r;

	if (c->argc)
		return err_set(err, TACHO_EUSAGE, "init takes only options");
	r = db_init(c->db, &layout, err);
	if (r == 0 && !c->common->quiet)
		err_note("%s has all tables", db_name(c->db));
	return r;
}

static int database_check(struct database_call *c, struct tacho_error *err)
{
	(void)err;
	if (!c->common->quiet)
		err_note("%s has all tables of this version", db_name(c->db));
	return 0;
}

static int database_rm(struct database_call *c, struct tacho_error *err)
{
	int r = 0;

	if (!c->argc)
		return err_set(err, TACHO_EUSAGE,
			       "rm takes IDs of runs, as 'runs --format=csv' prints");
	for (int i = 0; i < c->argc && r == 0; i++)
		r = db_remove(c->db, c->argv[i], err);
	return r;
}

/* SERIES@COMMIT, or COMMIT for all series. */
static int database_accept(struct database_call *c, struct tacho_error *err)
{
	const char *at, *sha;
	uint64_t series = 0;
	char *end;

	if (c->argc != 1 || !c->conf->why)
		return err_set(err, TACHO_EUSAGE,
			       "accept takes SERIES@COMMIT or COMMIT, and --why");
	at = strchr(c->argv[0], '@');
	sha = at ? at + 1 : c->argv[0];
	if (at) {
		series = strtoull(c->argv[0], &end, 16);
		if (end != at || at - c->argv[0] != 16)
			return err_set(err, TACHO_EUSAGE,
				       "'%.100s' is not SERIES@COMMIT, as regress prints them",
				       c->argv[0]);
	}
	if (strlen(sha) < 4)
		return err_set(err, TACHO_EUSAGE, "a commit has at least four digits");
	return db_accept(c->db, series, sha, c->conf->why, c->conf->who, err);
}

static int database_gc(struct database_call *c, struct tacho_error *err)
{
	uint64_t pushes = 0;
	int r;

	if (c->argc || c->conf->age < 0)
		return err_set(err, TACHO_EUSAGE, "gc takes only --age");
	r = db_gc(c->db, c->conf->age, &pushes, err);
	if (r == 0 && !c->common->quiet)
		err_note("rows of %llu pushes deleted", (unsigned long long)pushes);
	return r;
}

static const struct {
	const char *name;
	int (*run)(struct database_call *c, struct tacho_error *err);
	bool create, any_schema;
} actions[] = {
	{"push", database_push, true, false},        {"runs", database_runs, false, false},
	{"regress", database_regress, false, false}, {"accept", database_accept, false, false},
	{"query", database_query, false, false},     {"rm", database_rm, false, false},
	{"init", database_init, true, true},         {"check", database_check, false, false},
	{"gc", database_gc, false, false},
};

/* "a=1,b=2", in an order that does not depend on that of the options. NULL: not given. */
static int config_join(const struct opt_list *list, char **config, struct tacho_error *err)
{
	struct buf b = BUF_INIT;

	if (!list->n)
		return 0;
	qsort(list->v, list->n, sizeof(*list->v), order_text);
	for (size_t i = 0; i < list->n; i++) {
		const char *equals = strchr(list->v[i], '=');

		if (list->v[i][0] && (!equals || equals == list->v[i])) {
			buf_free(&b);
			return err_set(err, TACHO_EUSAGE, "--config: '%.100s' is not KEY=VALUE",
				       list->v[i]);
		}
		buf_addf(&b, "%s%s", i ? "," : "", list->v[i]);
	}
	*config = buf_detach(&b);
	return *config ? 0 : err_set(err, TACHO_ENOMEM, "no memory");
}

static int action_run(struct database_call *c, size_t action, struct tacho_error *err)
{
	const struct db_options options = {.url = c->conf->db,
					   .create = actions[action].create,
					   .any_schema = actions[action].any_schema,
					   .stop = &stopped};
	int r = config_join(&c->conf->config, &c->config, err);

	if (r == 0)
		r = db_open(&c->db, &options, err);
	if (r == 0)
		r = actions[action].run(c, err);
	db_close(c->db);
	free(c->config);
	return r;
}

static int database_run(void *verb_conf, const struct cmd_common *common, int argc, char **argv)
{
	struct database_conf *conf = verb_conf;
	struct sigaction action = {.sa_handler = database_stop}, before[2];
	struct database_call call = {.conf = conf, .common = common};
	struct tacho_error err = {0};
	int r = TACHO_EUSAGE;
	size_t i = 0, n = sizeof(actions) / sizeof(actions[0]);

	while (argc && i < n && strcmp(argv[0], actions[i].name))
		i++;
	sigaction(SIGINT, &action, &before[0]);
	sigaction(SIGTERM, &action, &before[1]);
	if (!argc || i == n) {
		err_set(&err, r,
			"db takes an action: push, runs, regress, accept, query, rm, init, "
			"check or gc");
	} else {
		call.argc = argc - 1;
		call.argv = argv + 1;
		r = action_run(&call, i, &err);
	}
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGTERM, &before[1], NULL);
	opt_list_free(&conf->config);
	opt_list_free(&conf->labels);
	opt_list_free(&conf->metrics);
	opt_list_free(&conf->metric_files);
	opt_list_free(&conf->base);
	opt_list_free(&conf->head);
	if (r < 0)
		r = err_report(&err, r);
	return stopped ? 128 + (int)stopped : r;
}

const struct cmd cmd_db = {
	.name = "db",
	.summary = "store runs over commits in a database, and find what became slower",
	.usage = "push|runs|regress|accept|query|rm|init|check|gc [options] [operands]",
	.description =
		"push FILE... stores the ops of traces, reports, or the folder of a job in a database, with "
		"the commit and the run's metadata. A push is visible as a whole or not at all, and "
		"may be repeated: it counts once. runs lists the runs.\n\n"
		"regress searches the history of each op and metric for steps, and exits with 1 if "
		"something became slower and stayed so. With --base and --head it compares two sets "
		"of runs, such as a pull request with its base: at least five of each, run "
		"alternately. accept SERIES@COMMIT or COMMIT makes the new level the base.\n\n"
		"query SQL reads the tables; docs/fleet.md describes them. rm RUN makes a run "
		"invisible, gc deletes the rows of such runs and of pushes that failed. init makes the "
		"tables; in an SQLite file the first push does.\n\n"
		"The account of a ClickHouse server is TACHO_DB_USER, its password in the file "
		"that TACHO_DB_PASSWORD_FILE names, or in TACHO_DB_PASSWORD. Command lines, "
		"environments, paths and messages are not stored.",
	.examples =
		"tacho db push --project llama --suite decode --git . ttrun/\n"
		"  store the ops of all ranks of a job\n"
		"tacho db regress --project llama --suite decode\n"
		"  find what became slower, and at which commit\n"
		"tacho db regress --base main --head fix-gelu --format md\n"
		"  write a comment for a pull request\n"
		"tacho db query 'SELECT name, unit, value FROM metric'\n  answer any other question\n",
	.opts = opts,
	.conf_size = sizeof(struct database_conf),
	.init = database_defaults,
	.run = database_run,
};
