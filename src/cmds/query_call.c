/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL from the page: the engine of "tacho query", which can read the trace and nothing else, with
 * tighter limits, one statement at a time. A page may disconnect meanwhile: a long statement would
 * then hold memory for no reader.
 */
#include "cmds/query_call.h"
#include "base/json.h"
#include "sql/sql.h"

#include <pthread.h>
#include <string.h>

#define QUERY_SECONDS 10
#define QUERY_MEMORY  ((uint64_t)512 << 20)
#define QUERY_ROWS    10000u
#define QUERY_BYTES   ((size_t)16 << 20)
#define EXACT       \
	(INT64_C(1) \
	 << 53) /* larger whole numbers are sent as text: the page's numbers are doubles */

static pthread_mutex_t query_lock = PTHREAD_MUTEX_INITIALIZER; /* SQLite has one heap */

struct query_answer {
	struct json json;
	bool any, cut; /* a result was begun; further rows were dropped */
	uint64_t rows;
	char note[400];
};

/* The first result counts: the page shows one. */
static int query_begin(void *context, const char *const *names, size_t n)
{
	struct query_answer *a = context;

	if (a->any)
		return TACHO_ENO;
	a->any = true;
	json_array(&a->json, "columns");
	for (size_t i = 0; i < n; i++)
		json_text(&a->json, NULL, names[i]);
	json_end(&a->json);
	json_array(&a->json, "rows");
	return 0;
}

static int query_row(void *context, const struct sql_value *values, size_t n)
{
	struct query_answer *a = context;
	struct json *j = &a->json;
	char text[32];

	if (a->rows == QUERY_ROWS || j->out->len > QUERY_BYTES) {
		a->cut = true;
		return TACHO_ENO;
	}
	a->rows++;
	json_array(j, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct sql_value *v = &values[i];

		if (v->type == SQL_NULL) {
			json_null(j, NULL);
		} else if (v->type == SQL_REAL) {
			json_double(j, NULL, v->real);
		} else if (v->type != SQL_INT) {
			json_string(j, NULL, v->text ? v->text : "", v->len);
		} else if (v->integer > -EXACT && v->integer < EXACT) {
			json_int(j, NULL, v->integer);
		} else {
			snprintf(text, sizeof(text), "%lld", (long long)v->integer);
			json_text(j, NULL, text);
		}
	}
	json_end(j);
	return j->out->failed ? TACHO_ENOMEM : 0;
}

static int query_end(void *context)
{
	(void)context;
	return 0;
}

static void query_note(void *context, const char *text)
{
	struct query_answer *a = context;

	snprintf(a->note, sizeof(a->note), "%s", text);
}

static int query_run(const char *path, const char *text, struct query_answer *a,
		     struct tacho_error *err)
{
	const struct sql_options options = {.timeout_ns = INT64_C(1000000000) * QUERY_SECONDS,
					    .memory = QUERY_MEMORY};
	const struct sql_sink sink = {a, query_begin, query_row, query_end, query_note};
	struct sql *s = NULL;
	int r = sql_open(&s, &options, err);

	if (r == 0)
		r = sql_add(s, path, err);
	if (r == 0)
		r = sql_run(s, text, &sink, err);
	sql_close(s);
	return r == TACHO_ENO && a->any ? 0 : r; /* the answer has enough rows */
}

static int query_answer(void *context, const char *path, const struct view_query *query,
			struct buf *body, struct tacho_error *err)
{
	const char *text = query_get(query, "sql");
	struct query_answer a = {.any = false};
	int r;

	(void)context;
	if (!text || !*text)
		return err_set(err, TACHO_EUSAGE, "sql is missing");
	json_init(&a.json, body);
	a.json.flat = 1;
	json_object(&a.json, NULL);
	pthread_mutex_lock(&query_lock);
	r = query_run(path, text, &a, err);
	pthread_mutex_unlock(&query_lock);
	if (r < 0)
		return r;
	if (!a.any) {
		json_array(&a.json, "columns");
		json_end(&a.json);
		json_array(&a.json, "rows");
	}
	json_end(&a.json);
	json_bool(&a.json, "more", a.cut);
	json_text(&a.json, "note", a.note);
	json_end(&a.json);
	return 0;
}

void query_call_add(struct view *view)
{
	view_extend(view, &(struct view_extension){.name = "query", .answer = query_answer});
}
