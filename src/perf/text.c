/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the report as text: the summary on one screen, the table, the advice, the stacked table.
 */
#include "base/fmt.h"
#include "base/order.h"
#include "perf/advice.h"
#include "perf/output.h"
#include "perf/summary.h"

#include <string.h>

#define SHOWN_GAPS    20 /* the longest */
#define SHOWN_SORTS   40 /* of matmuls */
#define SHOWN_ADVISED 15 /* of ops, in our own model */

struct writer {
	const struct perf_report *r;
	const struct perf_table *table;
	const struct perf_text_options *o;
	FILE *file;
	struct buf out;
	int code;
};

int perf_flush(struct buf *out, FILE *file)
{
	if (out->failed)
		return TACHO_ENOMEM;
	if (out->len && fwrite(out->data, 1, out->len, file) != out->len)
		return TACHO_EWRITE;
	buf_reset(out);
	return 0;
}

static void flush_some(struct writer *w)
{
	if (w->out.len >= PERF_FLUSH && w->code == 0)
		w->code = perf_flush(&w->out, w->file);
}

static void add_banner(struct buf *out, const char *emoji, const char *title)
{
	buf_addf(out, "\n%s %s %s\n", emoji, title, emoji);
	for (size_t i = strlen(title) + 6; i; i--) /* an emoji is two columns wide */
		buf_addc(out, '=');
	buf_adds(out, "\n\n");
}

static void add_heading(struct buf *out, const char *title)
{
	buf_addf(out, "%s\n", title);
	for (size_t i = strlen(title); i; i--)
		buf_addc(out, '-');
	buf_addc(out, '\n');
}

/* One line for all ops that the table does not show. */
static void write_hidden(struct writer *w)
{
	const struct perf_hidden *h = w->o->hidden;

	if (!h || !(h->small || h->unmeasured))
		return;
	buf_adds(&w->out, "Hidden:");
	if (h->small)
		buf_addf(&w->out, " %llu op%s below %g %% (%.1f %% of all time)",
			 (unsigned long long)h->small, h->small > 1 ? "s" : "",
			 w->r->options->min_percentage, h->share);
	if (h->unmeasured)
		buf_addf(&w->out, "%s %llu that do%s not count", h->small ? "," : "",
			 (unsigned long long)h->unmeasured, h->unmeasured > 1 ? "" : "es");
	buf_adds(&w->out, "; --min-percentage=0 shows all\n");
}

static void write_host(struct writer *w, const struct perf_view *view)
{
	uint64_t n = 0;

	for (size_t i = 0; i < view->n; i++) {
		const struct perf_op *op = &w->r->ops.v[view->v[i]];

		if (op->bound != BOUND_HOST)
			continue;
		if (n++ == 0)
			add_heading(&w->out, "Fallback to the host");
		if (n <= SHOWN_GAPS)
			perf_table_row(w->table, op, &w->out);
	}
	if (n > SHOWN_GAPS)
		buf_addf(&w->out, "and %llu more\n", (unsigned long long)(n - SHOWN_GAPS));
	if (n)
		buf_adds(
			&w->out,
			"\nThese ran on the CPU: the tensors travel there and back, and the device "
			"waits meanwhile.\nTry an op of the device instead, or keep the work of the "
			"CPU out of the part that is repeated.\n\n");
}

