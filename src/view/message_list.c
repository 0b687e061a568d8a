/* SPDX-License-Identifier: Apache-2.0 */
/* The list of messages. */
#include "op/message_text.h"
#include "view/message_marks.h"
#include "view/row_merge.h"

#include <string.h>

static bool message_list_begins(const struct trace_row *row, const char *text)
{
	size_t len = strlen(text);

	return row->text_len >= len && !memcmp(row->text, text, len);
}

/* Lines for the ops report, not meant for reading. */
static bool message_list_is_record(const struct trace_row *row)
{
	return row->kind == TRACE_ROW_OP || row->kind == TRACE_ROW_OP_TRACE ||
	       (row->kind == TRACE_ROW_MESSAGE &&
		(message_list_begins(row, "`TT_DNN_") || message_list_begins(row, "`TT_METAL_")));
}

int message_take(const struct message_choice *ch, struct trace_row *row, struct buf *text,
		 bool *signpost)
{
	struct signpost ignored;

	if (!ch->records && message_list_is_record(row))
		return 0;
	if (op_row_message(row, text) < 0)
		return TACHO_ENOMEM;
	if (row->kind != TRACE_ROW_MESSAGE && row->kind != TRACE_ROW_CRASH)
		return 0;
	if (row->kind == TRACE_ROW_MESSAGE && row->a < ch->severity)
		return 0;
	*signpost = signpost_read(row, &ignored);
	return (ch->thread == TRACE_NONE || row->thread == ch->thread) &&
	       (!ch->signposts || *signpost) && words_take(&ch->words, row->text, row->text_len);
}

int message_choice_read(struct view_call *c, struct message_choice *ch)
{
	int r;

	*ch = (struct message_choice){.thread = TRACE_NONE, .records = true};
	arg_words(c, &ch->words);
	r = arg_uint(c, "severity", TRACE_SEVERITY_FATAL, &ch->severity);
	if (r >= 0)
		r = arg_bool(c, "signposts", &ch->signposts);
	if (r >= 0)
		r = arg_bool(c, "records", &ch->records);
	return r < 0 ? r : 0;
}

/* The messages of one page, from FROM on, at most *TOTAL; MARKS, if given, counts all. */
static int message_list_put(struct view_call *c, const struct message_choice *ch,
			    const struct page *page, const struct mark *from, uint64_t t1,
			    struct marks *marks, uint64_t *total)
{
	uint64_t end = page->offset + page->limit < *total ? page->offset + page->limit : *total;
	struct trace_row row;
	struct buf text = BUF_INIT;
	struct rows *rows;
	uint32_t track;
	bool signpost;
	int r = rows_open(&rows, c, TRACE_MESSAGES, TRACE_NONE, from->time, t1);

	if (r < 0)
		return r;
	*total = from->before;
	while ((marks || *total < end) && (r = rows_next(rows, &row, &track)) > 0) {
		r = message_take(ch, &row, &text, &signpost);
		if (r < 0)
			break;
		if (r == 0)
			continue;
		if (*total >= page->offset && *total < end) {
			struct json *j = &c->json;
			bool crash = row.kind == TRACE_ROW_CRASH;

			json_object(j, NULL);
			json_ns(c, "t", row.time);
			json_thread(j, "thread", row.thread);
			json_uint(j, "severity", crash ? TRACE_SEVERITY_FATAL : row.a);
			json_uint(j, "color", crash ? 0 : row.b);
			json_cut(j, "text", row.text, row.text_len, VIEW_TEXT);
			if (row.text_len > VIEW_TEXT)
				json_uint(j, "bytes", row.text_len);
			json_bool(j, "signpost", signpost);
			json_end(j);
		}
		++*total;
		r = marks ? marks_add(marks, row.time) : 0;
		if (r < 0)
			break;
	}
	rows_close(rows);
	buf_free(&text);
	return r < 0 ? r : 0;
}

/* Counts all, unless that was done before. */
static int list_count(struct view_call *c, const struct message_choice *ch, const struct page *page,
		      uint64_t t0, uint64_t t1, uint64_t *total)
{
	struct mark from;
	struct marks marks;
	uint64_t known;
	int r;

	if (marks_find(c->on, c->gen, ch, t0, t1, page->offset, &from, &known)) {
		*total = known;
		r = message_list_put(c, ch, page, &from, t1, NULL, total);
		*total = known;
		return r;
	}
	r = marks_begin(&marks, c->gen, ch, t0, t1);
	if (r < 0)
		return r;
	r = message_list_put(c, ch, page, &from, t1, &marks, total);
	if (r == 0 && !call_gone(c))
		marks_keep(c->on, &marks);
	else
		marks_free(&marks);
	return r;
}

int call_messages(struct view_call *c)
{
	struct message_choice choice;
	struct page page;
	uint64_t t0, t1, total = UINT64_MAX;
	bool all = true; /* count all; otherwise the page is enough */
	int r = message_choice_read(c, &choice);

	if (r == 0)
		r = arg_track(c, &choice.thread);
	if (r == 0)
		r = arg_page(c, &page);
	if (r == 0)
		r = arg_range(c, &t0, &t1);
	if (r == 0)
		r = arg_bool(c, "total", &all);
	if (r < 0)
		return r;
	call_begin(c);
	json_array(&c->json, "rows");
	if (all)
		r = list_count(c, &choice, &page, t0, t1, &total);
	else
		r = message_list_put(c, &choice, &page, &(struct mark){t0, 0}, t1, NULL, &total);
	json_end(&c->json);
	json_uint(&c->json, "total", total);
	json_end(&c->json);
	return r;
}
