/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's state in a checkpoint: everything needed to continue reading the rings where the
 * file ends. Numbers are variable-length; strings are preceded by their length. The bytes come from
 * a file, so every read is checked.
 */
#include "base/limits.h"
#include "capture/private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATE_VERSION 4

/* --------------------------------------------------------------- bytes */

void state_put(struct buf *b, uint64_t n)
{
	while (n >= 0x80) {
		buf_addc(b, (char)(n | 0x80));
		n >>= 7;
	}
	buf_addc(b, (char)n);
}

void state_string_put(struct buf *b, const char *s, size_t len)
{
	state_put(b, len);
	buf_add(b, s, len);
}

uint64_t state_get(struct state_in *in)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		uint8_t byte = *in->at++;

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return n;
	}
	in->bad = true;
	return 0;
}

size_t state_count(struct state_in *in)
{
	uint64_t n = state_get(in);

	if (n > (uint64_t)(in->end - in->at))
		in->bad = true;
	return in->bad ? 0 : (size_t)n;
}

static const char *get_bytes(struct state_in *in, size_t *len)
{
	const char *at;

	*len = state_count(in);
	at = (const char *)in->at;
	in->at += *len;
	return at;
}

char *state_string_get(struct state_in *in)
{
	size_t len;
	const char *at = get_bytes(in, &len);
	char *s = in->bad ? NULL : strndup(at, len);

	in->bad |= !s;
	return s;
}

/* --------------------------------------------------------------- stacks */

static void put_stack(struct buf *b, const struct stack *s)
{
	state_put(b, s->track);
	state_put(b, s->too_deep);
	state_put(b, s->last);
	state_put(b, s->zones.n);
	for (size_t i = 0; i < s->zones.n; i++) {
		const struct stack_zone *z = &s->zones.v[i];
		size_t count = z->attached ? z->attached->n : 0;

		state_put(b, z->start);
		state_put(b, z->children);
		state_put(b, z->id);
		state_put(b, z->srcloc);
		state_put(b, count);
		for (size_t k = 0; k < count; k++) {
			const struct trace_extra *e = &z->attached->v[k];

			state_put(b, e->kind);
			state_put(b, e->value);
			state_put(b, e->text != NULL);
			state_string_put(b, e->text ? e->text : "", e->len);
		}
	}
}

static void get_attached(struct capture *c, struct state_in *in, struct stack *s)
{
	size_t count = state_count(in);

	for (size_t k = 0; k < count && !in->bad; k++) {
		uint32_t kind = (uint32_t)state_get(in);
		uint64_t value = state_get(in), has_text = state_get(in);
		size_t len;
		const char *text = get_bytes(in, &len);

		if (!in->bad)
			stack_attach(c, s, 0, kind, value, has_text ? text : NULL,
				     has_text ? len : 0);
	}
}

static void get_stack(struct capture *c, struct state_in *in, struct stack *s)
{
	size_t count;

	s->track = (uint32_t)state_get(in);
	s->too_deep = (uint32_t)state_get(in);
	s->last = state_get(in);
	in->bad |= s->track >= trace_writer_tracks(c->writer);
	count = state_count(in);
	for (size_t i = 0; i < count && !in->bad; i++) {
		struct stack_zone z = {.start = state_get(in), .children = state_get(in)};

		z.id = (uint32_t)state_get(in);
		z.srcloc = (uint32_t)state_get(in);
		in->bad |= z.srcloc >= trace_writer_srclocs(c->writer);
		if (in->bad || i >= LIMIT_ZONE_DEPTH || vec_push(&s->zones, z) < 0) {
			in->bad = true;
			return;
		}
		trace_nesting_begin(&s->nesting, z.srcloc);
		get_attached(c, in, s);
	}
}

/* -------------------------------------------------------------- threads */

static void state_thread_put(struct buf *b, const struct process *p, const struct ring_stream *s)
{
	const struct thread *t = ring_stream_user(s);
	struct ring_position at;
	uint32_t fiber = 0;
	bool at_fiber;

	ring_stream_position(s, &at);
	state_put(b, t->number);
	state_put(b, t->finished);
	if (t->finished)
		return;
	state_put(b, at.extent);
	state_put(b, at.offset);
	state_put(b, at.sequence);
	state_put(b, at.time);
	state_put(b, at.skip);
	state_put(b, t->reported.zones);
	state_put(b, t->reported.ends);
	state_put(b, t->reported.others);
	state_put(b, t->tid);
	at_fiber = t->fiber && process_fiber_of_track(p, t->fiber->stack.track, &fiber) == t->fiber;
	state_put(b, at_fiber ? fiber + 1u : 0);
	put_stack(b, &t->stack);
}

