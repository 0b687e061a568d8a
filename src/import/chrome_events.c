/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read the events of a Chrome trace file one by one: the elements of the top-level array, or of the
 * member "traceEvents" of the top-level object. Only one event is in memory at a time. A truncated
 * file, as killed programs leave it, yields its complete events.
 */
#include "import/chrome_read.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define WINDOW     (256u << 10)
#define EVENT_MOST (16u << 20) /* bytes of one event */

struct chrome_events {
	int fd;
	const char *path;
	struct buf text; /* of the file, from OFFSET on */
	size_t at;
	uint64_t offset;
	bool ended; /* the file */
	bool started;
	bool bare; /* an array without an object around it */
	struct jread reader;
	struct chrome_head head;
};

int chrome_events_open(struct chrome_events **events, int fd, const char *path)
{
	struct chrome_events *e = calloc(1, sizeof(*e));

	if (!e)
		return TACHO_ENOMEM;
	*e = (struct chrome_events){
		.fd = fd, .path = path, .text = BUF_INIT, .head = {.rank = -1, .world = -1}};
	*events = e;
	return 0;
}

void chrome_events_close(struct chrome_events *e)
{
	if (!e)
		return;
	buf_free(&e->text);
	jread_free(&e->reader);
	free(e);
}

/* Reads more of the file after the buffered bytes; drops those before KEEP. */
static int chrome_events_more(struct chrome_events *e, size_t keep, struct tacho_error *err)
{
	ssize_t n;

	memmove(e->text.data, e->text.data + keep, e->text.len - keep);
	e->text.len -= keep;
	e->at -= keep;
	e->offset += keep;
	if (buf_reserve(&e->text, WINDOW) < 0)
		return err_set(err, TACHO_ENOMEM, "%s: %s", e->path, err_text(TACHO_ENOMEM));
	n = read(e->fd, e->text.data + e->text.len, WINDOW);
	if (n < 0)
		return err_errno(err, TACHO_EREAD, "cannot read %s", e->path);
	e->text.len += (size_t)n;
	e->ended = n == 0;
	return 0;
}

/* Peeks at the next non-blank byte; 0 at the end. */
static int chrome_events_peek(struct chrome_events *e, char *c, struct tacho_error *err)
{
	for (;;) {
		int r;

		while (e->at < e->text.len && isspace((unsigned char)e->text.data[e->at]))
			e->at++;
		*c = e->at < e->text.len ? e->text.data[e->at] : 0;
		if (*c || e->ended)
			return 0;
		r = chrome_events_more(e, e->at, err);
		if (r < 0)
			return r;
	}
}

/*
 * Finds the end of the value at AT: 1 and *LEN, or 0 if the file ends first. Skips strings, so
 * brackets in them do not count.
 */
