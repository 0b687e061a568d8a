/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: following a trace that is being written. */
#include "trace/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART ".part"

/* The current file of a path: the one being written, else the finished one. NULL: neither exists.
 */
static char *current_path(const char *final, struct stat *st)
{
	char *part;

	if (asprintf(&part, "%s" PART, final) < 0)
		return NULL;
	if (stat(part, st) == 0)
		return part;
	free(part);
	return stat(final, st) == 0 ? strdup(final) : NULL;
}

static bool same_file(const struct trace_private *p, const struct stat *st)
{
	struct stat own;

	return fstat(p->fd, &own) == 0 && own.st_ino == st->st_ino && own.st_dev == st->st_dev;
}

/*
 * Times of a followed trace count from a tick that does not move: processes join before they emit.
 * As long as nothing is there it is not known.
 */
static void fix_origin(struct trace_private *p, bool known)
{
	struct trace *t = &p->trace;
	uint64_t origin = t->start;

	if (known)
		return;
	for (uint32_t i = 0; i < t->process_count; i++)
		if (t->processes[i].start && t->processes[i].start < origin)
			origin = t->processes[i].start;
	reader_origin(p, origin);
}

/*
 * The end of the last checkpoint after FROM, or of the file if it is complete; FROM if there is
 * none. Reads only block headers. A file whose headers do not follow one another is damaged and is
 * taken as it is.
 */
static uint64_t settled_end(const struct trace_private *p, uint64_t from, uint64_t size)
{
	uint8_t header[BLOCK_HEADER_SIZE];
	uint64_t at = from;
	struct block b;

	while (at <= size && size - at >= sizeof(header)) {
		if (read_at(p->fd, at, header, sizeof(header)) < 0 || !block_header_get(header, &b))
			return size;
		if (size - at - sizeof(header) < b.packed)
			break;
		at += sizeof(header) + b.packed;
		if (b.type == BLOCK_CHECKPOINT || b.type == BLOCK_TRAILER)
			from = at;
	}
	return from;
}

static int follow_read(struct trace_private *p)
{
	if (p->settled)
		p->trace.file_size = settled_end(p, FILE_HEADER_SIZE, p->trace.file_size);
	return reader_load(p, false);
}

static int follow_advance(struct trace **trace, const char *path, bool settled,
			  struct tacho_error *err)
{
	struct trace_private *p = reader_new();
	char *now = NULL;
	struct stat st;
	int r = TACHO_ENOMEM;

	if (p) {
		/* The path without ".part". */
		size_t len = strlen(path), part = strlen(PART);

		if (len > part && !strcmp(path + len - part, PART))
			len -= part;
		p->followed = strndup(path, len);
	}
	if (p && p->followed) {
		p->settled = settled;
		now = current_path(p->followed, &st);
		r = reader_attach(p, now ? now : path, UINT64_MAX, err);
		if (r == 0)
			r = reader_explain(path, follow_read(p), err);
	} else {
		reader_explain(path, r, err);
	}
	free(now);
	if (r < 0) {
		trace_close(p ? &p->trace : NULL);
		return r;
	}
	fix_origin(p, false);
	*trace = &p->trace;
	return 0;
}

int trace_follow(struct trace **trace, const char *path, struct tacho_error *err)
{
	return follow_advance(trace, path, false, err);
}

int trace_follow_settled(struct trace **trace, const char *path, struct tacho_error *err)
{
	return follow_advance(trace, path, true, err);
}

/* Reloads everything from the file at PATH. */
static int follow_reload(struct trace_private *p, const char *path, struct tacho_error *err)
{
	struct trace before = p->trace;
	size_t limit = p->idle_limit;
	int old = p->fd, r;

	r = reader_attach(p, path, UINT64_MAX, err);
	if (r < 0) {
		/* A new file without its header yet, or none any more: what is known stays. */
		if (p->fd >= 0)
			close(p->fd);
		p->fd = old;
		p->trace = before;
		return r;
	}
	close(old);
	p->stale = true;
	p->reloads++;
	zblock_cache_free(p);
	p->idle_limit = limit;
	reader_forget(p);
	arena_free(&p->arena);
	p->trace.path = arena_add(&p->arena, path, strlen(path));
	p->checkpoint = p->checkpoint_end = p->checkpoint_parts = 0;
	r = p->trace.path ? follow_read(p) : TACHO_ENOMEM;
	if (r < 0)
		return reader_explain(path, r, err);
	p->stale = false;
	fix_origin(p, false);
	return TRACE_RELOADED;
}

/* True if the last block that was read still exists. A recorder that resumes truncates the file. */
static bool tail_is_there(struct trace_private *p, uint64_t size)
{
	uint8_t header[BLOCK_HEADER_SIZE];

	if (p->scan_end > size)
		return false;
	if (p->scan_end <= FILE_HEADER_SIZE)
		return true;
	return read_at(p->fd, p->tail_offset, header, sizeof(header)) == 0 &&
	       !memcmp(header, p->tail, sizeof(header));
}

static int follow_read_on(struct trace_private *p, uint64_t size, struct tacho_error *err)
{
	bool empty = !p->trace.zones && !p->trace.rows;
	uint64_t from = p->scan_end;
	int r;

	if (p->settled)
		size = settled_end(p, from, size);
	if (size == p->trace.file_size)
		return TRACE_SAME;
	p->trace.file_size = size;
	p->stale = true;
	r = file_scan_on(p);
	if (r == 0)
		r = reader_finish(p);
	if (r < 0)
		return reader_explain(p->trace.path, r, err);
	p->stale = false;
	fix_origin(p, !empty);
	return p->scan_end == from ? TRACE_SAME : TRACE_GREW;
}

/* The rename to its own name when it is complete. */
static int take_name(struct trace_private *p, const char *path, struct tacho_error *err)
{
	const char *name;

	if (!strcmp(p->trace.path, path))
		return 0;
	name = arena_add(&p->arena, path, strlen(path));
	if (!name)
		return reader_explain(path, TACHO_ENOMEM, err);
	p->trace.path = name;
	return 0;
}

static int follow_refresh(struct trace_private *p, const char *now, const struct stat *at,
			  struct tacho_error *err)
{
	struct stat st;
	int r = 0;

	if (now && !same_file(p, at)) {
		/* Another recording; its first bytes may not be there yet. */
		r = follow_reload(p, now, err);
		return r == TACHO_EFORMAT ? TRACE_SAME : r;
	}
	if (now)
		r = take_name(p, now, err);
	if (r < 0)
		return r;
	if (fstat(p->fd, &st) < 0)
		return err_errno(err, TACHO_EREAD, "cannot read %s", p->trace.path);
	if (!p->stale && !p->trace.damage.unfinished)
		return TRACE_SAME;
	if (p->stale || !tail_is_there(p, (uint64_t)st.st_size))
		return now ? follow_reload(p, now, err) : TRACE_SAME;
	return follow_read_on(p, (uint64_t)st.st_size, err);
}

int trace_refresh(struct trace *trace, struct tacho_error *err)
{
	struct trace_private *p = private_of(trace);
	struct stat at;
	char *now;
	int r;

	if (!p->followed)
		return TRACE_SAME;
	now = current_path(p->followed, &at);
	r = follow_refresh(p, now, &at, err);
	free(now);
	if (r > 0)
		trace->generation++;
	return r;
}
