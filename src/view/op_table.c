/* SPDX-License-Identifier: Apache-2.0 */
/* The table of ops. */
#include "view/op_table.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ an op */

static const char *color_word(enum term_color color)
{
	static const struct {
		enum term_color color;
		const char *word;
	} words[] = {{TERM_GREY, "grey"},     {TERM_RED, "red"},     {TERM_GREEN, "green"},
		     {TERM_YELLOW, "yellow"}, {TERM_BLUE, "blue"},   {TERM_MAGENTA, "magenta"},
		     {TERM_CYAN, "cyan"},     {TERM_WHITE, "white"}, {TERM_ORANGE, "orange"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].color == color)
			return words[i].word;
	return "";
}

static void colors_put(struct json *j, const struct ops *o, const struct perf_op *op)
{
	static const struct {
		const char *name;
		enum perf_part part;
	} parts[] = {{"bound", PART_BOUND},  {"code", PART_OP_CODE}, {"gap", PART_GAP},
		     {"cores", PART_CORES},  {"dram", PART_DRAM},    {"flops", PART_FLOPS},
		     {"fidelity", PART_MATH}};

	json_object(j, "color");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *word = color_word(perf_part_color(&o->report, op, parts[i].part));

		if (*word)
			json_text(j, parts[i].name, word);
	}
	json_end(j);
}

static void op_table_advice_put(struct json *j, const struct perf_report *r,
				const struct perf_op *op)
{
	struct perf_advice_item items[PERF_ADVICE_MAX];
	/* Unmeasured ops, such as those of a trace capture, are not slow. */
	int n = op->time_blank ? 0 : perf_advise(r, op, items);

	json_array(j, "advice");
	for (int i = 0; i < n; i++)
		json_text(j, NULL, items[i].text);
	json_end(j);
}

static void op_table_figure(struct json *j, const char *key, const struct perf_op *op,
			    enum perf_has bit, double value)
{
	json_double(j, key, op->has & bit ? value : NAN);
}

void op_put(struct view_call *c, const char *key, const struct ops *o, const struct perf_op *op)
{
	const struct perf_row *row = &o->in.rows.v[op->row];
	const struct perf_kind *k = perf_op_kind(&o->report, op);
	struct json *j = &c->json;
	struct buf math = BUF_INIT;
	char id[16], call[40] = "";
	uint64_t t0, t1, before;

	snprintf(id, sizeof(id), "%u", perf_row_line(op->row));
	json_object(j, key);
	json_text(j, "id", id);
	json_uint(j, "row", perf_row_line(op->row));
	if (op->type == TYPE_SIGNPOST)
		json_null(j, "number");
	else
		json_uint(j, "number", perf_op_id(op));
	if (isfinite(row->calls))
		snprintf(call, sizeof(call), "%.0f", row->calls);
	json_text(j, "op", call);
	json_bool(j, "signpost", op->type == TYPE_SIGNPOST);
	if (row->unreliable)
		json_bool(j, "unreliable", true);
	op_table_figure(j, "pct", op, HAS_TOTAL, op->total);
	json_text(j, "bound", perf_bound_name(op->bound));
	json_text(j, "code", k->label);
	json_text(j, "category", perf_category_name(perf_category_of(k, o->options.model)));
	if (row->device == PERF_NO_DEVICE)
		json_null(j, "device");
	else
		json_int(j, "device", row->device);
	op_table_figure(j, "device_time_us", op, HAS_TIME, op->time);
	op_table_figure(j, "gap_us", op, HAS_GAP, op->gap);
	op_table_figure(j, "cores", op, HAS_CORES, op->cores);
	op_table_figure(j, "dram", op, HAS_DRAM, op->dram);
	op_table_figure(j, "dram_pct", op, HAS_DRAM_PCT, op->dram_pct);
	op_table_figure(j, "flops", op, HAS_FLOPS, op->flops);
	op_table_figure(j, "flops_pct", op, HAS_FLOPS_PCT, op->flops_pct);
	perf_add_math(&math, k);
	json_string(j, "fidelity", math.data, math.len);
	buf_free(&math);
	op_table_advice_put(j, &o->report, op);
	colors_put(j, o, op);
	/* "gap_t0": where the gap before it begins on the timeline. */
	if (c->trace && ops_time(c, o, op, &t0, &t1)) {
		json_ns(c, "t0", t0);
		json_ns(c, "t1", t1);
	} else {
		json_null(&c->json, "t0");
		json_null(&c->json, "t1");
	}
	if (op->type == TYPE_DEVICE && ops_time_before(c, o, op, &before))
		json_ns(c, "gap_t0", before);
	else
		json_null(&c->json, "gap_t0");
	json_end(j);
}

