/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the ops report into a table of ops and writes it from one. */
#include "op/csv.h"

#include "base/buf.h"
#include "base/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define FLUSH       (1u << 20)
#define PADDED      "_PAD[LOGICAL]" /* suffix of shape columns in newer reports */
#define HOST_SUFFIX "_TT_HOST_FUNC [ns]"
#define SIZE_SUFFIX " [B]"

/* ---- reading ---- */

struct columns {
	VEC(struct op_field);
};

#define SKIPPED ((enum op_field_source) - 1) /* of a column that is not needed */

struct reading {
	struct op_table *t;
	bool all;
	op_bad_fn bad;
	void *context;
	struct columns columns;
	struct map programs; /* half of a hash over all cells to an index into hashes */
	struct {
		VEC(XXH128_hash_t);
	} hashes; /* of t->programs, from first_program on */
	size_t first_program;
	struct buf key;
	uint64_t line;
	bool known; /* the file has columns of ops */
};

static bool name_ends(struct csv_cell name, const char *suffix)
{
	size_t len = strlen(suffix);

	return name.len >= len && !memcmp(name.text + name.len - len, suffix, len);
}

/* "INPUT_0_W_PAD[LOGICAL]", "OUTPUT_12_MEMORY"; in older reports "INPUT_0_W". */
static bool tensor_column(struct csv_cell name, struct op_field *field)
{
	static const char *const sides[] = {"INPUT_", "OUTPUT_"};
	uint32_t tensor = 0;

	for (int side = 0; side < 2; side++) {
		size_t at = strlen(sides[side]), digits;

		if (name.len <= at || memcmp(name.text, sides[side], at))
			continue;
		for (digits = at; at < name.len && at < digits + 4 && name.text[at] >= '0' &&
				  name.text[at] <= '9';
		     at++)
			tensor = tensor * 10 + (uint32_t)(name.text[at] - '0');
		if (at == digits || at >= name.len || name.text[at++] != '_')
			return false;
		for (uint32_t cell = 0; cell < OP_TENSOR_CELLS; cell++) {
			size_t len = strlen(op_tensor_names[cell]), left = name.len - at;

			if ((left == len || (cell < OP_DIMS && left == len - strlen(PADDED))) &&
			    !memcmp(name.text + at, op_tensor_names[cell], left)) {
				*field = (struct op_field){side ? OP_FIELD_OUTPUT : OP_FIELD_INPUT,
							   tensor * OP_TENSOR_CELLS + cell};
				return true;
			}
		}
	}
	return false;
}

static int column_find(struct reading *r, struct csv_cell name, struct op_field *field)
{
	int fixed = op_column_named(name.text, name.len);
	int64_t extra;

	*field = (struct op_field){SKIPPED, 0};
	if (fixed >= 0) {
		*field = (struct op_field){OP_FIELD_FIXED, (uint32_t)fixed};
		r->t->shown[fixed] = true;
		r->known = true;
		return 0;
	}
	if (tensor_column(name, field))
		return 0;
	if (name.len == 10 && !memcmp(name.text, "UNRELIABLE", 10)) {
		*field = (struct op_field){OP_FIELD_UNRELIABLE, 0};
		return 0;
	}
	if (!r->all)
		return 0;
	extra = op_table_extra(r->t,
			       name_ends(name, HOST_SUFFIX)   ? OP_EXTRA_HOST_FUNCTION
			       : name_ends(name, SIZE_SUFFIX) ? OP_EXTRA_SIZE
							      : OP_EXTRA_OTHER,
			       name.text, name.len);
	if (extra < 0)
		return extra == TACHO_ELIMIT ? 0 : (int)extra;
	*field = (struct op_field){OP_FIELD_EXTRA, (uint32_t)extra};
	return 0;
}

/* True if the column belongs to the program, which calls of the same kind share. */
static bool is_shared(const struct op_table *t, struct op_field f)
{
	return f.source == OP_FIELD_INPUT || f.source == OP_FIELD_OUTPUT ||
	       (f.source == OP_FIELD_FIXED && op_columns[f.index].holder == OP_OF_PROGRAM) ||
	       (f.source == OP_FIELD_EXTRA && t->extras.v[f.index].kind == OP_EXTRA_SIZE);
}

static void bad_cell(struct reading *r, struct op_field field, struct op_text text)
{
	if (r->bad)
		r->bad(r->context, r->line, field, text);
}

/* Tensor INDEX of a program under construction; missing tensors up to it are added. */
static struct op_tensor *tensor_at(struct op_table *t, uint32_t first, uint32_t *count,
				   uint32_t index)
{
	while (*count <= index) {
		if (vec_push(&t->tensors, ((struct op_tensor){0})) < 0)
			return NULL;
		++*count;
	}
	return &t->tensors.v[first + index];
}

