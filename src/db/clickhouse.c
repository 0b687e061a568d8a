/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine ClickHouse, over HTTP. Rows are sent as blocks of its native format: a block has its
 * row count, so an incomplete one is refused (other formats store what has arrived and answer
 * "OK"). Statements use only what version 18.16 and current ones have in common.
 */
#include "db/curl.h"
#include "db/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct server {
	struct web *web;
	char *base, *database, *user;
	struct buf answer, body, url;
	int code; /* ClickHouse's number of the last error */
};

/* The last push of each part of each run that was not removed. GLOBAL: the tables may be
 * distributed. */
static const char visible[] =
	"SELECT run, part, p AS push FROM (SELECT run, part, argMax(push, pushed_at) AS p FROM part "
	"WHERE push GLOBAL NOT IN (SELECT push FROM part WHERE state = 2) GROUP BY run, part)";

/* --------------------------------------------------------------- requests */

/* Transient errors: other servers, limits, timeouts. */
static bool code_is_passing(int code)
{
	static const int codes[] = {3,   32,  95,  96,  159, 202, 203, 209, 210, 225,
				    236, 241, 242, 243, 252, 279, 285, 286, 319, 999};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i] == code)
			return true;
	return false;
}

/* Wrong user or password; missing rights. */
static bool code_is_account(int code)
{
	return code == 192 || code == 193 || code == 194 || code == 516;
}

static bool code_is_right(int code)
{
	return code == 164 || code == 291 || code == 497;
}

enum { UNKNOWN_TABLE = 60, UNKNOWN_DATABASE = 81 };

/* "Code: 60, e.displayText() = DB::Exception: Table ... doesn't exist., e.what() = DB::Exception".
 */
static int answer_error(struct db *db, long status, struct tacho_error *err)
{
	struct server *s = db->private;
	const char *text = s->answer.data, *at = strstr(text, "DB::Exception: "), *end;

	s->code = 0;
	sscanf(text, "Code: %d", &s->code);
	at = at ? at + 15 : text;
	end = strstr(at, ", e.what()");
	end = end ? end : at + strcspn(at, "\n");
	db->hopeless = !code_is_passing(s->code) && s->code;
	if (status == 401 || code_is_account(s->code))
		return err_set(err, TACHO_ECONNECT, "%s refuses the user %s or the password",
			       db->name, s->user ? s->user : "default");
	if (code_is_right(s->code))
		return err_set(err, TACHO_ECONNECT, "%s does not let the user %s do this: %.*s",
			       db->name, s->user ? s->user : "default", (int)(end - at), at);
	if (s->code == 62 || s->code == 46 || s->code == 47 || s->code == 43)
		return err_set(err, TACHO_EUSAGE, "SQL: %.*s", (int)(end - at), at);
	if (s->code == UNKNOWN_TABLE || s->code == UNKNOWN_DATABASE)
		return err_set(err, TACHO_EFORMAT, "%s: %.*s", db->name, (int)(end - at), at);
	if (!s->code)
		db->hopeless = status >= 300 && status < 500;
	return err_set(err, TACHO_ECONNECT, "%s: HTTP %ld: %.*s", db->name, status, (int)(end - at),
		       at);
}

/* Sends a request; PARAMETERS follow the path. Fails unless the answer is complete and not an
 * error.
 */
static int server_ask(struct db *db, const char *parameters, const void *body, size_t len,
		      struct tacho_error *err)
{
	struct server *s = db->private;
	bool hopeless = false;
	long status = 0;
	int r;

	buf_reset(&s->url);
	buf_addf(&s->url, "%s/?wait_end_of_query=1%s", s->base, parameters);
	if (s->url.failed)
		return err_set(err, TACHO_ENOMEM, "no memory for a request");
	r = web_request(s->web, s->url.data, body, len, &s->answer, &status, &hopeless, err);
	db->hopeless = hopeless;
	s->code = 0;
	if (r < 0)
		return r;
	return status == 200 ? 0 : answer_error(db, status, err);
}

/* ---------------------------------------------------------------- answers */

