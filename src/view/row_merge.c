/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of several tracks, merged by time. */
#include "view/row_merge.h"

struct stream {
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
};

struct rows {
	struct view_call *c;
	struct stream *heap; /* by time of the next row */
	size_t n;
	bool given; /* the row at the top was returned */
	uint32_t steps;
};

static void row_merge_sift(struct rows *r, size_t i)
{
	for (;;) {
		size_t least = i;
		struct stream other;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < r->n; k++)
			if (r->heap[k].row.time != r->heap[least].row.time
				    ? r->heap[k].row.time < r->heap[least].row.time
				    : r->heap[k].track < r->heap[least].track)
				least = k;
		if (least == i)
			return;
		other = r->heap[i];
		r->heap[i] = r->heap[least];
		r->heap[least] = other;
		i = least;
	}
}

/* Moves the stream at the top on. */
static int row_merge_advance(struct rows *r)
{
	struct stream *s = &r->heap[0];
	uint32_t track;
	int e = trace_rows_next(s->rows, &s->row, &track);

	if (e < 0)
		return e;
	if (e == 0) {
		trace_rows_close(s->rows);
		*s = r->heap[--r->n];
	}
	if (r->n)
		row_merge_sift(r, 0);
	return 0;
}

/* Which rows. */
struct part {
	uint32_t kind, track;
	uint64_t t0, t1, offset; /* an offset: whatever their time */
};

static int stream_add(struct rows *r, uint32_t track, const struct part *part)
{
	struct stream s = {.track = track};
	struct trace *t = r->c->trace;
	uint32_t ignored;
	int e = part->offset ? trace_rows_open_from(&s.rows, t, track, part->offset)
			     : trace_rows_open(&s.rows, t, track, part->t0, part->t1);

	if (e == 0)
		e = trace_rows_next(s.rows, &s.row, &ignored);
	if (e > 0)
		r->heap[r->n++] = s;
	else
		trace_rows_close(s.rows);
	return e < 0 ? e : 0;
}

static int open_part(struct rows **rows, struct view_call *c, const struct part *part)
{
	const struct trace *t = c->trace;
	struct rows *r = calloc(1, sizeof(*r));
	size_t room = part->track != TRACE_NONE;
	int e = 0;

	if (!r)
		return TACHO_ENOMEM;
	r->c = c;
	for (uint32_t i = 0; part->track == TRACE_NONE && i < t->track_count; i++)
		room += t->tracks[i].kind == part->kind;
	r->heap = calloc(room + 1, sizeof(*r->heap));
	if (!r->heap)
		e = TACHO_ENOMEM;
	else if (part->track != TRACE_NONE && part->track < t->track_count)
		e = stream_add(r, part->track, part);
	for (uint32_t i = 0; e == 0 && part->track == TRACE_NONE && i < t->track_count; i++)
		if (t->tracks[i].kind == part->kind)
			e = stream_add(r, i, part);
	for (size_t i = r->n / 2; e == 0 && i-- > 0;)
		row_merge_sift(r, i);
	if (e < 0) {
		rows_close(r);
		return e;
	}
	*rows = r;
	return 0;
}

int rows_open(struct rows **rows, struct view_call *c, uint32_t kind, uint32_t track, uint64_t t0,
	      uint64_t t1)
{
	return open_part(rows, c, &(struct part){kind, track, t0, t1, 0});
}

int rows_open_from(struct rows **rows, struct view_call *c, uint32_t kind, uint64_t offset)
{
	return open_part(rows, c, &(struct part){kind, TRACE_NONE, 0, UINT64_MAX, offset});
}

int rows_next(struct rows *r, struct trace_row *row, uint32_t *track)
{
	int e = r->given && r->n ? row_merge_advance(r) : 0;

	if (e < 0)
		return e;
	if (!r->n || (++r->steps % 65536 == 0 && call_gone(r->c)))
		return 0;
	r->given = true;
	*row = r->heap[0].row;
	*track = r->heap[0].track;
	return 1;
}

void rows_close(struct rows *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		trace_rows_close(r->heap[i].rows);
	free(r->heap);
	free(r);
}
