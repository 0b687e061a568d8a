/* SPDX-License-Identifier: Apache-2.0 */
/* Make exchanges with a device, and map its time to the recording's time. */
#include "device/prof.h"

#include <tacho/cores.h>
#include <tacho/tacho.h>

#include <math.h>
#include <time.h>

#define CLOCK_LOW  0xFFB121F0u
#define CLOCK_HIGH 0xFFB121F4u
#define DUE_MS     100 /* between exchanges while a program runs */
#define FRESH_US   50  /* an exchange that is not older is reused */

uint64_t sync_host_ticks(const struct tacho_device *d)
{
	return d->ops->host_ticks ? d->ops->host_ticks(d->self) : tacho_ticks();
}

static int timed_read(struct tacho_device *d, unsigned core, uint32_t address, uint32_t *word,
		      uint64_t *before, uint64_t *after)
{
	int r;

	if (d->ops->timed_read)
		return d->ops->timed_read(d->self, core, address, word, before, after);
	*before = tacho_ticks();
	r = d->ops->read(d->self, core, address, word, 4);
	*after = tacho_ticks();
	return r;
}

/*
 * Makes several exchanges and returns the shortest. The upper word is read once before them, and
 * again if the lower word is small: it may have wrapped in between.
 */
int sync_exchange(struct tacho_device *d, unsigned core, unsigned count, struct sync_exchange *best)
{
	uint32_t high = 0, low = 0, last = 0;
	struct sync_exchange e;
	uint64_t none;
	int r = timed_read(d, core, CLOCK_HIGH, &high, &none, &none);

	for (unsigned i = 0; r == 0 && i < count; i++) {
		r = timed_read(d, core, CLOCK_LOW, &low, &e.before, &e.after);
		if (r == 0 && i == 0 && low < 1u << 24)
			r = timed_read(d, core, CLOCK_HIGH, &high, &none, &none);
		high += low < last;
		last = low;
		e.cycles = (uint64_t)high << 32 | low;
		if (i == 0 || e.after - e.before < best->after - best->before)
			*best = e;
	}
	return r;
}

/* ---- points ---- */

/* The recording's time must not be ahead of the clock: a host waits for a device as well. */
static void wait_until(uint64_t ticks)
{
	uint64_t now = tacho_ticks();

	while (now < ticks) {
		double s = (double)(ticks - now) / backend_tick_rate() + 1e-6;
		struct timespec t = {(time_t)s, (long)((s - floor(s)) * 1e9)};

		nanosleep(&t, NULL);
		now = tacho_ticks();
	}
}

/* Sends points that the recording does not have yet; a new recording gets all stored ones. */
static void sync_device_report(struct tacho_device *d)
{
	struct device_sync *s = &d->prof->sync;
	uint32_t recording = (uint32_t)(tacho_key() >> 32);

	if (!recording)
		return;
	if (recording != s->reported)
		s->reported_points = 0;
	s->reported = recording;
	for (; s->reported_points < s->clock.n; s->reported_points++) {
		const struct device_point *p = &s->clock.v[s->reported_points];

		wait_until(p->ticks);
		tacho_device_clock(d->number, p->ticks, p->cycles, p->bound_ns, d->shape.mhz);
		d->reported = *p;
	}
}

static void add_point(struct tacho_device *d, struct device_point p)
{
	struct device_sync *s = &d->prof->sync;

	p.ticks += s->shift;
	if (device_clock_add(&s->clock, &p) != 0)
		d->prof->counts.damaged++;
	sync_device_report(d);
}

static double age_ms(const struct tacho_device *d)
{
	const struct device_sync *s = &d->prof->sync;

	return (double)(sync_host_ticks(d) - s->asked) * 1000 / s->line.rate;
}

bool sync_is_due(const struct tacho_device *d)
{
	return age_ms(d) >= DUE_MS;
}

/*
 * One exchange is enough if the clock is well known: each takes time, which shows as a gap between
 * two short programs.
 */
