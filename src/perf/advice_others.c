/* SPDX-License-Identifier: Apache-2.0 */
/* Advice in the models of other tools: 1.2.4 and next. */
#include "perf/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REACHABLE 65.0 /* percent of a peak that a well configured op reaches */

struct list {
	struct perf_advice_item *items;
	int n;
};

static void advice_others_add(struct list *l, enum perf_advice_kind kind, double saving,
			      const char *format, ...) __attribute__((format(printf, 4, 5)));

static void advice_others_add(struct list *l, enum perf_advice_kind kind, double saving,
			      const char *format, ...)
{
	struct perf_advice_item *item = &l->items[l->n++];
	size_t used;
	va_list args;

	item->kind = kind;
	item->saving = saving > 0 && isfinite(saving) ? saving : 0;
	va_start(args, format);
	vsnprintf(item->text, sizeof(item->text), format, args);
	va_end(args);
	used = strlen(item->text);
	if (item->saving >= 0.05)
		snprintf(item->text + used, sizeof(item->text) - used,
			 " (saves up to %.*f \xce\xbcs)", item->saving < 10 ? 1 : 0, item->saving);
}

/* Release 1.2.4 gives some advice that cannot be followed; its model gives the same items. */
static bool model_is_exact(const struct perf_report *r)
{
	return r->options->model == PERF_MODEL_1_2_4;
}

/* The remaining time if the work ran at SHARE percent of a peak. */
static double saved_at(const struct perf_op *op, double now, double share)
{
	return now > 0 && now < share ? op->time * (1 - now / share) : 0;
}

/* The next lower sufficient fidelity, and how many times faster it multiplies. */
static enum arch_fidelity advice_others_lower(const struct perf_kind *k, enum arch_fidelity f)
{
	struct perf_kind other = *k;

	for (int i = FIDELITY_LOFI; i < (int)f; i++) {
		other.fidelity = (enum arch_fidelity)i;
		if (perf_fidelity_judge(&other, PERF_MODEL_1_2_4) != VERDICT_TOO_LOW)
			return (enum arch_fidelity)i;
	}
	return FIDELITY_NONE;
}

static double advice_others_speedup(const struct perf_report *r, enum arch_fidelity from,
				    enum arch_fidelity to)
{
	return r->arch && r->arch->tflops[from] > 0 ? r->arch->tflops[to] / r->arch->tflops[from]
						    : 1;
}

/* Fewer passes shorten the multiplication until memory becomes the limit. */
static double fidelity_saving(const struct perf_report *r, const struct perf_op *op,
			      enum arch_fidelity to)
{
	double faster = advice_others_speedup(r, perf_op_kind(r, op)->fidelity, to);
	double left = op->flops_pct / 100 / faster;

	if (!(op->has & HAS_FLOPS_PCT) || op->flops_pct < REACHABLE)
		return 0;
	left = fmax(left / (op->flops_pct / 100), op->dram_pct / 100);
	return op->time * (1 - left);
}

static void advise_down(struct list *l, const struct perf_report *r, const struct perf_op *op)
{
	const struct perf_kind *k = perf_op_kind(r, op);
	enum arch_fidelity to = advice_others_lower(k, k->fidelity);

	advice_others_add(
		l, ADVICE_FIDELITY_DOWN, fidelity_saving(r, op, to),
		"Try %s instead of %s: %s x %s => %s holds no more digits than it multiplies, and it is "
		"%.1f times as fast",
		arch_fidelity_name(to), k->fidelity_name, perf_datatype_short(k->datatype[IN0]),
		perf_datatype_short(k->datatype[IN1]), perf_datatype_short(k->datatype[OUT]),
		advice_others_speedup(r, k->fidelity, to));
}

static void advise_up(struct list *l, const struct perf_kind *k)
{
	bool bf16 = !strcmp(k->datatype[IN0], "BFLOAT16");
	bool small_out = !strcmp(k->datatype[OUT], "BFLOAT4_B");

	if (k->fidelity == FIDELITY_LOFI)
		advice_others_add(
			l, ADVICE_FIDELITY_UP, 0,
			"If the results are not exact enough, try %s: LoFi drops low bits of the "
			"weights%s",
			bf16 && !small_out ? "HiFi2 or HiFi4" : "HiFi2",
			small_out ? ", which adds up in long sums" : "");
	else
		advice_others_add(
			l, ADVICE_FIDELITY_UP, 0,
			"HiFi4 keeps every bit of BF16 inputs where %s does not, and costs time only if "
			"the op is bound by arithmetic",
			k->fidelity_name);
}

