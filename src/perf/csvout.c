/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the op table as CSV, with the columns and number formats that other programs read. */
#include "base/csv.h"
#include "base/fmt.h"
#include "perf/advice.h"
#include "perf/output.h"
#include "perf/stacked.h"

#include <math.h>
#include <string.h>

static const char *const columns[] = {
	"ID",
	"Total %",
	"Bound",
	"OP Code",
	"Device",
	"Device Time",
	"Op-to-Op Gap",
	"Cores",
	"DRAM",
	"DRAM %",
	"FLOPs",
	"FLOPs %",
	"Math Fidelity",
	"Output Datatype",
	"Input 0 Datatype",
	"Input 1 Datatype",
	"DRAM Sharded",
	"Input 0 Memory",
	"Inner Dim Block Size",
	"Output Subblock H",
	"Output Subblock W",
	"Global Call Count",
};

static const char *const columns_next[] = {
	"Sub Device ID", "Available Cores", "Op Category", "Bound Analysis", "Overlap",
};

/* Of our own model. */
static const char *const columns_tacho[] = {"CSV Line", "Run", "Op Category", "Limit", "Balance %"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct writer {
	const struct perf_report *r;
	const struct perf_csv_options *o;
	bool next, tacho;
	bool first; /* of its line */
	struct buf *out;
	struct buf text;
	struct perf_categories categories;
};

static void csvout_comma(struct writer *w)
{
	if (!w->first)
		buf_addc(w->out, ',');
	w->first = false;
}

/*
 * In the model next a spreadsheet must not read a name as a formula, nor a terminal as a command;
 * the older one writes names unchanged.
 */
static void csvout_cell(struct writer *w, const char *text, size_t len)
{
	csvout_comma(w);
	if (!w->next) {
		csv_add(w->out, text, len);
		return;
	}
	buf_reset(&w->text);
	buf_addc(&w->text, '\'');
	/* Drop control characters (C0 but tabs, DEL, C1): they end lines and move the cursor. */
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		unsigned char next = i + 1 < len ? (unsigned char)text[i + 1] : 0;

		if (c == 0xc2 && next >= 0x80 && next < 0xa0)
			i++;
		else if ((c >= 0x20 && c != 0x7f) || c == '\t')
			buf_addc(&w->text, text[i]);
	}
	if (w->text.failed)
		return;
	len = w->text.len > 1 && strchr("=+-@\t", w->text.data[1]) ? 0 : 1;
	csv_add(w->out, w->text.data + len, w->text.len - len);
}

static void csvout_string(struct writer *w, const char *text)
{
	csvout_cell(w, text, strlen(text));
}

static void csvout_number(struct writer *w, bool has, double value)
{
	char text[FMT_SIZE];

	csvout_comma(w);
	if (has && !(w->tacho && isnan(value)))
		buf_adds(w->out, fmt_python(text, value));
}

/* A number of a column that holds whole numbers, or one of fractions. */
static void csvout_count(struct writer *w, bool has, double value, bool is_whole)
{
	if (has && is_whole && !isnan(value)) {
		char text[FMT_SIZE];

		csvout_comma(w);
		if (fabs(value) < 0x1p53)
			buf_adds(w->out, fmt_int(text, llrint(value)));
		else
			buf_addf(w->out, "%.0f", value);
	} else {
		csvout_number(w, has, value);
	}
}

static void csvout_whole(struct writer *w, int64_t n, int64_t none)
{
	char text[FMT_SIZE];

	csvout_comma(w);
	if (n != none)
		buf_adds(w->out, fmt_int(text, n));
}

static void op_code(struct writer *w, const struct perf_op *op)
{
	const struct perf_kind *k = perf_op_kind(w->r, op);
	struct buf name = BUF_INIT;

	if (op->type != TYPE_SIGNPOST) {
		csvout_cell(w, k->label, k->label_len);
		return;
	}
	buf_addf(&name, "%s (signpost)", k->label);
	csvout_cell(w, name.data, name.len);
	buf_free(&name);
}

static void csvout_advice(struct writer *w, const struct perf_op *op)
{
	struct perf_advice_item items[PERF_ADVICE_MAX];
	struct buf text = BUF_INIT;
	int n = perf_advise(w->r, op, items);

	for (int i = 0; i < n; i++) {
		buf_adds(&text, i ? " \xe2\x80\xa2 " : "");
		buf_adds(&text, items[i].text);
	}
	csvout_comma(w);
	csv_add(w->out, text.data, text.len);
	buf_free(&text);
}

static void next_columns(struct writer *w, const struct perf_op *op)
{
	const struct perf_row *row = &w->r->in->rows.v[op->row];
	const struct perf_kind *k = perf_op_kind(w->r, op);

	if (row->sub_device_text)
		csvout_string(w, row->sub_device_text);
	else
		csvout_whole(w, row->sub_device, PERF_NO_DEVICE);
	csvout_whole(w, perf_available(w->r, op), 0);
	csvout_string(w, op->type == TYPE_SIGNPOST ? "" : perf_categories_name(&w->categories, op));
	/* The figures that are computed for such an op, whether its cells allow it or not. */
	csvout_string(w, k->family == FAMILY_MATMUL ? "full"
			 : k->family == FAMILY_CONV ? "flops_only"
						    : "none");
	csvout_number(w, op->has & HAS_OVERLAP, op->overlap);
}

