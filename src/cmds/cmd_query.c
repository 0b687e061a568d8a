/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "query": run SQL on traces and ops reports. */
#include "base/buf.h"
#include "base/fmt.h"
#include "base/table.h"
#include "cmds/cmds.h"
#include "sql/sql.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct conf {
	struct opt_list statements;
	const char *input;
	const char *db;
	bool force, guard;
	int format; /* enum table_format */
	int64_t timeout, memory_mb, limit_rows;
};

static const struct opt opts[] = {
	OPT_LIST('e', "execute", "SQL", struct conf, statements,
		 "run SQL; may be repeated. Without it the last operand is the SQL, or standard "
		 "input"),
	OPT_STR('i', "input", "FILE", struct conf, input, "read the SQL from FILE"),
	OPT_STR(0, "db", "FILE", struct conf, db,
		"write all tables into an SQLite database for other tools"),
	OPT_FLAG('f', "force", struct conf, force, "with --db: replace an existing file"),
	OPT_INT('N', "limit-rows", "N", struct conf, limit_rows,
		"stop each result after N rows, with a note (default: all)"),
	OPT_TIME(0, "timeout", "TIME", struct conf, timeout,
		 "stop after this time: 10s, 500ms (default: none)"),
	OPT_INT(0, "memory-mb", "MB", struct conf, memory_mb,
		"memory that SQLite may use (default: 2048)"),
	OPT_ENUM(0, "format", struct conf, format, table_formats,
		 "choose the format of the rows; md is a Markdown table"),
	OPT_FLAG(0, "guard", struct conf, guard,
		 "csv: put ' before cells that a spreadsheet would take for a formula"),
	OPT_END,
};

static volatile sig_atomic_t stopped;

static void stop_on_signal(int number)
{
	stopped = number;
}

/* ---------------------------------------------------------------- output */

struct result {
	struct table_style style;
	int64_t limit;
	struct table table;
	struct table_column *columns;
	char **names; /* copies: those of a statement end with it */
	size_t n;
	bool open, cut;
	size_t results; /* printed so far */
	bool quiet;
};

static int result_begin(void *context, const char *const *names, size_t n)
{
	struct result *o = context;

	o->columns = calloc(n, sizeof(*o->columns));
	o->names = calloc(n, sizeof(*o->names));
	o->n = n;
	o->open = o->cut = false;
	for (size_t i = 0; i < n && o->columns && o->names; i++) {
		o->names[i] = strdup(names[i]);
		if (!o->names[i])
			return TACHO_ENOMEM;
		o->columns[i] = (struct table_column){o->names[i], o->names[i], TABLE_STRING};
	}
	return o->columns && o->names ? 0 : TACHO_ENOMEM;
}

static void result_open(struct result *o)
{
	if (o->results++ && o->style.format != TABLE_AS_JSON)
		putchar('\n');
	table_open(&o->table, stdout, &o->style, o->columns, o->n);
	o->open = true;
}

static void result_cell(struct result *o, const struct sql_value *v)
{
	char text[FMT_SIZE];
	bool people = o->style.format == TABLE_AS_TEXT || o->style.format == TABLE_AS_MARKDOWN;

	switch (v->type) {
	case SQL_INT:
		table_int(&o->table, v->integer);
		break;
	case SQL_REAL: /* in full */
		if (people && fmt_double(text, v->real))
			table_text(&o->table, text);
		else
			table_real(&o->table, v->real);
		break;
	case SQL_NULL:
		table_none(&o->table);
		break;
	default:
		table_string(&o->table, v->text ? v->text : "", v->len);
	}
}

/* The first row decides which columns are numbers. */
static int result_row(void *context, const struct sql_value *values, size_t n)
{
	struct result *o = context;

	if (!o->open) {
		for (size_t i = 0; i < n; i++)
			if (values[i].type == SQL_INT || values[i].type == SQL_REAL)
				o->columns[i].type = TABLE_NUMBER;
		result_open(o);
	}
	if (o->limit && (int64_t)o->table.rows >= o->limit) {
		o->cut = true;
		return TACHO_ENO; /* ends the statement */
	}
	for (size_t i = 0; i < n; i++)
		result_cell(o, &values[i]);
	return table_row(&o->table);
}

