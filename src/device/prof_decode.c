/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the kernel profiler's words for prof.c and "tacho device boot". */
#include "device/prof_decode.h"

#include "tacho_layout.h"

#include <string.h>

#define DEPTH   128 /* open zones: more do not fit into a buffer */
#define FILLER  0x80000000u
#define TIME_44 (1ull << 44)

enum main_state { MAIN_ABSENT, MAIN_GOOD, MAIN_BAD };

struct main_marker {
	enum main_state state;
	uint16_t id;
	uint64_t time;
};

struct decode {
	struct prof_reader *reader;
	const struct prof_expect *expect;
	struct prof_counts *counts;
	prof_fn fn;
	void *context;
	struct prof_item run; /* common to all items of a run */
	const uint32_t *main; /* the run's four guaranteed markers; NULL: no run yet */
	struct main_marker start[2], end[2];
	uint64_t first, most; /* times seen in the run */
	uint64_t low, high;   /* bounds of its optional markers */
	uint64_t bad;         /* untrusted markers of the run */
	struct {
		uint16_t id;
		uint64_t start;
	} open[DEPTH];
	unsigned depth;
	bool any;
};

unsigned prof_marker_words(uint32_t high)
{
	static const uint8_t words[8] = {2, 2, 2, 4, 2, 6, 2, 2};

	return words[high >> 28 & 7];
}

static unsigned marker_type(uint32_t high)
{
	return high >> 28 & 7;
}

static uint16_t marker_id(uint32_t high)
{
	return high >> 12 & 0xffff;
}

/* Filler has neither number nor time. */
static bool is_filler(const uint32_t *words)
{
	return (words[0] & ~0xfffu) == FILLER && !(words[0] & 0xfff) &&
	       (!words[1] || words[1] == FILLER);
}

/* 44 bits wrap after five hours: a step far back is a wrap. */
static uint64_t marker_time(const struct decode *d, const uint32_t *words)
{
	uint64_t time = (uint64_t)(words[0] & 0xfff) << 32 | words[1], last = d->reader->last;
	uint64_t whole = (last & ~(TIME_44 - 1)) | time;

	if (whole + TIME_44 / 2 < last)
		whole += TIME_44;
	else if (whole > last + TIME_44 / 2 && whole >= TIME_44)
		whole -= TIME_44;
	return whole;
}

static void time_seen(struct decode *d, uint64_t time)
{
	if (time > d->reader->last)
		d->reader->last = time;
	if (!d->any || time < d->first)
		d->first = time;
	if (!d->any || time > d->most)
		d->most = time;
	d->any = true;
}

/* Only the last run can have been stopped, but no other run lacks ends then. */
static bool run_is_cut(const struct decode *d)
{
	return d->reader->until || d->expect->cut;
}

static bool zone_exists(const struct decode *d, uint16_t id)
{
	return !d->expect->zones || (id && id < d->expect->zones);
}

static void item_emit(struct decode *d, enum prof_kind kind, uint16_t id, uint64_t start,
		      uint64_t end, unsigned flags)
{
	struct prof_item item = d->run;

	item.kind = kind;
	item.id = id;
	item.start = start;
	item.end = end;
	item.flags = (uint16_t)flags;
	d->fn(d->context, &item);
}

static void zone_start(struct decode *d, uint16_t id, uint64_t time)
{
	if (d->depth == DEPTH) {
		d->bad++;
		return;
	}
	d->open[d->depth].id = id;
	d->open[d->depth++].start = time;
}

/* The innermost open zone of this id; those above it have lost their ends. */
static void zone_end(struct decode *d, uint16_t id, uint64_t time)
{
	unsigned i = d->depth;

	while (i && d->open[i - 1].id != id)
		i--;
	if (!i) {
		d->bad++;
		item_emit(d, PROF_K_ZONE, id, d->first, time, PROF_START_LOST);
		return;
	}
	while (d->depth > i) {
		d->depth--;
		d->bad++;
		item_emit(d, PROF_K_ZONE, d->open[d->depth].id, d->open[d->depth].start, time,
			  PROF_END_LOST);
	}
	d->depth--;
	item_emit(d, PROF_K_ZONE, id, d->open[d->depth].start, time, 0);
}

static uint64_t value_at(const uint32_t *words)
{
	return (uint64_t)words[0] << 32 | words[1];
}

