/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the figures of each op. docs/perf-report.md explains the arithmetic. */
#include "base/buf.h"
#include "perf/report.h"

#include <math.h>
#include <string.h>

#define BOUND_AT 65.0 /* percent of a peak from which an op counts as bound by it */

void perf_sum_add(struct perf_sum *s, double x)
{
	double t = s->sum + x;

	s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
	s->sum = t;
}

double perf_sum_get(const struct perf_sum *s)
{
	return s->lost != 0 && isfinite(s->lost) ? s->sum + s->lost : s->sum;
}

const char *perf_bound_name(enum perf_bound bound)
{
	static const char *const names[BOUND_COUNT] = {"", "DRAM", "FLOP", "BOTH", "SLOW", "HOST"};

	return names[bound];
}

static bool as_sparse(const struct perf_report *r, const struct perf_kind *k)
{
	return k->sparse &&
	       (r->options->model != PERF_MODEL_1_2_4 || r->options->active_experts > 0);
}

/* A bound needs both figures; in the older model a zero counts as absent. */
static enum perf_bound bound_of(const struct perf_report *r, const struct perf_op *op)
{
	if (r->options->model == PERF_MODEL_TACHO) {
		/* Our own model needs only one figure: for an op without products, or one that
		 * works in L1. */
		bool dram = op->has & HAS_DRAM_PCT && op->dram_pct >= BOUND_AT;
		bool flop = op->has & HAS_FLOPS_PCT && op->flops_pct >= BOUND_AT;

		if (!(op->has & (HAS_DRAM_PCT | HAS_FLOPS_PCT)))
			return BOUND_NONE;
		return dram && flop ? BOUND_BOTH
		       : dram       ? BOUND_DRAM
		       : flop       ? BOUND_FLOP
				    : BOUND_SLOW;
	}
	if (!(op->has & HAS_DRAM_PCT) || !(op->has & HAS_FLOPS_PCT))
		return BOUND_NONE;
	if (r->options->model != PERF_MODEL_NEXT && (op->dram_pct == 0 || op->flops_pct == 0))
		return BOUND_NONE;
	if (op->dram_pct >= BOUND_AT && op->flops_pct >= BOUND_AT)
		return BOUND_BOTH;
	if (op->dram_pct >= BOUND_AT)
		return BOUND_DRAM;
	return op->flops_pct >= BOUND_AT ? BOUND_FLOP : BOUND_SLOW;
}

/* TFLOP/s, and their share of the peak of CORES cores. */
static void set_flops(const struct perf_report *r, struct perf_op *op, double seconds, double cores)
{
	const struct perf_kind *k = perf_op_kind(r, op);
	double rate = op->operations / seconds, peak;

	if (isnan(op->operations))
		return;
	op->flops = rate / 1e12;
	if (!isnan(op->flops))
		op->has |= HAS_FLOPS;
	if (!r->arch || k->fidelity == FIDELITY_NONE || cores == 0)
		return;
	peak = r->arch->tflops[k->fidelity] * 1e12 * cores;
	op->flops_pct = rate / peak * 100;
	op->has |= HAS_FLOPS_PCT;
}

static void set_dram(const struct perf_report *r, struct perf_op *op, double seconds)
{
	if (isnan(op->bytes) || op->bytes == 0)
		return;
	op->dram = op->bytes / seconds / 1e9;
	op->has |= HAS_DRAM;
	if (r->arch) {
		op->dram_pct = op->dram / r->arch->dram_gbs * 100;
		op->has |= HAS_DRAM_PCT;
	}
}

/*
 * An op that is not in the device's log, such as one captured into a trace and never replayed.
 * Model next treats its duration as invalid, release 1.2.4 as 0.
 */
static bool analyze_unmeasured(const struct perf_report *r, const struct perf_op *op)
{
	return op->invalid || (op->time_blank && r->options->model == PERF_MODEL_TACHO);
}

