/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Second pass: device zones. A begin or an end names a query whose time arrives with a later item,
 * so the events of a track wait in order until the first of them has its time.
 */
#include "tracy/decode.h"
#include "tracy/device.h"

#include <stdlib.h>

#define CONTEXTS_MAX 65536u

static struct gpu_context *context_of(struct decoder *d, uint64_t number)
{
	struct gpu_context *c;

	while (d->contexts.n <= number) {
		struct gpu_context new = {
			.number = (uint32_t)d->contexts.n, .scale = 1, .period = 1};

		if (number >= CONTEXTS_MAX || vec_push(&d->contexts, new) < 0) {
			sink_error(&d->sink, TACHO_ENOMEM);
			return NULL;
		}
	}
	c = &d->contexts.v[number];
	return c;
}

static void on_new_context(struct decoder *d, const uint64_t *v)
{
	struct gpu_context *c = context_of(d, v[4]);

	if (!c)
		return;
	c->known = true;
	c->cpu = (int64_t)v[0];
	c->gpu = (int64_t)v[1];
	c->many = v[2] == 0;
	memcpy(&c->period, &v[3], sizeof(c->period));
	if (!(c->period > 0 && c->period < 1e9))
		c->period = 1;
	c->scale = c->period;
	c->type = (uint8_t)v[6];
}

static void decode_gpu_track_name(struct decoder *d, struct gpu_track *t)
{
	const struct gpu_context *c = &d->contexts.v[t->context];
	const char *context = c->name ? c->name : "";
	struct buf name = BUF_INIT;

	device_track(&t->info, &name, context, c->number,
		     device_has_cores(context, c->many, c->type), t->queue);
	free(t->name);
	t->name = buf_detach(&name);
	t->info.name = t->name ? t->name : "";
}

static void on_context_name(struct decoder *d, uint64_t number)
{
	struct gpu_context *c = context_of(d, number);

	if (!c)
		return;
	free(c->name);
	c->name = strndup(d->single.data, d->single.len);
	for (size_t i = 0; i < d->gpu_tracks.n; i++) {
		struct gpu_track *t = d->gpu_tracks.v[i];

		if (t->context != number || d->sink.error)
			continue;
		decode_gpu_track_name(d, t);
		sink_error(&d->sink, trace_update_track(d->sink.w, t->stack.track, &t->info));
	}
}

static struct gpu_track *new_track(struct decoder *d, struct gpu_context *c, uint64_t queue)
{
	struct gpu_track *t = calloc(1, sizeof(*t));

	if (!t || vec_push(&d->gpu_tracks, t) < 0) {
		free(t);
		sink_error(&d->sink, TACHO_ENOMEM);
		return NULL;
	}
	t->context = c->number;
	t->queue = queue;
	t->info = (struct trace_track){
		.process = d->process, .kind = TRACE_CORE, .srcloc = TRACE_NONE};
	decode_gpu_track_name(d, t);
	t->stack.track = sink_track(&d->sink, &t->info);
	return t;
}

/* Returns the index of a context's track; UINT32_MAX if out of memory. */
static uint32_t track_index(struct decoder *d, struct gpu_context *c, uint32_t thread)
{
	uint64_t queue = c->many ? thread : 0;
	uint32_t *known = map_get(&d->track_of[TRACE_CORE], (uint64_t)c->number << 32 | queue);

	if (known)
		return *known;
	if (map_set(&d->track_of[TRACE_CORE], (uint64_t)c->number << 32 | queue,
		    (uint32_t)d->gpu_tracks.n) < 0) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return UINT32_MAX;
	}
	return new_track(d, c, queue) ? (uint32_t)d->gpu_tracks.n - 1 : UINT32_MAX;
}

/* Returns the pending event, unless it was drained already. */
static struct gpu_event *event_of(struct decoder *d, const struct gpu_wait *w)
{
	struct gpu_track *t = d->gpu_tracks.v[w->track];

