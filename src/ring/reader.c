/* SPDX-License-Identifier: Apache-2.0 */
/* A process's ring file, and the streams in it. */
#include "ring/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ open */

/*
 * Maps the whole file once, as the program does. It is sparse, and ring_release() discards what was
 * read: it costs addresses, not memory.
 */
static bool map_file(struct ring_reader *r, off_t size)
{
	uint64_t most = ring_file_size(RING_MAX_EXTENTS);
	size_t length = (uint64_t)size < most ? (size_t)size : (size_t)most;
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, (off_t)r->offset);

	if (p == MAP_FAILED)
		return false;
	r->base = p;
	r->size = length;
	guard_add(&r->guard, p, length, &r->shrunk);
	return true;
}

static int reader_header_check(struct ring_reader *r, uint64_t key, struct tacho_error *err)
{
	struct stat st;
	off_t size;

	if (fstat(r->fd, &st) < 0)
		return err_set(err, TACHO_EFORMAT, "%s is not a ring", r->name);
	size = st.st_size - (off_t)r->offset;
	if (r->length && size > (off_t)r->length)
		size = (off_t)r->length;
	if (size < (off_t)ring_file_size(1))
		return err_set(err, TACHO_EFORMAT, "%s is not a ring", r->name);
	if (!map_file(r, size))
		return err_errno(err, TACHO_EREAD, "cannot map %s", r->name);
	r->header = (struct ring_header *)r->base;
	r->table = ring_extents(r->base);
	if (atomic_load_explicit(&r->header->magic, memory_order_acquire) != RING_MAGIC)
		return err_set(err, TACHO_EFORMAT, "%s is not complete", r->name);
	memcpy((void *)&r->copy, (void *)r->header, sizeof(r->copy));
	if (r->copy.version != RING_VERSION || r->copy.word_size != 8 ||
	    r->copy.byte_order != 0x01020304)
		return err_set(err, TACHO_EVERSION, "%s is a ring of another version", r->name);
	if (key && r->copy.key != key)
		return err_set(err, TACHO_ENO, "%s is a ring of another session", r->name);
	if (r->copy.command_len > sizeof(r->copy.command))
		r->copy.command_len = sizeof(r->copy.command);
	r->max_extents = (uint32_t)(((uint64_t)size - RING_DATA) / RING_STRIDE);
	if (r->max_extents > r->copy.max_extents)
		r->max_extents = r->copy.max_extents;
	if (r->max_extents > RING_MAX_EXTENTS)
		r->max_extents = RING_MAX_EXTENTS;
	return 0;
}

static struct ring_reader *reader_new(const char *name)
{
	struct ring_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->identity.pidfd = r->fd = -1;
	r->name = strdup(name);
	if (!r->name) {
		free(r);
		return NULL;
	}
	return r;
}

/* R->fd is its file, or -1 and errno. Closes R on failure. */
static int reader_start(struct ring_reader *r, struct ring_reader **result, uint64_t key,
			struct tacho_error *err)
{
	int e, error;

	if (r->fd < 0) {
		bool later = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
		int code = later ? TACHO_ENOMEM : errno == EPERM ? TACHO_ENO : TACHO_EREAD;

		e = err_errno(err, code, "cannot open %s", r->name);
		goto fail;
	}
	e = reader_header_check(r, key, err);
	if (e < 0)
		goto fail;
	e = TACHO_ENOMEM;
	r->known = calloc(r->max_extents, sizeof(*r->known));
	if (!r->known || !identity_open(&r->identity, &r->copy))
		goto fail;
	*result = r;
	return 0;
fail:
	error = errno;
	ring_close(r);
	errno = error;
	return e;
}

int ring_open(struct ring_reader **result, int folder, const char *name, uint64_t key,
	      struct tacho_error *err)
{
	struct ring_reader *r = reader_new(name);

	if (!r)
		return TACHO_ENOMEM;
	r->fd = own_file_open(folder, name, O_RDWR);
	return reader_start(r, result, key, err);
}

int ring_open_area(struct ring_reader **result, const struct ring_session *s, const char *name,
		   struct tacho_error *err)
{
	struct ring_reader *r;
	uint32_t area;

	if (!pool_area_named(s, name, &area))
		return TACHO_ENO;
	r = reader_new(name);
	if (!r)
		return TACHO_ENOMEM;
	r->offset = ring_area_offset(area);
	r->length = ring_file_size(RING_POOL_EXTENTS);
	r->fd = fcntl(s->pool.fd, F_DUPFD_CLOEXEC, 0);
	return reader_start(r, result, s->key, err);
}

void stream_free(struct ring_stream *s)
{
	vec_free(&s->consumed);
	vec_free(&s->scratch);
	vec_free(&s->text);
	parts_free(s);
	free(s);
}

void ring_close(struct ring_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->streams.n; i++)
		stream_free(r->streams.v[i]);
	vec_free(&r->streams);
	if (r->base) {
		guard_remove(&r->guard);
		munmap(r->base, r->size);
	}
	identity_close(&r->identity);
	if (r->fd >= 0)
		close(r->fd);
	free(r->known);
	free(r->name);
	free(r);
}

const struct ring_header *ring_header(const struct ring_reader *r)
{
	return &r->copy;
}