static void analyze_matmul(struct perf_report *r, struct perf_op *op, const struct perf_row *row)
{
	const struct perf_kind *k = perf_op_kind(r, op);
	double seconds = row->duration * 1e-9;
	bool next = r->options->model == PERF_MODEL_NEXT;

	op->sharded = k->dram_sharded;
	if (next && !perf_shape_known(k)) {
		op->bytes = op->operations = NAN;
	} else if (as_sparse(r, k)) {
		perf_sparse_work(k, r->options->active_experts, &op->bytes, &op->operations);
	} else {
		op->bytes = perf_dram_bytes(k);
		op->operations = perf_matmul_operations(k);
	}
	op->cores = row->cores;
	op->cores_whole = next || !r->in->cores_real;
	if (!next || perf_cores_possible(row->cores))
		op->has |= HAS_CORES;
	if (op->sharded && r->arch) {
		op->cores = perf_arch_peak(r->arch, r->options->model)->sharded_cores;
		op->cores_whole = true;
		op->has |= HAS_CORES;
	}
	if (seconds != 0 && !analyze_unmeasured(r, op)) {
		set_dram(r, op, seconds);
		set_flops(r, op, seconds, op->has & HAS_CORES ? op->cores : 0);
	}
	if (seconds == 0 || k->fidelity == FIDELITY_NONE || op->cores == 0 ||
	    (!as_sparse(r, k) && (isnan(op->bytes) || isnan(op->operations))))
		r->unusable++;
	op->bound = (uint8_t)bound_of(r, op);
	op->verdict = (uint8_t)perf_fidelity_judge(k, r->options->model);
}

static void analyze_conv(struct perf_report *r, struct perf_op *op, const struct perf_row *row)
{
	const struct perf_kind *k = perf_op_kind(r, op);
	double seconds = row->duration * 1e-9;
	bool next = r->options->model == PERF_MODEL_NEXT;

	op->operations = next && !perf_shape_known(k) ? NAN : perf_conv_operations(k);
	if (seconds != 0 && !analyze_unmeasured(r, op))
		set_flops(r, op, seconds,
			  !next                             ? r->workers
			  : perf_cores_possible(row->cores) ? row->cores
							    : 0);
	if (seconds == 0 || isnan(op->operations) || k->fidelity == FIDELITY_NONE)
		r->unusable++;
	op->verdict = (uint8_t)perf_fidelity_judge(k, r->options->model);
}

static void set_cores(struct perf_op *op, const struct perf_row *row, enum perf_model model)
{
	op->cores_whole = true;
	if (model == PERF_MODEL_NEXT ? perf_cores_possible(row->cores) : !isnan(row->cores)) {
		op->cores = trunc(row->cores) + 0.0; /* there are no -0 cores */
		op->has |= HAS_CORES;
	}
}

#define PEAK_MOST 105.0 /* percent that clocks and nominal peaks can be wrong by */

/*
 * No op exceeds a peak. One that seems to do so by little reaches it; any other does less work than
 * its shapes imply, and gets no figure.
 */
static void peak_hold(struct perf_op *op, enum perf_has rate_bit, double *rate,
		      enum perf_has share_bit, double *share)
{
	if (!(op->has & share_bit) || !(*share > 100))
		return;
	if (*share > PEAK_MOST)
		op->has &= (uint16_t) ~(rate_bit | share_bit);
	*rate *= 100 / *share;
	*share = 100;
}

