/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as files. They are written to a file without a name first, so that memory stays small and
 * a slow client holds no trace.
 */
#include "trace/names.h"
#include "view/message_list.h"
#include "view/op_table.h"
#include "view/row_merge.h"
#include "view/zone_stats.h"
#include "view/zone_stream.h"

#include <string.h>

static const struct table_column stat_columns[] = {
	{"name", NULL, TABLE_STRING},      {"file", NULL, TABLE_STRING},
	{"line", NULL, TABLE_ID},          {"count", NULL, TABLE_COUNT},
	{"total_ns", NULL, TABLE_NS},      {"sum_ns", NULL, TABLE_NS},
	{"self_ns", NULL, TABLE_NS},       {"wait_ns", NULL, TABLE_NS},
	{"mean_ns", NULL, TABLE_NS},       {"median_ns", NULL, TABLE_NS},
	{"p99_ns", NULL, TABLE_NS},        {"min_ns", NULL, TABLE_NS},
	{"max_ns", NULL, TABLE_NS},        {"sigma_ns", NULL, TABLE_NS},
	{"unfinished", NULL, TABLE_COUNT},
};

static int stats_write(struct view_call *c, FILE *out, const struct table_style *style,
		       const struct trace_filter *filter, const struct words *words)
{
	double tick = call_tick(c);
	struct trace_stat *stats;
	struct table t;
	size_t count;
	int r = stats_count(c, filter, &stats, &count), closed;

	if (r < 0)
		return r;
	table_open(&t, out, style, TABLE_COLUMNS(stat_columns));
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct trace_stat *s = &stats[i];
		const struct trace_srcloc *loc = &c->trace->srclocs[s->srcloc];
		const char *name = trace_srcloc_name(c->trace, s->srcloc);

		if (!words_take(words, name, strlen(name)))
			continue;
		table_text(&t, name);
		table_text(&t, loc->file);
		table_uint(&t, loc->line);
		table_uint(&t, s->count);
		table_real(&t, (double)s->total * tick);
		table_real(&t, (double)s->sum * tick);
		table_real(&t, (double)s->self * tick);
		table_real(&t, (double)s->wait * tick);
		table_real(&t, s->mean * tick);
		table_real(&t, (double)s->median * tick);
		table_real(&t, (double)s->p99 * tick);
		table_real(&t, (double)s->min * tick);
		table_real(&t, (double)s->max * tick);
		table_real(&t, s->sigma * tick);
		table_uint(&t, s->unfinished);
		r = table_row(&t);
	}
	free(stats);
	closed = table_close(&t);
	return r < 0 ? r : closed;
}

static const struct table_column message_columns[] = {
	{"time_ns", NULL, TABLE_NS},
	{"thread", NULL, TABLE_STRING},
	{"severity", NULL, TABLE_STRING},
	{"text", NULL, TABLE_STRING},
};

/* As the page lists them, filtered by the same words. */
static int messages_write(struct view_call *c, FILE *out, const struct table_style *style,
			  const struct trace_filter *filter)
{
	struct message_choice choice;
	struct buf record = BUF_INIT;
	struct trace_row row;
	struct rows *rows;
	struct table t;
	uint32_t track;
	bool signpost;
	int r = message_choice_read(c, &choice), closed;

	if (r == 0)
		r = rows_open(&rows, c, TRACE_MESSAGES, TRACE_NONE, filter->t0, filter->t1);
	if (r < 0)
		return r;
	table_open(&t, out, style, TABLE_COLUMNS(message_columns));
	while (r >= 0 && (r = rows_next(rows, &row, &track)) > 0) {
		char text[128];

		r = message_take(&choice, &row, &record, &signpost);
		if (r <= 0 ||
		    (filter->tracks && (row.thread == TRACE_NONE || !filter->tracks[row.thread])))
			continue;
		table_real(&t, call_ns(c, row.time));
		if (row.thread == TRACE_NONE)
			table_none(&t);
		else
			table_text(&t, trace_track_name(c->trace, row.thread, text, sizeof(text)));
		table_text(&t, trace_severity_name(
				       row.kind == TRACE_ROW_CRASH ? TRACE_SEVERITY_FATAL : row.a));
		table_string(&t, row.text, row.text_len);
		r = table_row(&t);
	}
	rows_close(rows);
	buf_free(&record);
	closed = table_close(&t);
	return r < 0 ? r : closed;
}

