/* SPDX-License-Identifier: Apache-2.0 */
/* Convert the stream of one Tracy client to a part of a trace. */
#include "tracy/decode.h"

#include <stdlib.h>

#define WINDOW 4000 /* unanswered queries: a client's buffer holds at least this many */

/* ----------------------------------------------------------------- threads */

struct wire_thread *decode_thread(struct decoder *d, uint32_t tid)
{
	uint32_t *known = map_get(&d->thread_of, tid);
	struct wire_thread *t;
	struct trace_track info = {
		.process = d->process, .kind = TRACE_THREAD, .id = tid, .srcloc = TRACE_NONE};

	if (known)
		return d->threads.v[*known];
	t = calloc(1, sizeof(*t));
	if (!t || map_set(&d->thread_of, tid, (uint32_t)d->threads.n) < 0 ||
	    vec_push(&d->threads, t) < 0) {
		free(t);
		sink_error(&d->sink, TACHO_ENOMEM);
		return NULL;
	}
	info.name = lookup_thread(d, tid);
	t->tid = tid;
	t->track = t->own.track = sink_track(&d->sink, &info);
	t->stack = &t->own;
	return t;
}

/* ------------------------------------------------------------------- zones */

static void extras_free(struct wire_extras *x)
{
	if (!x)
		return;
	buf_free(&x->text);
	vec_free(&x->list);
	free(x);
}

static void decode_zone_begin(struct decoder *d, int64_t delta, uint32_t srcloc)
{
	struct wire_thread *t = d->thread;

	decode_advance(&d->thread_time, (uint64_t)delta);
	if (!t)
		return;
	t->last = decode_tick(d, d->thread_time);
	sink_begin(&d->sink, t->stack, t->last, srcloc, 0);
}

static void end_with_extras(struct decoder *d, struct sink_stack *k, uint64_t time, uint32_t flags)
{
	struct wire_extras *x = (struct wire_extras *)(uintptr_t)k->open.v[k->open.n - 1].tag;

	for (size_t i = 0; x && i < x->list.n; i++)
		if (x->list.v[i].kind <= TRACE_EXTRA_TEXT)
			x->list.v[i].text = x->text.data + x->list.v[i].value;
	sink_end(&d->sink, k, time, flags, x ? x->list.v : NULL, x ? x->list.n : 0);
	extras_free(x);
}

static void decode_zone_end(struct decoder *d, int64_t delta)
{
	struct wire_thread *t = d->thread;

	decode_advance(&d->thread_time, (uint64_t)delta);
	if (!t)
		return;
	t->last = decode_tick(d, d->thread_time);
	if (!t->stack->open.n) {
		d->notes->n[TRACY_NOTE_MISMATCHED]++;
		return;
	}
	d->zones++;
	end_with_extras(d, t->stack, t->last, 0);
}

static int64_t wide_delta(const struct decoder *d, uint64_t v)
{
	int64_t delta = (int64_t)v;

	return d->protocol.short_items && delta >= 0 && delta < INT64_MAX - WIRE_OFFSET32
		       ? delta + WIRE_OFFSET32
		       : delta;
}

static uint32_t decode_srcloc_of(struct decoder *d, uint64_t pointer)
{
	struct decode_recent *recent = &d->recent[DECODE_RECENT(pointer)];
	const uint32_t *at;

	if (__builtin_expect(pointer == recent->pointer && pointer, 1))
		return recent->id;
	recent->id = lookup_srcloc(d, pointer);
	at = map_get(&d->srcloc_of, pointer);
	/* An unknown one may be known next time. */
	recent->pointer = at && d->srclocs.v[*at].known ? pointer : 0;
	return recent->id;
}

static void decode_attach(struct decoder *d, uint32_t kind, const void *text, uint32_t len,
			  uint64_t value)
{
	struct sink_stack *k = d->thread ? d->thread->stack : NULL;
	struct trace_extra e = {.kind = kind, .len = len, .value = value};
	struct wire_extras *x;

	if (!k || !k->open.n) {
		d->notes->n[TRACY_NOTE_MISMATCHED]++;
		return;
	}
	x = (struct wire_extras *)(uintptr_t)k->open.v[k->open.n - 1].tag;
	if (!x) {
		x = calloc(1, sizeof(*x));
		if (!x) {
			sink_error(&d->sink, TACHO_ENOMEM);
			return;
		}
		x->text = (struct buf)BUF_INIT;
		k->open.v[k->open.n - 1].tag = (uintptr_t)x;
	}
	if (kind <= TRACE_EXTRA_TEXT)
		e.value = x->text.len;
	if ((text && buf_add(&x->text, text, len) < 0) || vec_push(&x->list, e) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
}

/* Colour, line, function, file, name: the source location of a zone created at run time. */
static void take_payload(struct decoder *d, const struct wire_read *item)
{
	const char *at = (const char *)item->bytes, *end = at + item->len, *texts[2];
	struct trace_srcloc s = {.name = ""};
	char *name;

	d->payload = TRACE_NONE;
	if (item->len < 8)
		return;
	memcpy(&s.color, at, 4);
	memcpy(&s.line, at + 4, 4);
	at += 8;
	for (int i = 0; i < 2; i++) {
		const char *zero = memchr(at, 0, (size_t)(end - at));

		texts[i] = at;
		if (!zero)
			return;
		at = zero + 1;
	}
	name = strndup(at, (size_t)(end - at));
	if (!name) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return;
	}
	s.function = texts[0];
	s.file = texts[1];
	s.name = name;
	s.color &= 0xffffff;
	d->payload = sink_srcloc(&d->sink, &s);
	free(name);
}