/* The figures of any op by our own model. */
static void analyze_any(struct perf_report *r, struct perf_op *op, const struct perf_row *row)
{
	const struct perf_kind *k = perf_op_kind(r, op);
	bool product = k->family == FAMILY_MATMUL || k->family == FAMILY_CONV;
	double seconds = row->duration * 1e-9;

	op->bytes = k->bytes;
	op->operations = k->operations;
	if (as_sparse(r, k))
		perf_sparse_work(k, r->options->active_experts, &op->bytes, &op->operations);
	op->sharded = k->dram_sharded;
	set_cores(op, row, PERF_MODEL_NEXT);
	if (op->sharded && r->arch) {
		op->cores = perf_arch_peak(r->arch, PERF_MODEL_NEXT)->sharded_cores;
		op->has |= HAS_CORES;
	}
	if (seconds > 0 && !analyze_unmeasured(r, op)) {
		set_dram(r, op, seconds);
		set_flops(r, op, seconds, op->has & HAS_CORES ? op->cores : 0);
	}
	peak_hold(op, HAS_DRAM, &op->dram, HAS_DRAM_PCT, &op->dram_pct);
	peak_hold(op, HAS_FLOPS, &op->flops, HAS_FLOPS_PCT, &op->flops_pct);
	if (product && !op->time_blank &&
	    (seconds == 0 || k->fidelity == FIDELITY_NONE || !(op->has & HAS_CORES) ||
	     (!as_sparse(r, k) && isnan(op->operations)) ||
	     (k->family == FAMILY_MATMUL && !as_sparse(r, k) && isnan(op->bytes))))
		r->unusable++;
	op->bound = (uint8_t)bound_of(r, op);
	if (product)
		op->verdict = (uint8_t)perf_fidelity_judge(k, r->options->model);
}

#define INVALID_GAP 1e6 /* ns from which a gap next to an invalid time is ignored (model next) */

/* PREVIOUS: an op ran before this one, so there is a gap. DOUBTED: its time was invalid. */
static void analyze_row(struct perf_report *r, struct perf_op *op, bool previous, bool doubted)
{
	const struct perf_row *row = &r->in->rows.v[op->row];
	const struct perf_kind *k = perf_op_kind(r, op);

	op->type = row->type;
	op->time = isnan(row->duration) ? 0 : row->duration / 1000;
	op->time_blank = isnan(row->duration);
	op->invalid = r->options->model == PERF_MODEL_NEXT && perf_row_invalid(row);
	if (row->type != TYPE_SIGNPOST && k->family != FAMILY_HOST && !analyze_unmeasured(r, op))
		op->has |= HAS_TIME;
	if (previous && !isnan(row->gap) &&
	    !((op->invalid || doubted) && fabs(row->gap) > INVALID_GAP)) {
		op->gap = row->gap / 1000;
		op->has |= HAS_GAP;
	}
	if (r->options->model == PERF_MODEL_TACHO && row->type != TYPE_SIGNPOST &&
	    k->family != FAMILY_HOST) {
		analyze_any(r, op, row);
		return;
	}
	if (row->type == TYPE_SIGNPOST || k->family != FAMILY_MATMUL)
		set_cores(op, row, r->options->model);
	if (row->type == TYPE_SIGNPOST)
		return;
	if (k->family == FAMILY_MATMUL)
		analyze_matmul(r, op, row);
	else if (k->family == FAMILY_CONV)
		analyze_conv(r, op, row);
	else if (k->family == FAMILY_HOST)
		op->bound = BOUND_HOST;
}

/* The footer counts an op with "signpost" in its name as a signpost. */
static void count_op(struct perf_report *r, const struct perf_op *op)
{
	if (perf_op_kind(r, op)->family == FAMILY_HOST)
		r->host_ops++;
	else if (op->type == TYPE_SIGNPOST || strstr(perf_op_kind(r, op)->label, "signpost"))
		r->signposts++;
	else if (op->run == RUN_WARM_UP)
		return;
	else if (analyze_unmeasured(r, op) && !op->invalid)
		r->unmeasured++;
	else
		r->device_ops++;
}

