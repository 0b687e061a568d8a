/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the clock points of a device, for reports, verbs and the viewer. */
#include "trace/device_clock.h"

int trace_device_clock(struct trace *trace, uint32_t track, struct device_clock *clock)
{
	double ns = trace_duration_ns(trace, trace->start, trace->end);
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t of;
	int r;

	clock->rate = ns > 0 ? (double)(trace->end - trace->start) * 1e9 / ns : 1e9;
	if (trace->tracks[track].kind != TRACE_OTHER)
		return 0;
	r = trace_rows_open(&rows, trace, track, 0, UINT64_MAX);
	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_rows_next(rows, &row, &of)) > 0) {
		if (row.kind != TRACE_ROW_DEVICE_CLOCK) {
			if (!clock->n)
				break; /* a track of something else, perhaps a long one */
			continue;
		}
		clock->mhz = (uint32_t)row.c;
		r = device_clock_add(clock, &(struct device_point){row.time, row.a, row.b});
	}
	trace_rows_close(rows);
	return r < 0 ? r : 0;
}

int trace_device_clock_find(struct trace *t, uint32_t process, uint32_t device,
			    struct device_clock *clock)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && !clock->n && i < t->track_count; i++)
		if (t->tracks[i].id == device &&
		    (process == TRACE_NONE || t->tracks[i].process == process))
			r = trace_device_clock(t, i, clock);
	return r;
}

int trace_clocks_find(struct trace_clocks *c, struct trace *trace, uint32_t process,
		      uint32_t device, const struct device_clock **clock)
{
	struct trace_clock found = {.process = process, .device = device};
	int r;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].process == process && c->v[i].device == device) {
			*clock = &c->v[i].clock;
			return 0;
		}
	r = trace_device_clock_find(trace, process, device, &found.clock);
	if (r == 0)
		r = vec_push(c, found);
	if (r < 0)
		device_clock_free(&found.clock);
	else
		*clock = &c->v[c->n - 1].clock;
	return r;
}

void trace_clocks_free(struct trace_clocks *c)
{
	for (size_t i = 0; i < c->n; i++)
		device_clock_free(&c->v[i].clock);
	vec_free(c);
}

int trace_marker_time(struct trace_clocks *c, struct trace *trace, uint32_t track,
		      struct trace_row *row)
{
	const struct trace_track *t = &trace->tracks[track];
	const struct device_clock *clock;
	int r = trace_clocks_find(c, trace, t->process, TRACE_CORE_DEVICE(t->id), &clock);

	if (r == 0 && clock->n)
		row->time = device_clock_ticks(clock, row->a);
	return r;
}
