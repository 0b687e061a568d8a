/* SPDX-License-Identifier: Apache-2.0 */
/* The table of locks: how long threads waited for each and held it. */
#include "trace/names.h"
#include "view/call_args.h"
#include "view/lock_timeline.h"
#include "view/track_sums.h"

struct lock_figures {
	struct spans_figures sums[2]; /* holds, waits */
	uint64_t threads;
};

/* From the spans cached for the timeline. */
static int lock_figures(struct view_call *c, uint32_t track, uint64_t t0, uint64_t t1,
			struct lock_figures *f)
{
	struct lock *l;
	int r = lock_cached(c, track, &l);

	*f = (struct lock_figures){0};
	if (r < 0)
		return r;
	for (size_t i = 1; i < l->rows.n; i++)
		for (int what = HOLDS; what <= WAITS; what++) {
			struct spans_figures more =
				spans_figures(&l->rows.v[i]->spans[what], t0, t1);

			f->sums[what].count += more.count;
			f->sums[what].total += more.total;
			f->sums[what].longest = more.longest > f->sums[what].longest
							? more.longest
							: f->sums[what].longest;
		}
	f->threads = l->events.uses.n;
	return 0;
}

/* The same for many locks: only sums are computed. */
static int use_take(const struct track_sums *f, void *sums, const struct trace_row *row)
{
	(void)f;
	return view_lock_row(sums, row, NULL, NULL);
}

static void use_clear(void *sums)
{
	view_lock_free(sums);
}

static const struct track_sums_kind uses = {TRACK_SUMS_CACHE, .tracks = TRACE_LOCK,
					    .size = sizeof(struct view_lock), .take = use_take,
					    .clear = use_clear};

static struct lock_figures use_figures(const struct view_lock *l)
{
	if (!l)
		return (struct lock_figures){0};
	return (struct lock_figures){
		.sums = {[HOLDS] = {l->holds, l->hold_total, l->hold_max},
			 [WAITS] = {l->waits, l->wait_total, l->wait_max}},
		.threads = l->uses.n,
	};
}

const char *lock_name(const struct trace *t, uint32_t track)
{
	const struct trace_srcloc *loc = trace_srcloc_of(t, t->tracks[track].srcloc);

	if (t->tracks[track].name[0])
		return t->tracks[track].name;
	return loc->name[0] ? loc->name : loc->function;
}

static void lock_table_lock_put(struct view_call *c, uint32_t track, const struct lock_figures *f)
{
	const struct trace_track *t = &c->trace->tracks[track];
	const struct trace_srcloc *loc = trace_srcloc_of(c->trace, t->srcloc);
	struct json *j = &c->json;
	double tick = call_tick(c);

	json_object(j, NULL);
	json_uint(j, "track", track);
	json_text(j, "name", lock_name(c->trace, track));
	json_text(j, "file", loc->file);
	json_uint(j, "line", loc->line);
	json_uint(j, "waits", f->sums[WAITS].count);
	json_double(j, "wait_total", (double)f->sums[WAITS].total * tick);
	json_double(j, "max_wait", (double)f->sums[WAITS].longest * tick);
	json_uint(j, "holds", f->sums[HOLDS].count);
	json_double(j, "hold_total", (double)f->sums[HOLDS].total * tick);
	json_double(j, "max_hold", (double)f->sums[HOLDS].longest * tick);
	json_uint(j, "threads", f->threads);
	json_end(j);
}

int call_locks(struct view_call *c)
{
	struct track_sums *all = NULL;
	uint64_t t0, t1;
	int r = arg_range(c, &t0, &t1);

	if (r == 0 && track_sums_wanted(c, TRACE_LOCK))
		r = track_sums_of(c, &uses, t0, t1, &all);
	if (r < 0)
		return r;
	call_begin(c);
	json_array(&c->json, "rows");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++) {
		struct lock_figures f;

		if (c->trace->tracks[i].kind != TRACE_LOCK)
			continue;
		if (all)
			f = use_figures(track_sums_at(all, i));
		else
			r = lock_figures(c, i, t0, t1, &f);
		lock_table_lock_put(c, i, &f);
	}
	track_sums_put(all);
	json_end(&c->json);
	json_end(&c->json);
	return r;
}
