/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of rows: counters, messages, frames, losses, samples, thread states. */
#include "sql/private.h"
#include "trace/device_clock.h"
#include "trace/names.h"
#include "view/frame_spans.h"

#include <string.h>

/* Columns 0 and 1 of every table here are the time and the track. */
enum { ROW_TS, ROW_TRACK };

struct row_cursor {
	struct sql_cursor c;
	struct trace_rows *rows;
	struct trace_row row;
	struct view_frames frames; /* of the track */
	struct view_frame frame;
	/* Of markers: */
	struct trace_clocks clocks;
	uint32_t source, track; /* of the previous one */
	uint64_t last;          /* its time */
};

static double row_count(const struct sql *s)
{
	double n = 0;

	for (size_t i = 0; i < s->sources.n; i++)
		n += s->sources.v[i].trace ? (double)s->sources.v[i].trace->rows : 0;
	return n;
}

static void row_close(struct sql_cursor *c)
{
	struct row_cursor *r = (struct row_cursor *)c;

	if (r->rows)
		trace_rows_close(r->rows);
	r->rows = NULL;
}

/* The next row of a kind in ROWS (bits) on tracks of a kind in TRACKS (bits). */
static int row_next(struct sql_cursor *c, uint32_t tracks, uint32_t rows)
{
	struct row_cursor *k = (struct row_cursor *)c;
	uint64_t t0, t1;
	uint32_t track;
	int r;

	for (;;) {
		while (k->rows && (r = trace_rows_next(k->rows, &k->row, &track)) != 0) {
			if (r < 0)
				return r;
			if (k->row.kind < 32 && rows >> k->row.kind & 1)
				return 1;
		}
		row_close(c);
		r = sql_track_next(c, tracks, ROW_TRACK);
		if (r <= 0)
			return r;
		sql_ticks(sql_source_of(c)->trace, &c->bounds[ROW_TS], &t0, &t1);
		/* A frame is made of two marks, one of which may be out of range. */
		if (rows == 1u << TRACE_ROW_FRAME)
			t1 = UINT64_MAX;
		/* Rows of markers may have the time of an earlier one. */
		if (rows & (1u << TRACE_ROW_FRAME | 1u << TRACE_ROW_MARKER))
			t0 = 0;
		k->frames = (struct view_frames){
			.pairs = sql_source_of(c)->trace->tracks[c->index].format == 1};
		r = trace_rows_open(&k->rows, sql_source_of(c)->trace, c->index, t0, t1);
		if (r < 0)
			return r;
	}
}

/* The first two columns; false for the others. */
static bool row_place_out(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct row_cursor *k = (struct row_cursor *)c;

	if (column == ROW_TS)
		sqlite3_result_int64(out, trace_ns(sql_source_of(c)->trace, k->row.time));
	else if (column == ROW_TRACK)
		sql_out_id(c, out, c->index);
	return column <= ROW_TRACK;
}

#define ROW_PLACE                                      \
	{"ts INTEGER", SQL_EQ | SQL_RANGE},            \
	{                                              \
		"track_id INTEGER", SQL_EQ | SQL_RANGE \
	}

/* Defines sql_table_NAME of NAME_value(), for rows of these kinds on tracks of those. */
#define ROWS(table, tracks, rows_, ...)                                                         \
	static int table##_next(struct sql_cursor *c)                                           \
	{                                                                                       \
		return row_next(c, tracks, rows_);                                              \
	}                                                                                       \
	static const struct sql_column table##_columns[] = {ROW_PLACE, __VA_ARGS__, {NULL, 0}}; \
	const struct sql_table sql_table_##table = {                                            \
		.name = #table,                                                                 \
		.columns = table##_columns,                                                     \
		.cursor_size = sizeof(struct row_cursor),                                       \
		.order = {ROW_TRACK, ROW_TS},                                                   \
		.rows = row_count,                                                              \
		.next = table##_next,                                                           \
		.value = table##_value,                                                         \
		.close = row_close,                                                             \
	}

