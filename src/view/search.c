/* SPDX-License-Identifier: Apache-2.0 */
/* The search box: names of zones, tracks, signposts and messages that contain a text. */
#include "op/message_text.h"
#include "trace/names.h"
#include "view/message_list.h"
#include "view/op_table.h"
#include "view/row_merge.h"

#include <string.h>
#include <strings.h>

#define MESSAGES_LOOKED_AT 2000000u /* a search while typing stops early; /messages counts all */

struct search {
	struct words words;
	uint64_t left;      /* rows left of the limit */
	uint64_t looked_at; /* messages, when there are more; 0: all */
};

static bool search_found(struct view_call *c, struct search *s, const char *kind, const char *text,
			 size_t len)
{
	if (!s->left || !words_take(&s->words, text, len))
		return false;
	s->left--;
	json_object(&c->json, NULL);
	json_text(&c->json, "kind", kind);
	json_string(&c->json, "text", text, len < 300 ? len : 300);
	return true;
}

/* 0: the words are the name; 1: it begins with them; 2: all others. */
static unsigned rank_of(const struct search *s, const char *name)
{
	if (strncasecmp(name, s->words.text, strlen(s->words.text)) != 0)
		return 2;
	return name[strlen(s->words.text)] != 0;
}

/* Ops with the same label are one result: the first of them. */
static void ops_find(struct view_call *c, struct search *s, const struct ops *o)
{
	const struct perf_report *r = &o->report;
	uint64_t *counts = calloc(o->in.kinds.n + 1, sizeof(*counts));

	for (size_t i = 0; counts && i < r->ops.n; i++)
		counts[r->ops.v[i].kind]++;
	for (size_t i = 0; counts && i < r->ops.n; i++) {
		const struct perf_op *op = &r->ops.v[i];
		const char *label = perf_op_kind(r, op)->label;
		uint64_t t0, t1;

		if (op->type == TYPE_SIGNPOST || !counts[op->kind] ||
		    !search_found(c, s, "op", label, strlen(label)))
			continue;
		json_uint(&c->json, "row", perf_row_line(op->row));
		json_uint(&c->json, "count", counts[op->kind]);
		if (ops_time(c, o, op, &t0, &t1))
			json_ns(c, "t", t0);
		json_end(&c->json);
		counts[op->kind] = 0;
	}
	free(counts);
}

/* Signposts first, although they are messages too. */
static int messages_find(struct view_call *c, struct search *s, bool signposts)
{
	struct trace_row row;
	struct rows *rows;
	struct buf text = BUF_INIT;
	uint32_t track, seen = 0;
	int r = rows_open(&rows, c, TRACE_MESSAGES, TRACE_NONE, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while (s->left && (r = rows_next(rows, &row, &track)) > 0) {
		struct signpost post;

		if (!signposts && op_row_message(&row, &text) < 0) {
			r = TACHO_ENOMEM;
			break;
		}
		post = (struct signpost){.header = row.text, .header_len = row.text_len};
		if (!signposts && ++seen > MESSAGES_LOOKED_AT) {
			s->looked_at = MESSAGES_LOOKED_AT;
			break;
		}
		if (row.kind != TRACE_ROW_MESSAGE || signpost_read(&row, &post) != signposts ||
		    !search_found(c, s, signposts ? "signpost" : "message", post.header,
				  post.header_len))
			continue;
		json_ns(c, "t", row.time);
		if (row.thread != TRACE_NONE)
			json_uint(&c->json, "track", row.thread);
		json_end(&c->json);
	}
	rows_close(rows);
	buf_free(&text);
	return r < 0 ? r : 0;
}

static int trace_find(struct view_call *c, struct search *s, uint64_t most)
{
	int r;

	/* There may be more names than are shown: the one that was typed is among the first. */
	for (unsigned rank = 0; rank < 3 && s->left; rank++) {
		for (uint32_t i = 0; i < c->trace->srcloc_count; i++) {
			const char *name = trace_srcloc_name(c->trace, i);

			if (rank_of(s, name) != rank ||
			    !search_found(c, s, "zone", name, strlen(name)))
				continue;
			json_uint(&c->json, "name", i);
			json_end(&c->json);
		}
	}
	s->left += most / 8;
	for (uint32_t i = 0; i < c->trace->track_count; i++) {
		char text[128];
		const char *name = trace_track_name(c->trace, i, text, sizeof(text));

		if (!search_found(c, s, "track", name, strlen(name)))
			continue;
		json_uint(&c->json, "track", i);
		json_end(&c->json);
	}
	s->left += most - most / 2 - most / 8;
	r = messages_find(c, s, true);
	return r < 0 ? r : messages_find(c, s, false);
}

int call_search(struct view_call *c)
{
	struct search s = {.left = 50};
	struct ops *ops = NULL;
	uint64_t most;
	int r = arg_uint(c, "limit", VIEW_ROWS, &s.left);

	if (r < 0)
		return r;
	arg_words(c, &s.words);
	if (!s.words.text)
		return call_fail(c, VIEW_BAD, "q is missing");
	if (ops_take(c, true, &ops) < 0) {
		ops = NULL; /* a trace without ops still has the rest */
		call_reset(c);
	}
	call_begin(c);
	json_array(&c->json, "rows");
	most = s.left;
	s.left = most / 2; /* the rest is for messages, and for names when there are none */
	if (ops)
		ops_find(c, &s, ops);
	r = c->trace ? trace_find(c, &s, most) : 0;
	json_end(&c->json);
	if (s.looked_at)
		json_uint(&c->json, "messages_looked_at", s.looked_at);
	json_end(&c->json);
	if (ops)
		ops_put(c, ops);
	return r;
}
