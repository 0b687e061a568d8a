/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory shared by the processes of a session: the account of their memory, and ring areas for
 * those that cannot create a ring file (after setresuid(), chroot(), without descriptors or
 * inodes).
 */
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Maximum reserved for anything but events; a quarter of a small pool. */
#define POOL_RESERVE (64u << 20)

/* Other processes change the account all the time, perhaps a broken one: no endless loop. */
#define POOL_TRIES 1000

static struct pool pool;

static struct ring_pool *pool_head(void)
{
	return (struct ring_pool *)pool.base;
}

/* ------------------------------------------------------------------- map */

static bool head_is_sound(int fd, struct ring_pool *head)
{
	if (syscall(SYS_pread64, fd, head, sizeof(*head), 0) == (long)sizeof(*head) &&
	    head->magic == RING_POOL_MAGIC && head->version == RING_VERSION &&
	    head->areas <= RING_POOL_AREAS)
		return true;
	errno = EPROTO;
	return false;
}

/* As for the ring file: our mapping must not starve a program with a limit. */
static uint32_t areas_allowed(uint32_t areas)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return areas;
	while (areas && ring_area_offset(areas) > limit.rlim_cur / 8)
		areas /= 2;
	return areas;
}

/* Only the head is accessible, so mlockall() does not fill the pool. */
static char *map_pool(int fd, uint32_t *areas)
{
	for (*areas = areas_allowed(*areas);; *areas /= 2) {
		char *base = process_map_aligned(fd, ring_area_offset(*areas), RING_PAGE_SIZE);

		if (base || !*areas)
			return base;
	}
}

static void pool_close(void)
{
	struct pool old = pool;

	__atomic_store_n(&pool.base, NULL, __ATOMIC_RELEASE);
	if (!old.base)
		return;
	/* Not if an area was in use: a thread may be about to store a word there. */
	for (uint32_t i = 0; i < old.areas; i++)
		if (old.unusable[i])
			return;
	munmap(old.base, ring_area_offset(old.areas));
}

static bool pool_map(uint64_t key, int fd)
{
	static struct ring_pool head; /* under the lock; a handler's stack is small */
	uint32_t areas;
	char *base;

	if (!head_is_sound(fd, &head))
		return false;
	areas = head.areas;
	base = map_pool(fd, &areas);
	if (!base)
		return false;
	pool.key = key;
	pool.areas = areas;
	pool.limit = head.limit;
	for (uint32_t i = 0; i < RING_POOL_AREAS; i++)
		pool.unusable[i] = false;
	/* Last: a child forked in between finds no pool, or all of it. */
	__atomic_store_n(&pool.base, base, __ATOMIC_RELEASE);
	return true;
}

bool pool_open(uint64_t key)
{
	bool ok;
	int fd, error;

	if (pool.base && pool.key == key)
		return true;
	pool_close();
	fd = process_file("pool", O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return false;
	ok = pool_map(key, fd);
	error = errno;
	sys_close(fd);
	errno = error;
	return ok;
}

/* --------------------------------------------------------------- account */

bool pool_take(uint64_t bytes, enum pool_use use)
{
	_Atomic uint64_t *used = &pool_head()->used;
	uint64_t now = atomic_load_explicit(used, memory_order_relaxed), limit = pool.limit;
	uint64_t reserve = limit / 4 < POOL_RESERVE ? limit / 4 : POOL_RESERVE;

	limit -= use == POOL_EVENTS ? reserve : use == POOL_EXTRA ? reserve / 2 : 0;
	/* A value that no honest process leaves is refused like one that is too large. */
	for (int i = 0; i < POOL_TRIES && limit >= bytes && now <= limit - bytes; i++)
		if (atomic_compare_exchange_weak(used, &now, now + bytes))
			return true;
	errno = EDQUOT;
	return false;
}

void pool_give(uint64_t bytes)
{
	_Atomic uint64_t *used = &pool_head()->used;
	uint64_t now = atomic_load_explicit(used, memory_order_relaxed);

	for (int i = 0; i < POOL_TRIES; i++)
		if (atomic_compare_exchange_weak(used, &now, now > bytes ? now - bytes : 0))
			return;
}

/* ----------------------------------------------------------------- areas */

char *pool_claim(void)
{
	for (uint32_t i = 0; i < pool.areas; i++) {
		_Atomic uint64_t *owner = &pool_head()->owner[i];
		uint64_t now = atomic_load_explicit(owner, memory_order_relaxed);
		uint64_t mine = ((now >> 32) + 1) << 32 | (uint32_t)syscall(SYS_getpid);
		char *base = pool.base + ring_area_offset(i);

		if (pool.unusable[i] || (uint32_t)now ||
		    mprotect(base, RING_DATA, PROT_READ | PROT_WRITE) < 0 ||
		    !atomic_compare_exchange_strong(owner, &now, mine))
			continue;
		pool.unusable[i] = true;
		atomic_fetch_add(&pool_head()->claims, 1);
		return base;
	}
	return NULL;
}

static int64_t area_at(const char *base)
{
	uint64_t size = ring_file_size(RING_POOL_EXTENTS), at;

	if (!pool.base || base < pool.base + RING_POOL_DATA)
		return -1;
	at = (uint64_t)(base - pool.base - RING_POOL_DATA);
	return at % size == 0 && at / size < pool.areas ? (int64_t)(at / size) : -1;
}

void pool_unclaim(char *base, uint64_t usable)
{
	int64_t area = area_at(base);
	_Atomic uint64_t *owner;

	if (area < 0)
		return;
	owner = &pool_head()->owner[area];
	madvise(base, usable, MADV_REMOVE);
	pool.unusable[area] = false;
	atomic_store(owner, atomic_load(owner) >> 32 << 32);
}

bool pool_has(const char *base)
{
	return area_at(base) >= 0;
}