/* Unescapes a cell in place; returns its length. */
static size_t cell_unescape(char *cell, size_t len)
{
	static const char from[] = "bfnrt0'\\", to[] = "\b\f\n\r\t\0'\\";
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		const char *known;

		if (cell[i] != '\\' || i + 1 == len) {
			cell[n++] = cell[i];
			continue;
		}
		known = strchr(from, cell[++i]);
		cell[n++] = known && cell[i] ? to[known - from] : cell[i];
	}
	cell[n] = 0;
	return n;
}

static enum db_value_type cell_type(const char *name)
{
	if (!strncmp(name, "Nullable(", 9))
		name += 9;
	return !strncmp(name, "UInt", 4)    ? DB_UINT
	       : !strncmp(name, "Int", 3)   ? DB_INT
	       : !strncmp(name, "Float", 5) ? DB_REAL
					    : DB_STRING;
}

/* Cuts the line at *AT into up to ROOM cells; 0: there is none. */
static size_t line_cut(char **at, char *end, char **cells, size_t *lens, size_t room)
{
	char *line = *at, *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
	size_t n = 0;

	if (!stop)
		return 0;
	*at = stop + 1;
	while (n < room) {
		char *tab = memchr(line, '\t', (size_t)(stop - line));

		tab = tab ? tab : stop;
		cells[n] = line;
		lens[n++] = (size_t)(tab - line);
		if (tab == stop)
			break;
		line = tab + 1;
	}
	for (size_t i = 0; i < n; i++) {
		bool null = lens[i] == 2 && !memcmp(cells[i], "\\N", 2);

		lens[i] = cell_unescape(cells[i], lens[i]);
		cells[i] = null ? NULL : cells[i];
	}
	return n;
}

static void cell_value(struct db_value *v, enum db_value_type type, char *cell, size_t len)
{
	*v = (struct db_value){.type = cell ? type : DB_NULL, .text = cell, .len = len};
	if (v->type == DB_UINT)
		v->bits = strtoull(cell, NULL, 10);
	else if (v->type == DB_INT)
		v->bits = (uint64_t)strtoll(cell, NULL, 10);
	if (v->type != DB_STRING && cell)
		v->real = strtod(cell, NULL);
}

/* TabSeparatedWithNamesAndTypes. */
static int server_answer(struct db *db, const struct db_sink *sink, struct tacho_error *err)
{
	struct server *s = db->private;
	char *at = s->answer.data, *end = at + s->answer.len;
	size_t room = 1, n, count;
	struct db_value *values;
	enum db_value_type *types;
	size_t *lens;
	char **cells;
	int r = 0;

	for (const char *c = at; c < end && *c != '\n'; c++)
		room += *c == '\t';
	values = calloc(room, sizeof(*values));
	types = calloc(room, sizeof(*types));
	lens = calloc(room, sizeof(*lens));
	cells = calloc(room, sizeof(*cells));
	if (!values || !types || !lens || !cells) {
		r = err_set(err, TACHO_ENOMEM, "no memory for an answer");
		goto out;
	}
	n = line_cut(&at, end, cells, lens, room);
	if (n && sink->begin)
		r = sink->begin(sink->context, (const char *const *)cells, n);
	if (line_cut(&at, end, cells, lens, room) != n)
		r = err_set(err, TACHO_EFORMAT, "%s: the answer is not a table", db->name);
	for (size_t i = 0; i < n && r == 0; i++)
		types[i] = cell_type(cells[i] ? cells[i] : "");
	while (r == 0 && (count = line_cut(&at, end, cells, lens, room))) {
		for (size_t i = 0; i < count; i++)
			cell_value(&values[i], types[i], cells[i], lens[i]);
		r = count == n ? sink->row(sink->context, values, n)
			       : err_set(err, TACHO_EFORMAT, "%s: the answer is not a table",
					 db->name);
	}
	if (r == 0 && at != end) /* the last line is incomplete */
		r = err_set(err, TACHO_ECONNECT, "%s: the answer ends within a row", db->name);
out:
	free(values);
	free(types);
	free(lens);
	free(cells);
	return r;
}

/* ------------------------------------------------------------- statements */

static void text_quote(struct buf *out, const char *text)
{
	buf_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *text);
	}
	buf_addc(out, '\'');
}

static void parameter_database(struct db *db, struct buf *out)
{
	const struct server *s = db->private;

	buf_adds(out, "&database=");
	web_add_encoded(out, s->database);
}

