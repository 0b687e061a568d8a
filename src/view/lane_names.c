/* SPDX-License-Identifier: Apache-2.0 */
/* The names of a lane: the page folds depths that contain only names of libraries. */
#include "base/limits.h"
#include "view/lane_numbers.h"
#include "view/tiles.h"

/* Zones that one answer reads. A lane that has more is read in samples, from its first zone to its
 * last. */
#define ZONES   (1u << 20)
#define SAMPLES 64u
#define NAMES   200u /* names of a lane; further ones are left out */

struct lane_names {
	uint32_t v[NAMES];
	uint32_t n;
	bool many;
};

static void lane_names_add(struct lane_names *names, uint32_t name)
{
	for (uint32_t i = names->n; i > 0; i--)
		if (names->v[i - 1] == name)
			return;
	if (names->n < NAMES)
		names->v[names->n++] = name;
	else
		names->many = true;
}

static int lane_names_read(struct view_call *c, uint32_t lane, uint64_t from, uint64_t count,
			   struct lane_names *names)
{
	struct trace_cursor *cursor;
	struct trace_zone zone;
	int r = trace_cursor_open_at(&cursor, c->trace, lane, from);

	if (r < 0)
		return r;
	while (count-- && !names->many && (r = trace_cursor_next(cursor, &zone)) > 0)
		lane_names_add(names, zone.srcloc);
	trace_cursor_close(cursor);
	return r < 0 ? r : 0;
}

static int lane_read(struct view_call *c, uint32_t lane, uint64_t room, struct lane_names *names)
{
	uint64_t zones = c->trace->lanes[lane].zones, step = zones / SAMPLES;
	int r = 0;

	if (zones <= room)
		return lane_names_read(c, lane, 0, zones, names);
	for (uint64_t i = 0; r == 0 && i < SAMPLES && !names->many; i++)
		r = lane_names_read(c, lane, i * step, room / SAMPLES, names);
	return r;
}

int call_lane_names(struct view_call *c)
{
	uint32_t lanes[VIEW_LANES];
	struct json *j = &c->json;
	size_t count;
	int r = arg_numbers(c, "lanes", LIMIT_TRACKS, lanes, VIEW_LANES, &count);

	if (r == 0 || (r > 0 && !count))
		return call_fail(c, VIEW_BAD, "lanes is missing");
	if (r < 0)
		return r;
	r = 0;
	call_begin(c);
	json_array(j, "lanes");
	for (size_t i = 0; r == 0 && i < count && !call_gone(c); i++) {
		uint32_t lane = lane_place(c, lanes[i]);
		struct lane_names names = {.n = 0};

		if (lane == TRACE_NONE)
			continue;
		r = lane_read(c, lane, ZONES / count, &names);
		if (names.many)
			continue;
		json_array(j, NULL);
		json_uint(j, NULL, lanes[i]);
		json_array(j, NULL);
		for (uint32_t k = 0; k < names.n; k++)
			json_uint(j, NULL, names.v[k]);
		json_end(j);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	return r;
}