static int result_close(struct result *o)
{
	int r = o->open ? table_close(&o->table) : 0;

	for (size_t i = 0; o->names && i < o->n; i++)
		free(o->names[i]);
	free(o->names);
	free(o->columns);
	o->names = NULL;
	o->columns = NULL;
	o->open = false;
	return r;
}

static int result_end(void *context)
{
	struct result *o = context;

	if (!o->open)
		result_open(o);
	return result_close(o);
}

static void result_note(void *context, const char *text)
{
	if (!((struct result *)context)->quiet)
		err_note("%s", text);
}

/* ------------------------------------------------------------ statements */

/* Returns an exit code. */
static int query_text(struct sql *s, const char *text, struct result *o)
{
	const struct sql_sink sink = {o, result_begin, result_row, result_end, result_note};
	struct tacho_error err = {0};
	int r = sql_run(s, text, &sink, &err);

	if (r < 0)
		result_close(o);
	if (r == TACHO_ENO && o->cut) {
		fflush(stdout);
		if (!o->quiet)
			err_note("stopped after %lld rows", (long long)o->limit);
		return 0;
	}
	if (r < 0 && cmds_stdout_failed())
		return 0; /* cmds_main() reports it */
	if (r == 0)
		return 0;
	fflush(stdout);
	if (!err.text[0])
		err_set(&err, r, "%s", err_text(r));
	return err_report(&err, r);
}

/* A prompt on a terminal; an error there ends no session. */
static int query_terminal(struct sql *s, struct result *o)
{
	struct buf text = BUF_INIT;
	char *line = NULL;
	size_t room = 0;

	err_note("SQL ends with a semicolon; .tables lists the tables, Ctrl-D ends");
	for (;;) {
		fprintf(stderr, text.len ? "   ...> " : "tacho> ");
		if (getline(&line, &room, stdin) < 0)
			break;
		stopped = 0;
		if (!text.len && !strcmp(line, ".tables\n"))
			buf_adds(&text, "SELECT name, type FROM pragma_table_list "
					"WHERE name NOT LIKE 'sqlite%' ORDER BY 1;");
		else
			buf_adds(&text, line);
		if (text.failed || sql_is_complete(text.data)) {
			query_text(s, text.data, o);
			fflush(stdout);
			buf_reset(&text);
		}
	}
	fputc('\n', stderr);
	free(line);
	buf_free(&text);
	return 0;
}

static int read_all(FILE *f, struct buf *text)
{
	char chunk[4096];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && text->len < 1u << 20)
		buf_add(text, chunk, n);
	return ferror(f) || text->failed ? TACHO_EREAD : 0;
}

static int query_file(struct sql *s, const char *path, struct result *o)
{
	FILE *f = path ? fopen(path, "re") : stdin;
	struct buf text = BUF_INIT;
	struct tacho_error err;
	int r = f ? read_all(f, &text) : TACHO_EREAD;

	if (r < 0) {
		err_errno(&err, TACHO_EREAD, "cannot read %s", path ? path : "standard input");
		r = err_report(&err, r);
	} else {
		r = query_text(s, text.data, o);
	}
	if (f && f != stdin)
		fclose(f);
	buf_free(&text);
	return r;
}

static int add_files(struct sql *s, int argc, char **argv, struct tacho_error *err)
{
	int r = 0;

	for (int i = 0; i < argc && r == 0; i++) {
		char *part = NULL;

		/* A recording that has not ended is read as far as it goes. */
		if (access(argv[i], F_OK) < 0 && asprintf(&part, "%s.part", argv[i]) >= 0 &&
		    access(part, F_OK) == 0)
			r = sql_add(s, part, err);
		else
			r = sql_add(s, argv[i], err);
		free(part);
	}
	return r;
}

static int run_statements(struct sql *s, const struct conf *conf, const char *operand,
			  struct result *o)
{
	int r = 0;