static int text_gaps_compare(const void *a, const void *b, void *arg)
{
	const struct perf_report *r = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (r->ops.v[i].gap != r->ops.v[k].gap)
		return r->ops.v[i].gap > r->ops.v[k].gap ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* The common part of the long gaps, and their possible saving. */
struct gap_sums {
	struct perf_view long_ones;
	struct perf_sum saving, compile_saving;
	size_t replays, compiles;
};

static int gaps_gather(struct gap_sums *g, const struct perf_report *r,
		       const struct perf_view *view)
{
	for (size_t i = 0; i < view->n; i++) {
		const struct perf_op *op = &r->ops.v[view->v[i]];
		bool compile = perf_gap_compile(r, op);

		if (op->run == RUN_WARM_UP || !perf_gap_long(op))
			continue;
		if (vec_push(&g->long_ones, view->v[i]) < 0)
			return TACHO_ENOMEM;
		g->replays += r->in->rows.v[op->row].replay;
		g->compiles += compile;
		perf_sum_add(compile ? &g->compile_saving : &g->saving, perf_gap_saving(r, op));
	}
	return 0;
}

static void gaps_explain(struct writer *w, const struct gap_sums *g)
{
	double all = w->r->time_sum + w->r->gap_sum, saved = perf_sum_get(&g->saving);
	char text[FMT_FIXED_SIZE];

	buf_addf(&w->out, "\nBefore each of these the device waited more than %g " MICRO ".\n",
		 PERF_GAP_AT);
	if (g->replays)
		buf_addf(&w->out,
			 "%zu of them %s of a replayed trace: the wait is inside the trace, or for "
			 "the host to start it.\n",
			 g->replays, g->replays > 1 ? "are" : "is");
	if (g->compiles) {
		fmt_fixed(text, perf_sum_get(&g->compile_saving), 0);
		buf_addf(
			&w->out,
			"%zu of them, %s " MICRO
			", %s for more than an op to be sent: kernels were "
			"compiled, a result was read back, or the program did something else. Run "
			"everything once before the part that is measured; 'tacho perf-report' on a "
			"trace says what the host did.\n",
			g->compiles, text, g->compiles > 1 ? "were" : "was");
	}
	fmt_fixed(text, saved, 0);
	if (g->replays + g->compiles < g->long_ones.n)
		buf_addf(
			&w->out,
			"%s the host has to send the op: record the ops as a trace and replay "
			"it, for up to %s " MICRO " less (%.1f %% of all time).\n"
			"Or let the host run ahead: no reading back between ops, and arguments that "
			"do not change fixed when kernels are compiled.\n",
			g->compiles ? "For the others" : "Mostly", text,
			all > 0 ? saved / all * 100 : 0);
	buf_addc(&w->out, '\n');
}

static void write_gaps(struct writer *w, const struct perf_view *view)
{
	struct gap_sums g = {0};

	if (gaps_gather(&g, w->r, view) < 0)
		w->code = TACHO_ENOMEM;
	if (g.long_ones.n && w->code == 0) {
		size_t n = g.long_ones.n;

		qsort_r(g.long_ones.v, n, sizeof(*g.long_ones.v), text_gaps_compare, (void *)w->r);
		add_heading(&w->out, "Long gaps between ops");
		for (size_t i = 0; i < n && i < SHOWN_GAPS; i++)
			perf_table_row(w->table, &w->r->ops.v[g.long_ones.v[i]], &w->out);
		if (n > SHOWN_GAPS)
			buf_addf(&w->out, "and %zu more, all shorter\n", n - SHOWN_GAPS);
		gaps_explain(w, &g);
	}
	vec_free(&g.long_ones);
}

/* Matmuls of one kind and one bound, which get the same advice. */
struct sort {
	uint32_t kind, longest;
	uint8_t bound;
	uint64_t n;
	double time;
};

struct sorts {
	VEC(struct sort);
	uint32_t *by_kind; /* (index + 1) of each kind and bound */
};

ORDER_BY(compare_sorts, struct sort, ORDER_DOWN(time) ?: ORDER_UP(longest));

/* Our own model has advice for all kinds of ops. */
static bool sort_wanted(const struct perf_report *r, const struct perf_op *op)
{
	if (op->type == TYPE_SIGNPOST || op->run == RUN_WARM_UP ||
	    (op->time_blank && !(op->has & HAS_TIME)))
		return false;
	return r->options->model == PERF_MODEL_TACHO ? perf_op_counts(op) && op->has & HAS_TIME
						     : perf_op_kind(r, op)->family == FAMILY_MATMUL;
}

/* Our own model lists the ops that have advice: the longest decides. */
static void sorts_advised(struct sorts *sorts, const struct perf_report *r)
{
	struct perf_advice_item items[PERF_ADVICE_MAX];
	size_t n = 0;

	for (size_t i = 0; i < sorts->n; i++)
		if (perf_advise(r, &r->ops.v[sorts->v[i].longest], items) > 0)
			sorts->v[n++] = sorts->v[i];
	sorts->n = n;
}

static int gather_sorts(struct sorts *sorts, const struct perf_report *r,
			const struct perf_view *view)
{
	sorts->by_kind = calloc(r->in->kinds.n * BOUND_COUNT + 1, sizeof(*sorts->by_kind));
	if (!sorts->by_kind)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < view->n; i++) {
		const struct perf_op *op = &r->ops.v[view->v[i]];
		uint32_t *at = &sorts->by_kind[(size_t)op->kind * BOUND_COUNT + op->bound];
		struct sort *s;

		if (!sort_wanted(r, op))
			continue;
		if (!*at) {
			if (vec_push(sorts, ((struct sort){.kind = op->kind,
							   .longest = view->v[i],
							   .bound = op->bound})) < 0)
				return TACHO_ENOMEM;
			*at = (uint32_t)sorts->n;
		}
		s = &sorts->v[*at - 1];
		s->n += op->time > 0; /* not if it was only captured */
		s->time += op->time;
		if (op->time > r->ops.v[s->longest].time)
			s->longest = view->v[i];
	}
	if (sorts->n)
		qsort(sorts->v, sorts->n, sizeof(*sorts->v), compare_sorts);
	if (r->options->model == PERF_MODEL_TACHO)
		sorts_advised(sorts, r);
	return 0;
}

