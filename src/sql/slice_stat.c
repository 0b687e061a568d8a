/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table "slice_stat": statistics by source location, from the trace's own tables. Reading zones
 * through SQL takes a thousand times longer.
 */
#include "sql/private.h"
#include "trace/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum stat_column {
	STAT_NAME,
	STAT_FILE,
	STAT_LINE,
	STAT_COUNT,
	STAT_TOTAL,
	STAT_SELF,
	STAT_MIN,
	STAT_MAX,
	STAT_MEAN,
	STAT_SIGMA,
	STAT_MEDIAN,
	STAT_P99,
	STAT_UNFINISHED,
	STAT_SRCLOC,
	STAT_MACHINE,
	STAT_T0,
	STAT_T1,
	STAT_TRACK,
};

static const struct sql_column stat_columns[] = {
	{"name TEXT", 0},
	{"file TEXT", 0},
	{"line INTEGER", 0},
	{"count INTEGER", 0},
	{"total INTEGER", 0},
	{"self INTEGER", 0},
	{"min INTEGER", 0},
	{"max INTEGER", 0},
	{"mean REAL", 0},
	{"sigma REAL", 0},
	{"median INTEGER", 0},
	{"p99 INTEGER", 0},
	{"unfinished INTEGER", 0},
	{"srcloc INTEGER", 0},
	{"machine_id INTEGER", 0},
	{"t0 INTEGER", SQL_ARG},
	{"t1 INTEGER", SQL_ARG},
	{"track INTEGER", SQL_ARG},
	{NULL, 0},
};

struct stat_cursor {
	struct sql_cursor c;
	struct trace_stat *stats; /* of the source */
	size_t count;
	double tick; /* ns */
};

static double stat_rows(const struct sql *s)
{
	double n = 0;

	for (size_t i = 0; i < s->sources.n; i++)
		n += s->sources.v[i].trace ? s->sources.v[i].trace->srcloc_count : 0;
	return n;
}

static void stat_close(struct sql_cursor *c)
{
	free(((struct stat_cursor *)c)->stats);
}

/* Median and p99 cost more than all other columns together. */
static int stat_load(struct stat_cursor *k, struct trace *t)
{
	const struct sql_bound *b = k->c.bounds;
	struct trace_filter filter = {.t1 = UINT64_MAX};
	uint8_t *tracks = NULL;
	int r;

	filter.no_percentiles = !(k->c.used >> STAT_MEDIAN & 3);
	if (b[STAT_T0].given)
		filter.t0 = trace_ticks(t, b[STAT_T0].low);
	if (b[STAT_T1].given)
		filter.t1 = trace_ticks(t, b[STAT_T1].low);
	if (b[STAT_TRACK].given) {
		int64_t track = b[STAT_TRACK].low - sql_id(&k->c, 0);

		tracks = calloc(t->track_count + 1, 1);
		if (!tracks)
			return TACHO_ENOMEM;
		if (track >= 0 && track < t->track_count)
			tracks[track] = 1;
		filter.tracks = tracks;
	}
	free(k->stats);
	k->stats = NULL;
	r = trace_stats(t, &filter, &k->stats, &k->count, &k->c.sql->failure);
	free(tracks);
	k->tick = t->end > t->start
			  ? trace_duration_ns(t, t->start, t->end) / (double)(t->end - t->start)
			  : 1;
	return r;
}

static int stat_next(struct sql_cursor *c)
{
	struct stat_cursor *k = (struct stat_cursor *)c;
	int r;

	for (;; c->source++, c->index = UINT32_MAX) {
		if (c->source >= c->sql->sources.n)
			return 0;
		if (!sql_source_of(c)->trace)
			continue;
		if (c->index == UINT32_MAX) {
			r = stat_load(k, sql_source_of(c)->trace);
			if (r < 0)
				return r;
		}
		if (++c->index < k->count)
			return 1;
	}
}

static void stat_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct stat_cursor *k = (struct stat_cursor *)c;
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_stat *s = &k->stats[c->index];
	const struct trace_srcloc *l = trace_srcloc_of(t, s->srcloc);
	const double ticks[] = {
		[STAT_TOTAL] = (double)s->total,
		[STAT_SELF] = (double)s->self,
		[STAT_MIN] = (double)s->min,
		[STAT_MAX] = (double)s->max,
		[STAT_MEAN] = s->mean,
		[STAT_SIGMA] = s->sigma,
		[STAT_MEDIAN] = (double)s->median,
		[STAT_P99] = (double)s->p99,
	};

	switch ((enum stat_column)column) {
	case STAT_NAME:
		sql_out_text(out, trace_srcloc_name(t, s->srcloc));
		break;
	case STAT_FILE:
		sql_out_text(out, l->file);
		break;
	case STAT_LINE:
		sqlite3_result_int64(out, l->line);
		break;
	case STAT_COUNT:
		sqlite3_result_int64(out, (int64_t)s->count);
		break;
	case STAT_UNFINISHED:
		sqlite3_result_int64(out, (int64_t)s->unfinished);
		break;
	case STAT_SRCLOC:
		sql_out_id(c, out, s->srcloc);
		break;
	case STAT_MACHINE:
		sqlite3_result_int64(out, c->source);
		break;
	case STAT_MEAN:
	case STAT_SIGMA:
		if (s->count)
			sqlite3_result_double(out, ticks[column] * k->tick);
		break;
	default: /* no figures if every zone is unfinished */
		if (s->count)
			sqlite3_result_int64(out, llround(ticks[column] * k->tick));
		break;
	}
}

const struct sql_table sql_table_slice_stat = {
	.name = "slice_stat",
	.columns = stat_columns,
	.cursor_size = sizeof(struct stat_cursor),
	.order = {-1, -1},
	.rows = stat_rows,
	.next = stat_next,
	.value = stat_value,
	.close = stat_close,
};
