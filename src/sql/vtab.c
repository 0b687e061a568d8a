/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite module of all virtual tables: schemas, conditions, cursors. */
#include "sql/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct vtab {
	sqlite3_vtab base;
	struct sql *sql;
	const struct sql_table *table;
};

/* The argument of sqlite3_create_module_v2(). */
struct module {
	struct sql *sql;
	const struct sql_table *table;
};

int sql_fail(struct sql *s, sqlite3_vtab *vtab, int code)
{
	const char *text = s->failure.text[0] ? s->failure.text : err_text(code);

	s->failure.code = code;
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("%s", text);
	return code == TACHO_ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int vtab_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
			sqlite3_vtab **out, char **message)
{
	const struct module *m = data;
	struct buf schema = BUF_INIT;
	struct vtab *v = sqlite3_malloc(sizeof(*v));
	int r = SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)message;
	buf_adds(&schema, "CREATE TABLE x(");
	for (const struct sql_column *c = m->table->columns; c->declaration; c++)
		buf_addf(&schema, "%s%s%s", c == m->table->columns ? "" : ", ", c->declaration,
			 c->takes & SQL_ARG ? " HIDDEN" : "");
	buf_adds(&schema, ")");
	if (v && !schema.failed)
		r = sqlite3_declare_vtab(db, schema.data);
	buf_free(&schema);
	if (r != SQLITE_OK) {
		sqlite3_free(v);
		return r;
	}
	*v = (struct vtab){.sql = m->sql, .table = m->table};
	*out = &v->base;
	return SQLITE_OK;
}

static int vtab_disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

/* ------------------------------------------------------------ conditions */

/* True if the table can use the condition. */
static bool is_useful(const struct sql_column *column, int op)
{
	if (op == SQLITE_INDEX_CONSTRAINT_EQ)
		return column->takes & (SQL_EQ | SQL_KEY | SQL_ARG);
	return (column->takes & SQL_RANGE) &&
	       (op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ||
		op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE);
}

/* True if the rows are sorted as the statement requires. FIXED: columns that have one value. */
static bool is_sorted(const struct sql_table *table, const sqlite3_index_info *info, uint64_t fixed)
{
	int at = 0;

	for (int i = 0; i < info->nOrderBy; i++) {
		int column = info->aOrderBy[i].iColumn;

		while (at < 2 && table->order[at] >= 0 && table->order[at] != column &&
		       fixed >> table->order[at] & 1)
			at++;
		if (at == 2 || table->order[at] != column || info->aOrderBy[i].desc)
			return false;
		at++;
	}
	return info->nOrderBy > 0;
}

/*
 * The chosen conditions go to xFilter as pairs of characters in idxStr: column and operator. A
 * condition on text compares bytes, so another collation is left to SQLite.
 */
static int vtab_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct sql_table *table = ((struct vtab *)vtab)->table;
	double rows = table->rows(((struct vtab *)vtab)->sql) + 1, cost = rows;
	char *text = sqlite3_malloc(2 * info->nConstraint + 1);
	uint64_t fixed = 0;
	int n = 0;

	if (!text)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		const struct sql_column *column;

		if (c->iColumn < 0 || c->iColumn >= SQL_COLUMNS)
			continue;
		column = &table->columns[c->iColumn];
		if (!is_useful(column, c->op))
			continue;
		if (!c->usable) {
			if (!(column->takes & SQL_ARG))
				continue;
			sqlite3_free(text); /* an argument must be known first */
			return SQLITE_CONSTRAINT;
		}
		if (sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY"))
			continue;
		if (column->takes & SQL_EXACT && fixed >> c->iColumn & 1)
			continue; /* two texts: SQLite compares the second */
		text[2 * n] = (char)('A' + c->iColumn);
		text[2 * n + 1] = (char)c->op;
		info->aConstraintUsage[i].argvIndex = ++n;
		info->aConstraintUsage[i].omit = !!(column->takes & (SQL_ARG | SQL_EXACT));
		if (c->op == SQLITE_INDEX_CONSTRAINT_EQ)
			fixed |= 1ull << c->iColumn;
		if (column->takes & SQL_KEY && c->op == SQLITE_INDEX_CONSTRAINT_EQ)
			rows = cost = 1;
		rows = fmax(1, rows / (c->op == SQLITE_INDEX_CONSTRAINT_EQ ? 50 : 4));
		/* A name is compared with every row; the others are found. */
		cost = column->takes & SQL_EXACT ? cost / 2 : rows;
	}
	text[2 * n] = 0;
	info->idxStr = text;
	info->needToFreeIdxStr = 1;
	info->orderByConsumed = is_sorted(table, info, fixed);
	info->estimatedRows = (sqlite3_int64)rows;
	info->estimatedCost = cost;
	info->idxNum = (int)(info->colUsed & 0x7fffffff);
	return SQLITE_OK;
}

/* False: no value of a column compares so with VALUE, which SQLite finds out by itself. */
static bool bound_number(struct sql_bound *b, int op, sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);
	double real = sqlite3_value_double(value);
	int64_t low, high;

	if (type == SQLITE_INTEGER) {
		low = high = sqlite3_value_int64(value);
	} else if (type == SQLITE_FLOAT && fabs(real) < 9e18) {
		low = (int64_t)ceil(real);
		high = (int64_t)floor(real);
	} else {
		return false;
	}
	/* "> 2" is ">= 2" here: SQLite drops the equal ones. */
	if (op != SQLITE_INDEX_CONSTRAINT_LT && op != SQLITE_INDEX_CONSTRAINT_LE && low > b->low)
		b->low = low;
	if (op != SQLITE_INDEX_CONSTRAINT_GT && op != SQLITE_INDEX_CONSTRAINT_GE && high < b->high)
		b->high = high;
	return true;
}

