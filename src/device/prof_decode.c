#include "device/prof_decode.h"

#include "tacho_layout.h"

#include <string.h>

#define DEPTH   128 /* open zones: more do not fit into a buffer */
#define FILLER  0x80000000u
#define TIME_44 (1ull << 44)

struct decode {
	struct prof_reader *reader;
	struct prof_counts *counts;
	prof_fn fn;
	void *context;
	struct prof_item run; /* what all items of a run have */
	uint64_t first, most;
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

/* 44 bits go round after five hours: a step far back is a turn. */
static uint64_t unwrap(struct decode *d, uint32_t high, uint32_t low)
{
	uint64_t time = (uint64_t)(high & 0xfff) << 32 | low, last = d->reader->last;
	uint64_t whole = (last & ~(TIME_44 - 1)) | time;

	if (whole + TIME_44 / 2 < last)
		whole += TIME_44;
	else if (whole > last + TIME_44 / 2 && whole >= TIME_44)
		whole -= TIME_44;
	if (whole > last)
		d->reader->last = whole;
	if (!d->any || whole < d->first)
		d->first = whole;
	if (!d->any || whole > d->most)
		d->most = whole;
	d->any = true;
	return whole;
}

static void emit(struct decode *d, enum prof_kind kind, uint16_t id, uint64_t start, uint64_t end,
		 unsigned flags)
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
		d->counts->damaged++;
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
		d->counts->damaged++;
		emit(d, PROF_K_ZONE, id, d->first, time, PROF_START_LOST);
		return;
	}
	while (d->depth > i) {
		d->depth--;
		d->counts->damaged++;
		emit(d, PROF_K_ZONE, d->open[d->depth].id, d->open[d->depth].start, time,
		     PROF_END_LOST);
	}
	d->depth--;
	emit(d, PROF_K_ZONE, id, d->open[d->depth].start, time, 0);
}

static void end_run(struct decode *d)
{
	while (d->depth) {
		d->depth--;
		d->counts->damaged++;
		emit(d, PROF_K_ZONE, d->open[d->depth].id, d->open[d->depth].start, d->most,
		     PROF_END_LOST);
	}
}

static uint64_t value_at(const uint32_t *words)
{
	return (uint64_t)words[0] << 32 | words[1];
}

static void marker(struct decode *d, const uint32_t *words)
{
	uint32_t high = words[0];
	uint16_t id = high >> 12 & 0xffff;
	uint64_t time;

	if (!(high & FILLER)) {
		d->counts->damaged++;
		return;
	}
	/* Filler has neither number nor time. */
	if ((high >> 12 & 0x7ffff) == 0 && !(high & 0xfff))
		return;
	d->counts->markers++;
	if ((high >> 28 & 7) == PROF_ZONE_TOTAL) {
		d->run.data[0] = words[1];
		emit(d, PROF_K_TOTAL, id, d->first, d->first, 0);
		d->run.data[0] = 0;
		return;
	}
	time = unwrap(d, high, words[1]);
	switch (high >> 28 & 7) {
	case PROF_ZONE_START:
		zone_start(d, id, time);
		break;
	case PROF_ZONE_END:
		zone_end(d, id, time);
		break;
	case PROF_DATA:
	case PROF_DATA_16:
		d->run.data[0] = value_at(words + 2);
		d->run.data[1] = (high >> 28 & 7) == PROF_DATA ? 0 : value_at(words + 4);
		emit(d, (high >> 28 & 7) == PROF_DATA ? PROF_K_DATA : PROF_K_DATA_16, id, time,
		     time, 0);
		d->run.data[0] = d->run.data[1] = 0;
		break;
	case PROF_EVENT:
		emit(d, PROF_K_EVENT, id, time, time, 0);
		break;
	default:
		d->counts->damaged++;
		break;
	}
}

/* Words that have room for the beginning or the end of a zone, and for nothing longer. */
static void guaranteed_marker(struct decode *d, const uint32_t *words)
{
	if (prof_marker_words(words[0]) == 2)
		marker(d, words);
	else
		d->counts->damaged++;
}

/* The four guaranteed markers enclose the others: starts now, ends when the run ends. */
static size_t begin_run(struct decode *d, const uint32_t *words, size_t n)
{
	end_run(d);
	d->counts->runs++;
	d->any = false;
	d->run.risc = words[0] & 31;
	d->run.flat = words[0] >> 5 & 0xff;
	d->run.replay = words[0] >> 13 & 0xffff;
	d->run.op = words[1];
	if (n < 10)
		return 2;
	guaranteed_marker(d, words + 2); /* FW start */
	guaranteed_marker(d, words + 6); /* KERNEL start */
	return 10;
}

/*
 * A buffer that was full in the middle of a run was sent with the run's first words, and so is each
 * further part: the same ids and the same start of the firmware's zone.
 */
static bool continues(const uint32_t *before, const uint32_t *now)
{
	return before && now && !memcmp(before - 2, now - 2, 16) &&
	       (before[0] != FILLER || before[1] != FILLER);
}

/* Behind the optional markers of a run: KERNEL end, FW end, which stand before them. */
static void close_run(struct decode *d, const uint32_t *guaranteed)
{
	if (!guaranteed)
		return;
	guaranteed_marker(d, guaranteed + 6); /* words 10, 11 of the buffer */
	guaranteed_marker(d, guaranteed + 2); /* words 6, 7 */
}

void prof_decode(struct prof_reader *reader, const uint32_t *words, size_t n, uint32_t risc,
		 uint32_t flat, prof_fn fn, void *context, struct prof_counts *counts)
{
	struct decode d = {.reader = reader, .counts = counts, .fn = fn, .context = context};
	const uint32_t *guaranteed = NULL;
	size_t i = 0;

	d.run.risc = risc;
	d.run.flat = flat;
	while (i + 2 <= n) {
		unsigned need;

		if (!words[i] && !words[i + 1]) {
			const uint32_t *next = i + 12 <= n ? words + i + 4 : NULL;

			if (continues(guaranteed, next)) {
				guaranteed = next;
				i += 12;
				continue;
			}
			close_run(&d, guaranteed);
			if (i + 4 > n)
				break;
			guaranteed = next;
			i += 2 + begin_run(&d, words + i + 2, n - i - 2);
			if (d.run.risc != risc || d.run.flat != flat)
				counts->damaged++;
			continue;
		}
		need = prof_marker_words(words[i]);
		if (i + need > n) {
			counts->damaged++;
			break;
		}
		marker(&d, words + i);
		i += need;
	}
	close_run(&d, guaranteed);
	if (reader->until > d.most)
		d.most = reader->until;
	end_run(&d);
}
