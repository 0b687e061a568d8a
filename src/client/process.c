/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Join a session: create a ring file, or else claim an area of the session's pool, or else count
 * the process as one that could not be recorded.
 */
#include "base/own.h"
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

TACHO_DATA struct tacho_control tacho_control;
struct process *client_process;
struct mapping client_mapping;
struct ring_control *const client_control = (struct ring_control *)&tacho_control;

void process_ring_doorbell(void)
{
	if (!atomic_load_explicit(&client_control->asleep, memory_order_relaxed) ||
	    client_is_sealed())
		return; /* it checks by itself after a while */
	atomic_fetch_add(&client_control->doorbell, 1);
	sys_futex(&client_control->doorbell, FUTEX_WAKE, 1);
}

/* ---------------------------------------------------------------- header */

/* Field 22 of /proc/self/stat: identifies a process together with its pid. */
static uint64_t start_time(void)
{
	static char text[512]; /* under the lock; a handler's stack may be small */
	size_t n = sys_read_file("/proc/self/stat", text, sizeof(text) - 1);

	text[n] = 0;
	return ring_start_time(text);
}

/* A forked child without /proc, in another root, has the command line of its parent. */
static void copy_command(struct ring_header *to, const struct mapping *old)
{
	const struct ring_header *from = (const struct ring_header *)old->base;

	if (!from || atomic_load_explicit(&from->magic, memory_order_relaxed) != RING_MAGIC ||
	    from->command_len > sizeof(from->command))
		return;
	to->command_len = from->command_len;
	memcpy(to->command, from->command, sizeof(to->command));
}

/* ------------------------------------------------------------------ file */

/* Used under the lock. Not on the stack: a process may join in a handler with a small one. */
static char folder_path[RING_PATH + sizeof(((struct process *)0)->name) + 1];