const char *ring_name(const struct ring_reader *r)
{
	return r->name;
}

uint64_t ring_threads_lost(const struct ring_reader *r)
{
	return atomic_load_explicit(&r->header->threads_lost, memory_order_relaxed);
}

void ring_losses(const struct ring_reader *r, struct ring_losses *losses)
{
	losses->zones = atomic_load_explicit(&r->header->lost_zones, memory_order_relaxed);
	losses->others = atomic_load_explicit(&r->header->lost_others, memory_order_relaxed);
	losses->ends = 0;
}

bool ring_is_alive(struct ring_reader *r)
{
	return !r->dead && !r->replaced && identity_is_alive(&r->identity);
}

void ring_seal(struct ring_reader *r)
{
	if (!r->copy.filters || r->shrunk || !r->identity.pid ||
	    atomic_load_explicit(&r->header->sealed, memory_order_relaxed))
		return;
	if (identity_filters(r->identity.pid) > r->copy.filters)
		atomic_store_explicit(&r->header->sealed, 1, memory_order_relaxed);
}

void ring_set_replaced(struct ring_reader *r)
{
	r->replaced = true;
}

void ring_set_dead(struct ring_reader *r)
{
	r->dead = true;
}

/* --------------------------------------------------------------- streams */

/* Adds the stream on thread page EXTENT; NULL if it is not ready or out of memory. */
static struct ring_stream *reader_stream_open(struct ring_reader *r, uint32_t extent)
{
	struct ring_stream *s = calloc(1, sizeof(*s));
	uint64_t number = r->table[extent].thread;

	if (!s)
		return NULL;
	s->reader = r;
	s->page = (struct ring_page *)(r->base + ring_page_offset(extent));
	if (__atomic_load_n(&s->page->segment.magic, __ATOMIC_ACQUIRE) != RING_PAGE_MAGIC ||
	    s->page->segment.extent != extent || s->page->segment.thread != number) {
		stream_free(s);
		return NULL;
	}
	s->number = number;
	s->segment = &s->page->segment;
	s->at = (const char *)(s->page + 1);
	s->end = (const char *)s->page + RING_PAGE_SIZE;
	s->extent = s->page_extent = extent;
	s->time = s->page->segment.ticks;
	return s;
}

static int add_stream(struct ring_reader *r, struct ring_stream *s)
{
	size_t at;

	if (vec_reserve(&r->streams, r->streams.n + 1) < 0)
		return TACHO_ENOMEM;
	/* The process's own stream comes first: others refer to it. */
	at = s->number == 0 ? 0 : r->streams.n;
	memmove(&r->streams.v[at + 1], &r->streams.v[at],
		(r->streams.n - at) * sizeof(*r->streams.v));
	r->streams.v[at] = s;
	r->streams.n++;
	return 0;
}

static int find_new(struct ring_reader *r)
{
	uint32_t joined = atomic_load_explicit(&r->header->threads, memory_order_acquire);
	uint32_t extents = atomic_load_explicit(&r->header->extents, memory_order_acquire);
	bool all = true;

	if (joined == r->threads_seen && r->streams.n)
		return 0;
	if (extents > r->max_extents)
		extents = r->max_extents;
	for (uint32_t i = 0; i < extents; i++) {
		struct ring_stream *s;
		uint32_t state = atomic_load_explicit(&r->table[i].state, memory_order_acquire);

		if (state != RING_EXTENT_PAGE || r->known[i])
			continue;
		s = reader_stream_open(r, i);
		if (!s) {
			all = false;
			continue;
		}
		if (add_stream(r, s) < 0) {
			stream_free(s);
			return TACHO_ENOMEM;
		}
		r->known[i] = true;
	}
	if (all)
		r->threads_seen = joined;
	return 0;
}

int ring_streams(struct ring_reader *r, struct ring_stream ***streams, size_t *count)
{
	int e = r->shrunk ? 0 : find_new(r);

	*streams = r->streams.v;
	*count = r->streams.n;
	return e;
}

void ring_stream_info(const struct ring_stream *s, struct ring_stream_info *info)
{
	info->number = s->number;
	info->tid = s->page->tid;
	memcpy(info->name, s->page->name, sizeof(info->name));
	info->name[sizeof(info->name) - 1] = 0;
	info->ticks = s->page->segment.ticks;
}

void *ring_stream_user(const struct ring_stream *s)
{
	return s->user;
}

void ring_stream_set_user(struct ring_stream *s, void *user)
{
	s->user = user;
}

bool ring_stream_finished(const struct ring_stream *s)
{
	return s->finished;
}

bool ring_stream_retired(const struct ring_stream *s)
{
	return s->finished && (s->bad || (s->extent == s->page_extent && s->tainted));
}

void ring_stream_skip(struct ring_stream *s)
{
	s->finished = true;
}

void ring_stream_losses(const struct ring_stream *s, struct ring_losses *losses)
{
	losses->zones = atomic_load_explicit(&s->page->lost_zones, memory_order_relaxed);
	losses->ends = atomic_load_explicit(&s->page->lost_ends, memory_order_relaxed);
	losses->others = atomic_load_explicit(&s->page->lost_others, memory_order_relaxed);
}
