/* SPDX-License-Identifier: Apache-2.0 */
/* csvexport: messages; points of plots and memory. */
#include "base/map.h"
#include "base/vec.h"
#include "op/message_text.h"
#include "tracy/by_track.h"
#include "tracy/sheet.h"

#include <string.h>

int sheet_messages(struct sheet *c)
{
	static const char *const names[] = {"MessageName", "total_ns", NULL};
	struct trace_rows *rows = NULL;
	struct trace_row row;
	struct buf text = BUF_INIT;
	uint32_t track;
	bool any = false;
	int r = trace_rows_open_kind(&rows, c->trace, TRACE_MESSAGES, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_rows_next(rows, &row, &track)) > 0) {
		r = op_row_message(&row, &text);
		if (r < 0 || row.kind != TRACE_ROW_MESSAGE || !sheet_takes(c, track))
			continue;
		if (!any)
			sheet_header(c, names);
		any = true;
		/* Raw: producers quote in their own way, with backticks. */
		buf_add(&c->out, row.text, row.text_len);
		sheet_next(c);
		sheet_number(c, sheet_ns(c, row.time));
		sheet_end(c);
	}
	trace_rows_close(rows);
	buf_free(&text);
	if (!any) {
		sheet_raw(c, "There are currently no messages!");
		sheet_end(c);
	}
	return r;
}

/* A point in the columns of the zone list: before, between and after time and value. */
static void put_point(struct sheet *c, const char *name, int64_t time, double value)
{
	static const struct {
		int before, between, after;
	} gaps[] = {[TRACY_CSV_TT] = {5, 3, 1},
		    [TRACY_CSV_TT10] = {5, 3, 0},
		    [TRACY_CSV_UPSTREAM] = {3, 3, 0}};
	int layout = c->o->layout;

	sheet_text(c, name, strlen(name));
	for (int i = 0; i < gaps[layout].before; i++)
		sheet_next(c);
	sheet_number(c, time);
	for (int i = 0; i < gaps[layout].between; i++)
		sheet_next(c);
	buf_addf(&c->out, "%f", value);
	for (int i = 0; i < gaps[layout].after; i++)
		sheet_next(c);
	sheet_end(c);
}

static int sheet_rows_plot_put(struct sheet *c, struct by_track *rows, uint32_t track)
{
	struct trace_row row;
	double value;
	int r = by_track_begin(rows, track);

	while (r >= 0 && (r = by_track_next(rows, &row)) > 0) {
		if (row.kind == TRACE_ROW_PLOT_INT)
			value = (double)(int64_t)row.a;
		else if (row.kind == TRACE_ROW_PLOT_REAL)
			memcpy(&value, &row.a, sizeof(value));
		else
			continue;
		put_point(c, c->trace->tracks[track].name, sheet_ns(c, row.time), value);
	}
	return r;
}

struct live {
	struct map index; /* by address */
	struct {
		VEC(uint64_t);
	} sizes;
	uint64_t usage;
};

static int live_add(struct live *l, const struct trace_row *row)
{
	uint32_t *at = map_get(&l->index, row->a);

	if (at) {
		l->usage -= l->sizes.v[*at];
		l->sizes.v[*at] = 0;
	}
	if (row->kind != TRACE_ROW_ALLOC)
		return 0;
	l->usage += row->b;
	if (at) {
		l->sizes.v[*at] = row->b;
		return 0;
	}
	if (map_set(&l->index, row->a, (uint32_t)l->sizes.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&l->sizes, row->b);
}

/* The memory in use after each event of a pool. */
static int sheet_rows_memory_put(struct sheet *c, struct by_track *rows, uint32_t track)
{
	const char *name = c->trace->tracks[track].name;
	struct live live = {0};
	struct trace_row row;
	int r = by_track_begin(rows, track);

	name = name[0] ? name : "Memory";
	if (r == 0)
		put_point(c, name, 0, 0);
	while (r >= 0 && (r = by_track_next(rows, &row)) > 0) {
		if (row.kind != TRACE_ROW_ALLOC && row.kind != TRACE_ROW_FREE)
			continue;
		r = live_add(&live, &row);
		put_point(c, name, sheet_ns(c, row.time), (double)live.usage);
	}
	map_free(&live.index);
	vec_free(&live.sizes);
	return r;
}

int sheet_plots(struct sheet *c)
{
	struct by_track rows;
	int r = by_track_open(&rows, c->trace);

	for (uint32_t i = 0; i < c->trace->track_count && r == 0; i++)
		if (c->trace->tracks[i].kind == TRACE_MEMORY)
			r = sheet_rows_memory_put(c, &rows, i);
	for (uint32_t i = 0; i < c->trace->track_count && r == 0; i++)
		if (c->trace->tracks[i].kind == TRACE_PLOT)
			r = sheet_rows_plot_put(c, &rows, i);
	by_track_close(&rows);
	return r;
}
