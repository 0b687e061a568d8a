/* SPDX-License-Identifier: Apache-2.0 */
/* Write zones of threads and of devices. */
#include "tracy/device.h"
#include "tracy/write.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------- first pass */

static void write_zones_line_add(struct buf *b, const char *text, size_t len)
{
	if (b->len)
		buf_addc(b, '\n');
	buf_add(b, text, len);
}

/* The number + 1 of a text referenced by 24 bits; 0 if there is no room. */
static uint32_t short_string(struct write *w, const char *text, size_t len)
{
	int64_t id;

	if (w->strings.list.n >= STRING_MAX) {
		w->notes->n[TRACY_NOTE_STRINGS]++;
		return 0;
	}
	id = strings_add(&w->strings, text, len);
	return id < 0 ? 0 : (uint32_t)id + 1;
}

/* Texts and values are lines of one text; the last name and the last colour count. */
static int prepare_extras(struct write *w, const struct tree_zone *zone)
{
	struct buf text = BUF_INIT;
	struct zone_extra x = {0};
	struct trace_extra e;
	int r;

	if (w->folded[zone->srcloc] >= 0 && w->folded[zone->srcloc] < STRING_MAX)
		x.name = (uint32_t)w->folded[zone->srcloc] + 1;
	for (uint32_t i = 0; i < zone->extras && trace_cursor_extra(zone->cursor, i, &e) == 0;
	     i++) {
		char number[24];

		switch (e.kind) {
		case TRACE_EXTRA_NAME:
			x.name = short_string(w, e.text, e.len);
			break;
		case TRACE_EXTRA_TEXT:
			write_zones_line_add(&text, e.text, e.len);
			break;
		case TRACE_EXTRA_VALUE:
			snprintf(number, sizeof(number), "%llu", (unsigned long long)e.value);
			write_zones_line_add(&text, number, strlen(number));
			break;
		case TRACE_EXTRA_COLOR:
			x.color = color_to_bgr((uint32_t)e.value);
			break;
		case TRACE_EXTRA_STACK:
			x.stack = (uint32_t)e.value;
			break;
		}
	}
	if (text.len)
		x.text = short_string(w, text.data, text.len);
	r = text.failed ? TACHO_ENOMEM : vec_push(&w->extras, x);
	buf_free(&text);
	return r;
}

static bool has_extra(const struct write *w, const struct tree_zone *zone)
{
	return zone->extras || w->folded[zone->srcloc] >= 0;
}

static struct out_srcloc *write_zones_srcloc_of(struct write *w, uint32_t srcloc)
{
	int16_t id = w->srcloc[srcloc];

	return &w->srclocs.v[id > 0 ? id - 1 : (int)SRCLOC_MAX - id - 1];
}

static int count_thread_zone(struct write *w, const struct tree_zone *zone, void *context)
{
	struct out_thread *t = context;

	t->zones++;
	w->zones++;
	w->parents += zone->children > 0;
	write_zones_srcloc_of(w, zone->srcloc)->zones++;
	return has_extra(w, zone) ? prepare_extras(w, zone) : 0;
}

/* State of a walk over a device track. */
struct device_walk {
	struct out_context *context;
	uint32_t track;
	int64_t reference; /* second pass */
};

static bool zone_op(const struct write *w, const struct device_walk *d,
		    const struct tree_zone *zone, uint64_t *id)
{
	return zone->depth == 0 &&
	       device_op(w->trace, d->track, zone->srcloc, zone->extras, zone->cursor, id);
}

/* Op ids of the other RISCs of a core follow from its first, which comes first. */
static bool is_implied(const struct write *w, const struct out_context *c,
		       const struct tree_zone *zone)
{
	const struct trace_track *first = &w->trace->tracks[w->device_tracks.v[c->first]];
	struct trace_extra e;

	if (zone->depth || w->trace->srclocs[zone->srcloc].function[0] ||
	    !device_has_ops(first->id))
		return false;
	for (uint32_t i = 0; i < zone->extras; i++)
		if (trace_cursor_extra(zone->cursor, i, &e) < 0 || e.kind != TRACE_EXTRA_VALUE)
			return false;
	return true;
}

static int count_device_zone(struct write *w, const struct tree_zone *zone, void *context)
{
	struct device_walk *d = context;
	int64_t at = -1;
	uint64_t id;

	d->context->zones++;
	w->device_zones++;
	w->device_parents += zone->children > 0;
	if (zone_op(w, d, zone, &id)) {
		at = model_op_srcloc(w, zone->srcloc, id);
		w->notes->n[TRACY_NOTE_OP_IDS] += at < 0;
	}
	w->notes->n[TRACY_NOTE_DEVICE_EXTRAS] += zone->extras && !is_implied(w, d->context, zone);
	if (at >= 0)
		w->srclocs.v[at].device_zones++;
	else
		write_zones_srcloc_of(w, zone->srcloc)->device_zones++;
	return at == TACHO_ENOMEM ? TACHO_ENOMEM : 0;
}

