/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the frames of one set from its rows, in order of time.
 */
#ifndef VIEW_FRAME_SPANS_H
#define VIEW_FRAME_SPANS_H

#include "trace/trace.h"

/* Frames of one set: from mark to mark, or from start to end. */
struct view_frames {
	bool pairs; /* track.format: rows have their end */
	bool started;
	uint64_t last; /* the last mark */
	uint64_t count;
};

struct view_frame {
	uint64_t number; /* from 0 */
	uint64_t start, end;
};

/* 1 when the row completes a frame. */
int view_frames_row(struct view_frames *f, const struct trace_row *row, struct view_frame *frame);

#endif
