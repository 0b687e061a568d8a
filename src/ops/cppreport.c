#include "ops/cppreport.h"

#include "base/csv.h"
#include "base/limits.h"
#include "ops/figures.h"

#include <inttypes.h>
#include <string.h>

static const char *const cycle_names[OPS_CPP_CYCLES] = {
	[OPS_CPP_KERNEL_START] = "DEVICE KERNEL START CYCLE",
	[OPS_CPP_KERNEL_END] = "DEVICE KERNEL END CYCLE",
	[OPS_CPP_DM_START] = "DEVICE KERNEL DM START CYCLE",
	[OPS_CPP_DM_END] = "DEVICE KERNEL DM END CYCLE",
};

/* Columns whose cells are whole numbers; other numbers are taken as they are written. */
static bool is_whole(enum ops_column c)
{
	return c == OPS_COL_CALL_COUNT || c == OPS_COL_TRACE_ID || c == OPS_COL_SESSION_ID ||
	       c == OPS_COL_DEVICE_ID || c == OPS_COL_CORE_COUNT || c == OPS_COL_AVAILABLE_CORES ||
	       (c >= OPS_COL_FW_START && c <= OPS_COL_FW_END) ||
	       (c >= OPS_COL_FW && c <= OPS_COL_ERISC &&
		!(c == OPS_COL_QUASAR_DM_FW || c == OPS_COL_QUASAR_TRISC_FW ||
		  c == OPS_COL_QUASAR_DM || c == OPS_COL_QUASAR_TRISC));
}

#define NO_COLUMN (-1)
#define CYCLE(c)  (-2 - (c))
#define WHOLE_FW  CYCLE(OPS_CPP_CYCLES)     /* of a replay, measured as a whole */
#define WHOLE     CYCLE(OPS_CPP_CYCLES + 1) /* its kernels */

struct columns {
	VEC(int); /* enum ops_column, CYCLE() or NO_COLUMN */
};

static bool is_named(struct csv_cell cell, const char *name)
{
	return cell.len == strlen(name) && !memcmp(cell.text, name, cell.len);
}

