/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table "op": the columns of the ops report in snake case, of all files. Files may have
 * different columns, so the table is made when a statement first names it, from those of all.
 */
#include "base/fmt.h"
#include "op/csv.h"
#include "sql/private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Columns that every row has before those of the report. */
enum { OP_OWN_ID, OP_OWN_MACHINE, OP_OWN_RANK, OP_OWN };

static const char *const own_columns = "id INTEGER, machine_id INTEGER, rank INTEGER";

/* A column of the table: its name, and its field in each source (-1: none). */
struct op_column_map {
	char *name;
	int *fields; /* by source: index into op_vtab.fields[source] */
};

struct op_vtab {
	sqlite3_vtab base;
	struct sql *sql;
	struct {
		VEC(struct op_column_map);
	} columns;
	const struct op_table **tables; /* by source */
	struct op_fields *fields;
};

struct op_cursor {
	sqlite3_vtab_cursor base;
	size_t source, op;
	int64_t row;
};

int sql_source_ops(struct sql *s, struct sql_source *source, const struct op_table **table)
{
	struct op_load_options options = {0};
	int r = 0;

	if (source->trace && !source->ops_loaded) {
		r = op_load_trace(&source->loaded, source->trace, NULL, NULL, &options,
				  &s->failure);
		source->ops_loaded = true;
	}
	*table = source->trace ? &source->loaded.host.table : &source->report;
	return r == TACHO_ENO ? 0 : r; /* a trace without ops has no rows */
}

/* "DEVICE FW DURATION [ns]" becomes "device_fw_duration_ns". */
static char *op_snake(const char *title)
{
	struct buf b = BUF_INIT;

	for (; *title; title++) {
		if (isalnum((unsigned char)*title))
			buf_addc(&b, (char)tolower((unsigned char)*title));
		else if (b.len && b.data[b.len - 1] != '_')
			buf_addc(&b, '_');
	}
	while (b.len && b.data[b.len - 1] == '_')
		b.data[--b.len] = 0;
	return buf_detach(&b);
}

static struct op_column_map *op_map_find(struct op_vtab *v, const char *name)
{
	for (size_t i = 0; i < v->columns.n; i++)
		if (!strcmp(v->columns.v[i].name, name))
			return &v->columns.v[i];
	return NULL;
}

/* Adds field I of a source; a name that the source has twice gets a number. */
static int op_map_add(struct op_vtab *v, size_t source, int i)
{
	size_t n = v->sql->sources.n;
	struct op_column_map *m, new = {0};
	struct buf title = BUF_INIT;

	op_field_name(v->tables[source], v->fields[source].v[i], &title);
	new.name = op_snake(title.data);
	for (int again = 2; new.name && (m = op_map_find(v, new.name)) && m->fields[source] >= 0;
	     again++) {
		free(new.name);
		buf_addf(&title, " %d", again);
		new.name = op_snake(title.data);
	}
	buf_free(&title);
	if (!new.name)
		return TACHO_ENOMEM;
	if (m) {
		free(new.name);
	} else {
		new.fields = malloc(n * sizeof(*new.fields));
		if (!new.fields || vec_push(&v->columns, new) < 0) {
			free(new.name);
			free(new.fields);
			return TACHO_ENOMEM;
		}
		memset(new.fields, -1, n * sizeof(*new.fields));
		m = &v->columns.v[v->columns.n - 1];
	}
	m->fields[source] = i;
	return 0;
}

static int op_disconnect(sqlite3_vtab *vtab)
{
	struct op_vtab *v = (struct op_vtab *)vtab;

	for (size_t i = 0; i < v->columns.n; i++) {
		free(v->columns.v[i].name);
		free(v->columns.v[i].fields);
	}
	vec_free(&v->columns);
	for (size_t i = 0; v->fields && i < v->sql->sources.n; i++)
		vec_free(&v->fields[i]);
	free(v->fields);
	free(v->tables);
	free(v);
	return SQLITE_OK;
}

static int op_columns_collect(struct op_vtab *v)
{
	struct sql *s = v->sql;
	int r = 0;

	v->tables = calloc(s->sources.n + 1, sizeof(*v->tables));
	v->fields = calloc(s->sources.n + 1, sizeof(*v->fields));
	if (!v->tables || !v->fields)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < s->sources.n && r == 0; i++) {
		r = sql_source_ops(s, &s->sources.v[i], &v->tables[i]);
		if (r == 0 && v->tables[i]->ops.n)
			r = op_table_fields(v->tables[i], &v->fields[i]);
		for (size_t k = 0; k < v->fields[i].n && r == 0; k++)
			r = op_map_add(v, i, (int)k);
	}
	/* Without ops the table has the columns of an empty report, so that queries still run. */
	for (int k = 0; k < OP_COLUMNS && v->columns.n == 0 && r == 0; k++)
		for (k = 0; k < OP_COLUMNS && r == 0; k++) {
			struct op_column_map m = {op_snake(op_columns[k].name), NULL};

			r = m.name ? vec_push(&v->columns, m) : TACHO_ENOMEM;
		}
	return r;
}

