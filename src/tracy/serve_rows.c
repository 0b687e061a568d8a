/* SPDX-License-Identifier: Apache-2.0 */
/* Send rows to a Tracy viewer: messages, plots, frames, memory, locks, by time. */
#include "op/message_text.h"
#include "tracy/image.h"
#include "tracy/serve.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_AT_ONCE 1024

static void put_message(struct serve *s, const struct trace_row *row)
{
	int64_t time = serve_tick(s, row->time);
	uint64_t severity =
		row->a << 4; /* from version 82 on; the source, the program, is in the low bits */

	serve_switch(s, row->thread);
	serve_bytes(s, WIRE_SINGLE_STRING, 0, row->text, row->text_len);
	if (row->kind == TRACE_ROW_APP_INFO)
		SERVE_PUT(s, WIRE_MESSAGE_APP_INFO, (uint64_t)time);
	else if (row->b)
		SERVE_PUT(s, WIRE_MESSAGE_COLOR, (uint64_t)time, row->b & 0xff, row->b >> 8 & 0xff,
			  row->b >> 16 & 0xff, severity);
	else
		SERVE_PUT(s, WIRE_MESSAGE, (uint64_t)time, severity);
}

uint64_t serve_name(const struct serve *s, uint32_t track)
{
	return s->model->names[track] < 0 ? 0 : STRING_POINTER(s->model->names[track]);
}

static void serve_rows_plot_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	enum wire_kind kind = row->kind == TRACE_ROW_PLOT_INT ? WIRE_PLOT_INT : WIRE_PLOT_DOUBLE;
	double value = 0;

	memcpy(&value, &row->a, sizeof(value));
	if (kind == WIRE_PLOT_DOUBLE && !isfinite(value))
		return;
	if (!s->tid) /* any thread serves as the reference */
		serve_switch(s,
			     serve_track(s, s->model->numbers.n > 1 ? s->model->numbers.v[1] : 0));
	SERVE_PUT(s, kind, serve_name(s, track),
		  serve_step_time(&s->thread_time, serve_tick(s, row->time)), row->a);
}

static void serve_rows_frame_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	uint64_t time = (uint64_t)serve_tick(s, row->time), name = serve_name(s, track);

	if (s->trace->tracks[track].format != 1) {
		s->marks += !name && s->trace->tracks[track].process == s->model->process;
		SERVE_PUT(s, WIRE_FRAME_MARK, time, name);
		return;
	}
	SERVE_PUT(s, WIRE_FRAME_MARK_START, time, name);
	if (row->a)
		SERVE_PUT(s, WIRE_FRAME_MARK_END, (uint64_t)serve_tick(s, row->a), name);
}

static uint32_t tid_of(const struct serve *s, uint32_t thread)
{
	return thread < s->trace->track_count && s->model->threads[thread].written
		       ? serve_tid(s, thread)
		       : 0;
}

/* A viewer aborts on a free without an allocation, and on a double allocation. */
static int serve_rows_memory_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	uint64_t key = row->a ^ (uint64_t)track << 48, pool = serve_name(s, track);
	uint32_t *live = map_get(&s->live_memory, key);
	bool alloc = row->kind == TRACE_ROW_ALLOC;

	if (alloc == (live && *live))
		return 0;
	if (map_set(&s->live_memory, key, alloc) < 0)
		return TACHO_ENOMEM;
	if (pool)
		SERVE_PUT(s, WIRE_MEM_NAME, pool);
	if (alloc)
		SERVE_PUT(s, pool ? WIRE_MEM_ALLOC_NAMED : WIRE_MEM_ALLOC,
			  serve_step_time(&s->serial_time, serve_tick(s, row->time)),
			  tid_of(s, row->thread), row->a, row->b);
	else
		SERVE_PUT(s, pool ? WIRE_MEM_FREE_NAMED : WIRE_MEM_FREE,
			  serve_step_time(&s->serial_time, serve_tick(s, row->time)),
			  tid_of(s, row->thread), row->a);
	return 0;
}

/* A viewer requires a wait before each obtain. */
static int serve_rows_lock_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	static const enum wire_kind kinds[] = {WIRE_LOCK_WAIT,          WIRE_LOCK_OBTAIN,
					       WIRE_LOCK_RELEASE,       WIRE_LOCK_SHARED_WAIT,
					       WIRE_LOCK_SHARED_OBTAIN, WIRE_LOCK_SHARED_RELEASE};
	uint32_t tid = tid_of(s, row->thread);
	uint64_t key = (uint64_t)track << 32 | tid, delta;
	bool obtains = row->a == TRACE_LOCK_OBTAIN || row->a == TRACE_LOCK_OBTAIN_SHARED;
	uint32_t *waits = map_get(&s->waits, key);

	if (row->a > TRACE_LOCK_RELEASE_SHARED) {
		uint64_t pointer = 0;

		/* Where it is held, and its end. */
		if (row->a == TRACE_LOCK_END)
			SERVE_PUT(s, WIRE_LOCK_TERMINATE, track, serve_tick(s, row->time));
		if (row->a == TRACE_LOCK_MARK && row->b < s->trace->srcloc_count)
			serve_srcloc(s, (uint32_t)row->b, &pointer);
		if (pointer)
			SERVE_PUT(s, WIRE_LOCK_MARK, tid_of(s, row->thread), track, pointer);
		return 0;
	}
	delta = serve_step_time(&s->serial_time, serve_tick(s, row->time));
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