/* Texts are copied: the value belongs to the statement. */
static int bound_set(struct sql_bound *b, const struct sql_column *column, int op,
		     sqlite3_value *value)
{
	bool text = column->takes & SQL_EXACT || sqlite3_value_type(value) == SQLITE_TEXT;

	if (!text) {
		b->given |= bound_number(b, op, value);
	} else if (op == SQLITE_INDEX_CONSTRAINT_EQ && !b->text) {
		b->text = sqlite3_mprintf("%s", (const char *)sqlite3_value_text(value));
		b->given = true;
		return b->text ? SQLITE_OK : SQLITE_NOMEM;
	}
	return SQLITE_OK;
}

/* --------------------------------------------------------------- cursors */

static int vtab_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	const struct vtab *v = (struct vtab *)vtab;
	struct sql_cursor *c = calloc(1, v->table->cursor_size);

	if (!c)
		return SQLITE_NOMEM;
	c->sql = v->sql;
	c->table = v->table;
	*out = &c->base;
	return SQLITE_OK;
}

/* Frees what the last filter made and zeroes the table's part. */
static void cursor_reset(struct sql_cursor *c)
{
	if (c->table->close)
		c->table->close(c);
	memset((char *)c + sizeof(*c), 0, c->table->cursor_size - sizeof(*c));
	for (int i = 0; i < SQL_COLUMNS; i++) {
		sqlite3_free((char *)c->bounds[i].text);
		c->bounds[i] = (struct sql_bound){.low = INT64_MIN, .high = INT64_MAX};
	}
	c->row = 0;
	c->end = false;
	c->source = 0;
	c->index = UINT32_MAX; /* before the first */
}

static int vtab_close(sqlite3_vtab_cursor *cursor)
{
	struct sql_cursor *c = (struct sql_cursor *)cursor;

	cursor_reset(c);
	free(c);
	return SQLITE_OK;
}

static int cursor_step(struct sql_cursor *c)
{
	int r = c->table->next(c);

	if (r < 0)
		return sql_fail(c->sql, c->base.pVtab, r);
	c->end = r == 0;
	return SQLITE_OK;
}

static int vtab_next(sqlite3_vtab_cursor *cursor)
{
	struct sql_cursor *c = (struct sql_cursor *)cursor;

	c->row++;
	return cursor_step(c);
}

static int vtab_filter(sqlite3_vtab_cursor *cursor, int used, const char *conditions, int argc,
		       sqlite3_value **argv)
{
	struct sql_cursor *c = (struct sql_cursor *)cursor;
	int r;

	cursor_reset(c);
	c->used = (uint64_t)used;
	for (int i = 0; i < argc; i++) {
		int column = conditions[2 * i] - 'A';
		const struct sql_column *def = &c->table->columns[column];

		/* Nothing equals NULL. An argument that is NULL was not given. */
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
			c->end |= !(def->takes & SQL_ARG);
			continue;
		}
		r = bound_set(&c->bounds[column], def, conditions[2 * i + 1], argv[i]);
		if (r != SQLITE_OK)
			return r;
	}
	if (c->end)
		return SQLITE_OK;
	r = c->table->open ? c->table->open(c) : 0;
	if (r < 0)
		return sql_fail(c->sql, cursor->pVtab, r);
	return cursor_step(c);
}

static int vtab_eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct sql_cursor *)cursor)->end;
}

static int vtab_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
	struct sql_cursor *c = (struct sql_cursor *)cursor;
	const struct sql_bound *b;

	if (!(c->table->columns[column].takes & SQL_ARG)) {
		c->table->value(c, column, out);
		return SQLITE_OK;
	}
	/* Arguments are what was given. */
	b = &c->bounds[column];
	if (b->text)
		sqlite3_result_text(out, b->text, -1, SQLITE_TRANSIENT);
	else if (b->given)
		sqlite3_result_int64(out, b->low);
	return SQLITE_OK;
}

static int vtab_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	*id = ((struct sql_cursor *)cursor)->row;
	return SQLITE_OK;
}

/* Without xCreate a table exists under its own name at once. */
static const sqlite3_module vtab_module = {
	.iVersion = 0,
	.xConnect = vtab_connect,
	.xBestIndex = vtab_best_index,
	.xDisconnect = vtab_disconnect,
	.xOpen = vtab_open,
	.xClose = vtab_close,
	.xFilter = vtab_filter,
	.xNext = vtab_next,
	.xEof = vtab_eof,
	.xColumn = vtab_column,
	.xRowid = vtab_rowid,
};

int sql_table_register(struct sql *s, const struct sql_table *table)
{
	struct module *m = malloc(sizeof(*m));

	if (!m)
		return TACHO_ENOMEM;
	*m = (struct module){s, table};
	/* SQLite frees M, also when this fails. */
	return sqlite3_create_module_v2(s->db, table->name, &vtab_module, m, free) == SQLITE_OK
		       ? 0
		       : TACHO_ENOMEM;
}
