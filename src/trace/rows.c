/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows by time. Each segment is one run; inside a run rows are nearly sorted (threads that add to
 * one track do not wait for each other), so a run is sorted when it is decoded, and runs are
 * merged. A run is decoded when the merge reaches its least time.
 */
#include "trace/rows.h"
#include "base/limits.h"

#define RECENT_BYTES (4u << 20)

struct run {
	struct rblock *block;
	const struct segment *segment;
	uint32_t *order; /* of the rows by time; NULL: as they are */
	uint32_t next, count;
	uint64_t time; /* of the next row */
};

struct trace_rows {
	struct trace_private *p;
	uint32_t track;
	uint64_t t0, t1;
	uint32_t track_kind; /* of the tracks; TRACE_TRACK_KINDS: any */
	uint64_t from;       /* offset in the file */
	size_t next, end;    /* segments in trace_private.rows, or of a track in row_places */
	struct run **heap;
	size_t n, cap;
	size_t bytes;
	struct run *last; /* of the row given last: not yet moved on */
};

/* ----------------------------------------------------------------- blocks */

static int read_columns(struct trace_private *p, struct in *in, struct rblock *b)
{
	for (int k = 0; k < ROW_COLUMNS; k++) {
		int r = unpack_column(p->unpacker, in, b->columns[k], b->n);

		if (r < 0)
			return r;
	}
	return unpack_string(p->unpacker, in, LIMIT_BLOCK_RAW, &b->text);
}

/* Lengths of texts become their ends. */
static bool place_texts(struct rblock *b)
{
	uint64_t *len = b->columns[6], end = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		if (len[i] > b->text.len - end)
			return false;
		len[i] = end += len[i];
	}
	return end == b->text.len;
}

static int rblock_decode(struct trace_private *p, struct rblock *b)
{
	struct segment s = {0};
	struct directory d;
	struct block block;
	struct in in;
	int r = block_read(p->fd, b->offset, p->trace.file_size, &p->store, &block);

	if (r == 0 && block.type != BLOCK_ROWS)
		r = TACHO_EDAMAGED;
	if (r == 0)
		r = block_payload(p->unpacker, &p->store, &block, &p->unpacked, &in);
	if (r < 0)
		return r;
	directory_read(&in, &d);
	for (uint32_t i = 0; i < d.segments && !in.bad; i++)
		directory_next(&in, &d, b->offset, &s);
	if (in.bad)
		return TACHO_EDAMAGED;
	b->n = d.items;
	b->columns[0] = malloc((b->n + 1) * ROW_COLUMNS * sizeof(uint64_t));
	if (!b->columns[0])
		return TACHO_ENOMEM;
	for (int k = 1; k < ROW_COLUMNS; k++)
		b->columns[k] = b->columns[k - 1] + b->n;
	r = read_columns(p, &in, b);
	return r == 0 && !place_texts(b) ? TACHO_EDAMAGED : r;
}

int rblock_read(struct trace_private *p, uint64_t offset, struct rblock **block)
{
	struct rblock *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return TACHO_ENOMEM;
	b->offset = offset;
	b->references = 1;
	b->text = (struct buf)BUF_INIT;
	r = rblock_decode(p, b);
	if (r < 0)
		rblock_put(b);
	else
		*block = b;
	return r;
}

void rblock_put(struct rblock *b)
{
	if (!b || --b->references)
		return;
	free(b->columns[0]);
	buf_free(&b->text);
	free(b);
}

void rblock_row(const struct trace_private *p, const struct rblock *b, uint32_t i,
		struct trace_row *row)
{
	uint64_t from = i ? b->columns[6][i - 1] : 0;

	row->time = b->columns[0][i];
	row->kind =
		b->columns[1][i] < TRACE_ROW_KINDS ? (uint32_t)b->columns[1][i] : TRACE_ROW_KINDS;
	row->thread = b->columns[2][i] <= p->tracks.n ? (uint32_t)b->columns[2][i] - 1 : TRACE_NONE;
	row->a = b->columns[3][i];
	row->b = b->columns[4][i];
	row->c = b->columns[5][i];
	if (row->kind == TRACE_ROW_LOCK && row->b >= p->srclocs.n)
		row->b = TRACE_NONE;
	row->text = b->text.data + from;
	row->text_len = (uint32_t)(b->columns[6][i] - from);
}

/* ------------------------------------------------------------------- runs */

static void run_free(struct run *run)
{
	if (!run)
		return;
	rblock_put(run->block);
	free(run->order);
	free(run);
}

static uint32_t run_row(const struct run *run, uint32_t i)
{
	return run->segment->first + (run->order ? run->order[i] : i);
}

static uint64_t run_time(const struct run *run, uint32_t i)
{
	return run->block->columns[0][run_row(run, i)];
}

