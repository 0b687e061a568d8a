/* SPDX-License-Identifier: Apache-2.0 */
/* Series: the value of each op, zone and metric in each run. */
#include "base/order.h"
#include "db/private.h"
#include "fleet/fleet.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define PUSHES_AT_ONCE 2000
#define TEXTS_AT_ONCE  500

struct series_reader {
	struct db *db;
	const struct db_filter *filter;
	const struct db_runs *runs;
	struct db_series_list *list;
	enum db_kind kind;
	struct map ids;    /* of series */
	struct map pushes; /* push -> run */
	struct map texts;  /* text id -> index in words */
	struct {
		VEC(const char *);
	} words;
	struct {
		VEC(struct db_series_ids);
	} names; /* by series */
};

struct db_series_ids {
	uint64_t name, detail;
	bool collective, dropped;
};

/* The order of the columns of all queries. */
enum { ROW_PUSH, ROW_NAME, ROW_DETAIL, ROW_HIGH, ROW_LOW, ROW_COUNT, ROW_CELLS };

static const char *const queries[] = {
	[DB_OP] =
		"SELECT push, name, sig, max(med_ns) AS high, min(med_ns) AS low, sum(n) AS amount "
		"FROM op_stat WHERE push IN (%s) GROUP BY push, name, sig",
	[DB_ZONE] =
		"SELECT push, name, file, max(med_ns) AS high, min(med_ns) AS low, sum(n) AS amount "
		"FROM zone_stat WHERE push IN (%s) GROUP BY push, name, file",
	[DB_METRIC] =
		"SELECT push, name, unit, value, value, better FROM metric WHERE push IN (%s)",
};

/* High and low of a point until the name shows which counts. */
static int series_row(void *context, const struct db_value *v, size_t n)
{
	struct series_reader *s = context;
	uint64_t detail = s->kind == DB_METRIC ? 0 : v[ROW_DETAIL].bits;
	const uint64_t parts[] = {s->kind, v[ROW_NAME].bits, detail};
	uint64_t id = XXH3_64bits(parts, sizeof(parts));
	const uint32_t *known, *run = map_get(&s->pushes, v[ROW_PUSH].bits);
	struct db_series new = {.id = id, .kind = s->kind, .better = -1};
	struct db_series *series;
	uint64_t key;

	if (n < ROW_CELLS || !run)
		return 0;
	new.group = s->runs->v[*run].group;
	key = XXH3_64bits_withSeed(&id, sizeof(id), new.group);
	known = map_get(&s->ids, key);
	if (!known) {
		if (s->kind == DB_METRIC) {
			new.better = (int)v[ROW_COUNT].real;
			new.detail =
				arena_add(&s->list->arena, v[ROW_DETAIL].text, v[ROW_DETAIL].len);
		}
		if (map_set(&s->ids, key, (uint32_t)s->list->n) < 0 || vec_push(s->list, new) < 0 ||
		    vec_push(&s->names,
			     ((struct db_series_ids){v[ROW_NAME].bits, detail, false, false})) < 0)
			return TACHO_ENOMEM;
		known = map_get(&s->ids, key);
	}
	series = &s->list->v[*known];
	if (vec_push(series, ((struct db_point){*run, v[ROW_HIGH].real, v[ROW_COUNT].bits})) < 0)
		return TACHO_ENOMEM;
	return v[ROW_LOW].real == v[ROW_HIGH].real
		       ? 0
		       : vec_push(series, ((struct db_point){*run, v[ROW_LOW].real, 0}));
}

static int rows_read(struct series_reader *s, const struct db_runs *runs, enum db_kind kind,
		     struct tacho_error *err)
{
	const struct db_sink sink = {s, NULL, series_row};
	struct buf pushes = BUF_INIT;
	int r = 0;

