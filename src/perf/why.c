/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one op: all its data, and the arithmetic of its figures, step by step. */
#include "base/fmt.h"
#include "perf/advice.h"
#include "perf/gaps.h"
#include "perf/output.h"

#include <math.h>
#include <string.h>

struct writer {
	const struct perf_report *r;
	const struct perf_op *op;
	const struct perf_row *row;
	const struct perf_kind *k;
	struct perf_style style;
	struct buf *out;
};

static void why_title(struct writer *w, const char *text)
{
	buf_addc(w->out, '\n');
	term_add(w->out, w->style.color ? TERM_CYAN : TERM_NONE, text, strlen(text));
	buf_addc(w->out, '\n');
}

static void why_text(struct writer *w, const char *bytes, size_t len)
{
	if (w->style.safe)
		term_add_safe(w->out, bytes, len);
	else
		buf_add(w->out, bytes, len);
}

/* The op's rank among all, and among those of its kind. */
static void write_rank(struct writer *w)
{
	const struct perf_report *r = w->r;
	double sum = 0, least = INFINITY, most = 0;
	uint64_t longer = 0, alike = 0, timed = 0;

	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_op *other = &r->ops.v[i];

		if (!(other->has & HAS_TIME))
			continue;
		timed++;
		longer += other->time > w->op->time;
		if (other->kind != w->op->kind)
			continue;
		alike++;
		sum += other->time;
		least = fmin(least, other->time);
		most = fmax(most, other->time);
	}
	buf_addf(w->out, "  number %llu of %llu by time\n", (unsigned long long)longer + 1,
		 (unsigned long long)timed);
	if (alike > 1)
		buf_addf(w->out,
			 "  %llu ops with the same shapes and settings: %.1f to %.1f " MICRO
			 ", mean %.1f, %.1f in all\n",
			 (unsigned long long)alike, least, most, sum / (double)alike, sum);
}

static void write_times(struct writer *w)
{
	const struct perf_op *op = w->op;

	why_title(w, "Time");
	if (op->has & HAS_TIME)
		buf_addf(w->out, "  %.3f " MICRO " on the device%s\n", op->time,
			 op->time_blank ? " (the duration's cell is blank)" : "");
	else if (op->time_blank && w->k->family != FAMILY_HOST)
		buf_adds(w->out,
			 "  not measured: captured into a trace, or not in the device's log\n");
	else
		buf_adds(w->out, "  no time on a device\n");
	if (w->k->family == FAMILY_HOST && !isnan(w->row->host_duration))
		buf_addf(w->out, "  %.3f " MICRO " on the CPU\n", w->row->host_duration / 1000);
	if (w->row->replay)
		buf_adds(w->out, "  an op of a trace that was replayed\n");
	if (w->r->spread && w->r->spread[op->row].n) {
		const struct perf_spread *s = &w->r->spread[op->row];

		buf_addf(w->out,
			 "  the mean of %u replays: %.3f to %.3f " MICRO ", deviation %.3f\n", s->n,
			 s->least, s->most, s->deviation);
	}
	if (op->run == RUN_WARM_UP)
		buf_adds(w->out,
			 "  a warm-up: it was compiled for, and ran again from the cache later; "
			 "it does not count\n");
	if (op->has & HAS_GAP)
		buf_addf(w->out, "  %.3f " MICRO " gap before it%s\n", op->gap,
			 op->gap < 0 ? ": it began before the op before had ended" : "");
	else
		buf_adds(w->out,
			 "  no gap before it: the first op of this part, or not in the file\n");
	if (op->has & HAS_TOTAL)
		buf_addf(w->out, "  both are %.2f %% of all time (%.1f " MICRO ")\n", op->total,
			 w->r->time_sum + w->r->gap_sum);
	if (op->has & HAS_OVERLAP && op->overlap > 0)
		buf_addf(w->out, "  %.3f " MICRO " of it beside another op on the same device\n",
			 op->overlap);
	if (op->has & HAS_TIME)
		write_rank(w);
}

