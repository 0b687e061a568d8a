/* SPDX-License-Identifier: Apache-2.0 */
/* One zone: its figures, attachments and surroundings. */
#include "op/messages.h"
#include "view/call_args.h"
#include "view/lane_numbers.h"
#include "view/sample_query.h"
#include "view/zone_stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHILDREN   100u    /* that are listed */
#define NEIGHBOURS 200000u /* zones to search for the next of the same name */

/* Zone number INDEX of LANE, and the cursor after it. */
static int zone_at(struct view_call *c, uint32_t lane, uint64_t index, struct trace_cursor **cursor,
		   struct trace_zone *zone)
{
	int r = trace_cursor_open_at(cursor, c->trace, lane, index);

	if (r < 0)
		return r;
	r = trace_cursor_next(*cursor, zone);
	if (r <= 0) {
		trace_cursor_close(*cursor);
		*cursor = NULL;
	}
	return r;
}

/* The lane of the same track at another depth, or TRACE_NONE. */
static uint32_t lane_at_depth(const struct trace *t, uint32_t lane, int64_t depth)
{
	uint32_t first, count;

	trace_track_lanes(t, t->lanes[lane].track, &first, &count);
	if (depth >= 0 && depth < count && t->lanes[first + depth].depth == depth)
		return first + (uint32_t)depth; /* usually no depth is skipped */
	for (uint32_t i = first; i < first + count; i++)
		if (t->lanes[i].depth == depth)
			return i;
	return TRACE_NONE;
}

static void relative_put(struct view_call *c, const struct trace_cursor *cursor, uint32_t lane,
			 const struct trace_zone *zone)
{
	struct json *j = &c->json;

	json_object(j, NULL);
	json_uint(j, "lane", lane_number(c, lane));
	json_uint(j, "idx", trace_cursor_number(cursor));
	json_uint(j, "name", zone->srcloc);
	json_ns(c, "start", zone->start);
	json_ns(c, "end", zone->end);
	json_end(j);
}

/* The number after "id:" in the text of an op's zone. */
static bool call_in_text(const struct trace_extra *e, uint64_t *call)
{
	const char *at = e->kind == TRACE_EXTRA_TEXT ? memmem(e->text, e->len, "id:", 3) : NULL;
	size_t left = at ? e->len - (size_t)(at + 3 - e->text) : 0;
	uint64_t n = 0;

	if (!left || at[3] < '0' || at[3] > '9')
		return false;
	for (at += 3; left && *at >= '0' && *at <= '9'; at++, left--)
		n = n * 10 + (uint64_t)(*at - '0');
	*call = n;
	return true;
}

/*
 * The call count of the op that a zone itself names: the outermost zone of a RISC by its first
 * value, that of an op on the host by its text.
 */
static bool call_named(struct view_call *c, struct trace_cursor *cursor, uint32_t lane,
		       const struct trace_zone *zone, uint64_t *call)
{
	const struct trace_lane_info *l = &c->trace->lanes[lane];
	bool core = c->trace->tracks[l->track].kind == TRACE_CORE;
	const char *name = trace_srcloc_name(c->trace, zone->srcloc);
	struct trace_extra e;

	if (core ? l->depth > 0 : !op_zone_is_op(name, strlen(name)))
		return false;
	for (uint32_t i = 0; i < zone->extras && i < VIEW_ROWS; i++) {
		if (trace_cursor_extra(cursor, i, &e) < 0)
			return false;
		if (core && e.kind == TRACE_EXTRA_VALUE) {
			*call = e.value;
			return e.value != 0;
		}
		if (!core && call_in_text(&e, call))
			return true;
	}
	return false;
}

