/* SPDX-License-Identifier: Apache-2.0 */
/* Converts ring records to rows and zones of the trace. */
#include "capture/private.h"
#include "clock/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One event of a thread and its context. */
struct context {
	struct capture *c;
	struct process *p;
	struct thread *t;
	const struct ring_event *e;
	struct held held; /* filled with process, thread and time */
};

static void hold_row(struct context *x, uint32_t track, uint32_t kind, uint64_t a, uint64_t b,
		     uint64_t c)
{
	struct held h = x->held;

	h.kind = HELD_ROW;
	h.track = track;
	h.row_kind = kind;
	h.a = a;
	h.b = b;
	h.c = c;
	held_add(x->c, &h, x->e->text, x->e->text ? x->e->len : 0);
}

/* The same on a track of the process that is created on first use. */
static void hold_on(struct context *x, uint32_t track_kind, uint64_t number, const char *name,
		    uint32_t kind, uint64_t a, uint64_t b)
{
	struct made *m = process_track(x->c, x->p, track_kind, number, name);

	if (m)
		hold_row(x, m->track, kind, a, b, 0);
}

/* A claim that was never written, or a corrupt stream. */
static void on_broken(struct context *x, uint64_t reason)
{
	struct ring_event none = {.time = x->e->time};
	uint32_t track = x->t->stack.track;

	x->e = &none;
	held_row_count(x->c, track, 1, 1);
	hold_row(x, track, TRACE_ROW_LOSS, reason, 0, 1);
}

static void on_loss(struct context *x)
{
	struct thread *t = x->t;
	const uint64_t *w = x->e->words;

	if (w[1] > LOSS_MAX || w[2] > LOSS_MAX || w[3] > LOSS_MAX) {
		on_broken(x, TRACE_LOSS_CORRUPT);
		return;
	}
	t->reported.zones += w[1];
	t->reported.ends += w[2];
	t->reported.others += w[3];
	t->stack.ledger.zones_emitted += w[1];
	t->stack.ledger.zones_lost += w[1];
	x->c->sum.lost += w[1];
	held_row_count(x->c, t->stack.track, w[3], w[3]);
	hold_row(x, t->stack.track, TRACE_ROW_LOSS, w[0] < TRACE_LOSSES ? w[0] : 0, w[1], w[3]);
}

/* The trace's number of a stack of the program; 0: unknown. */
static uint64_t event_stack(const struct context *x, uint64_t id)
{
	const uint32_t *at = map_get(&x->p->stack_numbers, id);

	return at ? *at : 0;
}

/* Text, name, colour, value or stack of the open zone. */
static void events_attach(struct context *x, uint32_t kind)
{
	const struct ring_event *e = x->e;
	uint64_t value = e->text ? 0 : e->words[1];
	struct held h = x->held;

	if (kind == TRACE_EXTRA_STACK && !(value = event_stack(x, value)))
		return;
	if (!x->t->fiber) {
		stack_attach(x->c, &x->t->stack, (uint32_t)e->words[0], kind, value, e->text,
			     e->len);
		return;
	}
	h.kind = HELD_ATTACH;
	h.track = x->t->fiber->stack.track;
	h.row_kind = kind;
	h.a = e->words[0];
	h.b = value;
	held_add(x->c, &h, e->text, e->text ? e->len : 0);
}

static void event_frame(struct context *x)
{
	static const uint32_t kinds[] = {HELD_ROW, HELD_FRAME_START, HELD_FRAME_STOP};
	const uint64_t *w = x->e->words;
	struct made *m = process_track(x->c, x->p, TRACE_FRAMES, w[0], process_name(x->p, w[0]));
	struct held h = x->held;

	if (!m || w[1] >= sizeof(kinds) / sizeof(kinds[0]))
		return;
	if (w[1] == RING_FRAME_START && !m->info.format) {
		m->info.format = 1;
		process_update_track(x->c, m, NULL);
	}
	h.track = m->track;
	h.kind = kinds[w[1]];
	h.row_kind = TRACE_ROW_FRAME;
	held_add(x->c, &h, NULL, 0);
}