/* --------------------------------------------------------------- choosing */

static const char *const sorts[] = {"row",      "pct",   "time",      "gap",  "cores", "dram",
				    "dram_pct", "flops", "flops_pct", "code", "bound", NULL};
enum sort { ROW, PCT, TIME, GAP, CORES, DRAM, DRAM_PCT, FLOPS, FLOPS_PCT, CODE, BOUND };

struct choice {
	struct ops_part part;
	int sort;
	bool down;
};

static double sort_key(const struct perf_op *op, int sort)
{
	switch (sort) {
	case PCT:
		return op->has & HAS_TOTAL ? op->total : -INFINITY;
	case TIME:
		return op->has & HAS_TIME ? op->time : -INFINITY;
	case GAP:
		return op->has & HAS_GAP ? op->gap : -INFINITY;
	case CORES:
		return op->has & HAS_CORES ? op->cores : -INFINITY;
	case DRAM:
		return op->has & HAS_DRAM ? op->dram : -INFINITY;
	case DRAM_PCT:
		return op->has & HAS_DRAM_PCT ? op->dram_pct : -INFINITY;
	case FLOPS:
		return op->has & HAS_FLOPS ? op->flops : -INFINITY;
	case FLOPS_PCT:
		return op->has & HAS_FLOPS_PCT ? op->flops_pct : -INFINITY;
	case BOUND:
		return op->bound;
	default:
		return op->row;
	}
}

static int by_choice(const void *a, const void *b, void *context)
{
	const struct choice *ch = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct perf_report *all = &ch->part.report;
	const struct perf_op *x = &all->ops.v[i], *y = &all->ops.v[k];
	int r;

	if (ch->sort == CODE) {
		r = strcmp(perf_op_kind(all, x)->label, perf_op_kind(all, y)->label);
	} else {
		double p = sort_key(x, ch->sort), q = sort_key(y, ch->sort);

		if (isnan(p) || isnan(q)) /* at the end, whatever the direction */
			return isnan(p) && isnan(q) ? (i > k) - (i < k) : isnan(p) ? 1 : -1;
		r = (p > q) - (p < q);
	}
	if (r == 0)
		return (i > k) - (i < k);
	return ch->down ? -r : r;
}

/* ------------------------------------------------------------------- list */

static void footer_put(struct json *j, const struct perf_report *r)
{
	json_object(j, "footer");
	json_uint(j, "device_ops", r->device_ops);
	json_uint(j, "host_ops", r->host_ops);
	json_uint(j, "signposts", r->signposts);
	json_double(j, "device_time_us", r->time_sum);
	json_double(j, "gap_us", r->gap_sum);
	json_double(j, "busy_us", r->busy);
	json_text(j, "arch", r->arch_name);
	json_int(j, "workers", r->workers);
	json_end(j);
}

/* Where a selection can begin and end: the signposts of all ops. */
static void posts_put(struct json *j, const struct perf_report *all)
{
	uint32_t n = 0;

	json_array(j, "signposts");
	for (size_t i = 0; i < all->ops.n && n < VIEW_ROWS; i++) {
		const struct perf_op *op = &all->ops.v[i];

		if (op->type != TYPE_SIGNPOST)
			continue;
		n++;
		json_array(j, NULL);
		json_uint(j, NULL, perf_op_id(op));
		json_text(j, NULL, perf_op_kind(all, op)->label);
		json_end(j);
	}
	json_end(j);
}