static int rows_by_time(const void *a, const void *b, void *arg)
{
	const uint64_t *time = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (time[x] != time[y])
		return time[x] < time[y] ? -1 : 1;
	return x < y ? -1 : 1;
}

static int run_sort(struct run *run)
{
	uint64_t *time = run->block->columns[0] + run->segment->first;
	uint32_t i = 1;

	while (i < run->count && time[i - 1] <= time[i])
		i++;
	if (i >= run->count)
		return 0;
	run->order = malloc(run->count * sizeof(*run->order));
	if (!run->order)
		return TACHO_ENOMEM;
	for (i = 0; i < run->count; i++)
		run->order[i] = i;
	qsort_r(run->order, run->count, sizeof(*run->order), rows_by_time, time);
	return 0;
}

static size_t rblock_bytes(const struct rblock *b)
{
	return sizeof(*b) + b->n * ROW_COLUMNS * sizeof(uint64_t) + b->text.cap;
}

void rblocks_forget(struct trace_private *p)
{
	for (size_t i = 0; i < ROW_BLOCKS; i++) {
		rblock_put(p->row_blocks[i]);
		p->row_blocks[i] = NULL;
	}
	p->row_block_bytes = 0;
}

/*
 * The block at OFFSET with a reference for the caller. Small tracks share blocks, and are read one
 * after the other: without the recent blocks each track would unpack them again.
 */
static int recent_block(struct trace_rows *r, uint64_t offset, struct rblock **block)
{
	struct trace_private *p = r->p;
	size_t place = (offset * 0x9e3779b97f4a7c15u) >> 32 & (ROW_BLOCKS - 1);
	struct rblock *found = p->row_blocks[place];
	int e = 0;

	if (!found || found->offset != offset) {
		e = rblock_read(p, offset, &found);
		if (e < 0)
			return e;
		if (p->row_blocks[place])
			p->row_block_bytes -= rblock_bytes(p->row_blocks[place]);
		rblock_put(p->row_blocks[place]);
		p->row_blocks[place] = NULL;
		if (p->row_block_bytes + rblock_bytes(found) > RECENT_BYTES)
			rblocks_forget(p);
		if (rblock_bytes(found) > RECENT_BYTES) {
			*block = found;
			return 0;
		}
		p->row_blocks[place] = found;
		p->row_block_bytes += rblock_bytes(found);
	}
	found->references++;
	*block = found;
	return 0;
}

static int rows_run_open(struct trace_rows *r, const struct segment *s, struct run **out)
{
	struct run *run = calloc(1, sizeof(*run));
	int e = run ? recent_block(r, s->offset, &run->block) : TACHO_ENOMEM;

	if (e == 0 && (s->first > run->block->n || s->count > run->block->n - s->first))
		e = TACHO_EDAMAGED;
	if (e == 0) {
		run->segment = s;
		run->count = s->count;
		e = run_sort(run);
	}
	if (e < 0) {
		run_free(run);
		return e;
	}
	*out = run;
	return 0;
}

/* The bytes that a run holds; of a shared block its share. */
static size_t run_bytes(const struct run *run)
{
	const struct rblock *b = run->block;
	size_t bytes = b->n * ROW_COLUMNS * sizeof(uint64_t) + b->text.cap;

	return sizeof(*run) + (b->n ? bytes * run->count / b->n : 0);
}

/* ------------------------------------------------------------------- heap */

static bool run_before(const struct run *a, const struct run *b)
{
	const struct segment *x = a->segment, *y = b->segment;

	if (a->time != b->time)
		return a->time < b->time;
	if (x->track != y->track)
		return x->track < y->track;
	return x->offset != y->offset ? x->offset < y->offset : x->first < y->first;
}

static void runs_sink(struct trace_rows *r, size_t i)
{
	struct run *item = r->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= r->n)
			break;
		if (child + 1 < r->n && run_before(r->heap[child + 1], r->heap[child]))
			child++;
		if (!run_before(r->heap[child], item))
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = item;
}

