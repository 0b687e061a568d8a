/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an op's JSON description into a program of a table. */
#include "op/program.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/limits.h"
#include "op/pytext.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct filling {
	struct op_table *t;
	struct op_program *p;
	struct buf text; /* of the current cell */
	char *no_number;
};

struct op_program op_program_unknown(void)
{
	return (struct op_program){.ideal_ns = NAN, .compute_ns = NAN, .bandwidth_ns = NAN};
}

/*
 * The cell's text in the table. The report has ';' instead of ',' because its readers split lines
 * at commas.
 */
static struct op_text cell_end(struct filling *f)
{
	char *p = f->text.data, *end = f->text.data + f->text.len;
	struct op_text text = {0};

	while ((p = memchr(p, ',', (size_t)(end - p))))
		*p++ = ';';
	if (!f->text.failed)
		text = op_table_text(f->t, f->text.data, f->text.len);
	buf_reset(&f->text);
	return text;
}

static int cell_set(struct filling *f, enum op_column column)
{
	struct op_text text = cell_end(f);
	int r = text.text ? op_program_set_text(f->t, f->p, column, text) : TACHO_ENOMEM;

	return r < 0 ? r : 0;
}

int op_program_cell(struct op_table *t, struct op_program *p, enum op_column column,
		    const char *text, size_t len)
{
	struct filling f = {.t = t, .p = p, .text = BUF_INIT};
	int r;

	buf_add(&f.text, text, len);
	r = cell_set(&f, column);
	buf_free(&f.text);
	return r;
}

/* A value of a numeric column: a number, or null. */
static bool is_number(struct filling *f, const struct jread_value *v)
{
	double value;

	if (v->type == JREAD_INT || v->type == JREAD_REAL || v->type == JREAD_NULL ||
	    (v->type == JREAD_STRING &&
	     csv_number((struct csv_cell){v->text, v->len}, &value) != CSV_NO_NUMBER))
		return true;
	if (!f->no_number[0])
		snprintf(f->no_number, OP_NO_NUMBER, "%.*s",
			 (int)(v->key_len < 40 ? v->key_len : 40), v->key ? v->key : "a value");
	return false;
}

static int value_cell(struct filling *f, enum op_column column, const struct jread_value *v)
{
	if (!v || (op_column_numeric(column) && !is_number(f, v)))
		return 0;
	pytext_str(&f->text, v);
	return cell_set(f, column);
}

/* A Python list of member KEY of each kernel: "['a'; 'b']". */
static int list_cell(struct filling *f, enum op_column column, const struct jread_value *kernels,
		     const char *key)
{
	bool any = false;

	buf_addc(&f->text, '[');
	for (const struct jread_value *k = kernels ? kernels->first : NULL; k; k = k->next) {
		const struct jread_value *v = jread_get(k, key);

		if (!v)
			continue;
		if (any)
			buf_adds(&f->text, ", ");
		pytext_repr(&f->text, v);
		any = true;
	}
	buf_addc(&f->text, ']');
	return cell_set(f, column);
}

/* "TENSIX_DM_0_max_kernel_size" is the column "TENSIX DM 0 MAX KERNEL SIZE [B]". */
static int size_cell(struct filling *f, const struct jread_value *v)
{
	int64_t extra;

	if (!is_number(f, v))
		return 0;
	buf_add(&f->text, v->key, v->key_len);
	for (size_t i = 0; i < f->text.len; i++)
		f->text.data[i] = f->text.data[i] == '_'
					  ? ' '
					  : (char)toupper((unsigned char)f->text.data[i]);
	buf_adds(&f->text, " [B]");
	extra = f->text.failed ? TACHO_ENOMEM
			       : op_table_extra(f->t, OP_EXTRA_SIZE, f->text.data, f->text.len);
	buf_reset(&f->text);
	if (extra < 0)
		return extra == TACHO_ELIMIT ? 0 : (int)extra;
	pytext_str(&f->text, v);
	return op_table_add_cell(f->t, &f->p->cells, OP_COLUMNS + (uint32_t)extra, cell_end(f));
}

static int fill_kernels(struct filling *f, const struct jread_value *v)
{
	const struct jread_value *compute = jread_get(v, "compute_kernels");
	const struct jread_value *dm = jread_get(v, "datamovement_kernels");
	const struct jread_value *sizes = jread_get(v, "kernel_sizes");

	if (!v || v->type != JREAD_OBJECT)
		return 0;
	for (const struct jread_value *k = compute ? compute->first : NULL; k; k = k->next)
		if (value_cell(f, OP_COL_MATH_FIDELITY, jread_get(k, "math_fidelity")) < 0)
			return TACHO_ENOMEM;
	if (list_cell(f, OP_COL_COMPUTE_SOURCE, compute, "source") < 0 ||
	    list_cell(f, OP_COL_COMPUTE_HASH, compute, "name") < 0 ||
	    list_cell(f, OP_COL_DM_SOURCE, dm, "source") < 0 ||
	    list_cell(f, OP_COL_DM_HASH, dm, "name") < 0)
		return TACHO_ENOMEM;
	for (const struct jread_value *s = sizes ? sizes->first : NULL; s; s = s->next)
		if (s->key && size_cell(f, s) < 0)
			return TACHO_ENOMEM;
	return 0;
}

