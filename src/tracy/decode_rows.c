/* SPDX-License-Identifier: Apache-2.0 */
/* Second pass: messages, plots, frames, locks, memory, and items that are only counted. */
#include "tracy/decode.h"
#include "tracy/image.h"

#include <stdlib.h>

/* ------------------------------------------------------------------- tracks */

/* Finds the track of a kind and number, or creates it. NULL if out of memory. */
static struct wire_track *decode_rows_track_of(struct decoder *d, uint32_t kind, uint64_t number,
					       const char *name)
{
	uint32_t *known = map_get(&d->track_of[kind], number);
	struct wire_track t = {.info = {.process = d->process,
					.kind = kind,
					.id = number,
					.srcloc = TRACE_NONE,
					.name = name},
			       .holder = TRACE_NONE};

	if (known)
		return &d->tracks.v[*known];
	t.track = sink_track(&d->sink, &t.info);
	if (t.track == TRACE_NONE ||
	    map_set(&d->track_of[kind], number, (uint32_t)d->tracks.n) < 0 ||
	    vec_push(&d->tracks, t) < 0) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return NULL;
	}
	return &d->tracks.v[d->tracks.n - 1];
}

/* Writes a changed definition; the name is passed each time because it is stored elsewhere. */
static void track_changed(struct decoder *d, struct wire_track *t, const char *name)
{
	t->info.name = name;
	if (!d->sink.error)
		sink_error(&d->sink, trace_update_track(d->sink.w, t->track, &t->info));
	t->info.name = "";
}

static void decode_rows_put(struct decoder *d, uint32_t track, uint32_t thread, uint32_t kind,
			    uint64_t tick, uint64_t a, uint64_t b)
{
	struct trace_row row = {
		.time = tick, .kind = kind, .thread = thread, .a = a, .b = b, .text = ""};

	sink_row(&d->sink, track, &row);
}

static uint32_t current_thread(const struct decoder *d)
{
	return d->thread ? d->thread->track : TRACE_NONE;
}

static uint32_t decode_rows_thread_track(struct decoder *d, uint64_t tid)
{
	struct wire_thread *t = decode_thread(d, (uint32_t)tid);

	return t ? t->track : TRACE_NONE;
}

/* ----------------------------------------------------------------- messages */

static void decode_rows_text_put(struct decoder *d, uint32_t kind, int64_t time, uint64_t severity,
				 uint64_t color, const char *text, uint32_t len)
{
	struct wire_track *t = decode_rows_track_of(d, TRACE_MESSAGES, 0, "");
	struct trace_row row = {.time = decode_tick(d, time),
				.kind = kind,
				.thread = current_thread(d),
				.a = severity,
				.b = color,
				.text = text,
				.text_len = len};

	if (t)
		sink_row(&d->sink, t->track, &row);
}

static uint64_t severity_of(const struct decoder *d, uint64_t metadata)
{
	uint64_t severity = metadata >> 4 & 15;

	return d->protocol.short_items && severity <= TRACE_SEVERITY_FATAL ? severity
									   : TRACE_SEVERITY_INFO;
}

static uint64_t decode_rows_color_of(const uint64_t *bgr)
{
	return bgr[2] << 16 | bgr[1] << 8 | bgr[0];
}

static void on_message(struct decoder *d, const struct wire_read *item)
{
	bool color = item->kind == WIRE_MESSAGE_COLOR || item->kind == WIRE_MESSAGE_COLOR_CALLSTACK;

	decode_rows_text_put(d, TRACE_ROW_MESSAGE, (int64_t)item->v[0],
			     severity_of(d, item->v[color ? 4 : 1]),
			     color ? decode_rows_color_of(item->v + 1) : 0, d->single.data,
			     (uint32_t)d->single.len);
}

/* From version 82 on the address is shifted and the severity is in the low bits. */
static void on_literal(struct decoder *d, const struct wire_read *item)
{
	bool color = item->kind == WIRE_MESSAGE_LITERAL_COLOR ||
		     item->kind == WIRE_MESSAGE_LITERAL_COLOR_CALLSTACK;
	uint64_t tagged = item->v[color ? 4 : 1];
	uint32_t len;
	const char *text = lookup_string(d, d->protocol.short_items ? tagged >> 8 : tagged, &len);

	decode_rows_text_put(d, TRACE_ROW_MESSAGE, (int64_t)item->v[0], severity_of(d, tagged),
			     color ? decode_rows_color_of(item->v + 1) : 0, text, len);
}

