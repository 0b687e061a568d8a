/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session made by hand, for tests of the client: the test's own process records because of its
 * control page, and what it wrote is read from its ring file with nothing but layout.h.
 */
#ifndef UNIT_CLIENT_SESSION_H
#define UNIT_CLIENT_SESSION_H

#include "ring/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tacho/tacho.h>
#include <unistd.h>

#define control ((struct ring_control *)&tacho_control)

static char session_dir[64];
static uint32_t session_generation = 1;
static struct ring_pool *session_pool;

static inline struct ring_pool *session_make_pool(uint32_t areas)
{
	struct ring_pool head = {.magic = RING_POOL_MAGIC,
				 .version = RING_VERSION,
				 .areas = areas,
				 .limit = 1ull << 30};
	struct ring_pool *mapped;
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/pool", session_dir);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)ring_area_offset(RING_POOL_AREAS)), 0);
	assert_int_equal(write(fd, &head, sizeof(head)), sizeof(head));
	mapped = mmap(NULL, RING_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	return mapped;
}

static inline void session_start(uint32_t limit_mb, uint32_t policy)
{
	strcpy(session_dir, "/dev/shm/tacho-test-XXXXXX");
	assert_non_null(mkdtemp(session_dir));
	session_pool = session_make_pool(RING_POOL_AREAS);
	/* A process that could not make its attach page has a private control page: that does too.
	 */
	control->magic = RING_CONTROL;
	control->version = RING_VERSION;
	control->limit_mb = limit_mb;
	control->policy = policy;
	control->block_ms = 1;
	strcpy(control->session, session_dir);
	atomic_store(&control->key, (uint64_t)++session_generation << 32);
}

static inline void session_stop(void)
{
	atomic_store(&control->key, 0);
}

static inline void session_remove(void)
{
	DIR *d = opendir(session_dir);
	struct dirent *e;

	session_stop();
	while (d && (e = readdir(d)))
		if (e->d_name[0] == 'p')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(session_dir);
	munmap(session_pool, RING_PAGE_SIZE);
}

/* ------------------------------------------------------------------ rings */

struct ring_view {
	char *base;
	size_t size;
	struct ring_header *header;
	struct ring_extent *table;
};

static inline bool view_open(struct ring_view *v, long pid, unsigned n)
{
	char path[128];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/p.%ld.%u", session_dir, pid, n);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	assert_int_equal(fstat(fd, &st), 0);
	v->size = (size_t)st.st_size;
	v->base = mmap(NULL, v->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	assert_ptr_not_equal(v->base, MAP_FAILED);
	v->header = (struct ring_header *)v->base;
	v->table = ring_extents(v->base);
	assert_true(v->header->magic == RING_MAGIC);
	assert_int_equal(v->header->pid, pid);
	return true;
}

static inline void view_close(struct ring_view *v)
{
	munmap(v->base, v->size);
}

/* The newest thread page of a thread number; NULL when there is none. */
static inline struct ring_page *view_page(struct ring_view *v, uint64_t number)
{
	for (uint32_t i = 0; i < v->header->extents; i++)
		if (v->table[i].state == RING_EXTENT_PAGE && v->table[i].thread == number)
			return (struct ring_page *)(v->base + ring_page_offset(i));
	return NULL;
}

static inline struct ring_segment *view_segment(struct ring_view *v, uint32_t extent)
{
	return (struct ring_segment *)(v->base + ring_segment_offset(extent));
}

/* One word or record, as stored in a stream. */
struct seen {
	unsigned kind, type;
	uint32_t id;
	uint64_t ticks; /* lower bits */
	unsigned count;
	const uint64_t *words;
};

struct stream {
	struct seen *events;
	size_t count;
	uint64_t segments; /* visited, the page included */
};

static inline void stream_add(struct stream *s, const uint64_t *word)
{
	struct seen e = {RING_KIND(*word), 0, RING_ID(*word), *word >> RING_TICK_SHIFT, 0, NULL};

	if (e.kind == RING_RECORD) {
		e.type = RING_TYPE(*word);
		e.count = RING_LEN(*word);
		e.words = word + 1;
		if (e.type == RING_SEG_END)
			return;
	}
	if ((s->count & (s->count - 1)) == 0) {
		s->events = realloc(s->events, (s->count ? s->count * 2 : 1) * sizeof(e));
		assert_non_null(s->events);
	}
	s->events[s->count++] = e;
}

static inline void stream_add_words(struct stream *s, const uint64_t *word, const uint64_t *end)
{
	for (; word < end && *word; word++) {
		stream_add(s, word);
		if (RING_KIND(*word) == RING_RECORD) {
			if (RING_TYPE(*word) == RING_SEG_END)
				return;
			word += RING_LEN(*word);
		}
	}
}

/* All that a thread wrote, in order. Freed by stream_free(). */
static inline struct stream stream_read(struct ring_view *v, uint64_t number)
{
	struct ring_page *page = view_page(v, number);
	struct stream s = {0};
	uint32_t next;
	uint64_t sequence = 0;

	assert_non_null(page);
	assert_int_equal(page->segment.magic, RING_PAGE_MAGIC);
	stream_add_words(&s, (uint64_t *)(page + 1), (uint64_t *)((char *)page + RING_PAGE_SIZE));
	s.segments = 1;
	for (next = page->segment.next; next; s.segments++) {
		struct ring_segment *seg = view_segment(v, next - 1);

		assert_int_equal(seg->magic, RING_SEG_MAGIC);
		assert_int_equal(seg->thread, number);
		assert_int_equal(seg->extent, next - 1);
		assert_true(seg->sequence > sequence);
		sequence = seg->sequence;
		stream_add_words(&s, (uint64_t *)(seg + 1),
				 (uint64_t *)((char *)seg + RING_SEG_SIZE));
		next = seg->next;
	}
	return s;
}

static inline void stream_free(struct stream *s)
{
	free(s->events);
}

static inline size_t stream_count(const struct stream *s, unsigned kind, unsigned type)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += s->events[i].kind == kind && s->events[i].type == type;
	return n;
}

/* The string of an announced name or location; NULL when NUMBER was not announced. Joined parts. */
static inline const char *name_announced(const struct stream *meta, unsigned type, uint64_t number)
{
	for (size_t i = 0; i < meta->count; i++) {
		const struct seen *e = &meta->events[i];

		if (e->kind == RING_RECORD && e->type == type && e->words[0] == number)
			return (const char *)(e->words + (type == RING_SRCLOC ? 3 : 2));
	}
	return NULL;
}

#endif