static int runs_push(struct trace_rows *r, struct run *run)
{
	size_t i;

	if (vec_grow((void **)&r->heap, &r->cap, r->n + 1, sizeof(*r->heap)) < 0)
		return TACHO_ENOMEM;
	for (i = r->n++; i && run_before(run, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
		r->heap[i] = r->heap[(i - 1) / 2];
	r->heap[i] = run;
	return 0;
}

/* Puts a run into the heap at its first row in range. */
static int runs_add(struct trace_rows *r, const struct segment *s)
{
	struct run *run;
	int e = rows_run_open(r, s, &run);

	if (e == TACHO_EDAMAGED) {
		damage_add(r->p, s->offset);
		return 0;
	}
	if (e < 0)
		return e;
	while (run->next < run->count && run_time(run, run->next) < r->t0)
		run->next++;
	if (run->next == run->count || run_time(run, run->next) >= r->t1) {
		run_free(run);
		return 0;
	}
	run->time = run_time(run, run->next);
	r->bytes += run_bytes(run);
	e = r->bytes > LIMIT_DECODED ? TACHO_ELIMIT : runs_push(r, run);
	if (e < 0) {
		r->bytes -= run_bytes(run);
		run_free(run);
	}
	return e;
}

/* A run without further rows in range leaves the heap. */
static void runs_advance(struct trace_rows *r)
{
	struct run *run = r->heap[0];

	if (++run->next < run->count && run_time(run, run->next) < r->t1) {
		run->time = run_time(run, run->next);
	} else {
		r->bytes -= run_bytes(run);
		run_free(run);
		r->heap[0] = r->heap[--r->n];
	}
	if (r->n)
		runs_sink(r, 0);
}

/* ----------------------------------------------------------------- public */

int trace_rows_open(struct trace_rows **rows, struct trace *trace, uint32_t track, uint64_t t0,
		    uint64_t t1)
{
	struct trace_rows *r = calloc(1, sizeof(*r));

	if (!r)
		return TACHO_ENOMEM;
	r->p = private_of(trace);
	r->track = track;
	r->t0 = t0;
	r->t1 = t1;
	r->track_kind = TRACE_TRACK_KINDS;
	r->end = r->p->rows.n;
	if (track != TRACE_NONE) {
		uint32_t first, end;
		int e = lanes_rows_of(r->p, track, &first, &end);

		if (e < 0) {
			free(r);
			return e;
		}
		r->next = first;
		r->end = end;
	}
	*rows = r;
	return 0;
}

int trace_rows_open_kind(struct trace_rows **rows, struct trace *trace, uint32_t track_kind,
			 uint64_t t0, uint64_t t1)
{
	int r = trace_rows_open(rows, trace, TRACE_NONE, t0, t1);

	if (r == 0)
		(*rows)->track_kind = track_kind;
	return r;
}

int trace_rows_open_from(struct trace_rows **rows, struct trace *trace, uint32_t track,
			 uint64_t offset)
{
	int r = trace_rows_open(rows, trace, track, 0, UINT64_MAX);

	if (r == 0)
		(*rows)->from = offset;
	return r;
}

uint64_t trace_known(const struct trace *trace)
{
	const struct trace_private *p = private_of(trace);

	return p->scan_end ? p->scan_end : trace->file_size;
}

static bool rows_takes(const struct trace_rows *r, const struct segment *s)
{
	if (s->offset < r->from || s->end < r->t0)
		return false;
	return r->track != TRACE_NONE || r->track_kind == TRACE_TRACK_KINDS ||
	       (s->track < r->p->tracks.n && r->p->tracks.v[s->track].kind == r->track_kind);
}

/* NULL: there is none. */
static const struct segment *rows_segment(const struct trace_rows *r)
{
	if (r->next == r->end)
		return NULL;
	return &r->p->rows.v[r->track != TRACE_NONE ? r->p->row_places[r->next] : r->next];
}

/* Opens all runs that may hold a row before the one at the top. */
static int rows_fill(struct trace_rows *r)
{
	const struct segment *s;
	int e = 0;

	while (e == 0 && (s = rows_segment(r))) {
		if (s->start >= r->t1 || (r->n && s->start > r->heap[0]->time))
			break;
		r->next++;
		if (rows_takes(r, s))
			e = runs_add(r, s);
	}
	return e;
}

/* The usual case: the run goes on, and no other has a row before its next one. */
static bool run_continues(struct trace_rows *r)
{
	struct run *run = r->last;
	const struct segment *s;
	uint64_t time;

	if (!run || r->n != 1 || run->next + 1 >= run->count)
		return false;
	time = run_time(run, run->next + 1);
	s = rows_segment(r);
	if (time >= r->t1 || (s && s->start <= time))
		return false;
	run->next++;
	run->time = time;
	return true;
}

int trace_rows_next(struct trace_rows *r, struct trace_row *row, uint32_t *track)
{
	do {
		int e;

		if (!run_continues(r)) {
			if (r->last)
				runs_advance(r);
			r->last = NULL;
			e = rows_fill(r);
			if (e < 0 || !r->n)
				return e;
			r->last = r->heap[0];
		}
		rblock_row(r->p, r->last->block, run_row(r->last, r->last->next), row);
	} while (row->kind == TRACE_ROW_KINDS);
	*track = r->last->segment->track;
	return 1;
}

void trace_rows_close(struct trace_rows *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		run_free(r->heap[i]);
	free(r->heap);
	free(r);
}

void trace_count_rows(const struct trace *trace, uint64_t *counts)
{
	const struct trace_private *p = private_of(trace);

	memset(counts, 0, trace->track_count * sizeof(*counts));
	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.v[i].track < trace->track_count)
			counts[p->rows.v[i].track] += p->rows.v[i].count;
}
