/* SPDX-License-Identifier: Apache-2.0 */
/* Read frames, locks, messages, plots, memory and application info. */
#include "tracy/read.h"

#include "base/order.h"

#include <stdlib.h>

static bool push_failed(struct read *r, int code)
{
	if (code < 0)
		in_fail(&r->in, TACHO_ENOMEM, "no memory");
	return code < 0;
}

/* ------------------------------------------------------------------- frames */

static uint32_t frame_track(struct read *r, uint64_t pointer, bool pairs)
{
	size_t n = r->frame_set_count;
	struct trace_track t = {.process = r->process,
				.kind = TRACE_FRAMES,
				.id = n,
				.srcloc = TRACE_NONE,
				.format = pairs,
				.name = ""};
	void *v = reallocarray(r->frame_sets, n + 1, sizeof(*r->frame_sets));

	if (!v || !read_spend(r, 512)) {
		push_failed(r, v ? 0 : TACHO_ENOMEM);
		r->frame_sets = v ? v : r->frame_sets;
		return TRACE_NONE;
	}
	r->frame_sets = v;
	r->frame_sets[n].pointer = pointer;
	r->frame_sets[n].info = t;
	r->frame_sets[n].track = sink_track(&r->sink, &t);
	r->frame_set_count++;
	return r->frame_sets[n].track;
}

static void read_frame_set(struct read *r)
{
	uint64_t pointer = in_u64(&r->in);
	bool pairs = !in_u8(&r->in);
	uint64_t n = in_u64(&r->in);
	uint32_t track = TRACE_NONE;
	int64_t reference = 0;

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct trace_row row = {.kind = TRACE_ROW_FRAME, .thread = TRACE_NONE, .text = ""};
		int64_t start = read_delta(r, &reference), end;
		uint32_t image;

		row.time = read_tick(start);
		if (pairs) {
			end = read_delta(r, &reference);
			row.a = end < start ? 0 : read_tick(end);
		}
		image = in_u32(&r->in);
		/* A lone frame at 0 in the first set is a placeholder: the format requires one. */
		if (!pointer && n == 1 && start == 0)
			continue;
		if (track == TRACE_NONE && read_ok(r))
			track = frame_track(r, pointer, pairs);
		if (read_ok(r))
			sink_row(&r->sink, track, &row);
		if (!pointer)
			read_images_frame(r, image, row.time);
	}
}

void read_frames(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_frame_set(r);
}

/* Adds a track whose name may contain its process. */
static uint32_t read_rows_track_add(struct read *r, const struct trace_track *info)
{
	struct read_track t = {.info = *info, .track = sink_track(&r->sink, info)};

	push_failed(r, vec_push(&r->tracks, t));
	return t.track;
}

/* -------------------------------------------------------------------- locks */

static void read_lock_events(struct read *r, uint32_t track, const uint64_t *tids, size_t threads,
			     int64_t reference)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct trace_row row = {.kind = TRACE_ROW_LOCK, .thread = TRACE_NONE, .text = ""};
		int16_t srcloc;
		uint8_t thread;

		row.time = read_tick(read_delta(r, &reference));
		srcloc = in_i16(&r->in);
		thread = in_u8(&r->in);
		row.a = in_u8(&r->in);
		row.b = srcloc ? read_srcloc(r, srcloc) : TRACE_NONE;
		if (thread < threads)
			row.thread = read_thread(r, tids[thread]);
		if (row.a > TRACE_LOCK_RELEASE_SHARED)
			r->notes->n[TRACY_NOTE_LOCK_EVENTS]++;
		else if (read_ok(r))
			sink_row(&r->sink, track, &row);
	}
}