static void counter_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace_row *row = &((struct row_cursor *)c)->row;

	if (row_place_out(c, column, out))
		return;
	if (row->kind == TRACE_ROW_PLOT_INT)
		sqlite3_result_int64(out, (int64_t)row->a);
	else
		sqlite3_result_double(out, trace_plot_value(row));
}

ROWS(counter, 1u << TRACE_PLOT, 1u << TRACE_ROW_PLOT_INT | 1u << TRACE_ROW_PLOT_REAL,
     {"value NUMERIC", 0});

static void message_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace_row *row = &((struct row_cursor *)c)->row;

	if (row_place_out(c, column, out))
		return;
	switch (column) {
	case 2:
		sql_out_id(c, out, row->thread);
		break;
	case 3:
		sql_out_text(out, trace_severity_name(row->a));
		break;
	case 4:
		sqlite3_result_text(out, row->text, (int)row->text_len, SQLITE_TRANSIENT);
		break;
	}
}

ROWS(message, 1u << TRACE_MESSAGES, 1u << TRACE_ROW_MESSAGE, {"utid INTEGER", 0},
     {"severity TEXT", 0}, {"text TEXT", 0});

static void loss_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace_row *row = &((struct row_cursor *)c)->row;

	if (row_place_out(c, column, out))
		return;
	switch (column) {
	case 2:
		sql_out_text(out, trace_loss_name(row->a));
		break;
	case 3:
	case 4:
		sqlite3_result_int64(out, (int64_t)(column == 3 ? row->b : row->c));
		break;
	}
}

ROWS(loss, UINT32_MAX, 1u << TRACE_ROW_LOSS, {"reason TEXT", 0}, {"zones INTEGER", 0},
     {"others INTEGER", 0});

/* Stacks are numbered by file, like all ids; 0 is none. */
static void stack_out(const struct sql_cursor *c, uint64_t stack, sqlite3_context *out)
{
	if (stack)
		sql_out_id(c, out, (uint32_t)stack);
}

static void sample_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace_row *row = &((struct row_cursor *)c)->row;

	if (row_place_out(c, column, out))
		return;
	switch (column) {
	case 2:
		sql_out_id(c, out, c->index);
		break;
	case 3:
		sqlite3_result_int64(out, (int64_t)row->b);
		break;
	case 4:
		sqlite3_result_int64(out, (int64_t)row->c);
		break;
	case 5:
		stack_out(c, row->a, out);
		break;
	}
}

ROWS(sample, 1u << TRACE_THREAD, 1u << TRACE_ROW_SAMPLE, {"utid INTEGER", 0}, {"cpu INTEGER", 0},
     {"weight_ns INTEGER", 0}, {"stack_id INTEGER", 0});

static void state_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	static const char *const names[TRACE_STATES] = {"unknown", "running", "runnable",
							"blocked"};
	const struct trace_row *row = &((struct row_cursor *)c)->row;
	uint32_t state = TRACE_STATE_OF(row->b), call = TRACE_STATE_CALL(row->b);

	if (row_place_out(c, column, out))
		return;
	switch (column) {
	case 2:
		sqlite3_result_int64(
			out, sql_duration(sql_source_of(c)->trace, row->time, row->time + row->a));
		break;
	case 3:
		sql_out_id(c, out, c->index);
		break;
	case 4:
		sql_out_text(out, names[state < TRACE_STATES ? state : 0]);
		break;
	case 5:
		sqlite3_result_int64(out, TRACE_STATE_CPU(row->b));
		break;
	case 6:
		if (call)
			sqlite3_result_int64(out, call - 1);
		break;
	case 7:
		stack_out(c, row->c, out);
		break;
	}
}

ROWS(state, 1u << TRACE_THREAD, 1u << TRACE_ROW_STATE, {"dur INTEGER", 0}, {"utid INTEGER", 0},
     {"state TEXT", 0}, {"cpu INTEGER", 0}, {"syscall INTEGER", 0}, {"stack_id INTEGER", 0});

