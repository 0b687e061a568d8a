/* SPDX-License-Identifier: Apache-2.0 */
/* Turns rows into events. */
#include "export/row_events.h"
#include "op/message_text.h"
#include "trace/names.h"
#include "view/frame_spans.h"
#include "view/lock_spans.h"
#include "view/memory_pool.h"

#include <stdio.h>
#include <stdlib.h>

struct frame_set {
	struct view_frames frames;
	struct {
		VEC(uint64_t);
	} ends; /* of the last frame of each id: pairs may overlap */
};

/* Running sums of a track's rows. */
union fold {
	struct frame_set set;
	struct view_lock lock;
	struct view_pool pool;
};

struct row_walk {
	struct trace *trace;
	const struct row_events *events;
	union fold *folds; /* by track */
	uint32_t track;    /* of the row */
	struct buf text;
};

static int walk_message(struct row_walk *w, const struct trace_row *row)
{
	return w->events->message ? w->events->message(w->events->context, row, w->track) : 0;
}

static int walk_op_record(struct row_walk *w, const struct trace_row *row)
{
	struct trace_row message = *row;
	int r;

	buf_reset(&w->text);
	r = op_row_message(&message, &w->text);
	return r < 0 ? r : walk_message(w, &message);
}

static int walk_loss(struct row_walk *w, const struct trace_row *row)
{
	return w->events->loss ? w->events->loss(w->events->context, row, w->track) : 0;
}

static int walk_plot(struct row_walk *w, const struct trace_row *row)
{
	return w->events->counter ? w->events->counter(w->events->context, row, w->track,
						       trace_plot_value(row))
				  : 0;
}

static int walk_memory(struct row_walk *w, const struct trace_row *row)
{
	struct view_pool *pool = &w->folds[w->track].pool;
	int r = view_pool_row(pool, row);

	if (r < 0 || !w->events->counter)
		return r < 0 ? r : 0;
	return w->events->counter(w->events->context, row, w->track, (double)pool->bytes);
}

static int walk_frame(struct row_walk *w, const struct trace_row *row)
{
	struct frame_set *set = &w->folds[w->track].set;
	struct view_frame frame;
	struct row_span span = {.category = "frame", .track = w->track};
	char text[64];
	size_t id = 0;

	set->frames.pairs = w->trace->tracks[w->track].format == 1;
	if (!view_frames_row(&set->frames, row, &frame) || !w->events->span)
		return 0;
	while (id < set->ends.n && set->ends.v[id] > frame.start)
		id++;
	if (id == set->ends.n && vec_push(&set->ends, 0) < 0)
		return TACHO_ENOMEM;
	set->ends.v[id] = frame.end;
	span.id = (uint64_t)w->track << 32 | id;
	span.name = trace_track_name(w->trace, w->track, text, sizeof(text));
	span.start = frame.start;
	span.end = frame.end;
	return w->events->span(w->events->context, &span);
}

static int walk_lock_span(void *context, const struct view_lock_span *lock)
{
	const struct row_walk *w = context;
	struct row_span span = {.category = "lock", .start = lock->start, .end = lock->end};
	char text[64], name[200];

	if (!lock->ended || !w->events->span)
		return 0;
	span.track = lock->thread < w->trace->track_count ? lock->thread : w->track;
	span.id = ((uint64_t)w->track << 32 | span.track) << 1 | lock->held;
	snprintf(name, sizeof(name), "%s: %s",
		 trace_track_name(w->trace, w->track, text, sizeof(text)),
		 lock->held ? "held" : "wait");
	span.name = name;
	return w->events->span(w->events->context, &span);
}

static int walk_lock(struct row_walk *w, const struct trace_row *row)
{
	return view_lock_row(&w->folds[w->track].lock, row, walk_lock_span, w);
}

static int walk_sample(struct row_walk *w, const struct trace_row *row)
{
	return w->events->sample ? w->events->sample(w->events->context, row, w->track) : 0;
}

static int walk_flow(struct row_walk *w, const struct trace_row *row)
{
	return w->events->flow ? w->events->flow(w->events->context, row, w->track) : 0;
}

/* A fold belongs to one kind of track: rows on other tracks are errors of the file and skipped. */
static int walk_row(struct row_walk *w, const struct trace_row *row)
{
	static const struct {
		int (*walk)(struct row_walk *, const struct trace_row *);
		uint32_t kind; /* of the track; TRACE_TRACK_KINDS = any */
	} walkers[TRACE_ROW_KINDS] = {
		[TRACE_ROW_MESSAGE] = {walk_message, TRACE_TRACK_KINDS},
		[TRACE_ROW_APP_INFO] = {walk_message, TRACE_TRACK_KINDS},
		[TRACE_ROW_NOTE] = {walk_message, TRACE_TRACK_KINDS},
		[TRACE_ROW_OP] = {walk_op_record, TRACE_MESSAGES},
		[TRACE_ROW_OP_TRACE] = {walk_op_record, TRACE_MESSAGES},
		[TRACE_ROW_LOSS] = {walk_loss, TRACE_TRACK_KINDS},
		[TRACE_ROW_PLOT_INT] = {walk_plot, TRACE_PLOT},
		[TRACE_ROW_PLOT_REAL] = {walk_plot, TRACE_PLOT},
		[TRACE_ROW_FRAME] = {walk_frame, TRACE_FRAMES},
		[TRACE_ROW_ALLOC] = {walk_memory, TRACE_MEMORY},
		[TRACE_ROW_FREE] = {walk_memory, TRACE_MEMORY},
		[TRACE_ROW_LOCK] = {walk_lock, TRACE_LOCK},
		[TRACE_ROW_SAMPLE] = {walk_sample, TRACE_THREAD},
		[TRACE_ROW_FLOW] = {walk_flow, TRACE_TRACK_KINDS},
	};

	if (row->kind >= TRACE_ROW_KINDS || !walkers[row->kind].walk)
		return 0;
	if (walkers[row->kind].kind != TRACE_TRACK_KINDS &&
	    walkers[row->kind].kind != w->trace->tracks[w->track].kind)
		return 0;
	return walkers[row->kind].walk(w, row);
}

int row_events_walk(struct trace *trace, const struct view_filter *filter,
		    const struct row_events *events)
{
	struct row_walk w = {.trace = trace,
			     .events = events,
			     .folds = calloc(trace->track_count + 1, sizeof(union fold)),
			     .text = BUF_INIT};
	struct trace_rows *rows;
	struct trace_row row;
	int r = w.folds ? trace_rows_open(&rows, trace, TRACE_NONE, filter->in.t0, filter->in.t1)
			: TACHO_ENOMEM;

	if (r < 0) {
		free(w.folds);
		return r;
	}
	while ((r = trace_rows_next(rows, &row, &w.track)) > 0) {
		if (!view_takes(filter, w.track, row.thread))
			continue;
		r = walk_row(&w, &row);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	for (uint32_t i = 0; i < trace->track_count; i++) {
		if (trace->tracks[i].kind == TRACE_LOCK)
			view_lock_free(&w.folds[i].lock);
		else if (trace->tracks[i].kind == TRACE_MEMORY)
			view_pool_free(&w.folds[i].pool);
		else if (trace->tracks[i].kind == TRACE_FRAMES)
			vec_free(&w.folds[i].set.ends);
	}
	free(w.folds);
	buf_free(&w.text);
	return r;
}
