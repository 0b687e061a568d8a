/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the file of the runtime's own measurements. */
#include "ttlog/cpp_report.h"

#include "base/csv.h"
#include "base/limits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Column names: the duration, and the part of "DEVICE ... START CYCLE", or NULL. */
static const struct {
	const char *name, *cycles;
	bool quasar;
} columns[OP_RUN_RANGES] = {
	[OP_M_TRACE_FW] = {"DEVICE TRACE FIRMWARE DURATION [ns]", NULL, false},
	[OP_M_TRACE_KERNEL] = {"DEVICE TRACE KERNEL DURATION [ns]", NULL, false},
	[OP_M_FIRST_TO_LAST] = {"DEVICE KERNEL FIRST TO LAST START [ns]", NULL, false},
	[OP_M_FW] = {"DEVICE FW DURATION [ns]", "FW", false},
	[OP_M_KERNEL] = {"DEVICE KERNEL DURATION [ns]", "KERNEL", false},
	[OP_M_KERNEL_DM] = {"DEVICE KERNEL DURATION DM START [ns]", "KERNEL DM", false},
	[OP_M_BRISC] = {"DEVICE BRISC KERNEL DURATION [ns]", NULL, false},
	[OP_M_NCRISC] = {"DEVICE NCRISC KERNEL DURATION [ns]", NULL, false},
	[OP_M_TRISC0] = {"DEVICE TRISC0 KERNEL DURATION [ns]", NULL, false},
	[OP_M_TRISC1] = {"DEVICE TRISC1 KERNEL DURATION [ns]", NULL, false},
	[OP_M_TRISC2] = {"DEVICE TRISC2 KERNEL DURATION [ns]", NULL, false},
	[OP_M_ERISC] = {"DEVICE ERISC KERNEL DURATION [ns]", NULL, false},
	[OP_M_QUASAR_DM] = {"DEVICE QUASAR_DM KERNEL DURATION [ns]", "QUASAR_DM KERNEL", true},
	[OP_M_QUASAR_TRISC] = {"DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]",
			       "QUASAR_NEO_TRISC KERNEL", true},
	[OP_M_QUASAR_DM_FW] = {"DEVICE DM FW DURATION [ns]", NULL, true},
	[OP_M_QUASAR_TRISC_FW] = {"DEVICE TRISC FW DURATION [ns]", NULL, true},
};

/* ---- writing ---- */

void ttlog_cpp_header(struct buf *out, bool quasar)
{
	buf_adds(out, "GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,"
		      "DEVICE ARCH,OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT");
	for (int i = 0; i < OP_RUN_RANGES; i++) {
		if (!columns[i].name || (columns[i].quasar && !quasar))
			continue;
		buf_addf(out, ",%s", columns[i].name);
		if (columns[i].cycles)
			buf_addf(out, ",DEVICE %s START CYCLE,DEVICE %s END CYCLE",
				 columns[i].cycles, columns[i].cycles);
	}
	buf_adds(out, ",OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START [ns]");
}

static void cpp_report_number_add(struct buf *out, int64_t value)
{
	buf_addc(out, ',');
	if (value != OP_NONE)
		buf_addf(out, "%" PRId64, value);
}

void ttlog_cpp_line(struct buf *out, const struct op_timing *run, const struct op_run_place *place,
		    bool quasar)
{
	buf_addf(out, "%" PRIu64, run->id);
	cpp_report_number_add(out, run->trace);
	cpp_report_number_add(out, run->session);
	buf_addf(out, ",%" PRId64 ",%.*s,,%u", place->device, (int)place->arch.len,
		 place->arch.text, run->cores);
	cpp_report_number_add(out, place->max_cores);
	for (int i = 0; i < OP_RUN_RANGES; i++) {
		const struct op_range *r = &run->ranges[i];
		bool found = op_range_found(r);

		if (!columns[i].name || (columns[i].quasar && !quasar))
			continue;
		cpp_report_number_add(out, found ? op_range_ns(r, place->mhz) : OP_NONE);
		if (!columns[i].cycles)
			continue;
		cpp_report_number_add(out, found ? (int64_t)r->start : OP_NONE);
		cpp_report_number_add(out, found ? (int64_t)r->end : OP_NONE);
	}
	cpp_report_number_add(out, run->gap);
	cpp_report_number_add(out, run->gap_dm);
}

