#include "client/client.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Where tacho_self points before a thread's first event: its key is never right. */
static struct thread no_thread;
TACHO_API __thread struct tacho_thread *tacho_self
	__attribute__((tls_model("initial-exec"))) = &no_thread.hot;

/* Between two tries to get memory at the limit this many events are dropped. */
#define DROP_RETRY 256

static pthread_key_t exit_key;
static bool exit_key_made;

/* The thread ends. Events after this (other destructors) start it anew under another number. */
static void thread_exit(void *arg)
{
	struct thread *t = arg;
	struct guard guard;

	client_lock(&guard);
	if (t->page && t->hot.key)
		atomic_store_explicit(&t->page->closed, 1, memory_order_release);
	tacho_self = &no_thread.hot;
	memset(t, 0, sizeof(*t));
	t->next_free = client_process->free_threads;
	client_process->free_threads = t;
	client_unlock(&guard);
}

/* Early, so that the key is one of the first and setting it needs no memory. */
__attribute__((constructor(102))) static void make_exit_key(void)
{
	exit_key_made = pthread_key_create(&exit_key, thread_exit) == 0;
}

static struct thread *thread_memory(void)
{
	struct process *p = client_process;
	struct thread *t = p->free_threads;
	size_t size = 16 * RING_PAGE_SIZE;

	if (!t) {
		struct thread *slab = mmap(NULL, size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (slab == MAP_FAILED || madvise(slab, size, MADV_WIPEONFORK) < 0)
			return NULL;
		for (size_t i = 0; i < size / sizeof(*slab); i++) {
			slab[i].next_free = p->free_threads;
			p->free_threads = &slab[i];
		}
		t = p->free_threads;
	}
	p->free_threads = t->next_free;
	memset(t, 0, sizeof(*t));
	return t;
}

static void use_segment(struct thread *t, struct ring_segment *s, size_t header)
{
	t->segment = s;
	__atomic_store_n(&t->hot.position, (uint64_t)(uintptr_t)s + header, __ATOMIC_RELEASE);
}

bool thread_start(struct thread *t, uint64_t key, uint64_t number, uint64_t now)
{
	struct ring_page *page = process_page(number, now);

	if (!page)
		return false;
	t->page = page;
	t->oldest = NULL;
	t->number = number;
	t->retry = 0;
	t->lost_zones = t->lost_ends = t->lost_others = 0;
	use_segment(t, &page->segment, sizeof(*page));
	__atomic_store_n(&t->hot.key, key | now >> TACHO_WRAP_SHIFT, __ATOMIC_RELEASE);
	return true;
}

struct thread *thread_enter(uint64_t key, uint64_t now)
{
	struct process *p = client_process;
	struct guard guard;
	struct thread *t = NULL;

	if (!p)
		return NULL;
	client_lock(&guard);
	/* A handler that ran before the lock was taken may have done it all. */
	if (tacho_self->key >> 32 == key >> 32) {
		t = (struct thread *)tacho_self;
	} else if (process_join(key)) {
		/* After a fork or in a new session the old state is there to be used again. */
		t = tacho_self == &no_thread.hot ? thread_memory() : (struct thread *)tacho_self;
		if (t && thread_start(t, key, p->next_thread, now)) {
			p->next_thread++;
			atomic_fetch_add_explicit(&((struct ring_header *)p->base)->threads, 1,
						  memory_order_relaxed);
			tacho_self = &t->hot;
			if (exit_key_made)
				pthread_setspecific(exit_key, t);
		} else {
			atomic_fetch_add_explicit(&((struct ring_header *)p->base)->threads_lost, 1,
						  memory_order_relaxed);
			if (t && tacho_self == &no_thread.hot) {
				t->next_free = p->free_threads;
				p->free_threads = t;
			}
			t = NULL;
		}
	}
	client_unlock(&guard);
	return t;
}

struct thread *thread_current(void)
{
	uint64_t key = tacho_key(), now;