static int value_end(struct chrome_events *e, size_t *len, struct tacho_error *err)
{
	bool string = false, escaped = false;
	size_t i = 0;
	int depth = 0;

	for (;; i++) {
		char c;

		if (e->at + i == e->text.len) {
			int r = e->ended ? 0 : chrome_events_more(e, e->at, err);

			if (r < 0)
				return r;
			if (e->at + i == e->text.len) {
				*len = i;
				return 0;
			}
		}
		if (i >= EVENT_MOST)
			return err_set(err, TACHO_ELIMIT, "%s: an event is larger than %u MiB",
				       e->path, EVENT_MOST >> 20);
		c = e->text.data[e->at + i];
		if (string) {
			string = escaped || c != '"';
			escaped = !escaped && c == '\\';
			if (!string && depth == 0)
				break;
		} else if (c == '"') {
			string = true;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (c == '}' || c == ']') {
			if (--depth <= 0)
				break;
		} else if (depth == 0 && (c == ',' || c == ':')) {
			i--;
			break;
		}
	}
	*len = i + 1;
	return 1;
}

static int chrome_events_bad(const struct chrome_events *e, struct tacho_error *err)
{
	int r = err_set(err, TACHO_EFORMAT, "%s is not a Chrome trace, near byte %llu", e->path,
			(unsigned long long)(e->offset + e->at));

	if (err)
		err->offset = e->offset + e->at;
	return r;
}

const struct chrome_head *chrome_events_head(const struct chrome_events *e)
{
	return &e->head;
}

/* A member beside the events. */
static void head_read(struct chrome_events *e, bool distributed, size_t len)
{
	const struct jread_value *v;
	int64_t n;

	if (!distributed) {
		n = strtoll(e->text.data + e->at, NULL, 10);
		e->head.base_ns = n > 0 ? n : 0;
		return;
	}
	v = jread_parse(&e->reader, e->text.data + e->at, len, NULL);
	if (jread_int(jread_get(v, "rank"), &n) && n >= 0 && n <= INT32_MAX)
		e->head.rank = n;
	if (jread_int(jread_get(v, "world_size"), &n) && n >= 0 && n <= INT32_MAX)
		e->head.world = n;
}

/* Reads members up to the array of events; after it to the end, which may be missing. */
static int find_array(struct chrome_events *e, struct tacho_error *err)
{
	for (;;) {
		bool events, distributed, base;
		size_t len;
		char c;
		int r = chrome_events_peek(e, &c, err);

		if (r < 0)
			return r;
		if (c == ',') {
			e->at++;
			continue;
		}
		if (c != '"' || value_end(e, &len, err) <= 0)
			return chrome_events_bad(e, err);
		events = len == 13 && !memcmp(e->text.data + e->at, "\"traceEvents\"", 13);
		distributed = len == 17 && !memcmp(e->text.data + e->at, "\"distributedInfo\"", 17);
		base = len == 21 && !memcmp(e->text.data + e->at, "\"baseTimeNanoseconds\"", 21);
		e->at += len;
		r = chrome_events_peek(e, &c, err);
		if (r < 0 || c != ':')
			return r < 0 ? r : chrome_events_bad(e, err);
		e->at++;
		r = chrome_events_peek(e, &c, err);
		if (r < 0)
			return r;
		if (events && c == '[')
			return 0;
		r = value_end(e, &len, err);
		if (r <= 0)
			return r < 0 ? r : chrome_events_bad(e, err);
		if (distributed || base)
			head_read(e, distributed, len);
		e->at += len;
	}
}

static int chrome_events_start(struct chrome_events *e, struct tacho_error *err)
{
	char c;
	int r = chrome_events_peek(e, &c, err);

	if (r < 0)
		return r;
	if (c == '{') {
		e->at++;
		r = find_array(e, err);
		if (r < 0)
			return r;
	} else if (c != '[') {
		return chrome_events_bad(e, err);
	} else {
		e->bare = true;
	}
	e->at++;
	e->started = true;
	return 0;
}

int chrome_events_next(struct chrome_events *e, const struct jread_value **event,
		       struct tacho_error *err)
{
	size_t len;
	char c;
	int r = e->started ? 0 : chrome_events_start(e, err);

	if (r < 0)
		return r;
	do {
		r = chrome_events_peek(e, &c, err);
		if (r < 0)
			return r;
		e->at += c == ',';
	} while (c == ',');
	if (c == ']') {
		e->at++;
		if (!e->bare)
			find_array(e, NULL);
		return 0;
	}
	if (c == 0)
		return err_set(err, TACHO_EDAMAGED, "%s ends in the middle", e->path);
	r = value_end(e, &len, err);
	if (r == 0)
		return err_set(err, TACHO_EDAMAGED, "%s ends in the middle", e->path);
	if (r < 0)
		return r;
	*event = jread_parse(&e->reader, e->text.data + e->at, len, NULL);
	if (!*event) {
		chrome_events_bad(e, err);
		if (err)
			err->code = TACHO_EDAMAGED;
		return TACHO_EDAMAGED;
	}
	e->at += len;
	return 1;
}
