/* SPDX-License-Identifier: Apache-2.0 */
/* Holds rows until no thread can write an earlier one, so that each track is in order of time. */
#include "capture/private.h"

#include "base/order.h"

#include <stdlib.h>

#define HELD_BYTES (16u << 20)
#define HELD_AIM   (1u << 20)   /* target size of the rows of one round, in bytes */
#define SLICE_MAX  (1ull << 36) /* ticks: longer than any backlog */
#define SMALL_ROWS 512          /* that a checkpoint's state may carry, ... */
#define SMALL_TEXT (64u << 10)  /* ... with up to so many bytes of text */

void held_row_count(struct capture *c, uint32_t track, uint64_t emitted, uint64_t lost)
{
	static const struct trace_ledger zero;

	while (c->ledgers.n <= track)
		if (vec_push(&c->ledgers, zero) < 0) {
			capture_error(c, TACHO_ENOMEM);
			return;
		}
	c->ledgers.v[track].rows_emitted += emitted;
	c->ledgers.v[track].rows_lost += lost;
	c->sum.lost += lost;
}

void held_add(struct capture *c, const struct held *h, const char *text, size_t len)
{
	struct held copy = *h;

	if (h->track == TRACE_NONE)
		return;
	copy.order = c->order++;
	copy.text = c->texts.len;
	copy.len = (uint32_t)len;
	if (buf_add(&c->texts, text, len) < 0 || vec_push(&c->held, copy) < 0)
		capture_error(c, TACHO_ENOMEM);
}

static size_t hold_bytes(const struct capture *c)
{
	return c->held.n * sizeof(*c->held.v) + c->texts.len;
}

bool hold_is_full(const struct capture *c)
{
	return hold_bytes(c) > HELD_BYTES;
}

bool hold_is_small(const struct capture *c)
{
	return c->held.n < SMALL_ROWS && c->texts.len < SMALL_TEXT;
}

ORDER_BY(held_by_time, struct held, ORDER_UP(time) ?: ORDER_UP(order));

static void held_rows_put(struct capture *c, const struct held *h, uint64_t time, uint64_t a)
{
	struct trace_row row = {.time = time,
				.kind = h->row_kind,
				.thread = h->thread,
				.a = a,
				.b = h->b,
				.c = h->c,
				.text = c->texts.data + h->text,
				.text_len = h->len};
	int r = trace_add_row(c->writer, h->track, &row);

	if (r < 0)
		capture_error(c, r);
	/* Rows of the recorder itself are not events that the program emitted. */
	if (h->row_kind != TRACE_ROW_LOSS && h->row_kind != TRACE_ROW_LATE)
		held_row_count(c, h->track, 1, 0);
	c->sum.rows++;
}

static void held_memory_put(struct capture *c, const struct process *p, const struct held *h)
{
	struct owned *o = process_owned(p, h->track);
	uint64_t address;

	if (h->row_kind == TRACE_ROW_ALLOC || h->b != HELD_WHOLE_POOL) {
		if (o && h->row_kind == TRACE_ROW_ALLOC)
			owned_add(o, h->a);
		else if (o)
			owned_remove(o, h->a);
		held_rows_put(c, h, h->time, h->a);
		return;
	}
	if (o && o->incomplete)
		held_row_count(c, h->track, 1, 1);
	while (o && owned_take(o, &address))
		held_rows_put(c,
			      &(struct held){.time = h->time,
					     .track = h->track,
					     .row_kind = TRACE_ROW_FREE,
					     .thread = h->thread,
					     .text = h->text},
			      h->time, address);
}

static void frame_stop(struct capture *c, struct process *p, const struct held *h)
{
	struct frame_set *set = process_frames(c, p, h->track);

	if (!set || !set->open)
		return;
	held_rows_put(c, h, set->open, h->time);
	set->open = 0;
}

static void held_release(struct capture *c, const struct held *h)
{
	struct process *p = c->processes.v[h->process];
	struct fiber *f = h->kind >= HELD_BEGIN ? process_fiber_of_track(p, h->track, NULL) : NULL;
	struct stack *s = f ? &f->stack : NULL;
	struct frame_set *set;

	switch (h->kind) {
	case HELD_ROW:
		if (h->row_kind == TRACE_ROW_ALLOC || h->row_kind == TRACE_ROW_FREE)
			held_memory_put(c, p, h);
		else
			held_rows_put(c, h, h->time, h->a);
		break;
	case HELD_FRAME_START:
		set = process_frames(c, p, h->track);
		if (set)
			set->open = h->time;
		break;
	case HELD_FRAME_STOP:
		frame_stop(c, p, h);
		break;
	case HELD_BEGIN:
		if (s)
			stack_begin(c, s, h->time, (uint32_t)h->a,
				    process_srcloc(c, p, (uint32_t)h->a));
		break;
	case HELD_END:
		if (s)
			stack_end(c, s, h->time, (uint32_t)h->a);
		break;
	case HELD_ATTACH:
		if (s)
			stack_attach(c, s, (uint32_t)h->a, h->row_kind, h->b,
				     h->row_kind <= TRACE_EXTRA_TEXT ? c->texts.data + h->text
								     : NULL,
				     h->len);
		break;
	}
}

/* Moves the texts of the remaining rows to the front. */
static void keep_rest(struct capture *c, size_t from)
{
	struct buf texts = BUF_INIT;

	for (size_t i = from; i < c->held.n; i++) {
		struct held *h = &c->held.v[i];
		size_t at = texts.len;

		if (buf_add(&texts, c->texts.data + h->text, h->len) < 0)
			capture_error(c, TACHO_ENOMEM);
		h->text = at;
		c->held.v[i - from] = *h;
	}
	c->held.n -= from;
	if (texts.len == 0) {
		buf_reset(&c->texts);
		buf_free(&texts);
		return;
	}
	buf_free(&c->texts);
	c->texts = texts;
}

void hold_flush(struct capture *c, uint64_t horizon)
{
	size_t i;

	c->flushed = horizon;
	if (!c->held.n) {
		c->slice = c->slice < SLICE_MAX ? c->slice * 2 : 0;
		return;
	}
	qsort(c->held.v, c->held.n, sizeof(*c->held.v), held_by_time);
	/*
	 * With a backlog, the thread that is read first would fill the hold alone, the others would
	 * follow it a few events at a time, and each checkpoint would store all held rows. So all
	 * threads are read in slices of time, of a length that gives HELD_AIM bytes of rows. The
	 * held rows are sorted.
	 */
	uint64_t span = c->held.v[c->held.n - 1].time - c->held.v[0].time;
	size_t bytes = hold_bytes(c);

	if (bytes > 2 * HELD_AIM)
		c->slice = span / (bytes / HELD_AIM) + 1;
	else if (c->slice && bytes < HELD_AIM / 2)
		c->slice = c->slice < SLICE_MAX ? c->slice * 2 : 0;
	for (i = 0; i < c->held.n && c->held.v[i].time < horizon; i++)
		held_release(c, &c->held.v[i]);
	keep_rest(c, i);
	/* A checkpoint of this round may have seen them held: followers need another one. */
	c->since_checkpoint += i;
}
