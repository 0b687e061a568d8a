#include "ops/compare.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/term.h"
#include "base/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct cells {
	VEC(size_t); /* where in the text each begins; NUL-terminated */
};

struct sheet {
	struct buf text;
	struct cells names;
	struct cells cells; /* names.n for each row */
	struct cells keys;  /* of each row */
	size_t rows;
};

static const char *cell(const struct sheet *s, size_t row, int64_t column)
{
	return column < 0 ? "" : s->text.data + s->cells.v[row * s->names.n + (size_t)column];
}

static int keep(struct sheet *s, struct cells *cells, const char *text, size_t len)
{
	size_t at = s->text.len;

	buf_add(&s->text, text, len);
	buf_addc(&s->text, 0);
	return s->text.failed ? TACHO_ENOMEM : vec_push(cells, at);
}

static int64_t find_column(const struct sheet *s, const char *name)
{
	for (size_t i = 0; i < s->names.n; i++)
		if (!strcasecmp(s->text.data + s->names.v[i], name))
			return (int64_t)i;
	return -1;
}

static bool blank(const char *text)
{
	return csv_blank((struct csv_cell){text, strlen(text)});
}

static int take_row(struct sheet *s, const struct csv_row *row)
{
	int r = 0;

	for (size_t i = 0; i < s->names.n && r == 0; i++)
		r = i < row->n ? keep(s, &s->cells, row->cells[i].text, row->cells[i].len)
			       : keep(s, &s->cells, "", 0);
	s->rows++;
	return r;
}

/* "1024/7/2": by which a row is found in the other report. A signpost has its name. */
static int make_keys(struct sheet *s)
{
	int64_t id = find_column(s, "GLOBAL CALL COUNT"), code = find_column(s, "OP CODE");
	int64_t trace = find_column(s, "METAL TRACE ID");
	int64_t session = find_column(s, "METAL TRACE REPLAY SESSION ID");
	struct buf key = BUF_INIT;
	int r = 0;

	for (size_t row = 0; row < s->rows && r == 0; row++) {
		buf_reset(&key);
		buf_adds(&key, cell(s, row, blank(cell(s, row, id)) ? code : id));
		if (!blank(cell(s, row, trace)) || !blank(cell(s, row, session)))
			buf_addf(&key, "/%s/%s", cell(s, row, trace), cell(s, row, session));
		r = key.failed ? TACHO_ENOMEM : keep(s, &s->keys, key.data, key.len);
	}
	buf_free(&key);
	return r;
}

static int load(struct sheet *s, const char *path, struct tacho_error *err)
{
	struct csv_row row;
	struct csv *csv;
	int r = csv_open(&csv, path, err), memory = 0;

	s->text = (struct buf)BUF_INIT;
	if (r < 0)
		return r;
	r = csv_next(csv, &row, err);
	for (size_t i = 0; r > 0 && i < row.n && memory == 0; i++)
		memory = keep(s, &s->names, row.cells[i].text, row.cells[i].len);
	while (r >= 0 && memory == 0 && (r = csv_next(csv, &row, err)) > 0)
		memory = take_row(s, &row);
	csv_close(csv);
	if (r == 0 && memory == 0 && find_column(s, "GLOBAL CALL COUNT") < 0)
		return err_set(err, TACHO_EFORMAT,
			       "%s is no ops report: it has no GLOBAL CALL COUNT", path);
	if (r == 0 && memory == 0)
		memory = make_keys(s);
	return memory < 0 ? err_set(err, memory, "%s: out of memory", path) : r;
}

static void sheet_free(struct sheet *s)
{
	if (s->text.data)
		buf_free(&s->text);
	vec_free(&s->names);
	vec_free(&s->cells);
	vec_free(&s->keys);
}

/* --- rows in order of their keys --- */

static int by_key(const void *a, const void *b, void *arg)
{
	const struct sheet *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strcmp(s->text.data + s->keys.v[x], s->text.data + s->keys.v[y]);

	return order ? order : x < y ? -1 : 1;
}

static uint32_t *sorted(const struct sheet *s)
{
	uint32_t *order = calloc(s->rows + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < s->rows; i++)
		order[i] = i;
	if (order)
		qsort_r(order, s->rows, sizeof(*order), by_key, (void *)s);
	return order;
}

/* --- comparing --- */

struct compare {
	const struct ops_compare_options *o;
	struct ops_compare_result *result;
	struct sheet a, b;
	FILE *out;
	uint64_t printed;
};

