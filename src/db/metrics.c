/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics from the command line, JSON and CSV files. */
#include "base/csv.h"
#include "base/jread.h"
#include "base/text.h"
#include "db/private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METRICS_FILE (64u << 20) /* bytes of a file with metrics */

static int metric_add(struct db_metrics *m, const char *name, size_t name_len, const char *unit,
		      size_t unit_len, double value, int better, struct tacho_error *err)
{
	struct db_metric new = {strndup(name, name_len), strndup(unit, unit_len), value, better};

	if (!new.name || !new.unit || vec_push(m, new) < 0) {
		free(new.name);
		free(new.unit);
		return err_set(err, TACHO_ENOMEM, "no memory for metrics");
	}
	if (!better)
		m->v[m->n - 1].better = text_ends_with(new.name, "/s") ||
							text_ends_with(new.unit, "/s") ||
							text_ends_with(new.name, "_per_second")
						? 1 /* for rates, more is better */
						: -1;
	for (size_t i = 0; i + 1 < m->n; i++)
		if (!strcmp(m->v[i].name, new.name))
			return err_set(err, TACHO_EUSAGE, "the metric %.100s is given twice",
				       new.name);
	return 0;
}

int db_metric_parse(struct db_metrics *m, const char *text, struct tacho_error *err)
{
	const char *equals = strrchr(text, '=');
	double value = NAN;
	char *unit = NULL;

	if (equals && equals > text)
		value = strtod(equals + 1, &unit);
	if (!equals || equals == text || unit == equals + 1 || !isfinite(value))
		return err_set(err, TACHO_EUSAGE, "--metric: '%.100s' is not NAME=NUMBER[UNIT]",
			       text);
	unit += strspn(unit, " ");
	return metric_add(m, text, (size_t)(equals - text), unit, strlen(unit), value, 0, err);
}

static int json_read(struct db_metrics *m, const char *path, const char *text, size_t len,
		     struct tacho_error *err)
{
	struct jread reader = {0};
	const struct jread_value *v = jread_parse(&reader, text, len, err);
	int r = v ? 0 : TACHO_EFORMAT;

	if (v && v->type != JREAD_OBJECT)
		r = err_set(err, TACHO_EFORMAT, "%s: not an object of numbers", path);
	for (v = v ? v->first : NULL; v && r == 0; v = v->next) {
		double value = jread_double(v);

		if (!isfinite(value))
			r = err_set(err, TACHO_EFORMAT, "%s: %.*s is not a number", path,
				    (int)(v->key_len < 100 ? v->key_len : 100), v->key);
		else
			r = metric_add(m, v->key, v->key_len, "", 0, value, 0, err);
	}
	jread_free(&reader);
	return r;
}

static int csv_read(struct db_metrics *m, const char *path, const char *text, size_t len,
		    struct tacho_error *err)
{
	static const char *const titles[] = {"name", "value", "unit", "better"};
	int at[4] = {-1, -1, -1, -1};
	struct csv *csv;
	struct csv_row row;
	int r = csv_open_memory(&csv, text, len, err);

	if (r < 0)
		return r;
	r = csv_next(csv, &row, err);
	for (size_t i = 0; r > 0 && i < row.n; i++)
		for (int k = 0; k < 4; k++)
			if (row.cells[i].len == strlen(titles[k]) &&
			    !strncmp(row.cells[i].text, titles[k], row.cells[i].len))
				at[k] = (int)i;
	if (r >= 0 && (at[0] < 0 || at[1] < 0))
		r = err_set(err, TACHO_EFORMAT, "%s: no columns name and value", path);
	while (r >= 0 && (r = csv_next(csv, &row, err)) > 0) {
		const struct csv_cell none = {"", 0};
		struct csv_cell unit = at[2] >= 0 && at[2] < (int)row.n ? row.cells[at[2]] : none;
		double value = NAN, better = 0;

		if (at[1] < (int)row.n)
			csv_number(row.cells[at[1]], &value);
		if (at[3] >= 0 && at[3] < (int)row.n)
			csv_number(row.cells[at[3]], &better);
		if (at[0] >= (int)row.n || !isfinite(value))
			r = err_set(err, TACHO_EFORMAT, "%s:%llu: no number", path,
				    (unsigned long long)row.line);
		else
			r = metric_add(m, row.cells[at[0]].text, row.cells[at[0]].len, unit.text,
				       unit.len, value,
				       better > 0   ? 1
				       : better < 0 ? -1
						    : 0,
				       err);
	}
	csv_close(csv);
	return r < 0 ? r : 0;
}

int db_metrics_read(struct db_metrics *m, const char *path, struct tacho_error *err)
{
	FILE *f = fopen(path, "re");
	struct buf text = BUF_INIT;
	char chunk[4096];
	size_t n, blanks;
	int r = 0;

	while (f && text.len < METRICS_FILE && (n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&text, chunk, n);
	blanks = strspn(text.data, " \t\r\n");
	if (!f || ferror(f))
		r = err_errno(err, TACHO_EREAD, "cannot read %s", path);
	else if (text.failed || text.len >= METRICS_FILE)
		r = err_set(err, TACHO_ELIMIT, "%s is too large for metrics", path);
	else
		r = text.data[blanks] == '{' ? json_read(m, path, text.data, text.len, err)
					     : csv_read(m, path, text.data, text.len, err);
	if (f)
		fclose(f);
	buf_free(&text);
	return r;
}

void db_metrics_free(struct db_metrics *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].name);
		free(m->v[i].unit);
	}
	vec_free(m);
}
