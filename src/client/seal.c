/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For programs in a sandbox. A seccomp filter may kill a process for an unexpected system call, and
 * there is no way to ask whether it would. A sealed process makes none for us. It continues with
 * the memory that it has and that the recorder returns; events without room are lost and counted.
 *
 * The program seals itself before it installs its filter, or the recorder does when it sees one.
 */
#include "client/client.h"

#include <tacho/tacho.h>

/* Memory allocated in advance, so that existing threads continue and some new ones find room. */
#define SPARE_SEGMENTS 32
#define SPARE_PAGES    16

/* Not wiped on fork: a child has the filters of its parent. */
static bool sealed;
/* The ring of this process, or of its parent right after a fork. It is in memory. */
static const struct ring_header *sealed_ring;

void seal_watch(const struct ring_header *ring)
{
	__atomic_store_n(&sealed_ring, ring, __ATOMIC_RELEASE);
}

bool client_is_sealed(void)
{
	const struct ring_header *ring;

	if (__atomic_load_n(&sealed, __ATOMIC_RELAXED))
		return true;
	ring = __atomic_load_n(&sealed_ring, __ATOMIC_ACQUIRE);
	if (!ring || !atomic_load_explicit(&ring->sealed, memory_order_relaxed))
		return false;
	__atomic_store_n(&sealed, true, __ATOMIC_RELAXED);
	return true;
}

uint32_t seal_count_filters(void)
{
	static char status[4096]; /* before any thread, or under the lock */
	size_t n = sys_read_file("/proc/self/status", status, sizeof(status) - 1);

	status[n] = 0;
	return n ? 1 + ring_filters(status) : 0;
}

TACHO_API void tacho_seal(void)
{
	struct guard guard;

	if (!client_process || client_is_sealed())
		return;
	client_lock(&guard);
	if (client_process->key) {
		thread_reserve();
		extent_reserve(RING_EXTENT_SEGMENT, SPARE_SEGMENTS);
		extent_reserve(RING_EXTENT_PAGE, SPARE_PAGES);
		atomic_store_explicit(&((struct ring_header *)client_process->base)->sealed, 1,
				      memory_order_relaxed);
	}
	__atomic_store_n(&sealed, true, __ATOMIC_RELAXED);
	client_unlock(&guard);
}