int ops_summary_put(struct view_call *c, const struct perf_report *r)
{
	struct json *j = &c->json;
	struct perf_summary s;

	if (perf_summary_make(&s, r) < 0)
		return TACHO_ENOMEM;
	json_double(j, "total_us", s.total);
	json_array(j, "top_ops");
	for (int i = 0; i < s.top_n; i++) {
		const struct perf_op *op = &r->ops.v[s.top[i].longest];

		json_object(j, NULL);
		json_text(j, "code", r->in->kinds.v[s.top[i].kind].label);
		json_uint(j, "longest", perf_row_line(r->ops.v[s.top[i].longest].row));
		json_uint(j, "ops", s.top[i].ops);
		json_double(j, "time_us", s.top[i].time);
		json_double(j, "pct", r->time_sum > 0 ? 100 * s.top[i].time / r->time_sum : 0);
		/* Why it takes so long: its share of the peaks, and what to do. */
		json_text(j, "bound", perf_bound_name(op->bound));
		op_table_figure(j, "dram_pct", op, HAS_DRAM_PCT, op->dram_pct);
		op_table_figure(j, "flops_pct", op, HAS_FLOPS_PCT, op->flops_pct);
		op_table_figure(j, "cores", op, HAS_CORES, op->cores);
		op_table_advice_put(j, r, op);
		json_end(j);
	}
	json_end(j);
	json_array(j, "longest_gaps");
	for (int i = 0; i < s.gaps_n; i++) {
		json_object(j, NULL);
		json_uint(j, "row", perf_row_line(r->ops.v[s.gaps[i]].row));
		json_text(j, "code", perf_op_kind(r, &r->ops.v[s.gaps[i]])->label);
		json_double(j, "gap_us", r->ops.v[s.gaps[i]].gap);
		json_end(j);
	}
	json_end(j);
	json_array(j, "bound_mix");
	for (int i = 0; i < BOUND_COUNT; i++) {
		if (!s.bound[i].ops)
			continue;
		json_object(j, NULL);
		json_text(j, "bound", i ? perf_bound_name((enum perf_bound)i) : "none");
		json_uint(j, "ops", s.bound[i].ops);
		json_double(j, "time_us", s.bound[i].time);
		json_double(j, "pct", r->time_sum > 0 ? 100 * s.bound[i].time / r->time_sum : 0);
		json_end(j);
	}
	json_end(j);
	json_array(j, "savings");
	for (int i = 0; i < ADVICE_KINDS; i++) {
		if (!s.saving[i].ops)
			continue;
		json_object(j, NULL);
		json_text(j, "text", perf_advice_title((enum perf_advice_kind)i));
		json_uint(j, "ops", s.saving[i].ops);
		json_double(j, "saves_us", s.saving[i].time);
		json_end(j);
	}
	json_end(j);
	return 0;
}

/* "found": the place in the list of the op that "find" asks for. */
static int found_put(struct view_call *c, const struct perf_report *r, const uint32_t *list,
		     size_t n)
{
	uint64_t id;
	int asked = arg_uint(c, "find", UINT32_MAX, &id);

	if (asked <= 0)
		return asked;
	for (size_t i = 0; i < n; i++)
		if (perf_row_line(r->ops.v[list[i]].row) == id) {
			json_uint(&c->json, "found", i);
			return 0;
		}
	json_null(&c->json, "found");
	return 0;
}

static int op_table_list_put(struct view_call *c, struct choice *ch, const struct page *page)
{
	const struct perf_report *r = &ch->part.report;
	uint32_t *list = malloc((r->ops.n + 1) * sizeof(*list));
	size_t n = 0;
	int e;

	if (!list)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < r->ops.n; i++) {
		const char *label = perf_op_kind(r, &r->ops.v[i])->label;

		if (words_take(&ch->part.words, label, strlen(label)))
			list[n++] = (uint32_t)i;
	}
	qsort_r(list, n, sizeof(*list), by_choice, ch);
	call_begin(c);
	json_uint(&c->json, "total", n);
	e = found_put(c, r, list, n);
	if (e < 0) {
		free(list);
		return e;
	}
	json_array(&c->json, "columns");
	for (size_t i = 0; sorts[i]; i++)
		json_text(&c->json, NULL, sorts[i]);
	json_end(&c->json);
	json_array(&c->json, "rows");
	for (uint64_t i = page->offset; i < n && i - page->offset < page->limit; i++)
		op_put(c, NULL, ch->part.ops, &r->ops.v[list[i]]);
	json_end(&c->json);
	free(list);
	posts_put(&c->json, &ch->part.ops->report);
	footer_put(&c->json, r);
	json_object(&c->json, "summary");
	e = ops_summary_put(c, r);
	json_end(&c->json);
	json_end(&c->json);
	return e;
}

