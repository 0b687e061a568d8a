/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report as JSON. Names are ours and include their unit; unknown values are null. */
#include "base/json.h"
#include "perf/advice.h"
#include "perf/gaps.h"
#include "perf/output.h"
#include "perf/summary.h"

#include <math.h>
#include <string.h>

struct writer {
	const struct perf_report *r;
	struct buf out;
	struct json j;
	struct perf_categories categories;
	FILE *file;
	int code;
};

static void jsonout_figure(struct json *j, const char *key, bool has, double value)
{
	if (has)
		json_double(j, key, value);
	else
		json_null(j, key);
}

static void jsonout_number(struct json *j, const char *key, int64_t n, int64_t none)
{
	if (n != none)
		json_int(j, key, n);
	else
		json_null(j, key);
}

static void write_kind(struct writer *w, const struct perf_kind *k)
{
	static const char *const tensors[TENSORS] = {"input_0", "input_1", "output_0"};
	struct buf math = BUF_INIT;

	perf_add_math(&math, k);
	json_string(&w->j, "math_fidelity", math.data, math.len);
	buf_free(&math);
	for (int t = 0; t < TENSORS; t++) {
		json_object(&w->j, tensors[t]);
		json_text(&w->j, "datatype", k->datatype[t]);
		json_text(&w->j, "memory", k->memory[t]);
		json_array(&w->j, "shape");
		for (int i = 0; i < DIMS; i++)
			jsonout_number(&w->j, NULL, k->dim[t][i], PERF_NO_NUMBER);
		json_end(&w->j);
		json_end(&w->j);
	}
	json_bool(&w->j, "dram_sharded", k->dram_sharded);
	jsonout_number(&w->j, "in0_block_w", k->block_w, PERF_NO_NUMBER);
	jsonout_number(&w->j, "out_subblock_h", k->subblock_h, PERF_NO_NUMBER);
	jsonout_number(&w->j, "out_subblock_w", k->subblock_w, PERF_NO_NUMBER);
}

static void jsonout_advice_write(struct writer *w, const struct perf_op *op)
{
	struct perf_advice_item items[PERF_ADVICE_MAX];
	int n = perf_advise(w->r, op, items);

	json_array(&w->j, "advice");
	for (int i = 0; i < n; i++) {
		json_object(&w->j, NULL);
		json_text(&w->j, "what", perf_advice_title(items[i].kind));
		json_text(&w->j, "text", items[i].text);
		json_double(&w->j, "saves_at_most_us", items[i].saving);
		json_end(&w->j);
	}
	json_end(&w->j);
}

/* Of averaged replays. */
static void write_spread(struct writer *w, const struct perf_op *op)
{
	const struct perf_spread *s = w->r->spread ? &w->r->spread[op->row] : NULL;

	if (!s || !s->n)
		return;
	json_object(&w->j, "replays");
	json_int(&w->j, "n", s->n);
	json_double(&w->j, "least_us", s->least);
	json_double(&w->j, "most_us", s->most);
	json_double(&w->j, "deviation_us", s->deviation);
	json_end(&w->j);
}

static void jsonout_causes_put(struct json *j, const char *key, const double *part, double all)
{
	json_object(j, key);
	json_double(j, "us", all);
	for (int c = 0; c < CAUSES; c++)
		json_double(j, perf_cause_name((enum perf_cause)c), part[c]);
	json_end(j);
}

static void slowest_write(struct json *j, const struct perf_device *d)
{
	if (!(d->slow > 0)) {
		json_null(j, "slowest_core");
		return;
	}
	json_object(j, "slowest_core");
	json_int(j, "x", d->slow_x);
	json_int(j, "y", d->slow_y);
	json_text(j, "risc", arch_risc_track_name((enum arch_risc)d->slow_risc));
	json_double(j, "us", (double)d->slow / 1000);
	json_end(j);
}