/* ---- reading ---- */

/* Cycles of a row that an op has no field for. */
static const struct {
	const char *name;
	size_t offset;
} cycles[] = {
	{"DEVICE KERNEL START CYCLE", offsetof(struct op_measurement, kernel_start)},
	{"DEVICE KERNEL END CYCLE", offsetof(struct op_measurement, kernel_end)},
	{"DEVICE KERNEL DM START CYCLE", offsetof(struct op_measurement, dm_start)},
	{"DEVICE KERNEL DM END CYCLE", offsetof(struct op_measurement, dm_end)},
};
enum { CYCLES = sizeof(cycles) / sizeof(cycles[0]) };

/* Columns whose cells are whole numbers; other numbers are stored as written. */
static bool is_whole(enum op_column c)
{
	return c == OP_COL_CALL_COUNT || c == OP_COL_TRACE_ID || c == OP_COL_SESSION_ID ||
	       c == OP_COL_DEVICE_ID || c == OP_COL_CORE_COUNT || c == OP_COL_AVAILABLE_CORES ||
	       (c >= OP_COL_FW_START && c <= OP_COL_FW_END) ||
	       (c >= OP_COL_FW && c <= OP_COL_ERISC &&
		!(c == OP_COL_QUASAR_DM_FW || c == OP_COL_QUASAR_TRISC_FW ||
		  c == OP_COL_QUASAR_DM || c == OP_COL_QUASAR_TRISC));
}

#define NO_COLUMN (-1)
#define CYCLE(c)  (-2 - (c))
#define WHOLE_FW  CYCLE(CYCLES)     /* of a replay, measured as a whole */
#define WHOLE     CYCLE(CYCLES + 1) /* its kernels */

struct header {
	VEC(int); /* enum op_column, CYCLE() or NO_COLUMN */
};

static bool is_named(struct csv_cell cell, const char *name)
{
	return cell.len == strlen(name) && !memcmp(cell.text, name, cell.len);
}