/* Lists the zones around a zone, and finds *CALL of the op in them unless it is KNOWN. */
static int ancestors_put(struct view_call *c, uint32_t lane, const struct trace_zone *zone,
			 bool *known, uint64_t *call)
{
	int64_t depth = (int64_t)c->trace->lanes[lane].depth;
	unsigned listed = 0;
	int r = 0;

	json_array(&c->json, "ancestors");
	while (r >= 0 && depth-- > 0 && listed++ < VIEW_ROWS) {
		uint32_t up = lane_at_depth(c->trace, lane, depth);
		struct trace_cursor *cursor;
		struct trace_zone z;

		if (up == TRACE_NONE)
			break;
		r = trace_cursor_open(&cursor, c->trace, up, zone->start, zone->start + 1);
		if (r < 0)
			break;
		/* The last zone that starts at or before it and ends at or after it. */
		while ((r = trace_cursor_next(cursor, &z)) > 0)
			if (z.start <= zone->start && z.end >= zone->end) {
				relative_put(c, cursor, up, &z);
				*known = *known || call_named(c, cursor, up, &z, call);
				break;
			}
		trace_cursor_close(cursor);
	}
	json_end(&c->json);
	return r < 0 ? r : 0;
}

/* Lists the zones directly inside and sums their time up. */
static int children_put(struct view_call *c, uint32_t lane, const struct trace_zone *zone,
			uint64_t *inside)
{
	uint32_t down = lane_at_depth(c->trace, lane, (int64_t)c->trace->lanes[lane].depth + 1);
	struct trace_cursor *cursor = NULL;
	struct trace_zone z;
	uint64_t total = 0;
	int r = 0;

	*inside = 0;
	json_array(&c->json, "children");
	if (down != TRACE_NONE)
		r = trace_cursor_open(&cursor, c->trace, down, zone->start, zone->end);
	while (cursor && (r = trace_cursor_next(cursor, &z)) > 0) {
		if (z.start < zone->start || z.end > zone->end)
			continue;
		*inside += z.end - z.start;
		if (total++ < CHILDREN)
			relative_put(c, cursor, down, &z);
		if (total % 65536 == 0 && call_gone(c))
			break;
	}
	trace_cursor_close(cursor);
	json_end(&c->json);
	json_uint(&c->json, "children_total", total);
	return r < 0 ? r : 0;
}

/* The functions that called it, one per line. */
static int zone_stack_put(struct view_call *c, uint32_t stack)
{
	struct buf text = BUF_INIT;
	struct profile *p;
	int r = profile_cached(c, &p);

	if (r < 0)
		return r;
	profile_stack_text(p, stack, "\n", &text);
	json_object(&c->json, NULL);
	json_text(&c->json, "kind", "stack");
	json_string(&c->json, "text", text.data, text.len);
	json_end(&c->json);
	buf_free(&text);
	return 0;
}

static int extras_put(struct view_call *c, struct trace_cursor *cursor,
		      const struct trace_zone *zone)
{
	static const char *const kinds[] = {"name", "text", "color", "value"};
	struct json *j = &c->json;
	struct trace_extra e;
	int r = 0;

	json_array(j, "extras");
	for (uint32_t i = 0; r == 0 && i < zone->extras && i < VIEW_ROWS; i++) {
		char text[32];

		r = trace_cursor_extra(cursor, i, &e);
		if (r == 0 && e.kind == TRACE_EXTRA_STACK)
			r = zone_stack_put(c, (uint32_t)e.value);
		if (r < 0 || e.kind > TRACE_EXTRA_VALUE)
			continue;
		json_object(j, NULL);
		json_text(j, "kind", kinds[e.kind]);
		if (e.kind == TRACE_EXTRA_NAME || e.kind == TRACE_EXTRA_TEXT) {
			json_string(j, "text", e.text, e.len);
		} else {
			snprintf(text, sizeof(text),
				 e.kind == TRACE_EXTRA_COLOR ? "#%06" PRIx64 : "%" PRIu64, e.value);
			json_text(j, "value", text);
		}
		json_end(j);
	}
	json_end(j);
	return r;
}