static void on_crash(struct decoder *d, const struct wire_read *item)
{
	uint32_t len;
	const char *text = lookup_string(d, item->v[1], &len);

	decode_rows_text_put(d, TRACE_ROW_CRASH, (int64_t)item->v[0], 0, 0, text, len);
	d->crashed = true;
}

/* -------------------------------------------------------------------- plots */

static void on_plot(struct decoder *d, const struct wire_read *item)
{
	struct wire_track *t =
		decode_rows_track_of(d, TRACE_PLOT, item->v[0], lookup_string(d, item->v[0], NULL));
	bool whole = item->kind == WIRE_PLOT_INT;

	decode_advance(&d->thread_time, item->v[1]);
	if (t)
		decode_rows_put(d, t->track, current_thread(d),
				whole ? TRACE_ROW_PLOT_INT : TRACE_ROW_PLOT_REAL,
				decode_tick(d, d->thread_time), item->v[2], 0);
}

static void on_plot_config(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	struct wire_track *t =
		decode_rows_track_of(d, TRACE_PLOT, v[0], lookup_string(d, v[0], NULL));

	if (!t)
		return;
	t->info.format = v[1] <= TRACE_PLOT_WATT ? (uint32_t)v[1] : TRACE_PLOT_NUMBER;
	t->info.flags = (v[2] ? TRACE_PLOT_STEP : 0) | (v[3] ? TRACE_PLOT_FILL : 0);
	t->info.color = (uint32_t)v[4] & 0xffffff;
	track_changed(d, t, lookup_string(d, v[0], NULL));
}

/* Numbers that cannot be addresses. */
enum { CPU_USAGE = 1 };

static void on_system_time(struct decoder *d, const struct wire_read *item)
{
	bool new = !map_get(&d->track_of[TRACE_PLOT], CPU_USAGE);
	struct wire_track *t = decode_rows_track_of(d, TRACE_PLOT, CPU_USAGE, "CPU usage");

	if (!t)
		return;
	if (new) {
		t->info.format = TRACE_PLOT_PERCENT;
		track_changed(d, t, "CPU usage");
	}
	decode_rows_put(d, t->track, TRACE_NONE, TRACE_ROW_PLOT_REAL,
			decode_tick(d, (int64_t)item->v[0]), item->v[1], 0);
}

/* Energy since the last reading, in microjoules, is converted to power. */
static void on_power(struct decoder *d, const struct wire_read *item)
{
	const char *name = lookup_string(d, item->v[2], NULL);
	struct wire_track *t = decode_rows_track_of(d, TRACE_PLOT, item->v[2], name);
	uint64_t tick = decode_tick(d, (int64_t)item->v[0]), bits;
	double ns, watts;

	if (!t)
		return;
	ns = (double)(int64_t)(item->v[0] - t->open) * d->tick_ns;
	watts = ns > 0 ? (double)item->v[1] * 1000 / ns : 0;
	memcpy(&bits, &watts, sizeof(bits));
	if (!t->open) {
		t->info.format = TRACE_PLOT_WATT;
		track_changed(d, t, name);
	} else {
		decode_rows_put(d, t->track, TRACE_NONE, TRACE_ROW_PLOT_REAL, tick, bits, 0);
	}
	t->open = item->v[0];
}

/* ------------------------------------------------------------------- frames */

static void on_frame(struct decoder *d, const struct wire_read *item)
{
	const char *name = lookup_string(d, item->v[1], NULL);
	struct wire_track *t = decode_rows_track_of(d, TRACE_FRAMES, item->v[1], name);
	uint64_t tick = decode_tick(d, (int64_t)item->v[0]);

	if (!t)
		return;
	if (item->kind == WIRE_FRAME_MARK) {
		decode_rows_put(d, t->track, current_thread(d), TRACE_ROW_FRAME, tick, 0, 0);
		if (!item->v[1]) {
			d->frames++;
			d->last_frame = tick;
		}
	} else if (item->kind == WIRE_FRAME_MARK_START) {
		t->open = tick;
		if (!t->info.format) {
			t->info.format = 1;
			track_changed(d, t, name);
		}
	} else if (t->open) {
		decode_rows_put(d, t->track, current_thread(d), TRACE_ROW_FRAME, t->open, tick, 0);
		t->open = 0;
	}
}