static void event_plot(struct context *x, uint32_t row_kind)
{
	uint64_t name = x->e->words[0];

	hold_on(x, TRACE_PLOT, name, process_name(x->p, name), row_kind, x->e->words[1], 0);
}

static void event_plot_config(struct context *x)
{
	const uint64_t *w = x->e->words;
	struct made *m = process_track(x->c, x->p, TRACE_PLOT, w[0], process_name(x->p, w[0]));

	if (!m)
		return;
	m->info.format = (uint32_t)(w[1] & 0xff);
	m->info.flags = (uint32_t)(w[1] >> 8) & (TRACE_PLOT_STEP | TRACE_PLOT_FILL);
	m->info.color = (uint32_t)w[2] & 0xffffff;
	process_update_track(x->c, m, NULL);
}

/* Only memory of named pools can be discarded. */
static struct made *event_pool(struct context *x)
{
	uint64_t pool = x->e->words[0];
	struct made *m = process_track(x->c, x->p, TRACE_MEMORY, pool, process_name(x->p, pool));

	if (m && pool)
		process_own(x->c, x->p, m->track);
	return m;
}

static void event_memory(struct context *x, uint32_t row_kind, uint64_t bytes)
{
	const uint64_t *w = x->e->words;
	unsigned at = row_kind == TRACE_ROW_ALLOC ? 3 : 2;
	struct made *m = event_pool(x);

	if (m)
		hold_row(x, m->track, row_kind, w[1], bytes,
			 x->e->count > at ? event_stack(x, w[at]) : 0);
}

static void event_discard(struct context *x)
{
	struct made *m = event_pool(x);

	if (m)
		hold_row(x, m->track, TRACE_ROW_FREE, 0, HELD_WHOLE_POOL, 0);
}

static void event_lock(struct context *x, uint64_t op, uint64_t srcloc)
{
	uint64_t where = srcloc ? process_srcloc(x->c, x->p, (uint32_t)srcloc) : TRACE_NONE;

	hold_on(x, TRACE_LOCK, x->e->words[0], "", TRACE_ROW_LOCK, op, where);
}

static void on_lock_new(struct context *x)
{
	const uint64_t *w = x->e->words;
	struct made *m = process_track(x->c, x->p, TRACE_LOCK, w[0], "");

	if (!m)
		return;
	m->info.srcloc = process_srcloc(x->c, x->p, (uint32_t)w[1]);
	m->info.format = w[2] != 0;
	process_update_track(x->c, m, NULL);
}

static void event_lock_name(struct context *x)
{
	struct made *m = process_track(x->c, x->p, TRACE_LOCK, x->e->words[0], "");

	if (m)
		process_update_track(x->c, m, x->e->text);
}

static void event_message(struct context *x)
{
	const struct ring_event *e = x->e;
	struct ring_event named;

	if (e->type == RING_MESSAGE_NAME) {
		named = *e;
		named.text = process_name(x->p, e->words[1]);
		named.len = (uint32_t)strlen(named.text);
		x->e = &named;
	}
	hold_row(x, process_messages(x->c, x->p), TRACE_ROW_MESSAGE, e->words[0] >> 32,
		 e->words[0] & 0xffffff,
		 (e->type == RING_MESSAGE_STACK ? event_stack(x, e->words[1]) << 32 : 0) |
			 e->truncated);
	x->e = e;
}

static void on_thread_name(struct context *x)
{
	struct trace_track t = {.process = x->p->id,
				.kind = TRACE_THREAD,
				.id = x->t->tid,
				.srcloc = TRACE_NONE,
				.name = x->e->text};
	int r = trace_update_track(x->c->writer, x->t->stack.track, &t);

	if (r < 0)
		capture_error(x->c, r);
}

static void on_core(struct context *x)
{
	const uint64_t *w = x->e->words;
	struct made *m = process_track(x->c, x->p, TRACE_CORE, w[0] & ~FIBER_CORE, "");

	if (!m)
		return;
	m->info.color = (uint32_t)w[1] & 0xffffff;
	process_update_track(x->c, m, x->e->text);
}

