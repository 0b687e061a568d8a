/* SPDX-License-Identifier: Apache-2.0 */
/* Lock events. */
#include "client/client.h"

#include <string.h>
#include <tacho/tacho.h>

static uint32_t lock_id(struct tacho_lock *lock)
{
	static uint32_t last_id;
	uint32_t id = __atomic_load_n(&lock->id, __ATOMIC_RELAXED), none = 0;

	if (id)
		return id;
	id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	return __atomic_compare_exchange_n(&lock->id, &none, id, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED)
		       ? id
		       : none;
}

static void send_name(struct thread *t, struct tacho_lock *lock, const char *name)
{
	uint64_t id = lock->id;

	if (name)
		record_emit(t, RING_LOCK_NAME, &id, 1, name, strlen(name));
}

/* Returns the thread, after announcing the lock in this recording; NULL if not recording. */
static struct thread *lock_enter(struct tacho_lock *lock)
{
	struct thread *t = thread_current();
	uint64_t incarnation;

	if (!t)
		return NULL;
	incarnation = atomic_load_explicit(&client_process->incarnation, memory_order_relaxed);
	if (__atomic_load_n(&lock->announced, __ATOMIC_RELAXED) != incarnation) {
		/* Two threads may announce it at the same time, which is harmless. */
		uint64_t words[3] = {lock_id(lock),
				     tacho_srcloc_make(NULL, lock->name, lock->file, lock->line, 0),
				     lock->shared};
		const char *custom = __atomic_load_n(&lock->custom, __ATOMIC_ACQUIRE);

		client_observe(&lock->custom);
		record_emit(t, RING_LOCK_NEW, words, 3, NULL, 0);
		send_name(t, lock, custom);
		__atomic_store_n(&lock->announced, incarnation, __ATOMIC_RELAXED);
	}
	return t;
}

TACHO_API void tacho_lock_emit(struct tacho_lock *lock, unsigned op, uint32_t srcloc)
{
	struct thread *t = lock_enter(lock);
	uint64_t words[3] = {lock->id, op, srcloc};

	if (t)
		record_emit(t, RING_LOCK, words, 3, NULL, 0);
}

/* The operation of a mark: enum trace_lock_op continues after the public operations. */
#define LOCK_MARK 6

TACHO_API void tacho_lock_mark_emit(struct tacho_lock *lock, struct tacho_srcloc *where)
{
	uint32_t word = __atomic_load_n(&where->word, __ATOMIC_RELAXED);

	if (tacho_is_recording())
		tacho_lock_emit(lock, LOCK_MARK, (word ? word : tacho_srcloc_register(where)) >> 2);
}

TACHO_API void tacho_lock_name(struct tacho_lock *lock, const char *name, size_t len)
{
	const char *kept = names_keep(name, len);
	uint64_t before = __atomic_load_n(&lock->announced, __ATOMIC_RELAXED);
	struct thread *t;

	client_publish(&lock->custom);
	__atomic_store_n(&lock->custom, kept, __ATOMIC_RELEASE);
	if (!tacho_is_recording())
		return;
	t = lock_enter(lock);
	if (t && before == lock->announced)
		send_name(t, lock, kept);
}

TACHO_API void tacho_lock_gone(struct tacho_lock *lock)
{
	struct thread *t;
	uint64_t id = lock->id;

	if (!id || !tacho_is_recording())
		return;
	t = lock_enter(lock);
	if (t)
		record_emit(t, RING_LOCK_GONE, &id, 1, NULL, 0);
}
