/* Plots. */
#include "web/values.h"

#include <math.h>
#include <string.h>

static int plot_put(struct web_call *c, uint32_t track)
{
	const struct trace_track *t = &c->trace->tracks[track];
	struct value_range range = {NAN, NAN};
	struct json *j = &c->json;
	struct values *v;
	int r = plot_of(c, track, &v);

	if (r < 0)
		return r;
	if (v->n)
		range = values_range(v, 0, v->n);
	json_object(j, NULL);
	json_uint(j, "track", track);
	json_text(j, "name", t->name);
	json_uint(j, "format", t->format);
	json_uint(j, "flags", t->flags);
	json_uint(j, "color", t->color);
	json_uint(j, "count", v->n);
	json_double(j, "min", range.min);
	json_double(j, "max", range.max);
	json_double(j, "last", v->n ? v->v[v->n - 1].value : NAN);
	json_end(j);
	return 0;
}

int call_plots(struct web_call *c)
{
	int r = 0;

	call_begin(c);
	json_array(&c->json, "rows");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++)
		if (c->trace->tracks[i].kind == TRACE_PLOT)
			r = plot_put(c, i);
	json_end(&c->json);
	json_end(&c->json);
	return r;
}

int arg_track_of(struct web_call *c, uint32_t kind, uint32_t *track)
{
	int r = arg_track(c, track);

	if (r < 0)
		return r;
	if (*track == TRACE_NONE)
		return call_fail(c, 400, "track is missing");
	if (c->trace->tracks[*track].kind != kind)
		return call_fail(c, 404, "this track is of another kind");
	return 0;
}

int call_plot(struct web_call *c)
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
	reply_cache(c, t1);
	return 0;
}