/* The stacked table: ops of one name, memory or category together. */
static int op_table_groups_put(struct view_call *c, const struct choice *ch, enum perf_group group)
{
	struct perf_notes notes = {0};
	struct perf_stacked stacked = {0};
	struct json *j = &c->json;
	uint64_t total = 0;
	int r = perf_stacked_make(&stacked, &ch->part.report, group, &notes);

	call_begin(c);
	json_array(j, "rows");
	for (size_t i = 0; r == 0 && i < stacked.n && total < VIEW_ROWS; i++) {
		const struct perf_stack *s = &stacked.v[i];

		if (!words_take(&ch->part.words, s->key, strlen(s->key)))
			continue;
		total++;
		json_object(j, NULL);
		json_text(j, "code", s->key);
		if (s->device == PERF_NO_DEVICE)
			json_null(j, "device");
		else
			json_int(j, "device", s->device);
		json_text(j, "category", perf_category_name(s->category));
		json_double(j, "pct", s->share);
		json_double(j, "device_time_us", s->time);
		json_uint(j, "count", s->count);
		json_double(j, "flops_pct_min", s->flops_min);
		json_double(j, "flops_pct_max", s->flops_max);
		json_double(j, "flops_pct_mean", s->flops_mean);
		json_double(j, "flops_pct_std", s->flops_std);
		json_double(j, "flops_pct_weighted", s->flops_weighted);
		json_text(j, "color", color_word(perf_op_color(s->key)));
		json_end(j);
	}
	json_end(j);
	json_uint(j, "total", total);
	footer_put(j, &ch->part.report);
	json_end(j);
	perf_stacked_free(&stacked);
	perf_notes_free(&notes);
	return r;
}

#define DEVICES 256u

/* The ops of each device; ops merged over several devices count for the first. */
static void op_table_devices_put(struct view_call *c, const struct choice *ch)
{
	const struct perf_report *r = &ch->part.report;
	struct device_sum {
		int32_t device;
		uint64_t ops;
		double time;
	} sums[DEVICES];
	struct json *j = &c->json;
	size_t n = 0;

	for (size_t i = 0; i < r->ops.n; i++) {
		int32_t device = r->in->rows.v[r->ops.v[i].row].device;
		size_t k = 0;

		while (k < n && sums[k].device != device)
			k++;
		if (device == PERF_NO_DEVICE || k == DEVICES)
			continue;
		if (k == n)
			sums[n++] = (struct device_sum){.device = device};
		sums[k].ops++;
		if (r->ops.v[i].has & HAS_TIME && isfinite(r->ops.v[i].time))
			sums[k].time += r->ops.v[i].time;
	}
	call_begin(c);
	json_array(j, "rows");
	for (size_t i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "Device %d", sums[i].device);
		json_object(j, NULL);
		json_text(j, "code", name);
		json_int(j, "device", sums[i].device);
		json_double(j, "pct", r->time_sum > 0 ? 100 * sums[i].time / r->time_sum : 0);
		json_double(j, "device_time_us", sums[i].time);
		json_uint(j, "count", sums[i].ops);
		json_end(j);
	}
	json_end(j);
	json_uint(j, "total", n);
	footer_put(j, r);
	json_end(j);
}

int call_ops(struct view_call *c)
{
	static const char *const groups[] = {"none", "op", "memory", "category", "device", NULL};
	struct choice choice = {0};
	struct page page;
	int group = 0, r = arg_choice(c, "sort", sorts, &choice.sort);

	if (r >= 0)
		r = arg_bool(c, "desc", &choice.down);
	if (r >= 0)
		r = arg_page(c, &page);
	if (r >= 0)
		r = arg_choice(c, "group", groups, &group);
	if (r >= 0)
		r = ops_part_take(c, &choice.part);
	if (r == TACHO_ENO) {
		/* A trace without ops has an empty list of them. */
		call_reset(c);
		call_begin(c);
		json_uint(&c->json, "total", 0);
		json_array(&c->json, "rows");
		json_end(&c->json);
		json_end(&c->json);
		return 0;
	}
	if (r < 0)
		return r;
	if (group == 4)
		op_table_devices_put(c, &choice);
	else if (group)
		r = op_table_groups_put(c, &choice, (enum perf_group)(group - 1));
	else
		r = op_table_list_put(c, &choice, &page);
	ops_part_put(c, &choice.part);
	return r;
}