static void read_lock(struct read *r)
{
	struct trace_track t = {.process = r->process, .kind = TRACE_LOCK};
	struct trace_row gone = {.kind = TRACE_ROW_LOCK,
				 .thread = TRACE_NONE,
				 .a = TRACE_LOCK_END,
				 .b = TRACE_NONE,
				 .text = ""};
	uint64_t tids[256];
	size_t threads = 0;
	int64_t announced, ended;
	uint32_t track;
	uint64_t n;

	t.id = in_u32(&r->in);
	t.name = read_string(r, in_u24(&r->in), NULL);
	t.srcloc = read_srcloc(r, in_i16(&r->in));
	t.format = in_u8(&r->in) == 1;
	in_u8(&r->in); /* valid */
	announced = in_i64(&r->in);
	ended = in_i64(&r->in);
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint64_t tid = in_u64(&r->in);

		if (threads < 256)
			tids[threads++] = tid;
	}
	if (!read_ok(r) || !read_spend(r, 512))
		return;
	track = read_rows_track_add(r, &t);
	read_lock_events(r, track, tids, threads, announced);
	gone.time = read_tick(ended);
	if (ended > 0 && read_ok(r))
		sink_row(&r->sink, track, &gone);
}

void read_locks(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_lock(r);
}

/* ----------------------------------------------------------------- messages */

static uint32_t messages_track(struct read *r)
{
	struct trace_track t = {
		.process = r->process, .kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = ""};

	if (r->messages_track == TRACE_NONE)
		r->messages_track = sink_track(&r->sink, &t);
	return r->messages_track;
}

void read_messages(struct read *r)
{
	uint64_t n = in_u64(&r->in);
	int64_t reference = 0;

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct read_message m = {.thread = TRACE_NONE, .severity = TRACE_SEVERITY_INFO};

		m.id = in_u64(&r->in);
		m.time = read_tick(read_delta(r, &reference));
		m.text = read_ref(r);
		m.color = in_u32(&r->in);
		m.color = m.color == UINT32_MAX ? 0 : color_from_bgr(m.color);
		r->notes->n[TRACY_NOTE_CALLSTACKS] += in_u24(&r->in) != 0;
		if (r->version >= TRACY_VERSION(0, 13, 2)) {
			in_u8(&r->in); /* the program, or Tracy itself */
			m.severity = in_u8(&r->in);
			if (m.severity > TRACE_SEVERITY_FATAL)
				m.severity = TRACE_SEVERITY_INFO;
		}
		if (!read_spend(r, sizeof(m) + 2 * sizeof(struct map_slot)))
			return;
		if (push_failed(r, map_set(&r->message_of, m.id, (uint32_t)r->messages.n)) ||
		    push_failed(r, vec_push(&r->messages, m)))
			return;
	}
}

static void put_crash(struct read *r)
{
	struct trace_row row = {.kind = TRACE_ROW_CRASH, .time = read_tick(r->crash.time)};

	if (!r->crash.thread)
		return;
	row.thread = read_thread(r, r->crash.thread);
	row.text = read_string(r, read_pointer(r, r->crash.message), &row.text_len);
	sink_row(&r->sink, messages_track(r), &row);
}

void read_finish_rows(struct read *r)
{
	for (size_t i = 0; i < r->messages.n && !r->sink.error; i++) {
		const struct read_message *m = &r->messages.v[i];
		struct trace_row row = {.kind = TRACE_ROW_MESSAGE,
					.time = m->time,
					.thread = m->thread,
					.a = m->severity,
					.b = m->color};

		row.text = read_string(r, m->text, &row.text_len);
		sink_row(&r->sink, messages_track(r), &row);
	}
	put_crash(r);
}

void read_app_info(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct trace_row row = {
			.kind = TRACE_ROW_APP_INFO, .time = READ_ORIGIN, .thread = TRACE_NONE};

		row.text = read_string(r, read_ref(r), &row.text_len);
		if (read_ok(r))
			sink_row(&r->sink, messages_track(r), &row);
	}
}

/* -------------------------------------------------------------------- plots */