	s->kind = kind;
	for (size_t i = 0; i < runs->parts.n && r == 0; i += PUSHES_AT_ONCE) {
		char *sql = NULL;

		buf_reset(&pushes);
		for (size_t k = i; k < runs->parts.n && k < i + PUSHES_AT_ONCE; k++)
			db_add_id(&pushes, s->db, k > i, runs->parts.v[k].push);
		if (pushes.failed || asprintf(&sql, queries[kind], pushes.data) < 0)
			r = TACHO_ENOMEM;
		else
			r = db_query_own(s->db, sql, NULL, &sink, err);
		free(sql);
	}
	buf_free(&pushes);
	return r;
}

/* ------------------------------------------------------------------- names */

static int word_row(void *context, const struct db_value *v, size_t n)
{
	struct series_reader *s = context;
	const char *text;

	if (n != 2 || !v[1].text)
		return 0;
	text = arena_add(&s->list->arena, v[1].text, v[1].len);
	if (!text || map_set(&s->texts, v[0].bits, (uint32_t)s->words.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&s->words, text);
}

static int texts_read(struct series_reader *s, struct tacho_error *err)
{
	const struct db_sink sink = {s, NULL, word_row};
	struct map seen = {0};
	struct buf ids = BUF_INIT;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i <= 2 * s->names.n && r == 0; i++) {
		bool last = i == 2 * s->names.n;
		uint64_t id = last ? 0 : i % 2 ? s->names.v[i / 2].detail : s->names.v[i / 2].name;

		if (!last && !map_get(&seen, id)) {
			r = map_set(&seen, id, 1);
			db_add_id(&ids, s->db, n++ > 0, id);
		}
		if (r == 0 && n && (last || n == TEXTS_AT_ONCE)) {
			char *sql = NULL;

			if (ids.failed ||
			    asprintf(&sql,
				     "SELECT id, min(s) FROM text WHERE id IN (%s) GROUP BY id",
				     ids.data) < 0)
				r = TACHO_ENOMEM;
			else
				r = db_query_own(s->db, sql, NULL, &sink, err);
			free(sql);
			buf_reset(&ids);
			n = 0;
		}
	}
	buf_free(&ids);
	map_free(&seen);
	return r;
}

static const char *text_find(const struct series_reader *s, uint64_t id)
{
	const uint32_t *i = map_get(&s->texts, id);

	return i ? s->words.v[*i] : "?";
}

static int names_set(struct series_reader *s, struct tacho_error *err)
{
	regex_t collective, wanted;
	const char *op = s->filter->op;

	if (regcomp(&collective, fleet_markers, REG_EXTENDED | REG_NOSUB | REG_ICASE))
		return TACHO_EINTERNAL;
	if (op && regcomp(&wanted, op, REG_EXTENDED | REG_NOSUB)) {
		regfree(&collective);
		return err_set(err, TACHO_EUSAGE, "--op: '%.100s' is not a regular expression", op);
	}
	for (size_t i = 0; i < s->list->n; i++) {
		struct db_series *series = &s->list->v[i];
		struct db_series_ids *ids = &s->names.v[i];

		series->name = text_find(s, ids->name);
		if (series->kind != DB_METRIC)
			series->detail = text_find(s, ids->detail);
		ids->collective = series->kind == DB_OP &&
				  regexec(&collective, series->name, 0, NULL, 0) == 0;
		ids->dropped = (series->kind == DB_METRIC && s->filter->metric &&
				strcmp(series->name, s->filter->metric)) ||
			       (op && regexec(&wanted, series->name, 0, NULL, 0));
	}
	regfree(&collective);
	if (op)
		regfree(&wanted);
	return 0;
}

/* ------------------------------------------------------------------ points */

ORDER_BY(point_compare, struct db_point, ORDER_UP(run));

