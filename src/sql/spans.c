/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables "lock_span" and "alloc": intervals that two events make. Those of one lock or pool are
 * collected before its first row.
 */
#include "sql/private.h"
#include "view/lock_spans.h"
#include "view/memory_pool.h"

#include <string.h>

/* A wait for a lock, or the life of an allocation. */
struct span {
	uint64_t start, end; /* end 0: not known */
	uint64_t address, bytes;
	uint32_t thread;
	bool held, shared;
};

struct span_cursor {
	struct sql_cursor c;
	struct {
		VEC(struct span);
	} spans; /* of the track */
	size_t at;
};

static void span_close(struct sql_cursor *c)
{
	struct span_cursor *k = (struct span_cursor *)c;

	vec_free(&k->spans);
}

static double span_rows(const struct sql *s)
{
	double n = 0;

	for (size_t i = 0; i < s->sources.n; i++)
		n += s->sources.v[i].trace ? (double)s->sources.v[i].trace->rows / 2 : 0;
	return n;
}

static int lock_span_take(void *context, const struct view_lock_span *span)
{
	struct span_cursor *k = context;
	struct span s = {.start = span->start,
			 .end = span->end,
			 .thread = span->thread,
			 .held = span->held,
			 .shared = span->shared};

	return span->ended ? vec_push(&k->spans, s) : 0;
}

static int lock_collect(struct span_cursor *k, struct trace_rows *rows)
{
	struct view_lock lock = {0};
	struct trace_row row;
	uint32_t track;
	int r;

	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		r = view_lock_row(&lock, &row, lock_span_take, k);
		if (r < 0)
			break;
	}
	view_lock_free(&lock);
	return r;
}

/* An allocation becomes a row when it is freed; those never freed come last. */
static int pool_collect(struct span_cursor *k, struct trace_rows *rows)
{
	struct view_pool pool = {0};
	struct trace_row row;
	uint32_t track;
	int r;

	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		const struct view_allocation *a =
			row.kind == TRACE_ROW_ALLOC || row.kind == TRACE_ROW_FREE
				? view_pool_at(&pool, row.a)
				: NULL;

		if (a && vec_push(&k->spans, ((struct span){.start = a->time,
							    .end = row.time,
							    .address = a->address,
							    .bytes = a->bytes,
							    .thread = a->thread})) < 0)
			r = TACHO_ENOMEM;
		else
			r = view_pool_row(&pool, &row);
		if (r < 0)
			break;
	}
	for (size_t i = 0; i < pool.slot_count && r == 0; i++) {
		const struct view_allocation *a = &pool.slots[i];

		if (a->used)
			r = vec_push(&k->spans, ((struct span){.start = a->time,
							       .address = a->address,
							       .bytes = a->bytes,
							       .thread = a->thread}));
	}
	view_pool_free(&pool);
	return r;
}

static int span_next(struct sql_cursor *c, uint32_t kind,
		     int (*collect)(struct span_cursor *k, struct trace_rows *rows))
{
	struct span_cursor *k = (struct span_cursor *)c;
	struct trace_rows *rows;
	int r;

	while (++k->at >= k->spans.n + 1) {
		r = sql_track_next(c, 1u << kind, 1);
		if (r <= 0)
			return r;
		k->spans.n = k->at = 0;
		r = trace_rows_open(&rows, sql_source_of(c)->trace, c->index, 0, UINT64_MAX);
		if (r < 0)
			return r;
		r = collect(k, rows);
		trace_rows_close(rows);
		if (r < 0)
			return r;
	}
	return 1;
}

static int lock_span_next(struct sql_cursor *c)
{
	return span_next(c, TRACE_LOCK, lock_collect);
}

static int alloc_next(struct sql_cursor *c)
{
	return span_next(c, TRACE_MEMORY, pool_collect);
}

static void lock_span_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct span_cursor *k = (struct span_cursor *)c;
	const struct span *s = &k->spans.v[k->at - 1];
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_track *track = &t->tracks[c->index];

	switch (column) {
	case 0:
		sqlite3_result_int64(out, trace_ns(t, s->start));
		break;
	case 1:
		sql_out_id(c, out, c->index);
		break;
	case 2:
		sqlite3_result_int64(out, sql_duration(t, s->start, s->end));
		break;
	case 3:
		sql_out_id(c, out, s->thread);
		break;
	case 4:
		sql_out_text(out,
			     track->name[0] ? track->name : trace_srcloc_name(t, track->srcloc));
		break;
	case 5:
		sql_out_text(out, s->held ? "held" : "waiting");
		break;
	case 6:
		sqlite3_result_int(out, s->shared);
		break;
	}
}

static void alloc_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct span_cursor *k = (struct span_cursor *)c;
	const struct span *s = &k->spans.v[k->at - 1];
	const struct trace *t = sql_source_of(c)->trace;

	switch (column) {
	case 0:
		sqlite3_result_int64(out, trace_ns(t, s->start));
		break;
	case 1:
		sql_out_id(c, out, c->index);
		break;
	case 2:
		sql_out_text(out, t->tracks[c->index].name);
		break;
	case 3:
		sqlite3_result_int64(out, (int64_t)s->address);
		break;
	case 4:
		sqlite3_result_int64(out, (int64_t)s->bytes);
		break;
	case 5:
		if (s->end)
			sqlite3_result_int64(out, trace_ns(t, s->end));
		break;
	case 6:
		sql_out_id(c, out, s->thread);
		break;
	}
}

static const struct sql_column lock_span_columns[] = {
	{"ts INTEGER", 0},     {"track_id INTEGER", SQL_EQ | SQL_RANGE},
	{"dur INTEGER", 0},    {"utid INTEGER", 0},
	{"lock TEXT", 0},      {"kind TEXT", 0},
	{"shared INTEGER", 0}, {NULL, 0},
};

const struct sql_table sql_table_lock_span = {
	.name = "lock_span",
	.columns = lock_span_columns,
	.cursor_size = sizeof(struct span_cursor),
	.order = {1, -1},
	.rows = span_rows,
	.next = lock_span_next,
	.value = lock_span_value,
	.close = span_close,
};

static const struct sql_column alloc_columns[] = {
	{"ts INTEGER", 0},    {"track_id INTEGER", SQL_EQ | SQL_RANGE},
	{"pool TEXT", 0},     {"address INTEGER", 0},
	{"bytes INTEGER", 0}, {"freed_ts INTEGER", 0},
	{"utid INTEGER", 0},  {NULL, 0},
};

const struct sql_table sql_table_alloc = {
	.name = "alloc",
	.columns = alloc_columns,
	.cursor_size = sizeof(struct span_cursor),
	.order = {1, -1},
	.rows = span_rows,
	.next = alloc_next,
	.value = alloc_value,
	.close = span_close,
};