static void read_plot(struct read *r, uint64_t number)
{
	struct trace_track t = {
		.process = r->process, .kind = TRACE_PLOT, .id = number, .srcloc = TRACE_NONE};
	uint8_t type = in_u8(&r->in), format = in_u8(&r->in), step = in_u8(&r->in);
	uint8_t fill = in_u8(&r->in);
	uint64_t pointer, n;
	int64_t reference = 0;
	uint32_t track;

	t.format = format <= TRACE_PLOT_WATT ? format : TRACE_PLOT_NUMBER;
	t.flags = (step ? TRACE_PLOT_STEP : 0) | (fill ? TRACE_PLOT_FILL : 0);
	t.color = in_u32(&r->in) & 0xffffff;
	pointer = in_u64(&r->in);
	t.name = type == 2 ? "CPU usage" : read_string(r, read_pointer(r, pointer), NULL);
	in_skip(&r->in, 3 * 8); /* smallest, largest, sum */
	n = in_u64(&r->in);
	if (!read_ok(r) || !read_spend(r, 512))
		return;
	track = read_rows_track_add(r, &t);
	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct trace_row row = {
			.kind = TRACE_ROW_PLOT_REAL, .thread = TRACE_NONE, .text = ""};

		row.time = read_tick(read_delta(r, &reference));
		row.a = in_u64(&r->in);
		if (read_ok(r))
			sink_row(&r->sink, track, &row);
	}
}

void read_plots(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_plot(r, i);
}

/* ------------------------------------------------------------------- memory */

struct memory_event {
	uint64_t time, order;
	uint64_t address, size;
	uint32_t thread, kind;
};

struct memory_events {
	VEC(struct memory_event);
};

ORDER_BY(read_rows_by_time, struct memory_event, ORDER_UP(time) ?: ORDER_UP(order));

/* At equal times frees come before allocations, which may reuse the address. */
static void read_memory_event(struct read *r, struct memory_events *events, int64_t *reference,
			      uint64_t number)
{
	struct memory_event e = {.kind = TRACE_ROW_ALLOC, .order = 2 * number + 1}, f;
	int64_t length;

	e.address = in_u64(&r->in);
	e.size = in_u64(&r->in);
	r->notes->n[TRACY_NOTE_CALLSTACKS] += in_u24(&r->in) != 0;
	r->notes->n[TRACY_NOTE_CALLSTACKS] += in_u24(&r->in) != 0;
	e.time = read_tick(read_delta(r, reference));
	length = in_i64(&r->in);
	e.thread = read_number(r, in_u16(&r->in));
	f = e;
	f.thread = read_number(r, in_u16(&r->in));
	f.kind = TRACE_ROW_FREE;
	f.order = length > 0 ? 0 : e.order + 1;
	f.time = length > 1ll << 50 ? read_tick(INT64_MAX) : e.time + (uint64_t)length;
	if (!read_ok(r) || !read_spend(r, 3 * sizeof(e)))
		return;
	if (!push_failed(r, vec_push(events, e)) && length >= 0)
		push_failed(r, vec_push(events, f));
}

static void read_pool(struct read *r, uint64_t number)
{
	struct trace_track t = {
		.process = r->process, .kind = TRACE_MEMORY, .id = number, .srcloc = TRACE_NONE};
	uint64_t pointer = in_u64(&r->in), n = in_u64(&r->in);
	struct memory_events events = {0};
	int64_t reference = 0;
	uint32_t track;

	in_skip(&r->in, 8 + 8); /* active, freed */
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_memory_event(r, &events, &reference, i);
	in_skip(&r->in, 4 * 8); /* highest, lowest, usage, name again */
	if (events.n) {
		t.name = pointer ? read_string(r, read_pointer(r, pointer), NULL) : "";
		track = read_rows_track_add(r, &t);
		qsort(events.v, events.n, sizeof(*events.v), read_rows_by_time);
		for (size_t i = 0; i < events.n && !r->sink.error; i++) {
			const struct memory_event *e = &events.v[i];
			struct trace_row row = {.time = e->time,
						.kind = e->kind,
						.thread = e->thread,
						.a = e->address,
						.b = e->kind == TRACE_ROW_ALLOC ? e->size : 0,
						.text = ""};

			sink_row(&r->sink, track, &row);
		}
		r->budget += 3 * events.n * sizeof(*events.v) / 2;
	}
	vec_free(&events);
}

void read_memory(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	in_u64(&r->in); /* events in all */
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_pool(r, i);
}