	if (w->number < t->first || w->number - t->first >= t->events.n - t->head)
		return NULL;
	return &t->events.v[t->head + (w->number - t->first)];
}

/* Adds the events that have their times to the trace. */
static void decode_gpu_drain(struct decoder *d, struct gpu_track *t, bool all)
{
	while (t->head < t->events.n &&
	       (all || t->events.v[t->head].timed || t->events.v[t->head].lost)) {
		const struct gpu_event *e = &t->events.v[t->head++];

		t->first++;
		if (!e->timed) {
			d->notes->n[TRACY_NOTE_TIMELESS] += e->srcloc != TRACE_NONE;
			continue;
		}
		if (e->srcloc != TRACE_NONE)
			sink_begin(&d->sink, &t->stack, e->tick, e->srcloc, 0);
		else if (t->stack.open.n)
			sink_end(&d->sink, &t->stack, e->tick, 0, NULL, 0);
		else
			d->notes->n[TRACY_NOTE_MISMATCHED]++;
	}
	if (t->head == t->events.n)
		t->head = t->events.n = 0;
}

/* Returns the slot of a query of the context; NULL if out of memory. */
static struct gpu_wait *wait_of(struct gpu_context *c, uint16_t query)
{
	struct gpu_wait none = {0};
	uint32_t *known = map_get(&c->queries, query);

	if (known)
		return &c->waits.v[*known];
	if (map_set(&c->queries, query, (uint32_t)c->waits.n) < 0 || vec_push(&c->waits, none) < 0)
		return NULL;
	return &c->waits.v[c->waits.n - 1];
}

/* A reused query was never answered: later events need not wait for it. */
static void decode_gpu_lose(struct decoder *d, const struct gpu_wait *w)
{
	struct gpu_event *e = event_of(d, w);

	if (!e)
		return;
	e->lost = true;
	decode_gpu_drain(d, d->gpu_tracks.v[w->track], false);
}

