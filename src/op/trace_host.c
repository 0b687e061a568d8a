/* SPDX-License-Identifier: Apache-2.0 */
/* Reads messages and host zones of ops from a trace. */
#include "op/trace_host.h"

#include "base/buf.h"

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

static bool tells_of_ops(const struct trace_row *row)
{
	return row->kind == TRACE_ROW_OP || row->kind == TRACE_ROW_OP_TRACE ||
	       (row->kind == TRACE_ROW_MESSAGE && memmem(row->text, row->text_len, "TT_", 3));
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
	while (r > 0 && !tells_of_ops(&row));
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

static int message_take(struct op_messages *messages, struct buf *record,
			const struct trace_row *row, int64_t ns)
{
	buf_reset(record);
	buf_add(record, row->text, row->text_len);
	buf_addf(record, ";%" PRId64 "\n", ns);
	return record->failed ? TACHO_ENOMEM : op_messages_add(messages, record->data, record->len);
}

int op_trace_messages(struct op_host *host, struct trace *trace, const uint8_t *tracks,
		      struct op_issues *issues)
{
	int64_t origin = origin_of(trace), ns;
	struct op_messages *messages;
	struct op_calls calls;
	struct buf record = BUF_INIT;
	struct trace_rows *rows = NULL;
	struct trace_row row;
	uint32_t track;
	int r;

	op_calls_open(&calls, host, issues);
	r = op_messages_open(&messages, &calls, false, 2);
	if (r == 0)
		r = trace_rows_open_kind(&rows, trace, TRACE_MESSAGES, 0, UINT64_MAX);
	while (r >= 0 && (r = trace_rows_next(rows, &row, &track)) > 0) {
		ns = trace_ns(trace, row.time) - origin;
		if (!trace_host_takes(tracks, track))
			continue;
		if (row.kind == TRACE_ROW_OP || row.kind == TRACE_ROW_OP_TRACE)
			r = op_calls_row(&calls, &row, ns > 0 ? (uint64_t)ns : 0);
		else if (row.kind == TRACE_ROW_MESSAGE)
			r = message_take(messages, &record, &row, ns);
	}
	trace_rows_close(rows);
	op_messages_close(messages);
	op_calls_close(&calls);
	buf_free(&record);
	return r;
}

/* --- zones --- */

struct zones {
	struct trace *trace;
	struct op_host *host;
	struct op_issues *issues;
	int64_t origin;
	uint8_t *kinds; /* by source location */
	struct {
		VEC(struct buf);
	} texts;         /* by depth: the last op's zone there */
	uint64_t inside; /* depths below 64 that are an op's zone now */
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

static bool find_kinds(struct zones *z, const char *children)
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

/* Texts and values, one per line. */
static void trace_host_text_read(struct buf *text, struct trace_cursor *cursor, uint32_t extras)
{
	struct trace_extra e;

	buf_reset(text);
	for (uint32_t i = 0; i < extras && trace_cursor_extra(cursor, i, &e) == 0; i++) {
		if (e.kind != TRACE_EXTRA_TEXT && e.kind != TRACE_EXTRA_VALUE)
			continue;
		if (text->len)
			buf_addc(text, '\n');
		if (e.kind == TRACE_EXTRA_TEXT)
			buf_add(text, e.text, e.len);
		else
			buf_addf(text, "%" PRIu64, e.value);
	}
}

/* The text of the innermost op's zone that encloses depth DEPTH. */
static const struct buf *trace_host_around(const struct zones *z, uint32_t depth)
{
	for (uint32_t d = depth < 64 ? depth : 64; d-- > 0;)
		if (z->inside >> d & 1)
			return &z->texts.v[d];
	return NULL;
}

/* Tracks are read one by one, but the later of two zones of an op counts. */
static bool is_older(const struct zones *z, const struct buf *text, uint64_t start)
{
	const char *colon = strrchr(text->data, ':');
	const struct op_host_op *op =
		op_host_find(z->host, strtoull(colon ? colon + 1 : text->data, NULL, 10));

	return op && op->timed && op->start_ns > start;
}

static int trace_host_zone_add(struct zones *z, const struct trace_zone *zone, uint32_t depth)
{
	const char *name = trace_srcloc_name(z->trace, zone->srcloc);
	bool parent = z->kinds[zone->srcloc] & PARENT;
	const struct buf *text = parent ? &z->texts.v[depth] : trace_host_around(z, depth);
	int64_t start = trace_ns(z->trace, zone->start) - z->origin;
	struct op_host_zone out = {
		.name = name,
		.name_len = strlen(name),
		.text = parent ? text->data : "",
		.text_len = parent ? text->len : 0,
		.parent = text ? text->data : "",
		.parent_len = text ? text->len : 0,
		.start_ns = start > 0 ? (uint64_t)start : 0,
		.duration_ns = (uint64_t)(trace_ns(z->trace, zone->end) - z->origin - start)};

	if (parent && op_zone_is_op(name, out.name_len) && is_older(z, text, out.start_ns))
		return 0;
	return op_zone_add(z->host, &out, z->issues);
}

static int trace_host_zone_take(struct zones *z, struct trace_cursor *cursor,
				const struct trace_zone *zone, uint32_t depth)
{
	uint8_t kind = z->kinds[zone->srcloc];

	if (depth >= 64)
		return 0;
	z->inside &= depth ? UINT64_MAX >> (64 - depth) : 0;
	if (!kind)
		return 0;
	while (z->texts.n <= depth)
		if (vec_push(&z->texts, (struct buf)BUF_INIT) < 0)
			return TACHO_ENOMEM;
	if (kind & PARENT) {
		trace_host_text_read(&z->texts.v[depth], cursor, zone->extras);
		z->inside |= UINT64_C(1) << depth;
	}
	return zone->flags & TRACE_ZONE_UNFINISHED ? 0 : trace_host_zone_add(z, zone, depth);
}

static int trace_host_walk_track(struct zones *z, uint32_t track)
{
	struct trace_walk *walk;
	struct trace_zone zone;
	uint32_t lane;
	int r = trace_walk_open(&walk, z->trace, track, 0, UINT64_MAX);

	if (r < 0)
		return r;
	z->inside = 0;
	while (r >= 0 && (r = trace_walk_next(walk, &zone, &lane)) > 0)
		if (zone.srcloc < z->trace->srcloc_count)
			r = trace_host_zone_take(z, trace_walk_cursor(walk), &zone,
						 z->trace->lanes[lane].depth);
	trace_walk_close(walk);
	return r;
}

static int trace_host_zones_read(struct zones *z, const uint8_t *tracks, const char *children)
{
	int r = 0;

	z->kinds = calloc(z->trace->srcloc_count + 1, 1);
	if (!z->kinds)
		return TACHO_ENOMEM;
	if (find_kinds(z, children))
		for (uint32_t i = 0; i < z->trace->track_count && r == 0; i++)
			if (trace_host_takes(tracks, i) &&
			    (z->trace->tracks[i].kind == TRACE_THREAD ||
			     z->trace->tracks[i].kind == TRACE_FIBER))
				r = trace_host_walk_track(z, i);
	for (size_t i = 0; i < z->texts.n; i++)
		buf_free(&z->texts.v[i]);
	vec_free(&z->texts);
	free(z->kinds);
	return r;
}

int op_trace_host(struct op_host *host, struct trace *trace, const uint8_t *tracks,
		  const char *children, struct op_issues *issues, struct tacho_error *err)
{
	struct zones z = {
		.trace = trace, .host = host, .issues = issues, .origin = origin_of(trace)};
	int r = op_trace_messages(host, trace, tracks, issues);

	if (r == 0)
		r = trace_host_zones_read(&z, tracks, children);
	return r < 0 ? err_set(err, r, "%s: %s", trace->path, err_text(r)) : 0;
}
