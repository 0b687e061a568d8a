/* SPDX-License-Identifier: Apache-2.0 */
/* Read zones of threads and of devices. */
#include "tracy/device.h"
#include "tracy/read.h"

#define TIMELESS UINT64_MAX /* tag of a device zone without times */

struct timeline {
	struct read *r;
	struct sink_stack stack;
	struct {
		VEC(uint64_t);
	} left; /* remaining zones, by depth */
	int64_t reference, device_reference;
	uint64_t unfinished; /* end of unfinished zones */
};

static bool timeline_init(struct timeline *t, struct read *r, uint32_t track, uint64_t zones)
{
	*t = (struct timeline){.r = r, .stack.track = track, .unfinished = read_tick(r->last)};
	return vec_push(&t->left, zones) == 0;
}

static void end_zone(struct timeline *t, int64_t end)
{
	struct read *r = t->r;
	uint64_t tag = t->stack.open.v[t->stack.open.n - 1].tag;
	const struct read_extra *x = tag && tag < r->extras.n ? &r->extras.v[tag] : NULL;
	struct trace_extra extras[3];
	size_t n = 0;

	if (tag == TIMELESS) {
		sink_pop(&t->stack);
		return;
	}
	if (x && x->name) {
		extras[n].kind = TRACE_EXTRA_NAME;
		extras[n].text = read_string(r, x->name, &extras[n].len);
		n++;
	}
	if (x && x->text) {
		extras[n].kind = TRACE_EXTRA_TEXT;
		extras[n].text = read_string(r, x->text, &extras[n].len);
		n++;
	}
	if (x && x->color)
		extras[n++] = (struct trace_extra){.kind = TRACE_EXTRA_COLOR, .value = x->color};
	sink_end(&r->sink, &t->stack, end < 0 ? t->unfinished : read_tick(end),
		 end < 0 ? TRACE_ZONE_UNFINISHED : 0, extras, n);
}

/* Zones that are open when the file is cut off are unfinished. */
static void timeline_finish(struct timeline *t)
{
	while (t->stack.open.n && !t->r->sink.error)
		end_zone(t, -1);
	sink_count_zones(&t->r->sink, &t->stack);
	sink_stack_free(&t->stack);
	vec_free(&t->left);
}

/* Descends to the children of the zone begun last. */
static bool timeline_down(struct timeline *t, uint64_t children)
{
	if (vec_push(&t->left, children) == 0)
		return true;
	in_fail(&t->r->in, TACHO_ENOMEM, "no memory");
	return false;
}

static void read_timeline(struct timeline *t)
{
	struct read *r = t->r;
	size_t depth = 0;

	while (read_ok(r)) {
		int16_t srcloc;
		uint32_t extra, children;

		if (t->left.v[depth] == 0) {
			if (depth == 0)
				break;
			depth--;
			t->left.n--;
			end_zone(t, read_delta(r, &t->reference));
			continue;
		}
		t->left.v[depth]--;
		srcloc = in_i16(&r->in);
		read_delta(r, &t->reference);
		extra = in_u32(&r->in);
		children = in_u32(&r->in);
		sink_begin(&r->sink, &t->stack, read_tick(t->reference), read_srcloc(r, srcloc),
			   extra);
		if (!read_ok(r))
			break;
		if (children) {
			if (timeline_down(t, children))
				depth++;
		} else {
			end_zone(t, read_delta(r, &t->reference));
		}
	}
}

/* The thread number in Tracy's tools: its place in the list, or the next one. */
static uint32_t read_zones_thread_number(struct read *r, uint64_t tid)
{
	const uint32_t *known = map_get(&r->number_of, tid);
	uint32_t number = known ? *known : (uint32_t)r->number_of.n;

	if (!known && map_set(&r->number_of, tid, number) < 0)
		in_fail(&r->in, TACHO_ENOMEM, "no memory");
	return number;
}

static void read_one_thread(struct read *r)
{
	uint64_t tid = in_u64(&r->in);
	uint32_t track = read_thread(r, tid), *known = map_get(&r->thread_of, tid);
	struct timeline t;
	bool fiber;
	uint64_t n;

	in_skip(&r->in, 8 + 8); /* zones, kernel samples */
	fiber = in_u8(&r->in);
	if (known) {
		struct read_thread *thread = &r->threads.v[*known];

		thread->info.kind = fiber ? TRACE_FIBER : TRACE_THREAD;
		thread->info.flags = read_zones_thread_number(r, tid);
		sink_error(&r->sink, trace_update_track(r->sink.w, track, &thread->info));
	}
	if (r->version >= TRACY_VERSION(0, 11, 1))
		in_skip(&r->in, 4); /* group hint */
	if (!read_ok(r))
		return;
	if (timeline_init(&t, r, track, in_u32(&r->in)))
		read_timeline(&t);
	timeline_finish(&t);
	/* Skips the ids of the thread's messages. */
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		const uint32_t *at = map_get(&r->message_of, in_u64(&r->in));

		if (at)
			r->messages.v[*at].thread = track;
	}
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		in_skip(&r->in, 8 + 3);
	r->notes->n[TRACY_NOTE_SAMPLES] += read_ok(r) ? n : 0; /* at context switches */
	read_samples(r, track);
}

