/* Plots and frames. */
#include "web/values.h"

#include <math.h>
#include <string.h>

static int plot_put(struct web_call *c, uint32_t track)
{
	const struct trace_track *t = &c->trace->tracks[track];
	struct value_range range = {NAN, NAN};
	struct json *j = &c->json;
	struct values *v;
	int r = values_of(c, track, &v);

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
		r = values_of(c, track, &v);
	if (r < 0)
		return r;
	call_begin(c);
	values_tile_put(c, v, t0, t1, NAN);
	json_end(&c->json);
	reply_cache(c, t1);
	return 0;
}

/* ----------------------------------------------------------------- frames */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void frame_stats_put(struct web_call *c, double *ns, size_t n)
{
	struct json *j = &c->json;
	double sum = 0;

	if (n)
		qsort(ns, n, sizeof(*ns), by_value);
	for (size_t i = 0; i < n; i++)
		sum += ns[i];
	json_object(j, "stats");
	json_uint(j, "count", n);
	json_double(j, "mean", n ? sum / (double)n : NAN);
	json_double(j, "median", n ? ns[(n - 1) / 2] : NAN);
	json_double(j, "p99", n ? ns[(n * 99 + 99) / 100 - 1] : NAN);
	json_double(j, "max", n ? ns[n - 1] : NAN);
	json_end(j);
}

#define FRAMES 20000u /* of one answer */

/* Frames side by side that are too short to be drawn alone are one row. */
struct frame_list {
	struct web_call *c;
	uint64_t room, least; /* rows left; ticks that a frame must have to stand alone */
	uint64_t start, end;
	uint64_t count;
	double longest; /* ns */
};

static void frames_flush(struct frame_list *l)
{
	struct json *j = &l->c->json;

	if (!l->count)
		return;
	json_array(j, NULL);
	json_ns(l->c, NULL, l->start);
	json_ns(l->c, NULL, l->end);
	if (l->count > 1) {
		json_uint(j, NULL, l->count);
		json_double(j, NULL, l->longest);
	}
	json_end(j);
	l->count = 0;
	l->room--;
}

static void frames_add(struct frame_list *l, const struct export_frame *f, double ns)
{
	if (l->count && f->end > l->start && f->end - l->start <= l->least) {
		l->end = f->end > l->end ? f->end : l->end;
		l->longest = ns > l->longest ? ns : l->longest;
		l->count++;
		return;
	}
	if (!l->room)
		return;
	frames_flush(l);
	l->start = f->start;
	l->end = f->end;
	l->longest = ns;
	l->count = l->room ? 1 : 0;
}

static int frames_put(struct web_call *c, uint32_t track, uint64_t t0, uint64_t t1,
		      struct frame_list *list)
{
	struct export_frames fold = {.pairs = c->trace->tracks[track].format == 1};
	struct {
		VEC(double);
	} ns = {0};
	struct export_frame frame;
	struct trace_row row;
	struct rows *rows;
	uint32_t ignored;
	int r = rows_open(&rows, c, 0, track, 0, t1);

	if (r < 0)
		return r;
	json_array(&c->json, "rows");
	while ((r = rows_next(rows, &row, &ignored)) > 0) {
		double length;

		if (!export_frames_row(&fold, &row, &frame) || frame.end <= t0)
			continue;
		length = trace_duration_ns(c->trace, frame.start, frame.end);
		r = vec_push(&ns, length);
		if (r < 0)
			break;
		frames_add(list, &frame, length);
	}
	frames_flush(list);
	json_end(&c->json);
	if (r == 0)
		frame_stats_put(c, ns.v, ns.n);
	rows_close(rows);
	vec_free(&ns);
	return r;
}

int call_frames(struct web_call *c)
{
	struct frame_list list = {.c = c, .room = FRAMES};
	uint64_t t0, t1, least = 0;
	uint32_t track;
	int r = arg_track_of(c, TRACE_FRAMES, &track);

	if (r == 0)
		r = arg_range(c, &t0, &t1);
	if (r == 0)
		r = arg_uint(c, "limit", FRAMES, &list.room);
	if (r >= 0)
		r = arg_uint(c, "least", INT64_MAX, &least);
	if (r < 0)
		return r;
	list.least = least ? trace_ticks(c->trace, (int64_t)least) - trace_ticks(c->trace, 0) : 0;
	call_begin(c);
	r = frames_put(c, track, t0, t1, &list);
	json_end(&c->json);
	return r;
}
