/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills the input from a table of typed ops, such as those of a trace, without converting to text.
 */
#include "base/buf.h"
#include "op/op.h"
#include "perf/input.h"

#include <math.h>
#include <string.h>

/* The cells of op_tensor.cells by name; the first are the sizes. */
enum { TENSOR_DATATYPE = 5, TENSOR_MEMORY = 6 };

static struct csv_cell input_ops_cell_of(struct op_text text)
{
	return text.text ? (struct csv_cell){text.text, text.len} : (struct csv_cell){"", 0};
}

static struct perf_more more_of(const struct op_tensor *t)
{
	struct perf_more more;

	for (int i = 0; i < DIMS; i++)
		more.cell[i] = input_ops_cell_of(t->cells[i]);
	more.cell[MORE_DATATYPE] = input_ops_cell_of(t->cells[TENSOR_DATATYPE]);
	more.cell[MORE_MEMORY] = input_ops_cell_of(t->cells[TENSOR_MEMORY]);
	return more;
}

static void tensor_cells(struct csv_cell *cell, enum perf_tensor which, const struct op_tensor *t)
{
	static const enum perf_column memories[TENSORS] = {COL_IN0_MEMORY, COL_IN1_MEMORY,
							   COL_OUT_MEMORY};

	if (!t)
		return;
	for (int i = 0; i < DIMS; i++)
		cell[COL_SHAPES + (int)which * DIMS + i] = input_ops_cell_of(t->cells[i]);
	cell[COL_IN0_DATATYPE + (int)which] = input_ops_cell_of(t->cells[TENSOR_DATATYPE]);
	cell[memories[which]] = input_ops_cell_of(t->cells[TENSOR_MEMORY]);
}

/* Tensors beyond the first two inputs and the first output. */
static size_t more_cells(struct perf_more *more, size_t room, const struct op_table *t,
			 const struct op *op)
{
	const struct op_tensor *tensor;
	size_t n = 0;

	for (uint32_t i = 2; n < room && (tensor = op_input(t, op, i)); i++)
		more[n++] = more_of(tensor);
	for (uint32_t i = 1; n < room && (tensor = op_output(t, op, i)); i++)
		more[n++] = more_of(tensor);
	return n;
}

static int input_ops_kind_of(struct perf_input *in, const struct op_table *t, const struct op *op,
			     uint32_t *kind)
{
	const struct op_program *p = op_program_of(t, op);
	struct csv_cell cell[COL_COUNT];
	struct perf_more more[20];
	size_t n = 0;

	for (int i = 0; i < COL_COUNT; i++)
		cell[i] = (struct csv_cell){"", 0};
	if (p) {
		cell[COL_OP_CODE] = input_ops_cell_of(p->code);
		cell[COL_OP_TYPE] = input_ops_cell_of(p->type);
		cell[COL_ATTRIBUTES] = input_ops_cell_of(p->attributes);
		cell[COL_FIDELITY] = input_ops_cell_of(p->fidelity);
		tensor_cells(cell, IN0, op_input(t, op, 0));
		tensor_cells(cell, IN1, op_input(t, op, 1));
		tensor_cells(cell, OUT, op_output(t, op, 0));
		n = more_cells(more, sizeof(more) / sizeof(more[0]), t, op);
	}
	return perf_kind_of(in, cell, more, n, kind);
}

static int64_t whole_or(int64_t n, int64_t none)
{
	return n == OP_NONE ? none : n;
}

static int32_t small_or(int64_t n, int32_t none)
{
	return n == OP_NONE || n <= INT32_MIN || n >= INT32_MAX ? none : (int32_t)n;
}

static double real_of(int64_t n)
{
	return n == OP_NONE ? NAN : (double)n;
}

static float first_known(double a, double b)
{
	return (float)(isnan(a) ? b : a);
}

/* The first message of a program has it as text, in its cells. */
static enum op_hit hit_of(const struct op_table *t, const struct op *op)
{
	const struct op_cell *cell = op_cell_find(t, op->cells, OP_COL_CACHE_HIT);
	struct op_text text;

	if (!cell && op_program_of(t, op))
		cell = op_cell_find(t, op_program_of(t, op)->cells, OP_COL_CACHE_HIT);
	if (op->hit != OP_HIT_UNKNOWN || !cell)
		return (enum op_hit)op->hit;
	text = cell->text;
	return text.len == 4 && !memcmp(text.text, "True", 4)    ? OP_HIT_TRUE
	       : text.len == 5 && !memcmp(text.text, "False", 5) ? OP_HIT_FALSE
								 : OP_HIT_UNKNOWN;
}

static struct perf_row input_ops_row_of(const struct op_table *t, const struct op *op)
{
	enum op_hit hit = hit_of(t, op);

