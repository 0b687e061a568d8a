/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of threads: first event, full segments, losses, thread exit. */
#include "base/now.h"
#include "client/client.h"
#include "client/kept.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <tacho/tacho.h>

/* tacho_self points here before a thread's first event: its key never matches. */
static struct thread no_thread;
TACHO_DATA __thread struct tacho_thread *tacho_self __attribute__((tls_model("initial-exec"))) =
	&no_thread.hot;

/* While a thread has no page: events to drop before the next try. */
static __thread uint32_t homeless_retry __attribute__((tls_model("initial-exec")));

/* The thread's name; the library's own copy. */
static __thread const char *given_name __attribute__((tls_model("initial-exec")));

/* At the limit: events to drop between two tries to get memory. */
#define DROP_RETRY 256

/* Keys below this are stored in the thread's descriptor; setting others calls malloc(). */
#define SAFE_KEYS 32

enum { LOSS_LIMIT = 0, LOSS_OVERWRITTEN = 1 }; /* enum trace_loss */

static pthread_key_t exit_key;
static bool exit_key_made;

/*
 * The thread ends. Other destructors may still emit, so this one asks to be called in a second
 * round and closes the stream then. Even later events restart the thread under another number.
 */
static void thread_exit(void *arg)
{
	struct thread *t = arg;
	struct guard guard;

	if (++t->exits < 2 && pthread_setspecific(exit_key, t) == 0)
		return;
	if (!client_lock(&guard))
		return; /* its end goes unnoticed, and its state is not reused */
	if (t->page && t->hot.key >> 32 == client_process->key >> 32)
		atomic_store_explicit(&t->page->closed, 1, memory_order_release);
	tacho_self = &no_thread.hot;
	memset(t, 0, sizeof(*t));
	t->next_free = client_process->free_threads;
	client_process->free_threads = t;
	client_unlock(&guard);
}

/*
 * Early, so that the key is one of the first. Without it a thread's end goes unnoticed: harmless.
 */
void thread_make_key(void)
{
	if (pthread_key_create(&exit_key, thread_exit) != 0)
		return;
	exit_key_made = exit_key < SAFE_KEYS;
	if (!exit_key_made)
		pthread_key_delete(exit_key);
}

/* The library may be unloaded if linked into a plugin: no destructor may run after that. */
void thread_delete_key(void)
{
	if (exit_key_made)
		pthread_key_delete(exit_key);
	exit_key_made = false;
}

void thread_reserve(void)
{
	struct process *p = client_process;
	size_t size = 16 * RING_PAGE_SIZE;
	char *slab;

	if (p->slab != p->slab_end || client_is_sealed())
		return;
	slab = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slab == MAP_FAILED)
		return;
	if (madvise(slab, size, MADV_WIPEONFORK) < 0) {
		munmap(slab, size);
		return;
	}
	p->slab = slab;
	p->slab_end = slab + size;
}

static struct thread *thread_memory(void)
{
	struct process *p = client_process;
	struct thread *t = p->free_threads;

	if (t) {
		p->free_threads = t->next_free;
		memset(t, 0, sizeof(*t));
		return t;
	}
	thread_reserve();
	if (p->slab == p->slab_end)
		return NULL;
	t = (struct thread *)p->slab;
	p->slab += sizeof(*t);
	return t;
}

static void use_segment(struct thread *t, struct ring_segment *s, size_t header)
{
	t->segment = s;
	__atomic_store_n(&t->hot.position, (uint64_t)(uintptr_t)s + header, __ATOMIC_RELEASE);
}

bool thread_start(struct thread *t, uint64_t key, uint64_t number, uint64_t now)
{
	struct ring_page *page = extent_page(number, now);

	if (!page)
		return false;
	t->page = page;
	t->oldest = NULL;
	t->number = number;
	t->retry = 0;
	t->lost_first = 0;
	t->reported_zones = t->reported_ends = t->reported_others = 0;
	use_segment(t, &page->segment, sizeof(*page));
	__atomic_store_n(&t->hot.key, key | now >> TACHO_WRAP_SHIFT, __ATOMIC_RELEASE);
	return true;
}

/* Lock held, session joined. */
static struct thread *thread_add(uint64_t key, uint64_t now)
{
	struct process *p = client_process;
	struct ring_header *header = (struct ring_header *)p->base;
	/* After a fork or in a new session the old state is reused. */
	bool is_new = tacho_self == &no_thread.hot;
	struct thread *t = is_new ? thread_memory() : (struct thread *)tacho_self;