/* STARTED, by file: an op of the file ran before those in ORDER. */
static int analyze_rows(struct perf_report *r, const struct perf_order *order, bool *started)
{
	bool together = r->options->model == PERF_MODEL_1_2_4;
	bool *doubted = calloc(r->in->files.n + 1, sizeof(*doubted));

	if (!doubted)
		return TACHO_ENOMEM;
	if (vec_reserve(&r->ops, order->n + 1) < 0) {
		free(doubted);
		return TACHO_ENOMEM;
	}
	for (size_t i = 0, id = 0; i < order->n; i++) {
		struct perf_op op = {.row = order->v[i],
				     .id = perf_row_line(order->v[i]),
				     .kind = r->in->rows.v[order->v[i]].kind};
		size_t file = together ? 0 : perf_file_of(r->in, op.row);

		analyze_row(r, &op, started[file], doubted[file]);
		if (r->options->count_ids)
			op.id = op.type == TYPE_SIGNPOST ? 0 : (uint32_t)++id;
		if (op.type != TYPE_SIGNPOST) {
			started[file] |= op.invalid || !analyze_unmeasured(r, &op);
			doubted[file] = op.invalid;
			r->invalid += op.invalid && perf_op_kind(r, &op)->family != FAMILY_HOST;
		}
		r->ops.v[r->ops.n++] = op;
	}
	free(doubted);
	return 0;
}

static void analyze_filter(struct perf_report *r)
{
	const struct perf_options *o = r->options;
	size_t n = 0;

	for (size_t i = 0; i < r->ops.n; i++) {
		struct perf_op *op = &r->ops.v[i];
		int64_t id = perf_op_id(op);

		if (o->has_range && (id < o->first_id || id > o->last_id))
			continue;
		if (o->has_range && n == 0)
			op->has &= (uint16_t)~HAS_GAP;
		r->ops.v[n++] = *op;
	}
	r->ops.n = n;
	n = 0;
	for (size_t i = 0; i < r->ops.n; i++)
		if (!o->no_host_ops || perf_op_kind(r, &r->ops.v[i])->family != FAMILY_HOST)
			r->ops.v[n++] = r->ops.v[i];
	r->ops.n = n;
}

static void set_host_time(struct perf_report *r)
{
	struct perf_sum host = {0};

	r->host_timed = 0;
	for (size_t i = 0; i < r->ops.n; i++) {
		double ns = r->in->rows.v[r->ops.v[i].row].host_duration;

		if (perf_op_kind(r, &r->ops.v[i])->family != FAMILY_HOST || isnan(ns))
			continue;
		perf_sum_add(&host, ns / 1000);
		r->host_timed++;
	}
	r->host_sum = perf_sum_get(&host);
}

static void set_totals(struct perf_report *r)
{
	bool next = r->options->model == PERF_MODEL_NEXT;
	struct perf_sum time = {0}, gap = {0};
	double total;

	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_op *op = &r->ops.v[i];

		if (op->run == RUN_WARM_UP)
			continue;
		perf_sum_add(&time, op->has & HAS_TIME ? op->time : 0);
		perf_sum_add(&gap, op->has & HAS_GAP && !(next && op->gap < 0) ? op->gap : 0);
	}
	r->time_sum = perf_sum_get(&time);
	r->gap_sum = perf_sum_get(&gap);
	total = r->time_sum + r->gap_sum;
	for (size_t i = 0; i < r->ops.n; i++) {
		struct perf_op *op = &r->ops.v[i];

		if (total == 0 || !(op->has & (HAS_TIME | HAS_GAP)) || op->run == RUN_WARM_UP)
			continue;
		op->total = ((op->has & HAS_TIME ? op->time : 0) +
			     (op->has & HAS_GAP && !(next && op->gap < 0) ? op->gap : 0)) /
			    total * 100;
		op->has |= HAS_TOTAL;
		op->dim = op->total < r->options->min_percentage &&
			  perf_op_kind(r, op)->family != FAMILY_HOST;
	}
}

static void count_ops(struct perf_report *r)
{
	r->device_ops = r->host_ops = r->signposts = r->unmeasured = 0;
	for (size_t i = 0; i < r->ops.n; i++)
		count_op(r, &r->ops.v[i]);
}

void perf_report_sum(struct perf_report *r)
{
	count_ops(r);
	r->busy = r->overlap = NAN;
	set_totals(r);
	set_host_time(r);
}

