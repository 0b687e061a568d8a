/* SPDX-License-Identifier: Apache-2.0 */
/* Second pass: samples with their stacks, and when threads ran. */
#include "base/limits.h"
#include "tracy/decode.h"

#define WAITING_MAX   65536u /* samples that wait for names at most */
#define FLIGHT_MAX    256u   /* queries of addresses that are unanswered at once */
#define ADDRESSES_MAX (1u << 20)

/* ------------------------------------------------------------------ frames */

static void frame_ask(struct decoder *d, uint64_t address)
{
	struct decode_samples *s = &d->samples;

	if (map_get(&s->frame_of, address) || s->frame_of.n >= ADDRESSES_MAX)
		return;
	if (map_set(&s->frame_of, address, 0) < 0 || vec_push(&s->asks, address) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
}

bool decode_samples_query(struct decoder *d, uint64_t *address)
{
	struct decode_samples *s = &d->samples;

	if (s->asked == s->asks.n || s->in_flight >= FLIGHT_MAX)
		return false;
	*address = s->asks.v[s->asked++];
	s->in_flight++;
	if (s->asked == s->asks.n)
		s->asked = s->asks.n = 0;
	return true;
}

static void stacks_now(struct decoder *d)
{
	if (d->last > d->samples.stacks->time)
		d->samples.stacks->time = d->last;
}

/* The answer to a query: the file, then for each function a name, its file and its line. */
static void on_frame_size(struct decoder *d, const struct wire_read *item)
{
	struct decode_samples *s = &d->samples;
	uint32_t *known = map_get(&s->frame_of, item->v[0]);

	s->named = 0;
	if (!known || *known)
		return;
	s->in_flight -= s->in_flight > 0;
	if (buf_addc(&d->single, 0) < 0) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return;
	}
	d->single.len--;
	stacks_now(d);
	s->named = stacks_frame(s->stacks, &d->sink, d->single.data, item->v[0]);
	s->inlined = 0;
	*known = (uint32_t)s->keys.n + 1;
	if (vec_push(&s->keys, s->named) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
}

static void on_frame_name(struct decoder *d, const struct wire_read *item)
{
	struct decode_samples *s = &d->samples;

	if (!s->named)
		return;
	if (buf_addc(&d->single, 0) < 0 || buf_addc(&d->second, 0) < 0) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return;
	}
	d->single.len--;
	d->second.len--;
	stacks_symbol(s->stacks, &d->sink, s->named, (uint32_t)item->v[0], s->inlined++,
		      d->single.data, d->second.data);
}

/* ----------------------------------------------------------------- samples */

/* False if an address of it is not resolved yet. */
static bool sample_is_ready(const struct decode_samples *s, const struct wire_sample *sample)
{
	for (uint32_t i = 0; i < sample->depth; i++) {
		const uint32_t *at = map_get(&s->frame_of, s->addresses.v[s->first_address + i]);

		if (at && !*at)
			return false;
	}
	return true;
}

static void decode_sample_put(struct decoder *d, const struct wire_sample *sample)
{
	struct decode_samples *s = &d->samples;
	struct trace_row row = {.time = sample->time,
				.kind = TRACE_ROW_SAMPLE,
				.thread = sample->track,
				.c = s->period,
				.text = ""};

	stacks_now(d);
	for (uint32_t i = sample->depth; i-- > 0;) {
		uint64_t address = s->addresses.v[s->first_address + i];
		const uint32_t *at = map_get(&s->frame_of, address);
		uint64_t key = at && *at ? s->keys.v[*at - 1]
					 : stacks_frame(s->stacks, &d->sink, "", address);

		row.a = stacks_node(s->stacks, &d->sink, (uint32_t)row.a, key);
	}
	sink_row(&d->sink, sample->track, &row);
	s->first_address += sample->depth;
}

/* Adds the samples whose names are known, in order; all of them if ALL or if too many wait. */
static void samples_put(struct decoder *d, bool all)
{
	struct decode_samples *s = &d->samples;

	for (; s->first < s->waiting.n; s->first++) {
		const struct wire_sample *sample = &s->waiting.v[s->first];

		if (!all && s->waiting.n - s->first < WAITING_MAX && !sample_is_ready(s, sample))
			break;
		decode_sample_put(d, sample);
	}
	/* Moves those left to the front when they are the smaller part. */
	if (s->first <= s->waiting.n / 2)
		return;
	s->waiting.n -= s->first;
	s->addresses.n -= s->first_address;
	memmove(s->waiting.v, s->waiting.v + s->first, s->waiting.n * sizeof(*s->waiting.v));
	memmove(s->addresses.v, s->addresses.v + s->first_address,
		s->addresses.n * sizeof(*s->addresses.v));
	s->first = s->first_address = 0;
}

static void on_sample(struct decoder *d, uint64_t tid, int64_t delta)
{
	struct decode_samples *s = &d->samples;
	struct wire_thread *t = decode_thread(d, (uint32_t)tid);
	size_t depth = s->payload.len / sizeof(uint64_t);
	struct wire_sample sample;

	decode_advance(&s->time, (uint64_t)delta);
	if (!t)
		return;
	sample = (struct wire_sample){.time = s->time ? decode_tick(d, s->time) : s->start,
				      .track = t->track,
				      .depth = depth < LIMIT_STACK_FRAMES ? (uint32_t)depth
									  : LIMIT_STACK_FRAMES};
	for (uint32_t i = 0; i < sample.depth; i++) {
		uint64_t address = wire_u64((const uint8_t *)s->payload.data + 8 * i);

		frame_ask(d, address);
		if (vec_push(&s->addresses, address) < 0) {
			sink_error(&d->sink, TACHO_ENOMEM);
			return;
		}
	}
	if (vec_push(&s->waiting, sample) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
	buf_reset(&s->payload);
	samples_put(d, false);
}

/* ---------------------------------------------------------------- switches */

static struct wire_run *decode_run_of(struct decoder *d, uint64_t tid)
{
	struct decode_samples *s = &d->samples;
	const uint32_t *known = map_get(&s->run_of, tid);
	static const struct wire_run none;

	if (known)
		return &s->runs.v[*known];
	if (s->runs.n >= ADDRESSES_MAX)
		return NULL;
	if (map_set(&s->run_of, tid, (uint32_t)s->runs.n) < 0 || vec_push(&s->runs, none) < 0) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return NULL;
	}
	return &s->runs.v[s->runs.n - 1];
}