void read_zones(struct read *r)
{
	uint64_t n;

	in_skip(&r->in, 8 + 8); /* zones, zones with children */
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_one_thread(r);
}

/* ------------------------------------------------------------------ devices */

static void end_device_zone(struct timeline *t)
{
	struct read *r = t->r;

	read_delta(r, &t->reference);
	end_zone(t, read_delta(r, &t->device_reference));
	if (r->version >= TRACY_VERSION(0, 12, 4))
		in_u16(&r->in); /* query */
}

static void read_device_timeline(struct timeline *t)
{
	struct read *r = t->r;
	size_t depth = 0;

	while (read_ok(r)) {
		int16_t srcloc;
		uint64_t children;

		if (t->left.v[depth] == 0) {
			if (depth == 0)
				break;
			depth--;
			t->left.n--;
			end_device_zone(t);
			continue;
		}
		t->left.v[depth]--;
		read_delta(r, &t->reference);
		read_delta(r, &t->device_reference);
		srcloc = in_i16(&r->in);
		r->notes->n[TRACY_NOTE_CALLSTACKS] += in_u24(&r->in) != 0;
		in_u16(&r->in); /* thread */
		children = in_u64(&r->in);
		sink_begin(&r->sink, &t->stack, read_tick(t->device_reference),
			   read_srcloc(r, srcloc), t->device_reference < 0 ? TIMELESS : 0);
		r->notes->n[TRACY_NOTE_TIMELESS] += t->device_reference < 0;
		if (!read_ok(r))
			break;
		if (children) {
			if (timeline_down(t, children))
				depth++;
		} else {
			end_device_zone(t);
		}
	}
}

struct context {
	uint32_t number, name; /* name: string + 1 */
	bool cores;            /* the tracks are RISCs of a core */
};

static uint32_t context_track(struct read *r, const struct context *c, uint64_t queue)
{
	struct trace_track t = {.process = r->process, .kind = TRACE_CORE, .srcloc = TRACE_NONE};
	struct buf name = BUF_INIT;
	uint32_t track;

	device_track(&t, &name, read_string(r, c->name, NULL), c->number, c->cores, queue);
	t.name = name.data;
	track = read_spend(r, 512) ? sink_track(&r->sink, &t) : TRACE_NONE;
	buf_free(&name);
	return track;
}

static void read_context_track(struct read *r, const struct context *c)
{
	uint64_t tid = in_u64(&r->in), zones = in_u64(&r->in);
	struct timeline t;
	uint32_t track;

	if (!read_ok(r))
		return;
	track = context_track(r, c, tid);
	if (timeline_init(&t, r, track, zones))
		read_device_timeline(&t);
	timeline_finish(&t);
}

/* Skips notes of zones: pairs of a number and a value, by query. */
static void skip_notes(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint64_t k;

		in_u16(&r->in);
		k = in_u64(&r->in);
		for (uint64_t j = 0; j < k && read_ok(r); j++)
			in_skip(&r->in, 8 + 8);
		r->notes->n[TRACY_NOTE_DEVICE_EXTRAS] += read_ok(r) ? k : 0;
	}
}

static void read_context(struct read *r, uint32_t number)
{
	bool notes = r->version >= TRACY_VERSION(0, 12, 4);
	struct context c = {.number = number};
	uint64_t thread = in_u64(&r->in), n;
	uint8_t type;

	in_skip(&r->in, 1 + 8 + 4); /* calibration, zones, period */
	type = in_u8(&r->in);
	c.name = in_u24(&r->in);
	c.cores = device_has_cores(read_string(r, c.name, NULL), !thread, type);
	in_u64(&r->in); /* overflow */
	n = notes ? in_u64(&r->in) : 0;
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		in_skip(&r->in, 8 + 3);
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_context_track(r, &c);
	if (notes)
		skip_notes(r);
}

void read_device(struct read *r)
{
	uint64_t n;

	in_skip(&r->in, 8 + 8); /* zones, zones with children */
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_context(r, (uint32_t)i);
}
