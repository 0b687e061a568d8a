/* SPDX-License-Identifier: Apache-2.0 */
/* Allocate segments and pages in a process's ring file. */
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* The accessible part of the ring file grows in these steps. */
#define MAP_STEP (4u << 20)

/* For kernels before 5.14: uses the file's name, which works until the program changes root. */
static bool allocate_by_name(uint64_t offset, size_t bytes)
{
	int fd = process_file(client_process->name, O_RDWR);
	bool ok;

	if (fd < 0)
		return false;
	ok = syscall(SYS_fallocate, fd, 0, offset, bytes) == 0;
	sys_close(fd);
	return ok;
}

/*
 * Allocates memory for a part of the ring file. Asking the kernel first turns a full /dev/shm into
 * an error instead of a SIGBUS in the middle of the program.
 */
bool extent_populate(void *at, size_t bytes)
{
	uintptr_t from = (uintptr_t)at & ~(uintptr_t)(RING_PAGE_SIZE - 1);
	size_t size = (uintptr_t)at + bytes - from;

	if (madvise((void *)from, size, MADV_POPULATE_WRITE) == 0)
		return true;
	if (errno == EFAULT)
		errno = ENOSPC; /* where a store would have been a SIGBUS */
	return errno == EINVAL && allocate_by_name(from - (uintptr_t)client_process->base, size);
}

/*
 * Makes the ring file accessible up to END. All of it at once would be simpler, but then mlockall()
 * of the program would fill the whole sparse file with memory.
 */
static bool map_up_to(uint64_t end)
{
	struct mapping *m = &client_mapping;

	if (end <= m->usable)
		return true;
	end = (end + MAP_STEP - 1) & ~(uint64_t)(MAP_STEP - 1);
	if (end > m->size)
		end = m->size;
	if (mprotect(m->base + m->usable, end - m->usable, PROT_READ | PROT_WRITE) < 0)
		return false;
	m->usable = end;
	return true;
}

static uint64_t extent_bytes_of(uint32_t state)
{
	return state == RING_EXTENT_PAGE ? RING_PAGE_SIZE : RING_SEG_SIZE;
}

static bool extent_make_room(uint64_t bytes, bool over_limit)
{
	struct process *p = client_process;

	return p->bytes + bytes <= p->limit + (over_limit ? p->limit / 4 + (16u << 20) : 0);
}

/*
 * Takes a free stride with its memory; .reserved has its size. The recorder may be about to take
 * the memory back: only one of the two gets it.
 */
static bool take_free(struct ring_extent *e, uint32_t wanted)
{
	uint32_t state = RING_EXTENT_FREE;

	return e->reserved == wanted &&
	       atomic_load_explicit(&e->state, memory_order_relaxed) == state &&
	       atomic_compare_exchange_strong(&e->state, &state, RING_EXTENT_BUSY);
}

/* The recorder has freed the memory: it no longer counts. */
static bool extent_is_empty(struct ring_extent *e)
{
	if (atomic_load_explicit(&e->state, memory_order_acquire) != RING_EXTENT_EMPTY)
		return false;
	client_process->bytes -= e->reserved ? extent_bytes_of(e->reserved) : 0;
	e->reserved = 0;
	return true;
}

/* A table entry to use: free, else empty, else new. USED: entries so far. -1: at the limit. */
static int64_t find_extent(uint32_t wanted, uint32_t used, bool over_limit)
{
	struct process *p = client_process;
	struct ring_extent *table = ring_extents(p->base);
	uint64_t bytes = extent_bytes_of(wanted);
	bool sealed = client_is_sealed();
	uint32_t i;

	for (i = p->hint; i < used; i++)
		if (take_free(&table[i], wanted))
			return i;
	for (i = 0; i < used; i++)
		if (take_free(&table[i], wanted) ||
		    (!sealed && extent_is_empty(&table[i]) && extent_make_room(bytes, over_limit)))
			return i;
	return !sealed && used < p->max_extents && extent_make_room(bytes, over_limit)
		       ? (int64_t)used
		       : -1;
}

/* Memory for a page of the table; the first exists from the start. */
static bool grow_table(struct ring_extent *table, uint32_t used)
{
	uint64_t bytes = RING_PAGE_SIZE;

	if (!used || used * sizeof(*table) % RING_PAGE_SIZE)
		return true;
	if (!pool_take(bytes, POOL_PAGES))
		return false;
	if (extent_populate(&table[used], sizeof(*table)))
		return true;
	pool_give(bytes);
	return false;
}

/*
 * Charges the session's account before allocating: the kernel knows what a killed process took, and
 * the recorder asks it.
 */
