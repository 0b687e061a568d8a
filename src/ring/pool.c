/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's side of the pool: the account of a session's memory, ring areas, and processes
 * that could not join. Programs can write to all of this memory: values read from it are checked,
 * and the account is corrected by what the kernel says.
 */
#include "ring/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define POOL_LEAST    (1u << 20)
#define DEFAULT_LEAST (512ull << 20)
#define POOL_TRIES    1000

/* A quarter of the free space of the folder. */
static uint64_t default_limit(int folder)
{
	struct statvfs st;
	uint64_t quarter;

	if (fstatvfs(folder, &st) < 0)
		return DEFAULT_LEAST;
	quarter = (uint64_t)st.f_bavail * st.f_frsize / 4;
	return quarter > DEFAULT_LEAST ? quarter : DEFAULT_LEAST;
}

static bool map_head(struct ring_session *s)
{
	struct ring_pool_file *p = &s->pool;
	struct stat st;
	void *head;

	if (fstat(p->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < (off_t)RING_PAGE_SIZE)
		return false;
	head = mmap(NULL, RING_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (head == MAP_FAILED)
		return false;
	p->head = head;
	guard_add(&p->guard, head, RING_PAGE_SIZE, &p->gone);
	return true;
}

static int open_pool(struct ring_session *s, int flags, struct tacho_error *err)
{
	s->pool.fd = own_file_open(s->folder.fd, "pool", O_RDWR | flags);
	if (s->pool.fd < 0)
		return err_errno(err, flags ? TACHO_EWRITE : TACHO_EREAD, "cannot open %s/pool",
				 s->dir);
	return 0;
}

static int pool_fill(struct ring_session *s, uint32_t limit_mb, struct tacho_error *err)
{
	struct ring_pool_file *p = &s->pool;
	uint32_t areas;

	errno = posix_fallocate(p->fd, 0, RING_PAGE_SIZE);
	if (errno || !map_head(s))
		return err_errno(err, TACHO_EWRITE, "no room for a session in %s", s->dir);
	p->limit = limit_mb ? (uint64_t)limit_mb << 20 : default_limit(s->folder.fd);
	p->head->version = RING_VERSION;
	/* As many areas as the file size limit allows. */
	areas = RING_POOL_AREAS;
	while (areas && ftruncate(p->fd, (off_t)ring_area_offset(areas)) < 0)
		areas /= 2;
	p->head->areas = areas;
	p->head->limit = p->limit;
	p->head->magic = RING_POOL_MAGIC;
	return 0;
}

int ring_pool_create(struct ring_session *s, uint32_t limit_mb, struct tacho_error *err)
{
	int r = open_pool(s, O_CREAT | O_EXCL, err);

	return r < 0 ? r : pool_fill(s, limit_mb, err);
}

int ring_pool_adopt(struct ring_session *s, bool keep, struct tacho_error *err)
{
	int r = open_pool(s, 0, err);

	if (r < 0 && errno == ENOENT) { /* the recorder was killed while it removed the session */
		if (!keep)
			return ring_pool_create(s, 0, err);
		s->pool.fd = memfd_create("pool", MFD_CLOEXEC); /* the session stays as it is */
		if (s->pool.fd >= 0)
			return pool_fill(s, 0, err);
	}
	if (r < 0)
		return r;
	if (!map_head(s) || s->pool.head->magic != RING_POOL_MAGIC ||
	    s->pool.head->version != RING_VERSION)
		return err_set(err, TACHO_EFORMAT, "%s/pool is not of a session", s->dir);
	s->pool.limit = s->pool.head->limit;
	if (s->pool.limit < POOL_LEAST) /* a program may have written there */
		s->pool.limit = POOL_LEAST;
	return 0;
}

void ring_pool_close(struct ring_session *s)
{
	struct ring_pool_file *p = &s->pool;

	if (p->head) {
		guard_remove(&p->guard);
		munmap(p->head, RING_PAGE_SIZE);
	}
	if (p->fd >= 0)
		close(p->fd);
	p->head = NULL;
	p->fd = -1;
}

/* --------------------------------------------------------------- account */

uint64_t ring_pool_used(const struct ring_session *s)
{
	return atomic_load(&s->pool.head->used);
}

/* Never below 0: a program can make its file hold more than it has taken, by its header alone. */
void ring_pool_give(struct ring_session *s, uint64_t bytes)
{
	_Atomic uint64_t *used = &s->pool.head->used;
	uint64_t now = atomic_load(used);

	/* Corrected once a second: no endless loop with a program that keeps changing it. */
	for (int i = 0; i < POOL_TRIES; i++)
		if (atomic_compare_exchange_weak(used, &now, now > bytes ? now - bytes : 0))
			return;
}

void ring_pool_settle(struct ring_session *s, uint64_t used, uint64_t held, uint64_t slack)
{
	uint64_t now;

	/* Adds a difference, so that memory taken meanwhile counts. */
	if (used > held + slack)
		ring_pool_give(s, used - held - slack);
	now = ring_pool_used(s);
	if (now < held)
		atomic_fetch_add(&s->pool.head->used, held - now);
}

uint64_t ring_pool_bytes(const struct ring_session *s)
{
	struct stat st;

	return fstat(s->pool.fd, &st) < 0 ? 0 : (uint64_t)st.st_blocks * 512;
}

/* ----------------------------------------------------------------- areas */

#define AREA_NAME "pool.%u.%u%n"

bool ring_is_area_name(const char *name)
{
	return !strncmp(name, "pool.", 5);
}

bool ring_pool_changed(struct ring_session *s)
{
	uint64_t claims = atomic_load(&s->pool.head->claims);
	bool changed = claims != s->pool.claims_seen;

	s->pool.claims_seen = claims;
	return changed;
}

bool ring_pool_next(const struct ring_session *s, uint32_t *area, char *name, size_t size)
{
	for (; *area < RING_POOL_AREAS; ++*area) {
		uint64_t owner = atomic_load(&s->pool.head->owner[*area]);

		if (!(uint32_t)owner)
			continue;
		snprintf(name, size, "pool.%u.%u", (*area)++, (uint32_t)(owner >> 32));
		return true;
	}
	return false;
}

bool pool_area_named(const struct ring_session *s, const char *name, uint32_t *area)
{
	unsigned claim;
	uint64_t owner;
	int end = 0;

	if (sscanf(name, AREA_NAME, area, &claim, &end) != 2 || name[end] ||
	    *area >= RING_POOL_AREAS)
		return false;
	owner = atomic_load(&s->pool.head->owner[*area]);
	return (uint32_t)owner && (uint32_t)(owner >> 32) == claim;
}

void ring_pool_free_area(struct ring_session *s, const char *name)
{
	uint64_t before = ring_pool_bytes(s), after;
	_Atomic uint64_t *owner;
	uint32_t area;

	/* If it cannot be emptied it stays claimed: the next owner relies on zeros. */
	if (!pool_area_named(s, name, &area) ||
	    fallocate(s->pool.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)ring_area_offset(area), (off_t)ring_file_size(RING_POOL_EXTENTS)) < 0)
		return;
	after = ring_pool_bytes(s);
	if (after < before)
		ring_pool_give(s, before - after);
	owner = &s->pool.head->owner[area];
	atomic_store(owner, atomic_load(owner) >> 32 << 32);
}

/* ---------------------------------------------------------- failed joins */

static const struct ring_control *join_page(const struct ring_session *s, unsigned i)
{
	return i ? s->attached[i - 1].control : s->control;
}

uint64_t ring_session_failed_joins(const struct ring_session *s, struct ring_failed_join *list,
				   size_t max, size_t *count)
{
	uint64_t total = 0;

	*count = 0;
	for (unsigned page = 0; page <= s->attached_count; page++) {
		const struct ring_control *c = join_page(s, page);

		total += atomic_load(&c->joins_failed);
		for (uint32_t i = 0; i < RING_JOINS && *count < max; i++) {
			const struct ring_join *join = &c->joins[i];
			struct ring_failed_join *f = &list[*count];

			if (atomic_load_explicit(&join->state, memory_order_acquire) !=
			    RING_JOIN_WRITTEN)
				continue;
			f->slot = page * RING_JOINS + i;
			f->pid = join->pid;
			f->reason = join->reason;
			f->error = join->error;
			memcpy(f->name, join->name, sizeof(f->name));
			f->name[sizeof(f->name) - 1] = 0;
			++*count;
		}
	}
	return total;
}

void ring_session_free_joins(struct ring_session *s, const struct ring_failed_join *list,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ring_control *c =
			(struct ring_control *)join_page(s, list[i].slot / RING_JOINS);

		atomic_store(&c->joins[list[i].slot % RING_JOINS].state, RING_JOIN_FREE);
	}
}
