/* SPDX-License-Identifier: Apache-2.0 */
/* System calls and locks that libtacho needs, without libc state that a handler could break. */
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---------------------------------------------------------------- lock */

#define SEALED_SPINS 10000 /* until the lock's holder, which makes no calls, must be done */
#define WAIT_NS      10000000

long sys_futex(_Atomic uint32_t *word, int op, uint32_t value)
{
	return syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* A handler that interrupted its own thread under the lock would spin forever. */
static bool lock_spin(_Atomic uint32_t *lock)
{
	for (int i = 0; i < SEALED_SPINS; i++) {
		uint32_t expected = 0;

		if (atomic_compare_exchange_weak(lock, &expected, 1))
			return true;
	}
	return false;
}

bool sys_lock(_Atomic uint32_t *lock, struct guard *guard)
{
	uint32_t expected = 0;

	guard->error = errno;
	guard->sealed = client_is_sealed();
	if (guard->sealed && !lock_spin(lock))
		return false;
	if (!guard->sealed) {
		/*
		 * The raw call: glibc's wrapper leaves the signals of pthread_cancel() unblocked,
		 * and a thread cancelled under the lock would keep it forever.
		 */
		uint64_t all = ~0ull;

		syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &guard->signals, sizeof(all));
		if (!atomic_compare_exchange_strong(lock, &expected, 1))
			while (atomic_exchange(lock, 2) != 0) {
				/* Bounded: a process that was sealed meanwhile wakes no waiter. */
				struct timespec most = {0, WAIT_NS};

				syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, &most, NULL, 0);
			}
	}
	client_observe((void *)lock);
	return true;
}

void sys_unlock(_Atomic uint32_t *lock, struct guard *guard)
{
	client_publish((void *)lock);
	if (atomic_exchange(lock, 0) == 2 && !guard->sealed)
		sys_futex(lock, FUTEX_WAKE_PRIVATE, 1);
	if (!guard->sealed)
		syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &guard->signals, NULL,
			sizeof(guard->signals));
	errno = guard->error;
}

bool client_lock(struct guard *guard)
{
	return sys_lock(&client_process->lock, guard);
}

void client_unlock(struct guard *guard)
{
	sys_unlock(&client_process->lock, guard);
}

/* --------------------------------------------------------------- calls */

int sys_open(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY, 0600);
}

void sys_close(int fd)
{
	syscall(SYS_close, fd);
}

size_t sys_read_file(const char *path, char *to, size_t size)
{
	int fd = sys_open(path, O_RDONLY);
	size_t done = 0;
	long n;

	if (fd < 0)
		return 0;
	while (done < size) {
		n = syscall(SYS_read, fd, to + done, size - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	sys_close(fd);
	return done;
}

void sys_sleep_us(unsigned us)
{
	struct timespec pause = {us / 1000000, (long)(us % 1000000) * 1000};

	syscall(SYS_nanosleep, &pause, NULL);
}

/* -------------------------------------------------------------- memory */

/*
 * A chunk stores how much of it is used, so that one store allocates memory: a fork between two
 * stores would leave the child with a chunk that seems larger than it is.
 */
struct chunk {
	size_t used, size;
};

void *client_memory(size_t bytes)
{
	static struct chunk *current;
	struct chunk *c = current;
	void *p;

	bytes = (bytes + 15) & ~(size_t)15;
	if (!c || bytes > c->size - c->used) {
		size_t size = sizeof(*c) + bytes > 256 * 1024 ? sizeof(*c) + bytes : 256 * 1024;

		if (client_is_sealed())
			return NULL;
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		c = p;
		c->used = sizeof(*c);
		c->size = size;
		__atomic_store_n(&current, c, __ATOMIC_RELEASE);
	}
	p = (char *)c + c->used;
	__atomic_store_n(&c->used, c->used + bytes, __ATOMIC_RELEASE);
	return p;
}

/* ---------------------------------------------------------------- text */

void text_add(char *to, size_t size, const char *more)
{
	size_t at = strlen(to), len = strlen(more);

	if (len > size - at - 1)
		len = size - at - 1;
	memcpy(to + at, more, len);
	to[at + len] = 0;
}

void text_add_number(char *to, size_t size, uint64_t number)
{
	char digits[24], *at = digits + sizeof(digits) - 1;

	*at = 0;
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	text_add(to, size, at);
}