static void tacho_columns(struct writer *w, const struct perf_op *op)
{
	const struct perf_device *d = &w->r->in->rows.v[op->row].on_device;
	bool signpost = op->type == TYPE_SIGNPOST;

	csvout_whole(w, perf_row_line(op->row), -1);
	csvout_string(w, signpost ? "" : perf_run_name((enum perf_run)op->run));
	csvout_string(w, signpost ? "" : perf_categories_name(&w->categories, op));
	csvout_string(w, perf_limit_name(perf_limit_of(d)));
	csvout_number(w, !isnan(perf_balance(d)), perf_balance(d));
}

static void csvout_calls(struct writer *w, const struct perf_row *row)
{
	bool text = w->r->in->calls_text;

	if (text && row->calls_text)
		csvout_string(w, row->calls_text);
	else if ((text || !w->r->in->calls_real) && row->whole_calls != PERF_NO_NUMBER)
		csvout_whole(w, row->whole_calls, PERF_NO_NUMBER);
	else
		csvout_count(w, true, row->calls, !w->r->in->calls_real);
}

static void csvout_line(struct writer *w, const struct perf_op *op)
{
	const struct perf_row *row = &w->r->in->rows.v[op->row];
	const struct perf_kind *k = perf_op_kind(w->r, op);
	struct buf text = BUF_INIT;
	static const enum perf_tensor order[] = {OUT, IN0, IN1};

	w->first = true;
	csvout_whole(w, perf_op_id(op), 0);
	csvout_number(w, op->has & HAS_TOTAL, op->total);
	csvout_string(w, perf_bound_name(op->bound));
	op_code(w, op);
	csvout_whole(w, row->device, PERF_NO_DEVICE);
	csvout_count(w, op->has & HAS_TIME, op->time, op->time_blank);
	csvout_number(w, op->has & HAS_GAP, op->gap);
	csvout_count(w, op->has & HAS_CORES, op->cores, op->cores_whole);
	csvout_number(w, op->has & HAS_DRAM, op->dram);
	csvout_number(w, op->has & HAS_DRAM_PCT, op->dram_pct);
	csvout_number(w, op->has & HAS_FLOPS, op->flops);
	csvout_number(w, op->has & HAS_FLOPS_PCT, op->flops_pct);
	perf_add_math(&text, k);
	csvout_cell(w, text.data, text.len);
	buf_free(&text);
	for (int i = 0; i < TENSORS; i++) {
		const char *none = k->says_nan && w->r->in->has_datatypes[order[i]] ? "nan" : "";

		csvout_string(w, k->datatype[order[i]] ? k->datatype[order[i]] : none);
	}
	csvout_string(w, op->sharded ? "True" : "False");
	csvout_string(w, k->memory[IN0] ? k->memory[IN0] : "");
	csvout_whole(w, k->block_w, PERF_NO_NUMBER);
	csvout_whole(w, k->subblock_h, PERF_NO_NUMBER);
	csvout_whole(w, k->subblock_w, PERF_NO_NUMBER);
	csvout_calls(w, row);
	if (w->next)
		next_columns(w, op);
	if (w->tacho)
		tacho_columns(w, op);
	if (!w->o->no_advice)
		csvout_advice(w, op);
	if (w->o->raw_op_codes)
		csvout_string(w, k->op_code);
	buf_add(w->out, "\r\n", 2);
}

int perf_csv_write(const struct perf_report *r, const struct perf_view *view,
		   const struct perf_csv_options *o, FILE *file)
{
	struct buf out = BUF_INIT;
	struct writer w = {.r = r,
			   .o = o,
			   .next = r->options->model == PERF_MODEL_NEXT,
			   .tacho = r->options->model == PERF_MODEL_TACHO,
			   .out = &out,
			   .text = BUF_INIT};
	int code = perf_categories_make(&w.categories, r);

	w.first = true;
	for (size_t i = 0; i < COUNT(columns); i++)
		csvout_string(&w, columns[i]);
	for (size_t i = 0; w.next && i < COUNT(columns_next); i++)
		csvout_string(&w, columns_next[i]);
	for (size_t i = 0; w.tacho && i < COUNT(columns_tacho); i++)
		csvout_string(&w, columns_tacho[i]);
	if (!w.o->no_advice)
		csvout_string(&w, "Advice");
	if (w.o->raw_op_codes)
		csvout_string(&w, "Raw OP Code");
	buf_add(w.out, "\r\n", 2);
	for (size_t i = 0; i < view->n && code == 0; i++) {
		csvout_line(&w, &r->ops.v[view->v[i]]);
		if (out.len >= PERF_FLUSH)
			code = perf_flush(&out, file);
	}
	if (code == 0)
		code = perf_flush(&out, file);
	buf_free(&out);
	buf_free(&w.text);
	perf_categories_free(&w.categories);
	return code;
}
