/* SPDX-License-Identifier: Apache-2.0 */
/* A table of ops: its texts, its extra columns, and any cell of it as a value or as text. */
#include "op/op.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/fmt.h"
#include "base/limits.h"
#include "op/names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

struct op_strings {
	struct op_names texts;
	struct map extras; /* text << 8 | kind of an extra column to its index */
	size_t extra_counts[OP_EXTRA_KINDS];
};

/* The number of a text, or an error. */
static int64_t text_add(struct op_table *t, const char *text, size_t len)
{
	if (!t->strings) {
		t->strings = calloc(1, sizeof(*t->strings));
		if (!t->strings)
			return TACHO_ENOMEM;
		t->strings->texts.limit = UINT32_MAX;
	}
	return op_names_add(&t->strings->texts, text, len);
}

struct op_text op_table_text(struct op_table *t, const char *text, size_t len)
{
	int64_t at = text_add(t, text, len);

	return (struct op_text){at < 0 ? NULL : t->strings->texts.v[at].text, len};
}

void op_table_free(struct op_table *t)
{
	if (t->strings) {
		op_names_free(&t->strings->texts);
		map_free(&t->strings->extras);
	}
	free(t->strings);
	vec_free(&t->ops);
	vec_free(&t->programs);
	vec_free(&t->tensors);
	vec_free(&t->cells);
	vec_free(&t->extras);
	*t = (struct op_table)OP_TABLE_INIT;
}

/* ---- cells ---- */

int op_table_add_cell(struct op_table *t, uint32_t *cells, uint32_t column, struct op_text text)
{
	struct op_cell cell = {column, *cells, text, NAN};

	if (!text.text || t->cells.n >= UINT32_MAX - 1 || vec_push(&t->cells, cell) < 0)
		return TACHO_ENOMEM;
	*cells = (uint32_t)t->cells.n;
	return 0;
}

int op_table_add_number(struct op_table *t, uint32_t *cells, uint32_t column, double number)
{
	struct op_cell cell = {column, *cells, {NULL, 0}, number};

	if (t->cells.n >= UINT32_MAX - 1 || vec_push(&t->cells, cell) < 0)
		return TACHO_ENOMEM;
	*cells = (uint32_t)t->cells.n;
	return 0;
}

const struct op_cell *op_cell_find(const struct op_table *t, uint32_t cells, uint32_t column)
{
	for (; cells; cells = t->cells.v[cells - 1].next)
		if (t->cells.v[cells - 1].column == column)
			return &t->cells.v[cells - 1];
	return NULL;
}

int64_t op_table_extra(struct op_table *t, enum op_extra_kind kind, const char *name, size_t len)
{
	int64_t text = text_add(t, name, len);
	uint64_t key = (uint64_t)text << 8 | kind;
	struct op_extra extra = {.kind = kind};
	struct op_strings *s = t->strings;
	uint32_t *at;

	if (text < 0)
		return text;
	at = map_get(&s->extras, key);
	if (at)
		return *at;
	if (s->extra_counts[kind] >= (kind == OP_EXTRA_SIZE || kind == OP_EXTRA_HOST_FUNCTION
					      ? LIMIT_OPS_COLUMNS
					      : LIMIT_CSV_CELLS))
		return TACHO_ELIMIT;
	extra.name = (struct op_text){s->texts.v[text].text, len};
	if (vec_push(&t->extras, extra) < 0 ||
	    map_set(&s->extras, key, (uint32_t)t->extras.n - 1) < 0)
		return TACHO_ENOMEM;
	s->extra_counts[kind]++;
	return (int64_t)t->extras.n - 1;
}

struct op op_unknown(void)
{
	struct op op = {.program = OP_NO_PROGRAM, .slowest = {.ns = NAN, .mean = NAN}};

