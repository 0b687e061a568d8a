/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole trace as one JSON object: "properties", "processes", "tracks", "source_locations",
 * "zones", "rows". Times are nanoseconds since the start of the trace; tracks are named by index.
 */
#include "export/export.h"
#include "export/files.h"
#include "trace/device_clock.h"
#include "trace/names.h"

#include <string.h>

static void add_ns(struct json *j, const struct trace *trace, const char *key, uint64_t ticks)
{
	json_int(j, key, trace_ns(trace, ticks));
}

static void add_field(struct json *j, const struct trace *trace, const struct trace_row *row,
		      const struct trace_field *field, uint64_t value)
{
	switch (field->type) {
	case TRACE_FIELD_NONE:
		break;
	case TRACE_FIELD_INT:
		json_int(j, field->name, (int64_t)value);
		break;
	case TRACE_FIELD_REAL:
		json_double(j, field->name, trace_plot_value(row));
		break;
	case TRACE_FIELD_TICKS:
		if (value)
			add_ns(j, trace, field->name, value);
		break;
	case TRACE_FIELD_SEVERITY:
		json_text(j, field->name, trace_severity_name(value));
		break;
	case TRACE_FIELD_LOSS:
		json_text(j, field->name, trace_loss_name(value));
		break;
	case TRACE_FIELD_LOCK_OP:
		json_text(j, field->name, trace_lock_op_name(value));
		break;
	case TRACE_FIELD_SRCLOC:
		if (value < trace->srcloc_count)
			json_uint(j, field->name, value);
		break;
	case TRACE_FIELD_BOUND:
		if (value != UINT64_MAX)
			json_uint(j, field->name, value);
		break;
	case TRACE_FIELD_UINT:
		json_uint(j, field->name, value);
		break;
	}
}

static int json_row_write(FILE *out, struct json *j, const struct trace *trace,
			  const struct trace_row *row, uint32_t track)
{
	const struct trace_field *fields = trace_row_fields(row->kind);

	json_object(j, NULL);
	add_ns(j, trace, "time_ns", row->time);
	json_text(j, "kind", trace_row_kind_name(row->kind));
	json_uint(j, "track", track);
	if (row->thread != TRACE_NONE)
		json_uint(j, "thread", row->thread);
	add_field(j, trace, row, &fields[0], row->a);
	add_field(j, trace, row, &fields[1], row->b);
	add_field(j, trace, row, &fields[2], row->c);
	if (row->kind == TRACE_ROW_FRAME_IMAGE)
		json_uint(j, "bytes", row->text_len);
	else if (row->text_len)
		json_string(j, "text", row->text, row->text_len);
	json_end(j);
	if (j->out->failed)
		return TACHO_ENOMEM;
	if (fwrite(j->out->data, 1, j->out->len, out) != j->out->len)
		return TACHO_EWRITE;
	buf_reset(j->out);
	return 0;
}

static int json_rows_write(FILE *out, struct trace *trace, const struct view_filter *filter)
{
	struct buf text = BUF_INIT;
	struct json j;
	struct trace_clocks clocks = {0};
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
		if (row.kind == TRACE_ROW_MARKER &&
		    (r = trace_marker_time(&clocks, trace, track, &row)) < 0)
			break;
		r = json_row_write(out, &j, trace, &row, track);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	trace_clocks_free(&clocks);
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
		r = json_rows_write(out, trace, filter);
	}
	if (r >= 0)
		r = fputs("}\n", out) < 0 ? TACHO_EWRITE : 0;
	return (int)r;
}
