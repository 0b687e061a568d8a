/* SPDX-License-Identifier: Apache-2.0 */
/* Tables printed as aligned text, CSV or JSON, row by row. */
#include "base/table.h"
#include "base/csv.h"
#include "base/fmt.h"

#include <math.h>
#include <string.h>

#define MEASURED_ROWS 512 /* text: rows that wait to learn the widths */
#define GAP           2   /* blanks between columns */
#define CUT_MIN       12  /* a string is not cut below this width */
#define PAD_MAX       48  /* not on a terminal: longer strings push their own row only */

const char *const table_formats[] = {"text", "csv", "json", "md", NULL};

/* For people: text or Markdown. */
static bool is_text(const struct table *t)
{
	return t->style.format == TABLE_AS_TEXT || t->style.format == TABLE_AS_MARKDOWN;
}

/* The title of a column in text, NULL for one that is not shown. */
static const char *table_title(const struct table *t, size_t column)
{
	const struct table_column *c = &t->columns[column];

	for (const char *const *key = t->style.hidden; c->key && key && *key; key++)
		if (!strcmp(*key, c->key))
			return NULL;
	return c->title;
}

static void flush_line(struct table *t)
{
	if (t->line.failed)
		t->error = TACHO_ENOMEM;
	else if (fwrite(t->line.data, 1, t->line.len, t->guard) != t->line.len)
		t->error = TACHO_EWRITE;
	buf_reset(&t->line);
}

static void text_cell_end(struct table *t)
{
	if (vec_push(&t->ends, t->cells.len) < 0)
		t->error = TACHO_ENOMEM;
}

static void text_row(struct table *t);

void table_open(struct table *t, FILE *out, const struct table_style *style,
		const struct table_column *columns, size_t n)
{
	memset(t, 0, sizeof(*t));
	t->out = out;
	t->style = *style;
	t->guard = is_text(t) ? out : term_guard(out);
	t->columns = columns;
	t->n = n;
	t->line = t->cells = (struct buf)BUF_INIT;
	if (style->format == TABLE_AS_CSV) {
		for (size_t i = 0; i < n; i++)
			if (columns[i].key)
				buf_addf(&t->line, "%s%s", i ? "," : "", columns[i].key);
		buf_addc(&t->line, '\n');
		flush_line(t);
	} else if (style->format == TABLE_AS_JSON) {
		json_init(&t->json, &t->line);
		t->json.flat = style->record ? 2 : 1;
		if (!style->record)
			json_array(&t->json, NULL);
	} else if (!style->record) {
		/* The titles are the first row, so they are measured like one. */
		for (size_t i = 0; i < t->n; i++) {
			buf_adds(&t->cells, table_title(t, i) ? table_title(t, i) : "");
			text_cell_end(t);
		}
		t->color = TERM_CYAN;
		text_row(t);
		t->color = TERM_NONE;
	}
}

/* ------------------------------------------------------------------ cells */

/* Goes to the next column. Returns its key, and NULL when the format does not have it. */
static const char *cell_begin(struct table *t)
{
	const char *key = t->columns[t->at].key;

	if (key && t->style.format == TABLE_AS_JSON && t->at == 0)
		json_object(&t->json, NULL);
	if (key && t->style.format == TABLE_AS_CSV && t->at > 0)
		buf_addc(&t->line, ',');
	t->at++;
	return key;
}

static void csv_cell(struct table *t, const char *text, size_t len)
{
	struct buf guarded = BUF_INIT;

	if (!t->style.guard || len == 0 || !memchr("=+-@\t\r", text[0], 6)) {
		csv_add(&t->line, text, len);
		return;
	}
	buf_addc(&guarded, '\'');
	buf_add(&guarded, text, len);
	csv_add(&t->line, guarded.data, guarded.len);
	t->line.failed |= guarded.failed;
	buf_free(&guarded);
}

void table_string(struct table *t, const char *text, size_t len)
{
	const char *key = cell_begin(t);

	if (is_text(t)) {
		term_add_escaped(&t->cells, text, len);
		text_cell_end(t);
	} else if (key && t->style.format == TABLE_AS_CSV) {
		csv_cell(t, text, len);
	} else if (key) {
		json_string(&t->json, key, text, len);
	}
}

void table_text(struct table *t, const char *text)
{
	table_string(t, text, strlen(text));
}

