/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the marks around a time, for images of frames. */
#ifndef VIEW_FRAME_TABLE_H
#define VIEW_FRAME_TABLE_H

#include "view/call.h"

#define FRAME_MARKS_BEFORE 8u /* the image of a frame may come a little before its mark */
#define FRAME_MARKS        264u

struct frame_marks {
	uint64_t number;         /* of the frame at the time, from 1; 0: none */
	uint64_t before;         /* number of marks before the first of these */
	uint64_t v[FRAME_MARKS]; /* ticks, in order */
	size_t n;
	bool all; /* no mark follows */
};

/* TRACK is a frame set from mark to mark. */
int frame_marks_at(struct view_call *c, uint32_t track, uint64_t t, struct frame_marks *around);

#endif
