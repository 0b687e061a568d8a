/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signposts, the messages that divide a trace into sections. A page requests all of them whenever a
 * recording has grown, and there may be millions of other messages: so those found are cached, and
 * only new data is read.
 */
#include "base/order.h"
#include "view/message_list.h"
#include "view/row_merge.h"

#include <string.h>

#define SIGNPOST  "TT_SIGNPOST: "
#define SIGNPOSTS 10000u
#define MOST      1000u /* bytes of a header, and of a message */

struct post {
	uint64_t time;
	uint32_t track, n; /* at equal times ordered by track, then by arrival */
	size_t header, header_len, message_len; /* in the text; the message follows the header */
};

struct signposts_cache {
	VEC(struct post);
	struct buf text;
	char tag[VIEW_TAG]; /* of the trace */
	uint64_t seen;      /* offset in the file up to which data was read */
};

/* Some clients put back-ticks around it. The text after the first line is the message. */
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

static void kept_free(struct signposts_cache *k)
{
	if (!k)
		return;
	vec_free(k);
	buf_free(&k->text);
	free(k);
}

/* Only one call has the cache at a time; a concurrent one reads by itself. */
static struct signposts_cache *kept_take(struct view_call *c)
{
	struct signposts_cache *k;
	char tag[VIEW_TAG];

	tag_make(tag, c->trace);
	pthread_mutex_lock(&c->on->lock);
	k = c->on->signposts;
	c->on->signposts = NULL;
	pthread_mutex_unlock(&c->on->lock);
	if (k && !strcmp(k->tag, tag))
		return k;
	kept_free(k);
	k = calloc(1, sizeof(*k));
	if (k) {
		k->text = (struct buf)BUF_INIT;
		memcpy(k->tag, tag, sizeof(tag));
	}
	return k;
}

void signposts_forget(struct view_trace *t)
{
	kept_free(t->signposts);
	t->signposts = NULL;
}

ORDER_BY(signposts_by_time, struct post, ORDER_UP(time) ?: ORDER_UP(track) ?: ORDER_UP(n));

static int signposts_post_add(struct signposts_cache *k, const struct signpost *s, uint64_t time,
			      uint32_t track)
{
	/* One byte more than shown, to see whether a character is cut. */
	struct post post = {.time = time,
			    .track = track,
			    .n = (uint32_t)k->n,
			    .header = k->text.len,
			    .header_len = s->header_len > MOST ? MOST + 1 : s->header_len,
			    .message_len = s->message_len > MOST ? MOST + 1 : s->message_len};

	buf_add(&k->text, s->header, post.header_len);
	buf_add(&k->text, s->message, post.message_len);
	return k->text.failed || vec_push(k, post) < 0 ? TACHO_ENOMEM : 0;
}

/* TACHO_ENO if the client left before all was read. */
static int kept_read_on(struct signposts_cache *k, struct view_call *c)
{
	uint64_t known = trace_known(c->trace);
	size_t had = k->n;
	struct trace_row row;
	struct signpost s;
	struct rows *rows;
	uint32_t track;
	int r;

	if (k->seen >= known || k->n >= SIGNPOSTS)
		return 0;
	r = rows_open_from(&rows, c, TRACE_MESSAGES, k->seen);
	if (r < 0)
		return r;
	while (k->n < SIGNPOSTS && (r = rows_next(rows, &row, &track)) > 0)
		if (signpost_read(&row, &s) && (r = signposts_post_add(k, &s, row.time, track)) < 0)
			break;
	rows_close(rows);
	if (r < 0)
		return r;
	if (call_gone(c))
		return TACHO_ENO;
	k->seen = known;
	if (k->n > had && had)
		qsort(k->v, k->n, sizeof(*k->v), signposts_by_time);
	return 0;
}

int signposts_put(struct view_call *c)
{
	struct signposts_cache *k = kept_take(c);
	struct json *j = &c->json;
	int r = k ? kept_read_on(k, c) : TACHO_ENOMEM;
	struct signposts_cache *other;

	if (r < 0) {
		kept_free(k); /* it may contain a part of the new data */
		return r;
	}
	json_array(j, "signposts");
	for (size_t i = 0; i < k->n; i++) {
		const struct post *p = &k->v[i];
		const char *header = k->text.data + p->header;

		json_object(j, NULL);
		json_ns(c, "t", p->time);
		json_cut(j, "header", header, p->header_len, MOST);
		json_cut(j, "message", header + p->header_len, p->message_len, MOST);
		json_end(j);
	}
	json_end(j);
	pthread_mutex_lock(&c->on->lock);
	other = c->on->signposts;
	c->on->signposts = k;
	pthread_mutex_unlock(&c->on->lock);
	kept_free(other);
	return 0;
}
