/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table "op": the columns of the ops report in snake case, of all files. Files may have
 * different columns, so the table is made when a statement first names it, from those of all.
 */
#include "base/fmt.h"
#include "op/csv.h"
#include "op/trace_cores.h"
#include "sql/private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Columns that every row has before those of the report. */
enum { OP_OWN_ID, OP_OWN_MACHINE, OP_OWN_RANK, OP_OWN_UPID, OP_OWN };

static const char *const own_columns = "id INTEGER, machine_id INTEGER, rank INTEGER, upid INTEGER";

/* The ops of one process or report. */
struct op_set {
	size_t source;
	uint32_t process; /* TRACE_NONE: unknown */
	const struct op_table *table;
	struct op_fields fields;
};

/* A column of the table: its name, and its field in each set (-1: none). */
struct op_column_map {
	char *name;
	int *fields; /* index into op_set.fields */
};

struct op_vtab {
	sqlite3_vtab base;
	struct sql *sql;
	struct {
		VEC(struct op_column_map);
	} columns;
	struct {
		VEC(struct op_set);
	} sets;
};

struct op_cursor {
	sqlite3_vtab_cursor base;
	size_t set, op;
	int64_t row;
};

/* Appends the ops of the tracks that are not 0; NULL: of all. */
static int source_ops_add(struct sql *s, struct sql_source *source, uint32_t process,
			  const uint8_t *tracks)
{
	const struct op_load_options options = {0};
	struct sql_ops ops = {process, calloc(1, sizeof(*ops.loaded))};
	int r;

	if (!ops.loaded)
		return TACHO_ENOMEM;
	r = op_load_trace(ops.loaded, source->trace, tracks, NULL, &options, &s->failure);
	if (r == 0 && vec_push(&source->ops, ops) == 0)
		return 0;
	op_loaded_free(ops.loaded);
	free(ops.loaded);
	return r == TACHO_ENO ? 0 : r < 0 ? r : TACHO_ENOMEM; /* no ops, no rows */
}

int sql_source_ops(struct sql *s, struct sql_source *source)
{
	uint32_t process = TRACE_NONE;
	uint8_t *tracks;
	int r = 0;

	if (source->ops.n || !source->trace)
		return 0;
	if (op_device_process(source->trace, NULL, TRACE_NONE) == TRACE_NONE)
		return source_ops_add(s, source, TRACE_NONE, NULL);
	tracks = malloc(source->trace->track_count + 1);
	if (!tracks)
		return TACHO_ENOMEM;
	while (r == 0 &&
	       (process = op_device_process(source->trace, NULL, process)) != TRACE_NONE) {
		op_process_tracks(source->trace, NULL, process, tracks);
		r = source_ops_add(s, source, process, tracks);
	}
	free(tracks);
	return r;
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

/* Adds field I of a set; a name that the set has twice gets a number. */
static int op_map_add(struct op_vtab *v, size_t set, int i)
{
	const struct op_set *from = &v->sets.v[set];
	struct op_column_map *m = NULL, new = {0};
	struct buf title = BUF_INIT;

	op_field_name(from->table, from->fields.v[i], &title);
	new.name = op_snake(title.data);
	for (int again = 2; new.name && (m = op_map_find(v, new.name)) && m->fields[set] >= 0;
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
		new.fields = malloc(v->sets.n * sizeof(*new.fields));
		if (!new.fields || vec_push(&v->columns, new) < 0) {
			free(new.name);
			free(new.fields);
			return TACHO_ENOMEM;
		}
		memset(new.fields, -1, v->sets.n * sizeof(*new.fields));
		m = &v->columns.v[v->columns.n - 1];
	}
	m->fields[set] = i;
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
	for (size_t i = 0; i < v->sets.n; i++)
		vec_free(&v->sets.v[i].fields);
	vec_free(&v->sets);
	free(v);
	return SQLITE_OK;
}

static int op_sets_collect(struct op_vtab *v)
{
	struct sql *s = v->sql;
	int r = 0;

	for (size_t i = 0; i < s->sources.n && r == 0; i++) {
		struct sql_source *f = &s->sources.v[i];

		if (!f->trace)
			r = vec_push(&v->sets, ((struct op_set){i, TRACE_NONE, &f->report, {0}}));
		else
			r = sql_source_ops(s, f);
		for (size_t k = 0; k < f->ops.n && r == 0; k++)
			r = vec_push(&v->sets, ((struct op_set){i,
								f->ops.v[k].process,
								&f->ops.v[k].loaded->host.table,
								{0}}));
	}
	return r;
}

static int op_columns_collect(struct op_vtab *v)
{
	int r = op_sets_collect(v);

	for (size_t i = 0; i < v->sets.n && r == 0; i++) {
		struct op_set *set = &v->sets.v[i];

		if (set->table->ops.n)
			r = op_table_fields(set->table, &set->fields);
		for (size_t k = 0; k < set->fields.n && r == 0; k++)
			r = op_map_add(v, i, (int)k);
	}
	/* Without ops the table has the columns of an empty report, so that queries still run. */
	if (v->columns.n == 0)
		for (int k = 0; k < OP_COLUMNS && r == 0; k++) {
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

	for (size_t i = 0; i < v->sets.n; i++)
		rows += (double)v->sets.v[i].table->ops.n;
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

/* Skips sets without a further op. */
static void op_settle(struct op_cursor *c)
{
	const struct op_vtab *v = (struct op_vtab *)c->base.pVtab;

	while (c->set < v->sets.n && c->op >= v->sets.v[c->set].table->ops.n) {
		c->set++;
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
	c->set = c->op = 0;
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

	return c->set >= ((struct op_vtab *)cursor->pVtab)->sets.n;
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
	const struct op_set *set = &v->sets.v[c->set];
	const struct trace *trace = v->sql->sources.v[set->source].trace;
	const struct op_column_map *m;
	struct op_value value;
	const char *rank;

	switch (column) {
	case OP_OWN_ID:
		sqlite3_result_int64(out, (int64_t)set->source << 32 | (c->row + 1));
		return SQLITE_OK;
	case OP_OWN_MACHINE:
		sqlite3_result_int64(out, (int64_t)set->source);
		return SQLITE_OK;
	case OP_OWN_RANK:
		rank = trace ? trace_property(trace, "rank") : NULL;
		if (rank)
			sqlite3_result_int64(out, strtoll(rank, NULL, 10));
		return SQLITE_OK;
	case OP_OWN_UPID:
		if (set->process != TRACE_NONE)
			sqlite3_result_int64(out, (int64_t)set->source << 32 | set->process);
		return SQLITE_OK;
	}
	m = &v->columns.v[column - OP_OWN];
	if (!m->fields || m->fields[c->set] < 0)
		return SQLITE_OK;
	value = op_value(set->table, &set->table->ops.v[c->op], set->fields.v[m->fields[c->set]]);
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
