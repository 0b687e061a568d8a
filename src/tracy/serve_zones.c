/* SPDX-License-Identifier: Apache-2.0 */
/* Send the zones of a track as begins and ends. */
#include "base/search.h"
#include "tracy/device.h"
#include "tracy/serve.h"

#include <stdio.h>
#include <stdlib.h>

#define OPS_MAX       16384 /* op ids: leaves half of a viewer's locations to others */
#define ZONES_AT_ONCE 1024
#define LATE_MAX      (48u << 10) /* bytes of attachments to send when a zone ends */

static void add_string(const struct serve *s, struct buf *b, int64_t string, bool end)
{
	const struct string_entry *e = string < 0 ? NULL : &s->model->strings.list.v[string];

	if (e)
		buf_add(b, s->model->strings.text.data + e->at, e->len);
	if (end)
		buf_addc(b, 0);
}

/* A run-time source location: colour, line, function, file, name. FUNCTION may be NULL. */
static void put_payload(struct serve *s, const struct out_srcloc *l, const char *function)
{
	uint32_t rgb = color_to_bgr(l->color);
	struct buf b = BUF_INIT;

	buf_add(&b, &rgb, 4);
	buf_add(&b, &l->line, 4);
	if (function)
		buf_add(&b, function, strlen(function) + 1);
	else
		add_string(s, &b, l->function, true);
	add_string(s, &b, l->file, true);
	add_string(s, &b, l->name, false);
	serve_bytes(s, WIRE_SRCLOC_PAYLOAD, 0, b.data, b.len);
	s->failed |= b.failed;
	buf_free(&b);
}

/* ------------------------------------------------------------ attachments */

static void serve_zones_extra_add(struct serve *s, struct buf *to, const struct trace_extra *e)
{
	const struct wire_protocol *p = &s->protocol;
	enum wire_kind kind = e->kind == TRACE_EXTRA_NAME ? WIRE_ZONE_NAME : WIRE_ZONE_TEXT;

	if (e->kind > TRACE_EXTRA_VALUE)
		return; /* stacks are not served */
	if (e->kind == TRACE_EXTRA_VALUE) {
		wire_put(to, p, WIRE_ZONE_VALUE, &e->value);
	} else if (e->kind == TRACE_EXTRA_COLOR) {
		uint64_t v[3] = {e->value & 0xff, e->value >> 8 & 0xff, e->value >> 16 & 0xff};

		wire_put(to, p, WIRE_ZONE_COLOR, v);
	} else {
		wire_put_bytes(to, p, WIRE_SINGLE_STRING, 0, e->text, e->len);
		wire_put(to, p, kind, NULL);
	}
}

/* Attachment I of a zone; the name that its location has lost, if any, is the first. */
static int extra_of(const struct serve *s, const struct serve_lane *l, uint32_t i,
		    struct trace_extra *e)
{
	int64_t folded = s->model->folded[l->zone.srcloc];

	if (folded >= 0 && i == 0) {
		const struct string_entry *name = &s->model->strings.list.v[folded];

		*e = (struct trace_extra){.kind = TRACE_EXTRA_NAME,
					  .len = name->len,
					  .text = s->model->strings.text.data + name->at};
		return 0;
	}
	i -= folded >= 0;
	return i < l->zone.extras ? trace_cursor_extra(l->cursor, i, e) : TACHO_ENO;
}

/* ---------------------------------------------------------- begins and ends */

static bool is_device(const struct serve *s)
{
	return s->trace->tracks[s->track].kind == TRACE_CORE;
}

/* The time of each device begin or end follows it. */
static void device_time(struct serve *s, int64_t time)
{
	uint16_t *query = &s->queries.v[s->context];

	SERVE_PUT(s, WIRE_GPU_TIME, serve_step_time(&s->gpu_time, time), *query, s->context);
	(*query)++;
}

/* "OP ID:1024"; NULL if there is no op, or no room for it in a viewer. */
static const char *op_function(struct serve *s, const struct serve_lane *l, char *text, size_t size)
{
	uint64_t id;

	if (l->depth || !l->cursor ||
	    !device_op(s->trace, s->track, l->zone.srcloc, l->zone.extras, l->cursor, &id))
		return NULL;
	if (!map_get(&s->ops, id) && (s->ops.n >= OPS_MAX || map_set(&s->ops, id, 1) < 0))
		return NULL;
	snprintf(text, size, DEVICE_OP_FUNCTION, (unsigned long long)id);
	return text;
}

/* From version 82 on there is an item per width of a time; LONG is followed by the other two. */
static void put_time(struct serve *s, enum wire_kind kind, int64_t time, uint64_t pointer)
{
	int64_t delta = (int64_t)serve_step_time(&s->thread_time, time);

	if (s->protocol.short_items && delta >= 0) {
		if (delta < WIRE_OFFSET16)
			kind += 2;
		else if (delta < WIRE_OFFSET32)
			kind++, delta -= WIRE_OFFSET16;
		else
			delta -= WIRE_OFFSET32;
	}
	SERVE_PUT(s, kind, (uint64_t)delta, pointer);
}