static bool id_is_good(const struct decode *d, unsigned type, uint16_t id)
{
	if (type == PROF_EVENT)
		return true;
	if ((type == PROF_DATA || type == PROF_DATA_16) &&
	    (id == PROF_ID_NOC || id == PROF_ID_COUNTERS))
		return true;
	return zone_exists(d, id);
}

/* Decodes one of the markers after the guaranteed ones. False: it cannot be trusted. */
static bool marker_take(struct decode *d, const uint32_t *words)
{
	unsigned type = marker_type(words[0]);
	uint16_t id = marker_id(words[0]);
	uint64_t time;

	if (!(words[0] & FILLER) || type > PROF_DATA_16 || !id_is_good(d, type, id))
		return false;
	if (type == PROF_ZONE_TOTAL) {
		d->run.data[0] = words[1];
		item_emit(d, PROF_K_TOTAL, id, d->first, d->first, 0);
		d->run.data[0] = 0;
		return true;
	}
	time = marker_time(d, words);
	/* A RISC stores its markers in order of time. */
	if (time < d->low || time > d->high)
		return false;
	d->low = time;
	time_seen(d, time);
	if (type == PROF_ZONE_START)
		zone_start(d, id, time);
	else if (type == PROF_ZONE_END)
		zone_end(d, id, time);
	else if (type == PROF_EVENT)
		item_emit(d, PROF_K_EVENT, id, time, time, 0);
	else {
		bool two = marker_type(words[0]) == PROF_DATA_16;

		d->run.data[0] = value_at(words + 2);
		d->run.data[1] = two ? value_at(words + 4) : 0;
		item_emit(d, two ? PROF_K_DATA_16 : PROF_K_DATA, marker_id(words[0]), time, time,
			  0);
		d->run.data[0] = d->run.data[1] = 0;
	}
	return true;
}

/* ---- the guaranteed markers: start and end of the firmware's and of the kernel's zone ---- */
static void main_marker(const struct decode *d, const uint32_t *words, unsigned type,
			struct main_marker *m)
{
	*m = (struct main_marker){MAIN_ABSENT, marker_id(words[0]), marker_time(d, words)};
	if (is_filler(words))
		return;
	m->state = MAIN_BAD;
	if (words[0] & FILLER && marker_type(words[0]) == type && zone_exists(d, m->id) &&
	    m->time >= d->expect->earliest && m->time >= d->reader->ended &&
	    (!d->expect->latest || m->time <= d->expect->latest))
		m->state = MAIN_GOOD;
}

/*
 * The firmware writes starts before the kernel runs and ends after it. So if a pair is invalid, the
 * start was overwritten.
 */
static void main_pair(const struct decode *d, struct main_marker *start, struct main_marker *end,
		      unsigned slot)
{
	main_marker(d, d->main + 4 * slot, PROF_ZONE_START, start);
	main_marker(d, d->main + 4 * slot + 2, PROF_ZONE_END, end);
	if (end->state == MAIN_GOOD &&
	    (start->state == MAIN_ABSENT || start->time > end->time || start->id != end->id))
		start->state = MAIN_BAD;
}

/* The zone of slot 1 is inside that of slot 0, and the optional markers are between its times. */
static void main_read(struct decode *d)
{
	struct main_marker *start = d->start, *end = d->end;

	main_pair(d, &start[0], &end[0], 0);
	main_pair(d, &start[1], &end[1], 1);
	if (d->expect->accumulated)
		return;
	if (start[0].state == MAIN_GOOD && start[1].state == MAIN_GOOD &&
	    start[1].time < start[0].time)
		start[0].state = MAIN_BAD;
	if (start[0].state == MAIN_GOOD && start[0].time > d->low)
		d->low = start[0].time;
	if (end[0].state == MAIN_GOOD)
		d->high = end[0].time;
}

static void main_emit(struct decode *d, unsigned slot)
{
	const struct main_marker *start = &d->start[slot], *end = &d->end[slot];
	bool cut = end->state == MAIN_ABSENT && run_is_cut(d);

	d->bad += (start->state == MAIN_BAD) + (end->state == MAIN_BAD) +
		  (start->state == MAIN_GOOD && end->state == MAIN_ABSENT && !cut);
	d->counts->markers += (start->state == MAIN_GOOD) + (end->state == MAIN_GOOD);
	if (start->state == MAIN_GOOD && end->state == MAIN_GOOD)
		item_emit(d, PROF_K_ZONE, start->id, start->time, end->time, 0);
	else if (start->state == MAIN_GOOD)
		item_emit(d, PROF_K_ZONE, start->id, start->time, d->most,
			  cut ? PROF_CUT : PROF_END_LOST);
	else if (end->state == MAIN_GOOD)
		item_emit(d, PROF_K_ZONE, end->id, d->first, end->time, PROF_START_LOST);
}