	for (int c = 0; c < OP_COLUMNS; c++) {
		const struct op_column_def *d = &op_columns[c];

		if (d->holder != OP_OF_OP)
			continue;
		if (d->type == OP_INT)
			*(int64_t *)((char *)&op + d->offset) = OP_NONE;
		else if (d->type == OP_REAL)
			*(double *)((char *)&op + d->offset) = NAN;
	}
	return op;
}

/* As reports write them: durations are whole but for odd sources, percentages are Python's. */
static void real_add(struct buf *out, double value, const char *unit)
{
	char text[FMT_SIZE];

	if (unit[0] != '%' && value == rint(value) && fabs(value) < 1e15)
		fmt_int(text, (int64_t)value);
	else
		fmt_python(text, value);
	buf_adds(out, text);
}

/* NULL: the column has no field of its own, such as that of cache hits. */
static const void *field_of(const struct op *op, const struct op_column_def *d)
{
	return d->offset == OP_NO_FIELD ? NULL : (const char *)op + d->offset;
}

static void field_add(struct buf *out, const struct op *op, enum op_column column)
{
	const struct op_column_def *d = &op_columns[column];
	const void *field = field_of(op, d);
	char text[FMT_SIZE];

	if (column == OP_COL_CACHE_HIT)
		buf_adds(out, op->hit == OP_HIT_TRUE ? "True" : op->hit ? "False" : "");
	else if (d->type == OP_TEXT)
		buf_add(out, ((const struct op_text *)field)->text,
			((const struct op_text *)field)->len);
	else if (d->type == OP_INT && *(const int64_t *)field != OP_NONE)
		buf_adds(out, fmt_int(text, *(const int64_t *)field));
	else if (d->type == OP_REAL && !isnan(*(const double *)field))
		real_add(out, *(const double *)field, d->unit);
}

bool op_field_set(const struct op *op, enum op_column column)
{
	const struct op_column_def *d = &op_columns[column];
	const void *field = field_of(op, d);

	if (d->holder != OP_OF_OP)
		return false;
	if (column == OP_COL_CACHE_HIT)
		return op->hit != OP_HIT_UNKNOWN;
	if (d->type == OP_TEXT)
		return ((const struct op_text *)field)->text;
	return d->type == OP_INT ? *(const int64_t *)field != OP_NONE
				 : !isnan(*(const double *)field);
}

/* The program's value in a column; text NULL: none. */
static struct op_text program_text(const struct op_table *t, const struct op *op, uint32_t column)
{
	const struct op_program *p = op_program_of(t, op);
	const struct op_cell *cell;

	/* Only the op itself knows its replay. */
	if (!p || column == OP_COL_TRACE_ID || column == OP_COL_SESSION_ID)
		return (struct op_text){0};
	if (column < OP_COLUMNS && op_columns[column].holder == OP_OF_PROGRAM)
		return *(const struct op_text *)((const char *)p + op_columns[column].offset);
	cell = op_cell_find(t, p->cells, column);
	return cell ? cell->text : (struct op_text){0};
}

const struct op_tensor *op_input(const struct op_table *t, const struct op *op, uint32_t i)
{
	const struct op_program *p = op_program_of(t, op);

	return p && i < p->input_count ? &t->tensors.v[p->inputs + i] : NULL;
}

const struct op_tensor *op_output(const struct op_table *t, const struct op *op, uint32_t i)
{
	const struct op_program *p = op_program_of(t, op);

	return p && i < p->output_count ? &t->tensors.v[p->outputs + i] : NULL;
}

/* The text of a text field; text NULL: it is blank, or a number in a field of OP. */
static struct op_text field_text(const struct op_table *t, const struct op *op,
				 struct op_field field)
{
	static const struct op_text unreliable = {"markers overwritten", 19};
	uint32_t column = field.source == OP_FIELD_EXTRA ? OP_COLUMNS + field.index : field.index;
	const struct op_tensor *tensor;
	const struct op_cell *cell;

