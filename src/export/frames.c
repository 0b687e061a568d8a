#include "export/export.h"

int export_frames_row(struct export_frames *f, const struct trace_row *row,
		      struct export_frame *frame)
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