/* A cell whose text is made already; NULL is none. */
static void table_number_cell(struct table *t, const char *text)
{
	const char *key = cell_begin(t);

	if (is_text(t)) {
		buf_adds(&t->cells, text ? text : "");
		text_cell_end(t);
	} else if (key && t->style.format == TABLE_AS_CSV) {
		buf_adds(&t->line, text ? text : "");
	} else if (key) {
		json_number(&t->json, key, text);
	}
}

void table_uint(struct table *t, uint64_t value)
{
	enum table_type type = t->columns[t->at].type;
	char text[FMT_SIZE];

	if (is_text(t) && type == TABLE_COUNT)
		table_number_cell(t, fmt_count(text, value));
	else if (is_text(t) && type == TABLE_BYTES)
		table_number_cell(t, fmt_bytes(text, (double)value));
	else
		table_number_cell(t, fmt_uint(text, value));
}

void table_int(struct table *t, int64_t value)
{
	char text[FMT_SIZE];

	table_number_cell(t, fmt_int(text, value));
}

/* A finite VALUE as people read it. */
static char *human_real(char *text, enum table_type type, double value)
{
	switch (type) {
	case TABLE_NS:
		return fmt_ns(text, value);
	case TABLE_BYTES:
		return fmt_bytes(text, value);
	default:
		snprintf(text, FMT_SIZE, type == TABLE_PERCENT ? "%.2f" : "%.6g", value);
		return text;
	}
}

static char *plain_real(char *text, enum table_type type, double value)
{
	if (type == TABLE_NS && fabs(value) < 9e18)
		return fmt_int(text, llround(value));
	if (type != TABLE_PERCENT)
		return fmt_double(text, value);
	snprintf(text, FMT_SIZE, "%.4f", value);
	return text;
}

void table_real(struct table *t, double value)
{
	enum table_type type = t->columns[t->at].type;
	char text[FMT_SIZE];

	if (!isfinite(value))
		table_number_cell(t, !is_text(t)    ? NULL
				     : isnan(value) ? "nan"
				     : value < 0    ? "-inf"
						    : "inf");
	else
		table_number_cell(t, is_text(t) ? human_real(text, type, value)
						: plain_real(text, type, value));
}

void table_none(struct table *t)
{
	table_number_cell(t, NULL);
}

void table_color(struct table *t, enum term_color color)
{
	t->color = color;
}

/* ------------------------------------------------------------------- text */

static size_t cell_start(const struct table *t, size_t cell)
{
	return cell ? t->ends.v[cell - 1] : 0;
}

/* Takes from the widest strings until a row fits the terminal. */
static void fit_widths(struct table *t)
{
	size_t total = 0, widest;

	for (size_t i = 0; i < t->n; i++)
		total += table_title(t, i) ? t->widths.v[i] + GAP : 0;
	while (total > t->style.width + GAP) {
		widest = t->n;
		for (size_t i = 0; i < t->n; i++)
			if (table_title(t, i) && t->columns[i].type == TABLE_STRING &&
			    (widest == t->n || t->widths.v[i] > t->widths.v[widest]))
				widest = i;
		if (widest == t->n || t->widths.v[widest] <= CUT_MIN)
			return;
		t->widths.v[widest]--;
		total--;
	}
}

static int table_measure(struct table *t)
{
	if (vec_reserve(&t->widths, t->n ? t->n : 1) < 0)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		t->widths.v[i] = 0;
	for (size_t cell = 0; cell < t->ends.n; cell++) {
		size_t start = cell_start(t, cell);
		size_t width = term_width(t->cells.data + start, t->ends.v[cell] - start);

		if (width > t->widths.v[cell % t->n])
			t->widths.v[cell % t->n] = width;
	}
	if (t->style.width)
		fit_widths(t);
	for (size_t i = 0; !t->style.width && i < t->n; i++)
		if (t->columns[i].type == TABLE_STRING && t->widths.v[i] > PAD_MAX)
			t->widths.v[i] = PAD_MAX;
	return 0;
}

static bool last_shown(const struct table *t, size_t column)
{
	while (++column < t->n)
		if (table_title(t, column))
			return false;
	return true;
}

static void table_pad(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, ' ');
}

/* TEXT in WIDTH columns: cut in the middle on a terminal, numbers to the right. */
static void add_padded(struct table *t, size_t column, const char *text, size_t len)
{
	size_t width = t->widths.v[column], has = term_width(text, len);
	bool string = t->columns[column].type == TABLE_STRING;

	if (t->style.width && string && has > width) {
		term_add_cut(&t->line, text, len, width);
		has = width;
	} else {
		if (!string && has < width)
			table_pad(&t->line, width - has);
		buf_add(&t->line, text, len);
	}
	if (last_shown(t, column))
		return;
	table_pad(&t->line, (string && has < width ? width - has : 0) + GAP);
}