static int program_cell(struct reading *r, struct op_program *p, struct op_field f,
			struct op_text text)
{
	struct op_tensor *tensor;
	int rc;

	if (f.source == OP_FIELD_EXTRA)
		return op_table_add_cell(r->t, &p->cells, OP_COLUMNS + f.index, text);
	if (f.source == OP_FIELD_FIXED) {
		rc = op_program_set_text(r->t, p, (enum op_column)f.index, text);
		if (rc > 0)
			bad_cell(r, f, text);
		return rc < 0 ? rc : 0;
	}
	tensor = f.source == OP_FIELD_INPUT
			 ? tensor_at(r->t, p->inputs, &p->input_count, f.index / OP_TENSOR_CELLS)
			 : tensor_at(r->t, p->outputs, &p->output_count, f.index / OP_TENSOR_CELLS);
	if (!tensor)
		return TACHO_ENOMEM;
	tensor->cells[f.index % OP_TENSOR_CELLS] = text;
	return 0;
}

/* Cells of one source, in the order of the columns: tensors of a program are contiguous. */
static int program_fill(struct reading *r, struct op_program *p, const struct csv_row *row,
			enum op_field_source source)
{
	for (size_t i = 0; i < row->n && i < r->columns.n; i++) {
		struct op_field f = r->columns.v[i];
		struct op_text text;
		int rc;

		if (f.source != source || !is_shared(r->t, f) || !row->cells[i].len)
			continue;
		text = op_table_text(r->t, row->cells[i].text, row->cells[i].len);
		rc = text.text ? program_cell(r, p, f, text) : TACHO_ENOMEM;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int program_add(struct reading *r, const struct csv_row *row)
{
	struct op_program p = {.ideal_ns = NAN, .compute_ns = NAN, .bandwidth_ns = NAN};
	int rc;

	p.inputs = (uint32_t)r->t->tensors.n;
	rc = program_fill(r, &p, row, OP_FIELD_INPUT);
	p.outputs = (uint32_t)r->t->tensors.n;
	if (rc == 0)
		rc = program_fill(r, &p, row, OP_FIELD_OUTPUT);
	if (rc == 0)
		rc = program_fill(r, &p, row, OP_FIELD_FIXED);
	if (rc == 0)
		rc = program_fill(r, &p, row, OP_FIELD_EXTRA);
	for (size_t i = p.inputs; i < r->t->tensors.n; i++)
		op_tensor_read(&r->t->tensors.v[i]);
	return rc < 0 ? rc : vec_push(&r->t->programs, p);
}

/* The program of a record: its index in the table, or an error. */
static int64_t program_of_row(struct reading *r, const struct csv_row *row)
{
	XXH128_hash_t hash;
	uint32_t *at;

	buf_reset(&r->key);
	for (size_t i = 0; i < row->n && i < r->columns.n; i++)
		if (is_shared(r->t, r->columns.v[i])) {
			buf_add(&r->key, &row->cells[i].len, sizeof(row->cells[i].len));
			buf_add(&r->key, row->cells[i].text, row->cells[i].len);
		}
	if (r->key.failed)
		return TACHO_ENOMEM;
	hash = XXH3_128bits(r->key.data, r->key.len);
	for (uint64_t key = hash.low64; (at = map_get(&r->programs, key)); key++)
		if (XXH128_isEqual(r->hashes.v[*at], hash))
			return (int64_t)r->first_program + *at;
	if (vec_push(&r->hashes, hash) < 0 || program_add(r, row) < 0)
		return TACHO_ENOMEM;
	for (uint64_t key = hash.low64;; key++)
		if (!map_get(&r->programs, key))
			return map_set(&r->programs, key, (uint32_t)r->hashes.n - 1) < 0
				       ? TACHO_ENOMEM
				       : (int64_t)r->t->programs.n - 1;
}

static bool csv_text_is(struct op_text text, const char *word)
{
	return text.len == strlen(word) && !memcmp(text.text, word, text.len);
}

static enum op_kind csv_kind_of(const struct op_program *p, const struct op *op)
{
	if (csv_text_is(p->type, "tt_dnn_device"))
		return OP_ON_DEVICE;
	if (csv_text_is(p->type, "signpost"))
		return OP_SIGNPOST;
	return p->type.text || op->device == OP_NONE ? OP_ON_HOST : OP_ON_DEVICE;
}

static int op_fill(struct reading *r, struct op *op, struct op_field f, struct csv_cell cell)
{
	struct op_text text = {cell.text, cell.len};
	int rc;

	if (f.source == OP_FIELD_UNRELIABLE) {
		op->unreliable = !csv_blank(cell);
		r->t->unreliable |= op->unreliable;
		return 0;
	}
	/* Numbers need no copy of their text. */
	if (f.source == OP_FIELD_EXTRA || op_columns[f.index].type == OP_TEXT || r->all ||
	    csv_number(cell, &(double){0}) == CSV_NO_NUMBER) {
		text = op_table_text(r->t, cell.text, cell.len);
		if (!text.text)
			return TACHO_ENOMEM;
	}
	if (f.source == OP_FIELD_EXTRA)
		return op_table_add_cell(r->t, &op->cells, OP_COLUMNS + f.index, text);
	rc = op_set_text(r->t, op, (enum op_column)f.index, text, r->all);
	if (rc > 0)
		bad_cell(r, f, text);
	return rc < 0 ? rc : 0;
}

static int row_read(struct reading *r, const struct csv_row *row)
{
	struct op op = op_unknown();
	int64_t program;

	r->line = row->line;
	program = program_of_row(r, row);
	if (program < 0)
		return (int)program;
	op.program = (uint32_t)program;
	for (size_t i = 0; i < row->n && i < r->columns.n; i++) {
		struct op_field f = r->columns.v[i];

		if (f.source == SKIPPED || !row->cells[i].len || is_shared(r->t, f))
			continue;
		if (op_fill(r, &op, f, row->cells[i]) < 0)
			return TACHO_ENOMEM;
	}
	op.kind = (uint8_t)csv_kind_of(&r->t->programs.v[op.program], &op);
	return vec_push(&r->t->ops, op);
}

static int csv_header_read(struct reading *r, struct csv *csv, const char *path,
			   struct tacho_error *err)
{
	struct csv_row row;
	int rc = csv_next(csv, &row, err);

	if (rc < 0)
		return rc;
	if (rc == 0)
		return err_set(err, TACHO_EFORMAT, "%s is empty", path);
	for (size_t i = 0; i < row.n; i++) {
		struct op_field field;

		if (column_find(r, row.cells[i], &field) < 0 || vec_push(&r->columns, field) < 0)
			return err_set(err, TACHO_ENOMEM, "%s: out of memory", path);
	}
	return r->known ? 0 : err_set(err, TACHO_EFORMAT, "%s:1: not an ops report", path);
}

int op_table_read_csv(struct op_table *t, const char *path, bool all, op_bad_fn bad, void *context,
		      struct tacho_error *err)
{
	struct reading r = {.t = t,
			    .all = all,
			    .bad = bad,
			    .context = context,
			    .first_program = t->programs.n,
			    .key = BUF_INIT};
	struct csv_row row;
	struct csv *csv;
	int rc = csv_open(&csv, path, err);

	if (rc < 0)
		return rc;
	rc = csv_header_read(&r, csv, path, err);
	while (rc >= 0 && (rc = csv_next(csv, &row, err)) > 0)
		if (row_read(&r, &row) < 0)
			rc = err_set(err, TACHO_ENOMEM, "%s: out of memory", path);
	csv_close(csv);
	vec_free(&r.columns);
	vec_free(&r.hashes);
	map_free(&r.programs);
	buf_free(&r.key);
	return rc;
}

/* ---- writing ---- */

static int text_flush(struct buf *text, FILE *out, size_t least, struct tacho_error *err)
{
	if (text->failed)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	if (text->len < least)
		return 0;
	if (fwrite(text->data, 1, text->len, out) < text->len)
		return err_errno(err, TACHO_EWRITE, "cannot write the report");
	buf_reset(text);
	return 0;
}

int op_table_write_csv(const struct op_table *t, FILE *out, struct tacho_error *err)
{
	struct buf text = BUF_INIT, cell = BUF_INIT;
	struct op_fields fields = {0};
	int r = op_table_fields(t, &fields);

	if (r < 0)
		err_set(err, r, "out of memory");
	for (size_t i = 0; i <= t->ops.n && r == 0; i++) {
		for (size_t f = 0; f < fields.n; f++) {
			buf_reset(&cell);
			if (i)
				op_field_text(t, &t->ops.v[i - 1], fields.v[f], &cell);
			else
				op_field_name(t, fields.v[f], &cell);
			if (f)
				buf_addc(&text, ',');
			if (cell.len)
				csv_add(&text, cell.data, cell.len);
		}
		buf_adds(&text, "\r\n");
		r = text_flush(&text, out, FLUSH, err);
	}
	if (r == 0)
		r = cell.failed ? err_set(err, TACHO_ENOMEM, "out of memory")
				: text_flush(&text, out, 0, err);
	buf_free(&text);
	buf_free(&cell);
	vec_free(&fields);
	return r;
}
