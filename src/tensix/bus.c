/* SPDX-License-Identifier: Apache-2.0 */
/* The host's bus: accesses that take time while the device keeps running. */
#include "tensix/private.h"

#include <math.h>

void tensix_set_bus(struct tensix *t, const struct tensix_bus *bus)
{
	t->bus = *bus;
	t->bus_random = bus->seed * 2862933555777941757ull + 3037000493ull;
}

/* In (0, 1]. */
static double bus_jitter(struct tensix *t)
{
	uint64_t x = t->bus_random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	t->bus_random = x;
	return (double)((x >> 11) + 1) / 9007199254740992.0;
}

static uint64_t bus_cycles_of(const struct tensix *t, double ns)
{
	return (uint64_t)(ns * t->arch->mhz / 1000 + 0.5);
}

static uint64_t one_way(struct tensix *t)
{
	return bus_cycles_of(t, t->bus.latency_ns - t->bus.jitter_ns * log(bus_jitter(t)));
}

/* Preemption between the host's clock reading and its next action. */
static uint64_t bus_away(struct tensix *t)
{
	if (bus_jitter(t) > t->bus.preempted)
		return 0;
	return bus_cycles_of(t, t->bus.preempt_min +
					bus_jitter(t) * (t->bus.preempt_max - t->bus.preempt_min));
}

bool tensix_run_until(struct tensix *t, uint64_t cycle)
{
	while (t->now < cycle) {
		enum tensix_stop stop = tensix_run(t, cycle - t->now);

		if (stop == TENSIX_FAULT)
			return false;
		if (stop == TENSIX_IDLE)
			tensix_advance(t, cycle);
	}
	return true;
}

int tensix_bus_read(struct tensix *t, unsigned core, uint32_t address, uint32_t *word,
		    uint64_t *before, uint64_t *after)
{
	int r;

	*before = t->now;
	tensix_run_until(t, t->now + bus_away(t) + one_way(t));
	r = tensix_read(t, core, address, word, sizeof(*word));
	tensix_run_until(t, t->now + one_way(t) + bus_away(t));
	*after = t->now;
	return r;
}

int tensix_bus_write(struct tensix *t, unsigned core, uint32_t address, uint32_t word,
		     uint64_t *before, uint64_t *after)
{
	uint64_t late;

	*before = t->now;
	late = bus_away(t);
	/* The store itself is cheap for the host: the write buffer absorbs it. */
	*after = *before + late + bus_cycles_of(t, 20);
	tensix_run_until(t, *before + late + one_way(t));
	return tensix_write(t, core, address, &word, sizeof(word));
}