/* If the fidelity is right but a lower one may do, or if it cannot be judged. */
static bool fidelity_remark(const struct perf_kind *k, enum perf_verdict verdict, const char **text)
{
	bool bf16 = k->datatype[IN0] && !strcmp(k->datatype[IN0], "BFLOAT16");
	bool small_out = k->datatype[OUT] && !strcmp(k->datatype[OUT], "BFLOAT4_B");

	*text = NULL;
	if (verdict == VERDICT_NOT_APPLICABLE)
		*text = "Whole numbers are multiplied: the fidelity says nothing about them";
	else if (verdict == VERDICT_UNKNOWN)
		*text = "The fidelity cannot be judged: a data type or fidelity is not known";
	else if (verdict == VERDICT_SUFFICIENT && bf16 && !small_out &&
		 k->fidelity != FIDELITY_HIFI2)
		*text = "The fidelity is right for BF16; where less will do, HiFi2 multiplies faster";
	else if (verdict == VERDICT_SUFFICIENT && small_out && k->fidelity == FIDELITY_HIFI2)
		*text = "The fidelity is right; LoFi may do for a BFP4 result and is faster";
	return *text != NULL;
}

static void advise_fidelity(struct list *l, const struct perf_report *r, const struct perf_op *op)
{
	const struct perf_kind *k = perf_op_kind(r, op);
	const char *text;

	if (op->verdict == VERDICT_TOO_HIGH)
		advise_down(l, r, op);
	else if (op->verdict == VERDICT_TOO_LOW)
		advise_up(l, k);
	else if (fidelity_remark(k, (enum perf_verdict)op->verdict, &text))
		advice_others_add(l, ADVICE_FIDELITY_NOTE, 0, "%s", text);
}

static void advise_dram(struct list *l, const struct perf_report *r, const struct perf_op *op)
{
	const struct perf_kind *k = perf_op_kind(r, op);

	if (!op->sharded && (model_is_exact(r) || (!k->sparse && k->config != CONFIG_FOREIGN)))
		advice_others_add(
			l, ADVICE_SHARD, saved_at(op, op->dram_pct, 100),
			"Try the DRAM-sharded program config: it is at %.0f %% of the DRAM bandwidth, and "
			"sharded weights are read from all banks at once",
			op->dram_pct);
	if (op->verdict == VERDICT_TOO_LOW && op->flops_pct < 40)
		advise_fidelity(l, r, op);
	if (op->verdict == VERDICT_TOO_HIGH)
		advise_fidelity(l, r, op);
}

static bool advice_others_absent(int64_t n)
{
	return n == PERF_NO_NUMBER;
}

/* GRID: a remark on the cores, or "". */
static void advise_nothing(struct list *l, const struct perf_kind *k, const char *grid)
{
	char blocks[120] = "No setting of it is known to be wrong";

	if (!advice_others_absent(k->block_w) && !advice_others_absent(k->subblock_h) &&
	    !advice_others_absent(k->subblock_w))
		snprintf(blocks, sizeof(blocks),
			 "in0_block_w=%lld and subblock %lldx%lld are in order",
			 (long long)k->block_w, (long long)k->subblock_h, (long long)k->subblock_w);
	else if (!advice_others_absent(k->block_w))
		snprintf(blocks, sizeof(blocks), "in0_block_w=%lld is in order",
			 (long long)k->block_w);
	advice_others_add(l, ADVICE_NOTHING, 0, "%s; look at the grid%s and at waiting for input",
			  blocks, grid);
}

static void advise_input(struct list *l, const struct perf_op *op, const struct perf_kind *k,
			 double saving)
{
	char busy[100] = "";

	if (!isnan(op->dram_pct) && !isnan(op->flops_pct))
		snprintf(busy, sizeof(busy),
			 ", and neither DRAM (%.0f %%) nor arithmetic (%.0f %%) is busy",
			 op->dram_pct, op->flops_pct);
	advice_others_add(l, ADVICE_INPUT_L1, saving,
			  "Keep input 0 in L1 if it fits: it is in %s%s",
			  k->memory[IN0] ? k->memory[IN0] : "an unknown memory", busy);
}

