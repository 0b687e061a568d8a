/* SPDX-License-Identifier: Apache-2.0 */
/* Parse the welcome message: the client's identity and how its clock maps to the trace's. */
#include "tracy/hub.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct welcome {
	double tick_ns;
	int64_t begin, end;
	uint64_t delay, resolution, epoch, pid;
	int64_t sampling; /* nanoseconds between samples */
	uint8_t flags;
	char program[65];
	char host[1025];
};

/* Versions up to 66 have the queue delay, later ones do not. */
static void welcome_parse(struct welcome *w, const uint8_t *at, bool delay)
{
	memset(w, 0, sizeof(*w));
	memcpy(&w->tick_ns, at, 8);
	memcpy(&w->begin, at + 8, 8);
	memcpy(&w->end, at + 16, 8);
	at += 24;
	if (delay) {
		memcpy(&w->delay, at, 8);
		at += 8;
	}
	memcpy(&w->resolution, at, 8);
	memcpy(&w->epoch, at + 8, 8);
	memcpy(&w->pid, at + 24, 8);
	memcpy(&w->sampling, at + 32, 8);
	w->flags = at[40];
	memcpy(w->program, at + 58, 64);
	memcpy(w->host, at + 122, 1024);
}

/* The trace uses the clock of its first client. */
static void adopt_clock(struct tracy_hub *hub, const struct hub_clock *clock)
{
	uint64_t steps[2] = {0, 1000000000000};
	char text[24];

	hub->clock = *clock;
	for (int i = 0; i < 2; i++) {
		double ns = (double)steps[i] * clock->tick_ns;
		struct trace_clock_point p = {.ticks = (uint64_t)clock->begin + steps[i],
					      .monotonic_ns = llround(ns),
					      .realtime_ns = (int64_t)(clock->epoch * 1000000000) +
							     llround(ns)};

		trace_add_clock_point(hub->w, &p);
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)clock->begin);
	trace_set_property(hub->w, TRACE_ORIGIN, text);
}

static int welcome_process_add(struct tracy_hub *hub, struct peer *p, const struct welcome *w)
{
	int64_t id;

	p->process_info = (struct trace_process){.pid = (uint32_t)w->pid,
						 .exit_status = TRACE_EXIT_UNKNOWN,
						 .name = p->info.program,
						 .command = ""};
	id = trace_add_process(hub->w, &p->process_info);
	if (id < 0) {
		hub->error = (int)id;
		return hub->error;
	}
	p->process = (uint32_t)id;
	p->decoder = decoder_new(hub->w, p->process, wire_versions[p->version], &hub->notes);
	if (!p->decoder) {
		hub->error = TACHO_ENOMEM;
		return hub->error;
	}
	if (!hub->options.no_samples)
		p->decoder->samples.stacks = &hub->stacks;
	p->decoder->samples.period = w->sampling > 0 ? (uint64_t)w->sampling : 0;
	return hub->error;
}

bool welcome_take(struct tracy_hub *hub, struct peer *p, const uint8_t *bytes)
{
	bool delay = wire_versions[p->version] < 76;
	struct hub_clock clock;
	struct welcome w;
	struct decode_clock *c;
	double seconds, off, ticks;
	struct wire_read mark = {.kind = WIRE_FRAME_MARK};

	welcome_parse(&w, bytes, delay);
	if (!(w.tick_ns > 1e-6 && w.tick_ns < 1e6 && w.begin >= 0 && w.begin < 1ll << 61 &&
	      w.epoch < 1ull << 33))
		return false;
	clock = (struct hub_clock){true, w.begin, w.tick_ns, w.epoch};
	memcpy(p->info.program, w.program, sizeof(p->info.program));
	p->info.pid = (uint32_t)w.pid;
	p->info.protocol = wire_versions[p->version];
	p->info.delay_ns = delay ? (double)w.delay * w.tick_ns : 0;
	p->info.resolution_ns = (double)w.resolution * w.tick_ns;
	if (!hub->clock.known) {
		adopt_clock(hub, &clock);
		trace_set_property(hub->w, "host info", w.host);
	}
	if (welcome_process_add(hub, p, &w) < 0)
		return false;
	c = &p->decoder->clock;
	seconds = (double)clock.epoch - (double)hub->clock.epoch;
	off = seconds * 1e9 / hub->clock.tick_ns;
	/* The same counter, if the rate matches and it started when the calendar says. */
	ticks = (double)(int64_t)((uint64_t)clock.begin - (uint64_t)hub->clock.begin);
	c->same = fabs(hub->clock.tick_ns / clock.tick_ns - 1) < 0.01 &&
		  fabs(ticks * clock.tick_ns / 1e9 - seconds) < 3;
	c->from = clock.begin;
	c->ratio = clock.tick_ns / hub->clock.tick_ns;
	c->to = (uint64_t)hub->clock.begin + (uint64_t)(int64_t)(fabs(off) < 9e15 ? off : 0);
	p->decoder->tick_ns = w.tick_ns;
	p->process_info.start = p->decoder->samples.start = decode_tick(p->decoder, w.begin);
	trace_update_process(hub->w, p->process, &p->process_info);
	/* A viewer expects a frame at the start and one at the end of initialisation. */
	mark.v[0] = (uint64_t)w.begin;
	decode_row(p->decoder, &mark);
	mark.v[0] = (uint64_t)w.end;
	if (w.end >= w.begin)
		decode_row(p->decoder, &mark);
	p->welcomed = true;
	return true;
}