/* A zone of a device's core: its times are in the record, and in order for each core. */
static void on_core_zone(struct context *x)
{
	const uint64_t *w = x->e->words;
	struct fiber *f = process_fiber(x->c, x->p, w[0] | FIBER_CORE);
	uint32_t id = (uint32_t)w[1];
	uint64_t time = w[2];

	if (!f)
		return;
	if (time < f->stack.last)
		time = f->stack.last;
	if (x->e->type == RING_CORE_END) {
		stack_end(x->c, &f->stack, time, id);
		return;
	}
	stack_begin(x->c, &f->stack, time, id, process_srcloc(x->c, x->p, id));
	if (w[3])
		stack_attach(x->c, &f->stack, id, TRACE_EXTRA_VALUE, w[3], NULL, 0);
}

static void marker_row(struct context *x, uint32_t track, uint32_t kind, uint64_t time, uint64_t a,
		       uint64_t b, uint64_t value)
{
	struct trace_row row = {
		.time = time, .kind = kind, .thread = TRACE_NONE, .a = a, .b = b, .c = value};
	int r = trace_add_row(x->c->writer, track, &row);

	if (r < 0)
		capture_error(x->c, r);
	held_row_count(x->c, track, 1, 0);
	x->c->sum.rows++;
}

/*
 * A marker of a device's core: a row, and a zone for timelines. They are in order for each core, so
 * the row need not be held.
 */
static void on_core_marker(struct context *x)
{
	const uint64_t *w = x->e->words;
	uint32_t id = TRACE_MARKER_SRCLOC(w[1]), kind = TRACE_MARKER_KIND(w[1]);
	uint32_t values = TRACE_MARKER_VALUES(w[1]);
	struct fiber *f = process_fiber(x->c, x->p, w[0] | FIBER_CORE);
	struct made *m = process_track(x->c, x->p, TRACE_CORE, w[0] & ~FIBER_CORE, "");
	uint32_t srcloc = process_srcloc(x->c, x->p, id);
	uint64_t time;

	if (!f || !m)
		return;
	if (kind >= TRACE_MARKS || values > 2) {
		on_broken(x, TRACE_LOSS_CORRUPT);
		return;
	}
	if (!(m->info.format >> kind & 1)) {
		m->info.format |= 1u << kind;
		process_update_track(x->c, m, NULL);
	}
	time = w[2] < f->stack.last ? f->stack.last : w[2];
	if (time - f->marker_time >= TRACE_MARKER_SPAN)
		f->marker_time = time;
	if (kind == TRACE_MARK_END) {
		stack_end(x->c, &f->stack, time, id);
	} else {
		stack_begin(x->c, &f->stack, time, id, srcloc);
		for (uint32_t i = 0; i < values && (w[4] || kind != TRACE_MARK_START); i++)
			stack_attach(x->c, &f->stack, id, TRACE_EXTRA_VALUE, w[4 + i], NULL, 0);
		if (kind != TRACE_MARK_START)
			stack_end(x->c, &f->stack, time, id);
	}
	marker_row(x, m->track, TRACE_ROW_MARKER, f->marker_time, w[3],
		   TRACE_MARKER(kind, values, srcloc), values ? w[4] : 0);
	if (values > 1)
		marker_row(x, m->track, TRACE_ROW_MARKER_WORD, f->marker_time, w[5], 0, 0);
}

/* It was never stored: count it as emitted and lost. */
static void on_core_loss(struct context *x, enum trace_loss reason)
{
	const uint64_t *w = x->e->words;
	struct fiber *f = process_fiber(x->c, x->p, w[0] | FIBER_CORE);

	if (!f)
		return;
	if (w[2] > LOSS_MAX || w[1] > x->e->time) {
		on_broken(x, TRACE_LOSS_CORRUPT);
		return;
	}
	held_row_count(x->c, f->stack.track, w[2], w[2]);
	x->held.time = w[1];
	hold_row(x, f->stack.track, TRACE_ROW_LOSS, reason, 0, w[2]);
}

