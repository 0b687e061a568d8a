/* SPDX-License-Identifier: Apache-2.0 */
/* Write records with payload into a ring: the slow path of the hot path in detail.h. */
#include "client/client.h"

#include <string.h>

static void record_commit(uint64_t position, uint64_t word)
{
	__atomic_store_n((uint64_t *)(uintptr_t)position, word, __ATOMIC_RELEASE);
}

static uint64_t make_word(uint64_t now, uint32_t bits)
{
	return now << TACHO_TICK_SHIFT | bits;
}

/*
 * Claims COUNT words in one segment. If a segment has no room for them, its rest is closed with a
 * RING_SEG_END at the claimed position, which no other writer can have. NOW: 0 if not known.
 * Returns 0 if they are lost.
 */
static uint64_t claim_words(struct thread *t, unsigned count, uint64_t now, bool locked)
{
	for (;;) {
		uint64_t at = tacho_claim(&t->hot, count * 8);
		uint64_t last = at + count * 8 - 8;

		if (at & last & TACHO_SEGMENT)
			return at;
		if (!now)
			now = tacho_ticks();
		if (at & TACHO_SEGMENT)
			record_commit(at, make_word(now, RING_MORE(RING_SEG_END, 0)));
		if (!thread_switch(t, now, locked))
			return 0;
	}
}

/*
 * Starts a record: the claim has a length before its content, so that a reader can skip it if we
 * die here.
 */
static uint64_t *open_record(uint64_t at, uint64_t now, unsigned payload)
{
	record_commit(at, make_word(now, RING_MORE(RING_PAD, payload)));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return (uint64_t *)(uintptr_t)(at + 8);
}

/*
 * The high bits of the time have changed: write an anchor for the reader. The thread's key changes
 * after it, so a handler that runs in between writes its own anchor and no event is without one.
 */
static void time_report(struct thread *t, uint64_t key, uint64_t now, bool locked)
{
	uint64_t at = claim_words(t, 2, now, locked);

	if (!at)
		return;
	*open_record(at, now, 1) = now;
	record_commit(at, make_word(now, RING_MORE(RING_TIME, 1)));
	__atomic_store_n(&t->hot.key, key | now >> TACHO_WRAP_SHIFT, __ATOMIC_RELAXED);
}

static int emit_one(struct thread *t, uint64_t now, uint32_t bits)
{
	uint64_t at = claim_words(t, 1, now, false);

	if (!at) {
		thread_lose(t, bits, now);
		return 0;
	}
	record_commit(at, make_word(now, bits));
	return 1;
}

/* KEY: the session of the event, which may have ended. */
TACHO_API int tacho_emit_slow(uint64_t key, uint64_t now, uint32_t bits)
{
	struct thread *t = (struct thread *)tacho_self;

	if (!key || key != tacho_key())
		return 0;
	if (t->hot.key >> 32 != key >> 32) {
		/* An end belongs to the ring that has its begin. */
		if (RING_KIND(bits) == RING_END)
			return 0;
		t = thread_enter(key, now);
		if (!t) {
			thread_lose(NULL, bits, now);
			return 0;
		}
	}
	if (t->hot.key != (key | now >> TACHO_WRAP_SHIFT))
		time_report(t, key, now, false);
	return emit_one(t, now, bits);
}

TACHO_API int tacho_emit_full(uint64_t key, uint64_t now, uint32_t bits)
{
	struct thread *t = (struct thread *)tacho_self;

	if (!t->segment) /* a fork in a signal handler has wiped it in the middle of an event */
		return tacho_emit_slow(key, now, bits);
	if (!thread_switch(t, now, false)) {
		thread_lose(t, bits, now);
		return 0;
	}
	return emit_one(t, now, bits);
}

struct string {
	const char *bytes;
	size_t len;
	uint64_t flags;
};

/* Links the parts of a long string: a signal handler may send another one in between. */
static uint64_t new_group(void)
{
	static uint32_t group;

	return (uint64_t)((__atomic_fetch_add(&group, 1, __ATOMIC_RELAXED) & 0xffffff) + 1)
	       << RING_STRING_GROUP_SHIFT;
}

/* Copies LEN bytes to whole words of memory that is 0; most strings are short. */
static void string_copy(uint64_t *to, const char *bytes, size_t len)
{
	uint64_t word;

	if (len < 8 || len > 64) {
		memcpy(to, bytes, len);
		return;
	}
	for (; len >= 8; len -= 8, bytes += 8) {
		memcpy(&word, bytes, 8);
		*to++ = word;
	}
	if (!len)
		return;
	memcpy(&word, bytes + len - 8, 8);
	*to = word >> (64 - 8 * len);
}

static int emit_record(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		       const struct string *s, bool locked)
{
	unsigned string_words = s ? 1 + (unsigned)(s->len + 7) / 8 : 0;
	unsigned payload = count + string_words;
	uint64_t now = ring_is_timeless(type) ? 0 : tacho_ticks(), at, *to;

	if (now && now >> TACHO_WRAP_SHIFT != (t->hot.key & 0xffffffff))
		time_report(t, t->hot.key >> 32 << 32, now, locked);
	at = claim_words(t, 1 + payload, now, locked);
	if (!at) {
		if (type != RING_TEXT_PART)
			thread_lose(t, RING_RECORD, now ? now : tacho_ticks());
		return 0;
	}
	to = open_record(at, now, payload);
	for (unsigned i = 0; i < count; i++)
		*to++ = words[i];
	if (s) {
		*to++ = s->len | s->flags;
		string_copy(to, s->bytes, s->len);
	}
	record_commit(at, make_word(now, RING_MORE(type, payload)));
	return 1;
}

static int emit_string(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		       const char *bytes, size_t len, bool locked)
{
	struct string s = {bytes, len, len > RING_PART ? new_group() : 0};

	while (s.len > RING_PART) {
		struct string part = {s.bytes, RING_PART, s.flags};

		if (!emit_record(t, RING_TEXT_PART, NULL, 0, &part, locked)) {
			/* The rest would not fit either: what was sent stays, marked as cut. */
			s.flags |= RING_STRING_TRUNCATED;
			s.len = 0;
			break;
		}
		s.bytes += RING_PART;
		s.len -= RING_PART;
	}
	return emit_record(t, type, words, count, &s, locked) && !(s.flags & RING_STRING_TRUNCATED);
}

int record_emit_made(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		     void (*make)(void *context, char *to, size_t len), void *context, size_t len)
{
	uint64_t flags = len > RING_PART ? new_group() : 0;
	char bytes[RING_PART];

	for (;;) {
		struct string s = {bytes, len < RING_PART ? len : RING_PART, flags};

		make(context, bytes, s.len);
		if (len <= RING_PART)
			return emit_record(t, type, words, count, &s, false);
		if (!emit_record(t, RING_TEXT_PART, NULL, 0, &s, false)) {
			thread_lose(t, RING_RECORD, tacho_ticks());
			return 0;
		}
		len -= RING_PART;
	}
}

int record_emit(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		const char *bytes, size_t len)
{
	if (!bytes)
		return emit_record(t, type, words, count, NULL, false);
	return emit_string(t, type, words, count, bytes, len, false);
}

int record_emit_locked(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		       const char *bytes, size_t len)
{
	if (!bytes)
		return emit_record(t, type, words, count, NULL, true);
	return emit_string(t, type, words, count, bytes, len, true);
}
