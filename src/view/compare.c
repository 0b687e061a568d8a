/* SPDX-License-Identifier: Apache-2.0 */
/* Compare two traces, or two ops reports, by name. */
#include "base/order.h"
#include "view/op_table.h"
#include "view/zone_histogram.h"
#include "view/zone_stats.h"

#include <math.h>
#include <string.h>

/* Figures of one name in one of the two; times in nanoseconds. */
struct side {
	uint64_t count;
	double total, median; /* NaN: not known */
	double sum;           /* includes recursion */
};

struct pair {
	char *name;
	struct side side[2];
};

struct pairs {
	VEC(struct pair);
	int at; /* the side that is being filled */
	bool ops;
	const struct words *words;
};

ORDER_BY(compare_by_name, struct pair, strcmp(x->name, y->name));

/* Merges entries with one name: sums are added; a median of several is unknown. */
static void pairs_join(struct pairs *p)
{
	size_t n = 0;

	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), compare_by_name);
	for (size_t i = 0; i < p->n; i++) {
		struct pair *to = n ? &p->v[n - 1] : NULL;

		if (!to || strcmp(to->name, p->v[i].name)) {
			p->v[n++] = p->v[i];
			continue;
		}
		for (int k = 0; k < 2; k++) {
			const struct side *s = &p->v[i].side[k];

			if (s->count)
				to->side[k].median = to->side[k].count ? NAN : s->median;
			to->side[k].count += s->count;
			to->side[k].total += s->total;
			to->side[k].sum += s->sum;
		}
		free(p->v[i].name);
	}
	p->n = n;
}

static int pair_add(struct pairs *p, const char *name, const struct side *side)
{
	struct pair fresh = {.name = strdup(name)};

	fresh.side[p->at] = *side;
	if (!fresh.name || vec_push(p, fresh) < 0) {
		free(fresh.name);
		return TACHO_ENOMEM;
	}
	return 0;
}

static int zones_add(struct view_call *c, void *context)
{
	struct trace_filter filter = {.t1 = UINT64_MAX};
	struct pairs *p = context;
	struct trace_stat *stats;
	size_t count;
	int r;

	if (!c->trace)
		return call_fail(c, VIEW_BAD, "an ops report has no zones");
	r = stats_count(c, &filter, &stats, &count);
	for (size_t i = 0; r == 0 && i < count; i++) {
		const char *name = trace_srcloc_name(c->trace, stats[i].srcloc);
		double tick = call_tick(c);
		struct side s = {stats[i].count, (double)stats[i].total * tick,
				 (double)stats[i].median * tick, (double)stats[i].sum * tick};

		if (s.count && words_take(p->words, name, strlen(name)))
			r = pair_add(p, name, &s);
	}
	if (r >= 0)
		free(stats);
	return r;
}

struct timed {
	const char *label;
	double us;
};

ORDER_BY(by_label, struct timed, strcmp(x->label, y->label) ?: ORDER_UP(us));

/* Ops of one label, with the exact median. */
static int labels_add(struct pairs *p, struct timed *v, size_t n)
{
	int r = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_label);
	for (size_t i = 0, k; r == 0 && i < n; i = k) {
		struct side s = {0};

		for (k = i; k < n && !strcmp(v[k].label, v[i].label); k++)
			s.total += v[k].us * 1000;
		s.sum = s.total;
		s.count = k - i;
		s.median = v[i + (k - i - 1) / 2].us * 1000;
		if (words_take(p->words, v[i].label, strlen(v[i].label)))
			r = pair_add(p, v[i].label, &s);
	}
	return r;
}

static int ops_add(struct view_call *c, void *context)
{
	struct timed *v;
	struct ops *o;
	size_t n = 0;
	int r = ops_take(c, true, &o);

	if (r < 0)
		return r;
	v = malloc((o->report.ops.n + 1) * sizeof(*v));
	for (size_t i = 0; v && i < o->report.ops.n; i++) {
		const struct perf_op *op = &o->report.ops.v[i];

		/* Unmeasured ops, such as those of a trace capture, did not run. */
		if (op->type != TYPE_SIGNPOST && !op->time_blank && op->has & HAS_TIME &&
		    isfinite(op->time))
			v[n++] = (struct timed){perf_op_kind(&o->report, op)->label, op->time};
	}
	r = v ? labels_add(context, v, n) : TACHO_ENOMEM;
	free(v);
	ops_put(c, o);
	return r;
}

/* ------------------------------------------------------------------ answer */

enum sort { DELTA, TOTAL_A, TOTAL_B, NAME, PERCENT };
static const char *const sorts[] = {"delta", "a", "b", "name", "delta_pct", NULL};

struct order {
	int sort;
	bool down;
};

static double compare_percent(const struct pair *p)
{
	return p->side[0].total > 0 ? 100 * (p->side[1].total / p->side[0].total - 1) : INFINITY;
}

static double compare_key_of(const struct pair *p, int sort)
{
	switch (sort) {
	case TOTAL_A:
		return p->side[0].total;
	case TOTAL_B:
		return p->side[1].total;
	case PERCENT:
		return compare_percent(p);
	default:
		return fabs(p->side[1].total - p->side[0].total);
	}
}