	switch (field.source) {
	case OP_FIELD_INPUT:
	case OP_FIELD_OUTPUT:
		tensor = field.source == OP_FIELD_INPUT
				 ? op_input(t, op, field.index / OP_TENSOR_CELLS)
				 : op_output(t, op, field.index / OP_TENSOR_CELLS);
		return tensor ? tensor->cells[field.index % OP_TENSOR_CELLS] : (struct op_text){0};
	case OP_FIELD_UNRELIABLE:
		return op->unreliable ? unreliable : (struct op_text){0};
	default:
		cell = op_cell_find(t, op->cells, column);
		if (cell)
			return cell->text;
		if (column < OP_COLUMNS && op_columns[column].holder == OP_OF_OP &&
		    op_field_set(op, (enum op_column)column))
			return (struct op_text){0};
		return program_text(t, op, column);
	}
}

/* The number of a numeric cell; NaN: none. */
static double extra_number(const struct op_table *t, const struct op *op, struct op_field field)
{
	const struct op_cell *cell = field.source == OP_FIELD_EXTRA
					     ? op_cell_find(t, op->cells, OP_COLUMNS + field.index)
					     : NULL;

	return cell ? cell->number : NAN;
}

void op_field_text(const struct op_table *t, const struct op *op, struct op_field field,
		   struct buf *out)
{
	struct op_text text = field_text(t, op, field);
	double number = extra_number(t, op, field);

	if (text.text)
		buf_add(out, text.text, text.len);
	else if (!isnan(number))
		real_add(out, number, "");
	else if (field.source == OP_FIELD_FIXED && op_columns[field.index].holder == OP_OF_OP)
		field_add(out, op, (enum op_column)field.index);
}

static enum op_type op_field_type(const struct op_table *t, struct op_field field)
{
	switch (field.source) {
	case OP_FIELD_FIXED:
		return op_columns[field.index].type;
	case OP_FIELD_EXTRA:
		return t->extras.v[field.index].kind == OP_EXTRA_OTHER ? OP_TEXT : OP_REAL;
	default:
		return OP_TEXT;
	}
}

static struct op_value text_value(struct op_text text, enum op_type type)
{
	struct op_value v = {.type = OP_TEXT, .text = text};
	struct csv_cell cell = {text.text, text.len};
	int64_t whole;
	double real;

	if (!text.text || !text.len)
		return (struct op_value){.type = OP_BLANK};
	if (type == OP_TEXT)
		return v;
	if (csv_integer(cell, &whole) == 0)
		return (struct op_value){.type = type, .integer = whole, .real = (double)whole};
	switch (csv_number(cell, &real)) {
	case CSV_REAL:
	case CSV_INT:
		return (struct op_value){.type = OP_REAL, .real = real};
	case CSV_BLANK:
		return (struct op_value){.type = OP_BLANK};
	default:
		return v;
	}
}

struct op_value op_value(const struct op_table *t, const struct op *op, struct op_field field)
{
	struct op_text text = field_text(t, op, field);
	double number = extra_number(t, op, field);
	const struct op_column_def *d;
	const void *at;

	if (!isnan(number))
		return (struct op_value){.type = OP_REAL, .real = number};
	if (text.text || field.source != OP_FIELD_FIXED ||
	    op_columns[field.index].holder == OP_OF_PROGRAM)
		return text_value(text, op_field_type(t, field));
	if (!op_field_set(op, (enum op_column)field.index))
		return (struct op_value){.type = OP_BLANK};
	d = &op_columns[field.index];
	at = field_of(op, d);
	if (field.index == OP_COL_CACHE_HIT)
		return (struct op_value){.type = OP_TEXT,
					 .text = op->hit == OP_HIT_TRUE
							 ? (struct op_text){"True", 4}
							 : (struct op_text){"False", 5}};
	if (d->type == OP_TEXT)
		return (struct op_value){.type = OP_TEXT, .text = *(const struct op_text *)at};
	if (d->type == OP_INT)
		return (struct op_value){.type = OP_INT,
					 .integer = *(const int64_t *)at,
					 .real = (double)*(const int64_t *)at};
	return (struct op_value){.type = OP_REAL, .real = *(const double *)at};
}