/* Columns that one of the two ways to a report leaves empty. */
static bool may_be_blank(const char *name)
{
	static const char *const columns[] = {"DEVICE KERNEL DURATION PER CORE MIN [ns]",
					      "DEVICE KERNEL DURATION PER CORE MAX [ns]",
					      "DEVICE KERNEL DURATION PER CORE AVG [ns]",
					      "DEVICE ARCH", "AVAILABLE WORKER CORE COUNT"};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (!strcasecmp(columns[i], name))
			return true;
	return false;
}

static bool same(const struct compare *c, const char *name, const char *x, const char *y)
{
	double a, b;

	if (!strcmp(x, y))
		return true;
	if (blank(x) || blank(y))
		return (blank(x) && blank(y)) || may_be_blank(name);
	if (csv_number((struct csv_cell){x, strlen(x)}, &a) == CSV_NO_NUMBER ||
	    csv_number((struct csv_cell){y, strlen(y)}, &b) == CSV_NO_NUMBER)
		return false;
	return fabs(a - b) <= c->o->tolerance / 100 * fmax(fabs(a), fabs(b));
}

static bool may_print(struct compare *c)
{
	return c->printed++ < (uint64_t)c->o->max_differences;
}

static void print_safe(FILE *out, const char *text)
{
	struct buf safe = BUF_INIT;

	term_add_safe(&safe, text, strlen(text));
	fputs(safe.data, out);
	buf_free(&safe);
}

static void print_cell(struct compare *c, const char *key, const char *name, const char *x,
		       const char *y)
{
	if (!may_print(c))
		return;
	print_safe(c->out, key);
	fputs(": ", c->out);
	print_safe(c->out, name);
	fputs(": ", c->out);
	print_safe(c->out, *x ? x : "(empty)");
	fputs(" != ", c->out);
	print_safe(c->out, *y ? y : "(empty)");
	fputc('\n', c->out);
}

static void compare_rows(struct compare *c, uint32_t a, uint32_t b)
{
	c->result->matched++;
	for (size_t i = 0; i < c->a.names.n && !c->o->ids_only; i++) {
		const char *name = c->a.text.data + c->a.names.v[i], *x, *y;
		int64_t other = find_column(&c->b, name);

		if (other < 0)
			continue;
		x = cell(&c->a, a, (int64_t)i);
		y = cell(&c->b, b, other);
		if (same(c, name, x, y))
			continue;
		c->result->differences++;
		print_cell(c, c->a.text.data + c->a.keys.v[a], name, x, y);
	}
}

static void lone_row(struct compare *c, const struct sheet *s, uint32_t row, uint64_t *count)
{
	(*count)++;
	if (!may_print(c))
		return;
	print_safe(c->out, s->text.data + s->keys.v[row]);
	fprintf(c->out, ": only in the %s report\n", s == &c->a ? "first" : "second");
}

static void walk(struct compare *c, const uint32_t *a, const uint32_t *b)
{
	size_t i = 0, k = 0;

	while (i < c->a.rows || k < c->b.rows) {
		int order = i == c->a.rows   ? 1
			    : k == c->b.rows ? -1
					     : strcmp(c->a.text.data + c->a.keys.v[a[i]],
						      c->b.text.data + c->b.keys.v[b[k]]);

		if (order == 0)
			compare_rows(c, a[i++], b[k++]);
		else if (order < 0)
			lone_row(c, &c->a, a[i++], &c->result->only_a);
		else
			lone_row(c, &c->b, b[k++], &c->result->only_b);
	}
	if (c->printed > (uint64_t)c->o->max_differences)
		fprintf(c->out, "and %" PRIu64 " more\n",
			c->printed - (uint64_t)c->o->max_differences);
}

int ops_compare(const char *a, const char *b, const struct ops_compare_options *options, FILE *out,
		struct ops_compare_result *result, struct tacho_error *err)
{
	struct compare c = {.o = options, .result = result, .out = out};
	uint32_t *first = NULL, *second = NULL;
	int r = load(&c.a, a, err);

	if (r == 0)
		r = load(&c.b, b, err);
	if (r == 0) {
		first = sorted(&c.a);
		second = sorted(&c.b);
		if (!first || !second)
			r = err_set(err, TACHO_ENOMEM, "out of memory");
	}
	for (size_t i = 0; r == 0 && i < c.a.names.n; i++)
		result->columns += find_column(&c.b, c.a.text.data + c.a.names.v[i]) >= 0;
	if (r == 0) {
		result->rows_a = c.a.rows;
		result->rows_b = c.b.rows;
		walk(&c, first, second);
	}
	free(first);
	free(second);
	sheet_free(&c.a);
	sheet_free(&c.b);
	return r;
}