static int find_columns(const struct csv_row *row, struct columns *columns)
{
	for (size_t i = 0; i < row->n; i++) {
		int found = NO_COLUMN;

		for (int c = 0; c < OPS_COLUMNS; c++)
			if (is_named(row->cells[i], ops_column_names[c]))
				found = c;
		for (int c = 0; c < OPS_CPP_CYCLES; c++)
			if (is_named(row->cells[i], cycle_names[c]))
				found = CYCLE(c);
		if (is_named(row->cells[i], devperf_name(DEVPERF_TRACE_FW)))
			found = WHOLE_FW;
		if (is_named(row->cells[i], devperf_name(DEVPERF_TRACE_KERNEL)))
			found = WHOLE;
		if (vec_push(columns, found) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static struct csv_cell strip(struct csv_cell cell)
{
	while (cell.len && (cell.text[0] == ' ' || cell.text[0] == '\t')) {
		cell.text++;
		cell.len--;
	}
	while (cell.len && strchr(" \t\r", cell.text[cell.len - 1]))
		cell.len--;
	return cell;
}

static bool whole(struct csv_cell cell, int64_t *value)
{
	double real;

	if (csv_integer(cell, value) == 0)
		return true;
	if (csv_number(cell, &real) != CSV_REAL || real < -0x1p62 || real > 0x1p62)
		return false;
	*value = (int64_t)real;
	return true;
}

static void keep_text(struct ops_cpp *cpp, struct ops_text *text, const char *from, size_t len)
{
	text->at = (uint32_t)cpp->text.len;
	text->len = (uint32_t)len;
	for (size_t i = 0; i < len; i++)
		buf_addc(&cpp->text, (char)(from[i] == ',' ? ';' : from[i]));
}

static void take_number(struct ops_cpp_row *row, int column, int64_t value)
{
	int64_t *const places[] = {&row->device,   &row->trace,  &row->session, &row->core_count,
				   &row->fw_start, &row->fw_end, &row->fw_ns};
	static const enum ops_column columns[] = {
		OPS_COL_DEVICE_ID, OPS_COL_TRACE_ID, OPS_COL_SESSION_ID, OPS_COL_CORE_COUNT,
		OPS_COL_FW_START,  OPS_COL_FW_END,   OPS_COL_FW};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (column == (int)columns[i])
			*places[i] = value;
}

/* One cell; false: it should be a number and is none. */
static bool take_cell(struct ops_cpp *cpp, struct ops_cpp_row *row, int column,
		      struct csv_cell cell, bool *has_id)
{
	int64_t value;
	char text[24];

	cell = strip(cell);
	if (column == NO_COLUMN || !cell.len)
		return true;
	if (column == WHOLE || column == WHOLE_FW) {
		row->whole = true;
		/* Runtimes that leave the op's own columns blank: those come later. */
		column = column == WHOLE ? OPS_COL_KERNEL : OPS_COL_FW;
	}
	if (column <= CYCLE(0)) {
		if (!whole(cell, &value))
			return false;
		row->cycles[-2 - column] = value;
		return true;
	}
	if (!is_whole((enum ops_column)column)) {
		double real;

		if (ops_column_numeric((enum ops_column)column) &&
		    csv_number(cell, &real) == CSV_NO_NUMBER)
			return false;
		keep_text(cpp, &row->cells[column], cell.text, cell.len);
		return true;
	}
	if (!whole(cell, &value))
		return false;
	if (column == OPS_COL_CALL_COUNT) {
		row->id = (uint64_t)value;
		*has_id = value >= 0;
	}
	take_number(row, column, value);
	keep_text(cpp, &row->cells[column], text,
		  (size_t)snprintf(text, sizeof(text), "%" PRId64, value));
	return true;
}

int64_t ops_cpp_first(const struct ops_cpp *cpp, int64_t device, uint64_t id)
{
	for (uint64_t key = ops_mix((uint64_t)device, id);; key++) {
		uint32_t *at = map_get(&cpp->by_id, key);

		if (!at)
			return -1;
		if (cpp->v[*at].device == device && cpp->v[*at].id == id)
			return *at;
	}
}

bool ops_cpp_has_device(const struct ops_cpp *cpp, int64_t device)
{
	for (size_t i = 0; i < cpp->n; i++)
		if (cpp->v[i].device == device)
			return true;
	return false;
}

/* Appends ROW, or puts it in the place of an earlier one with the same ids. */
static int add_row(struct ops_cpp *cpp, const struct ops_cpp_row *row)
{
	int64_t at = ops_cpp_first(cpp, row->device, row->id), last = -1;
	uint64_t key = ops_mix((uint64_t)row->device, row->id);

	for (; at >= 0; last = at, at = (int64_t)cpp->next.v[at] - 1)
		if (cpp->v[at].trace == row->trace && cpp->v[at].session == row->session) {
			cpp->v[at] = *row;
			return 0;
		}
	if (cpp->n >= UINT32_MAX - 1 || cpp->text.len > UINT32_MAX)
		return TACHO_ELIMIT;
	if (last < 0) {
		while (map_get(&cpp->by_id, key))
			key++;
		if (map_set(&cpp->by_id, key, (uint32_t)cpp->n) < 0)
			return TACHO_ENOMEM;
	} else {
		cpp->next.v[last] = (uint32_t)cpp->n + 1;
	}
	if (vec_push(cpp, *row) < 0 || vec_push(&cpp->next, 0) < 0)
		return TACHO_ENOMEM;
	return 0;
}

static int take_row(struct ops_cpp *cpp, const struct columns *columns, const struct csv_row *csv,
		    struct ops_issues *issues)
{
	struct ops_cpp_row row = {.device = OPS_NONE,
				  .trace = OPS_NONE,
				  .session = OPS_NONE,
				  .core_count = OPS_NONE,
				  .fw_start = OPS_NONE,
				  .fw_end = OPS_NONE,
				  .fw_ns = OPS_NONE};
	bool has_id = false;

	for (int c = 0; c < OPS_CPP_CYCLES; c++)
		row.cycles[c] = OPS_NONE;
	for (size_t i = 0; i < csv->n && i < columns->n; i++)
		if (!take_cell(cpp, &row, columns->v[i], csv->cells[i], &has_id))
			ops_issue_add(issues, OPS_ISSUE_BAD_ROW, OPS_CPP_FILE, csv->line,
				      OPS_NOWHERE, "'%.*s' in column %zu is no number; left out",
				      (int)(csv->cells[i].len < 40 ? csv->cells[i].len : 40),
				      csv->cells[i].text, i + 1);
	if (!has_id || row.device == OPS_NONE)
		return 0;
	cpp->whole |= row.whole;
	return add_row(cpp, &row);
}

static int read_rows(struct ops_cpp *cpp, struct csv *csv, struct columns *columns,
		     struct ops_issues *issues, struct tacho_error *err)
{
	struct csv_row row;
	int r = csv_next(csv, &row, err);

	if (r > 0)
		r = find_columns(&row, columns);
	while (r >= 0 && (r = csv_next(csv, &row, err)) > 0)
		r = take_row(cpp, columns, &row, issues);
	if (r == TACHO_EDAMAGED) {
		ops_issue_add(issues, OPS_ISSUE_BAD_ROW, OPS_CPP_FILE, 0, OPS_NOWHERE,
			      "the file ends inside a quoted cell");
		return 0;
	}
	if (r == TACHO_ENOMEM || cpp->text.failed)
		return err_set(err, TACHO_ENOMEM, "%s: out of memory", OPS_CPP_FILE);
	return r;
}

int ops_cpp_read(struct ops_cpp *cpp, const char *path, struct ops_issues *issues,
		 struct tacho_error *err)
{
	struct columns columns = {0};
	struct csv *csv;
	int r;

	cpp->text = (struct buf)BUF_INIT;
	r = csv_open(&csv, path, err);
	if (r < 0)
		return r;
	r = read_rows(cpp, csv, &columns, issues, err);
	csv_close(csv);
	vec_free(&columns);
	return r;
}

/* Cells without quotes; how many. */
static size_t split(const char *text, size_t len, struct csv_cell *cells, size_t most)
{
	const char *p = text, *end = text + len, *comma;
	size_t n = 0;

	for (; n < most; p = comma + 1) {
		comma = memchr(p, ',', (size_t)(end - p));
		cells[n++] = (struct csv_cell){p, (size_t)((comma ? comma : end) - p)};
		if (!comma)
			break;
	}
	return n;
}

int ops_cpp_lines(struct ops_cpp *cpp, ops_cpp_next next, void *context, struct ops_issues *issues,
		  struct tacho_error *err)
{
	struct columns columns = {0};
	struct csv_cell cells[64];
	struct csv_row row = {.cells = cells};
	struct buf text = BUF_INIT;
	int r = 0;

	cpp->text = (struct buf)BUF_INIT;
	for (size_t line = 0; r == 0 && next(context, line, &text); line++) {
		row.line = line + 1;
		row.n = split(text.data, text.len, cells, sizeof(cells) / sizeof(cells[0]));
		r = line ? take_row(cpp, &columns, &row, issues) : find_columns(&row, &columns);
	}
	if (r == 0 && (text.failed || cpp->text.failed))
		r = TACHO_ENOMEM;
	buf_free(&text);
	vec_free(&columns);
	return r < 0 ? err_set(err, r, "%s: %s", OPS_CPP_FILE, err_text(r)) : 0;
}

void ops_cpp_free(struct ops_cpp *cpp)
{
	if (cpp->text.data)
		buf_free(&cpp->text);
	vec_free(cpp);
	vec_free(&cpp->next);
	map_free(&cpp->by_id);
}