double op_number(const struct op_table *t, const struct op *op, enum op_column column)
{
	struct op_value v = op_value(t, op, (struct op_field){OP_FIELD_FIXED, column});

	return v.type == OP_INT || v.type == OP_REAL ? v.real : NAN;
}

int op_take_column(struct op_table *t, struct op *to, const struct op *from, enum op_column column)
{
	const struct op_cell *cell = op_cell_find(t, from->cells, column);
	const struct op_column_def *d = &op_columns[column];

	if (op_field_set(to, column) || program_text(t, to, column).len ||
	    op_cell_find(t, to->cells, column))
		return 0;
	if (op_field_set(from, column) && column != OP_COL_CACHE_HIT)
		memcpy((char *)to + d->offset, (const char *)from + d->offset,
		       d->type == OP_TEXT ? sizeof(struct op_text) : sizeof(int64_t));
	return cell ? op_table_add_cell(t, &to->cells, column, cell->text) : 0;
}

/* ---- columns ---- */

static int fields_add(struct op_fields *fields, enum op_field_source source, uint32_t from,
		      uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (vec_push(fields, ((struct op_field){source, i})) < 0)
			return TACHO_ENOMEM;
	return 0;
}

static int fields_add_fixed(const struct op_table *t, struct op_fields *fields, int from, int to)
{
	for (int c = from; c < to; c++)
		if (t->shown[c] &&
		    fields_add(fields, OP_FIELD_FIXED, (uint32_t)c, (uint32_t)c + 1) < 0)
			return TACHO_ENOMEM;
	return 0;
}

/* The order of extra columns: by kind; kernel sizes by class and number, functions by name. */
struct extra_key {
	const struct op_extra *extra;
	uint32_t index, rank;
	long number;
};

static struct extra_key extra_key(const struct op_table *t, uint32_t index)
{
	static const char *const classes[] = {"TENSIX DM ", "TENSIX COMPUTE ", "ACTIVE ETH DM ",
					      "IDLE ETH DM "};
	struct extra_key key = {.extra = &t->extras.v[index], .index = index, .rank = 4};
	const char *name = key.extra->name.text;

	for (uint32_t c = 0; key.extra->kind == OP_EXTRA_SIZE && c < 4; c++)
		if (!strncmp(name, classes[c], strlen(classes[c]))) {
			key.rank = c;
			key.number = strtol(name + strlen(classes[c]), NULL, 10);
		}
	return key;
}

static int by_extra_key(const void *a, const void *b)
{
	const struct extra_key *x = a, *y = b;
	bool named = x->extra->kind == OP_EXTRA_SIZE || x->extra->kind == OP_EXTRA_HOST_FUNCTION;
	int order;

	if (x->extra->kind != y->extra->kind)
		return x->extra->kind < y->extra->kind ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	order = named ? strcmp(x->extra->name.text, y->extra->name.text) : 0;
	return order ? order : x->index < y->index ? -1 : 1;
}

static int fields_add_extras(const struct op_table *t, struct op_fields *fields, bool sizes)
{
	struct extra_key *keys = calloc(t->extras.n + 1, sizeof(*keys));
	int r = keys ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; r == 0 && i < t->extras.n; i++)
		keys[i] = extra_key(t, i);
	if (r == 0)
		qsort(keys, t->extras.n, sizeof(*keys), by_extra_key);
	for (uint32_t i = 0; r == 0 && i < t->extras.n; i++)
		if ((keys[i].extra->kind == OP_EXTRA_SIZE) == sizes)
			r = fields_add(fields, OP_FIELD_EXTRA, keys[i].index, keys[i].index + 1);
	free(keys);
	return r;
}