/* The common prefix of the tracks of one core: the name up to the last slash. */
static int64_t write_zones_context_name(struct write *w, uint32_t track)
{
	const char *name = w->trace->tracks[track].name, *slash = strrchr(name, '/');
	uint64_t id = w->trace->tracks[track].id;
	char text[80];

	if (name[0])
		return strings_add(&w->strings, name,
				   slash ? (size_t)(slash - name) : strlen(name));
	snprintf(text, sizeof(text), "Device: %u, Core (%u,%u)", TRACE_CORE_DEVICE(id),
		 TRACE_CORE_X(id), TRACE_CORE_Y(id));
	return model_string(w, text, false);
}

static uint64_t write_zones_core_of(const struct trace_track *t)
{
	return TRACE_CORE_IS_OTHER(t->id) ? t->id >> 32 << 32 : t->id & ~0xffull;
}

static int write_zones_by_core(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	const struct trace_track *x = &t->tracks[*(const uint32_t *)a];
	const struct trace_track *y = &t->tracks[*(const uint32_t *)b];

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->id != y->id ? (x->id < y->id ? -1 : 1) : 0;
}

/* One context per core of a device, one track in it per RISC. */
int contexts_prepare(struct write *w)
{
	const struct trace *t = w->trace;
	int r = 0;

	for (uint32_t i = 0; i < t->track_count && r == 0; i++)
		if (t->tracks[i].kind == TRACE_CORE)
			r = vec_push(&w->device_tracks, i);
	if (w->device_tracks.n)
		qsort_r(w->device_tracks.v, w->device_tracks.n, sizeof(uint32_t),
			write_zones_by_core, w->trace);
	for (uint32_t i = 0; i < w->device_tracks.n && r == 0; i++) {
		const struct trace_track *track = &t->tracks[w->device_tracks.v[i]];
		struct out_context *last = w->contexts.n ? &w->contexts.v[w->contexts.n - 1] : NULL;
		struct out_context c = {.process = track->process,
					.core = write_zones_core_of(track),
					.first = i,
					.count = 1};

		if (last && last->process == c.process && last->core == c.core) {
			last->count++;
			continue;
		}
		c.name = write_zones_context_name(w, w->device_tracks.v[i]);
		r = c.name < 0 ? TACHO_ENOMEM : vec_push(&w->contexts, c);
	}
	return r;
}

static uint32_t context_find(const struct write *w, const struct trace_track *track)
{
	uint32_t i = 0;

	while (i < w->contexts.n && (w->contexts.v[i].process != track->process ||
				     w->contexts.v[i].core != write_zones_core_of(track)))
		i++;
	return i;
}

int contexts_grow(struct write *w, uint32_t first)
{
	const struct trace *t = w->trace;
	uint32_t *context_of = reallocarray(w->context_of, t->track_count + 1ul, sizeof(uint32_t));
	int r = 0;

	if (!context_of)
		return TACHO_ENOMEM;
	w->context_of = context_of;
	w->device_tracks.n = 0;
	for (uint32_t i = first; i < t->track_count && r == 0; i++)
		if (t->tracks[i].kind == TRACE_CORE)
			r = vec_push(&w->device_tracks, i);
	if (r == 0 && w->device_tracks.n)
		qsort_r(w->device_tracks.v, w->device_tracks.n, sizeof(uint32_t),
			write_zones_by_core, w->trace);
	for (uint32_t i = 0; i < w->device_tracks.n && r == 0; i++) {
		uint32_t track = w->device_tracks.v[i];
		struct out_context c = {.process = t->tracks[track].process,
					.core = write_zones_core_of(&t->tracks[track])};

		context_of[track] = context_find(w, &t->tracks[track]);
		if (context_of[track] < w->contexts.n)
			continue;
		c.name = write_zones_context_name(w, track);
		r = c.name < 0 ? TACHO_ENOMEM : vec_push(&w->contexts, c);
	}
	return r;
}

int zones_prepare(struct write *w)
{
	static const struct tree_visitor threads = {.enter = count_thread_zone};
	static const struct tree_visitor devices = {.enter = count_device_zone};
	int r = vec_push(&w->extras, (struct zone_extra){0});

	if (r == 0)
		r = contexts_prepare(w);
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++) {
		uint32_t track = w->order[i], first, count;

		trace_track_lanes(w->trace, track, &first, &count);
		for (uint32_t k = DEPTH_MAX; k < count; k++) /* what tree_walk() drops */
			w->notes->n[TRACY_NOTE_DEPTH] += w->trace->lanes[first + k].zones;
		if (w->threads[track].written)
			r = tree_walk(w, track, &threads, &w->threads[track]);
	}
	for (size_t i = 0; i < w->contexts.n && r == 0; i++)
		for (uint32_t k = 0; k < w->contexts.v[i].count && r == 0; k++) {
			uint32_t track = w->device_tracks.v[w->contexts.v[i].first + k];
			struct device_walk d = {.context = &w->contexts.v[i], .track = track};

			r = tree_walk(w, track, &devices, &d);
		}
	return r;
}

/* ------------------------------------------------------------ second pass */

static int begin_thread(struct write *w, uint64_t zones, void *context)
{
	(void)context;
	if (zones > UINT32_MAX)
		return TACHO_ELIMIT;
	out_u32(&w->out, (uint32_t)zones);
	return 0;
}