static void add_upper(struct buf *b, const struct jread_value *v)
{
	size_t from = b->len;

	if (v)
		pytext_str(b, v);
	for (size_t i = from; i < b->len; i++)
		b->data[i] = (char)toupper((unsigned char)b->data[i]);
}

/* A host's storage by its name, a device's as in DEV_0_DRAM_INTERLEAVED. */
static void program_memory_add(struct buf *b, const struct jread_value *storage)
{
	const struct jread_value *config = jread_get(storage, "memory_config");
	const struct jread_value *device = jread_get(storage, "device_id");

	if (!storage)
		return;
	if (storage->type != JREAD_OBJECT) {
		pytext_str(b, storage);
		return;
	}
	buf_adds(b, "DEV_");
	if (device)
		pytext_str(b, device);
	buf_addc(b, '_');
	add_upper(b, jread_get(config, "buffer_type"));
	buf_addc(b, '_');
	add_upper(b, jread_get(config, "memory_layout"));
}

static int fill_tensor(struct filling *f, const struct jread_value *json)
{
	static const char *const sides[OP_DIMS] = {"W", "Z", "Y", "X"};
	const struct jread_value *shape = jread_get(json, "shape"), *v;
	struct op_tensor tensor = {0};

	for (int cell = 0; cell < OP_TENSOR_CELLS; cell++) {
		v = cell < OP_DIMS ? jread_get(shape, sides[cell])
				   : jread_get(json, cell == OP_DIMS ? "layout" : "dtype");
		if (cell == OP_TENSOR_CELLS - 1)
			program_memory_add(&f->text, jread_get(json, "storage_type"));
		else if (v)
			pytext_str(&f->text, v);
		tensor.cells[cell] = cell_end(f);
		if (!tensor.cells[cell].text)
			return TACHO_ENOMEM;
	}
	op_tensor_read(&tensor);
	return vec_push(&f->t->tensors, tensor);
}

static int fill_tensors(struct filling *f, uint32_t *count, const struct jread_value *tensors)
{
	for (const struct jread_value *t = tensors ? tensors->first : NULL; t; t = t->next) {
		if (*count >= LIMIT_OPS_TENSORS)
			return 0;
		if (fill_tensor(f, t) < 0)
			return TACHO_ENOMEM;
		++*count;
	}
	return 0;
}

static int program_fill_model(struct filling *f, const struct jread_value *model)
{
	static const struct {
		const char *key;
		enum op_column column;
	} cells[] = {
		{"ideal_ns", OP_COL_PM_IDEAL},         {"compute_ns", OP_COL_PM_COMPUTE},
		{"bandwidth_ns", OP_COL_PM_BANDWIDTH}, {"input_bws", OP_COL_PM_REQ_I},
		{"output_bws", OP_COL_PM_REQ_O},
	};

	for (size_t i = 0; model && i < sizeof(cells) / sizeof(cells[0]); i++)
		if (value_cell(f, cells[i].column, jread_get(model, cells[i].key)) < 0)
			return TACHO_ENOMEM;
	f->p->compute_ns = model ? jread_double(jread_get(model, "compute_ns")) : NAN;
	return 0;
}

int op_program_fill(struct op_table *t, struct op_program *p, const struct jread_value *json,
		    char no_number[OP_NO_NUMBER])
{
	struct filling f = {.t = t, .p = p, .text = BUF_INIT, .no_number = no_number};
	int r = 0;

	no_number[0] = 0;
	/* A member that is named like a column fills it. */
	for (const struct jread_value *m = json->first; m && r == 0; m = m->next) {
		int column = m->key ? op_column_find(m->key, m->key_len) : -1;

		if (column >= 0)
			r = value_cell(&f, (enum op_column)column, m);
	}
	if (r == 0)
		r = fill_kernels(&f, jread_get(json, "kernel_info"));
	if (r == 0)
		r = value_cell(&f, OP_COL_PROGRAM_HASH, jread_get(json, "op_hash"));
	p->inputs = (uint32_t)t->tensors.n;
	if (r == 0)
		r = fill_tensors(&f, &p->input_count, jread_get(json, "input_tensors"));
	if (r == 0)
		r = fill_tensors(&f, &p->input_count, jread_get(json, "optional_input_tensors"));
	p->outputs = (uint32_t)t->tensors.n;
	if (r == 0)
		r = fill_tensors(&f, &p->output_count, jread_get(json, "output_tensors"));
	if (r == 0)
		r = program_fill_model(&f, jread_get(json, "performance_model"));
	buf_free(&f.text);
	return r;
}
