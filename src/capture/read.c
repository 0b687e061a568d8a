/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one process: its names, its threads, its end. */
#include "capture/private.h"
#include "clock/clock.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS        64    /* read from a ring at once, unless all are zones */
#define ZONES         8192  /* words examined at once */
#define STREAM_EVENTS 65536 /* from one ring per round, so that the others do not wait longer */

struct thread *capture_thread(struct capture *c, struct process *p, struct ring_stream *s)
{
	struct thread *t = ring_stream_user(s);
	struct ring_stream_info info;
	struct trace_track track;
	int64_t id;

	if (t)
		return t;
	ring_stream_info(s, &info);
	t = calloc(1, sizeof(*t));
	track = (struct trace_track){.process = p->id,
				     .kind = TRACE_THREAD,
				     .id = info.tid,
				     .srcloc = TRACE_NONE,
				     .name = info.name};
	id = sampling_join_track(c, p->id, info.tid);
	if (id == TRACE_NONE)
		id = t ? trace_add_track(c->writer, &track) : TACHO_ENOMEM;
	else
		trace_update_track(c->writer, (uint32_t)id, &track);
	if (!t)
		id = TACHO_ENOMEM;
	if (id < 0) {
		capture_error(c, id);
		free(t);
		return NULL;
	}
	t->stack.track = (uint32_t)id;
	sampling_note_track(c, p->id, info.tid, t->stack.track);
	t->stack.last = info.ticks < c->now ? info.ticks : c->now;
	t->number = info.number;
	t->tid = info.tid;
	t->process = p->index;
	ring_stream_set_user(s, t);
	c->sum.threads++;
	return t;
}

/* The process's own stream, which defines its numbers. */
static void name_events_read(struct capture *c, struct process *p, struct ring_stream *s)
{
	struct ring_event events[64];
	size_t n;
	int r;

	while ((n = ring_read(s, events, 64)) > 0) {
		for (size_t i = 0; i < n; i++) {
			r = 0;
			if (events[i].type == RING_SRCLOC)
				r = process_add_srcloc(c, p, &events[i]);
			else if (events[i].type == RING_NAME)
				r = process_add_name(p, &events[i]);
			if (r < 0)
				capture_error(c, r);
		}
	}
}

/* Fast path: consecutive zone words, which is nearly all of a stream. */
static size_t zone_events_read(struct capture *c, struct process *p, struct thread *t,
			       struct ring_stream *names, struct ring_stream *s)
{
	size_t total = 0, count, taken;
	bool known = false; /* names announced after this point have been read */

	c->now = clock_ticks() + AHEAD_TICKS;
	while (!t->fiber && total < STREAM_EVENTS) {
		uint64_t time;
		const uint64_t *words = ring_zones(s, known ? 1 : ZONES, &count, &time);

		taken = thread_zones(c, t, words, count, &time, known);
		ring_zones_taken(s, taken, time);
		total += taken;
		if (taken == count && count) {
			known = false;
			continue;
		}
		if (known || !count)
			break;
		/* Not a zone, or a zone whose name must be read first. */
		name_events_read(c, p, names);
		known = true;
	}
	return total;
}

static size_t thread_events_read(struct capture *c, struct process *p, struct ring_stream *names,
				 struct ring_stream *s)
{
	struct thread *t = capture_thread(c, p, s);
	struct ring_event events[EVENTS];
	size_t n = 1, total = 0;

	if (!t || t->finished)
		return 0;
	while (!c->error && total < STREAM_EVENTS && t->stack.last <= c->until &&
	       (!hold_is_full(c) || t->stack.last <= c->flushed)) {
		total += zone_events_read(c, p, t, names, s);
		n = ring_read(s, events, EVENTS);
		if (!n)
			break;
		c->now = clock_ticks() + AHEAD_TICKS;
		/* Everything that these events refer to was announced before them. */
		name_events_read(c, p, names);
		for (size_t i = 0; i < n; i++)
			thread_event(c, t, &events[i]);
		total += n;
	}
	if (n && t->stack.last < c->horizon)
		c->horizon = t->stack.last; /* there is more */
	if (ring_stream_finished(s)) {
		thread_finish(c, t, s);
		t->finished = true;
	}
	return total ? total : n;
}

