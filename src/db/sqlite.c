/* SPDX-License-Identifier: Apache-2.0 */
/* The engine SQLite: one file, a push is one transaction. */
#include "base/folder.h"
#include "db/private.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APPLICATION_ID 0x54616368 /* "Tach" */

static int sqlite_error(struct db *db, int code, struct tacho_error *err)
{
	const char *text = sqlite3_errmsg(db->private);

	if (code == SQLITE_INTERRUPT)
		return err_set(err, TACHO_ENO, "interrupted");
	if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
		return err_set(err, TACHO_EDAMAGED, "%s: %s", db->name, text);
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return err_set(err, TACHO_ECONNECT, "%s is in use by another program", db->name);
	if (code == SQLITE_CANTOPEN)
		return err_set(err, TACHO_EREAD, "cannot open %s: %s", db->name, text);
	if (code == SQLITE_ERROR)
		return err_set(err, TACHO_EFORMAT, "%s: %s", db->name, text);
	return err_set(err, TACHO_EWRITE, "cannot write %s: %s", db->name, text);
}

static int sqlite_stop(void *context)
{
	return db_stopped(context);
}

static void sqlite_value(sqlite3_stmt *stmt, int i, struct db_value *v)
{
	*v = (struct db_value){.type = DB_NULL};
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		v->type = DB_INT;
		v->bits = (uint64_t)sqlite3_column_int64(stmt, i);
		v->real = (double)sqlite3_column_int64(stmt, i);
		break;
	case SQLITE_FLOAT:
		v->type = DB_REAL;
		v->real = sqlite3_column_double(stmt, i);
		break;
	case SQLITE_NULL:
		break;
	default:
		v->type = DB_STRING;
		v->text = (const char *)sqlite3_column_text(stmt, i);
		v->len = (size_t)sqlite3_column_bytes(stmt, i);
	}
}

/* Runs a prepared statement: a code of SQLite, or the error of the sink. */
static int sqlite_run(sqlite3_stmt *stmt, const struct db_sink *sink)
{
	int n = sqlite3_column_count(stmt), code, r = 0;
	struct db_value *values = calloc((size_t)n + 1, sizeof(*values));
	const char **names = calloc((size_t)n + 1, sizeof(*names));

	for (int i = 0; i < n && names; i++)
		names[i] = sqlite3_column_name(stmt, i);
	if (!values || !names)
		r = TACHO_ENOMEM;
	else if (n && sink && sink->begin)
		r = sink->begin(sink->context, names, (size_t)n);
	for (code = SQLITE_ROW; r == 0 && (code = sqlite3_step(stmt)) == SQLITE_ROW;) {
		for (int i = 0; i < n; i++)
			sqlite_value(stmt, i, &values[i]);
		if (sink)
			r = sink->row(sink->context, values, (size_t)n);
	}
	free(values);
	free(names);
	return r < 0 ? r : code;
}

