/* SPDX-License-Identifier: Apache-2.0 */
/* Trees and lists of sampled functions, of one trace or compared with another. */
#include "view/sample_query.h"

#include <string.h>

#define SHOWN      2000u
#define SHOWN_MOST 200000u

/* How samples are shown. */
struct graph_shape {
	int by;
	bool up, list; /* bottom-up; each function once */
	uint64_t limit;
};

static int arg_shape(struct view_call *c, struct graph_shape *s)
{
	int r;

	*s = (struct graph_shape){.limit = SHOWN};
	r = arg_choice(c, "by", profile_by_names, &s->by);
	if (r >= 0)
		r = arg_bool(c, "up", &s->up);
	if (r >= 0)
		r = arg_bool(c, "list", &s->list);
	if (r >= 0)
		r = arg_uint(c, "limit", SHOWN_MOST, &s->limit);
	return r < 0 ? r : 0;
}

static int graph_build(const struct graph_shape *s, struct profile *p,
		       const struct profile_counts *counts, struct profile_view *view)
{
	enum profile_by by = (enum profile_by)s->by;

	return s->list ? profile_flat(p, counts, by, view)
		       : profile_tree(p, counts, by, s->up, view);
}

static int larger_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The smallest of the LIMIT largest of N values, which are sorted. */
static double limit_value(double *values, size_t n, uint64_t limit)
{
	if (limit >= n)
		return 0;
	qsort(values, n, sizeof(*values), larger_first);
	return limit ? values[limit - 1] : values[0] + 1;
}

static void graph_label_put(struct json *j, const struct profile *p,
			    const struct profile_label *label, int by)
{
	const struct profile_function *f = &p->functions.v[label->function];

	json_object(j, NULL);
	json_cut(j, "name", label->name, strlen(label->name), VIEW_TEXT);
	json_text(j, "library", f->special ? "" : p->modules.v[f->module].name);
	json_cut(j, "file", label->file, strlen(label->file), VIEW_TEXT);
	json_uint(j, "line", by == PROFILE_BY_LINE ? label->line : 0);
	json_end(j);
}

/* The next item of a tree in its order; *DEPTH follows. */
#define ITEM_AFTER(items, at, depth, into)          \
	do {                                        \
		if ((into) && (items)[at].child) {  \
			(at) = (items)[at].child;   \
			(depth)++;                  \
			break;                      \
		}                                   \
		while ((at) && !(items)[at].next) { \
			(at) = (items)[at].parent;  \
			(depth)--;                  \
		}                                   \
		(at) = (at) ? (items)[at].next : 0; \
	} while (0)

static int graph_put(struct view_call *c, const struct profile *p, const struct profile_view *view,
		     const struct graph_shape *s)
{
	const struct profile_item *items = view->items.v;
	double *totals = malloc(view->items.n * sizeof(*totals)), least;
	struct json *j = &c->json;
	uint32_t at = items[0].child;
	unsigned depth = 0;

	if (!totals)
		return TACHO_ENOMEM;
	for (size_t i = 1; i < view->items.n; i++)
		totals[i - 1] = items[i].ns;
	least = limit_value(totals, view->items.n - 1, s->limit);
	free(totals);
	json_uint(j, "items_total", view->items.n - 1);
	json_array(j, "names");
	for (size_t i = 0; i < view->labels.n; i++)
		graph_label_put(j, p, &view->labels.v[i], s->by);
	json_end(j);
	json_array(j, "items");
	while (at) {
		bool shown = items[at].ns >= least;

		if (shown) {
			json_array(j, NULL);
			json_uint(j, NULL, depth);
			json_uint(j, NULL, items[at].label);
			json_double(j, NULL, items[at].ns);
			json_double(j, NULL, items[at].self_ns);
			json_uint(j, NULL, items[at].samples);
			json_uint(j, NULL, items[at].self);
			json_end(j);
		}
		ITEM_AFTER(items, at, depth, shown);
	}
	json_end(j);
	return 0;
}

