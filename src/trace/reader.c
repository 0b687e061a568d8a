/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: opening, times, names. */
#include "trace/reader.h"
#include "base/limits.h"
#include "base/search.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define CACHE_BYTES (32u << 20) /* of decoded blocks that nobody uses at the moment */

static int reader_magic_check(struct trace_private *p, struct tacho_error *err)
{
	const char *path = p->trace.path;
	uint8_t h[FILE_HEADER_SIZE];
	uint64_t unknown;
	int r;

	if (p->trace.file_size < sizeof(h))
		return err_set(err, TACHO_EFORMAT, "%s is too short to be a trace", path);
	r = read_at(p->fd, 0, h, sizeof(h));
	if (r < 0)
		return err_errno(err, TACHO_EREAD, "cannot read %s", path);
	if (memcmp(h, FILE_MAGIC, 8))
		return err_set(err, TACHO_EFORMAT, "%s is not a trace", path);
	if (le_get32(h + 8) == __builtin_bswap32(FILE_ORDER))
		return err_set(err, TACHO_EFORMAT,
			       "%s was written big-endian; traces are little-endian", path);
	if (le_get32(h + 8) != FILE_ORDER)
		return err_set(err, TACHO_EFORMAT, "%s has a damaged header", path);
	unknown = le_get64(h + 24) & ~FILE_INCOMPATIBLE;
	if (unknown)
		return err_set(err, TACHO_EVERSION,
			       "%s needs a newer version: it uses incompatible feature bit %d",
			       path, __builtin_ctzll(unknown));
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	if (le_get64(h + 56) != XXH3_64bits(h, 56))
		return err_set(err, TACHO_EFORMAT, "%s has a damaged header", path);
#endif
	p->trace.absent_known = le_get64(h + FILE_FEATURES_OFFSET) & FILE_ABSENT;
	memcpy(p->trace.uuid, h + 32, sizeof(p->trace.uuid));
	p->recursion_known = le_get64(h + FILE_FEATURES_OFFSET) & FILE_RECURSION;
	return 0;
}

/* P->fd becomes its file. */
static int attach_fd(struct trace_private *p, const char *path, uint64_t limit,
		     struct tacho_error *err)
{
	struct stat st;

	if (p->fd < 0 || fstat(p->fd, &st) < 0)
		return err_errno(err, TACHO_EREAD, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, TACHO_EREAD, "%s is not a regular file", path);
	p->trace.file_size = (uint64_t)st.st_size < limit ? (uint64_t)st.st_size : limit;
	p->trace.path = arena_add(&p->arena, path, strlen(path));
	if (!p->trace.path)
		return reader_explain(path, TACHO_ENOMEM, err);
	return reader_magic_check(p, err);
}

/* ------------------------------------------------------------------- open */

int reader_attach(struct trace_private *p, const char *path, uint64_t limit,
		  struct tacho_error *err)
{
	p->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return attach_fd(p, path, limit, err);
}

void reader_forget(struct trace_private *p)
{
	p->processes.n = p->tracks.n = p->srclocs.n = p->properties.n = p->clock_points.n = 0;
	p->ledgers.n = p->open.n = p->absent.n = 0;
	p->defs_new = true;
	lanes_clear(p);
	p->bad.n = 0;
	p->holes = 0;
	free(p->sums);
	p->sums = NULL;
	p->srclocs_needed = 0;
	memset(&p->trace.damage, 0, sizeof(p->trace.damage));
}

int reader_load(struct trace_private *p, bool scan)
{
	int r = scan ? TACHO_EDAMAGED : index_load(p);

	if (r == TACHO_EDAMAGED) {
		reader_forget(p);
		r = file_scan(p);
	}
	return r < 0 ? r : reader_finish(p);
}

void reader_origin(struct trace_private *p, uint64_t origin)
{
	p->trace.origin = origin;
	p->origin_ns = clock_fit_ns(&p->fit, origin);
}

int reader_finish(struct trace_private *p)
{
	int r = model_finish(p);
	size_t kept;

	if (r < 0)
		return r;
	lanes_finish(p);
	/* Zones that have ended since, and ids that make no sense. */
	kept = 0;
	for (size_t i = 0; i < p->open.n; i++) {
		struct trace_open_zone z = p->open.v[i];
		uint32_t *lane = map_get(&p->lane_numbers, LANE_KEY(z.track, z.depth));

		if (z.track >= p->tracks.n || z.srcloc >= p->srclocs.n)
			continue;
		if (lane && p->lanes.v[p->lane_list.v[*lane]->position].end > z.start)
			continue;
		p->open.v[kept++] = z;
	}
	p->open.n = p->trace.damage.unfinished ? kept : 0;
	p->trace.open_zones = p->open.v;
	p->trace.open_count = (uint32_t)p->open.n;
	reader_origin(p, p->followed ? p->trace.origin : p->trace.start);
	/* Stored statistics count all that was written, also what a damaged file has lost. */
	if (p->trace.damage.bad_blocks || p->sums_srclocs != p->srclocs.n) {
		free(p->sums);
		p->sums = NULL;
	}
	damage_text(p);
	return 0;
}

struct trace_private *reader_new(void)
{
	struct trace_private *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = -1;
	p->trace.private = p;
	p->store = p->unpacked = (struct buf)BUF_INIT;
	p->idle_limit = CACHE_BYTES;
	reader_forget(p);
	p->unpacker = unpacker_new();
	if (!p->unpacker) {
		trace_close(&p->trace);
		return NULL;
	}
	return p;
}

