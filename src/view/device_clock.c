/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of a trace: position of a core, accuracy of its clock. */
#include "view/device_clock.h"
#include "trace/device_clock.h"
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

/* The worst bound of the points in [first, end); those that compare nothing do not count. */
static uint64_t points_bound(const struct device_clock *clock, size_t first, size_t end)
{
	uint64_t worst = DEVICE_CLOCK_UNKNOWN;

	for (size_t i = first; i < end && i < clock->n; i++) {
		uint64_t bound = clock->v[i].bound_ns;

		if (bound != DEVICE_CLOCK_UNKNOWN &&
		    (worst == DEVICE_CLOCK_UNKNOWN || bound > worst))
			worst = bound;
	}
	return worst;
}

int device_bound(struct view_call *c, uint32_t device, uint32_t process, uint64_t *bound)
{
	struct device_clock clock = {0};
	int r = trace_device_clock_find(c->trace, process, device, &clock);

	*bound = points_bound(&clock, 0, clock.n);
	device_clock_free(&clock);
	return r;
}

/* At most for a device: a long recording has many. */
#define POINTS 1000u

/* If there are more than POINTS, neighbours are merged, with their worst bound. */
static void points_put(struct view_call *c, const struct device_clock *clock)
{
	size_t step = clock->n / POINTS + (clock->n % POINTS != 0);

	json_array(&c->json, "clock");
	for (size_t i = 0; i < clock->n; i += step) {
		uint64_t bound = points_bound(clock, i, i + step);

		if (bound == DEVICE_CLOCK_UNKNOWN)
			continue;
		json_array(&c->json, NULL);
		json_ns(c, NULL, clock->v[i].ticks);
		json_uint(&c->json, NULL, bound);
		json_end(&c->json);
	}
	json_end(&c->json);
}

int device_clock_put(struct view_call *c, uint32_t device, uint32_t process)
{
	struct device_clock clock = {0};
	uint64_t bound, first, last;
	int r = trace_device_clock_find(c->trace, process, device, &clock);

	if (view_device_times(c->trace, device, TRACE_NONE, &first, &last)) {
		json_ns(c, "start", first);
		json_ns(c, "end", last);
	}
	bound = points_bound(&clock, 0, clock.n);
	if (bound == DEVICE_CLOCK_UNKNOWN)
		json_null(&c->json, "bound_ns");
	else
		json_uint(&c->json, "bound_ns", bound);
	json_uint(&c->json, "clock_total", bound == DEVICE_CLOCK_UNKNOWN ? 0 : clock.n);
	points_put(c, &clock);
	device_clock_free(&clock);
	return r;
}