/* Images too large for a frame of the stream are left out. */
#define IMAGE_MAX (120u << 10)

static int serve_rows_image_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	uint64_t mark = s->marks - row->a;
	char *blocks;

	if (s->trace->tracks[track].process != s->model->process || !mark || mark > UINT32_MAX ||
	    !TRACE_IMAGE_IS_WHOLE(row) || row->text_len > IMAGE_MAX || map_get(&s->images, mark))
		return 0;
	blocks = malloc(row->text_len);
	if (!blocks || map_set(&s->images, mark, 1) < 0) {
		free(blocks);
		return TACHO_ENOMEM;
	}
	memcpy(blocks, row->text, row->text_len);
	image_to_wire(blocks, row->text_len);
	serve_bytes(s, WIRE_FRAME_IMAGE_DATA, mark, blocks, row->text_len);
	SERVE_PUT(s, WIRE_FRAME_IMAGE, mark, TRACE_IMAGE_WIDTH(row->b), TRACE_IMAGE_HEIGHT(row->b),
		  TRACE_IMAGE_FLIP(row->b));
	free(blocks);
	return 0;
}

/* From version 82 on. Sections of several tracks have equal numbers. */
static void serve_rows_section_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	uint64_t number = (uint32_t)(row->a + (uint64_t)track * 0x9e3779b1u);

	if (s->protocol.types[WIRE_SECTION_ENTER] == 0xff) /* older viewers have no sections */
		return;
	if (row->c != TRACE_SECTION_LEAVE)
		serve_bytes(s, WIRE_SINGLE_STRING, 0, row->text, row->text_len);
	if (row->c == TRACE_SECTION_NAME) {
		SERVE_PUT(s, WIRE_SECTION_SETUP, row->b);
		return;
	}
	if (!s->tid)
		serve_switch(s,
			     serve_track(s, s->model->numbers.n > 1 ? s->model->numbers.v[1] : 0));
	if (row->c == TRACE_SECTION_ENTER)
		SERVE_PUT(s, WIRE_SECTION_ENTER,
			  serve_step_time(&s->thread_time, serve_tick(s, row->time)), number,
			  row->b);
	else
		SERVE_PUT(s, WIRE_SECTION_LEAVE,
			  serve_step_time(&s->thread_time, serve_tick(s, row->time)), number);
}

/* A viewer adds each declaration to its list, so each is sent once. */
static int serve_rows_parameter_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	struct serve_parameter p = {s->trace->tracks[track].process, (uint32_t)row->a, NULL};
	size_t index = s->parameters.n;

	if (TRACE_PARAMETER_IS_SET(row->b))
		return 0;
	for (size_t i = 0; i < index; i++)
		if (s->parameters.v[i].process == p.process &&
		    s->parameters.v[i].number == p.number)
			return 0;
	p.name = strndup(row->text, row->text_len);
	if (!p.name || vec_push(&s->parameters, p) < 0) {
		free(p.name);
		return TACHO_ENOMEM;
	}
	SERVE_PUT(s, WIRE_PARAM_SETUP, index, SERVE_PARAMETER + 64 * index,
		  TRACE_PARAMETER_TYPE(row->b), row->c);
	return 0;
}

static int serve_rows_op_put(struct serve *s, const struct trace_row *row)
{
	struct trace_row message = *row;
	struct buf text = BUF_INIT;
	int r = op_row_message(&message, &text);

	if (r == 0)
		put_message(s, &message);
	buf_free(&text);
	return r;
}

static int serve_rows_row_put(struct serve *s, const struct trace_row *row, uint32_t track)
{
	switch (row->kind) {
	case TRACE_ROW_MESSAGE:
	case TRACE_ROW_APP_INFO:
		put_message(s, row);
		return 0;
	case TRACE_ROW_OP:
	case TRACE_ROW_OP_TRACE:
		return serve_rows_op_put(s, row);
	case TRACE_ROW_PLOT_INT:
	case TRACE_ROW_PLOT_REAL:
		serve_rows_plot_put(s, row, track);
		return 0;
	case TRACE_ROW_FRAME:
		serve_rows_frame_put(s, row, track);
		return 0;
	case TRACE_ROW_ALLOC:
	case TRACE_ROW_FREE:
		return serve_rows_memory_put(s, row, track);
	case TRACE_ROW_LOCK:
		return serve_rows_lock_put(s, row, track);
	case TRACE_ROW_FRAME_IMAGE:
		return serve_rows_image_put(s, row, track);
	case TRACE_ROW_SECTION:
		serve_rows_section_put(s, row, track);
		return 0;
	case TRACE_ROW_PARAMETER:
		return serve_rows_parameter_put(s, row, track);
	default:
		return 0;
	}
}

int serve_rows(struct serve *s)
{
	struct trace_row row;
	uint32_t track;
	int r = s->rows ? 0 : trace_rows_open_from(&s->rows, s->trace, TRACE_NONE, s->rows_from);

	for (int i = 0; r == 0 && i < ROWS_AT_ONCE; i++) {
		r = trace_rows_next(s->rows, &row, &track);
		if (r < 0)
			return r;
		if (r == 0) {
			trace_rows_close(s->rows);
			s->rows = NULL;
			s->rows_from = trace_known(s->trace);
			s->step++;
			return 0;
		}
		r = serve_rows_row_put(s, &row, track);
	}
	return r;
}
