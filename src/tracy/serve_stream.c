/* What a session tells: threads one after the other, then devices, then all rows by time. */
#include "tracy/device.h"
#include "tracy/serve.h"

#include <math.h>
#include <stdlib.h>

#define ZONES_AT_ONCE 1024

uint32_t serve_tid(const struct serve *s, uint32_t track)
{
	const struct out_thread *t = &s->model.threads[track];

	return t->tid <= UINT32_MAX ? (uint32_t)t->tid : 0x80000000u | t->number;
}

uint32_t serve_track(const struct serve *s, uint64_t tid)
{
	for (uint32_t i = 0; i < s->trace->track_count; i++)
		if (s->model.threads[i].written && serve_tid(s, i) == tid)
			return i;
	return TRACE_NONE;
}

static int64_t tick_of(const struct serve *s, uint64_t ticks)
{
	return SERVE_EPOCH + write_ns(&s->model, ticks);
}

/* The difference to the last time of the same reference. */
static uint64_t step(int64_t *reference, int64_t time)
{
	int64_t delta = time - *reference;

	*reference = time;
	return (uint64_t)delta;
}

static void switch_thread(struct serve *s, uint32_t track)
{
	uint32_t tid = track < s->trace->track_count && s->model.threads[track].written
			       ? serve_tid(s, track)
			       : 0;

	if (!tid || tid == s->tid)
		return;
	SERVE_PUT(s, WIRE_THREAD_CONTEXT, tid);
	s->tid = tid;
	s->thread_time = 0;
}

/* ------------------------------------------------------------------- zones */

static const struct out_srcloc *srcloc_of(const struct serve *s, uint32_t srcloc, uint64_t *pointer)
{
	int16_t id = s->model.srcloc[srcloc < s->trace->srcloc_count ? srcloc : 0];
	size_t index = id > 0 ? (size_t)id - 1 : SRCLOC_MAX + (size_t)(-id - 1);

	*pointer = id > 0 ? SERVE_SRCLOC + 64 * index : 0;
	return &s->model.srclocs.v[index];
}

static void add_string(const struct serve *s, struct buf *b, int64_t string, bool end)
{
	const struct string_entry *e = string < 0 ? NULL : &s->model.strings.list.v[string];

	if (e)
		buf_add(b, s->model.strings.text.data + e->at, e->len);
	if (end)
		buf_addc(b, 0);
}

/* A source location at run time: colour, line, function, file, name. */
static void put_payload(struct serve *s, const struct out_srcloc *l)
{
	uint32_t rgb = bgr(l->color);
	struct buf b = BUF_INIT;

	buf_add(&b, &rgb, 4);
	buf_add(&b, &l->line, 4);
	add_string(s, &b, l->function, true);
	add_string(s, &b, l->file, true);
	add_string(s, &b, l->name, false);
	serve_bytes(s, WIRE_SRCLOC_PAYLOAD, 0, b.data, b.len);
	s->failed |= b.failed;
	buf_free(&b);
}

static void put_extras(struct serve *s, const struct trace_zone *zone)
{
	int64_t folded = s->model.folded[zone->srcloc];
	struct trace_extra e;

	if (folded >= 0) {
		const struct string_entry *name = &s->model.strings.list.v[folded];

		serve_bytes(s, WIRE_SINGLE_STRING, 0, s->model.strings.text.data + name->at,
			    name->len);
		SERVE_PUT(s, WIRE_ZONE_NAME);
	}
	for (uint32_t i = 0; i < zone->extras; i++) {
		if (trace_cursor_extra(trace_walk_cursor(s->walk), i, &e) < 0)
			break;
		if (e.kind == TRACE_EXTRA_VALUE) {
			SERVE_PUT(s, WIRE_ZONE_VALUE, e.value);
		} else if (e.kind == TRACE_EXTRA_COLOR) {
			SERVE_PUT(s, WIRE_ZONE_COLOR, e.value & 0xff, e.value >> 8 & 0xff,
				  e.value >> 16 & 0xff);
		} else {
			serve_bytes(s, WIRE_SINGLE_STRING, 0, e.text, e.len);
			serve_put(s, e.kind == TRACE_EXTRA_NAME ? WIRE_ZONE_NAME : WIRE_ZONE_TEXT,
				  NULL);
		}
	}
}

static void thread_end(struct serve *s)
{
	SERVE_PUT(s, WIRE_ZONE_END, step(&s->thread_time, s->open.v[--s->open.n].end));
}

