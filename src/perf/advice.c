/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the rules of rules.c to an op; gaps, titles. The other models: advice_others.c. */
#include "perf/advice.h"

#include "base/fmt.h"
#include "perf/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GAP_LEFT    6.0   /* us that remain of a gap in a trace */
#define GAP_COMPILE 10e3  /* us from which dispatch alone cannot explain a gap */
#define REACHABLE   65.0  /* percent of a peak that a well configured op reaches */
#define L1_ROOM     0.5e6 /* bytes of a core's L1 that a tensor may take: it is not alone */

bool perf_gap_long(const struct perf_op *op)
{
	return op->has & HAS_GAP && op->gap > PERF_GAP_AT;
}

bool perf_gap_compile(const struct perf_report *r, const struct perf_op *op)
{
	const struct perf_row *row = &r->in->rows.v[op->row];

	if (r->options->model != PERF_MODEL_TACHO || !perf_gap_long(op) || row->replay)
		return false;
	return row->compiled || op->gap > GAP_COMPILE;
}

double perf_gap_saving(const struct perf_report *r, const struct perf_op *op)
{
	bool replay = r->in->rows.v[op->row].replay;

	return perf_gap_long(op) && !replay ? op->gap - GAP_LEFT : 0;
}

const char *perf_advice_title(enum perf_advice_kind kind)
{
	static const char *const titles[ADVICE_KINDS] = {
		[ADVICE_SHARD] = "read weights DRAM-sharded",
		[ADVICE_GRID] = "use more cores",
		[ADVICE_INPUT_L1] = "keep input 0 in L1",
		[ADVICE_CONFIG] = "give a program config",
		[ADVICE_BLOCK] = "larger inner block",
		[ADVICE_SUBBLOCK] = "larger output subblock",
		[ADVICE_NOTHING] = "settings look right",
		[ADVICE_FIDELITY_UP] = "higher fidelity for accuracy",
		[ADVICE_FIDELITY_DOWN] = "lower fidelity",
		[ADVICE_FIDELITY_NOTE] = "check the data types",
		[ADVICE_EXPERTS] = "say how many experts are active",
		[ADVICE_BUFFER] = "double buffers",
		[ADVICE_CHUNK] = "larger chunks",
		[ADVICE_LINKS] = "more links",
		[ADVICE_KERNEL] = "unblock the reader or the writer",
		[ADVICE_BALANCE] = "balance the cores",
		[ADVICE_GAP] = "trace the ops to shorten gaps",
		[ADVICE_COMPILE] = "compile before measuring",
		[ADVICE_HOST] = "move host ops to the device",
	};

	return titles[kind];
}

/* An op to which the rules are applied. */
struct advised {
	const struct perf_report *r;
	const struct perf_op *op;
	const struct perf_kind *k;
	enum arch_fidelity lower; /* enough for its data types, if its own is too high */
};

/* The lowest fidelity that its data types need. */
static enum arch_fidelity fidelity_lower(const struct perf_kind *k)
{
	struct perf_kind other = *k;

	for (int i = FIDELITY_LOFI; i < (int)k->fidelity; i++) {
		other.fidelity = (enum arch_fidelity)i;
		if (perf_fidelity_judge(&other, PERF_MODEL_TACHO) != VERDICT_TOO_LOW)
			return (enum arch_fidelity)i;
	}
	return FIDELITY_NONE;
}

/* How many times faster the lower fidelity multiplies. */
static double fidelity_speedup(const struct advised *a)
{
	double now = a->r->arch ? a->r->arch->tflops[a->k->fidelity] : 0;

	return now > 0 && a->lower != FIDELITY_NONE ? a->r->arch->tflops[a->lower] / now : 1;
}

static double advice_share_of(const struct perf_op *op, enum perf_has bit, double percent)
{
	return op->has & bit && !isnan(percent) ? percent : 0;
}

/* The part of its time that the op needs at least, by the peaks. */
static double least_part(const struct perf_op *op)
{
	double most = fmax(advice_share_of(op, HAS_DRAM_PCT, op->dram_pct),
			   advice_share_of(op, HAS_FLOPS_PCT, op->flops_pct));

	return fmin(1, most / 100);
}