/* True if the op has no program config but accepts one. */
static bool lacks_config(const struct perf_report *r, const struct perf_kind *k)
{
	if (!advice_others_absent(k->block_w) || !advice_others_absent(k->subblock_h) ||
	    !advice_others_absent(k->subblock_w))
		return false;
	return model_is_exact(r) || k->config == CONFIG_DEFAULT || k->config == CONFIG_UNKNOWN;
}

static void advise_slow(struct list *l, const struct perf_report *r, const struct perf_op *op)
{
	const struct perf_kind *k = perf_op_kind(r, op);
	double saving = saved_at(op, fmax(op->dram_pct, op->flops_pct), REACHABLE);
	char grid[60] = "";
	int before;
	bool known;

	if (!op->sharded && op->cores * 2 <= r->workers)
		snprintf(grid, sizeof(grid), " (it runs on %g of %d cores)", op->cores, r->workers);
	if (!k->memory[IN0] || !strstr(k->memory[IN0], "L1"))
		advise_input(l, op, k, saving);
	if (lacks_config(r, k)) {
		advice_others_add(
			l, ADVICE_CONFIG, saving,
			"Give it a program_config with in0_block_w and out_subblock_h/w: without one the "
			"defaults are cautious%s",
			grid);
		return;
	}
	before = l->n;
	/* Block sizes: the data that stays in registers and L1 between loads. */
	if (!advice_others_absent(k->block_w) && k->block_w < 2)
		advice_others_add(
			l, ADVICE_BLOCK, saving,
			"Raise in0_block_w from %lld to 2 or more: each block is a round trip for data",
			(long long)k->block_w);
	else if (advice_others_absent(k->block_w) && model_is_exact(r))
		advice_others_add(
			l, ADVICE_BLOCK, saving,
			"The program config does not say in0_block_w: 2 or more tiles of the inner "
			"dimension at a time are better than one");
	known = !advice_others_absent(k->subblock_h) && !advice_others_absent(k->subblock_w);
	if (known && perf_times(k->subblock_h, k->subblock_w) < 2)
		advice_others_add(
			l, ADVICE_SUBBLOCK, saving,
			"Raise the output subblock from %lldx%lld to 2 tiles or more: one tile leaves "
			"the registers idle",
			(long long)k->subblock_h, (long long)k->subblock_w);
	else if (!known && model_is_exact(r))
		advice_others_add(
			l, ADVICE_SUBBLOCK, saving,
			"The program config does not say out_subblock_h and out_subblock_w: some "
			"configs have no such settings");
	if (l->n == before)
		advise_nothing(l, k, grid);
	advise_fidelity(l, r, op);
}

int perf_advise_others(const struct perf_report *r, const struct perf_op *op,
		       struct perf_advice_item items[PERF_ADVICE_MAX])
{
	struct list l = {items, 0};
	const struct perf_kind *k = perf_op_kind(r, op);
	int cores;

	if (k->family != FAMILY_MATMUL || op->type == TYPE_SIGNPOST)
		return 0;
	switch (op->bound) {
	case BOUND_DRAM:
	case BOUND_BOTH:
		advise_dram(&l, r, op);
		break;
	case BOUND_FLOP:
		cores = model_is_exact(r) ? 64 : perf_available(r, op);
		if (op->cores < cores && (model_is_exact(r) || !op->sharded))
			advice_others_add(
				&l, ADVICE_GRID, op->time * (1 - op->cores / cores),
				"Give it a larger grid: it is bound by arithmetic and runs on %g of %d cores",
				op->cores, cores);
		if (op->verdict == VERDICT_TOO_HIGH)
			advise_fidelity(&l, r, op);
		break;
	case BOUND_SLOW:
		advise_slow(&l, r, op);
		break;
	default:
		if (k->sparse && r->options->model == PERF_MODEL_NEXT && isnan(op->operations))
			advice_others_add(
				&l, ADVICE_EXPERTS, 0,
				"Say how many experts are active with --active-experts: without it the "
				"work of a sparse matmul is not known");
		break;
	}
	return l.n;
}
