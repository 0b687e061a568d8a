/* SPDX-License-Identifier: Apache-2.0 */
/* Loads an ops report as text. */
#include "op/sheet.h"

#include "base/csv.h"

#include <string.h>
#include <strings.h>

const char *op_sheet_cell(const struct op_sheet *s, size_t row, int64_t column)
{
	return column < 0 ? "" : s->text.data + s->cells.v[row * s->names.n + (size_t)column];
}

static int sheet_keep(struct op_sheet *s, struct op_sheet_cells *cells, const char *text,
		      size_t len)
{
	size_t at = s->text.len;

	buf_add(&s->text, text, len);
	buf_addc(&s->text, 0);
	return s->text.failed ? TACHO_ENOMEM : vec_push(cells, at);
}

int64_t op_sheet_column(const struct op_sheet *s, const char *name)
{
	for (size_t i = 0; i < s->names.n; i++)
		if (!strcasecmp(s->text.data + s->names.v[i], name))
			return (int64_t)i;
	return -1;
}

bool op_sheet_blank(const char *text)
{
	return csv_blank((struct csv_cell){text, strlen(text)});
}

static int sheet_row_take(struct op_sheet *s, const struct csv_row *row)
{
	int r = 0;

	for (size_t i = 0; i < s->names.n && r == 0; i++)
		r = i < row->n ? sheet_keep(s, &s->cells, row->cells[i].text, row->cells[i].len)
			       : sheet_keep(s, &s->cells, "", 0);
	s->rows++;
	return r;
}

/* "1024/7/2": the key that finds a row in the other report. A signpost's key is its name. */
static int make_keys(struct op_sheet *s)
{
	int64_t id = op_sheet_column(s, "GLOBAL CALL COUNT"), code = op_sheet_column(s, "OP CODE");
	int64_t trace = op_sheet_column(s, "METAL TRACE ID");
	int64_t session = op_sheet_column(s, "METAL TRACE REPLAY SESSION ID");
	struct buf key = BUF_INIT;
	int r = 0;

	for (size_t row = 0; row < s->rows && r == 0; row++) {
		buf_reset(&key);
		buf_adds(&key,
			 op_sheet_cell(s, row,
				       op_sheet_blank(op_sheet_cell(s, row, id)) ? code : id));
		if (!op_sheet_blank(op_sheet_cell(s, row, trace)) ||
		    !op_sheet_blank(op_sheet_cell(s, row, session)))
			buf_addf(&key, "/%s/%s", op_sheet_cell(s, row, trace),
				 op_sheet_cell(s, row, session));
		r = key.failed ? TACHO_ENOMEM : sheet_keep(s, &s->keys, key.data, key.len);
	}
	buf_free(&key);
	return r;
}

int op_sheet_load(struct op_sheet *s, const char *path, struct tacho_error *err)
{
	struct csv_row row;
	struct csv *csv;
	int r = csv_open(&csv, path, err), memory = 0;

	s->text = (struct buf)BUF_INIT;
	if (r < 0)
		return r;
	r = csv_next(csv, &row, err);
	for (size_t i = 0; r > 0 && i < row.n && memory == 0; i++)
		memory = sheet_keep(s, &s->names, row.cells[i].text, row.cells[i].len);
	while (r >= 0 && memory == 0 && (r = csv_next(csv, &row, err)) > 0)
		memory = sheet_row_take(s, &row);
	csv_close(csv);
	if (r == 0 && memory == 0 && op_sheet_column(s, "GLOBAL CALL COUNT") < 0)
		return err_set(err, TACHO_EFORMAT,
			       "%s is not an ops report: it has no GLOBAL CALL COUNT", path);
	if (r == 0 && memory == 0)
		memory = make_keys(s);
	return memory < 0 ? err_set(err, memory, "%s: out of memory", path) : r;
}

void op_sheet_free(struct op_sheet *s)
{
	if (s->text.data)
		buf_free(&s->text);
	vec_free(&s->names);
	vec_free(&s->cells);
	vec_free(&s->keys);
}
