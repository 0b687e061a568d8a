/* SPDX-License-Identifier: Apache-2.0 */
/* Reads messages and host zones of ops from a trace. */
#include "op/trace_host.h"

#include "base/buf.h"
#include "base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds since the source's zero, as in csvexport's output. */
static int64_t origin_of(const struct trace *trace)
{
	const char *origin = trace_property(trace, TRACE_ORIGIN);

	return origin ? trace_ns(trace, strtoull(origin, NULL, 10)) : 0;
}

static bool trace_host_takes(const uint8_t *tracks, uint32_t track)
{
	return !tracks || tracks[track];
}

/* --- op records and messages --- */

static bool is_record(const struct trace_row *row)
{
	return row->kind == TRACE_ROW_OP || row->kind == TRACE_ROW_OP_TRACE ||
	       row->kind == TRACE_ROW_MESSAGE;
}

static bool row_has_op(const struct trace_row *row)
{
	return is_record(row) &&
	       (row->kind != TRACE_ROW_MESSAGE || memmem(row->text, row->text_len, "TT_", 3));
}

/* 1, 0 or an error. */
static int has_message(struct trace *trace, uint32_t track)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t of;
	int r = trace_rows_open(&rows, trace, track, 0, UINT64_MAX);

	if (r < 0)
		return r;
	do
		r = trace_rows_next(rows, &row, &of);
	while (r > 0 && !row_has_op(&row));
	trace_rows_close(rows);
	return r;
}

int op_trace_has_messages(struct trace *trace, const uint8_t *tracks)
{
	int r = 0;

	for (uint32_t i = 0; i < trace->track_count && r == 0; i++)
		if (trace->tracks[i].kind == TRACE_MESSAGES && trace_host_takes(tracks, i))
			r = has_message(trace, i);
	return r;
}

struct feeding {
	struct op_calls calls;
	struct op_messages *messages;
	struct buf record;
	struct trace *trace;
	int64_t origin;
};

static int row_feed(struct feeding *f, const struct trace_row *row)
{
	int64_t ns = trace_ns(f->trace, row->time) - f->origin;

	if (row->kind != TRACE_ROW_MESSAGE)
		return op_calls_row(&f->calls, row, ns > 0 ? (uint64_t)ns : 0);
	buf_reset(&f->record);
	buf_add(&f->record, row->text, row->text_len);
	buf_addf(&f->record, ";%" PRId64 "\n", ns);
	return f->record.failed ? TACHO_ENOMEM
				: op_messages_add(f->messages, f->record.data, f->record.len);
}

ORDER_BY(saved_by_time, struct op_live_row, ORDER_UP(row.time) ?: ORDER_UP(number));

/* The texts that op/messages.c searches for. */
static bool row_counts(const struct trace_row *row)
{
	return row_has_op(row) || (row->kind == TRACE_ROW_MESSAGE &&
				   (memmem(row->text, row->text_len, "markers were dropped", 20) ||
				    memmem(row->text, row->text_len, "Profiler buffers were", 21)));
}

static int trace_host_rows_read(struct feeding *f, const uint8_t *tracks, struct op_live_host *live)
{
	size_t had = live ? live->rows.n : 0;
	struct op_live_row saved;
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r = live ? trace_rows_open_from(&rows, f->trace, TRACE_NONE, live->known)
		     : trace_rows_open_kind(&rows, f->trace, TRACE_MESSAGES, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_rows_next(rows, &row, &track)) > 0) {
		if (f->trace->tracks[track].kind != TRACE_MESSAGES || !is_record(&row))
			continue;
		if (!live) {
			r = trace_host_takes(tracks, track) ? row_feed(f, &row) : 0;
			continue;
		}
		if (!row_counts(&row))
			continue;
		saved = (struct op_live_row){row, live->text.len, track, (uint32_t)live->rows.n};
		r = buf_add(&live->text, row.text, row.text_len);
		if (r == 0)
			r = vec_push(&live->rows, saved);
	}
	trace_rows_close(rows);
	/* Rows of another process may come late. */
	if (r == 0 && had && live->rows.n > had &&
	    live->rows.v[had].row.time < live->rows.v[had - 1].row.time)
		qsort(live->rows.v, live->rows.n, sizeof(*live->rows.v), saved_by_time);
	return r;
}

static int messages_read(struct op_host *host, struct trace *trace, const uint8_t *tracks,
			 struct op_live_host *live, struct op_issues *issues)
{
	struct feeding f = {.record = BUF_INIT, .trace = trace, .origin = origin_of(trace)};
	int r;

