/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "stats": show statistics of zones. */
#include "base/buf.h"
#include "base/fmt.h"
#include "base/order.h"
#include "cmds/stacks.h"
#include "trace/names.h"
#include "view/lock_spans.h"

#include <stdlib.h>
#include <string.h>

/* Columns for sorting, in the order of the table. */
#define SORTS(X) \
	X(name)  \
	X(count) \
	X(total) \
	X(self) X(wait) X(sum) X(min) X(mean) X(median) X(p99) X(max) X(sigma) X(unfinished)

enum sort {
#define X(name) SORT_##name,
	SORTS(X)
#undef X
};

static const char *const sorts[] = {
#define X(name) #name,
	SORTS(X)
#undef X
		NULL,
};

struct conf {
	struct query_conf query;
	int sort;
	bool reverse;
	int64_t top;
	bool wide, samples;
};

static const struct opt opts[] = {
	QUERY_NAME(struct conf, query),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	QUERY_THREAD(struct conf, query),
	OPT_ENUM('s', "sort", struct conf, sort, sorts,
		 "the column to sort by; names go from a to z, figures from the largest down"),
	OPT_FLAG(0, "reverse", struct conf, reverse, "reverse the order"),
	OPT_INT('N', "top", "N", struct conf, top, "print only the first N rows"),
	OPT_FLAG('w', "wide", struct conf, wide,
		 "text: print all columns, with sum, min and sigma"),
	OPT_FLAG(0, "samples", struct conf, samples,
		 "show instead what threads did in the self time: run, wait for a CPU, for a lock "
		 "...; of recordings made with --sample"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

static void cmd_stats_init(void *conf)
{
	((struct conf *)conf)->sort = SORT_total;
}

struct order {
	const struct trace *trace;
	enum sort sort;
	bool reverse;
};

static double stats_figure(const struct trace_stat *s, enum sort sort)
{
	const double figures[] = {
		[SORT_count] = (double)s->count, [SORT_total] = (double)s->total,
		[SORT_self] = (double)s->self,   [SORT_wait] = (double)s->wait,
		[SORT_sum] = (double)s->sum,     [SORT_min] = (double)s->min,
		[SORT_mean] = s->mean,           [SORT_median] = (double)s->median,
		[SORT_p99] = (double)s->p99,     [SORT_max] = (double)s->max,
		[SORT_sigma] = s->sigma,         [SORT_unfinished] = (double)s->unfinished,
	};

	return figures[sort];
}

static int stats_compare(const void *a, const void *b, void *context)
{
	const struct trace_stat *x = a, *y = b;
	const struct order *o = context;
	double fx, fy;
	int r = 0;

	if (o->sort != SORT_name) {
		fx = stats_figure(x, o->sort);
		fy = stats_figure(y, o->sort);
		r = fx < fy ? 1 : fx > fy ? -1 : 0;
	}
	if (r == 0)
		r = strcmp(trace_srcloc_name(o->trace, x->srcloc),
			   trace_srcloc_name(o->trace, y->srcloc));
	if (r == 0)
		r = x->srcloc < y->srcloc ? -1 : 1;
	return o->reverse ? -r : r;
}

/* The name is last: its width is unbounded. */
static const struct table_column columns[] = {
	{"count", "count", TABLE_COUNT},
	{"total_ns", "total", TABLE_NS},
	{"total_percent", "%", TABLE_PERCENT},
	{"self_ns", "self", TABLE_NS},
	{"wait_ns", "wait", TABLE_NS},
	{"sum_ns", "sum", TABLE_NS},
	{"min_ns", "min", TABLE_NS},
	{"mean_ns", "mean", TABLE_NS},
	{"median_ns", "median", TABLE_NS},
	{"p99_ns", "p99", TABLE_NS},
	{"max_ns", "max", TABLE_NS},
	{"sigma_ns", "sigma", TABLE_NS},
	{"unfinished", "open", TABLE_COUNT},
	{"name", "name", TABLE_STRING},
	{"function", NULL, TABLE_STRING},
	{"file", NULL, TABLE_STRING},
	{"line", NULL, TABLE_ID},
};

/* Text shows the usual figures; the others on request. */
static void stats_hide(const char **hidden, const struct conf *conf, const struct trace_stat *stats,
		       size_t n)
{
	uint64_t unfinished = 0, wait = 0;

	for (size_t i = 0; i < n; i++) {
		unfinished += stats[i].unfinished;
		wait += stats[i].wait;
	}
	if (wait == 0 && conf->sort != SORT_wait)
		*hidden++ = "wait_ns";
	if (unfinished == 0)
		*hidden++ = "unfinished";
	if (!conf->wide && conf->sort != SORT_sum)
		*hidden++ = "sum_ns";
	if (!conf->wide && conf->sort != SORT_min)
		*hidden++ = "min_ns";
	if (!conf->wide && conf->sort != SORT_sigma)
		*hidden++ = "sigma_ns";
	*hidden = NULL;
}

/*
 * Tracy's device clients have a source location per op for the same zone: its function names the
 * op.
 */
static bool is_of_op(const struct trace_srcloc *s)
{
	return !strncmp(s->function, "OP ID:", 6) || !strncmp(s->function, "TRACE ID:", 9);
}

/* No statistics if every zone is unfinished. */
static void add_figures(struct table *t, const struct query *q, const struct trace_stat *s,
			double whole)
{
	table_real(t, query_ns(q, (double)s->total));
	table_real(t, whole > 0 ? 100 * (double)s->total / whole : 0);
	for (enum sort i = SORT_self; i <= SORT_sigma; i++) {
		if (s->count)
			table_real(t, query_ns(q, stats_figure(s, i)));
		else
			table_none(t);
	}
}

struct named {
	const char *name;
	size_t row;
};

ORDER_BY(stats_by_name, struct named, strcmp(x->name, y->name));

/*
 * Marks rows that share their name with another one: Python has many <module> and __init__. NULL if
 * out of memory.
 */
static bool *find_namesakes(const struct trace *trace, const struct trace_stat *stats, size_t n)
{
	bool *shared = calloc(n + 1, sizeof(*shared));
	struct named *v = malloc((n + 1) * sizeof(*v));

	if (!shared || !v) {
		free(v);
		free(shared);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = (struct named){trace_srcloc_name(trace, stats[i].srcloc), i};
	qsort(v, n, sizeof(*v), stats_by_name);
	for (size_t i = 1; i < n; i++)
		if (stats_by_name(&v[i - 1], &v[i]) == 0)
			shared[v[i - 1].row] = shared[v[i].row] = true;
	free(v);
	return shared;
}

/* The file and its folder: the path above them is the same for most. */
static const char *end_of_path(const char *path)
{
	const char *end = path + strlen(path);

	for (int parts = 0; end > path; end--)
		if (end[-1] == '/' && ++parts == 2)
			break;
	return end;
}

static int stats_table_print(struct query *q, const struct conf *conf,
			     const struct trace_stat *stats, size_t n, double whole)
{
	struct table_style style = q->style;
	const char *hidden[6];
	struct table t;
	bool *shared = find_namesakes(q->trace, stats, n);
	int r = 0;

	if (!shared)
		return err_set(&q->err, TACHO_ENOMEM, "no memory");
	stats_hide(hidden, conf, stats, n);
	style.hidden = hidden;
	table_open(&t, stdout, &style, TABLE_COLUMNS(columns));
	for (size_t i = 0, shown = 0; i < n && r == 0; i++) {
		const struct trace_srcloc *srcloc = trace_srcloc_of(q->trace, stats[i].srcloc);
		struct buf b = BUF_INIT;

		if (q->srclocs && !q->srclocs[stats[i].srcloc])
			continue;
		if (conf->top && shown++ == (size_t)conf->top)
			break;
		table_uint(&t, stats[i].count);
		add_figures(&t, q, &stats[i], whole);
		table_uint(&t, stats[i].unfinished);
		buf_adds(&b, trace_srcloc_name(q->trace, stats[i].srcloc));
		if (style.format == TABLE_AS_TEXT && shared[i] && *srcloc->file)
			buf_addf(&b, "  %s:%u", end_of_path(srcloc->file), srcloc->line);
		table_string(&t, b.data, b.len);
		buf_free(&b);
		table_text(&t, is_of_op(srcloc) ? "" : srcloc->function);
		table_text(&t, srcloc->file);
		table_uint(&t, srcloc->line);
		r = table_row(&t);
	}
	free(shared);
	return table_close(&t);
}

static int stats_by_place(const void *a, const void *b, void *context)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct trace_srcloc *x = &((const struct trace *)context)->srclocs[i];
	const struct trace_srcloc *y = &((const struct trace *)context)->srclocs[k];
	int r = strcmp(x->name, y->name);

	if (r == 0)
		r = strcmp(x->file, y->file);
	if (r == 0)
		r = (x->line > y->line) - (x->line < y->line);
	return r ? r : (i > k) - (i < k);
}

/* Folded names: the first represents all. NULL in FOLD: none. */
static int find_folds(const struct trace *trace, uint32_t **fold)
{
	uint32_t n = trace->srcloc_count, count = 0;
	uint32_t *list = malloc((n + 1) * sizeof(*list));

	*fold = malloc((n + 1) * sizeof(**fold));
	if (!list || !*fold) {
		free(list);
		return TACHO_ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		(*fold)[i] = i;
		if (is_of_op(&trace->srclocs[i]))
			list[count++] = i;
	}
	qsort_r(list, count, sizeof(*list), stats_by_place, (void *)trace);
	for (uint32_t i = 1; i < count; i++) {
		const struct trace_srcloc *a = &trace->srclocs[list[i - 1]];
		const struct trace_srcloc *b = &trace->srclocs[list[i]];

		if (a->line == b->line && !strcmp(a->name, b->name) && !strcmp(a->file, b->file))
			(*fold)[list[i]] = (*fold)[list[i - 1]];
	}
	free(list);
	if (count < 2) {
		free(*fold);
		*fold = NULL;
	}
	return 0;
}

static bool has_locks(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->track_count; i++)
		if (trace->tracks[i].kind == TRACE_LOCK)
			return true;
	return false;
}

static int stats_print(struct query *q, void *verb_conf)
{
	const struct conf *conf = verb_conf;
	struct order order = {q->trace, (enum sort)conf->sort, conf->reverse};
	struct trace_filter filter = q->filter.in;
	struct trace_stat *stats = NULL;
	uint32_t *fold = NULL;
	double whole = 0;
	size_t n;
	int r;

	if (conf->top < 0)
		return err_set(&q->err, TACHO_EUSAGE, "--top: %lld is not a number of rows",
			       (long long)conf->top);
	if (conf->samples)
		return stats_samples_print(q, conf->top);
	filter.srclocs = NULL; /* filtered names count in the total */
	r = find_folds(q->trace, &fold);
	filter.fold = fold;
	r = r < 0 ? err_set(&q->err, r, "no memory")
		  : trace_stats(q->trace, &filter, &stats, &n, &q->err);
	if (r == 0 && has_locks(q->trace)) {
		r = view_stats_waits(q->trace, &filter, stats, n);
		if (r < 0) {
			err_set(&q->err, r, "cannot count the lock waits of %s: %s", q->trace->path,
				err_text(r));
			free(stats);
		}
	}
	free(fold);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		whole += (double)(stats[i].self + stats[i].wait);
	qsort_r(stats, n, sizeof(*stats), stats_compare, &order);
	r = stats_table_print(q, conf, stats, n, whole);
	free(stats);
	return r;
}

QUERY_RUN(stats_print)

const struct cmd cmd_stats = {
	.name = "stats",
	.summary = "show statistics of zones by source location",
	.usage = "[options] FILE",
	.description =
		"Prints for each source location how many zones it has, their total time, the "
		"time without the zones directly inside and without lock waits (self), the time in which "
		"threads waited for locks and no zone inside was open (wait), the least, mean, median, 99th "
		"percentile and greatest duration, and the standard deviation.\n\n"
		"The total counts a function that calls itself once: a zone inside another one of the "
		"same source location on the same track adds nothing (like cumtime of cProfile). The "
		"sum (--wide) adds up all zones, also those inside others: the mean is the sum by the "
		"count. The percentage is the total as a part of the time of all zones, that is of the "
		"sum of all self times and waits. In a range that begins inside a recursion the total is at least "
		"the self time. Zones that had not ended when recording stopped are "
		"counted in the column \"open\" and in no other. In text, names that several source "
		"locations have are followed by the place.\n\n"
		"With --samples, of a recording made with --sample: the self time of each source "
		"location, split by what its threads did. The parts add up to it, and lock waits "
		"are among them. The last column is the function in which most samples of the "
		"self time are. Of a range, it is the time in the range.",
	.examples =
		"tacho stats app.tacho\n  all source locations, the most time first\n"
		"tacho stats --sort=p99 --top=10 app.tacho\n  the ten with the slowest outliers\n"
		"tacho stats -n 'conv*' -r 1s..2s -t worker app.tacho\n"
		"  names that begin with conv, in the second second, on threads called worker\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_stats_init,
	.run = run,
};
