/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the report as one page that needs no network: page/report.html with the figures embedded
 * as JSON. The page is part of the program.
 */
#include "base/json.h"
#include "perf/advice.h"
#include "perf/gaps.h"
#include "perf/output.h"
#include "perf/summary.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#define HTML_OPS  20000 /* those with the most time; more would make the page slow */
#define DATA_MARK "@DATA@"

__asm__(".section .rodata\n"
	"perf_page:\n"
	".incbin \"" PERF_PAGE "\"\n"
	"perf_page_end:\n"
	".byte 0\n"
	".previous\n");
extern const char perf_page[], perf_page_end[];

/* Repeated texts are written once and referred to by number. */
struct texts {
	struct {
		VEC(char *);
	} list;
	uint32_t *slots; /* number + 1, by hash; a power of two, at most half full */
	size_t cap;
};

struct page {
	const struct perf_report *r;
	struct texts texts;
	struct perf_categories categories;
	struct json j;
	struct buf out;
	bool failed;
};

static int texts_grow(struct texts *t)
{
	size_t cap = t->cap ? t->cap * 2 : 256;
	uint32_t *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < t->list.n; i++) {
		size_t at = XXH3_64bits(t->list.v[i], strlen(t->list.v[i])) & (cap - 1);

		while (slots[at])
			at = (at + 1) & (cap - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	return 0;
}

static int64_t text_number(struct page *p, const char *text)
{
	struct texts *t = &p->texts;
	size_t at;
	char *copy;

	if (t->list.n * 2 >= t->cap && texts_grow(t) < 0) {
		p->failed = true;
		return 0;
	}
	at = XXH3_64bits(text, strlen(text)) & (t->cap - 1);
	for (; t->slots[at]; at = (at + 1) & (t->cap - 1))
		if (!strcmp(t->list.v[t->slots[at] - 1], text))
			return t->slots[at] - 1;
	copy = strdup(text);
	if (!copy || vec_push(&t->list, copy) < 0) {
		free(copy);
		p->failed = true;
		return 0;
	}
	t->slots[at] = (uint32_t)t->list.n;
	return (int64_t)t->list.n - 1;
}

static void figure_put(struct json *j, bool has, double value)
{
	if (has && isfinite(value))
		json_double(j, NULL, value);
	else
		json_null(j, NULL);
}

static void htmlout_causes_put(struct page *p, const struct perf_op *op)
{
	const struct perf_gap *gap = perf_gap_of(p->r->gaps, op);
	struct buf text = BUF_INIT;

	if (gap)
		perf_gap_text(gap->part, gap->all, &text);
	if (gap && !text.failed)
		json_string(&p->j, NULL, text.data, text.len);
	else
		json_null(&p->j, NULL);
	buf_free(&text);
}

/* The order of op_put(). */
static const char *const op_columns[] = {
	"id",       "line",  "label",    "bound",        "device",     "time",
	"gap",      "cores", "dram_gbs", "dram_percent", "tflops",     "flops_percent",
	"category", "run",   "counts",   "total",        "operations", "bytes",
	"math",     "limit", "advice",   "causes",
};

static void htmlout_op_put(struct page *p, const struct perf_op *op)
{
	const struct perf_row *row = &p->r->in->rows.v[op->row];
	const struct perf_kind *k = perf_op_kind(p->r, op);
	struct json *j = &p->j;
	struct buf math = BUF_INIT;
	struct perf_advice_item items[PERF_ADVICE_MAX];
	int n;

	json_array(j, NULL);
	json_int(j, NULL, perf_op_id(op));
	json_int(j, NULL, perf_row_line(op->row));
	json_int(j, NULL, text_number(p, k->label));
	json_text(j, NULL, perf_bound_name(op->bound));
	if (row->device != PERF_NO_DEVICE)
		json_int(j, NULL, row->device);
	else
		json_null(j, NULL);
	figure_put(j, op->has & HAS_TIME, op->time);
	figure_put(j, op->has & HAS_GAP, op->gap);
	figure_put(j, op->has & HAS_CORES, op->cores);
	figure_put(j, op->has & HAS_DRAM, op->dram);
	figure_put(j, op->has & HAS_DRAM_PCT, op->dram_pct);
	figure_put(j, op->has & HAS_FLOPS, op->flops);
	figure_put(j, op->has & HAS_FLOPS_PCT, op->flops_pct);
	json_text(j, NULL, perf_categories_name(&p->categories, op));
	json_text(j, NULL, perf_run_name((enum perf_run)op->run));
	json_bool(j, NULL, perf_op_counts(op));
	figure_put(j, op->has & HAS_TOTAL, op->total);
	figure_put(j, op->has & HAS_FLOPS, op->operations);
	figure_put(j, op->has & HAS_DRAM, op->bytes);
	perf_add_math(&math, k);
	json_int(j, NULL, text_number(p, math.failed || !math.data ? "" : math.data));
	json_text(j, NULL, perf_limit_name(perf_limit_of(&row->on_device)));
	n = perf_advise(p->r, op, items);
	json_array(&p->j, NULL);
	for (int i = 0; i < n; i++)
		json_int(&p->j, NULL, text_number(p, items[i].text));
	json_end(&p->j);
	htmlout_causes_put(p, op);
	json_end(j);
	buf_free(&math);
}

/* The ops with the most time, in their order. */
static int ops_choose(const struct perf_report *r, struct perf_view *view)
{
	size_t n = 0;
	bool *chosen = calloc(r->ops.n + 1, sizeof(*chosen));
	int code = chosen ? perf_view_make(view, r, HTML_OPS) : TACHO_ENOMEM;

	for (size_t i = 0; code == 0 && i < view->n; i++)
		chosen[view->v[i]] = r->ops.v[view->v[i]].type != TYPE_SIGNPOST;
	for (size_t i = 0; code == 0 && i < r->ops.n; i++)
		if (chosen[i])
			view->v[n++] = (uint32_t)i;
	view->n = n;
	free(chosen);
	return code;
}

/* The highest peak of any op of the report. */
static enum arch_fidelity best_fidelity(const struct perf_report *r)
{
	enum arch_fidelity best = FIDELITY_NONE;

	for (size_t i = 0; i < r->ops.n; i++) {
		enum arch_fidelity f = perf_op_kind(r, &r->ops.v[i])->fidelity;

		if (r->ops.v[i].has & HAS_FLOPS_PCT && r->arch->tflops[f] > r->arch->tflops[best])
			best = f;
	}
	return best;
}

static void head_put(struct page *p, const struct perf_notes *notes)
{
	const struct perf_report *r = p->r;
	struct json *j = &p->j;

	json_text(j, "model", perf_model_name(r->options->model));
	json_text(j, "architecture", r->arch_name);
	json_int(j, "workers", r->workers);
	if (r->region.name) {
		json_object(j, "region");
		json_text(j, "from", r->region.name);
		json_text(j, "to", r->region.end_name);
		json_end(j);
	}
	json_array(j, "notes");
	for (size_t i = 0; i < notes->n; i++)
		json_text(j, NULL, notes->v[i].text);
	json_end(j);
	json_int(j, "device_ops", (int64_t)r->device_ops);
	json_double(j, "time", r->time_sum);
	json_double(j, "gap", r->gap_sum);
	if (r->arch) {
		enum arch_fidelity f = best_fidelity(r);

		json_double(j, "dram_gbs", r->arch->dram_gbs);
		json_double(j, "peak", r->arch->tflops[f] * r->workers);
		json_text(j, "peak_fidelity", arch_fidelity_name(f));
	}
}

static void summary_put(struct page *p, const struct perf_summary *s)
{
	const struct perf_report *r = p->r;
	struct json *j = &p->j;

	json_double(j, "mfu", perf_summary_mfu(s, s->total));
	json_double(j, "mfu_busy", perf_summary_mfu(s, r->time_sum));
	json_double(j, "dram", perf_summary_dram(s, r, s->total));
	json_double(j, "dram_busy", perf_summary_dram(s, r, r->time_sum));
	json_array(j, "bounds");
	for (int i = 0; i < BOUND_COUNT; i++) {
		json_object(j, NULL);
		json_text(j, "name", i ? perf_bound_name((enum perf_bound)i) : "none");
		json_int(j, "ops", (int64_t)s->bound[i].ops);
		json_double(j, "us", s->bound[i].time);
		json_end(j);
	}
	json_end(j);
	json_array(j, "savings");
	for (int i = 0; i < ADVICE_KINDS; i++) {
		if (s->saving[i].time < 0.05)
			continue;
		json_object(j, NULL);
		json_text(j, "what", perf_advice_title((enum perf_advice_kind)i));
		json_int(j, "ops", (int64_t)s->saving[i].ops);
		json_double(j, "us", s->saving[i].time);
		json_end(j);
	}
	json_end(j);
}

static void gaps_put(struct page *p)
{
	const struct perf_gaps *g = p->r->gaps;

	if (!g || g->all <= 0)
		return;
	json_double(&p->j, "causes_us", g->all);
	json_array(&p->j, "causes");
	for (int c = 0; c < CAUSES; c++) {
		json_array(&p->j, NULL);
		json_text(&p->j, NULL, perf_cause_name((enum perf_cause)c));
		json_double(&p->j, NULL, g->part[c]);
		json_end(&p->j);
	}
	json_end(&p->j);
}

static int data_make(struct page *p, const struct perf_stacked *stacked,
		     const struct perf_notes *notes)
{
	struct perf_summary summary;
	struct perf_view view = {0};
	struct json *j = &p->j;
	size_t listed = 0;

	if (perf_summary_make(&summary, p->r) < 0 || ops_choose(p->r, &view) < 0) {
		vec_free(&view);
		return TACHO_ENOMEM;
	}
	for (size_t i = 0; i < p->r->ops.n; i++)
		listed += p->r->ops.v[i].type != TYPE_SIGNPOST;
	json_init(j, &p->out);
	json_object(j, NULL);
	head_put(p, notes);
	json_int(j, "left_out", (int64_t)(listed - view.n));
	summary_put(p, &summary);
	json_array(&p->j, "stacked");
	for (size_t i = 0; stacked && i < stacked->n; i++) {
		json_object(&p->j, NULL);
		json_text(&p->j, "key", stacked->v[i].key);
		json_text(&p->j, "category", perf_category_name(stacked->v[i].category));
		json_double(&p->j, "us", stacked->v[i].time);
		json_int(&p->j, "ops", (int64_t)stacked->v[i].count);
		json_end(&p->j);
	}
	json_end(&p->j);
	gaps_put(p);
	json_array(j, "columns");
	for (size_t i = 0; i < sizeof(op_columns) / sizeof(op_columns[0]); i++)
		json_text(j, NULL, op_columns[i]);
	json_end(j);
	json_array(j, "ops");
	for (size_t i = 0; i < view.n; i++)
		htmlout_op_put(p, &p->r->ops.v[view.v[i]]);
	json_end(j);
	json_array(j, "labels");
	for (size_t i = 0; i < p->texts.list.n; i++)
		json_text(j, NULL, p->texts.list.v[i]);
	json_end(j);
	json_end(j);
	vec_free(&view);
	return p->failed || p->out.failed ? TACHO_ENOMEM : 0;
}

/* A '<' could end the element around the data; only strings contain one. */
static int data_write(const struct buf *data, FILE *file)
{
	const char *from = data->data, *end = data->data + data->len, *at;

	while ((at = memchr(from, '<', (size_t)(end - from)))) {
		if (fwrite(from, 1, (size_t)(at - from), file) != (size_t)(at - from) ||
		    fputs("\\u003c", file) < 0)
			return TACHO_EWRITE;
		from = at + 1;
	}
	return fwrite(from, 1, (size_t)(end - from), file) == (size_t)(end - from) ? 0
										   : TACHO_EWRITE;
}

int perf_html_write(const struct perf_report *r, const struct perf_stacked *stacked,
		    const struct perf_notes *notes, FILE *file)
{
	struct page p = {.r = r, .out = BUF_INIT};
	const char *mark = strstr(perf_page, DATA_MARK);
	size_t before = (size_t)(mark - perf_page),
	       after = (size_t)(perf_page_end - mark) - strlen(DATA_MARK);
	int code = perf_categories_make(&p.categories, r);

	if (code == 0)
		code = data_make(&p, stacked, notes);
	if (code == 0 && fwrite(perf_page, 1, before, file) != before)
		code = TACHO_EWRITE;
	if (code == 0)
		code = data_write(&p.out, file);
	if (code == 0 && fwrite(mark + strlen(DATA_MARK), 1, after, file) != after)
		code = TACHO_EWRITE;
	for (size_t i = 0; i < p.texts.list.n; i++)
		free(p.texts.list.v[i]);
	vec_free(&p.texts.list);
	free(p.texts.slots);
	perf_categories_free(&p.categories);
	buf_free(&p.out);
	return code;
}
