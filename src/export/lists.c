/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of what a trace has few of: properties, processes, tracks, source locations. */
#include "base/fmt.h"
#include "export/export.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

static bool lists_more(const struct table *t, size_t most)
{
	return t->error == 0 && (most == 0 || t->rows < most);
}

static int64_t list_end(struct table *t, int64_t n)
{
	int r = table_close(t);

	return r < 0 ? r : n;
}

#define SHORT_VALUE 90 /* bytes that a line for people has room for */

static void add_value(struct table *t, const char *value, bool cut)
{
	char text[SHORT_VALUE + 4];
	int n = SHORT_VALUE;

	if (cut && strlen(value) > SHORT_VALUE) {
		while (n && (value[n] & 0xc0) == 0x80) /* whole characters of UTF-8 */
			n--;
		snprintf(text, sizeof(text), "%.*s...", n, value);
		value = text;
	}
	table_text(t, value);
}

int64_t export_properties(FILE *out, const struct table_style *style, const struct trace *trace,
			  size_t most)
{
	static const struct table_column columns[] = {
		{"key", "property", TABLE_STRING},
		{"value", "value", TABLE_STRING},
	};
	struct table t;

	table_open(&t, out, style, TABLE_COLUMNS(columns));
	for (uint32_t i = 0; i < trace->property_count && lists_more(&t, most); i++) {
		table_text(&t, trace->properties[i].key);
		add_value(&t, trace->properties[i].value, most && style->format == TABLE_AS_TEXT);
		table_row(&t);
	}
	return list_end(&t, trace->property_count);
}

struct track_sums {
	uint64_t zones, start, end, lost;
	uint32_t depth;
};

static struct track_sums track_sums(const struct trace *trace, uint32_t track)
{
	struct track_sums s = {.lost = trace->ledgers[track].zones_lost +
				       trace->ledgers[track].rows_lost};
	uint32_t first, count;

	trace_track_lanes(trace, track, &first, &count);
	for (uint32_t i = first; i < first + count; i++) {
		const struct trace_lane_info *lane = &trace->lanes[i];

		s.zones += lane->zones;
		if (i == first || lane->start < s.start)
			s.start = lane->start;
		if (lane->end > s.end)
			s.end = lane->end;
		s.depth = lane->depth + 1;
	}
	return s;
}

struct process_sums {
	uint64_t zones, threads;
};

/* By process, and of tracks without one; NULL when there is no memory. */
static struct process_sums *process_sums(const struct trace *trace)
{
	struct process_sums *sums = calloc(trace->process_count + 1, sizeof(*sums));

	for (uint32_t i = 0; sums && i < trace->track_count; i++) {
		uint32_t process = trace->tracks[i].process;
		struct process_sums *s =
			&sums[process < trace->process_count ? process : trace->process_count];

		s->zones += track_sums(trace, i).zones;
		s->threads += trace->tracks[i].kind == TRACE_THREAD;
	}
	return sums;
}

int64_t export_processes(FILE *out, const struct table_style *style, const struct trace *trace,
			 size_t most)
{
	static const struct table_column columns[] = {
		{"pid", "pid", TABLE_ID},
		{"parent_pid", "parent", TABLE_ID},
		{"name", "process", TABLE_STRING},
		{"exit", "exit", TABLE_STRING},
		{"start_ns", "start", TABLE_NS},
		{"end_ns", "end", TABLE_NS},
		{"threads", "threads", TABLE_COUNT},
		{"zones", "zones", TABLE_COUNT},
		{"command", "command", TABLE_STRING},
	};
	struct process_sums *sums = process_sums(trace);
	struct table t;

	if (!sums)
		return TACHO_ENOMEM;
	table_open(&t, out, style, TABLE_COLUMNS(columns));
	for (uint32_t i = 0; i < trace->process_count && lists_more(&t, most); i++) {
		const struct trace_process *p = &trace->processes[i];
		char text[FMT_SIZE];

		table_uint(&t, p->pid);
		table_uint(&t, p->parent_pid);
		table_text(&t, p->name);
		table_text(&t, trace_exit_text(p, text));
		table_real(&t, (double)trace_ns(trace, p->start));
		if (p->end)
			table_real(&t, (double)trace_ns(trace, p->end));
		else
			table_none(&t);
		table_uint(&t, sums[i].threads);
		table_uint(&t, sums[i].zones);
		table_text(&t, p->command);
		table_row(&t);
	}
	free(sums);
	return list_end(&t, trace->process_count);
}

static void track_row(struct table *t, const struct trace *trace, uint32_t index)
{
	const struct trace_track *track = &trace->tracks[index];
	struct track_sums s = track_sums(trace, index);
	char text[64];

	table_uint(t, index);
	table_text(t, trace_track_kind_name(track->kind));
	table_uint(t, trace_process_of(trace, index)->pid);
	table_uint(t, track->id);
	table_text(t, trace_track_name(trace, index, text, sizeof(text)));
	table_uint(t, s.depth);
	table_uint(t, s.zones);
	if (s.zones) {
		table_real(t, (double)trace_ns(trace, s.start));
		table_real(t, (double)trace_ns(trace, s.end));
	} else {
		table_none(t);
		table_none(t);
	}
	table_uint(t, s.lost);
	table_row(t);
}

static int64_t list_tracks(FILE *out, const struct table_style *style, const struct trace *trace,
			   size_t most, uint32_t last_kind)
{
	static const struct table_column columns[] = {
		{"track", NULL, TABLE_ID},       {"kind", "kind", TABLE_STRING},
		{"pid", "pid", TABLE_ID},        {"id", "id", TABLE_ID},
		{"name", "name", TABLE_STRING},  {"depth", "depth", TABLE_COUNT},
		{"zones", "zones", TABLE_COUNT}, {"start_ns", "first", TABLE_NS},
		{"end_ns", "last", TABLE_NS},    {"lost", "lost", TABLE_COUNT},
	};
	struct table t;
	int64_t n = 0;

	table_open(&t, out, style, TABLE_COLUMNS(columns));
	for (uint32_t i = 0; i < trace->track_count; i++) {
		if (trace->tracks[i].kind > last_kind)
			continue;
		n++;
		if (lists_more(&t, most))
			track_row(&t, trace, i);
	}
	return list_end(&t, n);
}

int64_t export_threads(FILE *out, const struct table_style *style, const struct trace *trace,
		       size_t most)
{
	return list_tracks(out, style, trace, most, TRACE_CORE);
}

int64_t export_tracks(FILE *out, const struct table_style *style, const struct trace *trace,
		      size_t most)
{
	return list_tracks(out, style, trace, most, UINT32_MAX);
}

int64_t export_srclocs(FILE *out, const struct table_style *style, const struct trace *trace,
		       size_t most)
{
	static const struct table_column columns[] = {
		{"srcloc", NULL, TABLE_ID},
		{"name", "name", TABLE_STRING},
		{"function", "function", TABLE_STRING},
		{"file", "file", TABLE_STRING},
		{"line", "line", TABLE_ID},
		{"color", "color", TABLE_STRING},
	};
	char text[FMT_SIZE];
	struct table t;

	table_open(&t, out, style, TABLE_COLUMNS(columns));
	for (uint32_t i = 0; i < trace->srcloc_count && lists_more(&t, most); i++) {
		const struct trace_srcloc *s = &trace->srclocs[i];

		table_uint(&t, i);
		table_text(&t, s->name);
		table_text(&t, s->function);
		table_text(&t, s->file);
		table_uint(&t, s->line);
		table_text(&t, trace_color_text(s->color, text));
		table_row(&t);
	}
	return list_end(&t, trace->srcloc_count);
}