static int enter_thread(struct write *w, const struct tree_zone *zone, void *context)
{
	int64_t *reference = context;
	uint32_t extra = has_extra(w, zone) ? (uint32_t)++w->next_extra : 0;

	if (zone->children > UINT32_MAX)
		return TACHO_ELIMIT;
	out_i16(&w->out, w->srcloc[zone->srcloc]);
	out_i64(&w->out, zone->start - *reference);
	out_u32(&w->out, extra);
	out_u32(&w->out, (uint32_t)zone->children);
	*reference = zone->start;
	return 0;
}

static void leave_thread(struct write *w, const struct tree_zone *zone, void *context)
{
	int64_t *reference = context;

	out_i64(&w->out, zone->end - *reference);
	*reference = zone->end;
}

static int put_thread(struct write *w, uint32_t track)
{
	static const struct tree_visitor visitor = {enter_thread, leave_thread, begin_thread};
	const struct out_thread *t = &w->threads[track];
	int64_t reference = 0;
	int r;

	out_u64(&w->out, t->tid);
	out_u64(&w->out, t->zones);
	out_u64(&w->out, 0); /* samples in the kernel */
	out_u8(&w->out, w->trace->tracks[track].kind == TRACE_FIBER);
	if (!w->old)
		out_u32(&w->out, w->trace->tracks[track].process); /* threads are shown by this */
	r = tree_walk(w, track, &visitor, &reference);
	out_u64(&w->out, t->messages);
	out_copy(&w->out, w->message_order + t->first_message,
		 t->messages * sizeof(*w->message_order));
	out_u64(&w->out, 0); /* samples at context switches */
	return r < 0 ? r : samples_put_thread(w, track);
}

int zones_put(struct write *w)
{
	struct out *out = &w->out;
	int r = 0;

	out_u64(out, w->extras.n);
	for (size_t i = 0; i < w->extras.n; i++) {
		out_u24(out, samples_stack(w, w->extras.v[i].stack));
		out_u24(out, w->extras.v[i].text);
		out_u24(out, w->extras.v[i].name);
		out_u24(out, w->extras.v[i].color);
	}
	out_u64(out, w->zones);
	out_u64(out, w->parents);
	out_u64(out, w->numbers.n - 1);
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++)
		if (w->threads[w->order[i]].written)
			r = put_thread(w, w->order[i]);
	return r;
}

static int begin_device(struct write *w, uint64_t zones, void *context)
{
	(void)context;
	out_u64(&w->out, zones);
	return 0;
}

/* Times are already on the host's clock, so both times of the file are equal. */
static int enter_device(struct write *w, const struct tree_zone *zone, void *context)
{
	struct device_walk *d = context;
	uint64_t id;
	int64_t at = zone_op(w, d, zone, &id) ? model_find_op_srcloc(w, zone->srcloc, id) : -1;

	out_i64(&w->out, zone->start - d->reference);
	out_i64(&w->out, zone->start - d->reference);
	out_i16(&w->out, at >= 0 ? model_srcloc_id((size_t)at) : w->srcloc[zone->srcloc]);
	out_u24(&w->out, 0);
	out_u16(&w->out, 0);
	out_u64(&w->out, zone->children);
	d->reference = zone->start;
	return 0;
}

static void leave_device(struct write *w, const struct tree_zone *zone, void *context)
{
	struct device_walk *d = context;

	out_i64(&w->out, zone->end - d->reference);
	out_i64(&w->out, zone->end - d->reference);
	if (!w->old)
		out_u16(&w->out, 0); /* query, referenced by notes */
	d->reference = zone->end;
}

static int put_context(struct write *w, struct out_context *c)
{
	static const struct tree_visitor visitor = {enter_device, leave_device, begin_device};
	struct out *out = &w->out;
	int r = 0;

	out_u64(out, 0); /* many threads: each track has its own number */
	out_u8(out, 0);  /* not calibrated: times need no calibration */
	out_u64(out, c->zones);
	out_f32(out, 1);
	out_u8(out, w->old ? DEVICE_TYPE_TT : DEVICE_TYPE_CUSTOM);
	out_u24(out, (uint32_t)c->name + 1);
	out_u64(out, 0); /* overflow */
	if (!w->old)
		out_u64(out, 0); /* names of notes */
	out_u64(out, c->count);
	for (uint32_t i = 0; i < c->count && r == 0; i++) {
		uint32_t track = w->device_tracks.v[c->first + i];
		struct device_walk d = {.context = c, .track = track};

		out_u64(out, model_device_tid(w, track));
		r = tree_walk(w, track, &visitor, &d);
	}
	if (!w->old)
		out_u64(out, 0); /* notes */
	return r;
}

int device_put(struct write *w)
{
	int r = 0;

	out_u64(&w->out, w->device_zones);
	out_u64(&w->out, w->device_parents);
	out_u64(&w->out, w->contexts.n);
	for (size_t i = 0; i < w->contexts.n && r == 0; i++)
		r = put_context(w, &w->contexts.v[i]);
	return r;
}