static bool fill_extent(uint32_t i, uint32_t used, uint32_t wanted, bool over_limit)
{
	struct process *p = client_process;
	struct ring_extent *table = ring_extents(p->base);
	uint64_t offset = wanted == RING_EXTENT_PAGE ? ring_page_offset(i) : ring_segment_offset(i);
	uint64_t bytes = extent_bytes_of(wanted);
	enum pool_use use = over_limit ? POOL_EXTRA : POOL_EVENTS;

	if (wanted == RING_EXTENT_PAGE)
		use = POOL_PAGES;
	if ((i == used && !grow_table(table, used)) || !pool_take(bytes, use))
		return false;
	if (!map_up_to(offset + bytes) || !extent_populate(p->base + offset, bytes)) {
		pool_give(bytes);
		return false;
	}
	p->bytes += bytes;
	table[i].reserved = wanted;
	return true;
}

/* Takes an extent and sets its state to WANTED. -1: none. */
static int64_t take_extent(uint32_t wanted, uint64_t thread, bool over_limit)
{
	struct process *p = client_process;
	struct ring_header *header = (struct ring_header *)p->base;
	struct ring_extent *table = ring_extents(p->base);
	uint32_t used = atomic_load_explicit(&header->extents, memory_order_relaxed);
	int64_t i = find_extent(wanted, used, over_limit);

	if (i < 0)
		return -1;
	if ((i == used || table[i].reserved == 0) &&
	    !fill_extent((uint32_t)i, used, wanted, over_limit))
		return -1;
	p->hint = (uint32_t)i + 1;
	table[i].thread = thread;
	atomic_store_explicit(&table[i].state, wanted, memory_order_release);
	if (i == used)
		atomic_store_explicit(&header->extents, used + 1, memory_order_release);
	return i;
}

static void start_segment(struct ring_segment *s, uint32_t magic, uint32_t extent, uint64_t thread,
			  uint64_t sequence, uint64_t now)
{
	s->extent = extent;
	s->thread = thread;
	s->sequence = sequence;
	s->ticks = now;
	atomic_store_explicit(&s->next, 0, memory_order_relaxed);
	__atomic_store_n(&s->magic, magic, __ATOMIC_RELEASE);
}

/*
 * Memory takes longer to get than to fill, so a thread that needs its second fresh segment gets
 * some for later as well: fewer of its events then wait. Not when memory is scarce.
 */
#define FRESH_SEGMENTS    3
#define DOORBELL_SEGMENTS 4

struct ring_segment *extent_segment(const struct thread *t, bool over_limit, uint64_t sequence,
				    uint64_t now)
{
	uint64_t before = client_process->bytes;
	int64_t i = take_extent(RING_EXTENT_SEGMENT, t->number, over_limit);
	struct ring_segment *s;

	/* A recorder that sleeps does not do so for long: seldom is often enough. */
	if (i < 0 || sequence % DOORBELL_SEGMENTS == 0)
		process_ring_doorbell();
	if (i < 0)
		return NULL;
	if (client_process->bytes > before) {
		const struct process *p = client_process;

		if (sequence > 1 && p->bytes < p->limit / 2 && !client_is_sealed())
			extent_reserve(RING_EXTENT_SEGMENT, FRESH_SEGMENTS);
	}
	s = (struct ring_segment *)(client_process->base + ring_segment_offset((uint32_t)i));
	start_segment(s, RING_SEG_MAGIC, (uint32_t)i, t->number, sequence, now);
	return s;
}

struct ring_page *extent_page(uint64_t number, uint64_t now)
{
	/*
	 * A page is small: it may exceed the limit, or segments kept free would shut threads out.
	 */
	int64_t i = take_extent(RING_EXTENT_PAGE, number, true);
	struct ring_page *page;

	if (i < 0)
		return NULL;
	page = (struct ring_page *)(client_process->base + ring_page_offset((uint32_t)i));
	if (!client_is_sealed()) {
		page->tid = (uint32_t)syscall(SYS_gettid);
		prctl(PR_GET_NAME, page->name);
	}
	start_segment(&page->segment, RING_PAGE_MAGIC, (uint32_t)i, number, 0, now);
	return page;
}

/* Gets memory for the extent I, which has none, and makes it free to take. */
static bool extent_prepare(uint32_t i, uint32_t used, uint32_t wanted)
{
	struct ring_extent *table = ring_extents(client_process->base);

	if (!extent_make_room(extent_bytes_of(wanted), false) ||
	    !fill_extent(i, used, wanted, false))
		return false;
	atomic_store_explicit(&table[i].state, RING_EXTENT_FREE, memory_order_release);
	return true;
}

void extent_reserve(uint32_t wanted, unsigned count)
{
	struct process *p = client_process;
	struct ring_header *header = (struct ring_header *)p->base;
	struct ring_extent *table = ring_extents(p->base);
	uint32_t used = atomic_load_explicit(&header->extents, memory_order_relaxed);

	for (uint32_t i = p->hint; count && i < used; i++) {
		if (!extent_is_empty(&table[i]))
			continue;
		if (!extent_prepare(i, used, wanted))
			return;
		count--;
	}
	for (; count && used < p->max_extents && extent_prepare(used, used, wanted); count--)
		atomic_store_explicit(&header->extents, ++used, memory_order_release);
}