static int64_t advice_setting(const struct advised *a, int field)
{
	return a->k->settings.value[field];
}

static const struct perf_device *advice_on_device(const struct advised *a)
{
	return &a->r->in->rows.v[a->op->row].on_device;
}

static double tiles_of(const int64_t dims[DIMS])
{
	for (int i = 0; i < DIMS; i++)
		if (dims[i] == PERF_NO_NUMBER)
			return NAN;
	return (double)dims[DIM_W] * (double)dims[DIM_Z] * ceil((double)dims[DIM_Y] / 32) *
	       ceil((double)dims[DIM_X] / 32);
}

/* The cores that have work: a tile is not divided. */
static double cores_usable(const struct advised *a)
{
	double tiles = tiles_of(a->k->dim[OUT]), available = perf_available(a->r, a->op);

	if (a->k->family != FAMILY_MATMUL)
		tiles = fmax(tiles, tiles_of(a->k->dim[IN0]));
	return tiles >= 1 ? fmin(tiles, available) : available;
}

static bool test_holds(const struct advised *a, enum advice_test test, int x, int y, int64_t limit,
		       const char *text)
{
	const struct perf_kind *k = a->k;
	int64_t value = test == TEST_PRODUCT_BELOW
				? perf_times(advice_setting(a, x), advice_setting(a, y))
				: advice_setting(a, x);
	bool known = value != PERF_NO_FIELD;
	double bytes;

	switch (test) {
	case TEST_BELOW:
	case TEST_PRODUCT_BELOW:
		return known && value > 0 && value < limit;
	case TEST_ABOVE:
		return known && value > limit;
	case TEST_IS:
		return known && value == limit;
	case TEST_DEFAULT:
		return k->config == CONFIG_DEFAULT;
	case TEST_CONFIG:
		return k->settings.name && !strcmp(k->settings.name, text);
	case TEST_IN0_DRAM:
		bytes = perf_tensor_bytes(a->k->dim[IN0], a->k->datatype[IN0]);
		return perf_in_dram(a->k, IN0) && bytes <= perf_available(a->r, a->op) * L1_ROOM;
	case TEST_IN1_DRAM:
		return perf_in_dram(k, IN1);
	case TEST_ANY_IN_DRAM:
		return perf_in_dram(k, IN0) || perf_in_dram(k, IN1);
	case TEST_IN0_SHARDED:
		return k->memory[IN0] && strstr(k->memory[IN0], "SHARDED");
	case TEST_OUT_DRAM:
		return perf_in_dram(k, OUT);
	case TEST_NOT_SHARDED:
		return !a->op->sharded && !k->sparse &&
		       (k->config == CONFIG_DEFAULT || k->config == CONFIG_GIVEN);
	case TEST_CORES_PERCENT:
		return a->op->has & HAS_CORES && !a->op->sharded && a->op->cores > 0 &&
		       a->op->cores * 100 < cores_usable(a) * (double)limit;
	case TEST_CORE_TILES:
		return !(tiles_of(k->dim[OUT]) < a->op->cores * (double)limit);
	case TEST_VERDICT:
		return a->op->verdict == limit &&
		       (limit != VERDICT_TOO_HIGH || a->lower != FIDELITY_NONE);
	case TEST_FLOPS_BELOW:
		return a->op->has & HAS_FLOPS_PCT && a->op->flops_pct < (double)limit;
	case TEST_INNER_TILES:
		return k->dim[IN0][DIM_X] >= limit * 32;
	case TEST_ROWS_ABOVE:
		return k->dim[IN0][DIM_Y] > limit;
	case TEST_NOT_COLLECTIVE:
		return !k->collective;
	case TEST_LIMIT:
		return perf_limit_of(advice_on_device(a)) == (enum perf_limit)limit;
	case TEST_BALANCE_BELOW:
		return perf_balance(advice_on_device(a)) < (double)limit;
	default:
		return true;
	}
}