static void fiber_enter(struct decoder *d, const struct wire_read *item)
{
	struct wire_thread *t = decode_thread(d, (uint32_t)item->v[2]);
	uint32_t *known = map_get(&d->track_of[TRACE_FIBER], item->v[1]);
	struct wire_track f = {.info = {.process = d->process,
					.kind = TRACE_FIBER,
					.id = item->v[1],
					.srcloc = TRACE_NONE}};

	decode_advance(&d->thread_time, item->v[0]);
	if (!t)
		return;
	if (!known) {
		f.info.name = lookup_string(d, item->v[1], NULL);
		f.track = sink_track(&d->sink, &f.info);
		f.info.name = "";
		f.fiber = calloc(1, sizeof(*f.fiber));
		if (!f.fiber ||
		    map_set(&d->track_of[TRACE_FIBER], item->v[1], (uint32_t)d->tracks.n) < 0 ||
		    vec_push(&d->tracks, f) < 0) {
			free(f.fiber);
			sink_error(&d->sink, TACHO_ENOMEM);
			return;
		}
		f.fiber->track = f.track;
		known = map_get(&d->track_of[TRACE_FIBER], item->v[1]);
	}
	t->stack = d->tracks.v[*known].fiber;
}

/* ------------------------------------------------------------- second pass */

static void apply_item(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	struct wire_thread *t;

	switch (item->kind) {
	case WIRE_ZONE_BEGIN_CALLSTACK:
		decode_zone_begin(d, wide_delta(d, v[0]), decode_srcloc_of(d, v[1]));
		break;
	case WIRE_ZONE_BEGIN_CALLSTACK32:
		decode_zone_begin(d, (int64_t)v[0] + WIRE_OFFSET16, decode_srcloc_of(d, v[1]));
		break;
	case WIRE_ZONE_BEGIN_CALLSTACK16:
		decode_zone_begin(d, (int64_t)v[0], decode_srcloc_of(d, v[1]));
		break;
	case WIRE_ZONE_BEGIN_ALLOC:
	case WIRE_ZONE_BEGIN_ALLOC_CALLSTACK:
		decode_zone_begin(d, (int64_t)v[0],
				  d->payload == TRACE_NONE ? lookup_srcloc(d, 0) : d->payload);
		d->payload = TRACE_NONE;
		break;
	case WIRE_ZONE_TEXT:
		decode_attach(d, TRACE_EXTRA_TEXT, d->single.data, (uint32_t)d->single.len, 0);
		break;
	case WIRE_ZONE_NAME:
		decode_attach(d, TRACE_EXTRA_NAME, d->single.data, (uint32_t)d->single.len, 0);
		break;
	case WIRE_ZONE_COLOR:
		decode_attach(d, TRACE_EXTRA_COLOR, NULL, 0, v[2] << 16 | v[1] << 8 | v[0]);
		break;
	case WIRE_ZONE_VALUE:
		decode_attach(d, TRACE_EXTRA_VALUE, NULL, 0, v[0]);
		break;
	case WIRE_THREAD_CONTEXT:
		d->thread = decode_thread(d, (uint32_t)v[0]);
		d->thread_time = 0;
		break;
	case WIRE_SINGLE_STRING:
	case WIRE_SINGLE_STRING8:
		buf_reset(&d->single);
		if (buf_add(&d->single, item->bytes, item->len) < 0)
			sink_error(&d->sink, TACHO_ENOMEM);
		break;
	case WIRE_SECOND_STRING:
	case WIRE_SECOND_STRING8:
		buf_reset(&d->second);
		if (buf_add(&d->second, item->bytes, item->len) < 0)
			sink_error(&d->sink, TACHO_ENOMEM);
		break;
	case WIRE_SRCLOC_PAYLOAD:
		take_payload(d, item);
		break;
	case WIRE_MEM_NAME:
		d->memory_name = v[0];
		break;
	case WIRE_FIBER_ENTER:
		fiber_enter(d, item);
		break;
	case WIRE_FIBER_LEAVE:
		decode_advance(&d->thread_time, v[0]);
		t = decode_thread(d, (uint32_t)v[1]);
		if (t)
			t->stack = &t->own;
		break;
	case WIRE_GPU_BEGIN ... WIRE_GPU_END_SERIAL:
	case WIRE_GPU_TIME:
	case WIRE_GPU_CONTEXT_NAME:
	case WIRE_GPU_CALIBRATION:
	case WIRE_GPU_TIME_SYNC:
	case WIRE_GPU_NEW_CONTEXT:
		decode_gpu(d, item);
		break;
	default:
		if (!decode_samples(d, item))
			decode_row(d, item);
		break;
	}
}