	if (t && thread_start(t, key, p->next_thread, now)) {
		p->next_thread++;
		atomic_fetch_add_explicit(&header->threads, 1, memory_order_release);
		tacho_self = &t->hot;
		homeless_retry = 0;
		if (exit_key_made)
			pthread_setspecific(exit_key, t);
		if (t->number == 1)
			kept_send(t);
		if (given_name)
			record_emit_locked(t, RING_THREAD_NAME, NULL, 0, given_name,
					   strlen(given_name));
		return t;
	}
	if (!homeless_retry)
		atomic_fetch_add_explicit(&header->threads_lost, 1, memory_order_relaxed);
	homeless_retry = DROP_RETRY;
	if (t && is_new) {
		t->next_free = p->free_threads;
		p->free_threads = t;
	}
	return NULL;
}

struct thread *thread_enter(uint64_t key, uint64_t now)
{
	struct process *p = client_process;
	struct guard guard;
	struct thread *t = NULL;

	if (!p || atomic_load_explicit(&p->failed_key, memory_order_relaxed) == key ||
	    (homeless_retry > 1 && p->key == key && --homeless_retry))
		return NULL;
	if (!client_lock(&guard))
		return NULL;
	/* A handler that ran before the lock was taken may have done everything. */
	if (tacho_self->key >> 32 == key >> 32)
		t = (struct thread *)tacho_self;
	else if (process_join(key))
		t = thread_add(key, now);
	client_unlock(&guard);
	return t;
}

struct thread *thread_current(void)
{
	uint64_t key = tacho_key();
	struct thread *t;

	if (!key)
		return NULL;
	if (tacho_self->key >> 32 == key >> 32)
		return (struct thread *)tacho_self;
	t = thread_enter(key, tacho_ticks());
	if (!t)
		thread_lose(NULL, RING_RECORD, 0);
	return t;
}

TACHO_API void tacho_thread_name(const char *name)
{
	int error = errno;
	struct thread *t;

	if (!client_is_sealed())
		prctl(PR_SET_NAME, name);
	errno = error;
	given_name = names_keep(name, strlen(name));
	if (!tacho_is_recording())
		return;
	t = thread_current();
	if (t)
		record_emit(t, RING_THREAD_NAME, NULL, 0, name, strlen(name));
}

TACHO_API void tacho_fiber_enter(const char *name)
{
	struct thread *t = thread_current();
	uint64_t id;

	if (!t)
		return;
	id = names_intern(name);
	record_emit(t, RING_FIBER_ENTER, &id, 1, NULL, 0);
}

TACHO_API void tacho_fiber_leave(void)
{
	struct thread *t = thread_current();

	if (t)
		record_emit(t, RING_FIBER_LEAVE, NULL, 0, NULL, 0);
}

/* ---------------------------------------------------------------- losses */