/* The nearest zone of the same name after CURSOR, among the next few. */
static int next_put(struct view_call *c, struct trace_cursor *cursor, uint32_t srcloc)
{
	struct trace_zone z;
	int r = 0;

	for (uint32_t i = 0; i < NEIGHBOURS && (r = trace_cursor_next(cursor, &z)) > 0; i++)
		if (z.srcloc == srcloc) {
			json_uint(&c->json, "next", trace_cursor_number(cursor));
			return 0;
		}
	json_null(&c->json, "next");
	return r < 0 ? r : 0;
}

/* The same before zone INDEX: windows that grow, each read forwards. */
static int prev_put(struct view_call *c, uint32_t lane, uint64_t index, uint32_t srcloc)
{
	uint64_t found = UINT64_MAX, low = index, seen = 0;
	int r = 0;

	for (uint64_t step = 64; r >= 0 && low && found == UINT64_MAX && seen < NEIGHBOURS;
	     step *= 4) {
		uint64_t high = low;
		struct trace_cursor *cursor;
		struct trace_zone z;

		low = high > step ? high - step : 0;
		seen += high - low;
		r = trace_cursor_open_at(&cursor, c->trace, lane, low);
		if (r < 0)
			break;
		for (uint64_t i = low; i < high && (r = trace_cursor_next(cursor, &z)) > 0; i++)
			if (z.srcloc == srcloc && trace_cursor_number(cursor) < high)
				found = trace_cursor_number(cursor);
		trace_cursor_close(cursor);
	}
	if (found == UINT64_MAX)
		json_null(&c->json, "prev");
	else
		json_uint(&c->json, "prev", found);
	return r < 0 ? r : 0;
}

static void zone_detail_track_sums_put(struct view_call *c, uint32_t lane, uint64_t index,
				       const struct trace_zone *zone)
{
	struct json *j = &c->json;

	json_uint(j, "lane", lane_number(c, lane));
	json_uint(j, "idx", index);
	json_uint(j, "track", c->trace->lanes[lane].track);
	json_uint(j, "depth", c->trace->lanes[lane].depth);
	json_uint(j, "name", zone->srcloc);
	json_ns(c, "start", zone->start);
	json_ns(c, "end", zone->end);
	json_duration(c, "duration", zone->start, zone->end);
	json_object(j, "flags");
	json_bool(j, "unfinished", zone->flags & TRACE_ZONE_UNFINISHED);
	json_bool(j, "end_lost", zone->flags & TRACE_ZONE_END_LOST);
	json_end(j);
}

/* A zone that is open has a name and a start. */
static int open_put(struct view_call *c, uint32_t number)
{
	const struct trace_open_zone *open = lane_open_zone(c, number);
	struct json *j = &c->json;

	if (!open)
		return call_fail(c, VIEW_MISSING, "there is no such zone");
	call_begin(c);
	json_uint(j, "lane", number);
	json_uint(j, "idx", VIEW_OPEN);
	json_uint(j, "track", open->track);
	json_uint(j, "depth", open->depth);
	json_uint(j, "name", open->srcloc);
	json_ns(c, "start", open->start);
	json_ns(c, "end", c->trace->end);
	json_duration(c, "duration", open->start, c->trace->end);
	json_null(j, "self");
	json_object(j, "flags");
	json_bool(j, "unfinished", true);
	json_bool(j, "end_lost", false);
	json_end(j);
	json_array(j, "extras");
	json_end(j);
	json_array(j, "ancestors");
	json_end(j);
	json_array(j, "children");
	json_end(j);
	json_uint(j, "children_total", 0);
	json_null(j, "prev");
	json_null(j, "next");
	json_end(j);
	return 0;
}