static void on_core_value(struct context *x)
{
	const uint64_t *w = x->e->words;
	struct fiber *f = process_fiber(x->c, x->p, w[0] | FIBER_CORE);

	if (f)
		stack_attach(x->c, &f->stack, (uint32_t)w[1], TRACE_EXTRA_VALUE, w[2], NULL, 0);
}

#define DEVICES_MAX 1024u

static void events_on_device(struct context *x)
{
	char key[64];
	int r;

	if (x->e->words[0] >= DEVICES_MAX)
		return;
	snprintf(key, sizeof(key), "device %u of %u", (unsigned)x->e->words[0], x->p->info.pid);
	r = trace_set_property(x->c->writer, key, x->e->text);
	if (r < 0)
		capture_error(x->c, r);
}

static void on_device_clock(struct context *x)
{
	const uint64_t *w = x->e->words;
	char name[40];
	struct made *m;

	/* Clock points are in the past, and their ticks must not be moved. */
	if (w[1] > x->e->time || w[0] > UINT16_MAX) {
		on_broken(x, TRACE_LOSS_CORRUPT);
		return;
	}
	snprintf(name, sizeof(name), "Device %llu clock", (unsigned long long)w[0]);
	m = process_track(x->c, x->p, TRACE_OTHER, w[0], name);
	if (!m)
		return;
	x->held.time = w[1];
	hold_row(x, m->track, TRACE_ROW_DEVICE_CLOCK, w[2], w[3], w[4]);
}

/* Tracks of kind TRACE_OTHER for rows of one kind; the numbers below are those of devices. */
enum { IMAGES_NUMBER = 1 << 20, SECTIONS_NUMBER, PARAMETERS_NUMBER };

static void hold_other(struct context *x, uint64_t number, const char *name, uint32_t kind,
		       uint64_t a, uint64_t b, uint64_t c)
{
	struct made *m = process_track(x->c, x->p, TRACE_OTHER, number, name);

	if (m)
		hold_row(x, m->track, kind, a, b, c);
}

static void event_image(struct context *x)
{
	uint64_t w = x->e->words[0];
	struct trace_row row = {.b = TRACE_IMAGE(w & 0xffff, w >> 16 & 0xffff, w >> 32 & 1),
				.text_len = x->e->len};

	if (x->e->truncated || !TRACE_IMAGE_IS_WHOLE(&row)) {
		on_broken(x, TRACE_LOSS_CORRUPT);
		return;
	}
	hold_other(x, IMAGES_NUMBER, TRACE_IMAGES, TRACE_ROW_FRAME_IMAGE, w >> 40 & 0xff, row.b, 0);
}

static void event_section(struct context *x)
{
	uint64_t w = x->e->words[0];

	hold_other(x, SECTIONS_NUMBER, TRACE_SECTIONS, TRACE_ROW_SECTION, w & UINT32_MAX,
		   w >> 32 & 0xffff, w >> 48);
}

static void event_parameter(struct context *x)
{
	const struct ring_event *e = x->e;
	const uint64_t *w = e->words;
	bool set = e->type == RING_PARAMETER_SET;
	struct ring_event named = *e;

	if (!set) {
		named.text = process_name(x->p, w[2]);
		named.len = (uint32_t)strlen(named.text);
	}
	x->e = &named;
	hold_other(x, PARAMETERS_NUMBER, TRACE_PARAMETERS, TRACE_ROW_PARAMETER, w[0] & UINT32_MAX,
		   TRACE_PARAMETER(set ? 0 : w[0] >> 32 & 0xff, set), (uint64_t)(int32_t)w[1]);
	x->e = e;
}

static void event_op(struct context *x, uint32_t kind)
{
	const uint64_t *w = x->e->words;

	hold_row(x, process_messages(x->c, x->p), kind, w[0], w[1], w[2]);
}