static void switch_state_put(struct decoder *d, uint64_t tid, enum trace_state state,
			     uint64_t start, uint64_t end, uint32_t cpu)
{
	/* Threads of other programs switch too. */
	const uint32_t *known = map_get(&d->thread_of, tid);
	struct trace_row row = {.time = start,
				.kind = TRACE_ROW_STATE,
				.a = end - start,
				.b = TRACE_STATE(state, cpu, 0),
				.text = ""};

	if (!known || end <= start)
		return;
	row.thread = d->threads.v[*known]->track;
	sink_row(&d->sink, row.thread, &row);
}

/* A thread was blocked until it was woken, then it waited for a CPU. */
static void decode_run_begin(struct decoder *d, uint64_t tid, struct wire_run *r, uint64_t now,
			     uint32_t cpu)
{
	uint64_t ready = r->ready > r->end && r->ready < now ? r->ready : now;

	if (r->end) {
		switch_state_put(d, tid, TRACE_STATE_BLOCKED, r->end, ready, 0);
		switch_state_put(d, tid, TRACE_STATE_RUNNABLE, ready, now, 0);
	}
	r->start = now > r->end ? now : r->end;
	r->ready = 0;
	r->cpu = cpu;
}

static void on_switch(struct decoder *d, const struct wire_read *item)
{
	uint64_t now;
	struct wire_run *r;

	decode_advance(&d->samples.time, item->v[0]);
	now = decode_tick(d, d->samples.time);
	r = item->v[1] ? decode_run_of(d, item->v[1]) : NULL;
	if (r && r->start) {
		switch_state_put(d, item->v[1], TRACE_STATE_RUNNING, r->start, now, r->cpu);
		r->end = now > r->start ? now : r->start;
		r->start = 0;
	}
	r = item->v[2] ? decode_run_of(d, item->v[2]) : NULL;
	if (r && !r->start)
		decode_run_begin(d, item->v[2], r, now, (uint32_t)item->v[3]);
}

static void on_wakeup(struct decoder *d, const struct wire_read *item)
{
	struct wire_run *r;

	decode_advance(&d->samples.time, item->v[0]);
	r = decode_run_of(d, item->v[1]);
	if (r && !r->start && !r->ready)
		r->ready = decode_tick(d, d->samples.time);
}

/* ------------------------------------------------------------------- items */

static void on_callstack(struct decoder *d, const struct wire_read *item)
{
	buf_reset(&d->samples.payload);
	if (buf_add(&d->samples.payload, item->bytes, item->len) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
}

/* Times come in three sizes, as those of zones. */
static void on_sample_item(struct decoder *d, const struct wire_read *item)
{
	bool thread_first = d->protocol.short_items;
	uint64_t tid = item->v[!thread_first], delta = item->v[thread_first];
	bool wide =
		item->kind == WIRE_CALLSTACK_SAMPLE || item->kind == WIRE_CALLSTACK_SAMPLE_SWITCH;
	bool middle = item->kind == WIRE_CALLSTACK_SAMPLE32 ||
		      item->kind == WIRE_CALLSTACK_SAMPLE_SWITCH32;

	if (thread_first)
		delta += wide ? WIRE_OFFSET32 : middle ? WIRE_OFFSET16 : 0;
	if (d->samples.stacks && item->kind <= WIRE_CALLSTACK_SAMPLE16) {
		on_sample(d, tid, (int64_t)delta);
		return;
	}
	decode_advance(&d->samples.time, delta);
	d->notes->n[TRACY_NOTE_SAMPLES]++;
}

bool decode_samples(struct decoder *d, const struct wire_read *item)
{
	struct decode_samples *s = &d->samples;

	switch (item->kind) {
	case WIRE_CALLSTACK_PAYLOAD:
		on_callstack(d, item);
		return true;
	case WIRE_CALLSTACK_SAMPLE ... WIRE_CALLSTACK_SAMPLE_SWITCH16:
		on_sample_item(d, item);
		return true;
	case WIRE_CALLSTACK_FRAME_SIZE:
		if (s->stacks)
			on_frame_size(d, item);
		samples_put(d, false);
		return true;
	case WIRE_CALLSTACK_FRAME:
		on_frame_name(d, item);
		return true;
	case WIRE_ACK_NOOP:
		s->in_flight -= s->in_flight > 0;
		return true;
	case WIRE_CONTEXT_SWITCH:
		on_switch(d, item);
		return true;
	case WIRE_THREAD_WAKEUP:
		on_wakeup(d, item);
		return true;
	default:
		return false;
	}
}

void decode_samples_finish(struct decoder *d)
{
	samples_put(d, true);
}

void decode_samples_free(struct decoder *d)
{
	struct decode_samples *s = &d->samples;

	buf_free(&s->payload);
	map_free(&s->frame_of);
	map_free(&s->run_of);
	vec_free(&s->keys);
	vec_free(&s->asks);
	vec_free(&s->addresses);
	vec_free(&s->waiting);
	vec_free(&s->runs);
}
