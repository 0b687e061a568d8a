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