static void note_result(const struct perf_report *r, struct perf_notes *notes)
{
	if (r->unusable)
		perf_note(
			notes, NOTE_WARNING,
			"%llu multiplication%s without a duration, shape, data type, memory, core "
			"count or fidelity to compute with: the figures stay blank",
			(unsigned long long)r->unusable, r->unusable > 1 ? "s" : "");
	if (r->unmeasured)
		perf_note(notes, NOTE_INFO,
			  "%llu op%s without a device time, captured into a trace or not in the "
			  "device's log: listed, not counted",
			  (unsigned long long)r->unmeasured, r->unmeasured > 1 ? "s" : "");
	if (r->runs[RUN_WARM_UP])
		perf_note(notes, NOTE_INFO,
			  "%llu warm-up op%s, compiled for and then measured again: listed, not "
			  "counted (--count-warm-ups)",
			  (unsigned long long)r->runs[RUN_WARM_UP],
			  r->runs[RUN_WARM_UP] > 1 ? "s" : "");
	if (r->runs[RUN_REPLAY])
		perf_note(notes, NOTE_INFO, "%llu op%s of a replayed trace, in %llu replay%s%s",
			  (unsigned long long)r->runs[RUN_REPLAY],
			  r->runs[RUN_REPLAY] > 1 ? "s" : "", (unsigned long long)r->sessions,
			  r->sessions > 1 ? "s" : "",
			  r->options->replays == REPLAYS_MEAN   ? ": means of all replays"
			  : r->options->replays == REPLAYS_LAST ? ": the last of all replays"
								: "");
	if (r->invalid)
		perf_note(notes, NOTE_WARNING,
			  "%llu op%s with a duration that cannot be true: the time is left out",
			  (unsigned long long)r->invalid, r->invalid > 1 ? "s" : "");
}

/* The architecture and its worker cores, from the input or the option. */
static int choose_arch(struct perf_report *r, struct perf_notes *notes, struct tacho_error *err)
{
	const struct perf_input *in = r->in;
	const struct perf_options *o = r->options;
	bool from_input = in->format == FORMAT_V2_1;

	r->arch_name = from_input && in->arch_name ? in->arch_name : "wormhole";
	if (from_input && !in->arch_name)
		perf_note(notes, NOTE_INFO, "No 'DEVICE ARCH': taken for a wormhole");
	if (from_input && o->arch && !perf_arch_find(r->arch_name))
		perf_note(notes, NOTE_WARNING, "unknown architecture '%s': %s is taken instead",
			  r->arch_name, o->arch);
	if (o->arch &&
	    (!from_input || o->model == PERF_MODEL_NEXT || !perf_arch_find(r->arch_name)))
		r->arch_name = o->arch;
	else if (o->arch)
		perf_note(notes, NOTE_WARNING,
			  "--arch=%s is not used: the input says %s (--model=next lets it win)",
			  o->arch, r->arch_name);
	r->arch = perf_arch_find(r->arch_name);
	if (!r->arch && r->arch_name == o->arch)
		return err_set(err, TACHO_EUSAGE, "unknown --arch '%s'; known are %s", o->arch,
			       perf_arch_names());
	if (!r->arch)
		perf_note(notes, NOTE_WARNING,
			  "unknown architecture '%s': no shares of peaks; --arch gives another",
			  r->arch_name);
	else
		r->arch_name = r->arch->report;
	if (in->arch_several)
		perf_note(notes, NOTE_WARNING, "several architectures in the input; %s is used",
			  r->arch_name);
	return 0;
}

static void choose_workers(struct perf_report *r, struct perf_notes *notes)
{
	const struct perf_input *in = r->in;

	if (in->format != FORMAT_V2_1)
		r->workers = perf_arch_peak(r->arch, r->options->model)->workers;
	else if (r->options->model == PERF_MODEL_NEXT && in->workers_largest)
		r->workers = in->workers_largest;
	else if (r->options->model == PERF_MODEL_NEXT && r->arch)
		r->workers = perf_arch_peak(r->arch, r->options->model)->workers;
	else
		r->workers = in->workers_first ? in->workers_first : 64;
	if (in->format == FORMAT_V2_1 && !in->workers_first)
		perf_note(notes, NOTE_INFO, "No 'AVAILABLE WORKER CORE COUNT': %d cores",
			  r->workers);
	if (in->workers_several)
		perf_note(notes, NOTE_INFO, "Several numbers of worker cores; %d is used",
			  r->workers);
}