/* The streams of a process's ring, by the number of their thread. */
struct streams {
	struct ring_stream **list;
	struct map numbers; /* to index in list */
};

static int streams_find(struct streams *s, const struct process *p)
{
	struct ring_stream_info info;
	size_t count = 0;
	int r = p->ring ? ring_streams(p->ring, &s->list, &count) : 0;

	for (size_t i = 1; r == 0 && i < count; i++) {
		ring_stream_info(s->list[i], &info);
		if (!map_get(&s->numbers, info.number))
			r = map_set(&s->numbers, info.number, (uint32_t)i);
	}
	return r;
}

static struct ring_stream *stream_of_thread(const struct streams *s, uint64_t number)
{
	const uint32_t *index = map_get(&s->numbers, number);

	return index ? s->list[*index] : NULL;
}

static void get_live_thread(struct capture *c, struct process *p, struct state_in *in,
			    uint64_t number, struct ring_stream *s)
{
	struct thread *t = calloc(1, sizeof(*t));
	struct ring_position at;
	uint64_t fiber;

	if (!t) {
		in->bad = true;
		return;
	}
	at.extent = (uint32_t)state_get(in);
	at.offset = (uint32_t)state_get(in);
	at.sequence = state_get(in);
	at.time = state_get(in);
	at.skip = state_get(in);
	t->number = number;
	t->process = p->index;
	t->reported.zones = state_get(in);
	t->reported.ends = state_get(in);
	t->reported.others = state_get(in);
	t->tid = (uint32_t)state_get(in);
	fiber = state_get(in);
	get_stack(c, in, &t->stack);
	if (fiber && fiber <= p->fibers.n)
		t->fiber = p->fibers.v[fiber - 1];
	if (s && ring_stream_user(s))
		in->bad = true; /* the same thread twice */
	if (!in->bad && s && ring_stream_seek(s, &at)) {
		ring_stream_set_user(s, t);
		return;
	}
	/* Its ring no longer exists: zones that were open have no end. */
	if (!in->bad)
		zones_stack_finish(c, &t->stack);
	if (s)
		ring_stream_skip(s);
	thread_free(t);
}

/* A stream that the earlier recorder read to its end. */
static void skip_stream(struct ring_stream *s, uint64_t number)
{
	struct thread *t = ring_stream_user(s) ? NULL : calloc(1, sizeof(*t));

	ring_stream_skip(s);
	if (!t)
		return;
	t->number = number;
	t->finished = true;
	ring_stream_set_user(s, t);
}

static void get_thread(struct capture *c, struct process *p, struct state_in *in,
		       const struct streams *streams)
{
	uint64_t number = state_get(in), finished = state_get(in);
	struct ring_stream *s = stream_of_thread(streams, number);

	if (!finished) {
		get_live_thread(c, p, in, number, s);
		return;
	}
	if (s)
		skip_stream(s, number);
}

/* ------------------------------------------------------------ processes */

static void get_track(struct capture *c, struct process *p, struct state_in *in)
{
	uint32_t track = (uint32_t)state_get(in);
	struct trace_track t = {.process = p->id, .kind = (uint32_t)state_get(in)};
	char *name;

	t.id = state_get(in);
	t.srcloc = (uint32_t)state_get(in);
	t.color = (uint32_t)state_get(in);
	t.format = (uint32_t)state_get(in);
	t.flags = (uint32_t)state_get(in);
	name = state_string_get(in);
	t.name = name;
	in->bad |= track >= trace_writer_tracks(c->writer) || t.kind >= TRACE_TRACK_KINDS;
	if (!in->bad && !process_restore_track(p, track, &t))
		in->bad = true;
	if (t.kind == TRACE_MESSAGES)
		p->messages = track;
	free(name);
}

static void put_numbers(struct buf *b, const struct map *numbers)
{
	state_put(b, numbers->n);
	for (size_t i = 0; i < numbers->cap; i++)
		if (numbers->slots[i].used) {
			state_put(b, numbers->slots[i].key);
			state_put(b, numbers->slots[i].value);
		}
}

