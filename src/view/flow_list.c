/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the flows of a trace and finds the zones that they connect. */
#include "view/flow_list.h"

#include <stdlib.h>
#include <string.h>

static int flow_end_compare(const void *a, const void *b)
{
	const struct view_flow_end *x = a, *y = b;

	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	/* An end may be before its beginning: clocks of devices are off. */
	if (x->step != y->step && (x->step == TRACE_FLOW_BEGIN || y->step == TRACE_FLOW_BEGIN))
		return x->step == TRACE_FLOW_BEGIN ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* Name and category, both with a zero byte. */
static int flow_text_add(struct buf *texts, const struct trace_row *row, uint32_t *offset)
{
	const char *zero = row->text_len ? memchr(row->text, 0, row->text_len) : NULL;

	*offset = (uint32_t)texts->len;
	if (texts->len + row->text_len + 2 > UINT32_MAX)
		return TACHO_ELIMIT;
	buf_add(texts, row->text, row->text_len);
	buf_addc(texts, 0);
	if (!zero)
		buf_addc(texts, 0);
	return texts->failed ? TACHO_ENOMEM : 0;
}

int view_flows_read(struct view_flows *f, struct trace *trace)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r;

	if (!f->texts.data)
		f->texts = (struct buf)BUF_INIT;
	if (f->n || !trace_property(trace, TRACE_FLOWS))
		return 0;
	r = trace_rows_open(&rows, trace, TRACE_NONE, 0, UINT64_MAX);
	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		struct view_flow_end e = {.flow = row.a,
					  .time = row.time,
					  .step = (uint32_t)row.b,
					  .track = track,
					  .next = row.c == 1};

		if (row.kind != TRACE_ROW_FLOW || row.b >= TRACE_FLOW_STEPS)
			continue;
		r = flow_text_add(&f->texts, &row, &e.name);
		if (r == 0)
			r = vec_push(f, e);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	if (r == 0 && f->n)
		qsort(f->v, f->n, sizeof(*f->v), flow_end_compare);
	return r;
}

void view_flows_free(struct view_flows *f)
{
	vec_free(f);
	if (f->texts.data)
		buf_free(&f->texts);
}

const char *view_flow_category(const struct view_flows *f, const struct view_flow_end *e)
{
	const char *name = view_flow_name(f, e);

	return name + strlen(name) + 1;
}

const struct view_flow_end *view_flow_from(const struct view_flows *f, size_t i)
{
	return i && f->v[i - 1].flow == f->v[i].flow && f->v[i].step != TRACE_FLOW_BEGIN
		       ? &f->v[i - 1]
		       : NULL;
}

/* The first zone of a lane that begins at or after T0 or is open then. */
static int flow_zone_in(struct trace *t, uint32_t lane, uint64_t t0, uint64_t t1, bool begins,
			struct view_flow_place *place)
{
	struct trace_cursor *c;
	struct trace_zone z = {0};
	int r = trace_cursor_open(&c, t, lane, t0, t1);

	if (r < 0)
		return r;
	do {
		r = trace_cursor_next(c, &z);
	} while (r > 0 && begins && z.start < t0);
	if (r > 0)
		*place = (struct view_flow_place){lane, trace_cursor_number(c), z};
	trace_cursor_close(c);
	return r;
}

int view_flow_zone(struct trace *t, const struct view_flow_end *e, struct view_flow_place *place)
{
	struct view_flow_place next;
	uint32_t first, count;
	bool found = false;
	int r = 0;

	trace_track_lanes(t, e->track, &first, &count);
	/* Of zones that begin at one time, the outermost: lanes are sorted by depth. */
	for (uint32_t i = first; e->next && i < first + count && r >= 0; i++) {
		r = flow_zone_in(t, i, e->time, UINT64_MAX, true, &next);
		if (r > 0 && (!found || next.zone.start < place->zone.start)) {
			*place = next;
			found = true;
		}
	}
	if (r < 0 || found)
		return r < 0 ? r : 1;
	/* The innermost around it. */
	for (r = 0; r == 0 && count--;)
		r = flow_zone_in(t, first + count, e->time, e->time + 1, false, place);
	return r;
}