static int cpp_report_header_read(const struct csv_row *row, struct header *header)
{
	for (size_t i = 0; i < row->n; i++) {
		int found = op_column_named(row->cells[i].text, row->cells[i].len);

		for (int c = 0; c < CYCLES; c++)
			if (is_named(row->cells[i], cycles[c].name))
				found = CYCLE(c);
		if (is_named(row->cells[i], columns[OP_M_TRACE_FW].name))
			found = WHOLE_FW;
		if (is_named(row->cells[i], columns[OP_M_TRACE_KERNEL].name))
			found = WHOLE;
		if (vec_push(header, found) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static bool cell_whole(struct csv_cell cell, int64_t *value)
{
	double real;

	if (csv_integer(cell, value) == 0)
		return true;
	if (csv_number(cell, &real) != CSV_REAL || real < -0x1p62 || real > 0x1p62)
		return false;
	*value = (int64_t)real;
	return true;
}

/* As written, except for commas. */
static int text_take(struct op_table *t, struct op_measurement *m, enum op_column column,
		     struct csv_cell cell)
{
	struct buf copy = BUF_INIT;
	struct op_text text = {0};
	int r;

	buf_add(&copy, cell.text, cell.len);
	for (size_t i = 0; i < copy.len; i++)
		if (copy.data[i] == ',')
			copy.data[i] = ';';
	if (!copy.failed)
		text = op_table_text(t, copy.data, copy.len);
	buf_free(&copy);
	if (!text.text)
		return TACHO_ENOMEM;
	r = op_columns[column].holder == OP_OF_OP
		    ? op_set_text(t, &m->op, column, text, true)
		    : op_table_add_cell(t, &m->op.cells, column, text);
	return r < 0 ? r : 0;
}

/* 1; 0: it should be a number and is not; or an error. */
static int cell_take(struct op_table *t, struct op_measurement *m, int column, struct csv_cell cell)
{
	int64_t value;
	double real;

	while (cell.len && (cell.text[0] == ' ' || cell.text[0] == '\t')) {
		cell.text++;
		cell.len--;
	}
	while (cell.len && strchr(" \t\r", cell.text[cell.len - 1]))
		cell.len--;
	if (column == NO_COLUMN || !cell.len)
		return 1;
	if (column == WHOLE || column == WHOLE_FW) {
		m->whole = true;
		/* For runtimes that leave the op's own columns, which come later, blank. */
		column = column == WHOLE ? OP_COL_KERNEL : OP_COL_FW;
	}
	if (column <= CYCLE(0)) {
		if (!cell_whole(cell, &value))
			return 0;
		*(int64_t *)((char *)m + cycles[-2 - column].offset) = value;
		return 1;
	}
	if (!is_whole((enum op_column)column)) {
		if (op_column_numeric((enum op_column)column) &&
		    csv_number(cell, &real) == CSV_NO_NUMBER)
			return 0;
		return text_take(t, m, (enum op_column)column, cell) < 0 ? TACHO_ENOMEM : 1;
	}
	if (!cell_whole(cell, &value))
		return 0;
	if (op_columns[column].type == OP_REAL)
		op_set_real(&m->op, (enum op_column)column, (double)value);
	else
		*(int64_t *)((char *)&m->op + op_columns[column].offset) = value;
	return 1;
}

static int row_take(struct op_measurements *list, struct op_table *t, const struct header *header,
		    const struct csv_row *csv, struct op_issues *issues)
{
	struct op_measurement m = op_measurement_unknown();
	int added;

	for (size_t i = 0; i < csv->n && i < header->n; i++) {
		int r = cell_take(t, &m, header->v[i], csv->cells[i]);

		if (r < 0)
			return r;
		if (r == 0)
			op_issue_add(issues, OP_ISSUE_BAD_ROW, TTLOG_CPP_FILE, csv->line,
				     OP_NOWHERE, "'%.*s' in column %zu is not a number; left out",
				     (int)(csv->cells[i].len < 40 ? csv->cells[i].len : 40),
				     csv->cells[i].text, i + 1);
	}
	if (m.op.id < 0 || m.op.device == OP_NONE)
		return 0;
	added = op_measurements_add(list, &m);
	if (added > 0)
		op_issue_add(issues, OP_ISSUE_REPEATED_ID, TTLOG_CPP_FILE, csv->line,
			     OP_AT(m.op.id, m.op.device),
			     "was measured before with these ids; only this line is in the report");
	return added < 0 ? added : 0;
}

int ttlog_cpp_read(struct op_measurements *list, struct op_table *t, const char *path,
		   struct op_issues *issues, struct tacho_error *err)
{
	struct header header = {0};
	struct csv_row row;
	struct csv *csv;
	int r = csv_open(&csv, path, err);

	if (r < 0)
		return r;
	r = csv_next(csv, &row, err);
	if (r > 0)
		r = cpp_report_header_read(&row, &header);
	while (r >= 0 && (r = csv_next(csv, &row, err)) > 0)
		r = row_take(list, t, &header, &row, issues);
	csv_close(csv);
	vec_free(&header);
	if (r == TACHO_EDAMAGED) {
		op_issue_add(issues, OP_ISSUE_BAD_ROW, TTLOG_CPP_FILE, 0, OP_NOWHERE,
			     "the file ends inside a quoted cell");
		return 0;
	}
	return r == TACHO_ENOMEM || r == TACHO_ELIMIT
		       ? err_set(err, r, "%s: %s", TTLOG_CPP_FILE, err_text(r))
		       : r;
}
