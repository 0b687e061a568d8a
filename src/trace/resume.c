/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resume a file that a killed recorder left. Everything the writer knew is in the file: read it up
 * to the last checkpoint, restore the writer, and cut off the rest, since the recorder will send it
 * again.
 */
#include "trace/stats.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* PATH.part if there is one, else PATH itself, which then is finished in place. */
static int find_part(struct trace_writer *w, struct tacho_error *err)
{
	w->fd = open(w->part, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (w->fd < 0 && errno == ENOENT) {
		char *part = strdup(w->path);

		if (!part)
			return err_set(err, TACHO_ENOMEM, "no memory to open %s", w->path);
		free(w->part);
		w->part = part;
		w->fd = open(w->part, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	}
	if (w->fd < 0)
		return err_errno(err, TACHO_EREAD, "cannot open %s", w->part);
	writer_lock(w);
	return 0;
}

/* The parts of the checkpoint's state are in neighbouring blocks. */
static int take_state(struct trace_writer *w, struct trace_private *p, size_t *len)
{
	struct buf state = BUF_INIT;
	uint64_t at = p->checkpoint;
	struct block b;
	struct in in;
	int r = 0;

	while (r == 0 && at < p->checkpoint_end) {
		r = block_read(p->fd, at, p->checkpoint_end, &p->store, &b);
		if (r == 0)
			r = block_payload(p->unpacker, &p->store, &b, &p->unpacked, &in);
		if (r < 0)
			break;
		in_varint(&in);
		in_varint(&in);
		w->moved = in_varint(&in);
		r = in.bad ? TACHO_EDAMAGED : buf_add(&state, in.p, in_left(&in));
		at += BLOCK_HEADER_SIZE + b.packed;
	}
	*len = state.len;
	if (r == 0)
		w->state = buf_detach(&state);
	buf_free(&state);
	return r < 0 ? r : w->state ? 0 : TACHO_ENOMEM;
}

static int take_model(struct trace_writer *w, const struct trace_private *p)
{
	w->process_count = p->trace.process_count;
	w->absent_count = p->trace.absent_count;
	for (uint32_t i = 0; i < p->trace.track_count; i++) {
		struct writer_track track = {.ledger = p->trace.ledgers[i]};

		if (vec_push(&w->tracks, track) < 0)
			return TACHO_ENOMEM;
		w->track_count++;
	}
	for (uint32_t i = 0; i < p->trace.srcloc_count; i++) {
		bool known;
		int64_t id = srcloc_intern(w, &p->trace.srclocs[i], &known);

		if (id < 0)
			return (int)id;
		/* Made-up ones of a damaged file are all alike; their ids must stay apart. */
		if (known && (vec_push(&w->sums, (struct zone_sums){.min = UINT64_MAX}) < 0))
			return TACHO_ENOMEM;
		w->srcloc_count = i + 1;
	}
	for (uint32_t i = 0; i < p->trace.lane_count; i++) {
		const struct trace_lane_info *info = &p->trace.lanes[i];
		struct trace_lane *lane = trace_lane(w, info->track, info->depth);

		if (!lane)
			return TACHO_ENOMEM;
		lane->end = info->end;
	}
	w->zones = p->trace.zones;
	w->rows = p->trace.rows;
	return 0;
}

/* Rebuild the index from the blocks. */
static int take_index(struct trace_writer *w, struct trace_private *p)
{
	uint64_t at = FILE_HEADER_SIZE, size = p->trace.file_size, budget = 2 * size + (16u << 20);
	struct block b;
	struct in in;
	int r = 0;

	while (r == 0 && at < size) {
		r = block_read(p->fd, at, size, &p->store, &b);
		if (r == TACHO_EDAMAGED)
			r = block_resync(p->fd, at + 1, size, &budget, &p->store, &b);
		if (r < 0)
			break;
		at = b.offset + BLOCK_HEADER_SIZE + b.packed;
		if (block_payload(p->unpacker, &p->store, &b, &p->unpacked, &in) < 0)
			continue;
		if (b.type == BLOCK_DEFS) {
			index_add(w, BLOCK_DEFS, b.offset, NULL);
		} else if (b.type == BLOCK_ZONES || b.type == BLOCK_ROWS) {
			struct segment s = {0};
			struct directory d;

			directory_read(&in, &d);
			for (uint32_t i = 0; i < d.segments && !in.bad; i++) {
				directory_next(&in, &d, b.offset, &s);
				if (!in.bad)
					index_add(w, b.type, b.offset, &s);
			}
		}
	}
	if (w->index.failed)
		return TACHO_ENOMEM;
	return r == TACHO_ENO ? 0 : r;
}

/* Everything that the writer knew at the checkpoint. */
static int take_all(struct trace_writer *w, struct trace_private *p, size_t *state_len)
{
	int r = take_state(w, p, state_len);

	if (r == 0)
		r = take_model(w, p);
	if (r == 0)
		r = sums_count(p, NULL, w->sums.v);
	if (r == 0)
		r = take_index(w, p);
	w->features = p->recursion_known ? FILE_RECURSION : 0;
	memcpy(w->uuid, p->trace.uuid, sizeof(w->uuid));
	w->sequence = p->checkpoint_sequence;
	w->offset = p->checkpoint_end;
	return r;
}

static int resume_file(struct trace_writer *w, size_t *state_len, struct tacho_error *err)
{
	struct trace_private *p = NULL;
	uint64_t end;
	int r = find_part(w, err);

	if (r == 0)
		r = reader_open_scanned(&p, w->part, UINT64_MAX, err);
	if (r < 0)
		return r;
	end = p->checkpoint_end;
	if (!p->trace.damage.unfinished && !strcmp(w->part, w->path))
		r = err_set(err, TACHO_ENO, "%s is complete", w->path);
	trace_close(&p->trace);
	if (r < 0)
		return r;
	if (!end)
		return err_set(err, TACHO_ENO, "%s has no checkpoint", w->part);
	r = reader_open_scanned(&p, w->part, end, err);
	if (r < 0)
		return r;
	r = take_all(w, p, state_len);
	if (r < 0)
		err_set(err, r, "cannot go on with %s: %s", w->part, err_text(r));
	trace_close(&p->trace);
	if (r < 0)
		return r;
	if (ftruncate(w->fd, (off_t)w->offset) < 0 || writer_head(w) < 0 ||
	    lseek(w->fd, (off_t)w->offset, SEEK_SET) < 0)
		return err_errno(err, TACHO_EWRITE, "cannot cut %s", w->part);
	return 0;
}

int trace_writer_resume(struct trace_writer **out, const char *path,
			const struct trace_writer_options *options, const void **state,
			size_t *state_len, struct tacho_error *err)
{
	struct trace_writer *w = writer_new(path, options);
	size_t len = 0;
	int r = w ? resume_file(w, &len, err)
		  : err_set(err, TACHO_ENOMEM, "no memory to open %s", path);

	if (r < 0) {
		trace_writer_abandon(w);
		return r;
	}
	*state = w->state;
	*state_len = len;
	*out = w;
	return 0;
}