	return (struct perf_row){
		.duration = op->kernel,
		.gap = isnan(op->latency) ? op->quasar_latency_dm : op->latency,
		.cores = real_of(op->core_count),
		.calls = real_of(op->id),
		.whole_calls = whole_or(op->id, PERF_NO_NUMBER),
		.start = whole_or(op->host_start, PERF_NO_START),
		.fw_start = whole_or(op->fw_start, PERF_NO_NUMBER),
		.fw_end = whole_or(op->fw_end, PERF_NO_NUMBER),
		.fw_duration = isnan(op->fw) ? op->quasar_dm_fw : op->fw,
		.host_duration = real_of(op->host_duration),
		.on_device = {.reader = first_known(op->ncrisc, op->quasar_dm),
			      .writer = (float)op->brisc,
			      .compute = (float)fmax(
				      fmax(first_known(op->trisc0, op->quasar_trisc), op->trisc1),
				      op->trisc2),
			      .core_most = first_known(op->core_max, op->slowest.ns),
			      .core_mean = first_known(op->core_avg, op->slowest.mean),
			      .input_wait = (float)op->cb_wait,
			      .output_wait = (float)op->cb_reserve,
			      .noc = (float)op->noc_util,
			      .slow = (float)op->slowest.ns,
			      .slow_x = (int16_t)op->slowest.x,
			      .slow_y = (int16_t)op->slowest.y,
			      .slow_risc = op->slowest.risc},
		.device = small_or(op->device, PERF_NO_DEVICE),
		.workers = small_or(op->available_cores, 0),
		.workers_odd = !perf_cores_possible(real_of(op->available_cores)),
		.sub_device = small_or(op->sub_device, PERF_NO_DEVICE),
		.type = op->kind == OP_ON_DEVICE  ? TYPE_DEVICE
			: op->kind == OP_SIGNPOST ? TYPE_SIGNPOST
						  : TYPE_OTHER,
		.replay = op->trace != OP_NONE || op->session != OP_NONE,
		.cache_hit = hit == OP_HIT_TRUE,
		.cache_miss = hit == OP_HIT_FALSE,
		.trace = small_or(op->trace, PERF_NO_DEVICE),
		.session = small_or(op->session, PERF_NO_DEVICE),
		.unreliable = op->unreliable,
	};
}

/* Sets the properties of the whole input. */
static int input_note(struct perf_input *in, const struct op *op, const struct perf_row *row)
{
	in->cores_real |= op->core_count == OP_NONE;
	in->calls_real |= op->id == OP_NONE;
	in->start_real |= op->host_start == OP_NONE;
	if (row->workers > 0 && !in->workers_first)
		in->workers_first = row->workers;
	in->workers_several |= row->workers > 0 && row->workers != in->workers_first;
	if (!row->workers_odd && row->workers > in->workers_largest)
		in->workers_largest = row->workers;
	if (!op->arch.text || !op->arch.len)
		return 0;
	if (!in->arch_name) {
		in->arch_name = perf_string(in, op->arch.text, op->arch.len);
		return in->arch_name ? 0 : TACHO_ENOMEM;
	}
	in->arch_several |= strlen(in->arch_name) != op->arch.len ||
			    memcmp(in->arch_name, op->arch.text, op->arch.len) != 0;
	return 0;
}

int perf_input_ops(struct perf_input *in, const struct op_table *t, const char *name,
		   struct tacho_error *err)
{
	struct perf_file file = {name, (uint32_t)in->rows.n, 0};
	uint32_t *kinds = calloc(t->programs.n + 1, sizeof(*kinds)); /* by program, + 1 */
	int r = kinds ? 0 : TACHO_ENOMEM;

	in->table = t;
	in->format = FORMAT_V2_1;
	in->has_start_column = true;
	for (int i = 0; i < TENSORS; i++)
		in->has_datatypes[i] = true;
	for (size_t i = 0; i < t->ops.n && r == 0; i++) {
		const struct op *op = &t->ops.v[i];
		size_t program = op->program == OP_NO_PROGRAM ? t->programs.n : op->program;
		struct perf_row row = input_ops_row_of(t, op);

		if (!kinds[program]) {
			r = input_ops_kind_of(in, t, op, &row.kind);
			kinds[program] = row.kind + 1;
		}
		row.kind = kinds[program] - 1;
		if (r == 0)
			r = perf_compiled_note(in, &row);
		if (r == 0)
			r = input_note(in, op, &row);
		if (r == 0)
			r = vec_push(&in->rows, row);
	}
	file.end = (uint32_t)in->rows.n;
	if (r == 0)
		r = vec_push(&in->files, file);
	free(kinds);
	return r < 0 ? err_set(err, r, "%s: out of memory", name) : 0;
}

void perf_input_table_cells(const struct perf_input *in, uint32_t index, perf_cell_fn got,
			    void *arg)
{
	struct op_fields fields = {0};
	struct buf name = BUF_INIT, text = BUF_INIT;

	if (op_table_fields(in->table, &fields) < 0)
		fields.n = 0;
	for (size_t i = 0; i < fields.n && index < in->table->ops.n; i++) {
		buf_reset(&name);
		buf_reset(&text);
		op_field_name(in->table, fields.v[i], &name);
		op_field_text(in->table, &in->table->ops.v[index], fields.v[i], &text);
		if (!name.failed && !text.failed && text.len)
			got(arg, (struct csv_cell){name.data, name.len},
			    (struct csv_cell){text.data, text.len});
	}
	vec_free(&fields);
	buf_free(&name);
	buf_free(&text);
}