/* -------------------------------------------------------------------- locks */

static void on_lock_announce(struct decoder *d, const struct wire_read *item)
{
	struct wire_track *t = decode_rows_track_of(d, TRACE_LOCK, item->v[0], "");

	if (!t)
		return;
	t->info.srcloc = lookup_srcloc(d, item->v[2]);
	t->info.format = item->v[3] == 1;
	t->last = decode_tick(d, (int64_t)item->v[1]);
	track_changed(d, t, "");
}

static void on_lock_name(struct decoder *d, const struct wire_read *item)
{
	struct wire_track *t = decode_rows_track_of(d, TRACE_LOCK, item->v[0], "");
	char *name = t ? strndup(d->single.data, (uint32_t)d->single.len) : NULL;

	if (name)
		track_changed(d, t, name);
	free(name);
}

/* The release of an exclusive lock does not name the thread: it is the holder. */
static void on_lock(struct decoder *d, const struct wire_read *item)
{
	static const struct {
		uint8_t op, thread, id, time;
	} ops[] = {
		[WIRE_LOCK_WAIT - WIRE_LOCK_WAIT] = {TRACE_LOCK_WAIT, 0, 1, 2},
		[WIRE_LOCK_OBTAIN - WIRE_LOCK_WAIT] = {TRACE_LOCK_OBTAIN, 0, 1, 2},
		[WIRE_LOCK_RELEASE - WIRE_LOCK_WAIT] = {TRACE_LOCK_RELEASE, 0xff, 0, 1},
		[WIRE_LOCK_SHARED_WAIT - WIRE_LOCK_WAIT] = {TRACE_LOCK_WAIT_SHARED, 0, 1, 2},
		[WIRE_LOCK_SHARED_OBTAIN - WIRE_LOCK_WAIT] = {TRACE_LOCK_OBTAIN_SHARED, 0, 1, 2},
		[WIRE_LOCK_SHARED_RELEASE - WIRE_LOCK_WAIT] = {TRACE_LOCK_RELEASE_SHARED, 2, 0, 1},
	};
	int i = (int)item->kind - WIRE_LOCK_WAIT;
	struct wire_track *t = decode_rows_track_of(d, TRACE_LOCK, item->v[ops[i].id], "");
	uint32_t thread;

	decode_advance(&d->serial_time, item->v[ops[i].time]);
	if (!t)
		return;
	thread = ops[i].thread == 0xff ? t->holder
				       : decode_rows_thread_track(d, item->v[ops[i].thread]);
	if (item->kind == WIRE_LOCK_OBTAIN)
		t->holder = thread;
	t->last = decode_tick(d, d->serial_time);
	decode_rows_put(d, t->track, thread, TRACE_ROW_LOCK, t->last, ops[i].op, TRACE_NONE);
}

static void on_lock_mark(struct decoder *d, const struct wire_read *item)
{
	struct wire_track *t = decode_rows_track_of(d, TRACE_LOCK, item->v[1], "");

	if (t)
		decode_rows_put(d, t->track, decode_rows_thread_track(d, item->v[0]),
				TRACE_ROW_LOCK, t->last, TRACE_LOCK_MARK,
				lookup_srcloc(d, item->v[2]));
}

static void on_lock_end(struct decoder *d, const struct wire_read *item)
{
	struct wire_track *t = decode_rows_track_of(d, TRACE_LOCK, item->v[0], "");

	if (t)
		decode_rows_put(d, t->track, TRACE_NONE, TRACE_ROW_LOCK,
				decode_tick(d, (int64_t)item->v[1]), TRACE_LOCK_END, TRACE_NONE);
}

/* ------------------------------------------------------------------- memory */