	op_calls_open(&f.calls, host, issues);
	r = op_messages_open(&f.messages, &f.calls, false, 2);
	if (r == 0)
		r = trace_host_rows_read(&f, tracks, live);
	for (size_t i = 0; r == 0 && live && i < live->rows.n; i++) {
		struct trace_row row = live->rows.v[i].row;

		row.text = live->text.data + live->rows.v[i].text;
		if (trace_host_takes(tracks, live->rows.v[i].track))
			r = row_feed(&f, &row);
	}
	op_messages_close(f.messages);
	op_calls_close(&f.calls);
	buf_free(&f.record);
	return r;
}

int op_trace_messages(struct op_host *host, struct trace *trace, const uint8_t *tracks,
		      struct op_issues *issues)
{
	return messages_read(host, trace, tracks, NULL, issues);
}

/* --- zones --- */

struct zones {
	struct trace *trace;
	struct op_host *host;
	struct op_issues *issues;
	struct op_live_host *seen;
	int64_t origin;
	uint8_t *kinds;                        /* by source location */
	const struct op_live_zone *inside[64]; /* by depth: the last op's zone there */
};

enum { PARENT = 1, CHILD = 2 };

static bool trace_host_is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == len && !memcmp(p, name, len))
			return true;
	return false;
}

static bool host_kinds_find(struct zones *z, const char *children)
{
	bool any = false;

	for (uint32_t i = 0; i < z->trace->srcloc_count; i++) {
		const char *name = trace_srcloc_name(z->trace, i);

		z->kinds[i] = (strstr(name, OP_ZONE_PARENT) ? PARENT : 0) |
			      (trace_host_is_listed(children, name) ? CHILD : 0);
		any |= z->kinds[i] & PARENT;
	}
	return any;
}

/* Appends texts and values, one per line, with a terminator. */
static void trace_host_text_read(struct buf *text, struct trace_cursor *cursor, uint32_t extras)
{
	size_t from = text->len;
	struct trace_extra e;

	for (uint32_t i = 0; i < extras && trace_cursor_extra(cursor, i, &e) == 0; i++) {
		if (e.kind != TRACE_EXTRA_TEXT && e.kind != TRACE_EXTRA_VALUE)
			continue;
		if (text->len > from)
			buf_addc(text, '\n');
		if (e.kind == TRACE_EXTRA_TEXT)
			buf_add(text, e.text, e.len);
		else
			buf_addf(text, "%" PRIu64, e.value);
	}
	buf_addc(text, 0);
}

/* How many zones of a lane were read. */
static uint64_t *lane_number(struct op_live_host *seen, const struct trace_lane_info *lane)
{
	uint64_t key = (uint64_t)lane->track << 32 | lane->depth;
	uint32_t *at = map_get(&seen->by_lane, key);

	if (at)
		return &seen->lanes.v[*at];
	if (map_set(&seen->by_lane, key, (uint32_t)seen->lanes.n) < 0 ||
	    vec_push(&seen->lanes, 0) < 0)
		return NULL;
	return &seen->lanes.v[seen->lanes.n - 1];
}

/* Stores the new zones of a lane that count. */
static int trace_host_lane_read(struct zones *z, uint32_t at)
{
	const struct trace_lane_info *lane = &z->trace->lanes[at];
	struct op_live_host *seen = z->seen;
	uint64_t *number = lane_number(seen, lane);
	struct trace_cursor *cursor;
	struct trace_zone zone;
	int r;

	if (!number || *number >= lane->zones)
		return number ? 0 : TACHO_ENOMEM;
	r = trace_cursor_open_at(&cursor, z->trace, at, *number);
	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_cursor_next(cursor, &zone)) > 0) {
		uint8_t kind = zone.srcloc < z->trace->srcloc_count ? z->kinds[zone.srcloc] : 0;
		struct op_live_zone saved = {.track = lane->track,
					     .depth = lane->depth,
					     .srcloc = zone.srcloc,
					     .unfinished = zone.flags & TRACE_ZONE_UNFINISHED,
					     .start = zone.start,
					     .end = zone.end,
					     .text = seen->text.len};

		++*number;
		seen->zones_read++;
		if (!kind)
			continue;
		if (kind & PARENT)
			trace_host_text_read(&seen->text, cursor, zone.extras);
		saved.number = (uint32_t)seen->zones.n;
		r = seen->text.failed ? TACHO_ENOMEM : vec_push(&seen->zones, saved);
	}
	trace_cursor_close(cursor);
	return r;
}

/* The innermost op's zone around a zone. */
static const struct op_live_zone *trace_host_around(const struct zones *z,
						    const struct op_live_zone *zone)
{
	for (uint32_t d = zone->depth; d-- > 0;) {
		const struct op_live_zone *around = z->inside[d];

		if (around && (zone->start < around->end || zone->end <= around->end))
			return around;
	}
	return NULL;
}

