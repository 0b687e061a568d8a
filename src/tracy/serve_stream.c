/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Send a trace in batches: the new zones of each track, then rows by time. A saved trace is one
 * batch. For a live one a batch is what a refresh has added; it ends at a checkpoint, where each
 * zone is known either to have ended or to be open.
 */
#include "tracy/device.h"
#include "tracy/serve.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t serve_tid(const struct serve *s, uint32_t track)
{
	const struct out_thread *t = &s->model->threads[track];

	return t->tid <= UINT32_MAX ? (uint32_t)t->tid : 0x80000000u | t->number;
}

uint32_t serve_track(const struct serve *s, uint64_t tid)
{
	for (uint32_t i = 0; i < s->trace->track_count; i++)
		if (s->model->threads[i].written && serve_tid(s, i) == tid)
			return i;
	return TRACE_NONE;
}

uint32_t serve_device_track(const struct serve *s, uint64_t tid)
{
	uint64_t track = tid & ~(uint64_t)SERVE_DEVICE;

	return track < s->trace->track_count && s->trace->tracks[track].kind == TRACE_CORE
		       ? (uint32_t)track
		       : TRACE_NONE;
}

int64_t serve_tick(const struct serve *s, uint64_t ticks)
{
	return SERVE_EPOCH + write_ns(s->model, ticks);
}

void serve_switch(struct serve *s, uint32_t track)
{
	uint32_t tid = track < s->trace->track_count && s->model->threads[track].written
			       ? serve_tid(s, track)
			       : 0;

	if (!tid || tid == s->tid)
		return;
	SERVE_PUT(s, WIRE_THREAD_CONTEXT, tid);
	s->tid = tid;
	s->thread_time = 0;
}

void serve_notice(struct serve *s, uint32_t tid, uint32_t process)
{
	SERVE_PUT(s, WIRE_THREAD_CONTEXT, tid);
	/* The number of the next zone, none: the first item of a thread that requires no zone. */
	SERVE_PUT(s, WIRE_ZONE_VALIDATION, 0);
	SERVE_PUT(s, WIRE_THREAD_GROUP_HINT, tid, process);
	s->tid = tid;
	s->thread_time = 0;
}

const struct out_srcloc *serve_srcloc(const struct serve *s, uint32_t srcloc, uint64_t *pointer)
{
	int16_t id = s->model->srcloc[srcloc < s->trace->srcloc_count ? srcloc : 0];
	size_t index = id > 0 ? (size_t)id - 1 : SRCLOC_MAX + (size_t)(-id - 1);

	*pointer = id > 0 ? SERVE_SRCLOC + 64 * index : 0;
	return &s->model->srclocs.v[index];
}

/* ------------------------------------------------------------------- steps */

/* Passes a string of the model to the next item. */
static void serve_stream_string_put(struct serve *s, size_t string)
{
	const struct strings *strings = &s->model->strings;
	const struct string_entry *e = &strings->list.v[string];

	serve_bytes(s, WIRE_SINGLE_STRING, 0, strings->text.data + e->at, e->len);
}

static int put_contexts(struct serve *s)
{
	const struct write *m = s->model;
	uint32_t most = s->protocol.wide_context ? UINT16_MAX : SERVE_NARROW;
	uint64_t one;
	double period = 1;

	memcpy(&one, &period, sizeof(one));
	while (s->queries.n < m->contexts.n && s->queries.n < most) {
		uint32_t i = (uint32_t)s->queries.n;
		uint64_t type = s->protocol.number == 66  ? DEVICE_TYPE_TT
				: s->protocol.number < 74 ? DEVICE_TYPE_VULKAN
							  : DEVICE_TYPE_CUSTOM;

		SERVE_PUT(s, WIRE_GPU_NEW_CONTEXT, SERVE_EPOCH, SERVE_EPOCH, 0, one, i, 0, type);
		serve_stream_string_put(s, m->contexts.v[i].name);
		SERVE_PUT(s, WIRE_GPU_CONTEXT_NAME, i);
		if (vec_push(&s->queries, 0) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* The viewer has no other place for this. */
static void put_left_out(struct serve *s)
{
	size_t more = s->model->contexts.n - s->queries.n;
	char text[128];

	if (s->live || !more)
		return;
	snprintf(text, sizeof(text),
		 "%zu cores are left out: this version of the protocol has room for %u", more,
		 SERVE_NARROW);
	serve_bytes(s, WIRE_SINGLE_STRING, 0, text, strlen(text));
	SERVE_PUT(s, WIRE_MESSAGE, SERVE_EPOCH, TRACE_SEVERITY_WARNING << 4);
}

/* Sends definitions before their first use: contexts, locks, plot settings. */
static int put_announcements(struct serve *s)
{
	const struct write *m = s->model;
	int r = put_contexts(s);

	if (r < 0)
		return r;
	for (; s->announced < s->trace->track_count; s->announced++) {
		uint32_t i = s->announced;
		const struct trace_track *t = &s->trace->tracks[i];
		uint64_t pointer = 0;

		if (t->kind == TRACE_PLOT)
			SERVE_PUT(s, WIRE_PLOT_CONFIG, serve_name(s, i), t->format,
				  (t->flags & TRACE_PLOT_STEP) != 0,
				  (t->flags & TRACE_PLOT_FILL) != 0, t->color);
		if (t->kind != TRACE_LOCK || !m->srclocs.n)
			continue;
		if (t->srcloc < s->trace->srcloc_count)
			serve_srcloc(s, t->srcloc, &pointer);
		else if (m->lock_srcloc > 0)
			pointer = SERVE_SRCLOC + 64 * (uint64_t)(m->lock_srcloc - 1);
		SERVE_PUT(s, WIRE_LOCK_ANNOUNCE, i, SERVE_EPOCH, pointer ? pointer : SERVE_SRCLOC,
			  t->format == 1);
		if (m->names[i] < 0)
			continue;
		serve_stream_string_put(s, (size_t)m->names[i]);
		SERVE_PUT(s, WIRE_LOCK_NAME, i);
	}
	return 0;
}

int stream_step(struct serve *s)
{
	int r;

	switch (s->step) {
	case SERVE_START:
		r = put_announcements(s);
		s->at = 0;
		s->step++;
		return r;
	case SERVE_ZONES:
		return serve_zones(s);
	case SERVE_ROWS:
		return serve_rows(s);
	default:
		put_left_out(s);
		if (!s->live)
			SERVE_PUT(s, WIRE_TERMINATE);
		s->step = s->live ? SERVE_WAIT : SERVE_DONE;
		return 0;
	}
}

void stream_close(struct serve *s)
{
	zones_close(s);
	trace_rows_close(s->rows);
	vec_free(&s->queries);
	map_free(&s->ops);
	map_free(&s->live_memory);
	map_free(&s->waits);
	map_free(&s->images);
	for (size_t i = 0; i < s->parameters.n; i++)
		free(s->parameters.v[i].name);
	vec_free(&s->parameters);
}