/* True if the name contains a part of LIST, whose parts are separated by '|'. */
static bool name_matches(const char *name, const char *list)
{
	while (list) {
		size_t n = strcspn(list, "|");

		if (memmem(name, strlen(name), list, n))
			return true;
		list = list[n] ? list + n + 1 : NULL;
	}
	return false;
}

static bool rule_holds(const struct advised *a, const struct advice_rule *rule)
{
	if (!(rule->bounds & 1u << a->op->bound) ||
	    (rule->families && !(rule->families & 1u << a->k->family)) ||
	    (rule->settings & ~a->k->settings.has) ||
	    (rule->ops && !name_matches(a->k->op_code, rule->ops)))
		return false;
	for (int i = 0; i < RULE_TESTS; i++)
		if (!test_holds(a, rule->tests[i].test, rule->tests[i].a, rule->tests[i].b,
				rule->tests[i].limit, rule->tests[i].text))
			return false;
	return true;
}

/* The part of the op's time that remains, by the rule's assumption. */
static double part_left(const struct advised *a, enum advice_saving saving)
{
	const struct perf_op *op = a->op;

	switch (saving) {
	case SAVING_REACHABLE:
		return fmin(1, least_part(op) * 100 / REACHABLE);
	case SAVING_DRAM_PEAK:
		return advice_share_of(op, HAS_DRAM_PCT, op->dram_pct) / 100;
	case SAVING_CORES:
		return fmax(op->cores / cores_usable(a), least_part(op));
	case SAVING_FIDELITY:
		if (op->bound != BOUND_FLOP && op->bound != BOUND_BOTH)
			return 1;
		return fmax(1 / fidelity_speedup(a),
			    advice_share_of(op, HAS_DRAM_PCT, op->dram_pct) / 100);
	case SAVING_LINKS:
		return 0.5;
	case SAVING_BALANCE:
		return fmax(perf_balance(advice_on_device(a)) / 100, least_part(op));
	default:
		return 1;
	}
}

static const char *const assumptions[SAVING_KINDS] = {
	[SAVING_REACHABLE] = "if it then comes to 65 % of the nearer peak",
	[SAVING_DRAM_PEAK] = "at the peak of the DRAM",
	[SAVING_CORES] = "if it scales to all cores that have work",
	[SAVING_FIDELITY] = "if arithmetic stays the limit",
	[SAVING_LINKS] = "with twice the links",
	[SAVING_BALANCE] = "if all cores take as long as the mean",
};

static void add_rounded(struct buf *out, double value, int decimals)
{
	char text[FMT_FIXED_SIZE];

	buf_add(out, text, fmt_fixed(text, value, decimals));
}

static void word_add(const struct advised *a, const char *word, size_t len, struct buf *out)
{
	const struct perf_op *op = a->op;
	const struct perf_kind *k = a->k;
	char name[40] = "", number[FMT_SIZE];

	memcpy(name, word, len < sizeof(name) ? len : sizeof(name) - 1);
	if (!strcmp(name, "cores"))
		buf_addf(out, "%g", op->cores);
	else if (!strcmp(name, "workers"))
		buf_adds(out, fmt_int(number, perf_available(a->r, op)));
	else if (!strcmp(name, "memory"))
		buf_adds(out, k->memory[IN0]);
	else if (!strcmp(name, "dram"))
		add_rounded(out, advice_share_of(op, HAS_DRAM_PCT, op->dram_pct), 0);
	else if (!strcmp(name, "flops"))
		add_rounded(out, advice_share_of(op, HAS_FLOPS_PCT, op->flops_pct), 0);
	else if (!strcmp(name, "fidelity"))
		buf_adds(out, k->fidelity_name);
	else if (!strcmp(name, "lower"))
		buf_adds(out, arch_fidelity_name(a->lower));
	else if (!strcmp(name, "faster"))
		buf_addf(out, "%.1f", fidelity_speedup(a));
	else if (!strcmp(name, "balance"))
		buf_addf(out, "%.0f", perf_balance(advice_on_device(a)));
	else if (!strcmp(name, "types"))
		buf_addf(out, "%s x %s => %s", perf_datatype_short(k->datatype[IN0]),
			 perf_datatype_short(k->datatype[IN1]),
			 perf_datatype_short(k->datatype[OUT]));
	else
		for (int i = 0; i < FIELD_COUNT; i++)
			if (!strcmp(name, perf_field_name((enum perf_field)i)))
				buf_adds(out, fmt_int(number, advice_setting(a, i)));
}

