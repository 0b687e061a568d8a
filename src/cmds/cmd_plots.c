/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "plots": list plots and their values. */
#include "base/fmt.h"
#include "cmds/query.h"
#include "trace/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	struct query_conf query;
};

static const struct opt opts[] = {
	OPT_STR('n', "name", "PATTERN", struct conf, query.name,
		"print the points of these plots; without it one line for each plot"),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

struct plot {
	uint64_t count; /* points that are numbers */
	double sum, min, max, last;
};

struct listing {
	struct query *q;
	struct plot *plots; /* by track */
	struct table table;
};

static bool is_point(const struct trace_row *row)
{
	return row->kind == TRACE_ROW_PLOT_INT || row->kind == TRACE_ROW_PLOT_REAL;
}

static int sum_up(void *context, const struct trace_row *row, uint32_t track)
{
	struct plot *p = &((struct listing *)context)->plots[track];
	double value = trace_plot_value(row);

	if (!is_point(row) || !isfinite(value))
		return 0;
	if (p->count == 0 || value < p->min)
		p->min = value;
	if (p->count == 0 || value > p->max)
		p->max = value;
	p->count++;
	p->sum += value;
	p->last = value;
	return 0;
}

static const char *plots_format_name(uint32_t format)
{
	static const char *const names[] = {
		[TRACE_PLOT_NUMBER] = "number",
		[TRACE_PLOT_MEMORY] = "memory",
		[TRACE_PLOT_PERCENT] = "percent",
		[TRACE_PLOT_WATT] = "watt",
	};

	return format < sizeof(names) / sizeof(names[0]) ? names[format] : "?";
}

static void add_plot(struct listing *l, uint32_t track)
{
	const struct trace *trace = l->q->trace;
	const struct plot *p = &l->plots[track];
	double figures[] = {p->min, p->count ? p->sum / (double)p->count : 0, p->max, p->last};
	char text[64];

	table_uint(&l->table, trace_process_of(trace, track)->pid);
	table_text(&l->table, trace_track_name(trace, track, text, sizeof(text)));
	table_text(&l->table, plots_format_name(trace->tracks[track].format));
	table_uint(&l->table, p->count);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (p->count)
			table_real(&l->table, figures[i]);
		else
			table_none(&l->table);
	}
	table_row(&l->table);
}

static int list_plots(struct query *q, struct listing *l)
{
	static const struct table_column columns[] = {
		{"pid", "pid", TABLE_ID},           {"name", "plot", TABLE_STRING},
		{"format", "format", TABLE_STRING}, {"count", "points", TABLE_COUNT},
		{"min", "min", TABLE_NUMBER},       {"mean", "mean", TABLE_NUMBER},
		{"max", "max", TABLE_NUMBER},       {"last", "last", TABLE_NUMBER},
	};
	int r, closed;

	l->plots = calloc(q->trace->track_count + 1, sizeof(*l->plots));
	if (!l->plots)
		return TACHO_ENOMEM;
	r = query_rows(q, TRACE_PLOT, sum_up, l);
	table_open(&l->table, stdout, &q->style, TABLE_COLUMNS(columns));
	for (uint32_t i = 0; i < q->trace->track_count && r == 0; i++)
		if (query_shows(q, i, TRACE_PLOT))
			add_plot(l, i);
	free(l->plots);
	closed = table_close(&l->table);
	return r < 0 ? r : closed;
}

static int plots_point_add(void *context, const struct trace_row *row, uint32_t track)
{
	struct listing *l = context;
	const struct trace *trace = l->q->trace;
	char text[64];

	if (!is_point(row) || !query_shows(l->q, track, TRACE_PLOT))
		return 0;
	table_real(&l->table, (double)trace_ns(trace, row->time));
	table_uint(&l->table, trace_process_of(trace, track)->pid);
	table_text(&l->table, trace_track_name(trace, track, text, sizeof(text)));
	if (row->kind == TRACE_ROW_PLOT_INT)
		table_int(&l->table, (int64_t)row->a);
	else
		table_real(&l->table, trace_plot_value(row));
	return table_row(&l->table);
}

static int list_points(struct query *q, struct listing *l)
{
	static const struct table_column columns[] = {
		{"time_ns", "time", TABLE_NS},
		{"pid", NULL, TABLE_ID},
		{"name", "plot", TABLE_STRING},
		{"value", "value", TABLE_NUMBER},
	};
	int r, closed;

	table_open(&l->table, stdout, &q->style, TABLE_COLUMNS(columns));
	r = query_rows(q, TRACE_PLOT, plots_point_add, l);
	closed = table_close(&l->table);
	return r < 0 ? r : closed;
}

static int plots_print(struct query *q, void *conf)
{
	struct listing l = {.q = q};

	return ((struct conf *)conf)->query.name ? list_points(q, &l) : list_plots(q, &l);
}

QUERY_RUN(plots_print)

const struct cmd cmd_plots = {
	.name = "plots",
	.summary = "list plots, or their points",
	.usage = "[options] FILE",
	.description =
		"Prints for each plot how many points it has, and the least, mean, greatest and "
		"last value. With --name it prints the points of the plots whose names match; "
		"'*' takes them all. Values that are not numbers are left out of the figures.",
	.examples = "tacho plots app.tacho\n  all plots\n"
		    "tacho plots -n 'queue depth' --format=csv app.tacho\n  the points of one\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