static void write_sort(struct writer *w, const struct sort *s)
{
	const struct perf_op *op = &w->r->ops.v[s->longest];
	struct perf_advice_item items[PERF_ADVICE_MAX];
	enum term_color color = !w->o->style.color ? TERM_NONE : op->dim ? TERM_GREY : TERM_WHITE;
	int n = perf_advise(w->r, op, items);
	char text[FMT_FIXED_SIZE];

	perf_table_row(w->table, op, &w->out);
	if (s->n > 1) {
		fmt_fixed(text, s->time, 0);
		buf_addf(&w->out, "  the longest of %llu like it, %s " MICRO " in all\n",
			 (unsigned long long)s->n, text);
	}
	for (int i = 0; i < n; i++) {
		buf_adds(&w->out, "- ");
		term_add(&w->out, color, items[i].text, strlen(items[i].text));
		buf_addc(&w->out, '\n');
	}
	if (n == 0 && op->bound == BOUND_NONE)
		buf_adds(&w->out,
			 "- No bound known: nothing of it is in DRAM, or a figure is missing\n");
	else if (n == 0)
		buf_adds(&w->out, "\xe2\x9c\x85 Nothing to improve\n");
	buf_addc(&w->out, '\n');
	flush_some(w);
}

static size_t sorts_shown(const struct perf_report *r)
{
	return r->options->model == PERF_MODEL_TACHO ? SHOWN_ADVISED : SHOWN_SORTS;
}

static void write_sorts(struct writer *w, const struct sorts *sorts)
{
	bool ours = w->r->options->model == PERF_MODEL_TACHO;
	size_t shown = sorts_shown(w->r);

	if (sorts->n)
		add_heading(&w->out, ours ? "Ops, those with the most time first"
					  : "Matrix multiplications");
	for (size_t i = 0; i < sorts->n && i < shown; i++)
		write_sort(w, &sorts->v[i]);
	if (sorts->n > shown)
		buf_addf(&w->out,
			 "and %zu more sorts of them, all with less time; --csv has the advice for "
			 "every op\n\n",
			 sorts->n - shown);
}

/* What the advice is about: also of ops that are too small for the table, but many. */
struct advised {
	struct perf_view ops;
	struct sorts sorts;
	struct perf_view rows; /* of the table and of the advice */
};

static int advised_make(struct advised *a, const struct perf_report *r,
			const struct perf_view *view, const struct perf_text_options *o)
{
	bool all = o->hidden && o->hidden->small;

	if (all && perf_view_make(&a->ops, r, 0) < 0)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < view->n; i++)
		if ((!all && vec_push(&a->ops, view->v[i]) < 0) ||
		    vec_push(&a->rows, view->v[i]) < 0)
			return TACHO_ENOMEM;
	if (o->no_advice)
		return 0;
	if (gather_sorts(&a->sorts, r, &a->ops) < 0)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < a->sorts.n && i < sorts_shown(r); i++)
		if (vec_push(&a->rows, a->sorts.v[i].longest) < 0)
			return TACHO_ENOMEM;
	return 0;
}