/* Opens the session's folder at PATH if only we can write to it. */
static int open_folder(void)
{
	struct stat st;
	int fd;

	folder_path[0] = 0;
	text_add(folder_path, RING_PATH,
		 client_session[0] ? client_session : client_control->session);
	fd = sys_open(folder_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !own_is_private(&st))) {
		sys_close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

int process_file(const char *name, int flags)
{
	int folder = open_folder(), fd, error;

	if (folder < 0)
		return -1;
	fd = (int)syscall(SYS_openat, folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
			  0600);
	error = errno;
	sys_close(folder);
	errno = error;
	if (fd >= 0 || error != EMFILE)
		return fd;
	/* The program may have a single descriptor left: never open both at once. */
	text_add(folder_path, sizeof(folder_path), "/");
	text_add(folder_path, sizeof(folder_path), name);
	return sys_open(folder_path, flags | O_NOFOLLOW);
}

/* The ring file's name is the pid and, should it join again, a count. */
static int create_file(void)
{
	struct process *p = client_process;
	int fd = -1;

	for (unsigned n = 0; fd < 0 && n < 1000; n++) {
		p->name[0] = 0;
		text_add(p->name, sizeof(p->name), "p.");
		text_add_number(p->name, sizeof(p->name), (uint64_t)syscall(SYS_getpid));
		text_add(p->name, sizeof(p->name), ".");
		text_add_number(p->name, sizeof(p->name), n);
		fd = process_file(p->name, O_RDWR | O_CREAT | O_EXCL);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

char *process_map_aligned(int fd, uint64_t size, uint64_t accessible)
{
	char *base = mmap(NULL, size + RING_STRIDE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *aligned, *end;

	if (base == MAP_FAILED)
		return NULL;
	aligned = (char *)(((uintptr_t)base + RING_STRIDE - 1) & ~(uintptr_t)(RING_STRIDE - 1));
	end = base + size + RING_STRIDE;
	if (mmap(aligned, size, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mprotect(aligned, accessible, PROT_READ | PROT_WRITE) < 0) {
		int error = errno;

		munmap(base, size + RING_STRIDE);
		errno = error;
		return NULL;
	}
	if (aligned > base)
		munmap(base, (size_t)(aligned - base));
	if (end > aligned + size)
		munmap(aligned + size, (size_t)(end - aligned) - size);
	madvise(aligned, size, MADV_DONTDUMP);
	madvise(aligned, size, MADV_NOHUGEPAGE);
	return aligned;
}

/* The maximum size of the ring file: our mapping must not starve a program with limits. */
static uint64_t largest_file(void)
{
	struct rlimit limit;
	uint64_t most = UINT64_MAX;

	/* Growing a file beyond its limit would send SIGXFSZ to the program. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		most = limit.rlim_cur;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur / 8 < most)
		most = limit.rlim_cur / 8;
	return most;
}

static void use_ring(char *base, uint32_t extents)
{
	client_process->base = base;
	client_process->max_extents = extents;
	client_mapping.usable = RING_DATA;
	client_mapping.size = ring_file_size(extents);
	__atomic_store_n(&client_mapping.base, base, __ATOMIC_RELEASE);
}

/* As many extents as file size and address space allow; the file is sparse. */
static bool map_ring(int fd)
{
	uint64_t most = largest_file();

	errno = EFBIG;

	for (uint32_t n = RING_MAX_EXTENTS; n >= 16; n /= 2) {
		uint64_t size = ring_file_size(n);

		char *base;

		if (size > most || ftruncate(fd, (off_t)size) < 0)
			continue;
		base = process_map_aligned(fd, size, RING_DATA);
		if (base) {
			use_ring(base, n);
			return true;
		}
	}
	return false;
}

/*
 * Unmaps the ring of an earlier session, or of the parent before a fork. A thread may be about to
 * store a word there (fork() in a signal handler returns into the middle of an event), so the part
 * in use becomes private memory instead of a hole.
 */
static void retire_mapping(const struct mapping *m)
{
	if (!m->base)
		return;
	if (mmap(m->base, m->usable, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED &&
	    !pool_has(m->base)) /* else the rest belongs to the pool's mapping */
		munmap(m->base + m->usable, m->size - m->usable);
}

/* ------------------------------------------------------------------ join */

/* The cost of a ring before its first stream. */
#define HEAD_BYTES (2 * RING_PAGE_SIZE)

/* Keeps the first reason: later attempts fail for other reasons. */
static bool join_fails(uint32_t reason)
{
	struct process *p = client_process;

	if (!p->failure) {
		p->failure = errno == EDQUOT ? RING_JOIN_BOUND : reason;
		p->failure_error = errno;
	}
	return false;
}

static void remove_file(void)
{
	int folder = open_folder();

	if (folder >= 0) {
		syscall(SYS_unlinkat, folder, client_process->name, 0);
		sys_close(folder);
	}
	client_process->name[0] = 0;
}

/* Creates our own ring file. Allocates its memory first: a full /dev/shm is then an error. */
static bool process_file_open(void)
{
	int fd = create_file();
	bool ok;

	if (fd < 0) {
		client_process->name[0] = 0;
		return join_fails(RING_JOIN_CREATE);
	}
	ok = map_ring(fd) || join_fails(RING_JOIN_MAP);
	if (ok && syscall(SYS_fallocate, fd, 0, 0, HEAD_BYTES) < 0)
		ok = join_fails(RING_JOIN_MEMORY);
	sys_close(fd);
	if (!ok)
		remove_file();
	return ok;
}

/* Claims an area of the pool: for processes that cannot create or map a file. */
static bool open_area(void)
{
	struct process *p = client_process;
	char *base;

	if (p->failure == RING_JOIN_MEMORY)
		return false;
	base = pool_claim();
	if (!base)
		return false;
	use_ring(base, RING_POOL_EXTENTS);
	if (extent_populate(base, HEAD_BYTES))
		return true;
	p->failure = 0;
	join_fails(RING_JOIN_MEMORY);
	pool_unclaim(base, client_mapping.usable);
	return false;
}

static bool open_ring(void)
{
	if (!pool_take(HEAD_BYTES, POOL_PAGES))
		return join_fails(RING_JOIN_BOUND);
	if (process_file_open() || open_area()) {
		client_process->failure = 0;
		return true;
	}
	pool_give(HEAD_BYTES);
	return false;
}

static void start_accounts(void)
{
	struct process *p = client_process;

	p->limit = (uint64_t)(client_control->limit_mb ? client_control->limit_mb : 512) << 20;
	p->bytes = 0;
	p->hint = 0;
	p->next_thread = 1;
	p->announced = NULL;
	p->meta.over_limit = true;
}

static bool start_ring(uint64_t key)
{
	struct process *p = client_process;
	struct mapping old = client_mapping;
	struct ring_header *header;
	uint64_t now = tacho_ticks();
	bool ok;
	struct stat st;

	p->failure = 0;
	errno = 0;
	if (client_control->magic != RING_CONTROL || client_control->version != RING_VERSION)
		return join_fails(RING_JOIN_VERSION);
	ok = pool_open(key) || join_fails(RING_JOIN_CREATE);
	client_mapping.base = NULL;
	seal_watch(NULL);
	ok = ok && open_ring();
	if (ok) {
		start_accounts();
		header = (struct ring_header *)p->base;
		header->command_len = (uint32_t)sys_read_file("/proc/self/cmdline", header->command,
							      sizeof(header->command));
		if (!header->command_len)
			copy_command(header, &old);
		header->version = RING_VERSION;
		header->word_size = 8;
		header->byte_order = 0x01020304;
		header->pid = (uint32_t)syscall(SYS_getpid);
		header->parent_pid = (uint32_t)syscall(SYS_getppid);
		header->max_extents = client_process->max_extents;
		header->policy = client_control->policy;
		header->key = key;
		header->start_time = start_time();
		header->pid_namespace = stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
		header->ticks = now;
		header->filters = seal_count_filters();
		seal_watch(header);
	}
	retire_mapping(&old);
	if (!ok)
		return false;
	if (!thread_start(&p->meta, key, 0, now)) {
		join_fails(RING_JOIN_MEMORY);
		if (p->name[0])
			remove_file();
		else
			pool_unclaim(p->base, client_mapping.usable);
		pool_give(HEAD_BYTES + p->bytes);
		return false;
	}
	atomic_store_explicit(&header->magic, RING_MAGIC, memory_order_release);
	return true;
}

/* In the control page, which stays mapped whatever happens to the process. */
static void count_failure(void)
{
	const struct process *p = client_process;

	for (uint32_t i = 0; i < RING_JOINS; i++) {
		struct ring_join *join = &client_control->joins[i];
		uint32_t state = RING_JOIN_FREE;

		if (!atomic_compare_exchange_strong(&join->state, &state, RING_JOIN_CLAIMED))
			continue;
		join->pid = (uint32_t)syscall(SYS_getpid);
		join->reason = p->failure;
		join->error = (uint32_t)p->failure_error;
		prctl(PR_GET_NAME, join->name);
		atomic_store_explicit(&join->state, RING_JOIN_WRITTEN, memory_order_release);
		break;
	}
	atomic_fetch_add(&client_control->joins_failed, 1);
	process_ring_doorbell();
}

bool process_join(uint64_t key)
{
	struct process *p = client_process;

	if (p->key == key)
		return true;
	if (atomic_load_explicit(&p->failed_key, memory_order_relaxed) == key)
		return false;
	if (client_is_sealed()) { /* without a system call there is not even a pid to report */
		atomic_store_explicit(&p->failed_key, key, memory_order_relaxed);
		atomic_fetch_add(&client_control->joins_failed, 1);
		return false;
	}
	if (!start_ring(key)) {
		p->key = 0;
		atomic_store_explicit(&p->failed_key, key, memory_order_relaxed);
		count_failure();
		return false;
	}
	p->key = key;
	atomic_store_explicit(&p->incarnation, tacho_ticks() | 1, memory_order_relaxed);
	names_announce();
	process_ring_doorbell();
	return true;
}
