/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables "slice" and "args": zones and their attachments. Zones are read track by track in the
 * order of their start, parents before children, so the parent of a zone is the last one seen on
 * the lane above.
 */
#include "sql/private.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

/* The id of a zone: file, lane, number in the lane. */
enum { ID_NUMBER = 32, ID_LANE = 23 };

int64_t sql_slice_id(const struct sql_cursor *c, uint32_t lane, uint64_t number)
{
	return (int64_t)c->source << (ID_NUMBER + ID_LANE) | (int64_t)lane << ID_NUMBER |
	       (int64_t)(number & UINT32_MAX);
}

enum slice_column {
	SLICE_ID,
	SLICE_TS,
	SLICE_DUR,
	SLICE_TRACK,
	SLICE_DEPTH,
	SLICE_PARENT,
	SLICE_NAME,
	SLICE_CATEGORY,
	SLICE_ARGS,
	SLICE_SELF,
	SLICE_SRCLOC,
	SLICE_MACHINE,
};

static const struct sql_column slice_columns[] = {
	{"id INTEGER", SQL_KEY},
	{"ts INTEGER", SQL_EQ | SQL_RANGE},
	{"dur INTEGER", SQL_RANGE},
	{"track_id INTEGER", SQL_EQ | SQL_RANGE},
	{"depth INTEGER", SQL_EQ | SQL_RANGE},
	{"parent_id INTEGER", 0},
	{"name TEXT", SQL_EQ | SQL_EXACT},
	{"category TEXT", 0},
	{"arg_set_id INTEGER", 0},
	{"self_dur INTEGER", 0},
	{"srcloc INTEGER", SQL_EQ},
	{"machine_id INTEGER", SQL_EQ},
	{NULL, 0},
};

/* The lane below a lane, read beside it for self times. */
struct slice_below {
	struct trace_cursor *cursor;
	struct trace_zone next;
	bool open, any;
};

struct slice_cursor {
	struct sql_cursor c;
	struct trace_walk *walk;
	struct trace_cursor *single; /* of a zone that was asked for by its id */
	struct trace_zone zone;
	uint32_t lane, first_lane, lane_count; /* of the track */
	uint64_t number;
	int64_t ts;
	uint64_t *numbers; /* the last zone of each lane of the track */
	struct slice_below *below;
	uint8_t *srclocs; /* source locations of the wanted name; NULL: any */
	uint32_t srclocs_source;
	struct buf name; /* given at run time; empty: none */
};

static double slice_rows(const struct sql *s)
{
	double n = 0;

	for (size_t i = 0; i < s->sources.n; i++)
		n += s->sources.v[i].trace ? (double)s->sources.v[i].trace->zones : 0;
	return n;
}

static void slice_track_end(struct slice_cursor *z)
{
	for (uint32_t i = 0; z->below && i < z->lane_count; i++)
		if (z->below[i].cursor)
			trace_cursor_close(z->below[i].cursor);
	free(z->below);
	free(z->numbers);
	z->below = NULL;
	z->numbers = NULL;
	if (z->walk)
		trace_walk_close(z->walk);
	z->walk = NULL;
}

static void slice_close(struct sql_cursor *c)
{
	struct slice_cursor *z = (struct slice_cursor *)c;

	slice_track_end(z);
	if (z->single)
		trace_cursor_close(z->single);
	free(z->srclocs);
	if (z->name.cap)
		buf_free(&z->name);
}

static struct trace_cursor *slice_zone_cursor(const struct slice_cursor *z)
{
	return z->single ? z->single : trace_walk_cursor(z->walk);
}

/* Marks the source locations that have the wanted name. */
static int slice_names(struct slice_cursor *z, const struct trace *t)
{
	const char *name = z->c.bounds[SLICE_NAME].text;

	if (!name || (z->srclocs && z->srclocs_source == z->c.source))
		return 0;
	free(z->srclocs);
	z->srclocs_source = z->c.source;
	z->srclocs = malloc(t->srcloc_count + 1);
	for (uint32_t i = 0; z->srclocs && i < t->srcloc_count; i++)
		z->srclocs[i] = !strcmp(trace_srcloc_name(t, i), name);
	return z->srclocs ? 0 : TACHO_ENOMEM;
}

