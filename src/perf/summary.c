/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and prints the summary of a report. */
#include "perf/summary.h"
#include "base/fmt.h"
#include "base/order.h"
#include "perf/gaps.h"

#include <math.h>
#include <string.h>

static double gap_of(const struct perf_op *op)
{
	return op->has & HAS_GAP ? op->gap : 0;
}

/* Inserts OP into the list of the longest gaps, longest first. */
static void rank_gap(struct perf_summary *s, const struct perf_report *r, uint32_t op)
{
	int at = s->gaps_n;

	while (at > 0 && r->ops.v[s->gaps[at - 1]].gap < r->ops.v[op].gap)
		at--;
	if (at == SUMMARY_TOP)
		return;
	if (s->gaps_n < SUMMARY_TOP)
		s->gaps_n++;
	memmove(s->gaps + at + 1, s->gaps + at, (size_t)(s->gaps_n - at - 1) * sizeof(*s->gaps));
	s->gaps[at] = op;
}

ORDER_BY(compare_tops, struct perf_top, ORDER_DOWN(time) ?: ORDER_UP(kind));

/* Not run: an op captured into a trace takes time only when it is replayed. */
static bool not_run(const struct perf_op *op)
{
	return op->bound != BOUND_HOST &&
	       (op->time_blank || (op->has & HAS_TIME && !(op->time > 0)));
}

static int find_top(struct perf_summary *s, const struct perf_report *r)
{
	size_t n = r->in->kinds.n;
	struct perf_top *tops = calloc(n + 1, sizeof(*tops));

	if (!tops)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_op *op = &r->ops.v[i];
		struct perf_top *top = &tops[op->kind];

		if (!(op->has & HAS_TIME) || not_run(op) || op->run == RUN_WARM_UP)
			continue;
		if (top->ops++ == 0 || op->time > r->ops.v[top->longest].time)
			top->longest = (uint32_t)i;
		top->kind = op->kind;
		top->time += op->time;
	}
	qsort(tops, n, sizeof(*tops), compare_tops);
	for (size_t i = 0; i < n && i < SUMMARY_TOP && tops[i].time > 0; i++)
		s->top[s->top_n++] = tops[i];
	free(tops);
	return 0;
}

/*
 * Several items of one op save the same time: each kind of advice is counted separately, so the
 * sums of different kinds do not add up.
 */
static void add_savings(struct perf_summary *s, const struct perf_report *r,
			const struct perf_op *op)
{
	struct perf_advice_item items[PERF_ADVICE_MAX];
	int n = perf_advise(r, op, items);
	double gap = perf_gap_saving(r, op);

	for (int i = 0; i < n; i++) {
		s->saving[items[i].kind].ops++;
		s->saving[items[i].kind].time += items[i].saving;
	}
	if (gap > 0) {
		int kind = perf_gap_compile(r, op) ? ADVICE_COMPILE : ADVICE_GAP;

		s->saving[kind].ops++;
		s->saving[kind].time += gap;
	}
	if (op->bound == BOUND_HOST)
		s->saving[ADVICE_HOST].ops++;
}

int perf_summary_make(struct perf_summary *s, const struct perf_report *r)
{
	*s = (struct perf_summary){.total = r->time_sum + r->gap_sum};
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_op *op = &r->ops.v[i];
		const struct perf_kind *k;
		double peak;

		if (op->type == TYPE_SIGNPOST || not_run(op) || op->run == RUN_WARM_UP)
			continue;
		s->bound[op->bound].ops++;
		s->bound[op->bound].time += op->has & HAS_TIME ? op->time : 0;
		if (gap_of(op) > 0)
			rank_gap(s, r, (uint32_t)i);
		s->negative_gaps += gap_of(op) < 0;
		if (op->has & HAS_DRAM && !isnan(op->dram))
			s->dram_bytes += op->bytes;
		/* The op's time on all workers at the peak of its fidelity. */
		k = perf_op_kind(r, op);
		peak = r->arch ? r->arch->tflops[k->fidelity] * r->workers * 1e6 : 0;
		if (op->has & HAS_FLOPS_PCT && peak > 0) {
			s->operations += op->operations;
			s->peak_time += op->operations / peak;
		}
		add_savings(s, r, op);
	}
	return find_top(s, r);
}

/* "    1,234 us  12.3 %  ####" */
static void add_share(struct buf *out, double time, double all)
{
	char text[FMT_FIXED_SIZE];
	double share = all > 0 && isfinite(all) ? time / all * 100 : 0;

	fmt_fixed(text, time, time < 100 ? 1 : 0);
	buf_addf(out, "%15s " MICRO "  %5.1f %%  ", text, share);
	for (int i = 0; i < 20 && share >= 2.5 + i * 5; i++)
		buf_addc(out, '#');
}

static void summary_trim(struct buf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	buf_addc(out, '\n');
}

/* Advice has the longest texts. */
static void summary_line_add(struct buf *out, const char *what, double time, double all)
{
	buf_addf(out, "  %-31s", what);
	add_share(out, time, all);
	summary_trim(out);
}