int op_table_fields(const struct op_table *t, struct op_fields *fields)
{
	uint32_t inputs = 0, outputs = 0;

	for (size_t i = 0; i < t->ops.n; i++) {
		const struct op_program *p = op_program_of(t, &t->ops.v[i]);

		if (!p)
			continue;
		inputs = p->input_count > inputs ? p->input_count : inputs;
		outputs = p->output_count > outputs ? p->output_count : outputs;
	}
	if (fields_add_fixed(t, fields, 0, OP_COL_TRACE_ID) < 0 ||
	    fields_add(fields, OP_FIELD_INPUT, 0, inputs * OP_TENSOR_CELLS) < 0 ||
	    fields_add(fields, OP_FIELD_OUTPUT, 0, outputs * OP_TENSOR_CELLS) < 0 ||
	    fields_add_fixed(t, fields, OP_COL_TRACE_ID, OP_COL_CACHE_HIT + 1) < 0 ||
	    fields_add_extras(t, fields, true) < 0 ||
	    fields_add_fixed(t, fields, OP_COL_CACHE_HIT + 1, OP_COLUMNS) < 0 ||
	    fields_add_extras(t, fields, false) < 0)
		return TACHO_ENOMEM;
	return t->unreliable ? fields_add(fields, OP_FIELD_UNRELIABLE, 0, 1) : 0;
}

const char *const op_tensor_names[OP_TENSOR_CELLS] = {
	"W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]",
	"LAYOUT",         "DATATYPE",       "MEMORY"};

void op_field_name(const struct op_table *t, struct op_field field, struct buf *out)
{
	switch (field.source) {
	case OP_FIELD_FIXED:
		buf_adds(out, op_columns[field.index].name);
		break;
	case OP_FIELD_INPUT:
	case OP_FIELD_OUTPUT:
		buf_addf(out, "%s_%u_%s", field.source == OP_FIELD_INPUT ? "INPUT" : "OUTPUT",
			 field.index / OP_TENSOR_CELLS,
			 op_tensor_names[field.index % OP_TENSOR_CELLS]);
		break;
	case OP_FIELD_EXTRA:
		buf_add(out, t->extras.v[field.index].name.text, t->extras.v[field.index].name.len);
		break;
	case OP_FIELD_UNRELIABLE:
		buf_adds(out, "UNRELIABLE");
		break;
	}
}

/* ---- from text ---- */

/* "32[30]", or "32": then it is both sizes. */
static void dim_read(struct op_text text, int64_t *padded, int64_t *logical)
{
	const char *open = text.text ? memchr(text.text, '[', text.len) : NULL;
	const char *close = open ? memchr(open, ']', (size_t)(text.text + text.len - open)) : NULL;
	size_t len = open ? (size_t)(open - text.text) : text.len;

	if (!text.text || csv_integer((struct csv_cell){text.text, len}, padded) < 0)
		*padded = OP_NONE;
	*logical = *padded;
	if (open && (!close || csv_integer((struct csv_cell){open + 1, (size_t)(close - open - 1)},
					   logical) < 0))
		*logical = OP_NONE;
}

void op_tensor_read(struct op_tensor *tensor)
{
	for (int d = 0; d < OP_DIMS; d++)
		dim_read(tensor->cells[d], &tensor->padded[d], &tensor->logical[d]);
	tensor->layout = tensor->cells[4];
	tensor->datatype = tensor->cells[5];
	tensor->memory = tensor->cells[6];
}

int op_program_set_text(struct op_table *t, struct op_program *p, enum op_column column,
			struct op_text text)
{
	const struct op_column_def *d = &op_columns[column];
	double *number = column == OP_COL_PM_IDEAL       ? &p->ideal_ns
			 : column == OP_COL_PM_COMPUTE   ? &p->compute_ns
			 : column == OP_COL_PM_BANDWIDTH ? &p->bandwidth_ns
							 : NULL;