static int slice_track_open(struct slice_cursor *z)
{
	struct trace *t = sql_source_of(&z->c)->trace;
	uint64_t t0, t1;
	int r = slice_names(z, t);

	trace_track_lanes(t, z->c.index, &z->first_lane, &z->lane_count);
	z->numbers = calloc(z->lane_count + 1, sizeof(*z->numbers));
	z->below = calloc(z->lane_count + 1, sizeof(*z->below));
	if (r < 0 || !z->numbers || !z->below)
		return TACHO_ENOMEM;
	sql_ticks(t, &z->c.bounds[SLICE_TS], &t0, &t1);
	return trace_walk_open(&z->walk, t, z->c.index, t0, t1);
}

/* The name that the zone was given at run time. */
static int slice_read_name(struct slice_cursor *z)
{
	struct trace_extra e;
	int r = 0;

	if (!z->name.data)
		z->name = (struct buf)BUF_INIT;
	buf_reset(&z->name);
	for (uint32_t i = 0; i < z->zone.extras && r == 0; i++) {
		r = trace_cursor_extra(slice_zone_cursor(z), i, &e);
		if (r == 0 && e.kind == TRACE_EXTRA_NAME) {
			buf_reset(&z->name);
			r = buf_add(&z->name, e.text, e.len);
		}
	}
	return r;
}

/* 1 if the current zone meets the conditions that are cheap to check here, 0, or an error. */
static int slice_wanted(struct slice_cursor *z)
{
	const struct trace *t = sql_source_of(&z->c)->trace;
	int r;

	z->ts = trace_ns(t, z->zone.start);
	if (!sql_within(&z->c, SLICE_TS, z->ts) ||
	    !sql_within(&z->c, SLICE_DEPTH, t->lanes[z->lane].depth) ||
	    !sql_within(&z->c, SLICE_SRCLOC, sql_id(&z->c, z->zone.srcloc)))
		return 0;
	if (z->srclocs && !z->srclocs[z->zone.srcloc] && !z->zone.extras)
		return 0;
	if (!z->zone.extras || !(z->srclocs || z->c.used >> SLICE_NAME & 1)) {
		if (z->name.data)
			buf_reset(&z->name);
		return 1;
	}
	r = slice_read_name(z);
	if (r < 0 || !z->srclocs)
		return r < 0 ? r : 1;
	return z->name.len ? !strcmp(z->name.data, z->c.bounds[SLICE_NAME].text)
			   : z->srclocs[z->zone.srcloc];
}

static int slice_in_track(struct slice_cursor *z)
{
	int r;

	while ((r = trace_walk_next(z->walk, &z->zone, &z->lane)) > 0) {
		z->number = trace_cursor_number(trace_walk_cursor(z->walk));
		z->numbers[z->lane - z->first_lane] = z->number;
		r = slice_wanted(z);
		if (r != 0)
			break;
	}
	return r;
}

/* The one zone with the wanted id. */
static int slice_by_id(struct slice_cursor *z)
{
	int64_t id = z->c.bounds[SLICE_ID].low;
	struct trace *t;
	int r;

	if (z->single || z->c.bounds[SLICE_ID].low != z->c.bounds[SLICE_ID].high || id < 0)
		return 0;
	z->c.source = (uint32_t)(id >> (ID_NUMBER + ID_LANE) & 0xff);
	z->lane = (uint32_t)(id >> ID_NUMBER & ((1u << ID_LANE) - 1));
	z->number = (uint64_t)id & UINT32_MAX;
	if (z->c.source >= z->c.sql->sources.n)
		return 0;
	t = sql_source_of(&z->c)->trace;
	if (!t || z->lane >= t->lane_count || z->number >= t->lanes[z->lane].zones)
		return 0;
	z->c.index = t->lanes[z->lane].track;
	trace_track_lanes(t, z->c.index, &z->first_lane, &z->lane_count);
	r = slice_names(z, t);
	if (r == 0)
		r = trace_cursor_open_at(&z->single, t, z->lane, z->number);
	if (r == 0)
		r = trace_cursor_next(z->single, &z->zone);
	return r <= 0 ? r : slice_wanted(z);
}