static void add_title(struct buf *out, struct perf_style style, const char *title)
{
	buf_addc(out, '\n');
	term_add(out, style.color ? TERM_CYAN : TERM_NONE, title, strlen(title));
	buf_addc(out, '\n');
}

/* CPU time is not a share of the device's: the two run in parallel. */
static void add_host(const struct perf_report *r, struct buf *out)
{
	char text[FMT_FIXED_SIZE];

	if (!r->host_ops)
		return;
	buf_addf(out, "  %llu host op%s", (unsigned long long)r->host_ops,
		 r->host_ops > 1 ? "s" : "");
	if (r->host_timed) {
		fmt_fixed(text, r->host_sum, r->host_sum < 100 ? 1 : 0);
		buf_addf(out, ": %s " MICRO " on the CPU", text);
	}
	if (!r->host_timed)
		buf_adds(out, ", whose time the input does not have");
	else if (r->host_timed < r->host_ops)
		buf_addf(out, " (of %llu the input does not have the time)",
			 (unsigned long long)(r->host_ops - r->host_timed));
	buf_addc(out, '\n');
}

static void add_times(const struct perf_summary *s, const struct perf_report *r, struct buf *out)
{
	summary_line_add(out, "ops on the device", r->time_sum, s->total);
	summary_line_add(out, "gaps: the device waits", r->gap_sum, s->total);
	add_host(r, out);
	if (r->unmeasured)
		buf_addf(out, "  %llu op%s not measured, and not counted here\n",
			 (unsigned long long)r->unmeasured, r->unmeasured > 1 ? "s were" : " was");
	if (r->runs[RUN_WARM_UP])
		buf_addf(out, "  %llu warm-up op%s, not counted here\n",
			 (unsigned long long)r->runs[RUN_WARM_UP],
			 r->runs[RUN_WARM_UP] > 1 ? "s" : "");
	if (r->runs[RUN_REPLAY])
		buf_addf(out, "  %llu op%s in %llu replay%s of a trace\n",
			 (unsigned long long)r->runs[RUN_REPLAY],
			 r->runs[RUN_REPLAY] > 1 ? "s" : "", (unsigned long long)r->sessions,
			 r->sessions > 1 ? "s" : "");
	if (s->negative_gaps)
		buf_addf(out,
			 "  %llu op%s began before the one before had ended: times and gaps add up "
			 "to less than both\n",
			 (unsigned long long)s->negative_gaps, s->negative_gaps > 1 ? "s" : "");
	if (r->overlap > 0)
		buf_addf(out,
			 "  by the device's clock it was busy for %.0f " MICRO
			 ", for %.0f with ops side by side\n",
			 r->busy, r->overlap);
}

static void add_bounds(const struct perf_summary *s, const struct perf_report *r, struct buf *out)
{
	static const struct {
		enum perf_bound bound;
		const char *text;
	} lines[] = {
		{BOUND_DRAM, "DRAM: limited by memory"},
		{BOUND_FLOP, "FLOP: limited by arithmetic"},
		{BOUND_BOTH, "BOTH: limited by both"},
		{BOUND_SLOW, "SLOW: limited by neither"},
		{BOUND_HOST, "HOST: on the CPU"},
		{BOUND_NONE, "no bound known"},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct perf_share *b = &s->bound[lines[i].bound];

		if (!b->ops)
			continue;
		summary_line_add(out, lines[i].text, b->time, r->time_sum);
		out->len--;
		buf_addf(out, "  %llu op%s\n", (unsigned long long)b->ops, b->ops > 1 ? "s" : "");
	}
}

double perf_summary_mfu(const struct perf_summary *s, double time)
{
	return time > 0 && s->peak_time > 0 ? fmin(s->peak_time / time * 100, 100) : NAN;
}

double perf_summary_dram(const struct perf_summary *s, const struct perf_report *r, double time)
{
	return time > 0 && s->dram_bytes > 0 && r->arch
		       ? fmin(s->dram_bytes / time / 1e3 / r->arch->dram_gbs * 100, 100)
		       : NAN;
}

/* Of the whole region: a waiting device uses nothing. */
static void add_utilisation(const struct perf_summary *s, const struct perf_report *r,
			    struct buf *out)
{
	double mfu = perf_summary_mfu(s, s->total), dram = perf_summary_dram(s, r, s->total);

	if (r->options->model != PERF_MODEL_TACHO)
		return;
	if (!isnan(mfu))
		buf_addf(
			out,
			"  MFU %.1f %% of the region (%.1f %% while ops run): products at the peak of "
			"%d cores\n",
			mfu, perf_summary_mfu(s, r->time_sum), r->workers);
	if (!isnan(dram))
		buf_addf(out, "  DRAM %.1f %% of the region (%.1f %% while ops run)\n", dram,
			 perf_summary_dram(s, r, r->time_sum));
}