static void words_add(const struct advised *a, const char *words, struct buf *out)
{
	while (*words) {
		size_t n = strcspn(words, "{");

		buf_add(out, words, n);
		words += n;
		if (*words) {
			n = strcspn(words, "}");
			word_add(a, words + 1, n - 1, out);
			words += n + (words[n] != 0);
		}
	}
}

/* Rules with the same assumption save the same time: each gets a part of it. */
static void savings_share(const struct advised *a, struct perf_advice_item *items,
			  const struct advice_rule *const *rules, int n)
{
	double all = 0, most = a->op->time * (1 - least_part(a->op));

	for (int i = 0; i < n; i++) {
		int same = 0;

		for (int k = 0; k < n; k++)
			same += rules[k]->saving == rules[i]->saving;
		items[i].saving = a->op->time * (1 - part_left(a, rules[i]->saving)) / same;
		if (!(items[i].saving > 0) || !isfinite(items[i].saving))
			items[i].saving = 0;
		all += items[i].saving;
	}
	for (int i = 0; i < n && all > most; i++)
		items[i].saving *= most / all;
}

static int rules_advise(const struct perf_report *r, const struct perf_op *op,
			struct perf_advice_item items[PERF_ADVICE_MAX])
{
	const struct advice_rule *held[PERF_ADVICE_MAX];
	struct advised a = {.r = r, .op = op, .k = perf_op_kind(r, op)};
	struct buf text = BUF_INIT;
	bool spread = false;
	int n = 0;

	if (op->verdict == VERDICT_TOO_HIGH)
		a.lower = fidelity_lower(a.k);
	for (size_t i = 0; i < perf_rules_n && n < PERF_ADVICE_MAX; i++) {
		/* There is more than one way to use more cores: the first rule is the best. */
		if ((perf_rules[i].saving == SAVING_CORES && spread) ||
		    !rule_holds(&a, &perf_rules[i]))
			continue;
		spread |= perf_rules[i].saving == SAVING_CORES;
		items[n].kind = perf_rules[i].kind;
		held[n++] = &perf_rules[i];
	}
	savings_share(&a, items, held, n);
	for (int i = 0; i < n; i++) {
		size_t len;

		buf_reset(&text);
		words_add(&a, held[i]->words, &text);
		if (items[i].saving >= 0.05) {
			buf_adds(&text, " (saves up to ");
			add_rounded(&text, items[i].saving, items[i].saving < 10 ? 1 : 0);
			buf_adds(&text, " \xce\xbcs, ");
			buf_adds(&text, assumptions[held[i]->saving]);
			buf_addc(&text, ')');
		}
		len = text.len < sizeof(items[i].text) ? text.len : sizeof(items[i].text) - 1;
		if (text.failed)
			len = 0;
		memcpy(items[i].text, text.data, len);
		items[i].text[len] = 0;
	}
	buf_free(&text);
	return n;
}

int perf_advise(const struct perf_report *r, const struct perf_op *op,
		struct perf_advice_item items[PERF_ADVICE_MAX])
{
	const struct perf_kind *k = perf_op_kind(r, op);
	bool unknown = k->sparse && isnan(op->operations);

	if (r->options->model != PERF_MODEL_TACHO)
		return perf_advise_others(r, op, items);
	if (!perf_op_counts(op) || k->family == FAMILY_HOST || !(op->has & HAS_TIME))
		return 0;
	if (!unknown)
		return rules_advise(r, op, items);
	items[0] = (struct perf_advice_item){.kind = ADVICE_EXPERTS};
	snprintf(items[0].text, sizeof(items[0].text),
		 "Say how many experts are active with --active-experts: without it the work of a "
		 "sparse matmul is not known");
	return 1;
}