static void get_numbers(struct state_in *in, struct map *numbers)
{
	size_t count = state_count(in);

	for (size_t i = 0; i < count && !in->bad; i++) {
		uint64_t key = state_get(in);

		in->bad |= map_set(numbers, key, (uint32_t)state_get(in)) < 0;
	}
}

static void put_process(struct buf *b, const struct process *p)
{
	struct ring_stream **streams;
	size_t count;

	state_string_put(b, ring_name(p->ring), strlen(ring_name(p->ring)));
	state_put(b, p->id);
	state_put(b, p->finished);
	state_put(b, p->made.n);
	for (size_t i = 0; i < p->made.n; i++) {
		const struct trace_track *t = &p->made.v[i].info;

		state_put(b, p->made.v[i].track);
		state_put(b, t->kind);
		state_put(b, t->id);
		state_put(b, t->srcloc);
		state_put(b, t->color);
		state_put(b, t->format);
		state_put(b, t->flags);
		state_string_put(b, t->name, strlen(t->name));
	}
	state_put(b, p->frames.n);
	for (size_t i = 0; i < p->frames.n; i++) {
		state_put(b, p->frames.v[i].track);
		state_put(b, p->frames.v[i].open);
	}
	state_put(b, p->fibers.n);
	for (size_t i = 0; i < p->fibers.n; i++) {
		state_put(b, p->fibers.v[i]->name);
		put_stack(b, &p->fibers.v[i]->stack);
	}
	state_put(b, p->retired.n);
	for (size_t i = 0; i < p->retired.n; i++)
		state_put(b, p->retired.v[i]);
	put_numbers(b, &p->stack_modules);
	put_numbers(b, &p->stack_numbers);
	ring_streams(p->ring, &streams, &count);
	for (size_t i = 1; i < count; i++)
		if (ring_stream_user(streams[i])) {
			state_put(b, 1);
			state_thread_put(b, p, streams[i]);
		}
	state_put(b, 0);
}

static void get_process(struct capture *c, struct state_in *in)
{
	char *name = state_string_get(in);
	uint32_t id = (uint32_t)state_get(in);
	bool finished = state_get(in);
	struct streams streams = {0};
	struct process *p = NULL;
	size_t count;

	if (in->bad)
		goto out;
	/* A name from a file: accept only valid names of ring files. */
	if (!process_is_ring_name(name) || capture_add_process(c, name, id, &p) < 0)
		p = capture_add_gone(c, id);
	if (!p || streams_find(&streams, p) < 0) {
		in->bad = true;
		goto out;
	}
	p->ended = p->finished = finished || !p->ring;
	c->finished += p->ring && p->finished;
	count = state_count(in);
	for (size_t i = 0; i < count && !in->bad; i++)
		get_track(c, p, in);
	count = state_count(in);
	for (size_t i = 0; i < count && !in->bad; i++) {
		struct frame_set *set = process_frames(c, p, (uint32_t)state_get(in));
		uint64_t open = state_get(in);

		if (set)
			set->open = open;
	}
	count = state_count(in);
	for (size_t i = 0; i < count && !in->bad; i++) {
		struct fiber *f = process_fiber(c, p, state_get(in));

		in->bad |= !f;
		if (f)
			get_stack(c, in, &f->stack);
	}
	count = state_count(in);
	for (size_t i = 0; i < count && !in->bad; i++) {
		uint64_t number = state_get(in);
		struct ring_stream *s = stream_of_thread(&streams, number);

		vec_push(&p->retired, number);
		if (s)
			skip_stream(s, number);
	}
	get_numbers(in, &p->stack_modules);
	get_numbers(in, &p->stack_numbers);
	while (!in->bad && state_get(in))
		get_thread(c, p, in, &streams);
	if (!p->ring)
		for (size_t i = 0; i < p->fibers.n; i++)
			zones_stack_finish(c, &p->fibers.v[i]->stack);
out:
	map_free(&streams.numbers);
	free(name);
}

/* ----------------------------------------------------------------- held */