/* Times come in three sizes; a wider one starts where the next smaller one ends. */
static void apply_zone(struct decoder *d, enum wire_zone zone, const uint8_t *at)
{
	uint32_t narrow = 0;

	switch (zone) {
	case ZONE_END16:
		memcpy(&narrow, at, 2);
		decode_zone_end(d, narrow);
		break;
	case ZONE_END32:
		memcpy(&narrow, at, 4);
		decode_zone_end(d, narrow + WIRE_OFFSET16);
		break;
	case ZONE_END64:
		decode_zone_end(d, wide_delta(d, wire_u64(at)));
		break;
	case ZONE_BEGIN16:
		memcpy(&narrow, at, 2);
		decode_zone_begin(d, narrow, decode_srcloc_of(d, wire_u64(at + 2)));
		break;
	case ZONE_BEGIN32:
		memcpy(&narrow, at, 4);
		decode_zone_begin(d, narrow + WIRE_OFFSET16, decode_srcloc_of(d, wire_u64(at + 4)));
		break;
	default:
		decode_zone_begin(d, wide_delta(d, wire_u64(at)),
				  decode_srcloc_of(d, wire_u64(at + 8)));
		break;
	}
}

/* The frame is known to split into whole items; the most common ones skip the table. */
static void apply_frame(struct decoder *d, const uint8_t *frame, size_t len)
{
	struct wire_read item;
	size_t at = 0, size;

	while (at < len && !d->sink.error) {
		enum wire_zone zone = (enum wire_zone)d->protocol.zones[frame[at]];

		if (__builtin_expect(zone != ZONE_NOT, 1)) {
			apply_zone(d, zone, frame + at + 1);
			at += d->protocol.plain[frame[at]];
			continue;
		}
		size = wire_read(&d->protocol, frame + at, len - at, &item);
		if (!size)
			break;
		apply_item(d, &item);
		at += size;
	}
}

/* Adds the frames that have all their answers; with ALL the others too. */
static void apply_ready(struct decoder *d, bool all)
{
	while (d->held_head < d->held.n && !d->sink.error) {
		struct wire_frame *f = &d->held.v[d->held_head];

		if (!all && d->held_bytes <= DECODE_HELD) {
			if (d->answered < f->need)
				break;
			if (!f->again && d->asked_count > f->need) {
				f->again = true;
				f->need = d->asked_count;
				continue;
			}
		}
		apply_frame(d, f->bytes, f->len);
		d->held_bytes -= f->len;
		free(f->bytes);
		d->held_head++;
	}
	if (d->held_head == d->held.n)
		d->held_head = d->held.n = 0;
}

/* The same version exists with both context widths: a frame that does not fit shows the width. */
static bool try_other_width(struct decoder *d, const uint8_t *frame, size_t len, bool *devices)
{
	struct wire_protocol other;

	if (d->devices)
		return false;
	wire_protocol(&other, d->protocol.number, !d->protocol.wide_context);
	if (!wire_frame_fits(&other, frame, len, devices))
		return false;
	d->protocol = other;
	return true;
}

int decoder_frame(struct decoder *d, const uint8_t *frame, size_t len, struct tacho_error *err)
{
	struct wire_frame f = {.len = len};
	bool devices = false;
	int r;

	if (!wire_frame_fits(&d->protocol, frame, len, &devices) &&
	    !try_other_width(d, frame, len, &devices))
		return err_set(err, TACHO_EFORMAT, "what it sends is not protocol %u",
			       d->protocol.number);
	d->devices |= devices;
	r = lookup_frame(d, frame, len);
	if (r == 0 && d->held_head == d->held.n && d->answered == d->asked_count) {
		/* Fast path: usually no frame is pending. */
		apply_frame(d, frame, len);
		return d->sink.error ? err_set(err, d->sink.error, "%s", err_text(d->sink.error))
				     : 0;
	}
	f.bytes = r == 0 ? malloc(len + 1) : NULL;
	if (r == 0 && (!f.bytes || vec_push(&d->held, f) < 0)) {
		free(f.bytes);
		r = TACHO_ENOMEM;
	}
	if (r < 0)
		return err_set(err, r, "%s", err_text(r));
	memcpy(f.bytes, frame, len);
	d->held.v[d->held.n - 1].need = d->asked_count;
	d->held_bytes += len;
	apply_ready(d, false);
	return d->sink.error ? err_set(err, d->sink.error, "%s", err_text(d->sink.error)) : 0;
}