int call_stacks(struct view_call *c)
{
	struct sample_query q = {0};
	struct profile_counts counts = {0};
	struct profile_view view = {0};
	struct graph_shape shape;
	int r = arg_shape(c, &shape);

	if (r == 0)
		r = sample_query_open(c, arg_range_keys, &q);
	if (r == 0)
		r = profile_count(q.p, &q.filter, &counts);
	if (r == 0)
		r = graph_build(&shape, q.p, &counts, &view);
	if (r == 0) {
		call_begin(c);
		json_uint(&c->json, "samples", counts.total);
		json_double(&c->json, "total", counts.total_ns);
		json_uint(&c->json, "stacked", counts.stacked);
		json_uint(&c->json, "whole", counts.whole);
		json_uint(&c->json, "lost", q.p->lost);
		r = graph_put(c, q.p, &view, &shape);
		json_end(&c->json);
	}
	profile_view_free(&view);
	profile_counts_free(&counts);
	sample_query_close(&q);
	return r;
}

/* --------------------------------------------------------------- compared */

struct graph_pair {
	struct graph_shape shape;
	struct profile_changes changes;
	int side; /* that is read */
	struct profile_counts counts[2];
};

static int side_read(struct view_call *c, void *context)
{
	static const char *const keys[2][2] = {{"a0", "a1"}, {"b0", "b1"}};
	struct graph_pair *g = context;
	struct profile_view view = {0};
	struct sample_query q = {0};
	int r = c->trace ? sample_query_open(c, keys[g->side], &q)
			 : call_fail(c, VIEW_BAD, "an ops report has no samples");

	if (r == 0)
		r = profile_count(q.p, &q.filter, &g->counts[g->side]);
	if (r == 0)
		r = graph_build(&g->shape, q.p, &g->counts[g->side], &view);
	if (r == 0)
		r = profile_changes_add(&g->changes, q.p, &view, (enum profile_by)g->shape.by,
					g->side);
	profile_view_free(&view);
	sample_query_close(&q);
	return r;
}

static void change_put(struct json *j, const struct profile_change *x, unsigned depth)
{
	json_object(j, NULL);
	json_uint(j, "depth", depth);
	json_cut(j, "name", x->name, strlen(x->name), VIEW_TEXT);
	json_text(j, "library", x->library);
	json_uint(j, "line", x->line);
	for (int i = 0; i < 2; i++) {
		json_object(j, i ? "b" : "a");
		json_double(j, "share", x->share[i]);
		json_double(j, "total", x->side[i].ns);
		json_double(j, "self", x->side[i].self_ns);
		json_uint(j, "samples", x->side[i].samples);
		json_end(j);
	}
	json_double(j, "change", x->change);
	json_double(j, "error", x->error);
	json_end(j);
}

static int changes_put(struct view_call *c, const struct profile_changes *d, uint64_t limit)
{
	const struct profile_change *items = d->items.v;
	double *shares = malloc(d->items.n * sizeof(*shares)), least;
	uint32_t at = items[0].child;
	struct json *j = &c->json;
	unsigned depth = 0;

	if (!shares)
		return TACHO_ENOMEM;
	for (size_t i = 1; i < d->items.n; i++)
		shares[i - 1] = items[i].share[items[i].share[1] > items[i].share[0]];
	least = limit_value(shares, d->items.n - 1, limit);
	free(shares);
	json_uint(j, "items_total", d->items.n - 1);
	json_array(j, "items");
	while (at) {
		bool shown = items[at].share[items[at].share[1] > items[at].share[0]] >= least;

		if (shown)
			change_put(j, &items[at], depth);
		ITEM_AFTER(items, at, depth, shown);
	}
	json_end(j);
	return 0;
}

int call_compare_stacks(struct view_call *c)
{
	struct graph_pair g = {0};
	int r = arg_shape(c, &g.shape);

	for (; r == 0 && g.side < 2; g.side++)
		r = call_on(c, g.side ? "b" : "a", side_read, &g);
	if (r == 0)
		r = profile_changes_link(&g.changes);
	if (r == 0) {
		call_begin(c);
		for (int i = 0; i < 2; i++) {
			json_object(&c->json, i ? "b" : "a");
			json_uint(&c->json, "samples", g.counts[i].total);
			json_double(&c->json, "total", g.counts[i].total_ns);
			json_end(&c->json);
		}
		r = changes_put(c, &g.changes, g.shape.limit);
		json_end(&c->json);
	}
	profile_changes_free(&g.changes);
	for (int i = 0; i < 2; i++)
		profile_counts_free(&g.counts[i]);
	return r;
}