static int slice_next(struct sql_cursor *c)
{
	struct slice_cursor *z = (struct slice_cursor *)c;
	const uint32_t kinds = 1u << TRACE_THREAD | 1u << TRACE_FIBER | 1u << TRACE_CORE;
	int r = 0;

	if (c->bounds[SLICE_ID].given)
		return slice_by_id(z);
	for (;;) {
		if (z->walk)
			r = slice_in_track(z);
		if (r != 0)
			return r;
		slice_track_end(z);
		do {
			r = sql_track_next(c, kinds, SLICE_TRACK);
		} while (r > 0 && !sql_within(c, SLICE_MACHINE, c->source));
		if (r > 0)
			r = slice_track_open(z);
		else
			return r;
		if (r < 0)
			return r;
	}
}

/* The zone on the lane above that contains this one. */
static void slice_parent_out(struct slice_cursor *z, sqlite3_context *out)
{
	struct trace *t = sql_source_of(&z->c)->trace;
	struct trace_cursor *cursor;
	struct trace_zone parent;

	if (z->lane == z->first_lane || t->lanes[z->lane - 1].depth + 1 != t->lanes[z->lane].depth)
		return;
	if (!z->single) {
		sqlite3_result_int64(out, sql_slice_id(&z->c, z->lane - 1,
						       z->numbers[z->lane - 1 - z->first_lane]));
		return;
	}
	if (trace_cursor_open(&cursor, t, z->lane - 1, z->zone.start, z->zone.start + 1) < 0)
		return;
	if (trace_cursor_next(cursor, &parent) > 0)
		sqlite3_result_int64(out,
				     sql_slice_id(&z->c, z->lane - 1, trace_cursor_number(cursor)));
	trace_cursor_close(cursor);
}

static int slice_below_step(struct slice_below *b)
{
	int r = trace_cursor_next(b->cursor, &b->next);

	b->any = r > 0;
	return r;
}

/*
 * The duration without the zones directly inside. Zones of a lane come in order, and so do those
 * on the lane below: both are read once.
 */
static int64_t slice_self(struct slice_cursor *z)
{
	struct trace *t = sql_source_of(&z->c)->trace;
	uint32_t child = z->lane + 1;
	uint64_t inside = 0, length = z->zone.end - z->zone.start;
	struct slice_below alone = {0}, *b;
	int r = 0;

	if (child >= z->first_lane + z->lane_count ||
	    t->lanes[child].depth != t->lanes[z->lane].depth + 1)
		return sql_duration(t, z->zone.start, z->zone.end);
	b = z->single ? &alone : &z->below[child - z->first_lane];
	if (!b->open) {
		b->open = true;
		r = trace_cursor_open(&b->cursor, t, child, z->zone.start, UINT64_MAX);
		if (r == 0)
			r = slice_below_step(b);
	}
	while (r >= 0 && b->any && b->next.end <= z->zone.end) {
		if (b->next.start >= z->zone.start)
			inside += b->next.end - b->next.start;
		r = slice_below_step(b);
	}
	if (alone.cursor)
		trace_cursor_close(alone.cursor);
	return sql_duration(t, z->zone.start,
			    z->zone.start + (inside < length ? length - inside : 0));
}