	if (d->holder != OP_OF_PROGRAM)
		return op_table_add_cell(t, &p->cells, column, text);
	*(struct op_text *)((char *)p + d->offset) = text;
	if (number && csv_number((struct csv_cell){text.text, text.len}, number) == CSV_NO_NUMBER)
		return 1;
	return 0;
}

/* Fills a field; false: it cannot hold the text. */
static bool field_read(struct op *op, enum op_column column, struct op_text text)
{
	const struct op_column_def *d = &op_columns[column];
	struct csv_cell cell = {text.text, text.len};
	void *field = d->offset == OP_NO_FIELD ? NULL : (char *)op + d->offset;
	double real;

	if (column == OP_COL_CACHE_HIT) {
		op->hit = text.len == 4 && !memcmp(text.text, "True", 4)    ? OP_HIT_TRUE
			  : text.len == 5 && !memcmp(text.text, "False", 5) ? OP_HIT_FALSE
									    : OP_HIT_UNKNOWN;
		return op->hit != OP_HIT_UNKNOWN;
	}
	if (d->type == OP_TEXT) {
		*(struct op_text *)field = text;
		return true;
	}
	if (d->type == OP_REAL) {
		enum csv_number kind = csv_number(cell, &real);

		*(double *)field = real;
		return kind == CSV_INT || kind == CSV_REAL;
	}
	if (csv_integer(cell, field) == 0)
		return true;
	*(int64_t *)field = OP_NONE;
	if (csv_number(cell, &real) != CSV_REAL || real != rint(real) || fabs(real) >= 0x1p63)
		return false;
	*(int64_t *)field = (int64_t)real;
	return true;
}

void op_set_real(struct op *op, enum op_column column, double value)
{
	*(double *)((char *)op + op_columns[column].offset) = value;
}

int op_set_text(struct op_table *t, struct op *op, enum op_column column, struct op_text text,
		bool exact)
{
	struct buf again = BUF_INIT;
	bool held = field_read(op, column, text), same = true;
	int r = 0;

	if (!held && csv_blank((struct csv_cell){text.text, text.len}) && !exact)
		return 0;
	if (held && exact) {
		field_add(&again, op, column);
		same = again.len == text.len && !memcmp(again.data, text.text, text.len);
		buf_free(&again);
	}
	if (!held || !same)
		r = op_table_add_cell(t, &op->cells, column, text);
	return r < 0 ? r : !held;
}

/* The next text of a Python list: "['a'; 'b']". */
static bool table_list_next(const char **at, const char *end, struct op_text *item)
{
	const char *p = *at;
	char quote;

	while (p < end && *p != '\'' && *p != '"')
		p++;
	if (p == end)
		return false;
	quote = *p++;
	item->text = p;
	while (p < end && *p != quote)
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	item->len = (size_t)(p - item->text);
	*at = p < end ? p + 1 : p;
	return true;
}

static bool list_item(struct op_text list, uint32_t index, struct op_text *item)
{
	const char *at = list.text;

	for (uint32_t i = 0; list.text && table_list_next(&at, list.text + list.len, item); i++)
		if (i == index)
			return true;
	*item = (struct op_text){0};
	return false;
}

bool op_kernel_next(const struct op_program *p, uint32_t *at, struct op_kernel *kernel)
{
	uint32_t compute = 0;
	struct op_text ignored;

	*kernel = (struct op_kernel){.kind = OP_KERNEL_COMPUTE};
	if (list_item(p->compute_source, *at, &kernel->source)) {
		list_item(p->compute_hash, (*at)++, &kernel->hash);
		return true;
	}
	while (list_item(p->compute_source, compute, &ignored))
		compute++;
	kernel->kind = OP_KERNEL_DATA_MOVEMENT;
	if (!list_item(p->dm_source, *at - compute, &kernel->source))
		return false;
	list_item(p->dm_hash, (*at)++ - compute, &kernel->hash);
	return true;
}
