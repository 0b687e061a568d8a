/*
 * The whole trace as one JSON object: "properties", "processes", "tracks", "source_locations",
 * "zones", "rows". Times are nanoseconds since the start of the trace; tracks are named by index.
 */
#include "export/export.h"
#include "export/files.h"
#include "trace/names.h"

#include <string.h>

static void add_ns(struct json *j, const struct trace *trace, const char *key, uint64_t ticks)
{
	json_int(j, key, trace_ns(trace, ticks));
}

/* The fields that a kind of row has besides time, kind, track and thread. */
static void add_fields(struct json *j, const struct trace *trace, const struct trace_row *row)
{
	switch (row->kind) {
	case TRACE_ROW_MESSAGE:
		json_text(j, "severity", trace_severity_name(row->a));
		json_int(j, "color", (int64_t)row->b);
		break;
	case TRACE_ROW_PLOT_INT:
		json_int(j, "value", (int64_t)row->a);
		break;
	case TRACE_ROW_PLOT_REAL:
		json_double(j, "value", trace_plot_value(row));
		break;
	case TRACE_ROW_FRAME:
		if (row->a)
			add_ns(j, trace, "end_ns", row->a);
		break;
	case TRACE_ROW_ALLOC:
		json_uint(j, "address", row->a);
		json_uint(j, "bytes", row->b);
		break;
	case TRACE_ROW_FREE:
		json_uint(j, "address", row->a);
		break;
	case TRACE_ROW_LOCK:
		json_text(j, "operation", trace_lock_op_name(row->a));
		if (row->b < trace->srcloc_count)
			json_uint(j, "srcloc", row->b);
		break;
	case TRACE_ROW_LOSS:
		json_text(j, "reason", trace_loss_name(row->a));
		json_uint(j, "zones", row->b);
		json_uint(j, "others", row->c);
		break;
	case TRACE_ROW_LATE:
		json_uint(j, "events", row->a);
		json_uint(j, "step_ticks", row->b);
		break;
	case TRACE_ROW_DEVICE_CLOCK:
		json_uint(j, "cycles", row->a);
		if (row->b != UINT64_MAX)
			json_uint(j, "bound_ns", row->b);
		json_uint(j, "mhz", row->c);
		break;
	}
	if (row->text_len)
		json_string(j, "text", row->text, row->text_len);
}

static int write_row(FILE *out, struct json *j, const struct trace *trace,
		     const struct trace_row *row, uint32_t track)
{
	json_object(j, NULL);
	add_ns(j, trace, "time_ns", row->time);
	json_text(j, "kind", trace_row_kind_name(row->kind));
	json_uint(j, "track", track);
	if (row->thread != TRACE_NONE)
		json_uint(j, "thread", row->thread);
	add_fields(j, trace, row);
	json_end(j);
	if (j->out->failed)
		return TACHO_ENOMEM;
	if (fwrite(j->out->data, 1, j->out->len, out) != j->out->len)
		return TACHO_EWRITE;
	buf_reset(j->out);
	return 0;
}

static int write_rows(FILE *out, struct trace *trace, const struct view_filter *filter)
{
	struct buf text = BUF_INIT;
	struct json j;
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r = trace_rows_open(&rows, trace, TRACE_NONE, filter->in.t0, filter->in.t1);

	if (r < 0)
		return r;
	json_init(&j, &text);
	j.flat = 1;
	json_array(&j, NULL);
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		if (!view_takes(filter, track, row.thread))
			continue;
		r = write_row(out, &j, trace, &row, track);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	json_end(&j);
	if (r == 0 && fwrite(text.data, 1, text.len, out) != text.len)
		r = TACHO_EWRITE;
	buf_free(&text);
	return r;
}

int files_json(FILE *out, struct trace *trace, const struct view_filter *filter,
	       struct progress *progress)
{
	static const struct {
		const char *key;
		export_list *list;
	} lists[] = {
		{"properties", export_properties},
		{"processes", export_processes},
		{"tracks", export_tracks},
		{"source_locations", export_srclocs},
	};
	struct table_style style = {.format = TABLE_AS_JSON};
	int64_t r = 0;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && r >= 0; i++) {
		fprintf(out, "%s\"%s\": ", i ? "," : "{", lists[i].key);
		r = lists[i].list(out, &style, trace, 0);
	}
	if (r >= 0) {
		fputs(",\"zones\": ", out);
		r = files_zones(out, trace, filter, &style, progress);
	}
	if (r >= 0) {
		fputs(",\"rows\": ", out);
		r = write_rows(out, trace, filter);
	}
	if (r >= 0)
		r = fputs("}\n", out) < 0 ? TACHO_EWRITE : 0;
	return (int)r;
}
