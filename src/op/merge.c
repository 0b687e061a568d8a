/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the reports of several runs of a program. */
#include "op/merge.h"

#include "base/csv.h"
#include "op/names.h"
#include "op/sheet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Source of a column of the result: its column in each report, or -1. */
struct column {
	const char *name;
	int64_t *in;
};

struct merge {
	struct op_sheet *sheets;
	size_t count;
	struct {
		VEC(struct column);
	} columns;
	uint32_t **rows; /* of each further report: row of the first to its row + 1, or 0 */
	struct op_merge_result *result;
};

static int add_column(struct merge *m, const char *name)
{
	struct column c = {.name = name, .in = calloc(m->count, sizeof(*c.in))};

	if (!c.in || vec_push(&m->columns, c) < 0) {
		free(c.in);
		return TACHO_ENOMEM;
	}
	for (size_t s = 0; s < m->count; s++)
		c.in[s] = op_sheet_column(&m->sheets[s], name);
	return 0;
}

/* The first report's columns, then those that each further report adds. */
static int merge_columns_choose(struct merge *m)
{
	int r = 0;

	for (size_t s = 0; s < m->count && r == 0; s++) {
		const struct op_sheet *sheet = &m->sheets[s];

		for (size_t i = 0; i < sheet->names.n && r == 0; i++) {
			const char *name = sheet->text.data + sheet->names.v[i];
			bool known = false;

			for (size_t before = 0; before < s && !known; before++)
				known = op_sheet_column(&m->sheets[before], name) >= 0;
			if (!known)
				r = add_column(m, name);
		}
	}
	return r;
}

/* How often each key has occurred so far in a report. */
struct turns {
	struct op_names names;
	struct {
		VEC(uint32_t);
	} counts;
};

/* The key of a row with its turn: rows with the same key are distinguished by their order. */
static int64_t merge_key_of(const struct op_sheet *s, size_t row, struct op_names *keys,
			    struct turns *turns)
{
	const char *key = s->text.data + s->keys.v[row];
	int64_t index = op_names_add(&turns->names, key, strlen(key));
	struct buf both = BUF_INIT;

	if (index < 0)
		return index;
	if ((size_t)index == turns->counts.n && vec_push(&turns->counts, 0) < 0)
		return TACHO_ENOMEM;
	buf_addf(&both, "%s#%" PRIu32, key, turns->counts.v[index]++);
	index = both.failed ? TACHO_ENOMEM : op_names_add(keys, both.data, both.len);
	buf_free(&both);
	return index;
}

static int match_sheet(struct merge *m, size_t s, struct op_names *keys, size_t known)
{
	struct turns turns = {0};
	int r = 0;

	m->rows[s] = calloc(m->sheets[0].rows + 1, sizeof(**m->rows));
	if (!m->rows[s])
		return TACHO_ENOMEM;
	for (size_t row = 0; row < m->sheets[s].rows && r == 0; row++) {
		int64_t key = merge_key_of(&m->sheets[s], row, keys, &turns);

		if (key < 0)
			r = (int)key;
		else if ((size_t)key < known)
			m->rows[s][key] = (uint32_t)row + 1;
		else
			m->result->unmatched++;
	}
	op_names_free(&turns.names);
	vec_free(&turns.counts);
	return r;
}

static int match_rows(struct merge *m)
{
	struct op_names keys = {0};
	int r = 0;

	/* Keys of the first report are its rows' numbers. */
	for (size_t s = 0; s < m->count && r == 0; s++)
		r = match_sheet(m, s, &keys, s ? m->sheets[0].rows : SIZE_MAX);
	op_names_free(&keys);
	return r;
}

static const char *merged_cell(struct merge *m, const struct column *c, size_t row)
{
	for (size_t s = 0; s < m->count; s++) {
		uint32_t there = s ? m->rows[s][row] : (uint32_t)row + 1;
		const char *text = there ? op_sheet_cell(&m->sheets[s], there - 1, c->in[s]) : "";

		if (op_sheet_blank(text) && s + 1 < m->count)
			continue;
		m->result->filled += s > 0 && *text;
		return text;
	}
	return "";
}

static int merge_all_write(struct merge *m, FILE *out)
{
	struct buf line = BUF_INIT;
	int r = 0;

	for (size_t row = 0; row <= m->sheets[0].rows && r == 0; row++) {
		buf_reset(&line);
		for (size_t i = 0; i < m->columns.n; i++) {
			const struct column *c = &m->columns.v[i];
			const char *text = row ? merged_cell(m, c, row - 1) : c->name;

			if (i)
				buf_addc(&line, ',');
			csv_add(&line, text, strlen(text));
		}
		buf_adds(&line, "\r\n");
		if (line.failed)
			r = TACHO_ENOMEM;
		else if (fwrite(line.data, 1, line.len, out) < line.len)
			r = TACHO_EWRITE;
	}
	buf_free(&line);
	return r;
}

int op_merge(char **paths, int count, FILE *out, struct op_merge_result *result,
	     struct tacho_error *err)
{
	struct merge m = {.count = (size_t)count, .result = result};
	int r = 0;

	memset(result, 0, sizeof(*result));
	m.sheets = calloc(m.count + 1, sizeof(*m.sheets));
	m.rows = calloc(m.count + 1, sizeof(*m.rows));
	if (!m.sheets || !m.rows)
		r = err_set(err, TACHO_ENOMEM, "out of memory");
	for (size_t s = 0; s < m.count && r == 0; s++)
		r = op_sheet_load(&m.sheets[s], paths[s], err);
	if (r == 0) {
		r = match_rows(&m);
		if (r == 0)
			r = merge_columns_choose(&m);
		if (r == 0)
			r = merge_all_write(&m, out);
		if (r < 0)
			err_set(err, r, "cannot merge: %s", err_text(r));
		result->rows = m.sheets[0].rows;
		result->columns = m.columns.n;
	}
	for (size_t s = 0; s < m.count && m.sheets && m.rows; s++) {
		op_sheet_free(&m.sheets[s]);
		free(m.rows[s]);
	}
	for (size_t i = 0; i < m.columns.n; i++)
		free(m.columns.v[i].in);
	vec_free(&m.columns);
	free(m.sheets);
	free(m.rows);
	return r;
}
