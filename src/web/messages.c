/* Messages, and the signposts among them. */
#include "web/private.h"

#include <string.h>

#define SIGNPOST  "TT_SIGNPOST: "
#define SIGNPOSTS 10000u

/* Some clients put back-ticks around it. What stands behind the first line is the message. */
bool signpost_read(const struct trace_row *row, struct signpost *s)
{
	const char *text = row->text, *line;
	size_t len = row->text_len;

	if (row->kind != TRACE_ROW_MESSAGE)
		return false;
	if (len && *text == '`') {
		text++;
		len--;
	}
	if (len < strlen(SIGNPOST) || memcmp(text, SIGNPOST, strlen(SIGNPOST)))
		return false;
	text += strlen(SIGNPOST);
	len -= strlen(SIGNPOST);
	if (len && text[len - 1] == '`')
		len--;
	line = memchr(text, '\n', len);
	s->header = text;
	s->header_len = line ? (size_t)(line - text) : len;
	s->message = line ? line + 1 : text + len;
	s->message_len = line ? len - s->header_len - 1 : 0;
	return true;
}

int signposts_put(struct web_call *c)
{
	struct json *j = &c->json;
	struct signpost s;
	struct trace_row row;
	struct rows *rows;
	uint32_t track, count = 0;
	int r = rows_open(&rows, c, TRACE_MESSAGES, TRACE_NONE, 0, UINT64_MAX);

	if (r < 0)
		return r;
	json_array(j, "signposts");
	while (count < SIGNPOSTS && (r = rows_next(rows, &row, &track)) > 0) {
		if (!signpost_read(&row, &s))
			continue;
		json_object(j, NULL);
		json_ns(c, "t", row.time);
		json_string(j, "header", s.header, s.header_len);
		json_string(j, "message", s.message, s.message_len);
		json_end(j);
		count++;
	}
	json_end(j);
	rows_close(rows);
	return r < 0 ? r : 0;
}

/* ------------------------------------------------------------------- list */

struct choice {
	struct words words;
	uint64_t severity;
	uint32_t thread;
	bool signposts; /* alone */
};

static bool takes(const struct choice *ch, const struct trace_row *row, bool signpost)
{
	if (row->kind != TRACE_ROW_MESSAGE && row->kind != TRACE_ROW_CRASH)
		return false;
	if (row->kind == TRACE_ROW_MESSAGE && row->a < ch->severity)
		return false;
	return (ch->thread == TRACE_NONE || row->thread == ch->thread) &&
	       (!ch->signposts || signpost) && words_take(&ch->words, row->text, row->text_len);
}

static void message_put(struct web_call *c, const struct trace_row *row, bool signpost)
{
	struct json *j = &c->json;
	bool crash = row->kind == TRACE_ROW_CRASH;

	json_object(j, NULL);
	json_ns(c, "t", row->time);
	json_thread(j, "thread", row->thread);
	json_uint(j, "severity", crash ? TRACE_SEVERITY_FATAL : row->a);
	json_uint(j, "color", crash ? 0 : row->b);
	json_cut(j, "text", row->text, row->text_len, WEB_TEXT);
	if (row->text_len > WEB_TEXT)
		json_uint(j, "bytes", row->text_len);
	json_bool(j, "signpost", signpost);
	json_end(j);
}

static int choice_read(struct web_call *c, struct choice *ch)
{
	int r = arg_track(c, &ch->thread);

	ch->severity = 0;
	ch->signposts = false;
	arg_words(c, &ch->words);
	if (r == 0)
		r = arg_uint(c, "severity", TRACE_SEVERITY_FATAL, &ch->severity);
	if (r >= 0)
		r = arg_bool(c, "signposts", &ch->signposts);
	return r < 0 ? r : 0;
}

int call_messages(struct web_call *c)
{
	struct choice choice;
	struct page page;
	struct rows *rows;
	struct trace_row row;
	struct signpost ignored;
	uint64_t t0, t1, total = 0;
	bool all = true; /* are counted: else the page is enough */
	uint32_t track;
	int r = choice_read(c, &choice);

	if (r == 0)
		r = arg_page(c, &page);
	if (r == 0)
		r = arg_range(c, &t0, &t1);
	if (r == 0)
		r = arg_bool(c, "total", &all);
	if (r >= 0)
		r = rows_open(&rows, c, TRACE_MESSAGES, TRACE_NONE, t0, t1);
	if (r < 0)
		return r;
	call_begin(c);
	json_array(&c->json, "rows");
	while ((all || total < page.offset + page.limit) &&
	       (r = rows_next(rows, &row, &track)) > 0) {
		bool signpost = signpost_read(&row, &ignored);

		if (!takes(&choice, &row, signpost))
			continue;
		if (total >= page.offset && total - page.offset < page.limit)
			message_put(c, &row, signpost);
		total++;
	}
	json_end(&c->json);
	json_uint(&c->json, "total", total);
	json_end(&c->json);
	rows_close(rows);
	return r < 0 ? r : 0;
}
