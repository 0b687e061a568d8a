/* SPDX-License-Identifier: Apache-2.0 */
/* Records: copy and check payload, join strings that come in several parts. */
#include "base/limits.h"
#include "ring/stream.h"

#include <string.h>

#define PARTS_AGE    65536
#define PARTS_GROUPS 64 /* strings that nested handlers can have begun: more is corrupt */

void parts_free(struct ring_stream *s)
{
	for (size_t i = 0; i < s->parts.n; i++)
		vec_free(&s->parts.v[i]);
	vec_free(&s->parts);
}

static struct parts *find_parts(struct ring_stream *s, uint32_t group)
{
	for (size_t i = 0; i < s->parts.n; i++)
		if (s->parts.v[i].group == group)
			return &s->parts.v[i];
	return NULL;
}

static void drop_parts(struct ring_stream *s, struct parts *p)
{
	vec_free(p);
	*p = s->parts.v[--s->parts.n];
}

static void keep_part(struct ring_stream *s, uint32_t group, const char *bytes, size_t len,
		      const struct ring_position *start)
{
	struct parts *p = find_parts(s, group), none = {.group = group};

	if (!s->parts.n) {
		s->parts_start = *start;
		s->since_parts = 0;
	}
	if (!p) {
		if (s->parts.n == PARTS_GROUPS || vec_push(&s->parts, none) < 0)
			return;
		p = &s->parts.v[s->parts.n - 1];
	}
	if (p->n + len > LIMIT_TEXT || vec_reserve(p, p->n + len + 1) < 0) {
		p->cut = true;
		return;
	}
	memcpy(p->v + p->n, bytes, len);
	p->n += len;
}

void parts_age(struct ring_stream *s, size_t events)
{
	for (size_t i = s->parts.n; i-- > 0;) {
		s->parts.v[i].age += (uint32_t)events;
		if (s->parts.v[i].age > PARTS_AGE)
			drop_parts(s, &s->parts.v[i]);
	}
}

/* The payload word, from 1, that is the length of a record's string; 0: no string. */
static const uint8_t string_at[RING_TYPES] = {
	[RING_TEXT_PART] = 1,     [RING_ZONE_TEXT] = 2, [RING_ZONE_NAME] = 2,
	[RING_MESSAGE] = 2,       [RING_LOCK_NAME] = 2, [RING_APP_INFO] = 1,
	[RING_THREAD_NAME] = 1,   [RING_SRCLOC] = 3,    [RING_NAME] = 2,
	[RING_CORE] = 3,          [RING_DEVICE] = 2,    [RING_FRAME_IMAGE] = 2,
	[RING_SECTION] = 2,       [RING_OP] = 4,        [RING_MODULE] = 2,
	[RING_MESSAGE_STACK] = 3,
};

/* Minimum payload words of each type; for a string its length. */
static const uint8_t least_words[RING_TYPES] = {
	[RING_TIME] = 1,          [RING_LOSS] = 5,
	[RING_TEXT_PART] = 1,     [RING_ZONE_TEXT] = 2,
	[RING_ZONE_NAME] = 2,     [RING_ZONE_COLOR] = 2,
	[RING_ZONE_VALUE] = 2,    [RING_MESSAGE] = 2,
	[RING_MESSAGE_NAME] = 2,  [RING_FRAME] = 2,
	[RING_PLOT_INT] = 2,      [RING_PLOT_REAL] = 2,
	[RING_PLOT_CONFIG] = 3,   [RING_ALLOC] = 3,
	[RING_FREE] = 2,          [RING_LOCK_NEW] = 3,
	[RING_LOCK] = 3,          [RING_LOCK_NAME] = 2,
	[RING_LOCK_GONE] = 1,     [RING_THREAD_NAME] = 1,
	[RING_FIBER_ENTER] = 1,   [RING_APP_INFO] = 1,
	[RING_SRCLOC] = 3,        [RING_NAME] = 2,
	[RING_CORE] = 3,          [RING_CORE_BEGIN] = 4,
	[RING_CORE_END] = 3,      [RING_CORE_VALUE] = 3,
	[RING_DEVICE] = 2,        [RING_CORE_LOSS] = 3,
	[RING_DEVICE_CLOCK] = 5,  [RING_CORE_DAMAGE] = 3,
	[RING_CORE_MARKER] = 6,   [RING_FRAME_IMAGE] = 2,
	[RING_SECTION] = 2,       [RING_PARAMETER] = 3,
	[RING_PARAMETER_SET] = 2, [RING_OP] = 4,
	[RING_OP_TRACE] = 3,      [RING_DISCARD] = 1,
	[RING_MODULE] = 2,        [RING_STACK] = 4,
	[RING_ZONE_STACK] = 2,    [RING_MESSAGE_STACK] = 3,
};