bool decoder_query(struct decoder *d, uint8_t *bytes)
{
	uint64_t unsent = d->queries.n - d->sent, address;
	const struct decode_query *q;

	memset(bytes, 0, WIRE_QUERY);
	if (!unsent || d->asked_count - d->answered - unsent >= WINDOW) {
		bytes[0] = QUERY_CALLSTACK;
		if (!decode_samples_query(d, &address))
			return false;
		memcpy(bytes + 1, &address, 8);
		return true;
	}
	q = &d->queries.v[d->sent++];
	bytes[0] = q->type;
	memcpy(bytes + 1, &q->pointer, 8);
	if (d->sent == d->queries.n)
		d->sent = d->queries.n = 0;
	return true;
}

/* ---------------------------------------------------------------- lifetime */

struct decoder *decoder_new(struct trace_writer *w, uint32_t process, uint32_t version,
			    struct tracy_notes *notes)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->sink.w = w;
	d->process = process;
	d->notes = notes;
	d->texts = d->single = d->second = d->image = d->samples.payload = (struct buf)BUF_INIT;
	d->payload = TRACE_NONE;
	d->clock.same = true;
	d->tick_ns = 1;
	/* Version 66 usually means Tenstorrent's client; for others a frame shows the width. */
	wire_protocol(&d->protocol, version, version == 66);
	return d;
}

static void stack_finish(struct decoder *d, struct sink_stack *k)
{
	while (k->open.n && !d->sink.error)
		end_with_extras(d, k, d->last, TRACE_ZONE_UNFINISHED);
}

void decoder_finish(struct decoder *d)
{
	apply_ready(d, true);
	decode_samples_finish(d);
	for (size_t i = 0; i < d->threads.n; i++)
		stack_finish(d, &d->threads.v[i]->own);
	for (size_t i = 0; i < d->tracks.n; i++)
		if (d->tracks.v[i].fiber)
			stack_finish(d, d->tracks.v[i].fiber);
	decode_gpu_finish(d);
	decoder_count(d);
}

void decoder_count(struct decoder *d)
{
	for (size_t i = 0; i < d->threads.n; i++)
		sink_count_zones(&d->sink, &d->threads.v[i]->own);
	for (size_t i = 0; i < d->tracks.n; i++)
		if (d->tracks.v[i].fiber)
			sink_count_zones(&d->sink, d->tracks.v[i].fiber);
	for (size_t i = 0; i < d->gpu_tracks.n; i++)
		sink_count_zones(&d->sink, &d->gpu_tracks.v[i]->stack);
	sink_count_rows(&d->sink);
}

static void stack_free(struct sink_stack *k)
{
	for (size_t i = 0; i < k->open.n; i++)
		extras_free((struct wire_extras *)(uintptr_t)k->open.v[i].tag);
	sink_stack_free(k);
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	for (size_t i = d->held_head; i < d->held.n; i++)
		free(d->held.v[i].bytes);
	for (size_t i = 0; i < d->threads.n; i++) {
		stack_free(&d->threads.v[i]->own);
		free(d->threads.v[i]);
	}
	for (size_t i = 0; i < d->tracks.n; i++) {
		if (d->tracks.v[i].fiber)
			stack_free(d->tracks.v[i].fiber);
		free(d->tracks.v[i].fiber);
		owned_free(&d->tracks.v[i].owned);
	}
	for (size_t i = 0; i < d->gpu_tracks.n; i++) {
		stack_free(&d->gpu_tracks.v[i]->stack);
		vec_free(&d->gpu_tracks.v[i]->events);
		free(d->gpu_tracks.v[i]->name);
		free(d->gpu_tracks.v[i]);
	}
	for (size_t i = 0; i < d->contexts.n; i++) {
		free(d->contexts.v[i].name);
		vec_free(&d->contexts.v[i].waits);
		map_free(&d->contexts.v[i].queries);
	}
	vec_free(&d->held);
	vec_free(&d->threads);
	vec_free(&d->tracks);
	vec_free(&d->contexts);
	vec_free(&d->gpu_tracks);
	map_free(&d->thread_of);
	for (int i = 0; i < TRACE_TRACK_KINDS; i++)
		map_free(&d->track_of[i]);
	lookup_free(d);
	buf_free(&d->single);
	buf_free(&d->second);
	decode_samples_free(d);
	buf_free(&d->image);
	sink_free(&d->sink);
	free(d);
}