/* Tracks are read one by one, but the later of two zones of an op counts. */
static bool is_older(const struct zones *z, const char *text, uint64_t start)
{
	const char *colon = strrchr(text, ':');
	const struct op_host_op *op =
		op_host_find(z->host, strtoull(colon ? colon + 1 : text, NULL, 10));

	return op && op->timed && op->start_ns > start;
}

static int trace_host_zone_add(struct zones *z, const struct op_live_zone *zone)
{
	const char *name = trace_srcloc_name(z->trace, zone->srcloc);
	bool parent = z->kinds[zone->srcloc] & PARENT;
	const struct op_live_zone *around = parent ? zone : trace_host_around(z, zone);
	const char *text = around ? z->seen->text.data + around->text : "";
	int64_t start = trace_ns(z->trace, zone->start) - z->origin;
	struct op_host_zone out = {
		.name = name,
		.name_len = strlen(name),
		.text = parent ? text : "",
		.text_len = parent ? strlen(text) : 0,
		.parent = text,
		.parent_len = strlen(text),
		.start_ns = start > 0 ? (uint64_t)start : 0,
		.duration_ns = (uint64_t)(trace_ns(z->trace, zone->end) - z->origin - start)};

	if (parent && op_zone_is_op(name, out.name_len) && is_older(z, text, out.start_ns))
		return 0;
	return op_zone_add(z->host, &out, z->issues);
}

/* Track by track, by start, parents before children. */
ORDER_BY(zones_order, struct op_live_zone,
	 ORDER_UP(track) ?: ORDER_UP(start) ?: ORDER_UP(depth) ?: ORDER_UP(number));

static int trace_host_zones_feed(struct zones *z, const uint8_t *tracks)
{
	uint32_t track = TRACE_NONE;
	int r = 0;

	for (size_t i = 0; i < z->seen->zones.n && r == 0; i++) {
		const struct op_live_zone *zone = &z->seen->zones.v[i];

		if (!trace_host_takes(tracks, zone->track))
			continue;
		if (zone->track != track)
			memset(z->inside, 0, sizeof(z->inside));
		track = zone->track;
		if (z->kinds[zone->srcloc] & PARENT)
			z->inside[zone->depth] = zone;
		if (!zone->unfinished)
			r = trace_host_zone_add(z, zone);
	}
	return r;
}

static int trace_host_zones_read(struct zones *z, const uint8_t *tracks, const char *children)
{
	size_t had = z->seen->zones.n;
	int r = 0;

	z->kinds = calloc(z->trace->srcloc_count + 1, 1);
	if (!z->kinds)
		return TACHO_ENOMEM;
	for (uint32_t i = 0, any = host_kinds_find(z, children);
	     any && i < z->trace->lane_count && r == 0; i++) {
		const struct trace_lane_info *lane = &z->trace->lanes[i];
		uint32_t kind = z->trace->tracks[lane->track].kind;

		if (lane->depth < 64 && (kind == TRACE_THREAD || kind == TRACE_FIBER) &&
		    (z->seen->follows || trace_host_takes(tracks, lane->track)))
			r = trace_host_lane_read(z, i);
	}
	if (r == 0 && z->seen->zones.n > had)
		qsort(z->seen->zones.v, z->seen->zones.n, sizeof(*z->seen->zones.v), zones_order);
	if (r == 0)
		r = trace_host_zones_feed(z, tracks);
	free(z->kinds);
	return r;
}

void op_live_host_free(struct op_live_host *h)
{
	vec_free(&h->rows);
	vec_free(&h->zones);
	vec_free(&h->lanes);
	map_free(&h->by_lane);
	buf_free(&h->text);
	*h = (struct op_live_host){.text = BUF_INIT, .zones_read = h->zones_read};
}

int op_trace_host(struct op_host *host, struct trace *trace, const uint8_t *tracks,
		  const char *children, struct op_live_host *live, struct op_issues *issues,
		  struct tacho_error *err)
{
	struct op_live_host own = {.text = BUF_INIT};
	struct zones z = {.trace = trace,
			  .host = host,
			  .issues = issues,
			  .seen = live ? live : &own,
			  .origin = origin_of(trace)};
	uint64_t known = trace_known(trace);
	int r;

	if (live && (!live->follows || known < live->known ||
		     memcmp(live->uuid, trace->uuid, sizeof(live->uuid)) != 0)) {
		op_live_host_free(live);
		live->follows = true;
		memcpy(live->uuid, trace->uuid, sizeof(live->uuid));
	}
	r = messages_read(host, trace, tracks, live, issues);
	if (r == 0)
		r = trace_host_zones_read(&z, tracks, children);
	if (live)
		live->known = known;
	op_live_host_free(&own);
	if (r < 0 && live)
		op_live_host_free(live); /* a part of the new rows is stored */
	return r < 0 ? err_set(err, r, "%s: %s", trace->path, err_text(r)) : 0;
}
