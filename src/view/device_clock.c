/* What is known of devices: where a core is, how well its clock is known. */
#include "view/device_clock.h"
#include "view/core_busy.h"

#include <stdio.h>
#include <string.h>

/* "Device 0, core 0,1 (NoC 1,2)/BRISC" has the logical place in its name. */
bool track_place(const struct trace_track *t, struct core_place *place)
{
	const char *core;

	if (t->kind != TRACE_CORE || TRACE_CORE_IS_OTHER(t->id))
		return false;
	*place = (struct core_place){.device = TRACE_CORE_DEVICE(t->id),
				     .x = TRACE_CORE_X(t->id),
				     .y = TRACE_CORE_Y(t->id)};
	core = strstr(t->name, "core ");
	place->ethernet = strstr(t->name, "ethernet") || strstr(t->name, "/ERISC");
	place->logical = core && strstr(core, "(NoC ") &&
			 sscanf(core, "core %u,%u", &place->lx, &place->ly) == 2;
	return true;
}

/* Calls POINT with each comparison of the device's clock with the host's. */
static int clock_points(struct view_call *c, uint32_t device, uint32_t process,
			void (*point)(void *context, const struct trace_row *row), void *context)
{
	const struct trace *t = c->trace;
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < t->track_count; i++) {
		if (t->tracks[i].kind != TRACE_OTHER || t->tracks[i].id != device ||
		    t->tracks[i].process != process || !strstr(t->tracks[i].name, " clock"))
			continue;
		r = trace_rows_open(&rows, c->trace, i, 0, UINT64_MAX);
		if (r < 0)
			break;
		while ((r = trace_rows_next(rows, &row, &track)) > 0)
			if (row.kind == TRACE_ROW_DEVICE_CLOCK && row.b != UINT64_MAX)
				point(context, &row);
		trace_rows_close(rows);
	}
	return r < 0 ? r : 0;
}

static void point_worst(void *context, const struct trace_row *row)
{
	uint64_t *worst = context;

	if (*worst == UINT64_MAX || row->b > *worst)
		*worst = row->b;
}

int device_bound(struct view_call *c, uint32_t device, uint32_t process, uint64_t *bound)
{
	*bound = UINT64_MAX;
	return clock_points(c, device, process, point_worst, bound);
}

/* Of a device: a long recording has many. */
#define POINTS 1000u

/* Of more than POINTS, several side by side are one, with the worst bound of them. */
struct points {
	struct view_call *c;
	uint64_t count, step;
	uint64_t seen, time, bound;
};

static void point_count(void *context, const struct trace_row *row)
{
	(void)row;
	((struct points *)context)->count++;
}

static void point_put(void *context, const struct trace_row *row)
{
	struct points *p = context;
	struct json *j = &p->c->json;

	if (p->seen++ % p->step == 0) {
		p->time = row->time;
		p->bound = 0;
	}
	p->bound = row->b > p->bound ? row->b : p->bound;
	if (p->seen % p->step && p->seen < p->count)
		return;
	json_array(j, NULL);
	json_ns(p->c, NULL, p->time);
	json_uint(j, NULL, p->bound);
	json_end(j);
}

int device_clock_put(struct view_call *c, uint32_t device, uint32_t process)
{
	struct points points = {.c = c};
	uint64_t bound = UINT64_MAX, first, last;
	int r = device_bound(c, device, process, &bound);

	if (view_device_times(c->trace, device, TRACE_NONE, &first, &last)) {
		json_ns(c, "start", first);
		json_ns(c, "end", last);
	}
	if (bound == UINT64_MAX)
		json_null(&c->json, "bound_ns");
	else
		json_uint(&c->json, "bound_ns", bound);
	if (r == 0)
		r = clock_points(c, device, process, point_count, &points);
	points.step = points.count / POINTS + (points.count % POINTS != 0);
	json_uint(&c->json, "clock_total", points.count);
	json_array(&c->json, "clock");
	if (r == 0)
		r = clock_points(c, device, process, point_put, &points);
	json_end(&c->json);
	return r;
}
