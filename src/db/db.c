/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a database, checks its tables, removes runs and the rows of failed pushes. */
#include "base/map.h"
#include "db/private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

int db_open(struct db **out, const struct db_options *options, struct tacho_error *err)
{
	struct db *db = calloc(1, sizeof(*db));
	struct db_place place = {0};
	int r;

	if (!db)
		return err_set(err, TACHO_ENOMEM, "no memory for the database");
	db->options = *options;
	r = db_place_find(&place, options->url, err);
	if (r == 0) {
		db->name = strdup(place.url);
		r = !db->name    ? err_set(err, TACHO_ENOMEM, "no memory for the database")
		    : place.path ? db_sqlite_open(db, &place, err)
				 : db_clickhouse_open(db, &place, err);
	}
	if (r == 0 && !options->any_schema)
		r = db_schema_check(db, err);
	db_place_free(&place);
	if (r < 0)
		db_close(db);
	else
		*out = db;
	return r;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	if (db->engine)
		db->engine->close(db);
	free(db->name);
	free(db);
}

const char *db_name(const struct db *db)
{
	return db->name;
}

int db_query_own(struct db *db, const char *sql, const struct db_argument *args,
		 const struct db_sink *sink, struct tacho_error *err)
{
	return db->engine->query(db, sql, args, sink, err);
}

int db_query(struct db *db, const char *sql, const struct db_sink *sink, struct tacho_error *err)
{
	return db->engine->query_user(db, sql, sink, err);
}

static int number_row(void *context, const struct db_value *values, size_t n)
{
	if (n)
		*(uint64_t *)context = values[0].bits;
	return 0;
}

int db_query_number(struct db *db, const char *sql, const struct db_argument *args,
		    uint64_t *number, struct tacho_error *err)
{
	const struct db_sink sink = {number, NULL, number_row};

	*number = 0;
	return db_query_own(db, sql, args, &sink, err);
}

void db_add_id(struct buf *sql, const struct db *db, bool comma, uint64_t id)
{
	if (db->engine->signed_ids)
		buf_addf(sql, "%s%lld", comma ? "," : "", (long long)id);
	else
		buf_addf(sql, "%s%llu", comma ? "," : "", (unsigned long long)id);
}

int64_t db_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

uint64_t db_text_id(const char *text, size_t len)
{
	return XXH3_64bits(text, len);
}

/* ------------------------------------------------------------------ schema */

struct column_check {
	const struct db_table *table;
	uint32_t seen; /* a bit for each column */
	bool any;
};

static int column_row(void *context, const struct db_value *values, size_t n)
{
	struct column_check *c = context;

	c->any = true;
	for (size_t i = 0; n && values[0].text && i < db_column_count(c->table); i++)
		if (!strcmp(values[0].text, c->table->columns[i].name))
			c->seen |= 1u << i;
	return 0;
}

static int version_row(void *context, const struct db_value *values, size_t n)
{
	if (n && values[0].text)
		*(int *)context = atoi(values[0].text);
	return 0;
}

/* An administrator may have added columns. */
int db_schema_check(struct db *db, struct tacho_error *err)
{
	int version = 0, r;
	const struct db_sink versions = {&version, NULL, version_row};

	for (size_t t = 0; t < DB_TABLES; t++) {
		struct column_check check = {.table = &db_tables[t]};
		const struct db_sink sink = {&check, NULL, column_row};

		r = db->engine->columns(db, check.table, &sink, err);
		if (r < 0)
			return r;
		if (!check.any)
			return err_set(err, TACHO_EFORMAT,
				       "%s has no table %s; 'tacho db init' makes the tables",
				       db->name, check.table->name);
		for (size_t i = 0; i < db_column_count(check.table); i++)
			if (!(check.seen >> i & 1))
				return err_set(err, TACHO_EFORMAT,
					       "%s: the table %s has no column %s: it is not of "
					       "this version",
					       db->name, check.table->name,
					       check.table->columns[i].name);
		if (t > DB_TABLE_META)
			continue;
		r = db_query_own(db, "SELECT value FROM meta WHERE name = 'schema'", NULL,
				 &versions, err);
		if (r < 0)
			return r;
		if (version != DB_SCHEMA)
			return err_set(err, version > DB_SCHEMA ? TACHO_EVERSION : TACHO_EFORMAT,
				       "%s has tables of version %d, this program uses version %d",
				       db->name, version, DB_SCHEMA);
	}
	return 0;
}

int db_init(struct db *db, const struct db_layout *layout, struct tacho_error *err)
{
	int r = db->engine->init(db, layout, err);

	/* The other servers of a cluster may have no tables yet. */
	return r < 0 || layout->cluster ? r : db_schema_check(db, err);
}

/* ---------------------------------------------------------------- removing */

struct push_list {
	VEC(uint64_t);
};

/* State of a push in the manifest: bit 0: it has a row, bit 1: the row counts. */
enum { PUSH_LISTED = 1, PUSH_VISIBLE = 2 };

struct garbage {
	struct db *db;
	struct map known;
	int64_t before;
	struct push_list list;
};

static int listed_row(void *context, const struct db_value *values, size_t n)
{
	return n ? map_set(context, values[0].bits, PUSH_LISTED) : 0;
}

static int label_row(void *context, const struct db_value *values, size_t n)
{
	struct garbage *g = context;
	const uint32_t *state = n == 2 ? map_get(&g->known, values[0].bits) : NULL;

	if (n != 2 || !values[1].text)
		return 0;
	if (state ? *state & PUSH_VISIBLE : strtoll(values[1].text, NULL, 10) >= g->before)
		return 0;
	return vec_push(&g->list, values[0].bits);
}

static int garbage_find(struct garbage *g, struct tacho_error *err)
{
	const struct db_sink listed = {&g->known, NULL, listed_row};
	const struct db_sink labels = {g, NULL, label_row};
	struct db_runs runs = {0};
	int r = db_query_own(g->db, "SELECT push FROM part", NULL, &listed, err);

	if (r == 0)
		r = db_runs_read(g->db, &(struct db_filter){.dirty = true}, &runs, err);
	for (size_t i = 0; i < runs.parts.n && r == 0; i++)
		r = map_set(&g->known, runs.parts.v[i].push, PUSH_LISTED | PUSH_VISIBLE);
	if (r == 0)
		r = db_query_own(g->db, "SELECT push, value FROM label WHERE name = 'pushed at'",
				 NULL, &labels, err);
	db_runs_free(&runs);
	return r;
}

/*
 * A push writes a label with its time first: with one and without a row in the manifest it has
 * failed, or is under way. The manifest keeps its rows: a push that was removed stays so.
 */
int db_gc(struct db *db, int64_t age_ns, uint64_t *pushes, struct tacho_error *err)
{
	struct garbage g = {.db = db, .before = db_now() - age_ns};
	int r = db->engine->begin(db, err);

	if (r == 0)
		r = garbage_find(&g, err);
	for (size_t t = DB_TABLES; t-- > 0 && r == 0 && g.list.n;)
		if (db_tables[t].pushed && t != DB_TABLE_PART)
			r = db->engine->erase(db, &db_tables[t], g.list.v, g.list.n, err);
	if (r == 0)
		r = db->engine->commit(db, err);
	if (r < 0)
		db->engine->rollback(db);
	else
		*pushes = g.list.n;
	map_free(&g.known);
	vec_free(&g.list);
	return r;
}