static int table_file_zones_write(struct view_call *c, FILE *out, const struct table_style *style,
				  const struct trace_filter *filter, const struct words *words)
{
	struct view_filter f = {.in = *filter};
	struct view_zones *stream;
	struct view_zone *zone;
	struct table t;
	uint32_t steps = 0;
	int r = view_zones_open(&stream, c->trace, &f, true), closed;

	if (r < 0)
		return r;
	view_zone_table(&t, out, style);
	while (r >= 0 && (r = view_zones_next(stream, &zone)) > 0) {
		if (words_take(words, zone->name.data, zone->name.len))
			r = view_zone_row(&t, c->trace, zone);
		if (++steps % 65536 == 0 && call_gone(c))
			break;
	}
	view_zones_close(stream);
	closed = table_close(&t);
	return r < 0 ? r : closed;
}

static int ops_write(struct view_call *c, FILE *out, const struct table_style *style)
{
	struct perf_csv_options options = {0};
	struct perf_view view = {0};
	struct ops_part part;
	int r = ops_part_take(c, &part);

	if (r < 0)
		return r;
	ops_part_words(&part);
	r = perf_view_make(&view, &part.report, 0);
	if (r == 0 && style->format == TABLE_AS_JSON)
		r = perf_json_write(&part.report, &view, NULL, &part.ops->notes, out);
	else if (r == 0)
		r = perf_csv_write(&part.report, &view, &options, out);
	vec_free(&view);
	ops_part_put(c, &part);
	return r;
}

enum what { STATS, MESSAGES, OPS, ZONES };
static const char *const whats[] = {"stats", "messages", "ops", "zones", NULL};

static int table_write(struct view_call *c, FILE *out, int what, const struct table_style *style)
{
	struct trace_filter filter = {0};
	uint8_t *tracks = NULL;
	struct words words;
	int r;

	if (what == OPS)
		return ops_write(c, out, style);
	if (!c->trace)
		return call_fail(c, VIEW_MISSING, "this is not a trace: it contains only ops");
	arg_words(c, &words);
	r = arg_range(c, &filter.t0, &filter.t1);
	if (r == 0)
		r = arg_tracks(c, &tracks);
	filter.tracks = tracks;
	if (r == 0 && what == STATS)
		r = stats_write(c, out, style, &filter, &words);
	else if (r == 0 && what == MESSAGES)
		r = messages_write(c, out, style, &filter);
	else if (r == 0)
		r = table_file_zones_write(c, out, style, &filter, &words);
	free(tracks);
	return r;
}

int call_export(struct view_call *c)
{
	static const char *const formats[] = {"csv", "json", NULL};
	struct table_style style = {.guard = true};
	int format = 0, what = STATS, r = arg_choice(c, "fmt", formats, &format);
	FILE *out;

	if (r >= 0)
		r = arg_choice(c, "what", whats, &what);
	if (r < 0)
		return r;
	out = tmpfile();
	if (!out)
		return call_fail(c, VIEW_BUSY, "there is no room for a temporary file");
	style.format = format ? TABLE_AS_JSON : TABLE_AS_CSV;
	r = table_write(c, out, what, &style);
	if (r < 0) {
		fclose(out);
		return r;
	}
	c->answer->file = out;
	c->answer->type = format ? VIEW_JSON : VIEW_CSV;
	snprintf(c->answer->file_name, sizeof(c->answer->file_name), "%s.%s", whats[what],
		 formats[format]);
	return 0;
}
