/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "messages": list messages. */
#include "cmds/query.h"
#include "op/message_text.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

static const char *const severities[] = {"trace", "debug", "info", "warning",
					 "error", "fatal", NULL};

struct conf {
	struct query_conf query;
	int severity;
	int64_t top;
};

static const struct opt opts[] = {
	QUERY_NAME(struct conf, query),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	QUERY_THREAD(struct conf, query),
	OPT_ENUM('s', "severity", struct conf, severity, severities,
		 "only messages of this severity and above"),
	OPT_INT('N', "top", "N", struct conf, top, "print only the first N rows"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

struct listing {
	struct query *q;
	const struct conf *conf;
	struct table table;
	struct buf text, record;
};

static enum term_color severity_color(const struct trace_row *row)
{
	if (row->kind != TRACE_ROW_MESSAGE)
		return TERM_NONE;
	return row->a >= TRACE_SEVERITY_ERROR     ? TERM_RED
	       : row->a == TRACE_SEVERITY_WARNING ? TERM_YELLOW
						  : TERM_NONE;
}

/* The text with a terminating NUL, which patterns need. */
static bool is_taken(struct listing *l, const struct trace_row *row)
{
	uint64_t severity = row->kind == TRACE_ROW_MESSAGE ? row->a : TRACE_SEVERITY_INFO;

	if (row->kind != TRACE_ROW_MESSAGE && row->kind != TRACE_ROW_APP_INFO &&
	    row->kind != TRACE_ROW_NOTE)
		return false;
	if (severity < (uint64_t)l->conf->severity)
		return false;
	if (l->q->name.kind == PATTERN_ALL)
		return true;
	buf_reset(&l->text);
	buf_add(&l->text, row->text, row->text_len);
	return pattern_match(&l->q->name, l->text.data);
}

static int messages_row_add(void *context, const struct trace_row *from, uint32_t track)
{
	struct listing *l = context;
	const struct trace *trace = l->q->trace;
	struct trace_row copy = *from, *row = &copy;
	uint32_t owner = row->thread < trace->track_count ? row->thread : track;
	bool threaded = owner != track;
	char text[64];

	if (op_row_message(row, &l->record) < 0)
		return TACHO_ENOMEM;
	if (!is_taken(l, row) || (l->conf->top && l->table.rows == (size_t)l->conf->top))
		return 0;
	table_color(&l->table, severity_color(row));
	table_real(&l->table, (double)trace_ns(trace, row->time));
	table_text(&l->table, row->kind == TRACE_ROW_MESSAGE ? trace_severity_name(row->a)
							     : trace_row_kind_name(row->kind));
	table_uint(&l->table, trace_process_of(trace, owner)->pid);
	table_text(&l->table, trace_process_of(trace, owner)->name);
	if (threaded)
		table_uint(&l->table, trace->tracks[owner].id);
	else
		table_none(&l->table);
	table_text(&l->table, threaded ? trace_track_name(trace, owner, text, sizeof(text)) : "");
	table_text(&l->table,
		   trace_color_text(row->kind == TRACE_ROW_MESSAGE ? (uint32_t)row->b : 0, text));
	table_string(&l->table, row->text, row->text_len);
	return table_row(&l->table);
}

static int messages_print(struct query *q, void *conf)
{
	static const struct table_column columns[] = {
		{"time_ns", "time", TABLE_NS}, {"severity", "severity", TABLE_STRING},
		{"pid", NULL, TABLE_ID},       {"process", "process", TABLE_STRING},
		{"tid", NULL, TABLE_ID},       {"thread", "thread", TABLE_STRING},
		{"color", NULL, TABLE_STRING}, {"text", "text", TABLE_STRING},
	};
	struct listing l = {.q = q, .conf = conf, .text = BUF_INIT, .record = BUF_INIT};
	int r, closed;

	table_open(&l.table, stdout, &q->style, TABLE_COLUMNS(columns));
	r = query_rows(q, TRACE_TRACK_KINDS, messages_row_add, &l);
	closed = table_close(&l.table);
	buf_free(&l.text);
	buf_free(&l.record);
	return r < 0 ? r : closed;
}

QUERY_RUN(messages_print)

const struct cmd cmd_messages = {
	.name = "messages",
	.summary = "list messages",
	.usage = "[options] FILE",
	.description =
		"Lists the messages of the program in the order of time, with what the program "
		"said of itself (app info) and what the recorder noticed (note). --name looks "
		"into the text.",
	.examples =
		"tacho messages -s warning app.tacho\n  warnings and worse\n"
		"tacho messages -n timeout -t io app.tacho\n"
		"  messages with \"timeout\" in them, from threads with \"io\" in their names\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
