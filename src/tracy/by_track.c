/* SPDX-License-Identifier: Apache-2.0 */
/* Read rows track by track in few passes over the trace. */
#include "tracy/by_track.h"

#include <stdlib.h>

#define HELD_ROWS (1u << 20) /* 32 MiB */

int by_track_open(struct by_track *b, struct trace *trace)
{
	*b = (struct by_track){.trace = trace, .held = HELD_ROWS};
	b->counts = malloc((trace->track_count + 1) * sizeof(*b->counts));
	if (!b->counts)
		return TACHO_ENOMEM;
	trace_count_rows(trace, b->counts);
	return 0;
}

static void end_stream(struct by_track *b)
{
	trace_rows_close(b->stream);
	b->stream = NULL;
}

void by_track_close(struct by_track *b)
{
	end_stream(b);
	vec_free(&b->rows);
	vec_free(&b->starts);
	vec_free(&b->ends);
	free(b->counts);
}

/* Selects the tracks from FIRST on and allocates room for their rows. */
static int make_group(struct by_track *b, uint32_t first)
{
	const struct trace *t = b->trace;
	uint64_t total = 0;

	b->starts.n = b->ends.n = 0;
	for (b->first = b->end = first; b->end < t->track_count; b->end++) {
		bool like = t->tracks[b->end].kind == t->tracks[first].kind;

		if (like && b->counts[b->end] > b->held - total)
			break;
		if (vec_push(&b->starts, total) < 0 || vec_push(&b->ends, total) < 0)
			return TACHO_ENOMEM;
		total += like ? b->counts[b->end] : 0;
	}
	b->rows.n = 0;
	return vec_reserve(&b->rows, total);
}

/* Finds the room of a track. */
static uint64_t room_of(const struct by_track *b, uint32_t track)
{
	uint32_t i = track - b->first;

	return (i + 1 < b->starts.n ? b->starts.v[i + 1] : b->rows.cap) - b->ends.v[i];
}

static int by_track_load(struct by_track *b, uint32_t first)
{
	uint32_t kind = b->trace->tracks[first].kind, track;
	struct trace_rows *rows = NULL;
	struct trace_row row;
	int r = make_group(b, first);

	if (r == 0)
		r = trace_rows_open(&rows, b->trace, TRACE_NONE, 0, UINT64_MAX);
	while (r >= 0 && (r = trace_rows_next(rows, &row, &track)) > 0)
		if (b->trace->tracks[track].kind == kind && track >= b->first && track < b->end &&
		    room_of(b, track))
			b->rows.v[b->ends.v[track - b->first]++] =
				(struct kept_row){row.time, row.a, row.b, row.kind, row.thread};
	trace_rows_close(rows);
	return r;
}

int by_track_begin(struct by_track *b, uint32_t track)
{
	int r = 0;

	end_stream(b);
	if (b->counts[track] > b->held)
		return trace_rows_open(&b->stream, b->trace, track, 0, UINT64_MAX);
	if (track < b->first || track >= b->end ||
	    b->trace->tracks[track].kind != b->trace->tracks[b->first].kind)
		r = by_track_load(b, track);
	if (r < 0) {
		b->first = b->end = 0;
		return r;
	}
	b->at = b->starts.v[track - b->first];
	b->stop = b->ends.v[track - b->first];
	return 0;
}

int by_track_next(struct by_track *b, struct trace_row *row)
{
	const struct kept_row *k;
	uint32_t track;

	if (b->stream)
		return trace_rows_next(b->stream, row, &track);
	if (b->at == b->stop)
		return 0;
	k = &b->rows.v[b->at++];
	*row = (struct trace_row){.time = k->time,
				  .kind = k->kind,
				  .thread = k->thread,
				  .a = k->a,
				  .b = k->b,
				  .text = ""};
	return 1;
}