static void thread_begin(struct serve *s, uint32_t srcloc, int64_t time)
{
	uint64_t pointer;
	const struct out_srcloc *l = serve_srcloc(s, srcloc, &pointer);

	if (pointer) {
		put_time(s, WIRE_ZONE_BEGIN, time, pointer);
	} else {
		put_payload(s, l, NULL);
		SERVE_PUT(s, WIRE_ZONE_BEGIN_ALLOC, serve_step_time(&s->thread_time, time));
	}
}

/* Ends the innermost zone at TIME. */
static void end_top(struct serve *s, struct serve_track *t, int64_t time)
{
	struct serve_zone *z = &t->open.v[--t->open.n];

	if (is_device(s)) {
		SERVE_PUT(s, WIRE_GPU_END_SERIAL, serve_step_time(&s->serial_time, time), s->queue,
			  s->queries.v[s->context], s->context);
		device_time(s, time);
	} else {
		if (z->late.len)
			serve_append(s, &z->late);
		put_time(s, WIRE_ZONE_END, time, 0);
	}
	buf_free(&z->late);
}

static int serve_zones_begin(struct serve *s, struct serve_track *t, const struct serve_lane *l)
{
	const struct trace_zone *zone = &l->zone;
	struct serve_zone z = {.start = zone->start, .late = BUF_INIT, .end = ZONE_OPEN};
	int64_t time = serve_tick(s, zone->start);

	if (l->cursor)
		z.end = zone->flags & TRACE_ZONE_UNFINISHED ? ZONE_NEVER : serve_tick(s, zone->end);
	s->unended |= z.end == ZONE_NEVER;
	if (vec_reserve(&t->open, t->open.n + 1) < 0)
		return TACHO_ENOMEM;
	if (is_device(s)) {
		char function[40];
		uint64_t pointer;

		put_payload(s, serve_srcloc(s, l->zone.srcloc, &pointer),
			    op_function(s, l, function, sizeof(function)));
		SERVE_PUT(s, WIRE_GPU_BEGIN_ALLOC_SERIAL, serve_step_time(&s->serial_time, time),
			  s->queue, s->queries.v[s->context], s->context);
		device_time(s, time);
	} else {
		thread_begin(s, zone->srcloc, time);
		if (l->cursor && (zone->extras || s->model->folded[zone->srcloc] >= 0)) {
			struct buf items = BUF_INIT;
			struct trace_extra e;

			for (uint32_t i = 0; extra_of(s, l, i, &e) == 0; i++) {
				serve_zones_extra_add(s, &items, &e);
				serve_append(s, &items);
				buf_reset(&items);
			}
			buf_free(&items);
		}
	}
	t->open.v[t->open.n++] = z;
	return 0;
}

static int serve_zones_take(struct serve *s, struct serve_track *t, const struct serve_lane *l)
{
	struct serve_zone *same = l->depth < t->open.n ? &t->open.v[l->depth] : NULL;

	if (same && same->end == ZONE_OPEN && same->start == l->zone.start) {
		if (l->cursor) {
			struct trace_extra e;

			/* Ends a zone that was sent as open. */
			same->end = l->zone.flags & TRACE_ZONE_UNFINISHED
					    ? ZONE_NEVER
					    : serve_tick(s, l->zone.end);
			s->unended |= same->end == ZONE_NEVER;
			for (uint32_t i = 0; !is_device(s) && same->late.len < LATE_MAX; i++) {
				if (extra_of(s, l, i, &e) < 0)
					break;
				serve_zones_extra_add(s, &same->late, &e);
			}
		}
		return 0;
	}
	while (t->open.n > l->depth && t->open.v[t->open.n - 1].end != ZONE_NEVER) {
		int64_t end = t->open.v[t->open.n - 1].end;

		/* If another zone begins beside one without a known end, that end was lost. */
		end_top(s, t, end == ZONE_OPEN ? serve_tick(s, l->zone.start) : end);
	}
	return serve_zones_begin(s, t, l);
}

/* ------------------------------------------------------------------ a track */

/* Opens the lane of a depth if it has unsent zones. */
static int open_lane(struct serve *s, struct serve_track *t, uint32_t lane)
{
	const struct trace_lane_info *info = &s->trace->lanes[lane];
	struct serve_lane l = {.depth = info->depth, .zones = info->zones};
	int r = 0;

	while (t->taken.n <= info->depth && r == 0)
		r = vec_push(&t->taken, 0);
	if (r < 0 || t->taken.v[info->depth] >= info->zones)
		return r;
	r = trace_cursor_open_at(&l.cursor, s->trace, lane, t->taken.v[info->depth]);
	if (r == 0)
		r = trace_cursor_next(l.cursor, &l.zone);
	if (r > 0)
		return vec_push(&s->lanes, l);
	/* Damaged blocks: zones after the last readable one are missing. */
	t->taken.v[info->depth] = info->zones;
	trace_cursor_close(l.cursor);
	return r;
}