static void record_event(struct context *x)
{
	const struct ring_event *e = x->e;
	const uint64_t *w = e->words;

	switch (e->type) {
	case RING_LOSS:
		on_loss(x);
		break;
	case RING_ZONE_TEXT:
		events_attach(x, TRACE_EXTRA_TEXT);
		break;
	case RING_ZONE_NAME:
		events_attach(x, TRACE_EXTRA_NAME);
		break;
	case RING_ZONE_COLOR:
		events_attach(x, TRACE_EXTRA_COLOR);
		break;
	case RING_ZONE_VALUE:
		events_attach(x, TRACE_EXTRA_VALUE);
		break;
	case RING_ZONE_STACK:
		events_attach(x, TRACE_EXTRA_STACK);
		break;
	case RING_MODULE:
		stacks_program_module(x->c, x->p, x->held.time, w[0], e->text);
		break;
	case RING_STACK:
		stacks_program_stack(x->c, x->p, x->held.time, w, e->count);
		break;
	case RING_MESSAGE:
	case RING_MESSAGE_NAME:
	case RING_MESSAGE_STACK:
		event_message(x);
		break;
	case RING_FRAME:
		event_frame(x);
		break;
	case RING_PLOT_INT:
		event_plot(x, TRACE_ROW_PLOT_INT);
		break;
	case RING_PLOT_REAL:
		event_plot(x, TRACE_ROW_PLOT_REAL);
		break;
	case RING_PLOT_CONFIG:
		event_plot_config(x);
		break;
	case RING_ALLOC:
		event_memory(x, TRACE_ROW_ALLOC, w[2]);
		break;
	case RING_FREE:
		event_memory(x, TRACE_ROW_FREE, 0);
		break;
	case RING_DISCARD:
		event_discard(x);
		break;
	case RING_LOCK_NEW:
		on_lock_new(x);
		break;
	case RING_LOCK:
		event_lock(x, w[1], w[2]);
		break;
	case RING_LOCK_NAME:
		event_lock_name(x);
		break;
	case RING_LOCK_GONE:
		event_lock(x, TRACE_LOCK_END, 0);
		break;
	case RING_THREAD_NAME:
		on_thread_name(x);
		break;
	case RING_FIBER_ENTER:
		x->t->fiber = process_fiber(x->c, x->p, w[0]);
		break;
	case RING_FIBER_LEAVE:
		x->t->fiber = NULL;
		break;
	case RING_APP_INFO:
		hold_row(x, process_messages(x->c, x->p), TRACE_ROW_APP_INFO, 0, 0, 0);
		break;
	case RING_CORE:
		on_core(x);
		break;
	case RING_CORE_BEGIN:
	case RING_CORE_END:
		on_core_zone(x);
		break;
	case RING_CORE_MARKER:
		on_core_marker(x);
		break;
	case RING_CORE_VALUE:
		on_core_value(x);
		break;
	case RING_DEVICE:
		events_on_device(x);
		break;
	case RING_CORE_LOSS:
		on_core_loss(x, TRACE_LOSS_DEVICE);
		break;
	case RING_CORE_DAMAGE:
		on_core_loss(x, TRACE_LOSS_DEVICE_DAMAGE);
		break;
	case RING_DEVICE_CLOCK:
		on_device_clock(x);
		break;
	case RING_FRAME_IMAGE:
		event_image(x);
		break;
	case RING_SECTION:
		event_section(x);
		break;
	case RING_PARAMETER:
	case RING_PARAMETER_SET:
		event_parameter(x);
		break;
	case RING_OP:
		event_op(x, TRACE_ROW_OP);
		break;
	case RING_OP_TRACE:
		event_op(x, TRACE_ROW_OP_TRACE);
		break;
	case RING_T_TORN:
		on_broken(x, TRACE_LOSS_TORN);
		break;
	case RING_T_BAD:
		on_broken(x, TRACE_LOSS_CORRUPT);
		break;
	default:
		break;
	}
}

