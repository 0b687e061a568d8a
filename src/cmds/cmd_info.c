/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "info": show what a trace contains. */
#include "base/fmt.h"
#include "cmds/info.h"
#include "export/export.h"
#include "trace/names.h"

#include <string.h>
#include <time.h>

#define FEW 20 /* rows of one section, unless it is the only one requested */

static const char *const sections[] = {"all",     "summary", "properties", "processes", "absent",
				       "threads", "clocks",  "rows",       "losses",    NULL};

struct conf {
	struct query_conf query;
	int show;
};

static const struct opt opts[] = {
	OPT_ENUM(
		's', "show", struct conf, show, sections,
		"one section in full instead of a digest of all; the default of csv is the summary"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

/* Facts that need a pass over all rows. */
struct counts {
	uint64_t kinds[TRACE_ROW_KINDS + 1]; /* the last: kinds that this version does not know */
	uint64_t late, late_step;
	uint64_t zones_lost[TRACE_LOSSES + 1], others_lost[TRACE_LOSSES + 1];
};

static int info_row_count(void *context, const struct trace_row *row, uint32_t track)
{
	struct counts *c = context;
	uint64_t reason = row->a < TRACE_LOSSES ? row->a : TRACE_LOSSES;

	(void)track;
	c->kinds[row->kind < TRACE_ROW_KINDS ? row->kind : TRACE_ROW_KINDS]++;
	if (row->kind == TRACE_ROW_LOSS) {
		c->zones_lost[reason] += row->b;
		c->others_lost[reason] += row->c;
	} else if (row->kind == TRACE_ROW_LATE) {
		c->late += row->a;
		if (row->b > c->late_step)
			c->late_step = row->b;
	}
	return 0;
}

static void add_date(struct table *t, const struct trace *trace)
{
	int64_t ns = trace_realtime_ns(trace, trace->start);
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[64];

	if (ns <= 0 || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		table_none(t);
	else
		table_text(t, text);
}

static void info_clock_add(struct table *t, const struct query *q)
{
	const struct trace *trace = q->trace;
	uint32_t worst = 0;

	for (uint32_t i = 0; i < trace->clock_point_count; i++)
		if (trace->clock_points[i].bound_ns > worst)
			worst = trace->clock_points[i].bound_ns;
	table_real(t, q->ns_per_tick > 0 ? 1e3 / q->ns_per_tick : 0);
	table_uint(t, trace->clock_point_count);
	table_real(t, worst);
}

static void add_losses(struct table *t, const struct query *q, const struct counts *c)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < q->trace->track_count; i++)
		lost += q->trace->ledgers[i].zones_lost + q->trace->ledgers[i].rows_lost;
	table_uint(t, lost);
	if (c->late) {
		table_uint(t, c->late);
		table_real(t, query_ns(q, (double)c->late_step));
	} else {
		table_none(t);
		table_none(t);
	}
}

static int info_summary_print(struct query *q, const struct counts *counts, size_t most)
{
	static const struct table_column columns[] = {
		{"file", "file", TABLE_STRING},
		{"size_bytes", "size", TABLE_BYTES},
		{"bytes_per_zone", "bytes per zone", TABLE_NUMBER},
		{"recorded", "recorded", TABLE_STRING},
		{"span_ns", "time span", TABLE_NS},
		{"processes", "processes", TABLE_COUNT},
		{"absent", "not recorded", TABLE_COUNT},
		{"threads", "threads", TABLE_COUNT},
		{"source_locations", "source locations", TABLE_COUNT},
		{"zones", "zones", TABLE_COUNT},
		{"rows", "other events", TABLE_COUNT},
		{"clock_mhz", "clock, MHz", TABLE_NUMBER},
		{"clock_points", "clock points", TABLE_COUNT},
		{"clock_bound_ns", "clock bound", TABLE_NS},
		{"lost", "lost", TABLE_COUNT},
		{"late", "late events", TABLE_COUNT},
		{"late_step_ns", "latest by", TABLE_NS},
		{"damage", "damage", TABLE_STRING},
	};
	const struct trace *trace = q->trace;
	struct table_style style = q->style;
	uint64_t threads = 0;
	struct table t;

	(void)most;
	for (uint32_t i = 0; i < trace->track_count; i++)
		threads += trace->tracks[i].kind <= TRACE_CORE;
	style.record = true;
	table_open(&t, stdout, &style, TABLE_COLUMNS(columns));
	table_text(&t, trace->path);
	table_uint(&t, trace->file_size);
	if (trace->zones)
		table_real(&t, (double)trace->file_size / (double)trace->zones);
	else
		table_none(&t);
	add_date(&t, trace);
	table_real(&t, trace_duration_ns(trace, trace->start, trace->end));
	table_uint(&t, trace->process_count);
	if (trace->absent_known || trace->absent_count)
		table_uint(&t, trace_absent_total(trace));
	else
		table_none(&t);
	table_uint(&t, threads);
	table_uint(&t, trace->srcloc_count);
	table_uint(&t, trace->zones);
	table_uint(&t, trace->rows);
	info_clock_add(&t, q);
	add_losses(&t, q, counts);
	table_text(&t, trace->damage.text);
	table_row(&t);
	return table_close(&t);
}

static int print_rows(struct query *q, const struct counts *counts, size_t most)
{
	static const struct table_column columns[] = {
		{"kind", "other events", TABLE_STRING},
		{"count", "count", TABLE_COUNT},
	};
	struct table t;

	(void)most;
	table_open(&t, stdout, &q->style, columns, 2);
	for (uint32_t i = 0; i <= TRACE_ROW_KINDS; i++) {
		if (!counts->kinds[i])
			continue;
		table_text(&t, i < TRACE_ROW_KINDS ? trace_row_kind_name(i) : "of a later version");
		table_uint(&t, counts->kinds[i]);
		table_row(&t);
	}
	return table_close(&t);
}

static int print_losses(struct query *q, const struct counts *counts, size_t most)
{
	static const struct table_column columns[] = {
		{"reason", "lost because", TABLE_STRING},
		{"zones", "zones", TABLE_COUNT},
		{"others", "others", TABLE_COUNT},
	};
	struct table t;

	(void)most;
	table_open(&t, stdout, &q->style, columns, 3);
	for (uint32_t i = 0; i <= TRACE_LOSSES; i++) {
		if (!counts->zones_lost[i] && !counts->others_lost[i])
			continue;
		table_text(&t, trace_loss_name(i));
		table_uint(&t, counts->zones_lost[i]);
		table_uint(&t, counts->others_lost[i]);
		table_row(&t);
	}
	return table_close(&t);
}

static int print_absent(struct query *q, const struct counts *counts, size_t most)
{
	static const struct table_column columns[] = {
		{"pid", "pid", TABLE_ID},
		{"process", "not recorded", TABLE_STRING},
		{"count", "count", TABLE_COUNT},
		{"errno", "errno", TABLE_ID},
		{"reason", "because", TABLE_STRING},
	};
	char text[TRACE_ABSENT_TEXT];
	const struct trace *trace = q->trace;
	struct table t;
	int r;

	(void)counts;
	table_open(&t, stdout, &q->style, TABLE_COLUMNS(columns));
	for (uint32_t i = 0; i < trace->absent_count && (!most || i < most); i++) {
		const struct trace_absent *a = &trace->absent[i];

		if (a->pid)
			table_uint(&t, a->pid);
		else
			table_none(&t);
		table_text(&t, a->name);
		table_uint(&t, a->count);
		table_uint(&t, a->error);
		table_text(&t, trace_absent_text(a, text, sizeof(text)));
		table_row(&t);
	}
	r = table_close(&t);
	if (most && trace->absent_count > most)
		printf("(and %zu more)\n", trace->absent_count - most);
	return r;
}

static int print_clocks(struct query *q, const struct counts *counts, size_t most)
{
	(void)counts;
	(void)most;
	return info_clocks(q);
}

static int print_list(struct query *q, export_list *list, size_t most)
{
	int64_t n = list(stdout, &q->style, q->trace, most);

	if (n > 0 && most && (uint64_t)n > most)
		printf("(and %lld more)\n", (long long)n - (long long)most);
	return n < 0 ? (int)n : 0;
}

#define LIST(name)                                                                         \
	static int print_##name(struct query *q, const struct counts *counts, size_t most) \
	{                                                                                  \
		(void)counts;                                                              \
		return print_list(q, export_##name, most);                                 \
	}
LIST(properties)
LIST(processes)
LIST(threads)
#undef LIST

/* In the order of the words above, without "all". */
static int (*const printers[])(struct query *, const struct counts *, size_t) = {
	info_summary_print, print_properties, print_processes, print_absent,
	print_threads,      print_clocks,     print_rows,      print_losses,
};

static bool info_is_empty(const struct query *q, const struct counts *counts, size_t section)
{
	if (printers[section] == print_properties)
		return q->trace->property_count == 0;
	if (printers[section] == print_absent)
		return q->trace->absent_count == 0;
	if (printers[section] == print_clocks)
		return counts->kinds[TRACE_ROW_DEVICE_CLOCK] == 0;
	if (printers[section] == print_rows)
		return q->trace->rows == 0;
	return printers[section] == print_losses && counts->kinds[TRACE_ROW_LOSS] == 0;
}

static int print_all(struct query *q, const struct counts *counts)
{
	bool json = q->style.format == TABLE_AS_JSON;
	int r = 0;

	for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]) && r == 0; i++) {
		if (json)
			printf("%s\"%s\": ", i ? "," : "{", sections[i + 1]);
		else if (info_is_empty(q, counts, i))
			continue;
		else if (i)
			putchar('\n');
		r = printers[i](q, counts, json ? 0 : FEW);
	}
	if (json)
		puts("}");
	return r;
}

static int info_print(struct query *q, void *conf)
{
	int show = ((struct conf *)conf)->show;
	struct counts counts = {0};
	int r = query_rows(q, TRACE_TRACK_KINDS, info_row_count, &counts);

	if (r < 0)
		return r;
	q->style.hidden = NULL;
	if (show == 0 && q->style.format != TABLE_AS_CSV)
		return print_all(q, &counts);
	return printers[show ? show - 1 : 0](q, &counts, 0);
}

QUERY_RUN(info_print)

const struct cmd cmd_info = {
	.name = "info",
	.summary = "show what a trace contains",
	.usage = "[options] FILE",
	.description =
		"Prints when and where a trace was recorded, its processes with their exit status, "
		"processes that could not be recorded, its threads, the number of zones and other events, "
		"the error of its clock and of those of devices, losses and damage.\n\n"
		"Sections of text end after 20 rows; --show prints one of them in full.",
	.examples = "tacho info app.tacho\n  a digest of everything\n"
		    "tacho info --show=threads --format=csv app.tacho\n  all threads as a table\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