	for (size_t i = 0; i < conf->statements.n && r == 0; i++)
		r = query_text(s, conf->statements.v[i], o);
	if (r == 0 && conf->input)
		r = query_file(s, conf->input, o);
	if (r == 0 && operand)
		r = query_text(s, operand, o);
	if (conf->statements.n || conf->input || operand || conf->db || r)
		return r;
	return isatty(STDIN_FILENO) ? query_terminal(s, o) : query_file(s, NULL, o);
}

static int query_main(const struct conf *conf, const struct cmd_common *common, int argc,
		      char **argv, struct tacho_error *err)
{
	const struct sql_options options = {.timeout_ns = conf->timeout,
					    .memory = (uint64_t)conf->memory_mb << 20,
					    .stop = &stopped};
	struct result o = {.style = {.format = (enum table_format)conf->format,
				     .guard = conf->guard,
				     .color = term_use_color(common->color, stdout),
				     .width = term_columns(stdout)},
			   .limit = conf->limit_rows,
			   .quiet = common->quiet};
	const char *operand = NULL;
	struct sql *s = NULL;
	int r;

	if (conf->limit_rows < 0 || conf->memory_mb < 0 || conf->memory_mb > 1 << 20 ||
	    conf->timeout < 0)
		return err_report(err, err_set(err, TACHO_EUSAGE,
					       "--limit-rows, --timeout and --memory-mb cannot be "
					       "negative or larger than the machine"));
	/* SQL contains blanks and is not the name of a file. */
	if (argc > 0 && !conf->statements.n && !conf->input && strpbrk(argv[argc - 1], " \n\t") &&
	    access(argv[argc - 1], F_OK) < 0)
		operand = argv[--argc];
	r = sql_open(&s, &options, err);
	if (r == 0)
		r = add_files(s, argc, argv, err);
	if (r == 0 && conf->db)
		r = sql_save(s, conf->db, conf->force, err);
	r = r < 0 ? err_report(err, r) : run_statements(s, conf, operand, &o);
	if (r == 0 && s && *sql_damage(s)) {
		err_set(err, TACHO_EDAMAGED, "%s", sql_damage(s));
		r = common->quiet ? err_exit_code(TACHO_EDAMAGED) : err_report(err, TACHO_EDAMAGED);
	}
	sql_close(s);
	return r;
}

static int query_verb(void *verb_conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *conf = verb_conf;
	struct sigaction action = {.sa_handler = stop_on_signal}, before;
	struct tacho_error err = {0};
	int r;

	sigaction(SIGINT, &action, &before);
	r = query_main(conf, common, argc, argv, &err);
	sigaction(SIGINT, &before, NULL);
	if (stopped)
		r = 128 + (int)stopped;
	opt_list_free(&conf->statements);
	return r;
}

const struct cmd cmd_query = {
	.name = "query",
	.summary = "run SQL on traces and ops reports",
	.usage = "[options] FILE... [SQL]",
	.description =
		"Runs SQLite statements on traces (.tacho, .tracy, recordings in progress) and ops "
		"reports (.csv). The tables have the names that users of Perfetto know: slice, "
		"thread, process, track, counter, args; and those of Tacho: op, slice_stat, "
		"message, frame, lock_wait, alloc, sample, stack, state, core_slice. "
		"\"SELECT * FROM pragma_table_list\" lists them; docs/query.md explains them and "
		"answers twenty questions. Times are in nanoseconds since the start of the trace.\n\n"
		"slice_stat has statistics of zones from the trace's own tables: totals of a hundred "
		"million zones take a tenth of a second. slice has the zones themselves; conditions "
		"on ts, track_id, name, depth and id read only what they select.\n\n"
		"Several files are one set: each is a row of the table machine, and ids are unique "
		"over all of them. A statement can read the files and nothing else; views and "
		"temporary tables are in memory.",
	.examples =
		"tacho query app.tacho 'SELECT name, count, total FROM slice_stat LIMIT 10'\n"
		"  the ten source locations with the most time\n"
		"tacho query ops_perf_results.csv 'SELECT op_code, count(*) FROM op GROUP BY 1'\n"
		"  how often each op ran\n"
		"tacho query --db app.db app.tacho\n  an SQLite database for other tools\n"
		"tacho query app.tacho\n  on a terminal: type statements\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = query_verb,
};