/*
 * A time that runs backwards or ahead of the clock: a handler ran between the clock reading and the
 * claim, the clocks of two cores disagree, or the program writes arbitrary words. The event is
 * moved to the nearest valid time; a row reports how many were moved and how far.
 */
static uint64_t events_late_time(struct capture *c, struct thread *t, uint64_t time)
{
	uint64_t step = time < t->stack.last ? t->stack.last - time : time - c->now;

	t->late++;
	if (step > t->late_step)
		t->late_step = step;
	return time < t->stack.last || c->now < t->stack.last ? t->stack.last : c->now;
}

void thread_report_late(struct capture *c, struct thread *t)
{
	struct held h = {.time = t->stack.last,
			 .process = t->process,
			 .track = t->stack.track,
			 .thread = t->stack.track,
			 .kind = HELD_ROW,
			 .row_kind = TRACE_ROW_LATE,
			 .a = t->late,
			 .b = t->late_step};

	if (t->late)
		held_add(c, &h, NULL, 0);
	t->late = t->late_step = 0;
}

/* Out of line: a time ahead of the clock may only be newer than our reading. */
static __attribute__((noinline)) uint64_t odd_time(struct capture *c, struct thread *t,
						   uint64_t time)
{
	uint64_t now = clock_ticks() + AHEAD_TICKS;

	c->now = now > c->now ? now : c->now;
	return time - t->stack.last > c->now - t->stack.last ? events_late_time(c, t, time) : time;
}

/*
 * Zones without others inside, one after the other on LANE, whose last zone has ended at *TIME: the
 * inner loops of most programs. Returns how many words were consumed; stops at anything unusual.
 */
static size_t leaf_zones(struct capture *c, struct thread *t, struct trace_lane *lane,
			 const uint64_t *words, size_t count, uint64_t *time)
{
	const struct process *p = c->processes.v[t->process];
	struct stack *s = &t->stack;
	uint64_t last = *time, now = c->now, inside = 0;
	struct trace_lane_room room = trace_lane_room(c->writer, lane, last);
	uint32_t id = 0, srcloc = TRACE_NONE, n;

	for (n = 0; n < room.count && 2 * (size_t)n + 1 < count; n++) {
		uint64_t begin = ring_zone_word(words + 2 * (size_t)n);
		uint64_t end = ring_zone_word(words + 2 * (size_t)n + 1);
		uint64_t gap = ring_ticks_between(last << RING_TICK_SHIFT, begin);
		uint64_t duration = ring_ticks_between(begin, end);

		if (((begin ^ end) & RING_WHAT) != (RING_BEGIN ^ RING_END) ||
		    RING_KIND(begin) != RING_BEGIN || (gap | duration) > TRACE_LANE_MOST ||
		    last + gap + duration > now)
			break;
		if (RING_ID(begin) != id || !n) {
			id = RING_ID(begin);
			srcloc = id < p->srclocs.n ? p->srclocs.v[id] : TRACE_NONE;
			if (srcloc == TRACE_NONE || stack_has(s, srcloc))
				break;
		}
		room.gap[n] = (uint32_t)gap;
		room.duration[n] = (uint32_t)duration;
		room.srcloc[n] = srcloc;
		last += gap + duration;
		inside += duration;
	}
	if (!n)
		return 0;
	trace_lane_added(c->writer, lane, n, last);
	s->ledger.zones_emitted += n;
	if (s->zones.n)
		s->zones.v[s->zones.n - 1].children += inside;
	*time = s->last = last;
	return 2 * (size_t)n;
}