static void thread_begin(struct serve *s, const struct trace_zone *zone, int64_t time)
{
	uint64_t pointer;
	const struct out_srcloc *l = srcloc_of(s, zone->srcloc, &pointer);

	if (pointer) {
		SERVE_PUT(s, WIRE_ZONE_BEGIN, step(&s->thread_time, time), pointer);
	} else {
		put_payload(s, l);
		SERVE_PUT(s, WIRE_ZONE_BEGIN_ALLOC, step(&s->thread_time, time));
	}
	if (zone->extras || s->model.folded[zone->srcloc] >= 0)
		put_extras(s, zone);
}

static uint32_t queue_now(const struct serve *s)
{
	uint32_t track = s->model.device_tracks.v[s->track];

	return (uint32_t)device_queue(s->trace->tracks[track].id);
}

/* Each begin and end is followed by its time. */
static void device_time(struct serve *s, int64_t time)
{
	SERVE_PUT(s, WIRE_GPU_TIME, step(&s->gpu_time, time), s->queries[s->context], s->context);
	s->queries[s->context]++;
}

static void device_end(struct serve *s)
{
	int64_t time = s->open.v[--s->open.n].end;

	SERVE_PUT(s, WIRE_GPU_END_SERIAL, step(&s->serial_time, time), queue_now(s),
		  s->queries[s->context], s->context);
	device_time(s, time);
}

static void device_begin(struct serve *s, const struct trace_zone *zone, int64_t time)
{
	uint64_t pointer;

	put_payload(s, srcloc_of(s, zone->srcloc, &pointer));
	SERVE_PUT(s, WIRE_GPU_BEGIN_ALLOC_SERIAL, step(&s->serial_time, time), queue_now(s),
		  s->queries[s->context], s->context);
	device_time(s, time);
}

/* Some more zones of the walk; at its end the walk is closed. */
static int more_zones(struct serve *s,
		      void (*begin)(struct serve *, const struct trace_zone *, int64_t),
		      void (*end)(struct serve *))
{
	struct trace_zone zone;
	uint32_t lane;
	int r = 1;

	for (int i = 0; i < ZONES_AT_ONCE && (r = trace_walk_next(s->walk, &zone, &lane)) > 0;
	     i++) {
		uint32_t depth = s->trace->lanes[lane].depth;
		struct serve_zone z = {zone.flags & TRACE_ZONE_UNFINISHED ? -1
									  : tick_of(s, zone.end)};

		while (s->open.n > depth && s->open.v[s->open.n - 1].end >= 0)
			end(s);
		begin(s, &zone, tick_of(s, zone.start));
		if (vec_push(&s->open, z) < 0)
			return TACHO_ENOMEM;
	}
	if (r)
		return r < 0 ? r : 0;
	while (s->open.n && s->open.v[s->open.n - 1].end >= 0)
		end(s);
	s->open.n = 0;
	trace_walk_close(s->walk);
	s->walk = NULL;
	return 0;
}

static int step_threads(struct serve *s)
{
	if (s->walk)
		return more_zones(s, thread_begin, thread_end);
	while (s->track < s->trace->track_count && !s->model.threads[s->track].written)
		s->track++;
	if (s->track == s->trace->track_count) {
		s->track = 0;
		s->step++;
		return 0;
	}
	s->tid = 0;
	switch_thread(s, s->track);
	return trace_walk_open(&s->walk, s->trace, s->track++, 0, UINT64_MAX);
}

static int step_devices(struct serve *s)
{
	if (s->walk) {
		int r = more_zones(s, device_begin, device_end);

		s->track += !s->walk;
		return r;
	}
	if (s->track == s->model.device_tracks.n) {
		s->step++;
		return 0;
	}
	for (uint32_t i = 0; i < s->model.contexts.n; i++)
		if (s->model.contexts.v[i].first <= s->track)
			s->context = i;
	return trace_walk_open(&s->walk, s->trace, s->model.device_tracks.v[s->track], 0,
			       UINT64_MAX);
}

/* -------------------------------------------------------------------- rows */