static int track_open(struct serve *s)
{
	struct serve_track *t = &s->tracks.v[s->track];
	uint32_t first, count;
	int r = 0;

	trace_track_lanes(s->trace, s->track, &first, &count);
	for (uint32_t i = 0; i < count && r == 0; i++)
		r = open_lane(s, t, first + i);
	if (r == 0) {
		const struct trace_open_zone *v = s->trace->open_zones;
		uint32_t low = 0, high = s->trace->open_count;

		/* Adds the open zones. The list is sorted by track and depth. */
		SEARCH_FIRST(low, high, middle, v[middle].track < s->track);
		for (; r == 0 && low < s->trace->open_count && v[low].track == s->track; low++) {
			struct serve_lane l = {.depth = v[low].depth};

			l.zone =
				(struct trace_zone){.start = v[low].start, .srcloc = v[low].srcloc};
			r = vec_push(&s->lanes, l);
		}
	}
	if (r < 0 || !s->lanes.n)
		return r;
	s->in_track = true;
	if (is_device(s)) {
		s->context = s->model->context_of[s->track];
		s->queue = s->tids ? SERVE_DEVICE | s->track
				   : (uint32_t)device_queue(s->trace->tracks[s->track].id);
		if (s->tids && !t->open.n && !t->reported)
			serve_notice(s, s->queue, s->trace->tracks[s->track].process);
		t->reported = true;
		return 0;
	}
	s->tid = 0;
	if (s->tids && !t->reported)
		serve_notice(s, serve_tid(s, s->track), s->trace->tracks[s->track].process);
	t->reported = true;
	serve_switch(s, s->track);
	return 0;
}

/* The lane whose zone starts first; parents before children, ended zones before open ones. */
static struct serve_lane *next_lane(struct serve *s)
{
	struct serve_lane *best = &s->lanes.v[0];

	for (size_t i = 1; i < s->lanes.n; i++) {
		struct serve_lane *l = &s->lanes.v[i];

		if (l->zone.start < best->zone.start ||
		    (l->zone.start == best->zone.start && l->depth < best->depth))
			best = l;
	}
	return best;
}

/* After its last zone a lane leaves the list; the order of the others is unchanged. */
static int lane_advance(struct serve *s, struct serve_track *t, struct serve_lane *l)
{
	int r = l->cursor ? trace_cursor_next(l->cursor, &l->zone) : 0;

	if (r)
		return r < 0 ? r : 0;
	if (l->cursor)
		t->taken.v[l->depth] = l->zones;
	trace_cursor_close(l->cursor);
	s->lanes.n--;
	memmove(l, l + 1, (size_t)(&s->lanes.v[s->lanes.n] - l) * sizeof(*l));
	return 0;
}

static bool is_reported(const struct serve *s, uint32_t track)
{
	return s->model->threads[track].written || (s->trace->tracks[track].kind == TRACE_CORE &&
						    s->model->context_of[track] < s->queries.n);
}

int serve_zones(struct serve *s)
{
	int r = 0;

	while (s->tracks.n < s->trace->track_count)
		if (vec_push(&s->tracks, (struct serve_track){0}) < 0)
			return TACHO_ENOMEM;
	if (!s->in_track) {
		while (s->at < s->trace->track_count && !is_reported(s, s->model->order[s->at]))
			s->at++;
		if (s->at == s->trace->track_count) {
			s->step++;
			return 0;
		}
		s->track = s->model->order[s->at];
		r = track_open(s);
	}
	for (int i = 0; r == 0 && s->lanes.n && i < ZONES_AT_ONCE; i++) {
		struct serve_track *t = &s->tracks.v[s->track];
		struct serve_lane *l = next_lane(s);

		r = serve_zones_take(s, t, l);
		if (r == 0)
			r = lane_advance(s, t, l);
	}
	if (r < 0 || s->lanes.n)
		return r;
	if (s->in_track) {
		struct serve_track *t = &s->tracks.v[s->track];

		while (t->open.n && t->open.v[t->open.n - 1].end >= 0)
			end_top(s, t, t->open.v[t->open.n - 1].end);
		s->in_track = false;
	}
	s->at++;
	return 0;
}

void zones_close(struct serve *s)
{
	for (size_t i = 0; i < s->lanes.n; i++)
		trace_cursor_close(s->lanes.v[i].cursor);
	for (size_t i = 0; i < s->tracks.n; i++) {
		struct serve_track *t = &s->tracks.v[i];

		for (size_t k = 0; k < t->open.n; k++)
			buf_free(&t->open.v[k].late);
		vec_free(&t->open);
		vec_free(&t->taken);
	}
	vec_free(&s->tracks);
	vec_free(&s->lanes);
}