int reader_explain(const char *path, int r, struct tacho_error *err)
{
	if (r == TACHO_EDAMAGED)
		err_set(err, r, "%s is too damaged to be read", path);
	else if (r == TACHO_EREAD)
		err_errno(err, r, "cannot read %s", path);
	else if (r == TACHO_ENOMEM)
		err_set(err, r, "no memory to open %s", path);
	return r;
}

static int reader_open(struct trace_private **out, const char *path, uint64_t limit, bool scan,
		       struct tacho_error *err)
{
	struct trace_private *p = reader_new();
	int r;

	if (!p)
		return reader_explain(path, TACHO_ENOMEM, err);
	r = reader_attach(p, path, limit, err);
	if (r == 0)
		r = reader_explain(path, reader_load(p, scan), err);
	if (r < 0) {
		trace_close(&p->trace);
		return r;
	}
	*out = p;
	return 0;
}

int reader_open_fd(struct trace_private **out, int fd, const char *name, struct tacho_error *err)
{
	struct trace_private *p = reader_new();
	int r;

	if (!p) {
		close(fd);
		return reader_explain(name, TACHO_ENOMEM, err);
	}
	p->fd = fd;
	r = attach_fd(p, name, UINT64_MAX, err);
	if (r == 0)
		r = reader_explain(name, reader_load(p, false), err);
	if (r < 0)
		trace_close(&p->trace);
	else
		*out = p;
	return r;
}

int trace_open(struct trace **trace, const char *path, struct tacho_error *err)
{
	struct trace_private *p;
	int r = reader_open(&p, path, UINT64_MAX, false, err);

	if (r == 0)
		*trace = &p->trace;
	return r;
}

void trace_set_cache(struct trace *trace, size_t bytes)
{
	struct trace_private *p = private_of(trace);

	if (!bytes)
		zblock_cache_free(p);
	p->idle_limit = bytes;
}

int trace_open_again(struct trace **again, const struct trace *trace, struct tacho_error *err)
{
	struct trace_private *p;
	const char *name;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", private_of(trace)->fd);
	r = reader_open(&p, path, UINT64_MAX, false, err);
	if (r < 0)
		return r;
	name = arena_add(&p->arena, trace->path, strlen(trace->path));
	if (name)
		p->trace.path = name;
	*again = &p->trace;
	return 0;
}

int reader_open_scanned(struct trace_private **p, const char *path, uint64_t limit,
			struct tacho_error *err)
{
	return reader_open(p, path, limit, true, err);
}

void trace_close(struct trace *trace)
{
	struct trace_private *p = trace ? trace->private : NULL;

	if (!p)
		return;
	zblock_cache_free(p);
	clock_fit_free(&p->fit);
	unpacker_free(p->unpacker);
	buf_free(&p->store);
	buf_free(&p->unpacked);
	vec_free(&p->processes);
	vec_free(&p->tracks);
	vec_free(&p->srclocs);
	vec_free(&p->properties);
	vec_free(&p->clock_points);
	vec_free(&p->ledgers);
	vec_free(&p->absent);
	lanes_clear(p);
	vec_free(&p->lanes);
	vec_free(&p->lane_list);
	vec_free(&p->rows);
	vec_free(&p->pending);
	vec_free(&p->bad);
	vec_free(&p->open);
	arena_free(&p->arena);
	free(p->followed);
	free(p->sums);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

/* ------------------------------------------------------------------ times */

int64_t trace_ns(const struct trace *trace, uint64_t ticks)
{
	const struct trace_private *p = private_of(trace);

	return (int64_t)((uint64_t)clock_fit_ns(&p->fit, ticks) - (uint64_t)p->origin_ns);
}

uint64_t trace_ticks(const struct trace *trace, int64_t ns)
{
	const struct trace_private *p = private_of(trace);

	return clock_fit_ticks(&p->fit, (int64_t)((uint64_t)ns + (uint64_t)p->origin_ns));
}

double trace_duration_ns(const struct trace *trace, uint64_t start, uint64_t end)
{
	return clock_fit_span_ns(&private_of(trace)->fit, start, end);
}

int64_t trace_realtime_ns(const struct trace *trace, uint64_t ticks)
{
	const struct trace_clock_point *p = trace->clock_points, *near;
	uint32_t low = 0, high = trace->clock_point_count;
	double ns;

	if (!high)
		return 0;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (p[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	near = &p[low];
	ns = ticks < near->ticks ? -trace_duration_ns(trace, ticks, near->ticks)
				 : trace_duration_ns(trace, near->ticks, ticks);
	if (!(fabs(ns) < 4e18))
		ns = 0;
	return near->realtime_ns + (int64_t)ns;
}

/* ------------------------------------------------------------------ names */

const char *trace_property(const struct trace *trace, const char *key)
{
	const struct trace_private *p = private_of(trace);

	for (size_t i = 0; i < p->properties.n; i++)
		if (!strcmp(p->properties.v[i].key, key))
			return p->properties.v[i].value;
	return NULL;
}

const char *trace_srcloc_name(const struct trace *trace, uint32_t srcloc)
{
	const struct trace_srcloc *s;

	if (srcloc >= trace->srcloc_count)
		return "?";
	s = &trace->srclocs[srcloc];
	if (s->name[0])
		return s->name;
	return s->function[0] ? s->function : "?";
}

void trace_track_lanes(const struct trace *trace, uint32_t track, uint32_t *first, uint32_t *count)
{
	uint32_t low = 0, high = trace->lane_count, end;

	SEARCH_FIRST(low, high, middle, trace->lanes[middle].track < track);
	for (end = low; end < trace->lane_count && trace->lanes[end].track == track; end++)
		;
	*first = low;
	*count = end - low;
}