static void on_memory(struct decoder *d, const struct wire_read *item)
{
	bool named = item->kind == WIRE_MEM_ALLOC_NAMED || item->kind == WIRE_MEM_FREE_NAMED ||
		     item->kind == WIRE_MEM_ALLOC_CALLSTACK_NAMED ||
		     item->kind == WIRE_MEM_FREE_CALLSTACK_NAMED;
	bool alloc = item->kind == WIRE_MEM_ALLOC || item->kind == WIRE_MEM_ALLOC_NAMED ||
		     item->kind == WIRE_MEM_ALLOC_CALLSTACK ||
		     item->kind == WIRE_MEM_ALLOC_CALLSTACK_NAMED;
	uint64_t pool = named ? d->memory_name : 0;
	struct wire_track *t = decode_rows_track_of(d, TRACE_MEMORY, pool,
						    named ? lookup_string(d, pool, NULL) : "");

	decode_advance(&d->serial_time, item->v[0]);
	if (!t)
		return;
	if (named && alloc)
		owned_add(&t->owned, item->v[2]);
	else if (named)
		owned_remove(&t->owned, item->v[2]);
	decode_rows_put(d, t->track, decode_rows_thread_track(d, item->v[1]),
			alloc ? TRACE_ROW_ALLOC : TRACE_ROW_FREE, decode_tick(d, d->serial_time),
			item->v[2], alloc ? item->v[3] : 0);
}

/* All memory of a pool is freed: a row for each allocation. */
static void on_discard(struct decoder *d, const struct wire_read *item)
{
	uint32_t *known = map_get(&d->track_of[TRACE_MEMORY], item->v[2]);
	struct wire_track *t = known && item->v[2] ? &d->tracks.v[*known] : NULL;
	uint64_t address;

	decode_advance(&d->serial_time, item->v[0]);
	if (!t)
		return;
	d->notes->n[TRACY_NOTE_DISCARDS] += t->owned.incomplete;
	while (owned_take(&t->owned, &address))
		decode_rows_put(d, t->track, decode_rows_thread_track(d, item->v[1]),
				TRACE_ROW_FREE, decode_tick(d, d->serial_time), address, 0);
}

/* ------------------------------------- frame images, sections, parameters */

/* Numbers of tracks of kind TRACE_OTHER. */
enum { IMAGES_NUMBER = 1 << 20, SECTIONS_NUMBER, PARAMETERS_NUMBER };

static void decode_rows_other_put(struct decoder *d, uint64_t number, const char *name,
				  struct trace_row *row)
{
	struct wire_track *t = decode_rows_track_of(d, TRACE_OTHER, number, name);

	row->thread = current_thread(d);
	if (t)
		sink_row(&d->sink, t->track, row);
}

