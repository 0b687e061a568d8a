/* What is known of devices: where a core is, how well its clock is known. */
#include "web/private.h"

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

int device_bound(struct web_call *c, uint32_t device, uint32_t process, uint64_t *bound)
{
	const struct trace *t = c->trace;
	uint64_t worst = UINT64_MAX;
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
			if (row.kind == TRACE_ROW_DEVICE_CLOCK && row.b != UINT64_MAX &&
			    (worst == UINT64_MAX || row.b > worst))
				worst = row.b;
		trace_rows_close(rows);
	}
	*bound = worst;
	return r < 0 ? r : 0;
}

int device_clock_put(struct web_call *c, uint32_t device, uint32_t process)
{
	uint64_t bound = UINT64_MAX;
	int r = device_bound(c, device, process, &bound);

	if (bound == UINT64_MAX)
		json_null(&c->json, "bound_ns");
	else
		json_uint(&c->json, "bound_ns", bound);
	return r;
}
