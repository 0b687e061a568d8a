/* SPDX-License-Identifier: Apache-2.0 */
/* SQL functions: median, percentile, regexp, format_ns, extract_arg. */
#include "base/fmt.h"
#include "base/order.h"
#include "sql/private.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ aggregates */

struct quantile {
	struct {
		VEC(double);
	} values;
	double percent;
	bool failed;
};

static void quantile_step(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	struct quantile *q = sqlite3_aggregate_context(c, sizeof(*q));

	if (!q || sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	q->percent = argc > 1 ? sqlite3_value_double(argv[1]) : 50;
	q->failed |= vec_push(&q->values, sqlite3_value_double(argv[0])) < 0;
}

/* The value at rank ceil(p * n), as in statistics of zones. */
static void quantile_end(sqlite3_context *c)
{
	struct quantile *q = sqlite3_aggregate_context(c, 0);
	size_t rank;

	if (q && q->failed) {
		sqlite3_result_error_nomem(c);
	} else if (q && (q->percent < 0 || q->percent > 100 || isnan(q->percent))) {
		sqlite3_result_error(c, "percentile(x, p): p is from 0 to 100", -1);
	} else if (q && q->values.n) {
		qsort(q->values.v, q->values.n, sizeof(double), order_double);
		rank = (size_t)ceil(q->percent / 100 * (double)q->values.n);
		sqlite3_result_double(c, q->values.v[rank ? rank - 1 : 0]);
	}
	if (q)
		vec_free(&q->values);
}

/* --------------------------------------------------------------- scalars */

static void regex_free(void *regex)
{
	regfree(regex);
	free(regex);
}

/* "x REGEXP y" calls regexp(y, x). A constant pattern is compiled once. */
static void regexp_call(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	const char *pattern = (const char *)sqlite3_value_text(argv[0]);
	const char *text = (const char *)sqlite3_value_text(argv[1]);
	regex_t *regex = sqlite3_get_auxdata(c, 0);
	char message[100];
	bool made = false;
	int r;

	(void)argc;
	if (!pattern || !text)
		return;
	if (!regex) {
		regex = calloc(1, sizeof(*regex));
		if (!regex) {
			sqlite3_result_error_nomem(c);
			return;
		}
		r = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
		if (r) {
			regerror(r, regex, message, sizeof(message));
			sqlite3_result_error(c, message, -1);
			free(regex);
			return;
		}
		made = true;
	}
	sqlite3_result_int(c, regexec(regex, text, 0, NULL, 0) == 0);
	if (made) /* may free it at once */
		sqlite3_set_auxdata(c, 0, regex, regex_free);
}

static void format_ns_call(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	char text[FMT_SIZE];

	(void)argc;
	if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
		sqlite3_result_text(c, fmt_ns(text, sqlite3_value_double(argv[0])), -1,
				    SQLITE_TRANSIENT);
}

/* The attachment KEY of a zone: a look-up in the table "args". */
static void extract_arg_call(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	static const char query[] = "SELECT coalesce(string_value, int_value) FROM args "
				    "WHERE arg_set_id = ?1 AND key = ?2 LIMIT 1";
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = sqlite3_context_db_handle(c);
	int r;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	r = sqlite3_prepare_v2(db, query, -1, &stmt, NULL);
	if (r != SQLITE_OK) {
		sqlite3_result_error(c, sqlite3_errmsg(db), -1);
		return;
	}
	sqlite3_bind_value(stmt, 1, argv[0]);
	sqlite3_bind_value(stmt, 2, argv[1]);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		sqlite3_result_value(c, sqlite3_column_value(stmt, 0));
	sqlite3_finalize(stmt);
}

int sql_functions_register(struct sql *s)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
	int r = 0;

	r |= sqlite3_create_function(s->db, "median", 1, flags, NULL, NULL, quantile_step,
				     quantile_end);
	r |= sqlite3_create_function(s->db, "percentile", 2, flags, NULL, NULL, quantile_step,
				     quantile_end);
	r |= sqlite3_create_function(s->db, "regexp", 2, flags, NULL, regexp_call, NULL, NULL);
	r |= sqlite3_create_function(s->db, "format_ns", 1, flags, NULL, format_ns_call, NULL,
				     NULL);
	r |= sqlite3_create_function(s->db, "extract_arg", 2, SQLITE_UTF8, NULL, extract_arg_call,
				     NULL, NULL);
	return r == SQLITE_OK ? 0 : TACHO_ENOMEM;
}