static int clickhouse_query(struct db *db, const char *sql, const struct db_argument *args,
			    const struct db_sink *sink, struct tacho_error *err)
{
	struct server *s = db->private;
	struct buf parameters = BUF_INIT;
	int r;

	parameter_database(db, &parameters);
	buf_reset(&s->body);
	for (; *sql; sql++) {
		if (*sql != '?') {
			buf_addc(&s->body, *sql);
			continue;
		}
		if (args->text)
			text_quote(&s->body, args->text);
		else
			buf_addf(&s->body, "%llu", (unsigned long long)args->id);
		args++;
	}
	if (sink)
		buf_adds(&s->body, " FORMAT TabSeparatedWithNamesAndTypes");
	r = s->body.failed || parameters.failed
		    ? err_set(err, TACHO_ENOMEM, "no memory for a statement")
		    : server_ask(db, parameters.data, s->body.data, s->body.len, err);
	buf_free(&parameters);
	return r < 0 || !sink ? r : server_answer(db, sink, err);
}

/* By GET: for the server such a request is read-only, even if the user may write. */
static int clickhouse_query_user(struct db *db, const char *sql, const struct db_sink *sink,
				 struct tacho_error *err)
{
	const struct server *s = db->private;
	struct buf parameters = BUF_INIT, text = BUF_INIT;
	char cause[sizeof(err->text)];
	size_t len = strlen(sql);
	int r;

	while (len && strchr(" \t\r\n;", sql[len - 1]))
		len--;
	if (len > 8000)
		return err_set(err, TACHO_EUSAGE, "SQL: the statement is too long");
	parameter_database(db, &parameters);
	buf_add(&text, sql, len);
	buf_adds(&text, "\nFORMAT TabSeparatedWithNamesAndTypes");
	buf_adds(&parameters, "&query=");
	web_add_encoded(&parameters, text.data);
	r = parameters.failed || text.failed
		    ? err_set(err, TACHO_ENOMEM, "no memory for a statement")
		    : server_ask(db, parameters.data, NULL, 0, err);
	/* A refusal of the statement, not of the account. */
	if (r == TACHO_ECONNECT && db->hopeless && s->code && !code_is_account(s->code)) {
		memcpy(cause, err->text, sizeof(cause));
		r = err_set(err, TACHO_EUSAGE, "SQL: %s",
			    code_is_right(s->code) ? "a query is read-only" : cause);
	}
	buf_free(&parameters);
	buf_free(&text);
	return r < 0 ? r : server_answer(db, sink, err);
}

/* ------------------------------------------------------------------ tables */

static const char *const type_names[] = {
	[DB_U8] = "UInt8",  [DB_U16] = "UInt16",  [DB_U32] = "UInt32", [DB_U64] = "UInt64",
	[DB_I64] = "Int64", [DB_F64] = "Float64", [DB_TEXT] = "String"};

static void server_table_columns(const struct db_table *t, struct buf *sql)
{
	buf_adds(sql, " (");
	for (size_t i = 0; i < db_column_count(t); i++)
		buf_addf(sql, "%s%s %s", i ? ", " : "", t->columns[i].name,
			 type_names[t->columns[i].type]);
	buf_adds(sql, ")");
}

static int server_table_create(struct db *db, const struct db_table *t,
			       const struct db_layout *layout, struct tacho_error *err)
{
	const struct server *s = db->private;
	const char *kind = t->once ? "ReplacingMergeTree" : "MergeTree";
	const char *suffix = layout->cluster ? "_l" : "";
	struct buf sql = BUF_INIT;
	int r;

	buf_addf(&sql, "CREATE TABLE IF NOT EXISTS %s%s", t->name, suffix);
	server_table_columns(t, &sql);
	if (layout->replicated)
		buf_addf(&sql, " ENGINE = Replicated%s('/tacho/{shard}/%s/%s', '{replica}')", kind,
			 s->database, t->name);
	else
		buf_addf(&sql, " ENGINE = %s", kind);
	if (!strcmp(t->columns[1].name, "month"))
		buf_adds(&sql, " PARTITION BY month");
	buf_addf(&sql, " ORDER BY (%s)", t->key);
	r = sql.failed ? TACHO_ENOMEM : clickhouse_query(db, sql.data, NULL, NULL, err);
	if (r == 0 && layout->cluster) {
		buf_reset(&sql);
		buf_addf(&sql, "CREATE TABLE IF NOT EXISTS %s", t->name);
		server_table_columns(t, &sql);
		buf_addf(&sql, " ENGINE = Distributed(%s, %s, %s_l, %s)", layout->cluster,
			 s->database, t->name, t->sharding);
		r = sql.failed ? TACHO_ENOMEM : clickhouse_query(db, sql.data, NULL, NULL, err);
	}
	buf_free(&sql);
	return r;
}