static void write_op(struct writer *w, const struct perf_op *op)
{
	const struct perf_row *row = &w->r->in->rows.v[op->row];
	const struct perf_kind *k = perf_op_kind(w->r, op);
	const char *bound = perf_bound_name(op->bound);
	struct json *j;

	json_object(&w->j, NULL);
	jsonout_number(&w->j, "id", perf_op_id(op), 0);
	json_int(&w->j, "csv_line", perf_row_line(op->row));
	json_text(&w->j, "op_code", k->label);
	json_text(&w->j, "raw_op_code", k->op_code);
	json_bool(&w->j, "signpost", op->type == TYPE_SIGNPOST);
	json_bool(&w->j, "replay", row->replay);
	json_text(&w->j, "run", perf_run_name((enum perf_run)op->run));
	write_spread(w, op);
	json_text(&w->j, "category", perf_categories_name(&w->categories, op));
	jsonout_number(&w->j, "device", row->device, PERF_NO_DEVICE);
	if (row->sub_device_text)
		json_text(&w->j, "sub_device", row->sub_device_text);
	else
		jsonout_number(&w->j, "sub_device", row->sub_device, PERF_NO_DEVICE);
	json_int(&w->j, "available_cores", perf_available(w->r, op));
	json_text(&w->j, "bound", *bound ? bound : NULL);
	j = &w->j;
	jsonout_figure(j, "total_percent", op->has & HAS_TOTAL, op->total);
	jsonout_figure(j, "device_time_us", op->has & HAS_TIME, op->time);
	jsonout_figure(j, "op_to_op_gap_us", op->has & HAS_GAP, op->gap);
	jsonout_figure(j, "cores", op->has & HAS_CORES, op->cores);
	jsonout_figure(j, "dram_gb_per_s", op->has & HAS_DRAM, op->dram);
	jsonout_figure(j, "dram_percent", op->has & HAS_DRAM_PCT, op->dram_pct);
	jsonout_figure(j, "tflops", op->has & HAS_FLOPS, op->flops);
	jsonout_figure(j, "flops_percent", op->has & HAS_FLOPS_PCT, op->flops_pct);
	jsonout_figure(j, "dram_bytes", op->has & HAS_DRAM, op->bytes);
	jsonout_figure(j, "operations", op->has & HAS_FLOPS, op->operations);
	jsonout_figure(j, "overlap_us", op->has & HAS_OVERLAP, op->overlap);
	json_text(&w->j, "limit",
		  perf_limit_of(&row->on_device) ? perf_limit_name(perf_limit_of(&row->on_device))
						 : NULL);
	json_double(&w->j, "balance_percent", perf_balance(&row->on_device));
	slowest_write(&w->j, &row->on_device);
	json_double(&w->j, "noc_percent", (double)row->on_device.noc);
	write_kind(w, k);
	if (row->whole_calls != PERF_NO_NUMBER)
		json_int(&w->j, "global_call_count", row->whole_calls);
	else
		json_double(&w->j, "global_call_count", row->calls);
	jsonout_advice_write(w, op);
	const struct perf_gap *gap = perf_gap_of(w->r->gaps, op);

	if (gap)
		jsonout_causes_put(&w->j, "gap_causes", gap->part, gap->all);
	json_end(&w->j);
	if (w->out.len >= PERF_FLUSH && w->code == 0)
		w->code = perf_flush(&w->out, w->file);
}

static void write_head(struct writer *w)
{
	static const char *const formats[] = {"v1", "v2", "v2.1"};
	const struct perf_report *r = w->r;
	struct json *j = &w->j;

	json_text(j, "report", "tacho perf-report");
	json_text(j, "csv_format", formats[r->in->format]);
	json_text(j, "model", perf_model_name(r->options->model));
	json_text(j, "architecture", r->arch_name);
	json_int(j, "worker_cores", r->workers);
	if (r->region.name) {
		json_object(j, "region");
		json_text(j, "from", r->region.name);
		json_text(j, "to", r->region.end_name);
		json_end(j);
	} else {
		json_null(j, "region");
	}
	json_object(j, "runs");
	for (int i = 0; i < RUN_COUNT; i++)
		json_int(j, perf_run_name((enum perf_run)i), (int64_t)r->runs[i]);
	json_int(j, "sessions", (int64_t)r->sessions);
	json_end(j);
	json_object(j, "totals");
	json_int(j, "device_ops", (int64_t)r->device_ops);
	json_int(j, "host_ops", (int64_t)r->host_ops);
	json_int(j, "signposts", (int64_t)r->signposts);
	json_int(j, "unmeasured_ops", (int64_t)r->unmeasured);
	jsonout_figure(j, "host_time_us", r->host_timed, r->host_sum);
	json_double(j, "device_time_us", r->time_sum);
	json_double(j, "op_to_op_gap_us", r->gap_sum);
	json_double(j, "busy_us", r->busy);
	json_double(j, "overlap_us", r->overlap);
	json_int(j, "bad_cells", (int64_t)r->in->bad_cells);
	json_end(j);
}