static void write_tensor(struct writer *w, enum perf_tensor t)
{
	static const char *const names[TENSORS] = {"input 0", "input 1", "output"};
	const struct perf_kind *k = w->k;

	buf_addf(w->out, "  %-8s", names[t]);
	for (int i = 0; i < DIMS; i++) {
		if (k->dim[t][i] == PERF_NO_NUMBER)
			buf_addf(w->out, "%s?", i ? " x " : "");
		else
			buf_addf(w->out, "%s%lld", i ? " x " : "", (long long)k->dim[t][i]);
	}
	buf_addf(w->out, " of %s in %s: %s\n", k->datatype[t] ? k->datatype[t] : "?",
		 k->memory[t] ? k->memory[t] : "?",
		 !k->memory[t]        ? "not known whether it counts"
		 : perf_in_dram(k, t) ? "goes over the DRAM"
				      : "not in DRAM, does not count");
}

/* The addition to a rate that was computed as FULL and is reported as RATE. */
static const char *why_held(double full, double rate)
{
	return full > rate * 1.000001 ? " (the peak, which it seems to exceed a little)" : "";
}

static void write_dram(struct writer *w)
{
	const struct perf_op *op = w->op;

	why_title(w, "DRAM");
	for (int t = 0; t < TENSORS; t++)
		write_tensor(w, (enum perf_tensor)t);
	if (!(op->has & HAS_DRAM) || isnan(op->dram)) {
		buf_adds(w->out,
			 isnan(op->bytes) ? "  a place, type or shape is missing: no figure\n"
			 : op->bytes == 0 ? "  no DRAM traffic: no figure\n"
			 : op->has & HAS_TIME && op->time > 0
				 ? "  more than the DRAM can move in that time, so not all of "
				   "it moves: no figure\n"
				 : "  the duration is missing: no figure\n");
		return;
	}
	buf_addf(w->out, "  %.0f bytes / %.0f ns = %.2f GB/s%s\n", op->bytes, w->row->duration,
		 op->dram, why_held(op->bytes / w->row->duration, op->dram));
	if (op->has & HAS_DRAM_PCT)
		buf_addf(w->out, "  of %g GB/s (%s) that is %.2f %%\n", w->r->arch->dram_gbs,
			 w->r->arch->report, op->dram_pct);
}

static void write_sizes(struct writer *w)
{
	const int64_t(*d)[DIMS] = w->k->dim;

	if (w->k->attention)
		buf_addf(w->out, "  queries %lld x %lld x %lld x %lld, %lld keys%s\n",
			 (long long)d[IN0][DIM_W], (long long)d[IN0][DIM_Z],
			 (long long)d[IN0][DIM_Y], (long long)d[IN0][DIM_X],
			 (long long)d[IN1][DIM_Y],
			 w->k->attention == ATTENTION_CAUSAL ? ", half of them (causal)" : "");
	else if (w->k->family == FAMILY_MATMUL)
		buf_addf(
			w->out, "  M = %lld, K = %lld, N = %lld, batches %lld x %lld\n",
			(long long)d[IN0][DIM_Y], (long long)d[IN0][DIM_X],
			(long long)d[IN1][DIM_X],
			(long long)(d[IN0][DIM_W] > d[IN1][DIM_W] ? d[IN0][DIM_W] : d[IN1][DIM_W]),
			(long long)(d[IN0][DIM_Z] > d[IN1][DIM_Z] ? d[IN0][DIM_Z] : d[IN1][DIM_Z]));
	else
		buf_addf(w->out, "  M = %lld, K = %lld x window %lld x %lld, N = %lld\n",
			 (long long)d[OUT][DIM_Y], (long long)d[IN0][DIM_X],
			 (long long)w->k->window_h, (long long)w->k->window_w,
			 (long long)d[IN1][DIM_X]);
}

static void write_flops(struct writer *w)
{
	const struct perf_op *op = w->op;
	double peak;

	why_title(w, "Arithmetic");
	if (isnan(op->operations) || !(op->has & HAS_FLOPS)) {
		buf_adds(w->out,
			 !isnan(op->operations) && op->has & HAS_TIME && op->time > 0
				 ? "  more than the cores can compute in that time: no figure\n"
				 : "  a size or the duration is missing: no figure\n");
		return;
	}
	write_sizes(w);
	buf_addf(w->out, "  %s%.0f operations / %.0f ns = %.3f TFLOP/s%s\n",
		 w->k->attention ? "4 x their product: " : "2 x their product = ", op->operations,
		 w->row->duration, op->flops,
		 why_held(op->operations / w->row->duration / 1e3, op->flops));
	if (!(op->has & HAS_FLOPS_PCT))
		return;
	peak = w->r->arch->tflops[w->k->fidelity];
	buf_addf(w->out, "  %g cores x %.4f TFLOP/s each (%s, %s) = %.1f: that is %.2f %%%s\n",
		 op->flops / op->flops_pct * 100 / peak, peak, w->r->arch->report,
		 w->k->fidelity_name, op->flops / op->flops_pct * 100, op->flops_pct,
		 op->sharded ? " (a DRAM-sharded matmul reads with these cores)" : "");
}