static int clickhouse_init(struct db *db, const struct db_layout *layout, struct tacho_error *err)
{
	const struct server *s = db->private;
	const char *cluster = layout->cluster;
	struct buf sql = BUF_INIT;
	int r = 0;

	if (cluster &&
	    (!*cluster || strspn(cluster, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
					  "UVWXYZ0123456789_") != strlen(cluster)))
		return err_set(err, TACHO_EUSAGE, "--cluster: letters, digits and _");
	/* An account may lack this right but already have a database. */
	buf_addf(&sql, "CREATE DATABASE IF NOT EXISTS %s", s->database);
	server_ask(db, "", sql.data, sql.len, err);
	for (size_t i = 0; i < DB_TABLES && r == 0; i++)
		r = server_table_create(db, &db_tables[i], layout, err);
	buf_reset(&sql);
	buf_addf(&sql, "CREATE VIEW IF NOT EXISTS visible AS %s", visible);
	if (r == 0)
		r = clickhouse_query(db, sql.data, NULL, NULL, err);
	buf_reset(&sql);
	/* On each server of a cluster: its other servers may have no tables yet. */
	buf_addf(&sql,
		 "INSERT INTO meta%s (name, value) VALUES ('schema', '%d'), ('created by', 'tacho "
		 "%s')",
		 cluster ? "_l" : "", DB_SCHEMA, TACHO_VERSION);
	if (r == 0)
		r = clickhouse_query(db, sql.data, NULL, NULL, err);
	buf_free(&sql);
	return r == TACHO_ENOMEM ? err_set(err, r, "no memory for a statement") : r;
}

static int clickhouse_columns(struct db *db, const struct db_table *table,
			      const struct db_sink *sink, struct tacho_error *err)
{
	const struct server *s = db->private;
	char sql[100];
	int r;

	snprintf(sql, sizeof(sql), "DESCRIBE TABLE %s", table->name);
	r = clickhouse_query(db, sql, NULL, sink, err);
	return r < 0 && (s->code == UNKNOWN_TABLE || s->code == UNKNOWN_DATABASE) ? 0 : r;
}

/* -------------------------------------------------------------------- rows */

static void native_varint(struct buf *b, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		buf_addc(b, (char)(value | 128));
	buf_addc(b, (char)value);
}

static void native_string(struct buf *b, const char *text, size_t len)
{
	native_varint(b, len);
	buf_add(b, text, len);
}

static void native_column(struct buf *out, const struct db_block *b, size_t column)
{
	static const size_t sizes[] = {
		[DB_U8] = 1, [DB_U16] = 2, [DB_U32] = 4, [DB_U64] = 8, [DB_I64] = 8, [DB_F64] = 8};
	enum db_type type = b->table->columns[column].type;
	const uint64_t *cells = &b->cells[column * DB_BLOCK_ROWS];
	size_t size = sizes[type < DB_TEXT ? type : DB_U8];

	if (type == DB_TEXT) {
		for (size_t i = 0; i < b->n; i++) {
			uint32_t len;
			const char *text = db_block_cell_text(b, cells[i], &len);

			native_string(out, text, len);
		}
		return;
	}
	if (buf_reserve(out, b->n * size) < 0)
		return;
	if (size == 8)
		memcpy(out->data + out->len, cells, b->n * size);
	for (size_t i = 0; size < 8 && i < b->n; i++) /* little-endian, as the machine is */
		memcpy(out->data + out->len + i * size, &cells[i], size);
	out->len += b->n * size;
}

