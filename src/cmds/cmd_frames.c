/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "frames": list frame sets and their durations. */
#include "base/fmt.h"
#include "base/order.h"
#include "cmds/query.h"
#include "trace/names.h"
#include "view/frame_spans.h"

#include <stdlib.h>
#include <string.h>

struct conf {
	struct query_conf query;
	bool list;
};

static const struct opt opts[] = {
	OPT_STR('n', "name", "PATTERN", struct conf, query.name, "select frame sets by name"),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	OPT_FLAG('l', "list", struct conf, list,
		 "print every frame instead of one line for each set"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

struct set {
	struct view_frames frames;
	struct {
		VEC(double);
	} durations; /* ns */
	double sum;
};

struct listing {
	struct query *q;
	struct set *sets; /* by track */
	struct table table;
	bool list;
};

static int add_frame(struct listing *l, const struct view_frame *frame, uint32_t track)
{
	const struct trace *trace = l->q->trace;
	char text[64];

	table_real(&l->table, (double)trace_ns(trace, frame->start));
	table_uint(&l->table, trace_process_of(trace, track)->pid);
	table_text(&l->table, trace_track_name(trace, track, text, sizeof(text)));
	table_uint(&l->table, frame->number);
	table_real(&l->table, trace_duration_ns(trace, frame->start, frame->end));
	return table_row(&l->table);
}

static int frames_row_take(void *context, const struct trace_row *row, uint32_t track)
{
	struct listing *l = context;
	const struct trace *trace = l->q->trace;
	struct set *set = &l->sets[track];
	struct view_frame frame;
	double ns;

	set->frames.pairs = trace->tracks[track].format == 1;
	if (!query_shows(l->q, track, TRACE_FRAMES) || !view_frames_row(&set->frames, row, &frame))
		return 0;
	if (l->list)
		return add_frame(l, &frame, track);
	ns = trace_duration_ns(trace, frame.start, frame.end);
	set->sum += ns;
	return vec_push(&set->durations, ns);
}

/* The value at rank ceil(q * n), as for zones. */
static double frames_quantile(const struct set *set, uint64_t percent)
{
	size_t rank = (set->durations.n * percent + 99) / 100;

	return set->durations.v[rank ? rank - 1 : 0];
}

static void add_set(struct listing *l, uint32_t track)
{
	struct set *set = &l->sets[track];
	size_t n = set->durations.n;
	char text[64];

	table_uint(&l->table, trace_process_of(l->q->trace, track)->pid);
	table_text(&l->table, trace_track_name(l->q->trace, track, text, sizeof(text)));
	table_uint(&l->table, n);
	if (n == 0) {
		for (int i = 0; i < 6; i++)
			table_none(&l->table);
	} else {
		qsort(set->durations.v, n, sizeof(double), order_double);
		table_real(&l->table, set->sum / (double)n);
		table_real(&l->table, set->sum > 0 ? 1e9 * (double)n / set->sum : 0);
		table_real(&l->table, set->durations.v[0]);
		table_real(&l->table, frames_quantile(set, 50));
		table_real(&l->table, frames_quantile(set, 99));
		table_real(&l->table, set->durations.v[n - 1]);
	}
	table_row(&l->table);
}

static const struct table_column frame_columns[] = {
	{"start_ns", "start", TABLE_NS},       {"pid", NULL, TABLE_ID},
	{"name", "frames", TABLE_STRING},      {"number", "number", TABLE_COUNT},
	{"duration_ns", "duration", TABLE_NS},
};

static const struct table_column set_columns[] = {
	{"pid", "pid", TABLE_ID},          {"name", "frames", TABLE_STRING},
	{"count", "count", TABLE_COUNT},   {"mean_ns", "mean", TABLE_NS},
	{"fps", "fps", TABLE_NUMBER},      {"min_ns", "min", TABLE_NS},
	{"median_ns", "median", TABLE_NS}, {"p99_ns", "p99", TABLE_NS},
	{"max_ns", "max", TABLE_NS},
};

static int frames_print(struct query *q, void *conf)
{
	struct listing l = {.q = q, .list = ((struct conf *)conf)->list};
	uint32_t n = q->trace->track_count;
	int r, closed;

	l.sets = calloc(n + 1, sizeof(*l.sets));
	if (!l.sets)
		return TACHO_ENOMEM;
	if (l.list)
		table_open(&l.table, stdout, &q->style, TABLE_COLUMNS(frame_columns));
	else
		table_open(&l.table, stdout, &q->style, TABLE_COLUMNS(set_columns));
	r = query_rows(q, TRACE_FRAMES, frames_row_take, &l);
	for (uint32_t i = 0; i < n; i++) {
		if (r == 0 && !l.list && query_shows(q, i, TRACE_FRAMES))
			add_set(&l, i);
		vec_free(&l.sets[i].durations);
	}
	free(l.sets);
	closed = table_close(&l.table);
	return r < 0 ? r : closed;
}

QUERY_RUN(frames_print)

const struct cmd cmd_frames = {
	.name = "frames",
	.summary = "list frame sets, or single frames",
	.usage = "[options] FILE",
	.description =
		"Prints for each set of frames their number, mean duration, frames per second, and the "
		"least, median, 99th percentile and greatest duration. A frame of marks lasts from one "
		"mark to the next, one with a start and an end between them. --list prints every frame.",
	.examples = "tacho frames app.tacho\n  all sets\n"
		    "tacho frames --list -n render --format=csv app.tacho\n  every frame of one\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