/* ---- runs ---- */
static bool header_is_good(const struct decode *d, const uint32_t *words, size_t i)
{
	return !words[0] && !words[1] && i % 4 == 0 && !(words[2] >> 29) &&
	       (words[2] & 31) == d->expect->risc && (words[2] >> 5 & 0xff) == d->expect->flat &&
	       (!d->expect->lap || !i);
}

static void run_begin(struct decode *d, const uint32_t *words)
{
	d->counts->runs++;
	d->any = false;
	d->first = d->most = d->bad = 0;
	d->low = d->expect->earliest;
	d->high = d->expect->latest ? d->expect->latest : UINT64_MAX;
	d->run.risc = words[2] & 31;
	d->run.flat = words[2] >> 5 & 0xff;
	d->run.replay = words[2] >> 13 & 0xffff;
	d->run.op = words[3];
	d->main = words + PROF_GUARANTEED;
	main_read(d);
	for (unsigned slot = 0; slot < 2; slot++)
		if (d->start[slot].state == MAIN_GOOD)
			time_seen(d, d->start[slot].time);
}

/* The kernel's zone and the firmware's come last: they enclose the others. */
static void run_end(struct decode *d)
{
	bool cut = run_is_cut(d);

	for (unsigned slot = 0; d->main && slot < 2; slot++)
		if (d->end[slot].state == MAIN_GOOD)
			time_seen(d, d->end[slot].time);
	while (d->depth) {
		d->depth--;
		d->bad += !cut;
		item_emit(d, PROF_K_ZONE, d->open[d->depth].id, d->open[d->depth].start, d->most,
			  cut ? PROF_CUT : PROF_END_LOST);
	}
	if (d->main) {
		main_emit(d, 1);
		main_emit(d, 0);
	}
	if (d->bad) {
		d->counts->damaged += d->bad;
		d->run.data[0] = d->bad;
		item_emit(d, PROF_K_DAMAGE, 0, d->first, d->first, 0);
		d->run.data[0] = 0;
		d->bad = 0;
	}
	if (d->main && d->end[0].state == MAIN_GOOD && !d->expect->accumulated)
		d->reader->ended = d->end[0].time;
	d->main = NULL;
}

/* Counts the filler words from I on. Filler ends a lap of the ring, a run, or the data. */
static size_t filler_words(struct decode *d, const uint32_t *words, size_t i, size_t n)
{
	size_t at = i;

	while (at + 2 <= n && is_filler(words + at) &&
	       (!d->expect->lap || at == i || (at - PROF_OPTIONAL) % d->expect->lap))
		at += 2;
	if (at + 2 <= n && !header_is_good(d, words + at, at) &&
	    !(d->expect->lap && (at - PROF_OPTIONAL) % d->expect->lap == 0))
		d->bad += (at - i) / 2;
	return at - i;
}

void prof_decode(struct prof_reader *reader, const uint32_t *words, size_t n,
		 const struct prof_expect *expect, prof_fn fn, void *context,
		 struct prof_counts *counts)
{
	struct decode d = {.reader = reader,
			   .expect = expect,
			   .counts = counts,
			   .fn = fn,
			   .context = context,
			   .high = UINT64_MAX};
	size_t i = 0;

	d.run.risc = expect->risc;
	d.run.flat = expect->flat;
	while (i + 2 <= n) {
		if (i + PROF_OPTIONAL <= n && header_is_good(&d, words + i, i)) {
			if (d.main && !memcmp(d.main - PROF_GUARANTEED, words + i, 24) &&
			    !is_filler(d.main)) {
				d.main = words + i + PROF_GUARANTEED;
				main_read(&d);
			} else {
				run_end(&d);
				run_begin(&d, words + i);
			}
			i += PROF_OPTIONAL;
		} else if (is_filler(words + i)) {
			i += filler_words(&d, words, i, n);
		} else if (d.main && i + prof_marker_words(words[i]) <= n &&
			   marker_take(&d, words + i)) {
			counts->markers++;
			i += prof_marker_words(words[i]);
		} else {
			/*
			 * Markers have an even number of words, so decoding finds the next one
			 * again.
			 */
			d.bad++;
			i += 2;
		}
	}
	if (reader->until > d.most)
		d.most = reader->until;
	run_end(&d);
}