static void slice_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	struct slice_cursor *z = (struct slice_cursor *)c;
	const struct trace *t = sql_source_of(c)->trace;
	bool open = z->zone.flags & TRACE_ZONE_UNFINISHED;

	switch ((enum slice_column)column) {
	case SLICE_ID:
		sqlite3_result_int64(out, sql_slice_id(c, z->lane, z->number));
		break;
	case SLICE_TS:
		sqlite3_result_int64(out, z->ts);
		break;
	case SLICE_DUR:
		sqlite3_result_int64(out, open ? -1 : sql_duration(t, z->zone.start, z->zone.end));
		break;
	case SLICE_TRACK:
		sql_out_id(c, out, c->index);
		break;
	case SLICE_DEPTH:
		sqlite3_result_int64(out, t->lanes[z->lane].depth);
		break;
	case SLICE_PARENT:
		slice_parent_out(z, out);
		break;
	case SLICE_NAME:
		if (z->name.data && z->name.len)
			sqlite3_result_text(out, z->name.data, (int)z->name.len, SQLITE_TRANSIENT);
		else
			sql_out_text(out, trace_srcloc_name(t, z->zone.srcloc));
		break;
	case SLICE_CATEGORY:
		sql_out_text(out, trace_track_kind_name(t->tracks[c->index].kind));
		break;
	case SLICE_ARGS:
		if (z->zone.extras)
			sqlite3_result_int64(out, sql_slice_id(c, z->lane, z->number));
		break;
	case SLICE_SELF:
		sqlite3_result_int64(out, open ? -1 : slice_self(z));
		break;
	case SLICE_SRCLOC:
		sql_out_id(c, out, z->zone.srcloc);
		break;
	case SLICE_MACHINE:
		sqlite3_result_int64(out, c->source);
		break;
	}
}

const struct sql_table sql_table_slice = {
	.name = "slice",
	.columns = slice_columns,
	.cursor_size = sizeof(struct slice_cursor),
	.order = {SLICE_TRACK, SLICE_TS},
	.rows = slice_rows,
	.next = slice_next,
	.value = slice_value,
	.close = slice_close,
};

/* ------------------------------------------------------------------ args */

/* A row per attachment. The zones are those of a slice cursor. */
struct args_cursor {
	struct slice_cursor slices;
	uint32_t at;
	struct trace_extra extra;
};

enum args_column { ARGS_SET, ARGS_KEY, ARGS_STRING, ARGS_INT };

static const struct sql_column args_columns[] = {
	{"arg_set_id INTEGER", SQL_KEY}, {"key TEXT", 0}, {"string_value TEXT", 0},
	{"int_value INTEGER", 0},        {NULL, 0},
};

/* Column 0 is the id of the zone for both tables, so the bound is shared. */
static int args_next(struct sql_cursor *c)
{
	struct args_cursor *a = (struct args_cursor *)c;
	int r;

	for (;;) {
		if ((a->slices.walk || a->slices.single) && a->at < a->slices.zone.extras) {
			r = trace_cursor_extra(slice_zone_cursor(&a->slices), a->at++, &a->extra);
			return r < 0 ? r : 1;
		}
		r = slice_next(c);
		if (r <= 0)
			return r;
		a->at = 0;
	}
}

static void args_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	struct args_cursor *a = (struct args_cursor *)c;
	static const char *const keys[] = {"name", "text", "color", "value", "stack"};
	bool text = a->extra.kind == TRACE_EXTRA_NAME || a->extra.kind == TRACE_EXTRA_TEXT;

	switch ((enum args_column)column) {
	case ARGS_SET:
		sqlite3_result_int64(out, sql_slice_id(c, a->slices.lane, a->slices.number));
		break;
	case ARGS_KEY:
		sql_out_text(out, a->extra.kind < 5 ? keys[a->extra.kind] : "");
		break;
	case ARGS_STRING:
		if (text)
			sqlite3_result_text(out, a->extra.text, (int)a->extra.len,
					    SQLITE_TRANSIENT);
		break;
	case ARGS_INT:
		if (!text)
			sqlite3_result_int64(out, (int64_t)a->extra.value);
		break;
	}
}

const struct sql_table sql_table_args = {
	.name = "args",
	.columns = args_columns,
	.cursor_size = sizeof(struct args_cursor),
	.order = {-1, -1},
	.rows = slice_rows,
	.next = args_next,
	.value = args_value,
	.close = slice_close,
};