static void decode_gpu_event_add(struct decoder *d, const uint64_t *v, uint32_t srcloc)
{
	struct gpu_context *c = context_of(d, v[3]);
	uint32_t index = c ? track_index(d, c, (uint32_t)v[1]) : UINT32_MAX;
	struct gpu_event e = {.srcloc = srcloc};
	struct gpu_wait *w = index == UINT32_MAX ? NULL : wait_of(c, (uint16_t)v[2]);
	struct gpu_track *t;

	if (index == UINT32_MAX)
		return;
	if (w && w->waits)
		decode_gpu_lose(d, w);
	t = d->gpu_tracks.v[index];
	if (w)
		*w = (struct gpu_wait){index, true, t->first + (t->events.n - t->head)};
	if (!w || vec_push(&t->events, e) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
}

static void on_time(struct decoder *d, const uint64_t *v)
{
	struct gpu_context *c = context_of(d, v[2]);
	uint32_t *known = c ? map_get(&c->queries, (uint16_t)v[1]) : NULL;
	struct gpu_wait *w = known ? &c->waits.v[*known] : NULL;
	struct gpu_event *e;
	double ns, ticks;

	decode_advance(&d->gpu_time, v[0]);
	if (!c)
		return;
	if (!w || !w->waits) {
		d->notes->n[TRACY_NOTE_MISMATCHED]++;
		return;
	}
	w->waits = false;
	e = event_of(d, w);
	if (!e)
		return;
	e->timed = true;
	/* Map a device's time to the host: from the anchor, at the calibrated scale. */
	ns = (double)(int64_t)((uint64_t)d->gpu_time - (uint64_t)c->gpu) * c->scale;
	ticks = ns / d->tick_ns;
	if (!(ticks > -9e15 && ticks < 9e15))
		ticks = 0;
	ticks += ticks < 0 ? -0.5 : 0.5;
	e->tick = decode_tick(d, (int64_t)((uint64_t)c->cpu + (uint64_t)(int64_t)ticks));
	decode_gpu_drain(d, d->gpu_tracks.v[w->track], false);
}

/*
 * The scale is the quotient of two steps between calibrations. The step from the first anchor is
 * not used: clients have sent an anchor of 0 that had nothing to do with the device's clock.
 */
static void on_calibration(struct decoder *d, const uint64_t *v)
{
	struct gpu_context *c = context_of(d, v[3]);
	double gpu, ns;

	if (!c)
		return;
	gpu = (double)(int64_t)(v[0] - (uint64_t)c->gpu);
	ns = (double)(int64_t)(v[1] - (uint64_t)c->cpu) * d->tick_ns;
	if (c->calibrated && gpu > 0 && ns / gpu > c->period / 2 && ns / gpu < c->period * 2)
		c->scale = ns / gpu;
	c->calibrated = true;
	c->gpu = (int64_t)v[0];
	c->cpu = (int64_t)v[1];
}

/* The time of issue is not stored, but it extends the trace. */
static void decode_gpu_issued(struct decoder *d, int64_t *reference, uint64_t delta)
{
	decode_advance(reference, delta);
	decode_tick(d, *reference);
}

void decode_gpu(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	struct gpu_context *c;

	switch (item->kind) {
	case WIRE_GPU_BEGIN:
	case WIRE_GPU_BEGIN_CALLSTACK:
		decode_gpu_issued(d, &d->thread_time, v[0]);
		decode_gpu_event_add(d, v, lookup_srcloc(d, v[4]));
		break;
	case WIRE_GPU_BEGIN_SERIAL:
	case WIRE_GPU_BEGIN_CALLSTACK_SERIAL:
		decode_gpu_issued(d, &d->serial_time, v[0]);
		decode_gpu_event_add(d, v, lookup_srcloc(d, v[4]));
		break;
	case WIRE_GPU_BEGIN_ALLOC:
	case WIRE_GPU_BEGIN_ALLOC_CALLSTACK:
		decode_gpu_issued(d, &d->thread_time, v[0]);
		decode_gpu_event_add(d, v,
				     d->payload == TRACE_NONE ? lookup_srcloc(d, 0) : d->payload);
		d->payload = TRACE_NONE;
		break;
	case WIRE_GPU_BEGIN_ALLOC_SERIAL:
	case WIRE_GPU_BEGIN_ALLOC_CALLSTACK_SERIAL:
		decode_gpu_issued(d, &d->serial_time, v[0]);
		decode_gpu_event_add(d, v,
				     d->payload == TRACE_NONE ? lookup_srcloc(d, 0) : d->payload);
		d->payload = TRACE_NONE;
		break;
	case WIRE_GPU_END:
		decode_gpu_issued(d, &d->thread_time, v[0]);
		decode_gpu_event_add(d, v, TRACE_NONE);
		break;
	case WIRE_GPU_END_SERIAL:
		decode_gpu_issued(d, &d->serial_time, v[0]);
		decode_gpu_event_add(d, v, TRACE_NONE);
		break;
	case WIRE_GPU_TIME:
		on_time(d, v);
		break;
	case WIRE_GPU_CONTEXT_NAME:
		on_context_name(d, v[0]);
		break;
	case WIRE_GPU_NEW_CONTEXT:
		on_new_context(d, v);
		break;
	case WIRE_GPU_CALIBRATION:
		on_calibration(d, v);
		break;
	default:
		c = context_of(d, v[2]);
		if (c) {
			c->gpu = (int64_t)v[0];
			c->cpu = (int64_t)v[1];
		}
		break;
	}
}

void decode_gpu_finish(struct decoder *d)
{
	for (size_t i = 0; i < d->gpu_tracks.n && !d->sink.error; i++) {
		struct gpu_track *t = d->gpu_tracks.v[i];

		decode_gpu_drain(d, t, true);
		while (t->stack.open.n && !d->sink.error)
			sink_end(&d->sink, &t->stack, d->last, TRACE_ZONE_UNFINISHED, NULL, 0);
	}
}