static void advised_free(struct advised *a)
{
	vec_free(&a->ops);
	vec_free(&a->rows);
	free(a->sorts.by_kind);
	vec_free(&a->sorts);
}

/* Programs that read the text search for these two lines: do not change them. */
static void text_announce(struct writer *w, const char *what, const char *ending)
{
	struct buf line = BUF_INIT;

	buf_addf(&line, "%s %s.%s", what, w->o->stacked_base, ending);
	term_add(&w->out, w->o->style.color ? TERM_CYAN : TERM_NONE, line.data, line.len);
	buf_addc(&w->out, '\n');
	buf_free(&line);
}

static void text_stacked_write(struct writer *w, const struct perf_stacked *stacked)
{
	if (stacked->n == 0) {
		buf_adds(&w->out, "\nNothing to stack: no op is left.\n");
		return;
	}
	add_banner(&w->out, "\xf0\x9f\x93\x8a", "Stacked report");
	perf_stacked_text(stacked, w->o->style, &w->out);
	if (!w->o->stacked_base)
		return;
	text_announce(w, "Writing CSV stacked report to", "csv");
	text_announce(w, "Plotting PNG stacked report to", "png");
	buf_addf(&w->out, "\nThe picture is in %s.svg too.\n", w->o->stacked_base);
}

static void text_summary_write(struct writer *w)
{
	struct perf_summary summary;

	if (perf_summary_make(&summary, w->r) < 0) {
		w->code = TACHO_ENOMEM;
		return;
	}
	add_banner(&w->out, "\xf0\x9f\x93\x8b", "Summary");
	w->out.len -= 2; /* each part begins with its own empty line */
	buf_addc(&w->out, '\n');
	perf_summary_text(&summary, w->r, w->o->style, &w->out);
}

static bool text_any_op(const struct perf_input *in)
{
	for (size_t i = 0; i < in->rows.n; i++)
		if (in->rows.v[i].type != TYPE_SIGNPOST && in->rows.v[i].type != TYPE_NOTHING)
			return true;
	return false;
}

int perf_text_write(const struct perf_report *r, const struct perf_view *view,
		    const struct perf_stacked *stacked, const struct perf_text_options *o,
		    FILE *file)
{
	struct writer w = {.r = r, .o = o, .file = file, .out = BUF_INIT};
	struct advised advised = {0};
	struct perf_table *table;
	bool ours = r->options->model == PERF_MODEL_TACHO;

	if (view->n == 0) {
		buf_adds(&w.out, ours && !text_any_op(r->in)
					 ? "No ops to show: the file has none.\n"
					 : "No ops to show: the filters exclude all.\n");
		w.code = perf_flush(&w.out, file);
		buf_free(&w.out);
		return w.code;
	}
	w.code = advised_make(&advised, r, view, o);
	w.table = table = w.code ? NULL : perf_table_new(r, &advised.rows, o->style);
	if (!table) {
		advised_free(&advised);
		return TACHO_ENOMEM;
	}
	if (ours && !o->no_summary)
		text_summary_write(&w);
	add_banner(&w.out, "\xf0\x9f\x9a\x80", "Performance Report");
	perf_table_header(w.table, &w.out);
	perf_table_rule(w.table, &w.out);
	for (size_t i = 0; i < view->n && w.code == 0; i++) {
		perf_table_row(w.table, &w.r->ops.v[view->v[i]], &w.out);
		flush_some(&w);
	}
	perf_table_rule(w.table, &w.out);
	perf_table_footer(w.table, &w.out);
	perf_table_note(w.table, &w.out);
	write_hidden(&w);
	if (!o->no_advice && w.code == 0) {
		add_banner(&w.out, "\xf0\x9f\x92\xa1", "Advice");
		write_host(&w, view);
		write_gaps(&w, &advised.ops);
		write_sorts(&w, &advised.sorts);
	}
	if (stacked && w.code == 0)
		text_stacked_write(&w, stacked);
	if (!ours && !o->no_summary && w.code == 0)
		text_summary_write(&w);
	if (w.code == 0)
		w.code = perf_flush(&w.out, file);
	perf_table_free(table);
	advised_free(&advised);
	buf_free(&w.out);
	return w.code;
}
