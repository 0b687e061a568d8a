/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index, writing side: entries are encoded as their blocks are written, so a trace of any
 * length needs a bounded amount of memory; a full index block is written and the next one points
 * back.
 */
#include "trace/segment.h"
#include "trace/writer.h"

void index_add(struct trace_writer *w, enum block_type type, uint64_t offset,
	       const struct segment *s)
{
	struct index_state *last = &w->index_last;

	add_varint(&w->index, type);
	add_varint(&w->index, offset - last->offset);
	last->offset = offset;
	last->entries++;
	if (!s)
		return;
	add_varint(&w->index, s->first);
	segment_add(&w->index, s, last->track, last->start);
	last->track = s->track;
	last->start = s->start;
}

/* Payload: offset of the previous index block, number of entries, number of source locations. */
int index_flush(struct trace_writer *w)
{
	struct buf head = BUF_INIT;
	uint64_t offset;
	int r = writer_next_offset(w, &offset);

	if (r < 0)
		return r;
	add_varint(&head, w->index_previous);
	add_varint(&head, w->index_last.entries);
	add_varint(&head, w->srcloc_count);
	buf_add(&head, w->index.data, w->index.len);
	if (head.failed || w->index.failed)
		r = writer_no_memory(w);
	else
		r = writer_block(w, BLOCK_INDEX, head.data, head.len, true);
	buf_free(&head);
	buf_reset(&w->index);
	memset(&w->index_last, 0, sizeof(w->index_last));
	w->index_previous = offset;
	return r;
}