static int sqlite_query(struct db *db, const char *sql, const struct db_argument *args,
			const struct db_sink *sink, struct tacho_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int r = sqlite3_prepare_v2(db->private, sql, -1, &stmt, NULL);

	if (r != SQLITE_OK)
		return sqlite_error(db, r, err);
	for (int i = 0; i < sqlite3_bind_parameter_count(stmt); i++) {
		if (args[i].text)
			sqlite3_bind_text(stmt, i + 1, args[i].text, -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(stmt, i + 1, (sqlite3_int64)args[i].id);
	}
	r = sqlite_run(stmt, sink);
	if (r > 0 && r != SQLITE_DONE)
		r = sqlite_error(db, r, err);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

static int sqlite_execute(struct db *db, const char *sql, struct tacho_error *err)
{
	int r = sqlite3_exec(db->private, sql, NULL, NULL, NULL);

	return r == SQLITE_OK ? 0 : sqlite_error(db, r, err);
}

/* The last push of each part of each run that was not removed. */
static const char visible[] =
	"SELECT run, part, push, max(pushed_at) AS pushed_at FROM part WHERE push NOT IN "
	"(SELECT push FROM part WHERE state = 2) GROUP BY run, part";

/* Only reads, and no other file. */
static int user_authorize(void *context, int action, const char *a, const char *b, const char *c,
			  const char *d)
{
	(void)context;
	(void)a;
	(void)c;
	(void)d;
	if (action == SQLITE_FUNCTION)
		return b && !sqlite3_stricmp(b, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE
		       ? SQLITE_OK
		       : SQLITE_DENY;
}

static int sqlite_query_user(struct db *db, const char *sql, const struct db_sink *sink,
			     struct tacho_error *err)
{
	sqlite3_stmt *stmt = NULL;
	const char *next;
	int r;

	sqlite3_set_authorizer(db->private, user_authorize, NULL);
	r = sqlite3_prepare_v2(db->private, sql, -1, &stmt, &next);
	sqlite3_set_authorizer(db->private, NULL, NULL);
	if (r != SQLITE_OK)
		return err_set(err, TACHO_EUSAGE, "SQL: %s", sqlite3_errmsg(db->private));
	if (!stmt || next[strspn(next, " \t\r\n;")]) {
		sqlite3_finalize(stmt);
		return err_set(err, TACHO_EUSAGE, "SQL: one statement at a time");
	}
	r = sqlite_run(stmt, sink);
	if (r > 0 && r != SQLITE_DONE)
		r = sqlite_error(db, r, err);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

/* ------------------------------------------------------------------ tables */

static void table_create(const struct db_table *t, struct buf *sql)
{
	static const char *const types[] = {
		[DB_U8] = "INTEGER",  [DB_U16] = "INTEGER", [DB_U32] = "INTEGER",
		[DB_U64] = "INTEGER", [DB_I64] = "INTEGER", [DB_F64] = "REAL",
		[DB_TEXT] = "TEXT"};

	buf_addf(sql, "CREATE TABLE IF NOT EXISTS %s (", t->name);
	for (size_t i = 0; i < db_column_count(t); i++)
		buf_addf(sql, "%s %s NOT NULL, ", t->columns[i].name, types[t->columns[i].type]);
	buf_addf(sql, "PRIMARY KEY (%s)) WITHOUT ROWID;\n", t->key);
}

static int sqlite_init(struct db *db, const struct db_layout *layout, struct tacho_error *err)
{
	struct buf sql = BUF_INIT;
	int r;

	if (layout->cluster || layout->replicated)
		return err_set(err, TACHO_EUSAGE, "SQLite has no clusters and replicas");
	/* Not within a transaction: the page size, and then the journal. */
	r = sqlite_execute(db, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL", err);
	buf_addf(&sql, "BEGIN IMMEDIATE; PRAGMA application_id = %d; PRAGMA user_version = %d;\n",
		 APPLICATION_ID, DB_SCHEMA);
	for (size_t i = 0; i < DB_TABLES; i++)
		table_create(&db_tables[i], &sql);
	/* For the queries of gc, rm and the check of a push. */
	buf_adds(&sql, "CREATE INDEX IF NOT EXISTS op_stat_push ON op_stat(push);\n"
		       "CREATE INDEX IF NOT EXISTS zone_stat_push ON zone_stat(push);\n"
		       "CREATE INDEX IF NOT EXISTS metric_push ON metric(push);\n");
	buf_addf(&sql,
		 "CREATE VIEW IF NOT EXISTS visible AS %s;\n"
		 "INSERT OR IGNORE INTO meta VALUES ('schema', '%d'), ('created by', 'tacho "
		 "%s');\nCOMMIT",
		 visible, DB_SCHEMA, TACHO_VERSION);
	if (r == 0)
		r = sql.failed ? TACHO_ENOMEM : sqlite_execute(db, sql.data, err);
	if (r < 0)
		sqlite3_exec(db->private, "ROLLBACK", NULL, NULL, NULL);
	buf_free(&sql);
	return r;
}

static int sqlite_columns(struct db *db, const struct db_table *table, const struct db_sink *sink,
			  struct tacho_error *err)
{
	const struct db_argument args[] = {{.text = table->name}};

	return sqlite_query(db, "SELECT name FROM pragma_table_info(?)", args, sink, err);
}

/* -------------------------------------------------------------------- rows */

static sqlite3_stmt *insert_prepare(struct db *db, const struct db_table *t)
{
	struct buf sql = BUF_INIT;
	sqlite3_stmt *stmt = NULL;

	buf_addf(&sql, "INSERT %sINTO %s (", t->once ? "OR REPLACE " : "", t->name);
	for (size_t i = 0; i < db_column_count(t); i++)
		buf_addf(&sql, "%s%s", i ? ", " : "", t->columns[i].name);
	for (size_t i = 0; i < db_column_count(t); i++)
		buf_adds(&sql, i ? ", ?" : ") VALUES (?");
	buf_adds(&sql, ")");
	sqlite3_prepare_v2(db->private, sql.data, -1, &stmt, NULL);
	buf_free(&sql);
	return stmt;
}

static void cell_bind(sqlite3_stmt *stmt, const struct db_block *b, size_t column, size_t row)
{
	uint64_t cell = db_block_cell(b, column, row);
	const char *text;
	uint32_t len;
	double real;

	switch (b->table->columns[column].type) {
	case DB_TEXT:
		text = db_block_cell_text(b, cell, &len);
		sqlite3_bind_text(stmt, (int)column + 1, text, (int)len, SQLITE_STATIC);
		break;
	case DB_F64:
		memcpy(&real, &cell, sizeof(real));
		sqlite3_bind_double(stmt, (int)column + 1, real);
		break;
	default:
		sqlite3_bind_int64(stmt, (int)column + 1, (int64_t)cell);
	}
}

static int sqlite_insert(struct db *db, const struct db_block *b, struct tacho_error *err)
{
	sqlite3_stmt *stmt = insert_prepare(db, b->table);
	size_t columns = db_column_count(b->table);
	int r = stmt ? SQLITE_OK : SQLITE_ERROR;

	for (size_t row = 0; row < b->n && r == SQLITE_OK; row++) {
		for (size_t i = 0; i < columns; i++)
			cell_bind(stmt, b, i, row);
		sqlite3_step(stmt);
		r = sqlite3_reset(stmt);
	}
	if (r != SQLITE_OK)
		r = sqlite_error(db, r, err);
	sqlite3_finalize(stmt);
	return r;
}

static int sqlite_erase(struct db *db, const struct db_table *table, const uint64_t *pushes,
			size_t n, struct tacho_error *err)
{
	char sql[100];
	int r = 0;

	snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE push = ?", table->name);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct db_argument args[] = {{.id = pushes[i]}};

		r = sqlite_query(db, sql, args, NULL, err);
	}
	return r;
}

static int sqlite_begin(struct db *db, struct tacho_error *err)
{
	return sqlite_execute(db, "BEGIN IMMEDIATE", err);
}

static int sqlite_commit(struct db *db, struct tacho_error *err)
{
	return sqlite_execute(db, "COMMIT", err);
}

static void sqlite_rollback(struct db *db)
{
	if (!sqlite3_get_autocommit(db->private))
		sqlite3_exec(db->private, "ROLLBACK", NULL, NULL, NULL);
}

static void sqlite_close(struct db *db)
{
	sqlite3_close(db->private);
}

static const struct db_engine sqlite_engine = {
	.query = sqlite_query,
	.query_user = sqlite_query_user,
	.init = sqlite_init,
	.insert = sqlite_insert,
	.erase = sqlite_erase,
	.columns = sqlite_columns,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.close = sqlite_close,
	.transactions = true,
	.signed_ids = true,
};

int db_sqlite_open(struct db *db, const struct db_place *place, struct tacho_error *err)
{
	bool exists = access(place->path, F_OK) == 0, create = db->options.create;
	const char *slash = strrchr(place->path, '/');
	char *folder;
	sqlite3 *handle = NULL;
	int r = 0;

	if (!exists && !create)
		return err_set(err, TACHO_EREAD,
			       "there is no database %s; 'tacho db push' makes it", place->path);
	if (!exists && slash && slash > place->path) {
		folder = strndup(place->path, (size_t)(slash - place->path));
		r = folder ? folder_make(folder, err) : TACHO_ENOMEM;
		free(folder);
	}
	if (r < 0)
		return r;
	db->engine = &sqlite_engine;
	r = sqlite3_open_v2(place->path, &handle,
			    SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), NULL);
	db->private = handle;
	if (r != SQLITE_OK)
		return sqlite_error(db, r, err);
	sqlite3_busy_timeout(handle, 30000);
	sqlite3_progress_handler(handle, 10000, sqlite_stop, db);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	r = sqlite_execute(db, "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF", err);
	if (r == 0 && !exists)
		r = sqlite_init(db, &(struct db_layout){0}, err);
	return r;
}
