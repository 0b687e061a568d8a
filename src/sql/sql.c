/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: files, tables, views, limits, and running statements. */
#include "base/now.h"
#include "base/text.h"
#include "op/csv.h"
#include "sql/private.h"
#include "tracy/tracy.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct sql_table *const tables[] = {
	&sql_table_machine,        &sql_table_process,   &sql_table_thread,
	&sql_table_track,          &sql_table_core,      &sql_table_srcloc,
	&sql_table_slice,          &sql_table_args,      &sql_table_slice_stat,
	&sql_table_track_stat,     &sql_table_counter,   &sql_table_message,
	&sql_table_frame,          &sql_table_lock_span, &sql_table_alloc,
	&sql_table_sample,         &sql_table_state,     &sql_table_stack,
	&sql_table_stack_frame,    &sql_table_loss,      &sql_table_absent,
	&sql_table_clock_snapshot, &sql_table_metadata,  &sql_table_marker,
	&sql_table_flow,
};

/* In the temporary schema: it is in memory and a statement may add its own. */
static const struct {
	const char *name, *query;
} views[] = {
	{"thread_track", "SELECT id, name, utid FROM track WHERE utid IS NOT NULL"},
	{"process_track", "SELECT id, name, upid FROM track WHERE utid IS NULL"},
	{"counter_track", "SELECT id, name, unit, upid FROM track WHERE type = 'plot'"},
	{"thread_slice", "SELECT s.*, t.utid, t.tid, t.name AS thread_name, p.upid, p.pid, "
			 "p.name AS process_name FROM thread t JOIN slice s ON s.track_id = t.utid "
			 "LEFT JOIN process p ON p.upid = t.upid"},
	{"core_slice", "SELECT s.*, c.device, c.x, c.y, c.risc FROM core c "
		       "JOIN slice s ON s.track_id = c.track_id"},
	{"lock_wait", "SELECT ts, dur, utid, lock, shared, track_id FROM lock_span "
		      "WHERE kind = 'waiting'"},
	{"lock_hold", "SELECT ts, dur, utid, lock, shared, track_id FROM lock_span "
		      "WHERE kind = 'held'"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int64_t sql_duration(const struct trace *t, uint64_t start, uint64_t end)
{
	return llround(trace_duration_ns(t, start, end));
}

void sql_ticks(const struct trace *t, const struct sql_bound *ts, uint64_t *t0, uint64_t *t1)
{
	/* Further away than any time of a trace, so that nothing overflows. */
	const int64_t far = INT64_C(1) << 61;

	*t0 = ts->low > -far ? trace_ticks(t, (ts->low < far ? ts->low : far) - 1) : 0;
	*t1 = ts->high < far ? trace_ticks(t, (ts->high > -far ? ts->high : -far) + 1) + 1
			     : UINT64_MAX;
}

int sql_track_next(struct sql_cursor *c, uint32_t kinds, int column)
{
	for (; c->source < c->sql->sources.n; c->source++, c->index = UINT32_MAX) {
		const struct trace *t = sql_source_of(c)->trace;

		while (t && ++c->index < t->track_count)
			if (kinds >> t->tracks[c->index].kind & 1 &&
			    sql_within(c, column, sql_id(c, c->index)))
				return 1;
	}
	return 0;
}

/* --------------------------------------------------------------- opening */

/* Statements may read, and build views and temporary tables in memory. */
static int sql_authorize(void *context, int action, const char *a, const char *b, const char *c,
			 const char *d)
{
	static const char *const pragmas[] = {"table_info", "table_xinfo", "table_list",
					      "function_list", "data_version"};

	(void)context;
	(void)c;
	(void)d;
	switch (action) {
	case SQLITE_ATTACH:
	case SQLITE_DETACH:
		return SQLITE_DENY;
	case SQLITE_FUNCTION:
		return b && !sqlite3_stricmp(b, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		for (size_t i = 0; i < COUNT(pragmas); i++)
			if (!sqlite3_stricmp(a, pragmas[i]))
				return SQLITE_OK;
		return SQLITE_DENY;
	default:
		return SQLITE_OK;
	}
}

/* Nonzero ends the statement. */
static int sql_progress(void *context)
{
	const struct sql *s = context;

	return (s->options.stop && *s->options.stop) ||
	       (s->deadline && (int64_t)now_ns() > s->deadline);
}

static int sql_execute(struct sql *s, const char *text, struct tacho_error *err)
{
	if (sqlite3_exec(s->db, text, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return err_set(err, TACHO_EINTERNAL, "SQLite: %s", sqlite3_errmsg(s->db));
}

static int sql_register(struct sql *s, struct tacho_error *err)
{
	char *text;
	int r = sql_functions_register(s);

	for (size_t i = 0; i < COUNT(tables) && r == 0; i++)
		r = sql_table_register(s, tables[i]);
	if (r == 0)
		r = sql_ops_register(s);
	for (size_t i = 0; i < COUNT(views) && r == 0; i++) {
		text = sqlite3_mprintf("CREATE TEMP VIEW %s AS %s", views[i].name, views[i].query);
		r = text ? sql_execute(s, text, err) : TACHO_ENOMEM;
		sqlite3_free(text);
	}
	return r == TACHO_ENOMEM ? err_set(err, r, "no memory for SQL") : r;
}

int sql_open(struct sql **out, const struct sql_options *options, struct tacho_error *err)
{
	static const struct {
		int id, value;
	} limits[] = {
		{SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_EXPR_DEPTH, 200},
		{SQLITE_LIMIT_COMPOUND_SELECT, 100}, {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
		{SQLITE_LIMIT_LENGTH, 64 << 20},     {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 10},
	};
	struct sql *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_set(err, TACHO_ENOMEM, "no memory for SQL");
	s->options = *options;
	s->damage = (struct buf)BUF_INIT;
	sqlite3_hard_heap_limit64((sqlite3_int64)(options->memory ? options->memory : 2ull << 30));
	if (sqlite3_open(":memory:", &s->db) != SQLITE_OK) {
		r = err_set(err, TACHO_ENOMEM, "cannot start SQLite: %s", sqlite3_errmsg(s->db));
		sql_close(s);
		return r;
	}
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_progress_handler(s->db, 1000, sql_progress, s);
	r = sql_register(s, err);
	sqlite3_set_authorizer(s->db, sql_authorize, s);
	for (size_t i = 0; i < COUNT(limits); i++)
		if (limits[i].id != SQLITE_LIMIT_ATTACHED)
			sqlite3_limit(s->db, limits[i].id, limits[i].value);
	if (r < 0)
		sql_close(s);
	else
		*out = s;
	return r;
}

void sql_close(struct sql *s)
{
	if (!s)
		return;
	sqlite3_close(s->db); /* closes all cursors */
	for (size_t i = 0; i < s->sources.n; i++) {
		struct sql_source *f = &s->sources.v[i];

		profile_close(f->profile);
		for (size_t k = 0; k < f->ops.n; k++) {
			op_loaded_free(f->ops.v[k].loaded);
			free(f->ops.v[k].loaded);
		}
		vec_free(&f->ops);
		op_table_free(&f->report);
		if (f->trace)
			trace_close(f->trace);
		free(f->path);
	}
	vec_free(&s->sources);
	buf_free(&s->damage);
	free(s);
}

int sql_add(struct sql *s, const char *path, struct tacho_error *err)
{
	struct sql_source f = {.report = OP_TABLE_INIT};
	int r;

	if (s->sources.n == SQL_SOURCES)
		return err_set(err, TACHO_ELIMIT, "more than %d files in one query", SQL_SOURCES);
	if (text_ends_with(path, ".csv"))
		r = op_table_read_csv(&f.report, path, true, NULL, NULL, err);
	else
		r = tracy_open_any(&f.trace, path, NULL, err);
	if (r == TACHO_EDAMAGED) {
		buf_addf(&s->damage, "%s%s: the file ends inside a cell", s->damage.len ? "\n" : "",
			 path);
		r = 0;
	}
	if (r == 0 && f.trace && f.trace->damage.text[0])
		buf_addf(&s->damage, "%s%s: %s", s->damage.len ? "\n" : "", path,
			 f.trace->damage.text);
	f.path = strdup(path);
	if (r == 0 && (!f.path || vec_push(&s->sources, f) < 0))
		r = err_set(err, TACHO_ENOMEM, "no memory for %s", path);
	if (r < 0) {
		op_table_free(&f.report);
		if (f.trace)
			trace_close(f.trace);
		free(f.path);
	}
	return r;
}

const char *sql_damage(struct sql *s)
{
	return s->damage.data;
}

bool sql_is_complete(const char *text)
{
	return sqlite3_complete(text);
}

/* --------------------------------------------------------------- running */

static int sql_error(struct sql *s, int code, const char *text, const char *at,
		     struct tacho_error *err)
{
	int offset = sqlite3_error_offset(s->db);
	int r;

	if (code == SQLITE_NOMEM)
		return err_set(err, TACHO_ELIMIT, "the query needs more memory than it may use");
	if (code == SQLITE_INTERRUPT)
		return err_set(err, TACHO_ELIMIT,
			       s->deadline && (int64_t)now_ns() > s->deadline
				       ? "the query took longer than its time limit"
				       : "the query was stopped");
	if (s->failure.code)
		return err_set(err, s->failure.code, "%s", sqlite3_errmsg(s->db));
	if (offset < 0)
		return err_set(err, TACHO_EUSAGE, "SQL: %s", sqlite3_errmsg(s->db));
	r = err_set(err, TACHO_EUSAGE, "SQL: %s, at character %zu", sqlite3_errmsg(s->db),
		    (size_t)(at - text + offset + 1));
	if (err)
		err->offset = (uint64_t)(at - text + offset);
	return r;
}

static void sql_read(sqlite3_stmt *stmt, struct sql_value *values, int n)
{
	static const enum sql_type types[] = {[SQLITE_INTEGER] = SQL_INT,
					      [SQLITE_FLOAT] = SQL_REAL,
					      [SQLITE_TEXT] = SQL_TEXT,
					      [SQLITE_BLOB] = SQL_BLOB,
					      [SQLITE_NULL] = SQL_NULL};

	for (int i = 0; i < n; i++) {
		values[i].type = types[sqlite3_column_type(stmt, i)];
		values[i].integer = sqlite3_column_int64(stmt, i);
		values[i].real = sqlite3_column_double(stmt, i);
		values[i].text = NULL;
		if (values[i].type == SQL_TEXT || values[i].type == SQL_BLOB) {
			values[i].text = sqlite3_column_blob(stmt, i);
			values[i].len = (size_t)sqlite3_column_bytes(stmt, i);
		}
	}
}

/* Runs one prepared statement. A code of SQLite, or an error of the sink. */
static int sql_step(sqlite3_stmt *stmt, const struct sql_sink *sink)
{
	int n = sqlite3_column_count(stmt), code, r = 0;
	struct sql_value *values = calloc((size_t)n + 1, sizeof(*values));
	const char **names = calloc((size_t)n + 1, sizeof(*names));

	if (!values || !names) {
		r = TACHO_ENOMEM;
		goto out;
	}
	for (int i = 0; i < n; i++)
		names[i] = sqlite3_column_name(stmt, i);
	code = sqlite3_step(stmt);
	if (n && (code == SQLITE_ROW || code == SQLITE_DONE))
		r = sink->begin(sink->context, names, (size_t)n);
	while (code == SQLITE_ROW && r == 0) {
		sql_read(stmt, values, n);
		r = sink->row(sink->context, values, (size_t)n);
		if (r == 0)
			code = sqlite3_step(stmt);
	}
	if (r == 0 && code != SQLITE_DONE)
		r = code;
	else if (r == 0 && n)
		r = sink->end(sink->context);
out:
	free(values);
	free(names);
	return r;
}

#define SCAN_LARGE 20e6 /* zones from which grouping them takes many seconds */

/* Advice if the plan of a statement reads and groups all zones of a large trace. */
static void sql_advise(struct sql *s, const char *text, size_t len, const struct sql_sink *sink)
{
	double zones = sql_table_slice.rows(s);
	bool scan = false, group = false;
	sqlite3_stmt *stmt = NULL;
	char message[160];
	char *plan;

	if (!sink->note || zones < SCAN_LARGE)
		return;
	plan = sqlite3_mprintf("EXPLAIN QUERY PLAN %.*s", (int)len, text);
	if (plan && sqlite3_prepare_v2(s->db, plan, -1, &stmt, NULL) == SQLITE_OK)
		while (sqlite3_step(stmt) == SQLITE_ROW) {
			const char *line = (const char *)sqlite3_column_text(stmt, 3);

			scan |= line && strstr(line, "SCAN slice");
			group |= line && strstr(line, "GROUP BY");
		}
	sqlite3_finalize(stmt);
	sqlite3_free(plan);
	if (!scan || !group)
		return;
	snprintf(message, sizeof(message),
		 "grouping %.0f M zones takes about %.0f s; slice_stat has totals, counts and "
		 "percentiles by name at once",
		 zones / 1e6, zones * 600e-9);
	sink->note(sink->context, message);
}

int sql_run(struct sql *s, const char *text, const struct sql_sink *sink, struct tacho_error *err)
{
	const char *at = text, *next;
	sqlite3_stmt *stmt;
	int r = 0;

	s->deadline = s->options.timeout_ns ? (int64_t)now_ns() + s->options.timeout_ns : 0;
	for (; *at && r == 0; at = next) {
		s->failure = (struct tacho_error){0};
		r = sqlite3_prepare_v2(s->db, at, -1, &stmt, &next);
		if (r != SQLITE_OK) {
			r = sql_error(s, r, text, at, err);
		} else if (stmt) { /* else: blanks and comments */
			sql_advise(s, at, (size_t)(next - at), sink);
			r = sql_step(stmt, sink);
			if (r > 0)
				r = sql_error(s, r, text, at, err);
			sqlite3_finalize(stmt);
		}
	}
	return r;
}

/* ---------------------------------------------------------------- saving */

/* Larger tables get indexes for what queries ask most. */
static const char *const indexes[] = {
	"CREATE UNIQUE INDEX saved.slice_id ON slice(id)",
	"CREATE INDEX saved.slice_track ON slice(track_id, ts)",
	"CREATE INDEX saved.slice_name ON slice(name)",
	"CREATE INDEX saved.args_set ON args(arg_set_id)",
	"CREATE INDEX saved.counter_track_ts ON counter(track_id, ts)",
	"CREATE INDEX saved.op_code ON op(op_code)",
};

static int sql_save_tables(struct sql *s, const char *path, struct tacho_error *err)
{
	char *text = sqlite3_mprintf("ATTACH %Q AS saved; PRAGMA saved.journal_mode = OFF; "
				     "PRAGMA saved.synchronous = OFF; BEGIN",
				     path);
	int r = text ? sql_execute(s, text, err) : TACHO_ENOMEM;

	sqlite3_free(text);
	for (size_t i = 0; i <= COUNT(tables) && r == 0; i++) {
		const char *name = i < COUNT(tables) ? tables[i]->name : "op";

		text = sqlite3_mprintf("CREATE TABLE saved.\"%w\" AS SELECT * FROM main.\"%w\"",
				       name, name);
		r = text ? sql_execute(s, text, err) : TACHO_ENOMEM;
		sqlite3_free(text);
	}
	for (size_t i = 0; i < COUNT(views) && r == 0; i++) {
		text = sqlite3_mprintf("CREATE VIEW saved.%s AS %s", views[i].name, views[i].query);
		r = text ? sql_execute(s, text, err) : TACHO_ENOMEM;
		sqlite3_free(text);
	}
	for (size_t i = 0; i < COUNT(indexes) && r == 0; i++)
		r = sql_execute(s, indexes[i], err);
	if (r == 0)
		r = sql_execute(s, "COMMIT", err);
	sqlite3_exec(s->db, r < 0 ? "ROLLBACK" : "", NULL, NULL, NULL);
	sqlite3_exec(s->db, "DETACH saved", NULL, NULL, NULL);
	return r;
}

int sql_save(struct sql *s, const char *path, bool force, struct tacho_error *err)
{
	char temporary[PATH_MAX];
	struct stat st;
	int r;

	if (!force && lstat(path, &st) == 0)
		return err_set(err, TACHO_EEXISTS, "%s exists; -f replaces it", path);
	if (snprintf(temporary, sizeof(temporary), "%s.%d.tmp", path, (int)getpid()) >=
	    (int)sizeof(temporary))
		return err_set(err, TACHO_EWRITE, "the path is too long: %s", path);
	sqlite3_set_authorizer(s->db, NULL, NULL);
	r = sql_save_tables(s, temporary, err);
	sqlite3_set_authorizer(s->db, sql_authorize, s);
	if (r == 0 && rename(temporary, path) < 0)
		r = err_errno(err, TACHO_EWRITE, "cannot write %s", path);
	if (r < 0) {
		unlink(temporary);
		if (r == TACHO_EINTERNAL)
			r = err_set(err, TACHO_EWRITE, "cannot write %s: %s", path,
				    sqlite3_errmsg(s->db));
	}
	return r;
}
