/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads markers from L1 while the program that writes them runs: none has to be dropped, and one
 * run can record any number. The firmware's side is in firmware/src/prof.c.
 *
 * A RISC's buffer after its first words is a ring. A word that is 0 was not written yet; the first
 * word of every marker has its top bit set. So the host sees how far a RISC has come without asking
 * it. The host sets the words it has read to 0 again and counts them; the RISC checks that count
 * when it is one lap ahead. The last marker is left until another one follows: it may be half
 * written.
 */
#include "device/launch.h"
#include "device/prof.h"
#include "tacho_layout.h"

#include <string.h>

#define LAP_WORDS (PROF_BUFFER_WORDS - PROF_OPTIONAL)
#define STEP      2048 /* cycles: a RISC needs longer to fill its buffer, whatever it records */

bool drain_is_on(const struct tacho_device *d)
{
	return d->prof && (d->profile & PROF_MODE_STREAM);
}

uint64_t drain_step(const struct tacho_device *d)
{
	return drain_is_on(d) ? STEP : 1000000;
}

static uint32_t buffer_address(const struct tacho_device *d, unsigned risc, uint32_t word)
{
	return d->shape.mailbox + M_PROF_BUFFER + 4 * (risc * PROF_BUFFER_WORDS + word);
}

int drain_clear_core(struct tacho_device *d, unsigned core)
{
	static const uint32_t zeros[DEVICE_RISCS * PROF_BUFFER_WORDS];

	if (!drain_is_on(d))
		return 0;
	return core_write(d, core, buffer_address(d, 0, 0), zeros, sizeof(zeros));
}

void drain_begin(struct tacho_device *d)
{
	if (!drain_is_on(d))
		return;
	for (size_t i = 0; i < (size_t)d->shape.cores * DEVICE_RISCS; i++) {
		struct prof_stream *s = &d->prof->streams[i];

		s->n = 0;
		s->at = PROF_OPTIONAL;
		s->taken = 0;
	}
}

static uint32_t word_at(struct tacho_device *d, unsigned core, unsigned risc, uint32_t at)
{
	uint32_t word = 0;

	d->ops->read(d->self, core, buffer_address(d, risc, at), &word, 4);
	return word;
}

/*
 * Words of whole markers from the ring's position on; at most to the end of the lap. Includes
 * invalid markers: the decoder counts them.
 */
static uint32_t whole_markers(struct tacho_device *d, unsigned core, unsigned risc, bool ended,
			      const uint32_t *words, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && words[i] >> 31) {
		uint32_t next = i + prof_marker_words(words[i]);

		if (next > n)
			return n;
		if (!ended &&
		    !((next < n ? words[next] : word_at(d, core, risc, PROF_OPTIONAL)) >> 31))
			break;
		i = next;
	}
	return i;
}

/* Moves N words from the ring's position to the stream, and clears them in the ring. */
static void prof_stream_words_take(struct tacho_device *d, unsigned core, unsigned risc,
				   const uint32_t *words, uint32_t n)
{
	static const uint32_t zeros[PROF_BUFFER_WORDS];
	struct prof_stream *s = &d->prof->streams[core * DEVICE_RISCS + risc];

	if (vec_reserve(s, s->n + n) < 0) {
		d->prof->lost[core * DEVICE_RISCS + risc].markers += n / 2;
		d->prof->losses += n / 2;
	} else {
		memcpy(s->v + s->n, words, 4 * (size_t)n);
		s->n += n;
	}
	core_write(d, core, buffer_address(d, risc, s->at), zeros, 4 * (size_t)n);
	s->taken += n;
	s->at += n;
	if (s->at == PROF_BUFFER_WORDS)
		s->at = PROF_OPTIONAL;
}

/* Reads the available words of one lap; returns their number. */
static uint32_t take_lap(struct tacho_device *d, unsigned core, unsigned risc, bool ended)
{
	struct prof_stream *s = &d->prof->streams[core * DEVICE_RISCS + risc];
	uint32_t words[PROF_BUFFER_WORDS], n = PROF_BUFFER_WORDS - s->at;

	if (!(word_at(d, core, risc, s->at) >> 31) ||
	    d->ops->read(d->self, core, buffer_address(d, risc, s->at), words, 4 * (size_t)n) < 0)
		return 0;
	n = whole_markers(d, core, risc, ended, words, n);
	if (n)
		prof_stream_words_take(d, core, risc, words, n);
	return n;
}

/*
 * The RISC has reported that it wrote WRITTEN words in this run. Those that are not markers were
 * overwritten: they are read all the same, or the RISC would wait forever. The decoder continues
 * after them.
 */
static void take_written(struct tacho_device *d, unsigned core, unsigned risc, uint32_t written)
{
	struct prof_stream *s = &d->prof->streams[core * DEVICE_RISCS + risc];
	uint32_t words[PROF_BUFFER_WORDS], n;

	if (written % 2 || written - s->taken > LAP_WORDS)
		return;
	while ((n = written - s->taken) != 0) {
		if (n > PROF_BUFFER_WORDS - s->at)
			n = PROF_BUFFER_WORDS - s->at;
		if (d->ops->read(d->self, core, buffer_address(d, risc, s->at), words,
				 4 * (size_t)n) < 0)
			return;
		prof_stream_words_take(d, core, risc, words, n);
	}
}