/* A sparse matmul has the number of its active batches. */
static int label_sparse(struct perf_report *r, struct perf_input *in, struct perf_notes *notes)
{
	bool unknown = false;

	for (size_t i = 0; i < in->kinds.n; i++) {
		struct perf_kind *k = &in->kinds.v[i];
		struct buf label = BUF_INIT;
		struct perf_sparsity s;

		if (!as_sparse(r, k))
			continue;
		s = perf_sparsity_of(k, r->options->active_experts);
		unknown |= s.active < 0;
		buf_addf(&label, "%s active=", k->op_code);
		buf_addf(&label, s.active < 0 ? "?" : "%lld", (long long)s.active);
		buf_addf(&label, "/%lld x %lld x %lld x %lld", (long long)s.dense,
			 (long long)k->dim[IN0][DIM_Y], (long long)k->dim[IN0][DIM_X],
			 (long long)k->dim[IN1][DIM_X]);
		k->label = label.failed ? NULL : perf_string(in, label.data, label.len);
		k->label_len = (uint32_t)label.len;
		buf_free(&label);
		if (!k->label)
			return TACHO_ENOMEM;
	}
	if (unknown)
		perf_note(notes, NOTE_WARNING,
			  "sparse matmuls without a number of active batches: no figures for them; "
			  "--active-experts=K says how many");
	return 0;
}

#define LONGEST 1e17 /* ns, three years: no op takes longer */

/* Infinite, negative and absurd times of a damaged file would spoil all sums: leave them out. */
static void impossible_drop(struct perf_input *in, struct perf_notes *notes)
{
	unsigned long long n = 0;
	uint32_t first = 0;

	for (size_t i = 0; i < in->rows.n; i++) {
		struct perf_row *row = &in->rows.v[i];
		bool time = row->duration < 0 || row->duration > LONGEST;
		bool gap = fabs(row->gap) > LONGEST;

		if (time)
			row->duration = NAN;
		if (gap)
			row->gap = NAN;
		if (n == 0 && (time || gap))
			first = (uint32_t)i;
		n += time + gap;
		row->bad |= time || gap;
	}
	if (!n)
		return;
	perf_note(notes, NOTE_WARNING,
		  "%llu impossible time%s (negative, infinite or of years), the first in line %u: "
		  "left out",
		  n, n == 1 ? "" : "s", perf_row_line(first));
}

/* True if ops of the window need data that the files lack. */
static void find_damage(const struct perf_report *r, struct perf_input *in)
{
	size_t ops = 0;

	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_kind *k = perf_op_kind(r, &r->ops.v[i]);
		bool math = k->family == FAMILY_MATMUL || k->family == FAMILY_CONV;

		if (r->ops.v[i].type == TYPE_SIGNPOST)
			continue;
		ops++;
		in->damaged |= (math && in->no_math) || (math && in->bad_shapes && k->bad) ||
			       (in->no_names && k->nameless) || in->rows.v[r->ops.v[i].row].bad;
	}
	in->damaged |= (in->no_others && r->ops.n) || (in->no_gap && ops > 1);
}

/* From the rows to the ops, with the filters applied. */
static int make_ops(struct perf_report *r, struct perf_input *in, struct perf_order *order,
		    struct perf_merged *m, struct perf_notes *notes)
{
	const struct perf_options *o = r->options;
	bool next = o->model == PERF_MODEL_NEXT;
	struct perf_window_rows rows = {0};
	int code = perf_window(order, in, o, notes, &r->region);