size_t thread_zones(struct capture *c, struct thread *t, const uint64_t *words, size_t count,
		    uint64_t *time, bool all)
{
	const struct process *p = c->processes.v[t->process];
	struct stack *s = &t->stack;
	uint64_t last = *time;
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t word = ring_zone_word(words + i), at, full, next, end;
		uint32_t id = RING_ID(word), srcloc;
		struct trace_lane *lane;
		int r;

		if (!ring_is_zone(word))
			break;
		at = full = ring_full_time(last, word);
		if (RING_KIND(word) == RING_END) {
			if (at - s->last > c->now - s->last)
				at = odd_time(c, t, at);
			last = full;
			stack_end(c, s, at, id);
			continue;
		}
		srcloc = id < p->srclocs.n ? p->srclocs.v[id] : TRACE_NONE;
		if (srcloc == TRACE_NONE && !all)
			break; /* its name was announced before it but has not been read yet */
		if (at - s->last > c->now - s->last)
			at = odd_time(c, t, at);
		last = full;
		if (srcloc == TRACE_NONE)
			srcloc = process_srcloc(c, c->processes.v[t->process], id);
		/* Nine of ten zones are leaves: the next word is their end. */
		next = i + 1 < count ? ring_zone_word(words + i + 1) : 0;
		end = ring_full_time(last, next);
		lane = s->zones.n < s->lanes.n && s->zones.n < LIMIT_ZONE_DEPTH
			       ? s->lanes.v[s->zones.n]
			       : NULL;
		if (((word ^ next) & RING_WHAT) != (RING_BEGIN ^ RING_END) || !lane ||
		    end - at > c->now - at || s->too_deep) {
			stack_begin(c, s, at, id, srcloc);
			continue;
		}
		s->ledger.zones_emitted++;
		s->last = last = end;
		i++;
		if (s->zones.n)
			s->zones.v[s->zones.n - 1].children += end - at;
		if (stack_has(s, srcloc))
			r = trace_lane_add_full(c->writer, lane, at, end, srcloc, 0,
						TRACE_ZONE_RECURSIVE, NULL, 0);
		else
			r = trace_lane_add(c->writer, lane, at, end, srcloc, 0);
		if (r < 0)
			capture_error(c, TACHO_EWRITE);
		i += leaf_zones(c, t, lane, words + i + 1, count - i - 1, &last);
	}
	*time = last;
	return i;
}

void thread_event(struct capture *c, struct thread *t, const struct ring_event *e)
{
	struct process *p = c->processes.v[t->process];
	uint64_t time = e->time;
	struct context x;

	/* One comparison checks both bounds: before .last the difference is huge. */
	if (ring_is_timeless(e->type))
		time = t->stack.last;
	else if (time - t->stack.last > c->now - t->stack.last)
		time = events_late_time(c, t, time);
	if (e->type == RING_T_BEGIN && !t->fiber) {
		stack_begin(c, &t->stack, time, e->id, process_srcloc(c, p, e->id));
		return;
	}
	if (e->type == RING_T_END && !t->fiber) {
		stack_end(c, &t->stack, time, e->id);
		return;
	}
	x = (struct context){.c = c, .p = p, .t = t, .e = e};
	x.held = (struct held){.time = time, .process = t->process, .thread = t->stack.track};
	t->stack.last = time;
	if (e->type == RING_T_BEGIN || e->type == RING_T_END) {
		struct held h = x.held;

		h.kind = e->type == RING_T_BEGIN ? HELD_BEGIN : HELD_END;
		h.track = t->fiber->stack.track;
		h.a = e->id;
		held_add(c, &h, NULL, 0);
	} else
		record_event(&x);
}

void thread_finish(struct capture *c, struct thread *t, const struct ring_stream *s)
{
	struct ring_losses total;
	struct ring_event loss = {.type = RING_LOSS, .time = t->stack.last};
	uint64_t words[5] = {TRACE_LOSS_LIMIT};

	zones_stack_finish(c, &t->stack);
	/* Losses after the last event: no record could report them. */
	ring_stream_losses(s, &total);
	words[1] = total.zones > t->reported.zones ? total.zones - t->reported.zones : 0;
	words[2] = total.ends > t->reported.ends ? total.ends - t->reported.ends : 0;
	words[3] = total.others > t->reported.others ? total.others - t->reported.others : 0;
	loss.words = words;
	if (words[1] | words[2] | words[3])
		thread_event(c, t, &loss);
	thread_report_late(c, t);
}

void thread_free(struct thread *t)
{
	if (t)
		zones_stack_free(&t->stack);
	free(t);
}