static void marker_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	static const char *const kinds[TRACE_MARKS] = {"start", "end", "total",  "data",
						       "event", "noc", "counter"};
	const struct trace_row *row = &((struct row_cursor *)c)->row;
	const struct trace *t = sql_source_of(c)->trace;
	uint32_t kind = TRACE_MARKER_KIND(row->b), srcloc = TRACE_MARKER_SRCLOC(row->b);

	if (row_place_out(c, column, out))
		return;
	switch (column) {
	case 2:
		sql_out_text(out, kind < TRACE_MARKS ? kinds[kind] : "?");
		break;
	case 3:
		if (srcloc < t->srcloc_count)
			sql_out_text(out, trace_srcloc_name(t, srcloc));
		break;
	case 4:
		sqlite3_result_int64(out, (int64_t)row->a);
		break;
	case 5:
		if (TRACE_MARKER_VALUES(row->b))
			sqlite3_result_int64(out, (int64_t)row->c);
		break;
	}
}

static int marker_next(struct sql_cursor *c)
{
	struct row_cursor *k = (struct row_cursor *)c;
	int r = row_next(c, 1u << TRACE_CORE, 1u << TRACE_ROW_MARKER);

	if (r <= 0)
		return r;
	if (c->source != k->source)
		trace_clocks_free(&k->clocks);
	if (c->source != k->source || c->index != k->track)
		k->last = 0;
	k->source = c->source;
	k->track = c->index;
	r = trace_marker_time(&k->clocks, sql_source_of(c)->trace, c->index, &k->row);
	if (r < 0)
		return r;
	/* As its zone: the rows are in order. */
	if (k->row.time < k->last)
		k->row.time = k->last;
	k->last = k->row.time;
	return 1;
}

static void marker_close(struct sql_cursor *c)
{
	trace_clocks_free(&((struct row_cursor *)c)->clocks);
	row_close(c);
}

static const struct sql_column marker_columns[] = {
	ROW_PLACE, {"kind TEXT", 0}, {"name TEXT", 0}, {"cycle INTEGER", 0}, {"value INTEGER", 0},
	{NULL, 0}};
const struct sql_table sql_table_marker = {
	.name = "marker",
	.columns = marker_columns,
	.cursor_size = sizeof(struct row_cursor),
	.order = {ROW_TRACK, ROW_TS},
	.rows = row_count,
	.next = marker_next,
	.value = marker_value,
	.close = marker_close,
};

/* ---------------------------------------------------------------- frames */

static int frame_next(struct sql_cursor *c)
{
	struct row_cursor *k = (struct row_cursor *)c;
	int r;

	while ((r = row_next(c, 1u << TRACE_FRAMES, 1u << TRACE_ROW_FRAME)) > 0)
		if (view_frames_row(&k->frames, &k->row, &k->frame))
			break;
	return r;
}

static void frame_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct view_frame *f = &((struct row_cursor *)c)->frame;
	const struct trace *t = sql_source_of(c)->trace;

	switch (column) {
	case ROW_TS:
		sqlite3_result_int64(out, trace_ns(t, f->start));
		break;
	case ROW_TRACK:
		sql_out_id(c, out, c->index);
		break;
	case 2:
		sqlite3_result_int64(out, sql_duration(t, f->start, f->end));
		break;
	case 3:
		sql_out_text(out, t->tracks[c->index].name);
		break;
	case 4:
		sqlite3_result_int64(out, (int64_t)f->number);
		break;
	}
}

static const struct sql_column frame_columns[] = {
	ROW_PLACE, {"dur INTEGER", 0}, {"name TEXT", 0}, {"number INTEGER", 0}, {NULL, 0},
};

const struct sql_table sql_table_frame = {
	.name = "frame",
	.columns = frame_columns,
	.cursor_size = sizeof(struct row_cursor),
	.order = {ROW_TRACK, ROW_TS},
	.rows = row_count,
	.next = frame_next,
	.value = frame_value,
	.close = row_close,
};