static void add_lost(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* A thread without a page: its losses count for the process. */
static void lose_homeless(uint32_t bits)
{
	struct process *p = client_process;
	struct ring_header *header;

	if (!p || !p->key)
		return;
	header = (struct ring_header *)p->base;
	if (RING_KIND(bits) == RING_BEGIN)
		add_lost(&header->lost_zones, 1);
	else if (RING_KIND(bits) == RING_RECORD)
		add_lost(&header->lost_others, 1);
}

void thread_lose(struct thread *t, uint32_t bits, uint64_t now)
{
	if (!t || !t->page) {
		lose_homeless(bits);
		return;
	}
	if (!t->lost_first)
		t->lost_first = now;
	if (RING_KIND(bits) == RING_BEGIN)
		add_lost(&t->page->lost_zones, 1);
	else if (RING_KIND(bits) == RING_END)
		add_lost(&t->page->lost_ends, 1);
	else
		add_lost(&t->page->lost_others, 1);
}

static uint64_t thread_unreported(_Atomic uint64_t *counter, uint64_t *reported)
{
	uint64_t all = atomic_load_explicit(counter, memory_order_relaxed), more = all - *reported;

	*reported = all;
	return more;
}

/* ------------------------------------------------------------- segments */

/* Still a segment of this thread: the recorder may have freed it against the rules. */
static bool thread_owns(const struct thread *t, const struct ring_segment *s)
{
	const struct ring_extent *table = ring_extents(client_process->base);

	return s && s->magic == RING_SEG_MAGIC && s->thread == t->number &&
	       s->extent < client_process->max_extents &&
	       atomic_load_explicit(&table[s->extent].state, memory_order_acquire) ==
		       RING_EXTENT_SEGMENT;
}

/* Flight recorder: the oldest segment of this thread becomes its newest. */
static struct ring_segment *overwrite_oldest(struct thread *t, uint64_t now)
{
	struct ring_segment *s = t->oldest;
	uint32_t next, extent;
	const uint64_t *word, *end;
	uint64_t zones, others;

	/* At least two, or nothing would be left to read. */
	if (!s || s == t->segment)
		return extent_segment(t, true, t->segment->sequence + 1, now);
	next = atomic_load_explicit(&s->next, memory_order_relaxed);
	extent = s->extent;
	if (!thread_owns(t, s) || !next) {
		t->oldest = t->segment;
		return NULL;
	}
	/* The contents of a segment about to be overwritten are lost. */
	word = (const uint64_t *)(s + 1);
	end = (const uint64_t *)((const char *)s + RING_SEG_SIZE);
	zones = 0;
	others = 0;
	for (; word < end && *word; word++) {
		if (RING_KIND(*word) == RING_BEGIN)
			zones++;
		if (RING_KIND(*word) != RING_RECORD)
			continue;
		others += RING_TYPE(*word) > RING_TEXT_PART;
		word += RING_LEN(*word);
	}
	add_lost(&t->page->lost_zones, zones);
	add_lost(&t->page->lost_others, others);
	if (!t->lost_first)
		t->lost_first = s->ticks;
	t->reason = LOSS_OVERWRITTEN;
	t->oldest = (struct ring_segment *)(client_process->base + ring_segment_offset(next - 1));
	/* The thread page now links to the new oldest segment. */
	atomic_store_explicit(&t->page->segment.next, next, memory_order_release);
	__atomic_store_n(&s->magic, 0, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memset((char *)s + sizeof(s->magic), 0, RING_SEG_SIZE - sizeof(s->magic));
	s->extent = extent;
	s->thread = t->number;
	s->sequence = t->segment->sequence + 1;
	s->ticks = now;
	__atomic_store_n(&s->magic, RING_SEG_MAGIC, __ATOMIC_RELEASE);
	return s;
}

static struct ring_segment *next_segment(struct thread *t, uint64_t now)
{
	struct ring_segment *s = extent_segment(t, t->over_limit, t->segment->sequence + 1, now);

	if (s || t->over_limit)
		return s;
	t->reason = LOSS_LIMIT;
	return client_control->policy == RING_OVERWRITE ? overwrite_oldest(t, now) : NULL;
}

/* Back to the start of the gap, or dropped events would run out of it. */
static void rewind_position(struct thread *t)
{
	uint64_t stride = (uint64_t)(uintptr_t)t->segment & ~(uint64_t)(RING_STRIDE - 1);

	__atomic_store_n(&t->hot.position, stride + RING_STRIDE, __ATOMIC_RELEASE);
}

static bool switch_locked(struct thread *t, uint64_t now)
{
	struct ring_segment *old = t->segment, *s;

	/* Wiped by a fork, or another thread has meanwhile joined another session. */
	if (!old || t->hot.key >> 32 != client_process->key >> 32)
		return false;
	if (__atomic_load_n(&t->hot.position, __ATOMIC_RELAXED) & TACHO_SEGMENT)
		return true; /* a handler was first */
	s = next_segment(t, now);
	if (!s) {
		rewind_position(t);
		return false;
	}
	if (!t->oldest)
		t->oldest = s;
	atomic_store_explicit(&old->next, s->extent + 1, memory_order_release);
	use_segment(t, s, sizeof(*s));
	if (t->lost_first) {
		/* After the gap: report its losses. */
		struct ring_page *page = t->page;
		uint64_t words[5] = {
			t->reason, thread_unreported(&page->lost_zones, &t->reported_zones),
			thread_unreported(&page->lost_ends, &t->reported_ends),
			thread_unreported(&page->lost_others, &t->reported_others), t->lost_first};

		t->lost_first = 0;
		record_emit_locked(t, RING_LOSS, words, 5, NULL, 0);
	}
	return true;
}

static bool switch_once(struct thread *t, uint64_t now)
{
	struct guard guard;
	bool ok;

	if (!client_lock(&guard))
		return false;
	ok = switch_locked(t, now);
	client_unlock(&guard);
	return ok;
}

/* RING_BLOCK: waits for the recorder, without the lock and with signals unblocked. */
static bool wait_for_room(struct thread *t, uint64_t now)
{
	uint64_t until = now_ms() + client_control->block_ms;
	int error = errno;
	bool ok = false;

	while (!ok && now_ms() < until && t->hot.key >> 32 == tacho_key() >> 32) {
		sys_sleep_us(200);
		ok = switch_once(t, now);
	}
	errno = error;
	return ok;
}

bool thread_switch(struct thread *t, uint64_t now, bool locked)
{
	if (locked)
		return switch_locked(t, now);
	if (t->retry > 1 && --t->retry) {
		rewind_position(t);
		return false;
	}
	if (switch_once(t, now))
		return true;
	if (t->page && client_control->policy == RING_BLOCK && !client_is_sealed() &&
	    wait_for_room(t, now))
		return true;
	/* Only now: a handler that runs while its thread waits for room must wait too, not drop. */
	t->retry = DROP_RETRY;
	return false;
}