/* The host's activity before it, by the zones of a trace. */
static void why_gap_write(struct writer *w)
{
	const struct perf_gap *gap = perf_gap_of(w->r->gaps, w->op);
	char number[FMT_FIXED_SIZE];

	if (!gap)
		return;
	why_title(w, "The gap before it");
	fmt_fixed(number, gap->all, 1);
	buf_addf(w->out, "  %s " MICRO " by the host's clock: ", number);
	perf_gap_text(gap->part, gap->all, w->out);
	buf_addc(w->out, '\n');
	for (int c = 0; c < CAUSES; c++) {
		if (!(gap->part[c] > 0))
			continue;
		fmt_fixed(number, gap->part[c], 1);
		buf_addf(w->out, "  %-22s%15s " MICRO "  %5.1f %%",
			 perf_cause_name((enum perf_cause)c), number,
			 gap->part[c] / gap->all * 100);
		if (gap->zone[c]) {
			buf_adds(w->out, "  longest zone: ");
			why_text(w, gap->zone[c], strlen(gap->zone[c]));
		}
		buf_addc(w->out, '\n');
	}
}

/* The activity of the cores and their RISCs. */
static void write_kernels(struct writer *w)
{
	const struct perf_device *d = &w->row->on_device;
	enum perf_limit limit = perf_limit_of(d);
	double balance = perf_balance(d);

	if (limit == LIMIT_UNKNOWN && isnan(balance) && !(d->noc > 0))
		return;
	why_title(w, "Kernels");
	if (d->reader > 0)
		buf_addf(w->out, "  reads (NCRISC) for %.1f " MICRO "\n", d->reader / 1000);
	if (d->compute > 0)
		buf_addf(w->out, "  computes (the longest TRISC) for %.1f " MICRO "\n",
			 d->compute / 1000);
	if (d->writer > 0)
		buf_addf(w->out, "  writes (BRISC) for %.1f " MICRO "\n", d->writer / 1000);
	if (d->input_wait >= 0 && d->output_wait >= 0)
		buf_addf(w->out,
			 "  computing waits %.1f " MICRO " for input and %.1f for room to write\n",
			 d->input_wait / 1000, d->output_wait / 1000);
	if (limit == LIMIT_BALANCED)
		buf_adds(w->out, "  no kernel is clearly longer than the others\n");
	else if (limit != LIMIT_UNKNOWN)
		buf_addf(w->out, "  the %s%s is the limit\n", perf_limit_name(limit),
			 limit == LIMIT_COMPUTE ? " kernel" : "");
	if (d->slow > 0)
		buf_addf(w->out, "  slowest core x=%d, y=%d of the NoC, longest there %s\n",
			 d->slow_x, d->slow_y, arch_risc_track_name((enum arch_risc)d->slow_risc));
	if (!isnan(balance))
		buf_addf(w->out,
			 "  slowest core %.1f " MICRO ", mean of all %.1f: balance %.0f %%\n",
			 d->core_most / 1000, d->core_mean / 1000, balance);
	if (d->noc > 0)
		buf_addf(w->out, "  the NoC was busy for %.1f %%\n", d->noc);
}

static void write_bound(struct writer *w)
{
	static const char *const reasons[BOUND_COUNT] = {
		[BOUND_NONE] = "a figure is missing, or nothing goes over the DRAM",
		[BOUND_DRAM] = "DRAM is at 65 % of its peak or more, arithmetic is not",
		[BOUND_FLOP] = "arithmetic is at 65 % of its peak or more, DRAM is not",
		[BOUND_BOTH] = "both are at 65 % of their peaks or more",
		[BOUND_SLOW] = "neither reaches 65 % of its peak",
		[BOUND_HOST] = "it ran on the CPU",
	};
	const struct perf_op *op = w->op;
	const char *name = perf_bound_name(op->bound);
	double most = fmax(op->has & HAS_DRAM_PCT ? op->dram_pct : 0,
			   op->has & HAS_FLOPS_PCT ? op->flops_pct : 0);

	why_title(w, "Bound");
	buf_addf(w->out, "  %s: %s\n", *name ? name : "none",
		 op->bound == BOUND_SLOW && isnan(op->dram_pct)
			 ? "release 1.2.4 says so of an op that was not measured"
			 : reasons[op->bound]);
	if (most > 0)
		buf_addf(w->out,
			 "  at the peak that it is nearest to it would take %.1f " MICRO "\n",
			 op->time * most / 100);
}