/* The first line is the header: a line of dashes follows it. */
static void write_markdown(struct table *t, size_t first)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t from = cell_start(t, first + i);

		if (!table_title(t, i))
			continue;
		buf_adds(&t->line, "| ");
		for (size_t k = from; k < t->ends.v[first + i]; k++) {
			if (t->cells.data[k] == '|')
				buf_addc(&t->line, '\\');
			buf_addc(&t->line, t->cells.data[k]);
		}
		buf_addc(&t->line, ' ');
	}
	buf_adds(&t->line, "|\n");
	for (size_t i = 0; !t->headed && i < t->n; i++)
		if (table_title(t, i))
			buf_adds(&t->line, t->columns[i].type == TABLE_STRING ? "|---" : "|--:");
	if (!t->headed)
		buf_adds(&t->line, "|\n");
	t->headed = true;
	flush_line(t);
}

static void write_line(struct table *t, size_t first, enum term_color color)
{
	size_t start = t->line.len;
	struct buf plain;

	for (size_t i = 0; i < t->n; i++) {
		size_t from = cell_start(t, first + i);

		if (table_title(t, i))
			add_padded(t, i, t->cells.data + from, t->ends.v[first + i] - from);
	}
	while (t->line.len > start && t->line.data[t->line.len - 1] == ' ')
		t->line.len--;
	if (t->style.color && color != TERM_NONE) {
		plain = t->line;
		t->line = (struct buf)BUF_INIT;
		term_add(&t->line, color, plain.data, plain.len);
		buf_free(&plain);
	}
	buf_addc(&t->line, '\n');
	flush_line(t);
}

static void write_waiting(struct table *t)
{
	if (!t->started) {
		t->started = true;
		t->error = table_measure(t);
	}
	for (size_t i = 0; i < t->waiting.n && t->error == 0; i++)
		if (t->style.format == TABLE_AS_MARKDOWN)
			write_markdown(t, t->waiting.v[i].first);
		else
			write_line(t, t->waiting.v[i].first, t->waiting.v[i].color);
	t->waiting.n = 0;
	t->ends.n = 0;
	buf_reset(&t->cells);
}

/* The one row of a record, a line per cell that has something to say. */
static void write_record(struct table *t)
{
	size_t width = 0;

	for (size_t i = 0; i < t->n; i++)
		if (table_title(t, i) && strlen(table_title(t, i)) > width)
			width = strlen(table_title(t, i));
	for (size_t i = 0; i < t->n && i < t->ends.n; i++) {
		const char *name = table_title(t, i);
		size_t from = cell_start(t, i);

		if (!name || t->ends.v[i] == from)
			continue;
		term_add(&t->line, t->style.color ? TERM_CYAN : TERM_NONE, name, strlen(name));
		table_pad(&t->line, width - strlen(name) + GAP);
		buf_add(&t->line, t->cells.data + from, t->ends.v[i] - from);
		buf_addc(&t->line, '\n');
	}
	flush_line(t);
}

/* ------------------------------------------------------------------- rows */

static void text_row(struct table *t)
{
	struct table_line line = {.first = t->ends.n - t->n, .color = t->color};

	if (t->cells.failed || t->ends.n < t->n || vec_push(&t->waiting, line) < 0)
		t->error = TACHO_ENOMEM;
	else if (!t->style.record && (t->started || t->waiting.n == MEASURED_ROWS))
		write_waiting(t);
}

int table_row(struct table *t)
{
	if (t->error == 0) {
		if (is_text(t)) {
			text_row(t);
		} else {
			if (t->style.format == TABLE_AS_CSV)
				buf_addc(&t->line, '\n');
			else
				json_end(&t->json);
			flush_line(t);
		}
	}
	t->rows++;
	t->at = 0;
	t->color = TERM_NONE;
	return t->error;
}

int table_close(struct table *t)
{
	int r;

	if (t->error == 0) {
		if (is_text(t) && t->style.record)
			write_record(t);
		else if (is_text(t))
			write_waiting(t);
		else if (t->style.format == TABLE_AS_JSON && !t->style.record)
			json_end(&t->json);
		flush_line(t);
	}
	term_unguard(t->guard, t->out);
	r = t->error;
	buf_free(&t->line);
	buf_free(&t->cells);
	vec_free(&t->ends);
	vec_free(&t->waiting);
	vec_free(&t->widths);
	return r;
}