/* The string of a record whose payload was copied to WORDS. False if it does not fit its record. */
static bool record_string_take(struct ring_stream *s, struct ring_event *e, const uint64_t *words,
			       unsigned count, int at)
{
	uint32_t len = (uint32_t)words[at];
	uint32_t group = (uint32_t)(words[at] >> RING_STRING_GROUP_SHIFT);
	const char *bytes = (const char *)&words[at + 1];
	struct parts *p = group ? find_parts(s, group) : NULL;
	size_t before = p ? p->n : 0;
	bool cut = p && p->cut;
	char *to;

	if (cut)
		len = 0; /* the bytes before it are missing */
	if (count <= (unsigned)at || len > (count - (unsigned)at - 1) * 8)
		return false;
	if (vec_reserve(&s->text, s->text.n + before + len + 1) < 0)
		return false;
	to = s->text.v + s->text.n;
	if (p) {
		if (before)
			memcpy(to, p->v, before);
		drop_parts(s, p);
	}
	memcpy(to + before, bytes, len);
	to[before + len] = 0;
	s->text.n += before + len + 1;
	/* An index for now: the memory may move while more events are read. */
	e->text = (const char *)(uintptr_t)(s->text.n - before - len);
	e->len = (uint32_t)(before + len);
	e->truncated = cut || (words[at] & RING_STRING_TRUNCATED);
	e->count = (uint16_t)at;
	return true;
}

int record_take(struct ring_stream *s, struct ring_event *e, uint64_t word)
{
	unsigned type = RING_TYPE(word), count = RING_LEN(word);
	struct ring_position start;
	uint64_t *words;

	if ((size_t)count * 8 + 8 > (size_t)(s->end - s->at))
		return -1;
	if (vec_reserve(&s->scratch, s->scratch.n + count + 1) < 0)
		return -2;
	words = s->scratch.v + s->scratch.n;
	if (type == RING_TEXT_PART && !s->parts.n)
		ring_stream_position(s, &start);
	memcpy(words, s->at + 8, (size_t)count * 8);
	s->at += (size_t)count * 8 + 8;
	if (type >= RING_TYPES)
		return 0; /* of a newer client */
	if (type == 0 || count < least_words[type])
		return -1;
	if (type == RING_TIME) {
		s->time = words[0];
		return 0;
	}
	if (type == RING_TEXT_PART) {
		uint32_t len = (uint32_t)words[0];

		if (len > (count - 1) * 8)
			return -1;
		keep_part(s, (uint32_t)(words[0] >> RING_STRING_GROUP_SHIFT),
			  (const char *)&words[1], len, &start);
		return 0;
	}
	e->type = (uint16_t)type;
	e->id = 0;
	e->text = NULL;
	e->len = 0;
	e->truncated = false;
	e->count = (uint16_t)count;
	e->words = (const uint64_t *)(uintptr_t)(s->scratch.n + 1);
	if (string_at[type] && !record_string_take(s, e, words, count, string_at[type] - 1))
		return -1;
	s->scratch.n += count;
	return 1;
}

void record_fix_pointers(struct ring_stream *s, struct ring_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ring_event *e = &events[i];

		if (e->type >= RING_T_BEGIN)
			continue;
		e->words = s->scratch.v + ((uintptr_t)e->words - 1);
		if (e->text)
			e->text = s->text.v + ((uintptr_t)e->text - 1);
	}
}
