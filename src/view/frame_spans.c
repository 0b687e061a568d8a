/* SPDX-License-Identifier: Apache-2.0 */
/* Turn the rows of a frame set into frames. */
#include "view/frame_spans.h"

int view_frames_row(struct view_frames *f, const struct trace_row *row, struct view_frame *frame)
{
	bool complete = f->pairs ? row->a >= row->time : f->started;

	if (row->kind != TRACE_ROW_FRAME)
		return 0;
	if (complete) {
		frame->number = f->count++;
		frame->start = f->pairs ? row->time : f->last;
		frame->end = f->pairs ? row->a : row->time;
	}
	f->last = row->time;
	f->started = true;
	return complete;
}
