/* SPDX-License-Identifier: Apache-2.0 */
/* Show the accuracy of device clocks. */
#include "base/fmt.h"
#include "base/order.h"
#include "cmds/info.h"
#include "trace/device_clock.h"
#include "trace/names.h"

#include <stdlib.h>

/* Bounds in the middle of all pieces, where they are largest; sorted. The caller frees them. */
static uint64_t *bounds_of(const struct device_clock *clock, size_t *count)
{
	uint64_t *bounds = malloc((clock->n + 1) * sizeof(*bounds));

	*count = 0;
	for (size_t i = 0; bounds && i < clock->n; i++) {
		uint64_t from = clock->v[i].cycles,
			 to = i + 1 < clock->n ? clock->v[i + 1].cycles : from;

		if (to > from || clock->n == 1)
			bounds[(*count)++] = device_clock_bound(clock, from + (to - from) / 2);
	}
	if (*count)
		qsort(bounds, *count, sizeof(*bounds), order_u64);
	return bounds;
}

static void add_bound(struct table *t, uint64_t bound)
{
	if (bound == DEVICE_CLOCK_UNKNOWN)
		table_none(t);
	else
		table_real(t, (double)bound);
}

static int clock_columns_add(struct table *t, struct trace *trace, uint32_t track)
{
	struct device_clock clock = {0};
	uint64_t *bounds;
	size_t n;
	int r = trace_device_clock(trace, track, &clock);

	bounds = r < 0 || !clock.n ? NULL : bounds_of(&clock, &n);
	if (bounds && n) {
		table_uint(t, trace_process_of(trace, track)->pid);
		table_text(t, trace->tracks[track].name);
		table_uint(t, clock.mhz);
		table_uint(t, clock.n);
		add_bound(t, bounds[n / 2]);
		add_bound(t, bounds[n - 1]);
		r = table_row(t);
	} else if (r >= 0 && clock.n && !bounds) {
		r = TACHO_ENOMEM;
	}
	free(bounds);
	device_clock_free(&clock);
	return r < 0 ? r : 0;
}

int info_clocks(struct query *q)
{
	static const struct table_column columns[] = {
		{"pid", "pid", TABLE_ID},        {"clock", "clock", TABLE_STRING},
		{"mhz", "MHz", TABLE_COUNT},     {"points", "points", TABLE_COUNT},
		{"bound_ns", "bound", TABLE_NS}, {"worst_ns", "worst", TABLE_NS},
	};
	struct table t;
	int r = 0;

	table_open(&t, stdout, &q->style, TABLE_COLUMNS(columns));
	for (uint32_t i = 0; i < q->trace->track_count && r == 0; i++)
		r = clock_columns_add(&t, q->trace, i);
	if (r == 0)
		return table_close(&t);
	table_close(&t);
	return r;
}
