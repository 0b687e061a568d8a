/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "zones": list zones, or the longest of them. */
#include "base/fmt.h"
#include "base/progress.h"
#include "cmds/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	struct query_conf query;
	int64_t min_duration;
	int64_t longest;
	int64_t top;
};

static const struct opt opts[] = {
	QUERY_NAME(struct conf, query),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	QUERY_THREAD(struct conf, query),
	OPT_TIME('d', "min-duration", "TIME", struct conf, min_duration,
		 "select zones that took at least TIME, such as 1.5ms"),
	OPT_INT('l', "longest", "N", struct conf, longest,
		"list the N longest zones, longest first"),
	OPT_INT('N', "top", "N", struct conf, top, "print only the first N rows"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

/* The longest zones so far: a heap whose root is the shortest of them. */
struct longest {
	struct {
		VEC(struct view_zone);
	} heap;
	size_t most;
};

/* True if X is shorter than Y, or as long and later: the reverse of the list's order. */
static bool zones_shorter(const struct view_zone *x, const struct view_zone *y)
{
	uint64_t dx = x->zone.end - x->zone.start, dy = y->zone.end - y->zone.start;

	return dx != dy ? dx < dy : x->zone.start > y->zone.start;
}

static void zones_swap(struct view_zone *a, struct view_zone *b)
{
	struct view_zone t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(struct view_zone *v, size_t n)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && zones_shorter(&v[child + 1], &v[child]))
			child++;
		if (!zones_shorter(&v[child], &v[i]))
			return;
		zones_swap(&v[child], &v[i]);
		i = child;
	}
}

static void free_texts(struct view_zone *z)
{
	buf_free(&z->name);
	buf_free(&z->text);
	buf_free(&z->values);
}

static int copy_zone(struct view_zone *to, const struct view_zone *from)
{
	*to = *from;
	to->name = to->text = to->values = (struct buf)BUF_INIT;
	buf_add(&to->name, from->name.data, from->name.len);
	buf_add(&to->text, from->text.data, from->text.len);
	buf_add(&to->values, from->values.data, from->values.len);
	if (!to->name.failed && !to->text.failed && !to->values.failed)
		return 0;
	free_texts(to);
	return TACHO_ENOMEM;
}

static int zones_keep(struct longest *l, const struct view_zone *z)
{
	struct view_zone copy;
	bool full = l->heap.n == l->most;

	if (full && !zones_shorter(&l->heap.v[0], z))
		return 0;
	if (copy_zone(&copy, z) < 0)
		return TACHO_ENOMEM;
	if (full) {
		free_texts(&l->heap.v[0]);
		l->heap.v[0] = copy;
		sift_down(l->heap.v, l->heap.n);
	} else if (vec_push(&l->heap, copy) < 0) {
		free_texts(&copy);
		return TACHO_ENOMEM;
	} else {
		struct view_zone *v = l->heap.v;

		for (size_t i = l->heap.n - 1; i && zones_shorter(&v[i], &v[(i - 1) / 2]);
		     i = (i - 1) / 2)
			zones_swap(&v[i], &v[(i - 1) / 2]);
	}
	return 0;
}

static int zones_compare(const void *a, const void *b)
{
	return zones_shorter(a, b) ? 1 : zones_shorter(b, a) ? -1 : 0;
}

static int zones_list(struct query *q, const struct conf *conf, struct view_zones *stream,
		      struct table *t, struct longest *longest)
{
	struct view_zone *z;
	struct progress progress;
	uint64_t n = 0;
	char text[FMT_SIZE];
	int r;

	progress_start(&progress, q->common->quiet || term_columns(stdout));
	while ((r = view_zones_next(stream, &z)) > 0) {
		if (longest->most)
			r = zones_keep(longest, z);
		else if (conf->top && n == (uint64_t)conf->top)
			break;
		else
			r = view_zone_row(t, q->trace, z);
		if (r < 0)
			break;
		if (++n % 8192 == 0)
			progress_update(&progress, "%s zones", fmt_count(text, n));
	}
	progress_end(&progress);
	return r < 0 ? r : 0;
}

static int zones_print(struct query *q, void *verb_conf)
{
	const struct conf *conf = verb_conf;
	struct longest longest = {.most = (size_t)conf->longest};
	struct view_zones *stream;
	struct table t;
	int r, closed;

	if (conf->longest < 0 || conf->top < 0 || conf->min_duration < 0)
		return err_set(&q->err, TACHO_EUSAGE,
			       "--longest, --top and --min-duration cannot be negative");
	q->filter.min_duration = (uint64_t)ceil((double)conf->min_duration / q->ns_per_tick);
	r = view_zones_open(&stream, q->trace, &q->filter, true);
	if (r < 0)
		return r;
	view_zone_table(&t, stdout, &q->style);
	r = zones_list(q, conf, stream, &t, &longest);
	if (r == 0) {
		if (longest.heap.n)
			qsort(longest.heap.v, longest.heap.n, sizeof(*longest.heap.v),
			      zones_compare);
		for (size_t i = 0; i < longest.heap.n && r == 0; i++)
			r = view_zone_row(&t, q->trace, &longest.heap.v[i]);
	}
	closed = table_close(&t);
	view_zones_close(stream);
	for (size_t i = 0; i < longest.heap.n; i++)
		free_texts(&longest.heap.v[i]);
	vec_free(&longest.heap);
	return r < 0 ? r : closed;
}

QUERY_RUN(zones_print)

const struct cmd cmd_zones = {
	.name = "zones",
	.summary = "list zones",
	.usage = "[options] FILE",
	.description =
		"Lists zones in the order of their start: when, how long, how long without the "
		"zones directly inside (self), on which thread, their name, and the values and "
		"texts that were attached to them. A name that a zone was given at run time is "
		"shown in place of the name of its source location, and --name finds it by "
		"either.\n\n"
		"The state is \"unfinished\" for a zone that had not ended when recording "
		"stopped, and \"end lost\" for one whose end was lost; their duration reaches "
		"to the last time known.",
	.examples = "tacho zones --longest=20 app.tacho\n  the twenty longest\n"
		    "tacho zones -n /^load/ -d 1ms app.tacho\n"
		    "  those whose names begin with load and that took a millisecond or more\n"
		    "tacho zones --format=csv app.tacho | head\n"
		    "  the first ones with all their columns\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
