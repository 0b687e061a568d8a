/* SPDX-License-Identifier: Apache-2.0 */
/* Private: rows of all tracks of a kind (or of one track) by time. */
#ifndef VIEW_ROW_MERGE_H
#define VIEW_ROW_MERGE_H

#include "view/call.h"

struct rows;
int rows_open(struct rows **r, struct view_call *c, uint32_t kind, uint32_t track, uint64_t t0,
	      uint64_t t1);
/* All of a kind in blocks of the file from OFFSET on: see trace_rows_open_from(). */
int rows_open_from(struct rows **r, struct view_call *c, uint32_t kind, uint64_t offset);
/* 1 and a row, 0 at the end or if the client has left, or a negative error. */
int rows_next(struct rows *r, struct trace_row *row, uint32_t *track);
void rows_close(struct rows *r);

#endif
