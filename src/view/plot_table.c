/* SPDX-License-Identifier: Apache-2.0 */
/* Plots. */
#include "view/plot_values.h"
#include "view/tiles.h"
#include "view/track_sums.h"

#include <math.h>

struct plot_sums {
	uint64_t count;
	double min, max, last;
};

static int plot_table_sums_take(const struct track_sums *f, void *context,
				const struct trace_row *row)
{
	struct plot_sums *s = context;
	double value;

	(void)f;
	if (!plot_value(row, &value))
		return 0;
	s->min = s->count && s->min < value ? s->min : value;
	s->max = s->count && s->max > value ? s->max : value;
	s->last = value;
	s->count++;
	return 0;
}

static const struct track_sums_kind plot_figures = {TRACK_SUMS_CACHE, .tracks = TRACE_PLOT,
						    .size = sizeof(struct plot_sums),
						    .take = plot_table_sums_take};

static int plot_sums(struct view_call *c, uint32_t track, struct plot_sums *sums)
{
	struct values *v;
	int r = plot_of(c, track, &v);

	*sums = (struct plot_sums){0};
	if (r == 0 && v->n) {
		struct value_range range = values_range(v, 0, v->n);

		*sums = (struct plot_sums){v->n, range.min, range.max, v->v[v->n - 1].value};
	}
	return r;
}

static void plot_put(struct view_call *c, uint32_t track, const struct plot_sums *sums)
{
	const struct trace_track *t = &c->trace->tracks[track];
	bool any = sums && sums->count;
	struct json *j = &c->json;

	json_object(j, NULL);
	json_uint(j, "track", track);
	json_text(j, "name", t->name);
	json_uint(j, "format", t->format);
	json_uint(j, "flags", t->flags);
	json_uint(j, "color", t->color);
	json_uint(j, "count", any ? sums->count : 0);
	json_double(j, "min", any ? sums->min : NAN);
	json_double(j, "max", any ? sums->max : NAN);
	json_double(j, "last", any ? sums->last : NAN);
	json_end(j);
}

int call_plots(struct view_call *c)
{
	struct track_sums *all = NULL;
	int r = track_sums_wanted(c, TRACE_PLOT)
			? track_sums_of(c, &plot_figures, 0, UINT64_MAX, &all)
			: 0;

	if (r < 0)
		return r;
	call_begin(c);
	json_array(&c->json, "rows");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++) {
		struct plot_sums sums;

		if (c->trace->tracks[i].kind != TRACE_PLOT)
			continue;
		if (!all)
			r = plot_sums(c, i, &sums);
		plot_put(c, i, all ? track_sums_at(all, i) : &sums);
	}
	track_sums_put(all);
	json_end(&c->json);
	json_end(&c->json);
	return r;
}

int arg_track_of(struct view_call *c, uint32_t kind, uint32_t *track)
{
	int r = arg_track(c, track);

	if (r < 0)
		return r;
	if (*track == TRACE_NONE)
		return call_fail(c, VIEW_BAD, "track is missing");
	if (c->trace->tracks[*track].kind != kind)
		return call_fail(c, VIEW_MISSING, "this track is of another kind");
	return 0;
}

int call_plot(struct view_call *c)
{
	uint64_t t0, t1;
	struct values *v;
	uint32_t track;
	int r = arg_track_of(c, TRACE_PLOT, &track);

	if (r == 0)
		r = arg_tile(c, &t0, &t1);
	if (r == 0)
		r = plot_of(c, track, &v);
	if (r < 0)
		return r;
	call_begin(c);
	values_tile_put(c, v, t0, t1, NAN);
	json_end(&c->json);
	answer_cache(c, t1);
	return 0;
}
