/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device whose true clock is known: exchanges with it all through a time, and what the points
 * that came of them say about any moment of it. For the test and the benchmark of clock
 * synchronisation.
 */
#ifndef SYNC_MODEL_H
#define SYNC_MODEL_H

#include "device/device.h"
#include "device/sync.h"
#include "tensix/tensix.h"

#include <stdlib.h>
#include <string.h>

enum sync_scene { SCENE_CONSTANT, SCENE_STEP, SCENE_DIP, SCENE_WANDER, SCENES };

static const char *const scene_names[] = {"constant", "+20 ppm in the middle",
					  "10 % slower, then back", "random steps to 50 ppm"};

struct sync_error {
	double error, bound; /* ns */
};

struct sync_model {
	struct tacho_device d; /* no firmware: its clock and its bus are all that is used */
	struct sync line;
	struct device_clock clock;
	uint64_t random;
};

static double model_chance(struct sync_model *m)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (double)(m->random >> 11) / 9007199254740992.0;
}

/* SECONDS of a scene from now on, in the true time of the device. */
static void model_scene(struct sync_model *m, struct tensix *t, enum sync_scene scene,
			double seconds)
{
	uint64_t s = (uint64_t)tensix_arch(t)->mhz * 1000000, now = tensix_now(t);
	uint64_t middle = now + (uint64_t)((double)s * seconds / 2);

	for (unsigned core = 0; core < tensix_cores(t); core++) {
		tensix_clock_offset(t, core, 123456789012ll);
		if (scene == SCENE_STEP)
			tensix_clock_rate(t, core, middle, 1.00002);
		if (scene == SCENE_DIP) {
			tensix_clock_rate(t, core, middle - (uint64_t)((double)s * seconds / 12),
					  0.9);
			tensix_clock_rate(t, core, middle + (uint64_t)((double)s * seconds / 12),
					  1.0);
		}
	}
	for (double at = 0.5; scene == SCENE_WANDER && at < seconds; at += 0.5 + model_chance(m)) {
		double rate = 1 + (model_chance(m) - 0.5) * 1e-4;

		for (unsigned core = 0; core < tensix_cores(t); core++)
			tensix_clock_rate(t, core, now + (uint64_t)((double)s * at), rate);
	}
}

/* A device without firmware. */
static void model_open(struct sync_model *m, struct tensix **t, uint64_t seed)
{
	struct tacho_device_options conf = {.arch = "tiny", .seed = seed};

	memset(m, 0, sizeof(*m));
	m->random = seed * 2654435761u + 88172645463325252ull;
	if (backend_tensix(&m->d.ops, &m->d.self, &conf, 0) < 0)
		abort();
	m->d.ops->shape(m->d.self, &m->d.shape);
	*t = m->d.self;
}

static void model_bus(struct tensix *t, uint64_t seed)
{
	tensix_set_bus(t, &(struct tensix_bus){.latency_ns = 450,
					       .jitter_ns = 120,
					       .preempted = 0.004,
					       .preempt_min = 5000,
					       .preempt_max = 60000,
					       .seed = seed});
}

/* Exchanges until SECONDS have passed, EVERY_MS apart. */
static void model_run(struct sync_model *m, struct tacho_device *d, double seconds, double every_ms)
{
	double rate = backend_tick_rate();
	uint64_t start = d->ops->cycles(d->self), now = start;
	uint64_t end = start + (uint64_t)(seconds * d->shape.mhz * 1e6);

	sync_init(&m->line, d->shape.mhz, rate);
	m->clock.mhz = d->shape.mhz;
	m->clock.rate = rate;
	while (now < end) {
		struct sync_exchange e;
		struct device_point p;

		if (sync_exchange(d, 0, SYNC_EXCHANGES, &e) < 0 || !sync_take(&m->line, &e, &p) ||
		    device_clock_add(&m->clock, &p) != 0)
			abort();
		d->ops->pause(d->self, (uint64_t)(every_ms * 1e6));
		now = d->ops->cycles(d->self);
	}
}

/* At a true cycle: how wrong the points are, and what they promise. */
static struct sync_error model_error(const struct sync_model *m, const struct tensix *t,
				     uint64_t cycle)
{
	uint64_t shown = tensix_clock_read(t, 0, cycle);
	double truth = (double)cycle * m->clock.rate / 1e6 / tensix_arch(t)->mhz;
	double shown_ns = (double)device_clock_ticks(&m->clock, shown);
	double error = (shown_ns - truth) * 1e9 / m->clock.rate;

	return (struct sync_error){error < 0 ? -error : error,
				   (double)device_clock_bound(&m->clock, shown)};
}

static void model_close(struct sync_model *m)
{
	device_clock_free(&m->clock);
	if (m->d.ops)
		m->d.ops->close(m->d.self);
}

#endif
