/* SPDX-License-Identifier: Apache-2.0 */
/* Events, in the order of a stream. */
#include "clock/clock.h"
#include "ring/stream.h"

/* A claim that stays unwritten while its thread continues is given up after about a second. */
#define TORN_TICKS  3000000000ull
#define TORN_CHECKS 64 /* idle reads between two clock readings */

#define BATCH_TEXT (1u << 20) /* bytes of strings that end a batch of events */
#define TEXT_KEPT  (4u << 20) /* larger buffers are freed after use */

static uint64_t full_time(struct ring_stream *s, uint64_t word)
{
	s->time = ring_full_time(s->time, word);
	return s->time;
}

/* The next written word after an unwritten claim, or NULL. */
static const char *written_after(const struct ring_stream *s, const char *at)
{
	/* Nearly all words after the last claim are unwritten. */
	while (s->end - at >= 64 &&
	       !(stream_load(at) | stream_load(at + 8) | stream_load(at + 16) |
		 stream_load(at + 24) | stream_load(at + 32) | stream_load(at + 40) |
		 stream_load(at + 48) | stream_load(at + 56)))
		at += 64;
	for (; at < s->end; at += 8)
		if (stream_load(at))
			return at;
	return atomic_load_explicit(&s->segment->next, memory_order_acquire) ? s->end : NULL;
}

/*
 * Called at an unwritten word. True if the claim was given up and reading continues after it: its
 * thread is dead, or has written further for a while (it jumped out of a signal handler).
 */
static bool pass_torn(struct ring_stream *s, uint64_t word)
{
	const char *after = s->at + 8, *found;
	uint64_t now;

	if (!s->reader->dead && ++s->stuck % TORN_CHECKS)
		return false;
	if (word)
		after += (size_t)RING_LEN(word) * 8;
	if (after > s->end)
		after = s->end;
	found = written_after(s, after);
	/* The last claim may still be written, unless its thread died holding it. */
	if (!found && (!s->reader->dead || !word))
		return false;
	if (!s->reader->dead) {
		now = clock_ticks();
		if (!s->stuck_since)
			s->stuck_since = now;
		if (now - s->stuck_since < TORN_TICKS)
			return false;
	}
	s->at = found ? found : after;
	s->tainted = true;
	return true;
}

static void read_finish(struct ring_stream *s)
{
	s->finished = true;
	s->reader->unreleased += RING_PAGE_SIZE;
}

static size_t mark_bad(struct ring_stream *s, struct ring_event *e)
{
	s->bad = true;
	read_finish(s);
	e->type = RING_T_BAD;
	e->time = s->time;
	return 1;
}

/* False for events that an earlier recorder has already returned. */
static bool is_new(struct ring_stream *s)
{
	if (s->parts.n)
		s->since_parts++;
	if (!s->skip)
		return true;
	s->skip--;
	return false;
}

/* Reads the next event. 1: an event, 0: consumed without one, -1: corrupt, -2: nothing more now. */
static int record_read_one(struct ring_stream *s, struct ring_event *e, unsigned *hops)
{
	uint64_t word;
	int got;

	if (s->at >= s->end) {
		got = segment_next(s);
		/* Only a program that changes its links while they are read loops this often. */
		if (got > 0 && ++*hops > s->reader->max_extents)
			return -1;
		return got == 0 ? -2 : got < 0 ? -1 : 0;
	}
	word = stream_load(s->at);
	if (RING_KIND(word) == RING_BEGIN || RING_KIND(word) == RING_END) {
		e->time = full_time(s, word);
		e->id = RING_ID(word);
		e->type = RING_KIND(word) == RING_BEGIN ? RING_T_BEGIN : RING_T_END;
		s->at += 8;
		return 1;
	}
	if (word == 0 || (RING_KIND(word) == RING_RECORD && RING_TYPE(word) == RING_PAD)) {
		if (!pass_torn(s, word))
			return -2;
		e->type = RING_T_TORN;
		e->time = s->time;
		return 1;
	}
	if (RING_KIND(word) != RING_RECORD)
		return -1;
	if (RING_TYPE(word) == RING_SEG_END) {
		s->at = s->end;
		return 0;
	}
	got = record_take(s, e, word);
	if (got > 0)
		e->time = ring_is_timeless(e->type) ? s->time : full_time(s, word);
	return got;
}

/* A flight recorder's thread may overwrite any of its segments while it lives. */
static bool may_be_overwritten(const struct ring_stream *s, bool closed)
{
	const struct ring_reader *r = s->reader;

	return r->copy.policy == RING_OVERWRITE && s->number != 0 && !closed && !r->dead;
}

size_t ring_read(struct ring_stream *s, struct ring_event *events, size_t max)
{
	struct ring_reader *r = s->reader;
	bool closed = atomic_load_explicit(&s->page->closed, memory_order_acquire);
	unsigned hops = 0;
	size_t n = 0;
	int got = 0;

	/* Free the last batch, so one long string does not hold its memory forever. */
	s->scratch.n = 0;
	s->text.n = 0;
	if (s->text.cap > TEXT_KEPT)
		vec_free(&s->text);
	if (s->finished || may_be_overwritten(s, closed))
		return 0;
	while (n < max && s->text.n < BATCH_TEXT) {
		got = record_read_one(s, &events[n], &hops);
		if (got < 0)
			break;
		if (got && is_new(s))
			n++;
	}
	if (got == -1)
		n += mark_bad(s, &events[n]);
	if (n) {
		s->stuck = 0;
		s->stuck_since = 0;
		if (s->parts.n)
			parts_age(s, n);
	}
	/* True at the end of the written words of a finished stream. */
	if (got == -2 && !s->finished && (closed || s->reader->dead) && !written_after(s, s->at))
		read_finish(s);
	record_fix_pointers(s, events, n);
	if (r->shrunk && !s->finished && n < max)
		n += mark_bad(s, &events[n]);
	return n;
}

const uint64_t *ring_zones(struct ring_stream *s, size_t max, size_t *count, uint64_t *time)
{
	const uint64_t *words = (const uint64_t *)(const void *)s->at;
	size_t room = (size_t)(s->end - s->at) / sizeof(*words);
	bool closed = atomic_load_explicit(&s->page->closed, memory_order_acquire);

	/* Anything not simple is left to ring_read(). */
	if (s->finished || s->parts.n || s->skip || s->reader->shrunk ||
	    may_be_overwritten(s, closed))
		room = 0;
	*count = room < max ? room : max;
	*time = s->time;
	return words;
}

void ring_zones_taken(struct ring_stream *s, size_t count, uint64_t time)
{
	s->at += count * sizeof(uint64_t);
	s->time = time;
	s->stuck = 0;
	s->stuck_since = 0;
}
