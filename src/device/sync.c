/* SPDX-License-Identifier: Apache-2.0 */
/* Measure the device clock against the host clock by two-way exchanges. */
#include "device/sync.h"

#include <math.h>

#define SETTLE_MS 10
/* A slope needs two points that are this many times further apart than their width. */
#define JUMP_PART 100

void sync_init(struct sync *s, uint32_t mhz, double rate)
{
	*s = (struct sync){.nominal = rate / 1e6 / mhz,
			   .rate = rate,
			   .settle = (uint64_t)mhz * 1000 * SETTLE_MS};
	s->slope = s->nominal;
}

static uint64_t sync_middle(const struct sync_exchange *e)
{
	return e->before + (e->after - e->before) / 2;
}

/* Signed difference: absolute ticks do not fit into a double. */
static double sync_since(uint64_t from, uint64_t to)
{
	return (double)(int64_t)(to - from);
}

static void point_at(const struct sync *s, const struct sync_exchange *e, uint64_t ticks,
		     struct device_point *point)
{
	uint64_t early = ticks - e->before, late = e->after - ticks;
	double wrong = (double)(early > late ? early : late);

	*point = (struct device_point){.ticks = ticks,
				       .cycles = e->cycles,
				       .bound_ns = (uint64_t)ceil(wrong * 1e9 / s->rate) + 1};
}

/* Slope from two midpoints that are far enough apart for their errors not to matter. */
static void measure_slope(struct sync *s, const struct sync_exchange *a,
			  const struct sync_exchange *b)
{
	double length = sync_since(sync_middle(a), sync_middle(b)),
	       cycles = (double)(b->cycles - a->cycles);

	if (length > 0 && cycles > 0)
		s->slope = length / cycles;
}

bool sync_take(struct sync *s, const struct sync_exchange *e, struct device_point *point)
{
	struct sync_exchange last = {s->last.ticks, s->last.ticks, s->last.cycles};
	double length, guess, gain, at;
	bool on = s->known && e->cycles > s->last.cycles && e->before >= s->last.ticks;

	if (!on) {
		point_at(s, e, sync_middle(e), point);
		s->slope = s->nominal;
		s->base = *e;
	} else {
		length = (double)(e->cycles - s->last.cycles);
		gain = fmin(1, length / (double)s->settle);
		guess = length * s->slope;
		at = guess + gain * (sync_since(s->last.ticks, sync_middle(e)) - guess);
		if (at < sync_since(s->last.ticks, e->before) ||
		    at > sync_since(s->last.ticks, e->after)) {
			/* The frequency has changed: the previous slope is useless. */
			at = sync_since(s->last.ticks, sync_middle(e));
			s->base = *e;
			if (sync_since(e->before, e->after) * JUMP_PART < at)
				measure_slope(s, &last, e);
		}
		point_at(s, e, s->last.ticks + (uint64_t)llround(at), point);
		if (e->cycles - s->base.cycles >= s->settle) {
			measure_slope(s, &s->base, e);
			s->base = *e;
		}
	}
	s->last = *point;
	on |= !s->known;
	s->known = true;
	return on;
}

uint64_t sync_cycles(const struct sync *s, uint64_t ticks)
{
	double cycles = sync_since(s->last.ticks, ticks) / s->slope;

	return s->last.cycles + (uint64_t)(int64_t)llround(cycles);
}