static int op_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
		      sqlite3_vtab **out, char **message)
{
	struct op_vtab *v = calloc(1, sizeof(*v));
	struct buf schema = BUF_INIT;
	int r;

	(void)argc;
	(void)argv;
	if (!v)
		return SQLITE_NOMEM;
	v->sql = data;
	r = op_columns_collect(v);
	if (r < 0) {
		*message = sqlite3_mprintf("%s", v->sql->failure.text[0] ? v->sql->failure.text
									 : err_text(r));
		op_disconnect(&v->base);
		return r == TACHO_ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
	}
	buf_addf(&schema, "CREATE TABLE x(%s", own_columns);
	for (size_t i = 0; i < v->columns.n; i++)
		buf_addf(&schema, ", \"%s\"", v->columns.v[i].name);
	buf_adds(&schema, ")");
	r = schema.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, schema.data);
	buf_free(&schema);
	if (r != SQLITE_OK)
		op_disconnect(&v->base);
	else
		*out = &v->base;
	return r;
}

static int op_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct op_vtab *v = (struct op_vtab *)vtab;
	double rows = 1;

	for (size_t i = 0; i < v->sql->sources.n; i++)
		rows += (double)v->tables[i]->ops.n;
	info->estimatedCost = rows;
	info->estimatedRows = (sqlite3_int64)rows;
	return SQLITE_OK;
}

static int op_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct op_cursor *c = calloc(1, sizeof(*c));

	(void)vtab;
	if (!c)
		return SQLITE_NOMEM;
	*out = &c->base;
	return SQLITE_OK;
}

static int op_close(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

/* Skips sources without a further op. */
static void op_settle(struct op_cursor *c)
{
	const struct op_vtab *v = (struct op_vtab *)c->base.pVtab;

	while (c->source < v->sql->sources.n && c->op >= v->tables[c->source]->ops.n) {
		c->source++;
		c->op = 0;
	}
}

static int op_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		     sqlite3_value **argv)
{
	struct op_cursor *c = (struct op_cursor *)cursor;

	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	c->source = c->op = 0;
	c->row = 0;
	op_settle(c);
	return SQLITE_OK;
}

static int op_next(sqlite3_vtab_cursor *cursor)
{
	struct op_cursor *c = (struct op_cursor *)cursor;

	c->op++;
	c->row++;
	op_settle(c);
	return SQLITE_OK;
}

static int op_eof(sqlite3_vtab_cursor *cursor)
{
	const struct op_cursor *c = (struct op_cursor *)cursor;

	return c->source >= ((struct op_vtab *)cursor->pVtab)->sql->sources.n;
}

/* A text that is a number in full becomes one: reports write some figures as text. */
static void op_text_out(struct op_text text, sqlite3_context *out)
{
	char digits[64], *end;
	long long integer;
	double real;

	if (text.len && text.len < sizeof(digits)) {
		memcpy(digits, text.text, text.len);
		digits[text.len] = 0;
		integer = strtoll(digits, &end, 10);
		if (!*end && text.len < 19) {
			sqlite3_result_int64(out, integer);
			return;
		}
		real = strtod(digits, &end);
		if (!*end && (isdigit((unsigned char)digits[0]) || digits[0] == '-')) {
			sqlite3_result_double(out, real);
			return;
		}
	}
	sqlite3_result_text(out, text.text, (int)text.len, SQLITE_STATIC);
}

static int op_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
	const struct op_cursor *c = (struct op_cursor *)cursor;
	const struct op_vtab *v = (struct op_vtab *)cursor->pVtab;
	const struct op_table *t = v->tables[c->source];
	const struct trace *trace = v->sql->sources.v[c->source].trace;
	const struct op_column_map *m;
	struct op_value value;
	const char *rank;

	switch (column) {
	case OP_OWN_ID:
		sqlite3_result_int64(out, (int64_t)c->source << 32 | (int64_t)(c->op + 1));
		return SQLITE_OK;
	case OP_OWN_MACHINE:
		sqlite3_result_int64(out, (int64_t)c->source);
		return SQLITE_OK;
	case OP_OWN_RANK:
		rank = trace ? trace_property(trace, "rank") : NULL;
		if (rank)
			sqlite3_result_int64(out, strtoll(rank, NULL, 10));
		return SQLITE_OK;
	}
	m = &v->columns.v[column - OP_OWN];
	if (!m->fields || m->fields[c->source] < 0)
		return SQLITE_OK;
	value = op_value(t, &t->ops.v[c->op], v->fields[c->source].v[m->fields[c->source]]);
	if (value.type == OP_INT)
		sqlite3_result_int64(out, value.integer);
	else if (value.type == OP_REAL)
		sqlite3_result_double(out, value.real);
	else if (value.type == OP_TEXT)
		op_text_out(value.text, out);
	return SQLITE_OK;
}

static int op_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	*id = ((struct op_cursor *)cursor)->row;
	return SQLITE_OK;
}

static const sqlite3_module op_module = {
	.xConnect = op_connect,
	.xBestIndex = op_best_index,
	.xDisconnect = op_disconnect,
	.xOpen = op_open,
	.xClose = op_close,
	.xFilter = op_filter,
	.xNext = op_next,
	.xEof = op_eof,
	.xColumn = op_column,
	.xRowid = op_rowid,
};

int sql_ops_register(struct sql *s)
{
	return sqlite3_create_module(s->db, "op", &op_module, s) == SQLITE_OK ? 0 : TACHO_ENOMEM;
}
