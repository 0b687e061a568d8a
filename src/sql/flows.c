/* SPDX-License-Identifier: Apache-2.0 */
/* The table "flow": arrows between zones, of imported traces. */
#include "sql/private.h"
#include "view/flow_list.h"

struct flow_cursor {
	struct sql_cursor c;
	struct view_flows flows; /* of the source */
	size_t at;
	bool read;
};

enum flow_column {
	FLOW_ID,
	FLOW_OUT,
	FLOW_IN,
	FLOW_TRACE,
	FLOW_NAME,
	FLOW_CATEGORY,
	FLOW_TS_OUT,
	FLOW_TS_IN,
	FLOW_TRACK_OUT,
	FLOW_TRACK_IN,
	FLOW_MACHINE,
};

static const struct sql_column flow_columns[] = {
	{"id INTEGER", 0},       {"slice_out INTEGER", 0},  {"slice_in INTEGER", 0},
	{"trace_id INTEGER", 0}, {"name TEXT", 0},          {"category TEXT", 0},
	{"ts_out INTEGER", 0},   {"ts_in INTEGER", 0},      {"track_out INTEGER", 0},
	{"track_in INTEGER", 0}, {"machine_id INTEGER", 0}, {NULL, 0},
};

static double flow_rows(const struct sql *s)
{
	return 1000.0 * (double)s->sources.n;
}

static void flow_close(struct sql_cursor *c)
{
	view_flows_free(&((struct flow_cursor *)c)->flows);
}

static int flow_next(struct sql_cursor *c)
{
	struct flow_cursor *k = (struct flow_cursor *)c;
	int r;

	for (;;) {
		if (k->read) {
			while (++k->at < k->flows.n)
				if (view_flow_from(&k->flows, k->at))
					return 1;
			view_flows_free(&k->flows);
			k->flows = (struct view_flows){0};
			k->read = false;
			c->source++;
		}
		while (c->source < c->sql->sources.n && !sql_source_of(c)->trace)
			c->source++;
		if (c->source >= c->sql->sources.n)
			return 0;
		r = view_flows_read(&k->flows, sql_source_of(c)->trace);
		if (r < 0)
			return r;
		k->read = true;
		k->at = SIZE_MAX;
	}
}

static void flow_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct flow_cursor *k = (struct flow_cursor *)c;
	const struct view_flow_end *in = &k->flows.v[k->at];
	const struct view_flow_end *from = view_flow_from(&k->flows, k->at);
	const struct trace *t = sql_source_of(c)->trace;
	struct view_flow_place place;

	switch ((enum flow_column)column) {
	case FLOW_ID:
		sqlite3_result_int64(out, sql_id(c, (uint32_t)k->at));
		break;
	case FLOW_OUT:
	case FLOW_IN:
		if (view_flow_zone(sql_source_of(c)->trace, column == FLOW_OUT ? from : in,
				   &place) > 0)
			sqlite3_result_int64(out, sql_slice_id(c, place.lane, place.number));
		break;
	case FLOW_TRACE:
		sqlite3_result_int64(out, (int64_t)in->flow);
		break;
	case FLOW_NAME:
		sqlite3_result_text(out, view_flow_name(&k->flows, in), -1, SQLITE_TRANSIENT);
		break;
	case FLOW_CATEGORY:
		sqlite3_result_text(out, view_flow_category(&k->flows, in), -1, SQLITE_TRANSIENT);
		break;
	case FLOW_TS_OUT:
	case FLOW_TS_IN:
		sqlite3_result_int64(out,
				     trace_ns(t, column == FLOW_TS_OUT ? from->time : in->time));
		break;
	case FLOW_TRACK_OUT:
	case FLOW_TRACK_IN:
		sql_out_id(c, out, column == FLOW_TRACK_OUT ? from->track : in->track);
		break;
	case FLOW_MACHINE:
		sqlite3_result_int64(out, c->source);
		break;
	}
}

const struct sql_table sql_table_flow = {
	.name = "flow",
	.columns = flow_columns,
	.cursor_size = sizeof(struct flow_cursor),
	.order = {-1, -1},
	.rows = flow_rows,
	.next = flow_next,
	.value = flow_value,
	.close = flow_close,
};
