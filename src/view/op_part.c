/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the ops that a call asks for: by time, by number, by device. */
#include "view/op_table.h"

#include <string.h>

struct bounds {
	bool timed, numbered;
	uint64_t t0, t1;
	int64_t first, last; /* ids, inclusive */
	int64_t device;      /* -1 = all */
};

static int bounds_read(struct view_call *c, struct bounds *b)
{
	const char *ids = query_get(c->query, "ids");
	struct perf_options options = {0};
	uint64_t device = 0;
	int r = arg_uint(c, "device", INT32_MAX, &device);

	b->device = r > 0 ? (int64_t)device : -1;
	if (r < 0)
		return r;
	if (ids && perf_range_parse(ids, &options, NULL) < 0)
		return call_fail(c, VIEW_BAD, "ids is not a range such as 5-10, 5- or -10");
	b->numbered = ids != NULL;
	b->first = options.first_id;
	b->last = options.last_id;
	b->timed = c->trace && (query_get(c->query, "t0") || query_get(c->query, "t1"));
	return c->trace ? arg_range(c, &b->t0, &b->t1) : 0;
}

static bool op_part_inside(struct view_call *c, const struct ops *o, const struct bounds *b,
			   const struct perf_op *op)
{
	uint64_t t0, t1;

	if (b->device >= 0 && o->in.rows.v[op->row].device != b->device)
		return false;
	if (b->numbered && (perf_op_id(op) < b->first || perf_op_id(op) > b->last))
		return false;
	if (!b->timed)
		return true;
	return ops_time(c, o, op, &t0, &t1) && t0 < b->t1 && t1 > b->t0;
}

/* Sums and shares are those of the part; words only pick rows to show. */
static int part_make(struct view_call *c, struct ops_part *part, const struct bounds *b)
{
	const struct perf_report *all = &part->ops->report;
	struct perf_op *ops = malloc((all->ops.n + 1) * sizeof(*ops));
	size_t n = 0;

	if (!ops)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < all->ops.n; i++)
		if (op_part_inside(c, part->ops, b, &all->ops.v[i]))
			ops[n++] = all->ops.v[i];
	part->report = *all;
	part->report.ops.v = ops;
	part->report.ops.n = n;
	if (n < all->ops.n)
		perf_report_sum(&part->report);
	return 0;
}

int ops_part_take(struct view_call *c, struct ops_part *part)
{
	struct bounds bounds = {0};
	bool merged = true;
	int r = bounds_read(c, &bounds);

	if (r >= 0)
		r = arg_bool(c, "merge", &merged);
	if (r >= 0)
		r = ops_take(c, merged && bounds.device < 0, &part->ops);
	if (r < 0)
		return r;
	arg_words(c, &part->words);
	r = part_make(c, part, &bounds);
	if (r < 0)
		ops_put(c, part->ops);
	return r;
}

void ops_part_words(struct ops_part *part)
{
	struct perf_report *r = &part->report;
	size_t n = 0;

	for (size_t i = 0; i < r->ops.n; i++) {
		const char *label = perf_op_kind(r, &r->ops.v[i])->label;

		if (words_take(&part->words, label, strlen(label)))
			r->ops.v[n++] = r->ops.v[i];
	}
	r->ops.n = n;
}

void ops_part_put(struct view_call *c, struct ops_part *part)
{
	free(part->report.ops.v);
	ops_put(c, part->ops);
}