	if (!key)
		return NULL;
	if (tacho_self->key >> 32 == key >> 32)
		return (struct thread *)tacho_self;
	now = tacho_ticks();
	return thread_enter(key, now);
}

static void add_lost(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

void thread_lose(struct thread *t, uint32_t bits, uint64_t now)
{
	if (!(t->lost_zones | t->lost_ends | t->lost_others))
		t->lost_first = now;
	switch (RING_KIND(bits)) {
	case RING_BEGIN:
		t->lost_zones++;
		add_lost(&t->page->lost_zones);
		break;
	case RING_END:
		t->lost_ends++;
		add_lost(&t->page->lost_ends);
		break;
	default:
		t->lost_others++;
		add_lost(&t->page->lost_others);
	}
}

/* Behind the gap: what was lost in it. */
static void tell_loss(struct thread *t)
{
	uint64_t words[5] = {t->reason, t->lost_zones, t->lost_ends, t->lost_others, t->lost_first};

	t->lost_zones = t->lost_ends = t->lost_others = 0;
	record_emit_locked(t, RING_LOSS, words, 5, NULL, 0);
}

/* Flight recorder: the oldest segment of this thread becomes its newest. */
static struct ring_segment *overwrite_oldest(struct thread *t, uint64_t now)
{
	struct ring_segment *s = t->oldest;
	uint64_t sequence;
	uint32_t next, extent;
	uint64_t *word, *end;

	if (!s || s == t->segment)
		return NULL;
	next = atomic_load_explicit(&s->next, memory_order_relaxed);
	extent = s->extent;
	sequence = s->sequence;
	end = (uint64_t *)((char *)s + RING_SEG_SIZE);
	for (word = (uint64_t *)(s + 1); word < end && *word; word++) {
		if (RING_KIND(*word) == RING_RECORD)
			word += RING_LEN(*word);
		else if (RING_KIND(*word) == RING_BEGIN)
			thread_lose(t, RING_BEGIN, now);
	}
	t->reason = 1; /* overwritten */
	/* The link on the thread page leads to what is now the oldest. */
	t->oldest = (struct ring_segment *)(client_process->base + ring_segment_offset(next - 1));
	atomic_store_explicit(&t->page->segment.next, next, memory_order_release);
	__atomic_store_n(&s->magic, 0, __ATOMIC_RELEASE);
	memset((char *)s + sizeof(s->magic), 0, RING_SEG_SIZE - sizeof(s->magic));
	s->extent = extent;
	s->thread = t->number;
	s->ticks = now;
	s->sequence = sequence;
	__atomic_store_n(&s->magic, RING_SEG_MAGIC, __ATOMIC_RELEASE);
	return s;
}

static struct ring_segment *wait_for_segment(struct thread *t, uint64_t now)
{
	struct timespec pause = {0, 200000};
	struct ring_segment *s = NULL;
	uint32_t tries = client_control->block_ms * 5;

	while (!s && tries-- && tacho_key() == client_process->key) {
		nanosleep(&pause, NULL);
		s = process_segment(t, now);
	}
	return s;
}

static struct ring_segment *next_segment(struct thread *t, uint64_t now)
{
	struct ring_segment *s = process_segment(t, now);

	if (s || t->over_limit)
		return s;
	t->reason = 0; /* limit */
	if (client_control->policy == RING_OVERWRITE)
		return overwrite_oldest(t, now);
	if (client_control->policy == RING_BLOCK)
		return wait_for_segment(t, now);
	return NULL;
}

static bool switch_locked(struct thread *t, uint64_t now)
{
	struct ring_segment *old = t->segment, *s;

	if (!(__atomic_load_n(&t->hot.position, __ATOMIC_RELAXED) & TACHO_SEGMENT))
		return true; /* a handler was faster */
	s = next_segment(t, now);
	if (!s) {
		t->retry = DROP_RETRY;
		/* Back to the start of the gap, or dropped events would run out of it. */
		__atomic_store_n(&t->hot.position,
				 ((uint64_t)(uintptr_t)old & ~(uint64_t)(RING_STRIDE - 1)) +
					 RING_SEG_SIZE,
				 __ATOMIC_RELEASE);
		return false;
	}
	s->sequence = old->sequence + 1;
	if (!t->oldest)
		t->oldest = s;
	atomic_store_explicit(&old->next, s->extent + 1, memory_order_release);
	use_segment(t, s, sizeof(*s));
	if (t->lost_zones | t->lost_ends | t->lost_others)
		tell_loss(t);
	return true;
}

bool thread_switch(struct thread *t, uint64_t now, bool locked)
{
	struct guard guard;
	bool ok;

	if (locked)
		return switch_locked(t, now);
	if (t->retry && --t->retry) {
		__atomic_store_n(&t->hot.position,
				 ((uint64_t)(uintptr_t)t->segment & ~(uint64_t)(RING_STRIDE - 1)) +
					 RING_SEG_SIZE,
				 __ATOMIC_RELEASE);
		return false;
	}
	client_lock(&guard);
	ok = switch_locked(t, now);
	client_unlock(&guard);
	return ok;
}
