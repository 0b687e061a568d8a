/* SPDX-License-Identifier: Apache-2.0 */
/* Compare two ops reports row by row. */
#include "op/compare.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/term.h"
#include "op/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- rows in order of their keys --- */

static int compare_by_key(const void *a, const void *b, void *arg)
{
	const struct op_sheet *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strcmp(s->text.data + s->keys.v[x], s->text.data + s->keys.v[y]);

	return order ? order : x < y ? -1 : 1;
}

static uint32_t *compare_sorted(const struct op_sheet *s)
{
	uint32_t *order = calloc(s->rows + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < s->rows; i++)
		order[i] = i;
	if (order)
		qsort_r(order, s->rows, sizeof(*order), compare_by_key, (void *)s);
	return order;
}

/* --- comparing --- */

struct compare {
	const struct op_compare_options *o;
	struct op_compare_result *result;
	struct op_sheet a, b;
	FILE *out;
	uint64_t printed;
};

/* Columns that one of the two kinds of reports leaves empty. */
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

static bool compare_same(const struct compare *c, const char *name, const char *x, const char *y)
{
	double a, b;

	if (!strcmp(x, y))
		return true;
	if (op_sheet_blank(x) || op_sheet_blank(y))
		return (op_sheet_blank(x) && op_sheet_blank(y)) || may_be_blank(name);
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

static void compare_row_order(struct compare *c, uint32_t a, uint32_t b)
{
	c->result->matched++;
	for (size_t i = 0; i < c->a.names.n && !c->o->ids_only; i++) {
		const char *name = c->a.text.data + c->a.names.v[i], *x, *y;
		int64_t other = op_sheet_column(&c->b, name);

		if (other < 0)
			continue;
		x = op_sheet_cell(&c->a, a, (int64_t)i);
		y = op_sheet_cell(&c->b, b, other);
		if (compare_same(c, name, x, y))
			continue;
		c->result->differences++;
		print_cell(c, c->a.text.data + c->a.keys.v[a], name, x, y);
	}
}

static void lone_row(struct compare *c, const struct op_sheet *s, uint32_t row, uint64_t *count)
{
	(*count)++;
	if (!may_print(c))
		return;
	print_safe(c->out, s->text.data + s->keys.v[row]);
	fprintf(c->out, ": only in the %s report\n", s == &c->a ? "first" : "second");
}

static void compare_walk(struct compare *c, const uint32_t *a, const uint32_t *b)
{
	size_t i = 0, k = 0;

	while (i < c->a.rows || k < c->b.rows) {
		int order = i == c->a.rows   ? 1
			    : k == c->b.rows ? -1
					     : strcmp(c->a.text.data + c->a.keys.v[a[i]],
						      c->b.text.data + c->b.keys.v[b[k]]);

		if (order == 0)
			compare_row_order(c, a[i++], b[k++]);
		else if (order < 0)
			lone_row(c, &c->a, a[i++], &c->result->only_a);
		else
			lone_row(c, &c->b, b[k++], &c->result->only_b);
	}
	if (c->printed > (uint64_t)c->o->max_differences)
		fprintf(c->out, "and %" PRIu64 " more\n",
			c->printed - (uint64_t)c->o->max_differences);
}

int op_compare(const char *a, const char *b, const struct op_compare_options *options, FILE *out,
	       struct op_compare_result *result, struct tacho_error *err)
{
	struct compare c = {.o = options, .result = result, .out = out};
	uint32_t *first = NULL, *second = NULL;
	int r = op_sheet_load(&c.a, a, err);

	if (r == 0)
		r = op_sheet_load(&c.b, b, err);
	if (r == 0) {
		first = compare_sorted(&c.a);
		second = compare_sorted(&c.b);
		if (!first || !second)
			r = err_set(err, TACHO_ENOMEM, "out of memory");
	}
	for (size_t i = 0; r == 0 && i < c.a.names.n; i++)
		result->columns += op_sheet_column(&c.b, c.a.text.data + c.a.names.v[i]) >= 0;
	if (r == 0) {
		result->rows_a = c.a.rows;
		result->rows_b = c.b.rows;
		compare_walk(&c, first, second);
	}
	free(first);
	free(second);
	op_sheet_free(&c.a);
	op_sheet_free(&c.b);
	return r;
}