static void sync_device_ask(struct tacho_device *d)
{
	struct device_sync *s = &d->prof->sync;
	unsigned count = s->line.known && !sync_is_due(d) ? 1 : SYNC_EXCHANGES;
	struct sync_exchange e;
	struct device_point p;

	if (sync_exchange(d, s->core, count, &e) < 0) {
		struct sync *line = &d->prof->sync.line;

		/* A memory image has no running clock: use its figures, without a bound. */
		line->last = (struct device_point){sync_host_ticks(d), d->ops->cycles(d->self),
						   DEVICE_CLOCK_UNKNOWN};
		line->known = true;
		return;
	}
	s->asked = e.after;
	if (!sync_take(&s->line, &e, &p)) {
		/* The device was reset: earlier data can no longer be placed in time. */
		device_clock_free(&s->clock);
		s->reported_points = 0;
	}
}

void sync_now(struct tacho_device *d)
{
	sync_device_ask(d);
	add_point(d, d->prof->sync.line.last);
}

/*
 * A device whose time stood still continues now. The last reading of its clock marks the gap:
 * earlier data is below it, later data above it.
 */
static void go_on(struct tacho_device *d)
{
	struct device_sync *s = &d->prof->sync;
	uint64_t now = tacho_ticks(), there = sync_host_ticks(d), before = s->shift;

	if (now < there + before)
		now = there + before;
	s->shift = now - there;
	if (s->shift != before)
		add_point(d, s->line.last);
}

void sync_begin(struct tacho_device *d)
{
	if (d->ops->host_ticks)
		go_on(d);
	if (age_ms(d) * 1000 > FRESH_US)
		sync_now(d);
}

/* ---- cores ---- */

/* If the difference exceeds the error bound, it is real. */
static void measure_offset(struct tacho_device *d, unsigned core)
{
	struct device_sync *s = &d->prof->sync;
	struct sync_exchange e;
	double slack;
	int64_t offset;

	if (sync_exchange(d, core, SYNC_EXCHANGES, &e) < 0)
		return;
	offset = (int64_t)(e.cycles - sync_cycles(&s->line, e.before + (e.after - e.before) / 2));
	slack = (double)(e.after - e.before) / 2 / s->line.slope +
		(double)s->line.last.bound_ns * d->shape.mhz / 1000;
	s->offsets[core] = fabs((double)offset) > slack ? offset : 0;
}

int sync_open(struct tacho_device *d)
{
	struct device_sync *s = &d->prof->sync;
	int core = device_core_at(d, false, 0, 0);

	if (core < 0)
		return core;
	s->core = (unsigned)core;
	s->clock.mhz = d->shape.mhz;
	s->clock.rate = backend_tick_rate();
	sync_init(&s->line, d->shape.mhz, s->clock.rate);
	s->offsets = calloc(d->shape.cores, sizeof(*s->offsets));
	if (!s->offsets)
		return device_fail(TACHO_ENOMEM, "no memory");
	number_go_on(d);
	if (d->ops->host_ticks)
		s->shift = tacho_ticks() - sync_host_ticks(d);
	for (unsigned i = 0; i < d->shape.cores; i++) {
		sync_device_ask(d);
		if (i != s->core)
			measure_offset(d, i);
	}
	sync_now(d);
	return 0;
}

bool sync_is_open(const struct tacho_device *d)
{
	return d->prof && d->prof->sync.offsets;
}

void sync_close(struct tacho_device *d)
{
	device_clock_free(&d->prof->sync.clock);
	free(d->prof->sync.offsets);
	d->prof->sync.offsets = NULL;
}

uint64_t sync_ticks(const struct tacho_device *d, unsigned core, uint64_t cycles)
{
	return device_clock_ticks(&d->prof->sync.clock, sync_cycle(d, core, cycles));
}

uint64_t sync_cycle(const struct tacho_device *d, unsigned core, uint64_t cycles)
{
	return cycles - (uint64_t)d->prof->sync.offsets[core];
}

uint64_t sync_last(const struct tacho_device *d, unsigned core)
{
	const struct device_sync *s = &d->prof->sync;

	return s->line.last.cycles + (uint64_t)s->offsets[core];
}

void sync_trim(struct tacho_device *d)
{
	struct device_sync *s = &d->prof->sync;
	size_t before = s->clock.n;

	device_clock_trim(&s->clock, s->line.last.cycles);
	s->reported_points -=
		s->reported_points < before - s->clock.n ? s->reported_points : before - s->clock.n;
}