/* One point for each run: the largest of its parts, of a collective the smallest. */
static void points_join(struct db_series *s, bool smallest)
{
	size_t n = 0;

	qsort(s->v, s->n, sizeof(*s->v), point_compare);
	for (size_t i = 0; i < s->n; i++) {
		struct db_point *last = n ? &s->v[n - 1] : NULL;

		if (!last || last->run != s->v[i].run) {
			s->v[n++] = s->v[i];
			continue;
		}
		last->count += s->v[i].count;
		if (smallest ? s->v[i].value < last->value : s->v[i].value > last->value)
			last->value = s->v[i].value;
	}
	s->n = n;
}

ORDER_BY(series_compare, struct db_series,
	 ORDER_UP(kind) ?: strcmp(x->name, y->name) ?: strcmp(x->detail, y->detail) ?:
	 ORDER_UP(id) ?: ORDER_UP(group));

static void series_settle(struct series_reader *s)
{
	struct db_series_list *list = s->list;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (s->names.v[i].dropped) {
			vec_free(&list->v[i]);
			continue;
		}
		points_join(&list->v[i], s->names.v[i].collective);
		list->v[n++] = list->v[i];
	}
	list->n = n;
	if (n)
		qsort(list->v, n, sizeof(*list->v), series_compare);
}

int db_series_read(struct db *db, const struct db_runs *runs, const struct db_filter *filter,
		   struct db_series_list *list, struct tacho_error *err)
{
	struct series_reader s = {.db = db, .filter = filter, .runs = runs, .list = list};
	int r = 0;

	*list = (struct db_series_list){0};
	for (size_t i = 0; i < runs->parts.n && r == 0; i++)
		r = map_set(&s.pushes, runs->parts.v[i].push, runs->parts.v[i].run);
	if (r == 0 && !filter->metric)
		r = rows_read(&s, runs, DB_OP, err);
	if (r == 0 && filter->zones)
		r = rows_read(&s, runs, DB_ZONE, err);
	if (r == 0 && (filter->metric || !filter->op))
		r = rows_read(&s, runs, DB_METRIC, err);
	if (r == 0)
		r = texts_read(&s, err);
	if (r == 0)
		r = names_set(&s, err);
	if (r == 0)
		series_settle(&s);
	map_free(&s.ids);
	map_free(&s.pushes);
	map_free(&s.texts);
	vec_free(&s.words);
	vec_free(&s.names);
	if (r < 0)
		db_series_free(list);
	return r == TACHO_ENOMEM ? err_set(err, r, "no memory for the series") : r;
}

void db_series_free(struct db_series_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		vec_free(&list->v[i]);
	vec_free(list);
	arena_free(&list->arena);
}

/* ---------------------------------------------------------------- accepted */

int db_accept(struct db *db, uint64_t series, const char *sha, const char *why, const char *who,
	      struct tacho_error *err)
{
	struct db_block b;
	int r = db_block_open(&b, DB_TABLE_ACCEPTED);

	if (r < 0)
		return err_set(err, r, "no memory");
	db_block_number(&b, series);
	db_block_string(&b, sha);
	db_block_string(&b, why);
	db_block_string(&b, who);
	db_block_number(&b, (uint64_t)db_now());
	r = b.text.failed ? err_set(err, TACHO_ENOMEM, "no memory")
			  : db->engine->insert(db, &b, err);
	db_block_close(&b);
	return r;
}

static int accepted_row(void *context, const struct db_value *v, size_t n)
{
	struct db_accepted new = {n ? v[0].bits : 0,
				  n == 2 && v[1].text ? strdup(v[1].text) : NULL};

	if (new.sha && vec_push((struct db_accepted_list *)context, new) == 0)
		return 0;
	free(new.sha);
	return TACHO_ENOMEM;
}

int db_accepted_read(struct db *db, struct db_accepted_list *list, struct tacho_error *err)
{
	const struct db_sink sink = {list, NULL, accepted_row};
	int r = db_query_own(db, "SELECT series, sha FROM accepted", NULL, &sink, err);

	if (r < 0)
		db_accepted_free(list);
	return r;
}

void db_accepted_free(struct db_accepted_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i].sha);
	vec_free(list);
}
