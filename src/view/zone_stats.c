/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of zones. */
#include "view/zone_stats.h"
#include "base/now.h"
#include "base/text.h"
#include "view/call_args.h"
#include "view/chunk_stats.h"

#include <string.h>

#define KEPT 16u /* answers */
#define REST                                                                                      \
	9.0      /* times as long as it took to count is what was counted of a recording good for \
		  */
#define OLD 30.0 /* seconds at most */

/*
 * A page sorts and pages through one answer repeatedly, and asks again when a recording has grown.
 * Counting a long recording takes long, so answers are reused: otherwise the server would do
 * nothing else.
 */
struct stats_cache {
	struct {
		uint64_t gen, t0, t1, tracks;
		double made, good; /* seconds of the monotonic clock */
		struct trace_stat *stats;
		size_t count;
	} v[KEPT];
	size_t next;
};

double call_tick(const struct view_call *c)
{
	const struct trace *t = c->trace;

	if (t->end == t->start)
		return 1;
	return trace_duration_ns(t, t->start, t->end) / (double)(t->end - t->start);
}

static uint64_t tracks_hash(const struct view_call *c, const uint8_t *tracks)
{
	uint64_t hash = HASH_START;

	for (uint32_t i = 0; tracks && i < c->trace->track_count; i++)
		if (tracks[i])
			hash = hash_bytes(hash, &i, sizeof(i));
	return tracks ? hash : 0;
}

static struct trace_stat *zone_stats_copy(const struct trace_stat *stats, size_t count)
{
	struct trace_stat *s = malloc((count + 1) * sizeof(*s));

	if (s && count)
		memcpy(s, stats, count * sizeof(*s));
	return s;
}

static bool kept_find(struct view_trace *t, uint64_t t0, uint64_t t1, uint64_t tracks,
		      struct trace_stat **stats, size_t *count)
{
	double now = now_seconds();
	bool found = false;

	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; t->stats && i < KEPT && !found; i++) {
		bool fresh = t->stats->v[i].gen == t->now.gen ||
			     (t->live && now < t->stats->v[i].made + t->stats->v[i].good);

		if (!t->stats->v[i].stats || !fresh || t->stats->v[i].t0 != t0 ||
		    t->stats->v[i].t1 != t1 || t->stats->v[i].tracks != tracks)
			continue;
		*stats = zone_stats_copy(t->stats->v[i].stats, t->stats->v[i].count);
		*count = t->stats->v[i].count;
		found = *stats;
	}
	pthread_mutex_unlock(&t->lock);
	return found;
}

static void zone_stats_keep(struct view_trace *t, uint64_t gen, uint64_t t0, uint64_t t1,
			    uint64_t tracks, double took, const struct trace_stat *stats,
			    size_t count)
{
	struct trace_stat *kept = zone_stats_copy(stats, count);

	pthread_mutex_lock(&t->lock);
	if (!t->stats)
		t->stats = calloc(1, sizeof(*t->stats));
	if (t->stats && kept) {
		size_t i = t->stats->next++ % KEPT;

		free(t->stats->v[i].stats);
		t->stats->v[i].gen = gen;
		t->stats->v[i].made = now_seconds();
		t->stats->v[i].good = took * REST < OLD ? took * REST : OLD;
		t->stats->v[i].t0 = t0;
		t->stats->v[i].t1 = t1;
		t->stats->v[i].tracks = tracks;
		t->stats->v[i].stats = kept;
		t->stats->v[i].count = count;
		kept = NULL;
	}
	pthread_mutex_unlock(&t->lock);
	free(kept);
}

void stats_forget(struct view_trace *t)
{
	for (size_t i = 0; t->stats && i < KEPT; i++)
		free(t->stats->v[i].stats);
	free(t->stats);
	t->stats = NULL;
}

int stats_count(struct view_call *c, const struct trace_filter *filter, struct trace_stat **stats,
		size_t *count)
{
	/* Without percentiles it is another answer. */
	uint64_t tracks = tracks_hash(c, filter->tracks) ^ filter->no_percentiles;
	uint64_t gen = c->gen;
	double begin = now_seconds();
	int r;

	if (kept_find(c->on, filter->t0, filter->t1, tracks, stats, count))
		return 0;
	if (!filter->srclocs && chunks_ready(c->on->chunks, c))
		r = chunks_stats(c->on->chunks, c, filter, stats, count);
	else
		r = trace_stats(c->trace, filter, stats, count, NULL);
	if (r == 0) {
		r = waits_split(c, filter, *stats, *count);
		if (r < 0) { /* the caller frees the result, also after an error */
			free(*stats);
			*stats = NULL;
			*count = 0;
		}
	}
	if (r == 0)
		zone_stats_keep(c->on, gen, filter->t0, filter->t1, tracks, now_seconds() - begin,
				*stats, *count);
	return r;
}

/* ------------------------------------------------------------------- call */

enum column { TOTAL, SUM, SELF, WAIT, COUNT, MEAN, MEDIAN, P99, MIN, MAX, SIGMA, NAME };
static const char *const columns[] = {"total", "sum", "self", "wait",  "count", "mean", "median",
				      "p99",   "min", "max",  "sigma", "name",  NULL};

