/* SPDX-License-Identifier: Apache-2.0 */
/* Time: windows in which each core runs on its own. */
#include "tensix/private.h"

#include <string.h>

static void run_harts(struct tensix_core *c, uint64_t limit)
{
	for (uint32_t bits = c->awake; bits; bits &= bits - 1) {
		struct tensix_hart *h = &c->hart[__builtin_ctz(bits)];

		if (h->state == TENSIX_RUNNING && h->cycle < limit)
			rv32_run(h, limit);
	}
}

/* Runs up to END, or to the arrival of the next packet at this core. */
static void run_part(struct tensix_core *c, uint64_t end)
{
	struct tensix *t = c->dev;

	while (c->next_event < end) {
		struct event e;

		run_harts(c, c->next_event);
		e = events_pop(&c->events);
		c->next_event = c->events.n ? c->events.v[0].time : TENSIX_NEVER;
		noc_arrive(t, e.packet, e.time);
		t->stats.events++;
	}
	run_harts(c, end);
}

uint64_t sched_next(const struct tensix *t)
{
	uint64_t next = t->dram_events.n ? t->dram_events.v[0].time : TENSIX_NEVER;

	for (unsigned i = 0; i < t->ncores; i++) {
		const struct tensix_core *c = &t->cores[i];

		for (uint32_t bits = c->awake; bits; bits &= bits - 1) {
			const struct tensix_hart *h = &c->hart[__builtin_ctz(bits)];

			if (h->cycle < next)
				next = h->cycle;
		}
		if (c->next_event < next)
			next = c->next_event;
	}
	return next;
}

/* Returns whether anything happened. */
static bool run_window(struct tensix *t, uint64_t end)
{
	uint64_t before = t->stats.events + t->stats.instructions;

	while (t->dram_events.n && t->dram_events.v[0].time < end) {
		struct event e = events_pop(&t->dram_events);

		noc_arrive(t, e.packet, e.time);
		t->stats.events++;
	}
	for (unsigned i = 0; i < t->ncores; i++) {
		struct tensix_core *c = &t->cores[i];

		for (uint64_t at = t->now; at < end && (c->awake || c->next_event < end);) {
			at = at + TENSIX_WINDOW < end ? at + TENSIX_WINDOW : end;
			run_part(c, at);
		}
	}
	t->stats.windows++;
	return t->stats.events + t->stats.instructions != before;
}

enum tensix_stop sched_run(struct tensix *t, uint64_t cycles)
{
	uint64_t stop = t->now + cycles < t->now ? TENSIX_NEVER : t->now + cycles;
	bool busy = false;

	code_trim(t);
	while (t->now < stop) {
		/* Search for the next event only after a window without one. */
		uint64_t next = busy ? t->now : sched_next(t);
		uint64_t end, packets = t->stats.packets;

		if (next == TENSIX_NEVER) {
			t->window = TENSIX_WINDOW;
			return TENSIX_IDLE;
		}
		if (next > t->now)
			t->now = next < stop ? next : stop;
		if (t->now >= stop)
			break;
		end = t->now + t->window < stop ? t->now + t->window : stop;
		busy = run_window(t, end);
		t->now = end;
		if (t->under_way || packets != t->stats.packets)
			t->window = TENSIX_WINDOW;
		else if (t->window < TENSIX_QUIET)
			t->window *= 2;
		if (t->fault.kind)
			return TENSIX_FAULT;
	}
	return TENSIX_LIMIT;
}

enum tensix_stop tensix_run(struct tensix *t, uint64_t cycles)
{
	return t->mesh_next == t ? sched_run(t, cycles) : link_run(t, cycles);
}

uint64_t tensix_now(const struct tensix *t)
{
	return t->now;
}

void tensix_advance(struct tensix *t, uint64_t to_cycle)
{
	uint64_t next = sched_next(t);

	if (next < to_cycle)
		to_cycle = next;
	if (to_cycle > t->now)
		t->now = to_cycle;
}