	if (code == 0)
		code = perf_replays_take(r, order, in);
	if (code == 0 && next)
		code = perf_window_rows_take(&rows, order, in);
	m->representative = rows.representative;
	if (code == 0)
		code = perf_merge(order, in, o, notes, m);
	r->merged = m->merged;
	if (code == 0 && o->model == PERF_MODEL_1_2_4)
		m->started[0] = false;
	if (code == 0)
		code = analyze_rows(r, order, m->started);
	if (code == 0)
		code = perf_runs_mark(r);
	if (code == 0) {
		count_ops(r);
		find_damage(r, in);
		analyze_filter(r);
		set_totals(r);
		set_host_time(r);
		code = next ? perf_next_overlap(r, &rows) : perf_overlap(r);
	}
	perf_window_rows_free(&rows);
	return code;
}

int perf_report_make(struct perf_report *r, struct perf_input *in, const struct perf_options *o,
		     struct perf_notes *notes, struct tacho_error *err)
{
	struct perf_order order = {0};
	struct perf_merged merged = {.started = calloc(in->files.n + 1, sizeof(bool))};
	int code;
	static const char *const formats[] = {"v1", "v2", "v2.1"};

	*r = (struct perf_report){.in = in, .options = o, .busy = NAN, .overlap = NAN};
	code = choose_arch(r, notes, err);
	if (code < 0) {
		free(merged.started);
		return code;
	}
	choose_workers(r, notes);
	perf_note(notes, NOTE_INFO, "Format %s, architecture %s, %d worker cores",
		  formats[r->in->format], r->arch_name, r->workers);
	if (o->model != PERF_MODEL_1_2_4) {
		/* Release 1.2.4 uses names alone. */
		for (size_t i = 0; i < in->kinds.n; i++)
			if (in->kinds.v[i].fallback)
				in->kinds.v[i].family = FAMILY_HOST;
	}
	if (o->model == PERF_MODEL_TACHO)
		impossible_drop(in, notes);
	/* Release 1.2.4 and its successor print unknown values as NaN. */
	for (size_t i = 0; i < in->kinds.n; i++)
		in->kinds.v[i].says_nan = o->model != PERF_MODEL_TACHO;
	code = merged.started ? label_sparse(r, in, notes) : TACHO_ENOMEM;
	if (code == 0 && o->model == PERF_MODEL_NEXT)
		code = perf_next_labels(in);
	if (code == 0)
		code = make_ops(r, in, &order, &merged, notes);
	vec_free(&order);
	free(merged.started);
	note_result(r, notes);
	return code < 0 ? err_set(err, code, "%s", err_text(code)) : 0;
}

void perf_report_free(struct perf_report *r)
{
	vec_free(&r->ops);
	free(r->spread);
	r->spread = NULL;
}

/* " 1,234 " to 1234; 0 if there is no text at all. */
static int parse_id(const char *text, size_t len, int64_t *id)
{
	int64_t n = 0;
	bool digits = false;

	if (len == 0)
		return 0;
	while (len && *text == ' ')
		text++, len--;
	while (len && text[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == ',')
			continue;
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, text[i] - '0', &n))
			return TACHO_EUSAGE;
		digits = true;
	}
	*id = n;
	return digits ? 1 : TACHO_EUSAGE;
}

int perf_range_parse(const char *text, struct perf_options *o, struct tacho_error *err)
{
	const char *dash = strchr(text, '-');
	int first = -1, last = -1;

	o->first_id = INT64_MIN;
	o->last_id = INT64_MAX;
	o->has_range = true;
	if (dash && !strchr(dash + 1, '-')) {
		first = parse_id(text, (size_t)(dash - text), &o->first_id);
		last = parse_id(dash + 1, strlen(dash + 1), &o->last_id);
	}
	if (first < 0 || last < 0 || first + last == 0)
		return err_set(err, TACHO_EUSAGE,
			       "--id-range: '%s' is not a range such as 5-10, 31- or -12", text);
	return 0;
}