struct order {
	const struct trace *trace;
	int column;
	bool down;
};

static double zone_stats_key_of(const struct trace_stat *s, int column)
{
	switch (column) {
	case TOTAL:
		return (double)s->total;
	case SUM:
		return (double)s->sum;
	case SELF:
		return (double)s->self;
	case WAIT:
		return (double)s->wait;
	case COUNT:
		return (double)s->count;
	case MEAN:
		return s->mean;
	case MEDIAN:
		return (double)s->median;
	case P99:
		return (double)s->p99;
	case MIN:
		return (double)s->min;
	case MAX:
		return (double)s->max;
	default:
		return s->sigma;
	}
}

static int by_column(const void *a, const void *b, void *context)
{
	const struct order *o = context;
	const struct trace_stat *x = a, *y = b;
	double p, q;
	int r;

	if (o->column == NAME) {
		r = strcmp(trace_srcloc_name(o->trace, x->srcloc),
			   trace_srcloc_name(o->trace, y->srcloc));
	} else {
		p = zone_stats_key_of(x, o->column);
		q = zone_stats_key_of(y, o->column);
		r = (p > q) - (p < q);
	}
	if (r == 0)
		return (x->srcloc > y->srcloc) - (x->srcloc < y->srcloc);
	return o->down ? -r : r;
}

/* Drops names that do not match the words. */
static size_t zone_stats_choose(struct view_call *c, struct trace_stat *stats, size_t count)
{
	struct words words;
	size_t n = 0;

	arg_words(c, &words);
	for (size_t i = 0; i < count; i++) {
		const char *name = trace_srcloc_name(c->trace, stats[i].srcloc);
		const char *file = c->trace->srclocs[stats[i].srcloc].file;

		if (words_take(&words, name, strlen(name)) ||
		    (words.text && words.text[0] != '-' && words_take(&words, file, strlen(file))))
			stats[n++] = stats[i];
	}
	return n;
}

static void stat_put(struct view_call *c, const struct trace_stat *s, double tick)
{
	const struct trace_srcloc *loc = &c->trace->srclocs[s->srcloc];
	struct json *j = &c->json;

	json_object(j, NULL);
	json_uint(j, "name", s->srcloc);
	json_text(j, "text", trace_srcloc_name(c->trace, s->srcloc));
	json_text(j, "file", loc->file);
	json_uint(j, "line", loc->line);
	json_uint(j, "count", s->count);
	json_double(j, "total", (double)s->total * tick);
	json_double(j, "sum", (double)s->sum * tick);
	json_double(j, "self", (double)s->self * tick);
	json_double(j, "wait", (double)s->wait * tick);
	json_double(j, "min", (double)s->min * tick);
	json_double(j, "max", (double)s->max * tick);
	json_double(j, "mean", s->mean * tick);
	json_double(j, "sigma", s->sigma * tick);
	json_double(j, "median", (double)s->median * tick);
	json_double(j, "p99", (double)s->p99 * tick);
	json_uint(j, "unfinished", s->unfinished);
	json_end(j);
}

static int zone_stats_put_all(struct view_call *c, const struct trace_filter *filter,
			      const struct order *order, const struct page *page)
{
	struct trace_stat *stats;
	double tick = call_tick(c);
	uint64_t self = 0;
	size_t count;
	int r = stats_count(c, filter, &stats, &count);
	uint64_t from, to;

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		self += stats[i].self + stats[i].wait;
	count = zone_stats_choose(c, stats, count);
	qsort_r(stats, count, sizeof(*stats), by_column, (void *)(uintptr_t)order);
	call_begin(c);
	/* The requested range, clipped to the trace. */
	from = filter->t0 > c->trace->start ? filter->t0 : c->trace->start;
	to = filter->t1 < c->trace->end ? filter->t1 : c->trace->end;
	json_duration(c, "range_ns", from, to > from ? to : from);
	json_bool(&c->json, "approx", c->on->chunks && c->trace->zones >= CHUNKS_FROM);
	json_uint(&c->json, "total", count);
	json_double(&c->json, "self_total",
		    (double)self * tick); /* of all names, whatever q says */
	json_array(&c->json, "rows");
	for (uint64_t i = page->offset; i < count && i - page->offset < page->limit; i++)
		stat_put(c, &stats[i], tick);
	json_end(&c->json);
	json_end(&c->json);
	free(stats);
	return 0;
}

int call_stats(struct view_call *c)
{
	struct order order = {c->trace, TOTAL, true};
	struct trace_filter filter = {0};
	struct page page;
	uint8_t *tracks = NULL;
	int r = arg_range(c, &filter.t0, &filter.t1);

	if (r == 0)
		r = arg_page(c, &page);
	if (r == 0)
		r = arg_choice(c, "sort", columns, &order.column);
	if (r >= 0)
		r = arg_bool(c, "desc", &order.down);
	if (r >= 0)
		r = arg_tracks(c, &tracks);
	filter.tracks = tracks;
	if (r == 0)
		r = zone_stats_put_all(c, &filter, &order, &page);
	free(tracks);
	return r;
}