static void put_message(struct serve *s, const struct trace_row *row)
{
	int64_t time = tick_of(s, row->time);

	switch_thread(s, row->thread);
	serve_bytes(s, WIRE_SINGLE_STRING, 0, row->text, row->text_len);
	if (row->kind == TRACE_ROW_APP_INFO)
		SERVE_PUT(s, WIRE_MESSAGE_APP_INFO, (uint64_t)time);
	else if (row->b)
		SERVE_PUT(s, WIRE_MESSAGE_COLOR, (uint64_t)time, row->b & 0xff, row->b >> 8 & 0xff,
			  row->b >> 16 & 0xff);
	else
		SERVE_PUT(s, WIRE_MESSAGE, (uint64_t)time);
}

static uint64_t name_pointer(const struct serve *s, uint32_t track)
{
	return s->model.names[track] < 0 ? 0 : STRING_POINTER(s->model.names[track]);
}

static void put_plot(struct serve *s, const struct trace_row *row, uint32_t track)
{
	enum wire_kind kind = row->kind == TRACE_ROW_PLOT_INT ? WIRE_PLOT_INT : WIRE_PLOT_DOUBLE;
	double value = 0;

	memcpy(&value, &row->a, sizeof(value));
	if (kind == WIRE_PLOT_DOUBLE && !isfinite(value))
		return;
	if (!s->tid) /* any thread will do for the reference */
		switch_thread(s,
			      serve_track(s, s->model.numbers.n > 1 ? s->model.numbers.v[1] : 0));
	SERVE_PUT(s, kind, name_pointer(s, track), step(&s->thread_time, tick_of(s, row->time)),
		  row->a);
}

static void put_frame(struct serve *s, const struct trace_row *row, uint32_t track)
{
	uint64_t time = (uint64_t)tick_of(s, row->time), name = name_pointer(s, track);

	if (s->trace->tracks[track].format != 1) {
		SERVE_PUT(s, WIRE_FRAME_MARK, time, name);
		return;
	}
	SERVE_PUT(s, WIRE_FRAME_MARK_START, time, name);
	if (row->a)
		SERVE_PUT(s, WIRE_FRAME_MARK_END, (uint64_t)tick_of(s, row->a), name);
}

static uint32_t tid_of(const struct serve *s, uint32_t thread)
{
	return thread < s->trace->track_count && s->model.threads[thread].written
		       ? serve_tid(s, thread)
		       : 0;
}

/* A viewer stops when memory is freed that it has not seen allocated, or allocated twice. */
static int put_memory(struct serve *s, const struct trace_row *row, uint32_t track)
{
	uint64_t key = row->a ^ (uint64_t)track << 48, pool = name_pointer(s, track);
	uint32_t *live = map_get(&s->live, key);
	bool alloc = row->kind == TRACE_ROW_ALLOC;

	if (alloc == (live && *live))
		return 0;
	if (map_set(&s->live, key, alloc) < 0)
		return TACHO_ENOMEM;
	if (pool)
		SERVE_PUT(s, WIRE_MEM_NAME, pool);
	if (alloc)
		SERVE_PUT(s, pool ? WIRE_MEM_ALLOC_NAMED : WIRE_MEM_ALLOC,
			  step(&s->serial_time, tick_of(s, row->time)), tid_of(s, row->thread),
			  row->a, row->b);
	else
		SERVE_PUT(s, pool ? WIRE_MEM_FREE_NAMED : WIRE_MEM_FREE,
			  step(&s->serial_time, tick_of(s, row->time)), tid_of(s, row->thread),
			  row->a);
	return 0;
}

/* Who obtains a lock must have waited for it. */
static int put_lock(struct serve *s, const struct trace_row *row, uint32_t track)
{
	static const enum wire_kind kinds[] = {WIRE_LOCK_WAIT,          WIRE_LOCK_OBTAIN,
					       WIRE_LOCK_RELEASE,       WIRE_LOCK_SHARED_WAIT,
					       WIRE_LOCK_SHARED_OBTAIN, WIRE_LOCK_SHARED_RELEASE};
	uint32_t tid = tid_of(s, row->thread);
	uint64_t key = (uint64_t)track << 32 | tid, delta;
	bool obtains = row->a == TRACE_LOCK_OBTAIN || row->a == TRACE_LOCK_OBTAIN_SHARED;
	uint32_t *waits = map_get(&s->waits, key);

	if (row->a > TRACE_LOCK_RELEASE_SHARED)
		return 0;
	delta = step(&s->serial_time, tick_of(s, row->time));
	if (obtains && !(waits && *waits)) {
		SERVE_PUT(s, kinds[row->a - 1], tid, track, delta);
		delta = 0;
	}
	if (map_set(&s->waits, key, row->a == TRACE_LOCK_WAIT || row->a == TRACE_LOCK_WAIT_SHARED) <
	    0)
		return TACHO_ENOMEM;
	if (row->a == TRACE_LOCK_RELEASE)
		SERVE_PUT(s, WIRE_LOCK_RELEASE, track, delta);
	else if (row->a == TRACE_LOCK_RELEASE_SHARED)
		SERVE_PUT(s, WIRE_LOCK_SHARED_RELEASE, track, delta, tid);
	else
		SERVE_PUT(s, kinds[row->a], tid, track, delta);
	return 0;
}