static size_t read_threads(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	size_t count, total = 0;
	int r = ring_streams(p->ring, &streams, &count);

	if (r < 0)
		capture_error(c, r);
	for (size_t i = 1; i < count && !c->error; i++)
		total += thread_events_read(c, p, streams[0], streams[i]);
	return total;
}

/* Stops reading it: open zones become unfinished. */
void process_finish_threads(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	size_t count;

	ring_streams(p->ring, &streams, &count);
	for (size_t i = 1; i < count; i++) {
		struct thread *t = ring_stream_user(streams[i]);

		if (t && !t->finished) {
			thread_finish(c, t, streams[i]);
			t->finished = true;
		}
	}
}

/* Losses of threads that got no stream: they have no track of their own. */
static void add_lost_threads(struct capture *c, struct process *p)
{
	struct ring_losses lost;
	struct trace_ledger ledger = {0};
	struct trace_row row = {.time = p->info.end ? p->info.end : clock_ticks(),
				.kind = TRACE_ROW_LOSS,
				.thread = TRACE_NONE,
				.a = TRACE_LOSS_NO_MEMORY};
	uint32_t track;

	ring_losses(p->ring, &lost);
	if ((!lost.zones && !lost.others) || lost.zones > LOSS_MAX || lost.others > LOSS_MAX)
		return;
	track = process_messages(c, p);
	ledger.zones_emitted = ledger.zones_lost = row.b = lost.zones;
	ledger.rows_emitted = ledger.rows_lost = row.c = lost.others;
	c->sum.lost += lost.zones + lost.others;
	if (track == TRACE_NONE || trace_add_row(c->writer, track, &row) < 0 ||
	    trace_add_ledger(c->writer, track, &ledger) < 0)
		capture_error(c, TACHO_EWRITE);
}

/* The process has ended and all its events are read. */
void process_end(struct capture *c, struct process *p)
{
	uint64_t threads_lost;
	uint32_t number, value;

	/* The process takes no more values: free their slots. */
	while (ring_parameter_take(c->session.control, p->info.pid, &number, &value))
		;
	for (size_t i = 0; i < p->fibers.n; i++)
		zones_stack_finish(c, &p->fibers.v[i]->stack);
	if (trace_update_process(c->writer, p->id, &p->info) < 0)
		capture_error(c, TACHO_EWRITE);
	threads_lost = ring_threads_lost(p->ring);
	if (threads_lost <= LOSS_MAX) /* else it was overwritten */
		c->sum.failed += threads_lost;
	add_lost_threads(c, p);
	p->finished = true;
	c->finished++;
}

/*
 * From here on the process should write nothing more. If it does, or another process writes to its
 * ring, reading ends after its memory has been read once.
 */
void process_set_last(struct process *p)
{
	if (!p->last)
		p->last_left = ring_bytes(p->ring) / sizeof(uint64_t) + STREAM_EVENTS;
	p->last = true;
}

size_t process_read_last(struct capture *c, struct process *p)
{
	size_t total = p->last_left ? read_threads(c, p) : 0;

	p->last_left -= total < p->last_left ? total : p->last_left;
	return total;
}

size_t process_read(struct capture *c, struct process *p)
{
	/* Checked before reading: then everything written before its death is visible. */
	bool alive = ring_is_alive(p->ring);
	size_t total = p->last ? process_read_last(c, p) : read_threads(c, p);

	p->read += total;
	if (alive || total || c->error)
		return total;
	if (!p->dead) {
		/* Read once more: claims that are still unwritten stay so. */
		process_set_last(p);
		ring_set_dead(p->ring);
		p->dead = true;
		return 1;
	}
	process_finish_threads(c, p);
	p->ended = true;
	p->info.end = clock_ticks();
	return 1;
}
