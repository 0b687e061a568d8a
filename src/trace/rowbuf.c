/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: rows wait per track; row blocks made of them. */
#include "base/limits.h"
#include "trace/segment.h"
#include "trace/writer.h"

#define ROWS_ALONE 1024u      /* rows that are worth a block of their own when all is flushed */
#define ROWS_FULL  4096u      /* rows that make a block full, at most */
#define ROWS_TEXT  (1u << 20) /* bytes of texts that do */

void row_buffer_free(struct row_buffer *b)
{
	if (!b)
		return;
	vec_free(&b->rows);
	buf_free(&b->text);
	free(b);
}

static uint64_t row_field(const struct trace_row *row, int column)
{
	switch (column) {
	case 0:
		return row->time;
	case 1:
		return row->kind;
	case 2:
		return (uint32_t)(row->thread + 1);
	case 3:
		return row->a;
	case 4:
		return row->b;
	case 5:
		return row->c;
	default:
		return row->text_len;
	}
}

static int pack_rows(struct trace_writer *w, struct row_buffer **list, size_t count, size_t n)
{
	uint64_t *column = malloc(n * sizeof(*column));
	struct buf text = BUF_INIT;
	size_t at;

	if (!column)
		return TACHO_ENOMEM;
	for (int k = 0; k < ROW_COLUMNS; k++) {
		at = 0;
		for (size_t i = 0; i < count; i++)
			for (size_t r = 0; r < list[i]->rows.n; r++)
				column[at++] = row_field(&list[i]->rows.v[r], k);
		pack_column(w->packer, column, n, &w->payload);
	}
	free(column);
	for (size_t i = 0; i < count; i++)
		buf_add(&text, list[i]->text.data, list[i]->text.len);
	pack_string(w->packer, text.data, text.len, &w->payload);
	w->payload.failed |= text.failed;
	buf_free(&text);
	return 0;
}

static void rowbuf_segment_of(struct segment *s, const struct row_buffer *b, uint64_t offset,
			      uint32_t first)
{
	*s = (struct segment){.offset = offset,
			      .track = b->track,
			      .first = first,
			      .count = (uint32_t)b->rows.n,
			      .start = UINT64_MAX};
	for (size_t i = 0; i < b->rows.n; i++) {
		s->start = b->rows.v[i].time < s->start ? b->rows.v[i].time : s->start;
		s->end = b->rows.v[i].time > s->end ? b->rows.v[i].time : s->end;
	}
}

/* One block of all that COUNT tracks hold; together at most BLOCK_ITEMS rows. */
static int buffers_write(struct trace_writer *w, struct row_buffer **list, size_t count)
{
	struct segment *s = calloc(count, sizeof(*s));
	uint64_t offset = 0;
	uint32_t n = 0;
	int r = s ? writer_next_offset(w, &offset) : writer_no_memory(w);

	for (size_t i = 0; r == 0 && i < count; n += (uint32_t)list[i++]->rows.n)
		rowbuf_segment_of(&s[i], list[i], offset, n);
	if (r == 0) {
		buf_reset(&w->payload);
		directory_add(&w->payload, w->srcloc_count, s, count);
		if (pack_rows(w, list, count, n) < 0)
			w->payload.failed = true;
		r = w->payload.failed
			    ? writer_no_memory(w)
			    : writer_block(w, BLOCK_ROWS, w->payload.data, w->payload.len, false);
	}
	for (size_t i = 0; r == 0 && i < count; i++)
		index_add(w, BLOCK_ROWS, offset, &s[i]);
	for (size_t i = 0; i < count; i++) {
		/* Rows are rarer than zones: a buffer is given back each time, so idle tracks hold
		 * none. */
		struct row_buffer *b = list[i];

		w->buffered -= b->rows.cap * sizeof(*b->rows.v) + b->text.cap;
		vec_free(&b->rows);
		buf_free(&b->text);
	}
	free(s);
	return r;
}

/* Buffers that waited for a common block stay at the front of the list during the pass. */
int row_buffers_flush(struct trace_writer *w)
{
	size_t small = 0, rows = 0, text = 0, full = block_items(w->rows, ROWS_FULL);
	int r = w->error.code;

	for (size_t i = 0; i < w->row_holders.n && r == 0; i++) {
		struct row_buffer *b = w->row_holders.v[i];

		b->listed = false;
		if (b->rows.n >= ROWS_ALONE || b->rows.n >= full || b->text.len >= ROWS_TEXT / 4) {
			r = buffers_write(w, &b, 1);
		} else if (b->rows.n) {
			if (rows + b->rows.n > full || text > ROWS_TEXT) {
				r = buffers_write(w, w->row_holders.v, small);
				small = rows = text = 0;
			}
			w->row_holders.v[small++] = b;
			rows += b->rows.n;
			text += b->text.len;
		}
	}
	if (r == 0 && small)
		r = buffers_write(w, w->row_holders.v, small);
	w->row_holders.n = 0;
	return r;
}

static struct row_buffer *buffer_of(struct trace_writer *w, uint32_t track)
{
	struct writer_track *t = &w->tracks.v[track];

	if (!t->rows) {
		t->rows = calloc(1, sizeof(*t->rows));
		if (!t->rows)
			return NULL;
		t->rows->text = (struct buf)BUF_INIT;
		t->rows->track = track;
	}
	if (!t->rows->listed) {
		if (vec_push(&w->row_holders, t->rows) < 0)
			return NULL;
		t->rows->listed = true;
	}
	return t->rows;
}

int trace_add_row(struct trace_writer *w, uint32_t track, const struct trace_row *row)
{
	struct trace_row copy = *row;
	struct row_buffer *b;
	size_t before;

	if (w->error.code)
		return w->error.code;
	if (track >= w->track_count)
		return writer_fail(w, TACHO_EINTERNAL, "%s: no track %u", w->part, track);
	b = buffer_of(w, track);
	if (!b)
		return writer_no_memory(w);
	if (copy.text_len > LIMIT_BLOCK_TEXT)
		copy.text_len = LIMIT_BLOCK_TEXT;
	before = b->rows.cap * sizeof(copy) + b->text.cap;
	if (vec_push(&b->rows, copy) < 0 || buf_add(&b->text, row->text, copy.text_len) < 0)
		return writer_no_memory(w);
	w->buffered += b->rows.cap * sizeof(copy) + b->text.cap - before;
	w->rows++;
	if (b->rows.n >= ROWS_FULL || b->text.len >= ROWS_TEXT)
		return buffers_write(w, &b, 1);
	if (w->buffered >= w->options.memory)
		return lanes_flush(w) < 0 ? w->error.code : row_buffers_flush(w);
	return 0;
}