static void on_image_data(struct decoder *d, const struct wire_read *item)
{
	buf_reset(&d->image);
	if (buf_add(&d->image, item->bytes, item->len) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
	else if (item->len)
		image_from_wire(d->image.data, item->len);
}

/*
 * Its number counts marks from the start of the program, and the trace has two frames before the
 * first mark. It may arrive before the mark of its frame.
 */
static void on_image(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	uint64_t mark = v[0] - d->frame_offset + 2;
	struct trace_row row = {.kind = TRACE_ROW_FRAME_IMAGE,
				.time = d->last_frame + 1,
				.a = d->frames - mark,
				.b = TRACE_IMAGE(v[1], v[2], v[3] != 0),
				.text = d->image.data,
				.text_len = (uint32_t)d->image.len};

	if (TRACE_IMAGE_IS_WHOLE(&row))
		decode_rows_other_put(d, IMAGES_NUMBER, TRACE_IMAGES, &row);
	else
		d->notes->n[TRACY_NOTE_IMAGES]++;
	buf_reset(&d->image);
}

static void on_section(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	bool enter = item->kind == WIRE_SECTION_ENTER;
	struct trace_row row = {.kind = TRACE_ROW_SECTION,
				.a = v[1],
				.b = enter ? v[2] : 0,
				.c = enter ? TRACE_SECTION_ENTER : TRACE_SECTION_LEAVE,
				.text = enter ? d->single.data : "",
				.text_len = enter ? (uint32_t)d->single.len : 0};

	decode_advance(&d->thread_time, v[0]);
	row.time = decode_tick(d, d->thread_time);
	decode_rows_other_put(d, SECTIONS_NUMBER, TRACE_SECTIONS, &row);
}

/* This event has no time. */
static void on_section_name(struct decoder *d, const struct wire_read *item)
{
	struct trace_row row = {.kind = TRACE_ROW_SECTION,
				.time = d->last,
				.b = item->v[0],
				.c = TRACE_SECTION_NAME,
				.text = d->single.data,
				.text_len = (uint32_t)d->single.len};

	decode_rows_other_put(d, SECTIONS_NUMBER, TRACE_SECTIONS, &row);
}

/* Neither has this one. */
static void on_parameter(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	struct trace_row row = {.kind = TRACE_ROW_PARAMETER,
				.time = d->last,
				.a = v[0],
				.b = TRACE_PARAMETER(v[2], 0),
				.c = (uint64_t)(int32_t)v[3]};

	row.text = lookup_string(d, v[1], &row.text_len);
	decode_rows_other_put(d, PARAMETERS_NUMBER, TRACE_PARAMETERS, &row);
}

void decode_parameter_set(struct decoder *d, uint32_t number, int32_t value)
{
	struct trace_row row = {.kind = TRACE_ROW_PARAMETER,
				.time = d->last,
				.a = number,
				.b = TRACE_PARAMETER(0, 1),
				.c = (uint64_t)value,
				.text = ""};

	decode_rows_other_put(d, PARAMETERS_NUMBER, TRACE_PARAMETERS, &row);
}

/* --------------------------------------------------------------------- rest */

static void on_other(struct decoder *d, enum wire_kind kind)
{
	switch (kind) {
	case WIRE_CALLSTACK:
	case WIRE_CALLSTACK_SERIAL:
	case WIRE_CALLSTACK_ALLOC:
		d->notes->n[TRACY_NOTE_CALLSTACKS]++;
		break;
	case WIRE_HW_CYCLE ... WIRE_HW_BRANCH_MISS:
		d->notes->n[TRACY_NOTE_HW_SAMPLES]++;
		break;
	case WIRE_GPU_ZONE_ANNOTATION:
		d->notes->n[TRACY_NOTE_DEVICE_EXTRAS]++;
		break;
	case WIRE_FRAME_VSYNC:
		d->notes->n[TRACY_NOTE_VSYNCS]++;
		break;
	default:
		break;
	}
}

void decode_row(struct decoder *d, const struct wire_read *item)
{
	switch (item->kind) {
	case WIRE_MESSAGE ... WIRE_MESSAGE_COLOR_CALLSTACK:
		on_message(d, item);
		break;
	case WIRE_MESSAGE_APP_INFO:
		decode_rows_text_put(d, TRACE_ROW_APP_INFO, (int64_t)item->v[0], 0, 0,
				     d->single.data, (uint32_t)d->single.len);
		break;
	case WIRE_MESSAGE_LITERAL ... WIRE_MESSAGE_LITERAL_COLOR_CALLSTACK:
		on_literal(d, item);
		break;
	case WIRE_CRASH_REPORT:
		on_crash(d, item);
		break;
	case WIRE_PLOT_INT ... WIRE_PLOT_DOUBLE:
		on_plot(d, item);
		break;
	case WIRE_PLOT_CONFIG:
		on_plot_config(d, item);
		break;
	case WIRE_SYS_TIME:
		on_system_time(d, item);
		break;
	case WIRE_SYS_POWER:
		on_power(d, item);
		break;
	case WIRE_FRAME_MARK ... WIRE_FRAME_MARK_END:
		on_frame(d, item);
		break;
	case WIRE_LOCK_ANNOUNCE:
		on_lock_announce(d, item);
		break;
	case WIRE_LOCK_NAME:
		on_lock_name(d, item);
		break;
	case WIRE_LOCK_WAIT ... WIRE_LOCK_SHARED_RELEASE:
		on_lock(d, item);
		break;
	case WIRE_LOCK_MARK:
		on_lock_mark(d, item);
		break;
	case WIRE_LOCK_TERMINATE:
		on_lock_end(d, item);
		break;
	case WIRE_MEM_ALLOC ... WIRE_MEM_FREE_CALLSTACK_NAMED:
		on_memory(d, item);
		break;
	case WIRE_FRAME_IMAGE_DATA:
		on_image_data(d, item);
		break;
	case WIRE_FRAME_IMAGE:
		on_image(d, item);
		break;
	case WIRE_SECTION_ENTER:
	case WIRE_SECTION_LEAVE:
		on_section(d, item);
		break;
	case WIRE_SECTION_SETUP:
		on_section_name(d, item);
		break;
	case WIRE_PARAM_SETUP:
		on_parameter(d, item);
		break;
	case WIRE_MEM_DISCARD:
	case WIRE_MEM_DISCARD_CALLSTACK:
		on_discard(d, item);
		break;
	default:
		on_other(d, item->kind);
		break;
	}
}