static void get_held(struct capture *c, struct state_in *in)
{
	struct held h = {.time = state_get(in)};
	const char *text;
	size_t len;

	h.process = (uint32_t)state_get(in);
	h.track = (uint32_t)state_get(in);
	h.kind = (uint32_t)state_get(in);
	h.row_kind = (uint32_t)state_get(in);
	h.thread = (uint32_t)state_get(in);
	h.a = state_get(in);
	h.b = state_get(in);
	h.c = state_get(in);
	text = get_bytes(in, &len);
	if (h.process >= c->processes.n || h.track >= trace_writer_tracks(c->writer))
		in->bad = true;
	if (!in->bad)
		held_add(c, &h, text, len);
}

/* ---------------------------------------------------------------- whole */

static void put_absent(struct buf *b, const struct absent *a)
{
	state_put(b, a->joins);
	state_put(b, a->others == TRACE_NONE ? 0 : a->others + 1ull);
	state_put(b, a->list.n);
	for (size_t i = 0; i < a->list.n; i++) {
		const struct trace_absent *e = &a->list.v[i];

		state_put(b, e->count);
		state_put(b, e->pid);
		state_put(b, e->reason);
		state_put(b, e->error);
		state_string_put(b, e->name, strlen(e->name));
	}
}

static void get_absent(struct capture *c, struct state_in *in)
{
	struct absent *a = &c->absent;
	uint64_t others;
	size_t count;

	a->joins = state_get(in);
	others = state_get(in);
	count = state_count(in);
	for (size_t i = 0; i < count && !in->bad; i++) {
		struct trace_absent e = {.count = state_get(in), .pid = (uint32_t)state_get(in)};

		e.reason = (uint32_t)state_get(in);
		e.error = (uint32_t)state_get(in);
		e.name = state_string_get(in);
		if (in->bad || vec_push(&a->list, e) < 0) {
			free((char *)e.name);
			in->bad = true;
		}
	}
	in->bad |= others > a->list.n || a->list.n != trace_writer_absent(c->writer);
	a->others = others && !in->bad ? (uint32_t)others - 1 : TRACE_NONE;
}

int state_save(struct capture *c, struct buf *out)
{
	uint32_t *saved = calloc(c->processes.n + 1, sizeof(*saved)), count = 0;
	struct buf body = BUF_INIT;

	if (!saved)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < c->live.n; i++) {
		saved[c->live.v[i]->index] = count++;
		put_process(&body, c->live.v[i]);
	}
	state_put(out, STATE_VERSION);
	state_put(out, c->sum.processes);
	state_put(out, c->sum.threads);
	state_put(out, c->sum.rows);
	state_put(out, c->sum.lost);
	state_put(out, c->sum.failed);
	put_absent(out, &c->absent);
	stacks_save(c, out);
	state_put(out, count);
	buf_add(out, body.data, body.len);
	state_put(out, c->held.n);
	for (size_t i = 0; i < c->held.n; i++) {
		state_put(out, c->held.v[i].time);
		state_put(out, saved[c->held.v[i].process]);
		state_put(out, c->held.v[i].track);
		state_put(out, c->held.v[i].kind);
		state_put(out, c->held.v[i].row_kind);
		state_put(out, c->held.v[i].thread);
		state_put(out, c->held.v[i].a);
		state_put(out, c->held.v[i].b);
		state_put(out, c->held.v[i].c);
		state_string_put(out, c->texts.data + c->held.v[i].text, c->held.v[i].len);
	}
	free(saved);
	out->failed |= body.failed;
	buf_free(&body);
	return out->failed ? TACHO_ENOMEM : 0;
}

int state_load(struct capture *c, const void *bytes, size_t len, struct tacho_error *err)
{
	struct state_in in = {bytes, (const uint8_t *)bytes + len, false};
	struct capture_summary sum = {0};
	size_t count;

	if (state_get(&in) != STATE_VERSION)
		return err_set(err, TACHO_EVERSION,
			       "%s.part was written by another version of the recorder", c->output);
	sum.processes = state_get(&in);
	sum.threads = state_get(&in);
	sum.rows = state_get(&in);
	sum.lost = state_get(&in);
	sum.failed = state_get(&in);
	get_absent(c, &in);
	stacks_load(c, &in);
	count = state_count(&in);
	for (size_t i = 0; i < count && !in.bad; i++)
		get_process(c, &in);
	count = state_count(&in);
	for (size_t i = 0; i < count && !in.bad; i++)
		get_held(c, &in);
	if (in.bad)
		return err_set(err, TACHO_EDAMAGED, "%s.part: its last checkpoint is damaged",
			       c->output);
	c->sum = sum;
	return 0;
}
