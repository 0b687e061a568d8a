/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tracy_ops_times.csv: the host's zones. */
#include "ttlog/host_logs.h"

#include "base/csv.h"

#include <inttypes.h>
#include <string.h>

enum column { NAME, ZONE_TEXT, START, DURATION, PARENT, COLUMNS };

static const char *const names[COLUMNS] = {"name", "zone_text", "ns_since_start", "exec_time_ns",
					   "special_parent_text"};

/* Times are written as whole numbers, but other tools convert them to floats and back. */
static bool times_nanoseconds(struct csv_cell cell, uint64_t *ns)
{
	int64_t whole;
	double real;

	if (csv_integer(cell, &whole) == 0 && whole >= 0) {
		*ns = (uint64_t)whole;
		return true;
	}
	if (csv_number(cell, &real) != CSV_REAL || real < 0 || real >= 0x1p63)
		return false;
	*ns = (uint64_t)real;
	return true;
}

static int times_columns_find(const struct csv_row *row, size_t at[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++) {
		at[c] = SIZE_MAX;
		for (size_t i = 0; i < row->n; i++)
			if (row->cells[i].len == strlen(names[c]) &&
			    !memcmp(row->cells[i].text, names[c], row->cells[i].len))
				at[c] = i;
		if (at[c] == SIZE_MAX && c != PARENT)
			return c;
	}
	return -1;
}

static int times_row_take(struct op_host *host, const struct csv_row *row, const size_t at[COLUMNS],
			  struct op_issues *issues)
{
	struct csv_cell name = row->cells[at[NAME]], text = row->cells[at[ZONE_TEXT]];
	struct csv_cell parent =
		at[PARENT] == SIZE_MAX ? (struct csv_cell){"", 0} : row->cells[at[PARENT]];
	struct op_host_zone zone = {.name = name.text,
				    .name_len = name.len,
				    .text = text.text,
				    .text_len = text.len,
				    .parent = parent.text,
				    .parent_len = parent.len,
				    .line = row->line};
	bool op = op_zone_is_op(name.text, name.len);

	/* A child needs no start: only its duration is summed up. */
	if (!times_nanoseconds(row->cells[at[DURATION]], &zone.duration_ns) ||
	    (op && !times_nanoseconds(row->cells[at[START]], &zone.start_ns)))
		return op ? op_zone_bad(issues, row->line) : 0;
	return op_zone_add(host, &zone, issues);
}

static int times_rows_read(struct op_host *host, struct csv *csv, struct op_issues *issues,
			   struct tacho_error *err)
{
	size_t at[COLUMNS], need = 0;
	struct csv_row row;
	int r = csv_next(csv, &row, err), missing;

	if (r <= 0)
		return r;
	missing = times_columns_find(&row, at);
	if (missing >= 0) {
		op_issue_add(issues, OP_ISSUE_BAD_HEADER, TTLOG_TIMES_FILE, 1, OP_NOWHERE,
			     "there is no column '%s'", names[missing]);
		return 0;
	}
	for (int c = 0; c < COLUMNS; c++)
		if (at[c] != SIZE_MAX && at[c] + 1 > need)
			need = at[c] + 1;
	while ((r = csv_next(csv, &row, err)) > 0) {
		if (row.n < need) {
			op_issue_add(issues, OP_ISSUE_BAD_ROW, TTLOG_TIMES_FILE, row.line,
				     OP_NOWHERE, "%zu cells instead of %zu", row.n, need);
			continue;
		}
		r = times_row_take(host, &row, at, issues);
		if (r < 0)
			return err_set(err, r, "%s: %s", TTLOG_TIMES_FILE, err_text(r));
	}
	if (r == TACHO_EDAMAGED) {
		op_issue_add(issues, OP_ISSUE_BAD_ROW, TTLOG_TIMES_FILE, 0, OP_NOWHERE,
			     "the file ends inside a quoted cell");
		r = 0;
	}
	return r;
}

int ttlog_times_read(struct op_host *host, const char *path, struct op_issues *issues,
		     struct tacho_error *err)
{
	struct csv *csv;
	int r = csv_open(&csv, path, err);

	if (r < 0)
		return r;
	r = times_rows_read(host, csv, issues, err);
	csv_close(csv);
	return r;
}