#define NAME_WIDTH    58
#define SUMMARY_WIDTH 104 /* of its longest lines */

/*
 * "  28     name      123 us  4.5 %" for the op at INDEX, and the number of ops that it represents.
 */
static void summary_op_add(const struct perf_report *r, uint32_t index, uint64_t n, double time,
			   double all, struct perf_style style, struct buf *out)
{
	const struct perf_op *op = &r->ops.v[index];
	const struct perf_kind *k = perf_op_kind(r, op);
	struct buf name = BUF_INIT, cut = BUF_INIT;
	size_t width = NAME_WIDTH;

	if (style.columns && style.columns < SUMMARY_WIDTH)
		width -= SUMMARY_WIDTH - style.columns < NAME_WIDTH - 24
				 ? SUMMARY_WIDTH - style.columns
				 : NAME_WIDTH - 24;
	if (style.safe)
		term_add_safe(&name, k->label, k->label_len);
	else
		buf_add(&name, k->label, k->label_len);
	term_add_cut(&cut, name.data, name.len, width);
	buf_addf(out, "  %-7u", perf_op_id(op));
	buf_add(out, cut.data, cut.len);
	for (size_t w = term_width(cut.data, cut.len); w < width; w++)
		buf_addc(out, ' ');
	add_share(out, time, all);
	summary_trim(out);
	if (n > 1) {
		out->len--;
		buf_addf(out, "  %llu ops\n", (unsigned long long)n);
	}
	buf_free(&name);
	buf_free(&cut);
}

static void add_advice(const struct perf_summary *s, struct buf *out)
{
	bool done[ADVICE_KINDS] = {0};

	for (;;) {
		int best = -1;

		for (int i = 0; i < ADVICE_KINDS; i++)
			if (!done[i] && s->saving[i].time >= 0.5 &&
			    (best < 0 || s->saving[i].time > s->saving[best].time))
				best = i;
		if (best < 0)
			break;
		done[best] = true;
		summary_line_add(out, perf_advice_title((enum perf_advice_kind)best),
				 s->saving[best].time, s->total);
		out->len--;
		buf_addf(out, "  %llu op%s\n", (unsigned long long)s->saving[best].ops,
			 s->saving[best].ops > 1 ? "s" : "");
	}
}

/* What the host did in the gaps, by the zones of a trace. */
static void add_causes(const struct perf_report *r, struct perf_style style, struct buf *out)
{
	const struct perf_gaps *g = r->gaps;

	if (!g || g->all <= 0)
		return;
	add_title(out, style, "What the host did in the gaps (by its own clock)");
	for (int c = 0; c < CAUSES; c++)
		if (g->part[c] >= g->all * 0.001)
			summary_line_add(out, perf_cause_name((enum perf_cause)c), g->part[c],
					 g->all);
}

static bool any_saving(const struct perf_summary *s)
{
	for (int i = 0; i < ADVICE_KINDS; i++)
		if (s->saving[i].time >= 0.5)
			return true;
	return false;
}

void perf_summary_text(const struct perf_summary *s, const struct perf_report *r,
		       struct perf_style style, struct buf *out)
{
	double busy = isnan(r->busy) || r->busy <= 0 ? r->time_sum : r->busy;

	add_title(out, style, "Where the time goes");
	add_times(s, r, out);
	add_title(out, style, "What limits the ops (share of the time on the device)");
	add_bounds(s, r, out);
	if (s->dram_bytes > 0 && busy > 0)
		buf_addf(out, "  DRAM traffic by the shapes: %.2f GB, %.1f GB/s while busy\n",
			 s->dram_bytes / 1e9, s->dram_bytes / busy / 1e3);
	add_utilisation(s, r, out);
	if (s->top_n)
		add_title(
			out, style,
			"Most time, by op and shape (ID of the longest; share of the time on the device)");
	for (int i = 0; i < s->top_n; i++)
		summary_op_add(r, s->top[i].longest, s->top[i].ops, s->top[i].time, r->time_sum,
			       style, out);
	if (s->gaps_n)
		add_title(
			out, style,
			r->gaps && r->gaps->all > 0
				? "Longest gaps (before this ID; below: the host meanwhile, by its "
				  "own clock)"
				: "Longest gaps (before this ID)");
	for (int i = 0; i < s->gaps_n; i++) {
		const struct perf_op *op = &r->ops.v[s->gaps[i]];
		const struct perf_gap *gap = perf_gap_of(r->gaps, op);

		summary_op_add(r, s->gaps[i], 1, op->gap, s->total, style, out);
		if (!gap)
			continue;
		buf_adds(out, "         ");
		perf_gap_text(gap->part, gap->all, out);
		buf_addc(out, '\n');
	}
	add_causes(r, style, out);
	if (any_saving(s)) {
		add_title(
			out, style,
			r->options->model == PERF_MODEL_TACHO
				? "What the advice would save at most"
				: "What the advice would save at most (each by itself; they overlap)");
		add_advice(s, out);
	}
}