static int compare_by_order(const void *a, const void *b, void *context)
{
	const struct order *o = context;
	double x, y;
	int r;

	if (o->sort == NAME) {
		r = compare_by_name(a, b);
	} else {
		x = compare_key_of(a, o->sort);
		y = compare_key_of(b, o->sort);
		r = (x > y) - (x < y);
	}
	if (r == 0)
		return compare_by_name(a, b);
	return o->down ? -r : r;
}

static void side_put(struct json *j, const char *key, const struct side *s)
{
	if (!s->count) {
		json_null(j, key);
		return;
	}
	json_object(j, key);
	json_uint(j, "count", s->count);
	json_double(j, "total", s->total);
	json_double(j, "mean", s->sum / (double)s->count);
	json_double(j, "median", s->median);
	json_end(j);
}

static void pairs_put(struct view_call *c, const struct pairs *p, const struct page *page)
{
	struct json *j = &c->json;

	call_begin(c);
	json_uint(j, "total", p->n);
	json_array(j, "rows");
	for (uint64_t i = page->offset; i < p->n && i - page->offset < page->limit; i++) {
		const struct pair *x = &p->v[i];

		json_object(j, NULL);
		json_text(j, "text", x->name);
		side_put(j, "a", &x->side[0]);
		side_put(j, "b", &x->side[1]);
		json_double(j, "delta", x->side[1].total - x->side[0].total);
		json_double(j, "delta_pct",
			    x->side[0].count && x->side[1].count ? compare_percent(x) : NAN);
		json_text(j, "kind", !x->side[1].count ? "a" : !x->side[0].count ? "b" : "both");
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

int call_compare(struct view_call *c)
{
	static const char *const whats[] = {"zones", "ops", NULL};
	struct order order = {DELTA, true};
	struct pairs pairs = {0};
	struct words words;
	struct page page;
	int what = 0, r = arg_choice(c, "what", whats, &what);

	arg_words(c, &words);
	pairs.words = &words;
	if (r >= 0)
		r = arg_choice(c, "sort", sorts, &order.sort);
	if (r >= 0)
		r = arg_bool(c, "desc", &order.down);
	if (r >= 0)
		r = arg_page(c, &page);
	if (r >= 0)
		r = call_on(c, "a", what ? ops_add : zones_add, &pairs);
	pairs.at = 1;
	if (r >= 0)
		r = call_on(c, "b", what ? ops_add : zones_add, &pairs);
	if (r >= 0) {
		pairs_join(&pairs);
		if (pairs.n)
			qsort_r(pairs.v, pairs.n, sizeof(*pairs.v), compare_by_order, &order);
		pairs_put(c, &pairs, &page);
	}
	for (size_t i = 0; i < pairs.n; i++)
		free(pairs.v[i].name);
	vec_free(&pairs);
	return r < 0 ? r : 0;
}

/* --------------------------------------------------------------- histograms */

struct two {
	struct hist hist[2]; /* in nanoseconds */
	int at;
	const char *name;
};

static int two_count(struct view_call *c, void *context)
{
	struct zones_choice choice = ZONES_ALL;
	struct two *t = context;
	struct zone_found found;
	struct zones zones;
	uint8_t *chosen;
	int r;

	if (!c->trace)
		return call_fail(c, VIEW_BAD, "an ops report has no zones");
	chosen = calloc(c->trace->srcloc_count + 1, 1);
	if (!chosen)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < c->trace->srcloc_count; i++)
		chosen[i] = !strcmp(trace_srcloc_name(c->trace, i), t->name);
	choice.srclocs = chosen;
	zone_walk_open(&zones, c, &choice);
	while ((r = zone_walk_next(&zones, &found)) > 0)
		hist_add(&t->hist[t->at], (uint64_t)llround(trace_duration_ns(
						  c->trace, found.zone.start, found.zone.end)));
	zone_walk_close(&zones);
	free(chosen);
	return r;
}

static void two_put(struct view_call *c, const struct two *t, unsigned bins, bool logarithmic)
{
	double low = INFINITY, high = 0;

	for (int i = 0; i < 2; i++) {
		if (!t->hist[i].count)
			continue;
		low = fmin(low, (double)t->hist[i].min);
		high = fmax(high, (double)t->hist[i].max + 1);
	}
	if (isinf(low))
		low = 0;
	call_begin(c);
	for (int i = 0; i < 2; i++) {
		json_object(&c->json, i ? "b" : "a");
		hist_put(c, &t->hist[i], 1);
		hist_bins_put(c, &t->hist[i], low, high, bins, logarithmic, 1);
		json_end(&c->json);
	}
	json_end(&c->json);
}

int call_compare_hist(struct view_call *c)
{
	struct two *t = calloc(1, sizeof(*t));
	bool logarithmic = false;
	uint64_t bins = 100;
	int r = t ? arg_uint(c, "bins", HIST_BINS, &bins) : TACHO_ENOMEM;

	if (r >= 0)
		r = arg_bool(c, "log", &logarithmic);
	if (r >= 0 && !(t->name = query_get(c->query, "name")))
		r = call_fail(c, VIEW_BAD, "name is missing");
	if (r >= 0)
		r = call_on(c, "a", two_count, t);
	if (r >= 0) {
		t->at = 1;
		r = call_on(c, "b", two_count, t);
	}
	if (r >= 0)
		two_put(c, t, bins ? (unsigned)bins : 1, logarithmic);
	free(t);
	return r < 0 ? r : 0;
}