static void jsonout_summary_write(struct writer *w)
{
	struct perf_summary s;

	if (perf_summary_make(&s, w->r) < 0) {
		w->code = TACHO_ENOMEM;
		return;
	}
	json_object(&w->j, "summary");
	json_array(&w->j, "most_time");
	for (int i = 0; i < s.top_n; i++) {
		json_object(&w->j, NULL);
		json_text(&w->j, "op_code", w->r->in->kinds.v[s.top[i].kind].label);
		json_int(&w->j, "longest_id", perf_op_id(&w->r->ops.v[s.top[i].longest]));
		json_int(&w->j, "ops", (int64_t)s.top[i].ops);
		json_double(&w->j, "device_time_us", s.top[i].time);
		json_end(&w->j);
	}
	json_end(&w->j);
	json_array(&w->j, "longest_gaps");
	for (int i = 0; i < s.gaps_n; i++)
		json_int(&w->j, NULL, perf_op_id(&w->r->ops.v[s.gaps[i]]));
	json_end(&w->j);
	json_double(&w->j, "dram_bytes", s.dram_bytes);
	if (w->r->gaps)
		jsonout_causes_put(&w->j, "gap_causes", w->r->gaps->part, w->r->gaps->all);
	json_double(&w->j, "mfu_percent", perf_summary_mfu(&s, s.total));
	json_double(&w->j, "mfu_busy_percent", perf_summary_mfu(&s, w->r->time_sum));
	json_double(&w->j, "dram_percent", perf_summary_dram(&s, w->r, s.total));
	json_double(&w->j, "dram_busy_percent", perf_summary_dram(&s, w->r, w->r->time_sum));
	json_object(&w->j, "bounds");
	for (int i = 0; i < BOUND_COUNT; i++) {
		json_object(&w->j, i == BOUND_NONE ? "none" : perf_bound_name((enum perf_bound)i));
		json_int(&w->j, "ops", (int64_t)s.bound[i].ops);
		json_double(&w->j, "device_time_us", s.bound[i].time);
		json_end(&w->j);
	}
	json_end(&w->j);
	json_array(&w->j, "savings");
	for (int i = 0; i < ADVICE_KINDS; i++) {
		if (!s.saving[i].ops)
			continue;
		json_object(&w->j, NULL);
		json_text(&w->j, "what", perf_advice_title((enum perf_advice_kind)i));
		json_int(&w->j, "ops", (int64_t)s.saving[i].ops);
		json_double(&w->j, "saves_at_most_us", s.saving[i].time);
		json_end(&w->j);
	}
	json_end(&w->j);
	json_end(&w->j);
}

int perf_json_write(const struct perf_report *r, const struct perf_view *view,
		    const struct perf_stacked *stacked, const struct perf_notes *notes, FILE *file)
{
	struct writer w = {.r = r, .out = BUF_INIT, .file = file};
	struct json *j;

	w.code = perf_categories_make(&w.categories, r);
	json_init(&w.j, &w.out);
	json_object(&w.j, NULL);
	write_head(&w);
	json_array(&w.j, "ops");
	for (size_t i = 0; i < view->n && w.code == 0; i++)
		write_op(&w, &r->ops.v[view->v[i]]);
	json_end(&w.j);
	j = &w.j;
	json_array(j, "stacked");
	for (size_t i = 0; stacked && i < stacked->n; i++) {
		const struct perf_stack *s = &stacked->v[i];

		json_object(j, NULL);
		json_text(j, "key", s->key);
		jsonout_number(j, "device", s->device, PERF_NO_DEVICE);
		json_text(j, "category", perf_category_name(s->category));
		json_double(j, "total_percent", s->share);
		json_double(j, "device_time_us", s->time);
		json_int(j, "ops", (int64_t)s->count);
		json_double(j, "flops_percent_min", s->flops_min);
		json_double(j, "flops_percent_max", s->flops_max);
		json_double(j, "flops_percent_mean", s->flops_mean);
		json_double(j, "flops_percent_std", s->flops_std);
		json_double(j, "flops_percent_weighted_mean", s->flops_weighted);
		json_end(j);
	}
	json_end(j);
	jsonout_summary_write(&w);
	json_array(&w.j, "notes");
	for (size_t i = 0; i < notes->n; i++) {
		json_object(&w.j, NULL);
		json_text(&w.j, "level", notes->v[i].level == NOTE_WARNING ? "warning" : "info");
		json_text(&w.j, "text", notes->v[i].text);
		json_end(&w.j);
	}
	json_end(&w.j);
	json_end(&w.j);
	if (w.code == 0)
		w.code = perf_flush(&w.out, file);
	buf_free(&w.out);
	perf_categories_free(&w.categories);
	return w.code;
}