/* Words that the RISC reports for this run; 0: it has not reported. */
static uint32_t words_written(const uint32_t *control, unsigned risc)
{
	uint32_t end = control[PROF_DEVICE_END + risc];

	return end < PROF_OPTIONAL ? 0 : end - PROF_OPTIONAL;
}

/* CONTROL has the core's previous control words. True: something was read. */
static bool take_risc(struct tacho_device *d, unsigned core, unsigned risc, bool ended,
		      const uint32_t *control)
{
	struct prof_stream *s = &d->prof->streams[core * DEVICE_RISCS + risc];
	uint32_t before = s->taken, written = words_written(control, risc);

	while (take_lap(d, core, risc, ended) && s->taken - before < PROF_BUFFER_WORDS)
		;
	if (written > s->taken)
		take_written(d, core, risc, written);
	/* A kernel may have overwritten the count as well. */
	if (s->taken == before && (ended || control[PROF_TAKEN + risc] == s->taken))
		return false;
	core_write(d, core, d->shape.mailbox + M_PROF_CONTROL + 4 * (PROF_TAKEN + risc), &s->taken,
		   4);
	return true;
}

/* BRISC records its own zones even without a kernel. */
static bool risc_records(const struct tacho_device *d, unsigned core, unsigned risc)
{
	return risc == 0 || d->cores[core].enables >> risc & 1;
}

static bool poll_core(struct tacho_device *d, unsigned core)
{
	uint32_t control[PROF_WORDS];
	bool any = false;

	if (d->ops->read(d->self, core, d->shape.mailbox + M_PROF_CONTROL, control,
			 sizeof(control)) < 0)
		return false;
	for (unsigned r = 0; r < d->cores[core].info.riscs; r++)
		if (risc_records(d, core, r))
			any |= take_risc(d, core, r, false, control);
	return any;
}

bool drain_poll(struct tacho_device *d)
{
	bool any = false;

	if (!drain_is_on(d))
		return false;
	for (unsigned i = 0; i < d->shape.cores; i++)
		if (d->cores[i].busy)
			any |= poll_core(d, i);
	return any;
}

/* The ids of the run are known: restore those that a kernel overwrote. */
static bool ids_repair(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t *first)
{
	bool ethernet = d->cores[core].info.ethernet;
	uint32_t replays = ethernet ? 0 : d->replayed.n & 0xffff;
	const uint32_t ids[] = {0, 0, risc | core << 5 | replays << 13, d->running_op};

	if (!memcmp(first, ids, 12))
		return false;
	memcpy(first, ids, sizeof(ids));
	return true;
}

/* Finishes a run: its first words, then all the words read. WRITTEN: the RISC's own count. */
static void end_risc(struct tacho_device *d, unsigned core, unsigned risc, uint32_t written)
{
	struct prof_stream *s = &d->prof->streams[core * DEVICE_RISCS + risc];
	bool stopped = d->cores[core].busy;
	uint32_t first[PROF_OPTIONAL], wrong;

	if (d->ops->read(d->self, core, buffer_address(d, risc, 0), first, sizeof(first)) < 0 ||
	    vec_reserve(s, s->n + PROF_OPTIONAL) < 0)
		return;
	wrong = ids_repair(d, core, risc, first);
	if (!stopped && s->taken != written)
		wrong += (s->taken > written ? s->taken - written : written - s->taken) / 2;
	memmove(s->v + PROF_OPTIONAL, s->v, 4 * s->n);
	memcpy(s->v, first, sizeof(first));
	s->n += PROF_OPTIONAL;
	prof_take(d, core, risc, s->v, s->n, false);
	if (wrong)
		prof_damaged(d, core, risc, d->running_op, wrong);
}

bool drain_end_core(struct tacho_device *d, unsigned core, uint32_t *control)
{
	bool any = false, valid;

	if (!drain_is_on(d))
		return false;
	/*
	 * A run that the kernel declared invalid is not counted. One that was stopped is reported.
	 */
	valid = control[PROF_RUNS] != d->prof->runs[core] || d->cores[core].busy;
	d->prof->runs[core] = control[PROF_RUNS];
	for (unsigned r = 0; r < d->cores[core].info.riscs; r++) {
		struct prof_stream *s = &d->prof->streams[core * DEVICE_RISCS + r];

		if (!risc_records(d, core, r))
			continue;
		take_risc(d, core, r, true, control);
		if (valid && (control[PROF_DEVICE_END + r] || s->n || d->cores[core].busy))
			end_risc(d, core, r, words_written(control, r));
		any |= control[PROF_DEVICE_END + r] != 0;
		control[PROF_DEVICE_END + r] = 0;
		d->prof->waited += control[PROF_WAITED + r];
		control[PROF_WAITED + r] = 0;
		s->n = 0;
		s->taken = 0;
		s->at = PROF_OPTIONAL;
	}
	return any;
}

void drain_free(struct tacho_device *d)
{
	for (size_t i = 0; d->prof->streams && i < (size_t)d->shape.cores * DEVICE_RISCS; i++)
		vec_free(&d->prof->streams[i]);
	free(d->prof->streams);
	free(d->prof->runs);
}