static void why_advice_write(struct writer *w)
{
	struct perf_advice_item items[PERF_ADVICE_MAX];
	int n = perf_advise(w->r, w->op, items);
	double gap = perf_gap_saving(w->r, w->op);

	if (n == 0 && gap <= 0 && w->op->bound != BOUND_HOST)
		return;
	why_title(w, "Advice");
	for (int i = 0; i < n; i++)
		buf_addf(w->out, "  - %s\n", items[i].text);
	if (gap > 0 && perf_gap_compile(w->r, w->op))
		buf_addf(w->out,
			 "  - Run everything once before measuring: the gap before it, %.0f " MICRO
			 ", is too long for an op to be sent\n",
			 w->op->gap);
	else if (gap > 0)
		buf_addf(w->out,
			 "  - Record the ops as a trace: the gap before it could be %.1f " MICRO
			 " shorter\n",
			 gap);
	if (w->op->bound == BOUND_HOST)
		buf_adds(w->out, "  - Try an op of the device instead of the CPU's\n");
}

/* With several files, name the file of the row; it counts like the lines of a plain CSV file. */
static void write_place(struct writer *w)
{
	const struct perf_file *file = &w->r->in->files.v[perf_file_of(w->r->in, w->op->row)];
	struct buf name = BUF_INIT;

	buf_adds(&name, "The row");
	if (w->r->in->files.n > 1)
		buf_addf(&name, " (%s, row %u)", file->path, w->op->row - file->first + 2);
	why_title(w, name.failed ? "The row" : name.data);
	buf_free(&name);
}

/* A cell of the input; attributes get a line each. */
static void write_cell(void *arg, struct csv_cell column, struct csv_cell cell)
{
	struct writer *w = arg;
	const char *from = cell.text, *end = cell.text + cell.len, *stop;

	if (csv_blank(cell))
		return;
	buf_adds(w->out, "  ");
	why_text(w, column.text, column.len);
	buf_adds(w->out, " = ");
	for (; (stop = memmem(from, (size_t)(end - from), "; '", 3)); from = stop + 2) {
		why_text(w, from, (size_t)(stop - from));
		buf_adds(w->out, ";\n      ");
	}
	why_text(w, from, (size_t)(end - from));
	buf_addc(w->out, '\n');
}

int perf_why_write(const struct perf_report *r, const struct perf_op *op, char *const *paths,
		   size_t n, struct perf_style style, FILE *file, struct tacho_error *err)
{
	struct buf out = BUF_INIT;
	struct writer w = {.r = r,
			   .op = op,
			   .row = &r->in->rows.v[op->row],
			   .k = perf_op_kind(r, op),
			   .style = style,
			   .out = &out};
	bool any = r->options->model == PERF_MODEL_TACHO && perf_op_counts(op) &&
		   w.k->family != FAMILY_HOST;
	int code;

	buf_addf(&out, "\nID %u", perf_op_id(op));
	if (perf_op_id(op) != perf_row_line(op->row))
		buf_addf(&out, " (line %u)", perf_row_line(op->row));
	buf_adds(&out, ": ");
	why_text(&w, w.k->label, w.k->label_len);
	buf_addc(&out, '\n');
	write_times(&w);
	if (w.k->family == FAMILY_MATMUL || any)
		write_dram(&w);
	if (w.k->family == FAMILY_MATMUL || w.k->family == FAMILY_CONV || op->has & HAS_FLOPS)
		write_flops(&w);
	if (w.k->family == FAMILY_MATMUL || w.k->family == FAMILY_CONV || any)
		write_bound(&w);
	write_kernels(&w);
	why_gap_write(&w);
	why_advice_write(&w);
	write_place(&w);
	if (r->in->table)
		perf_input_table_cells(r->in, op->row, write_cell, &w);
	code = r->in->table ? 0 : perf_input_cells(paths, n, op->row, write_cell, &w, err);
	if (code == 0 && (code = perf_flush(&out, file)) < 0)
		err_errno(err, code, "cannot write the answer");
	buf_free(&out);
	return code;
}