static int put_row(struct serve *s, const struct trace_row *row, uint32_t track)
{
	switch (row->kind) {
	case TRACE_ROW_MESSAGE:
	case TRACE_ROW_APP_INFO:
		put_message(s, row);
		return 0;
	case TRACE_ROW_PLOT_INT:
	case TRACE_ROW_PLOT_REAL:
		put_plot(s, row, track);
		return 0;
	case TRACE_ROW_FRAME:
		put_frame(s, row, track);
		return 0;
	case TRACE_ROW_ALLOC:
	case TRACE_ROW_FREE:
		return put_memory(s, row, track);
	case TRACE_ROW_LOCK:
		return put_lock(s, row, track);
	default:
		return 0;
	}
}

static int step_rows(struct serve *s)
{
	struct trace_row row;
	uint32_t track;
	int r = s->rows ? 0 : trace_rows_open(&s->rows, s->trace, TRACE_NONE, 0, UINT64_MAX);

	for (int i = 0; r == 0 && i < ZONES_AT_ONCE; i++) {
		r = trace_rows_next(s->rows, &row, &track);
		if (r < 0)
			return r;
		if (r == 0) {
			s->step++;
			return 0;
		}
		r = put_row(s, &row, track);
	}
	return r;
}

/* ------------------------------------------------------------------- steps */

/* What must be known before it is used: contexts, locks, how plots look. */
static void put_start(struct serve *s)
{
	const struct write *m = &s->model;
	uint64_t one;
	double period = 1;

	memcpy(&one, &period, sizeof(one));
	for (uint32_t i = 0; i < m->contexts.n; i++) {
		const struct string_entry *e = &m->strings.list.v[m->contexts.v[i].name];

		SERVE_PUT(s, WIRE_GPU_NEW_CONTEXT, SERVE_EPOCH, SERVE_EPOCH, 0, one, i, 0, 6);
		serve_bytes(s, WIRE_SINGLE_STRING, 0, m->strings.text.data + e->at, e->len);
		SERVE_PUT(s, WIRE_GPU_CONTEXT_NAME, i);
	}
	for (uint32_t i = 0; i < s->trace->track_count; i++) {
		const struct trace_track *t = &s->trace->tracks[i];
		uint64_t pointer = 0;

		if (t->kind == TRACE_PLOT)
			SERVE_PUT(s, WIRE_PLOT_CONFIG, name_pointer(s, i), t->format,
				  (t->flags & TRACE_PLOT_STEP) != 0,
				  (t->flags & TRACE_PLOT_FILL) != 0, t->color);
		if (t->kind != TRACE_LOCK || !m->srclocs.n)
			continue;
		if (t->srcloc < s->trace->srcloc_count)
			srcloc_of(s, t->srcloc, &pointer);
		else if (m->lock_srcloc > 0)
			pointer = SERVE_SRCLOC + 64 * (uint64_t)(m->lock_srcloc - 1);
		SERVE_PUT(s, WIRE_LOCK_ANNOUNCE, i, SERVE_EPOCH, pointer ? pointer : SERVE_SRCLOC,
			  t->format == 1);
	}
}

int stream_step(struct serve *s)
{
	switch (s->step) {
	case SERVE_START:
		put_start(s);
		s->step++;
		return 0;
	case SERVE_THREADS:
		return step_threads(s);
	case SERVE_DEVICES:
		return step_devices(s);
	case SERVE_ROWS:
		return step_rows(s);
	default:
		SERVE_PUT(s, WIRE_TERMINATE);
		s->step = SERVE_DONE;
		return 0;
	}
}

void stream_close(struct serve *s)
{
	trace_walk_close(s->walk);
	trace_rows_close(s->rows);
	vec_free(&s->open);
	map_free(&s->live);
	map_free(&s->waits);
}