static int clickhouse_insert(struct db *db, const struct db_block *b, struct tacho_error *err)
{
	struct server *s = db->private;
	struct buf parameters = BUF_INIT, sql = BUF_INIT;
	size_t columns = db_column_count(b->table);
	int r;

	parameter_database(db, &parameters);
	buf_addf(&sql, "INSERT INTO %s (", b->table->name);
	for (size_t i = 0; i < columns; i++)
		buf_addf(&sql, "%s%s", i ? "," : "", b->table->columns[i].name);
	buf_adds(&sql, ") FORMAT Native");
	/* "OK" only after the server has stored the rows. */
	buf_adds(&parameters, "&insert_distributed_sync=1&query=");
	web_add_encoded(&parameters, sql.data);
	buf_reset(&s->body);
	native_varint(&s->body, columns);
	native_varint(&s->body, b->n);
	for (size_t i = 0; i < columns; i++) {
		const char *type = type_names[b->table->columns[i].type];

		native_string(&s->body, b->table->columns[i].name,
			      strlen(b->table->columns[i].name));
		native_string(&s->body, type, strlen(type));
		native_column(&s->body, b, i);
	}
	r = s->body.failed || parameters.failed || sql.failed
		    ? err_set(err, TACHO_ENOMEM, "no memory for a block")
		    : server_ask(db, parameters.data, s->body.data, s->body.len, err);
	buf_free(&parameters);
	buf_free(&sql);
	return r;
}

/* Of this server: a distributed table cannot delete. */
static int clickhouse_erase(struct db *db, const struct db_table *table, const uint64_t *pushes,
			    size_t n, struct tacho_error *err)
{
	const struct server *s = db->private;
	char local[64];
	const struct db_argument args[] = {{.text = s->database}, {.text = local}};
	struct buf sql = BUF_INIT;
	uint64_t distributed = 0;
	int r;

	snprintf(local, sizeof(local), "%s_l", table->name);
	r = db_query_number(db,
			    "SELECT count(*) FROM system.tables WHERE database = ? AND name = ?",
			    args, &distributed, err);
	for (size_t i = 0; i < n && r == 0; i += 1000) {
		buf_reset(&sql);
		buf_addf(&sql, "ALTER TABLE %s DELETE WHERE push IN (",
			 distributed ? local : table->name);
		for (size_t k = i; k < n && k < i + 1000; k++)
			db_add_id(&sql, db, k > i, pushes[k]);
		buf_adds(&sql, ")");
		r = sql.failed ? TACHO_ENOMEM : clickhouse_query(db, sql.data, NULL, NULL, err);
	}
	buf_free(&sql);
	return r;
}

/* There are no transactions: the manifest's row is the commit. */
static int clickhouse_begin(struct db *db, struct tacho_error *err)
{
	(void)db;
	(void)err;
	return 0;
}

static void clickhouse_rollback(struct db *db)
{
	(void)db;
}

static void clickhouse_close(struct db *db)
{
	struct server *s = db->private;

	if (!s)
		return;
	web_close(s->web);
	free(s->base);
	free(s->database);
	free(s->user);
	buf_free(&s->answer);
	buf_free(&s->body);
	buf_free(&s->url);
	free(s);
}

static const struct db_engine clickhouse_engine = {
	.query = clickhouse_query,
	.query_user = clickhouse_query_user,
	.init = clickhouse_init,
	.insert = clickhouse_insert,
	.erase = clickhouse_erase,
	.columns = clickhouse_columns,
	.begin = clickhouse_begin,
	.commit = clickhouse_begin,
	.rollback = clickhouse_rollback,
	.close = clickhouse_close,
};

int db_clickhouse_open(struct db *db, const struct db_place *place, struct tacho_error *err)
{
	const struct web_account account = {place->user, place->password, place->ca,
					    db->options.stop};
	struct server *s = calloc(1, sizeof(*s));

	db->engine = &clickhouse_engine;
	db->private = s;
	if (s) {
		s->answer = s->body = s->url = (struct buf)BUF_INIT;
		s->base = strdup(place->base);
		s->database = strdup(place->database);
		s->user = place->user ? strdup(place->user) : NULL;
	}
	if (!s || !s->base || !s->database || (place->user && !s->user))
		return err_set(err, TACHO_ENOMEM, "no memory for the database");
	return web_open(&s->web, &account, err);
}