int call_zone(struct view_call *c)
{
	struct trace_cursor *cursor;
	struct trace_zone zone;
	uint64_t index, inside, call = 0, wait = 0;
	bool known;
	uint32_t lane;
	int r = arg_need(c, "idx", INT64_MAX, &index);

	if (r == 0 && index == VIEW_OPEN) {
		r = arg_need(c, "lane", UINT32_MAX, &inside);
		return r < 0 ? r : open_put(c, (uint32_t)inside);
	}
	if (r == 0)
		r = arg_lane(c, &lane);
	if (r < 0)
		return r;
	r = zone_at(c, lane, index, &cursor, &zone);
	if (r <= 0)
		return r < 0 ? r : call_fail(c, VIEW_MISSING, "there is no such zone");
	call_begin(c);
	zone_detail_track_sums_put(c, lane, index, &zone);
	r = extras_put(c, cursor, &zone);
	known = call_named(c, cursor, lane, &zone, &call);
	if (r == 0)
		r = ancestors_put(c, lane, &zone, &known, &call);
	if (r == 0 && known) {
		/* The op as /op takes it; replays share a call count, so the time distinguishes
		 * them. */
		char text[64];

		snprintf(text, sizeof(text), "c%" PRIu64 "@%" PRId64, call,
			 trace_ns(c->trace, zone.start));
		json_text(&c->json, "op", text);
		snprintf(text, sizeof(text), "%" PRIu64, call);
		json_text(&c->json, "op_call", text);
	}
	if (r == 0)
		r = children_put(c, lane, &zone, &inside);
	if (r == 0) {
		double whole = trace_duration_ns(c->trace, zone.start, zone.end);
		double ticks = (double)(zone.end - zone.start);

		double self = ticks - (double)inside, share;

		r = waits_of_zone(c, c->trace->lanes[lane].track, c->trace->lanes[lane].depth,
				  zone.start, &wait);
		share = ticks ? fmin((double)wait, self) / ticks : 0;
		json_double(&c->json, "self", ticks ? whole * (self / ticks - share) : 0);
		json_double(&c->json, "wait", whole * share);
	}
	if (r == 0) {
		r = prev_put(c, lane, index, zone.srcloc);
	}
	if (r == 0)
		r = next_put(c, cursor, zone.srcloc);
	json_end(&c->json);
	trace_cursor_close(cursor);
	return r;
}

/* -------------------------------------------------------------------- hit */

/*
 * The zone nearest to T within REACH ticks. The index answers, so the cost is constant; of zones
 * merged in it the longest is meant.
 */
static int hit_find(struct view_call *c, uint32_t lane, uint64_t t, uint64_t reach, uint64_t *index)
{
	uint64_t t0 = t > reach ? t - reach : 0, nearest = UINT64_MAX;
	struct trace_lod_item *items = NULL;
	size_t count = 0, cap = 0;
	int r = trace_lod_query(c->lod, lane, t0, t + reach + 1, 8, &items, &count, &cap);

	for (size_t i = 0; i < count; i++) {
		uint64_t start = items[i].start, end = items[i].end;
		uint64_t d = t < start ? start - t : t < end || t == start ? 0 : t - end + 1;

		if (d <= nearest) {
			nearest = d;
			*index = items[i].index;
		}
	}
	free(items);
	return r < 0 ? r : nearest != UINT64_MAX;
}

static int hit_put(struct view_call *c, uint32_t lane, uint64_t index)
{
	struct trace_cursor *cursor;
	struct trace_zone zone;
	int r = zone_at(c, lane, index, &cursor, &zone);

	if (r <= 0)
		return r;
	json_uint(&c->json, "idx", index);
	json_ns(c, "start", zone.start);
	json_ns(c, "end", zone.end);
	json_uint(&c->json, "name", zone.srcloc);
	trace_cursor_close(cursor);
	return 1;
}

int call_hit(struct view_call *c)
{
	uint64_t t, reach, index = 0;
	uint32_t lane;
	int r = arg_lane(c, &lane);

	if (r == 0)
		r = arg_moment(c, &t, &reach);
	if (r < 0)
		return r;
	r = hit_find(c, lane, t, reach, &index);
	call_begin(c);
	if (r > 0)
		r = hit_put(c, lane, index);
	if (r == 0)
		json_null(&c->json, "idx");
	json_end(&c->json);
	return r < 0 ? r : 0;
}
