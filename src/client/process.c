#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

TACHO_API struct tacho_control tacho_control;
struct process *client_process;
struct ring_control *const client_control = (struct ring_control *)&tacho_control;

static char attach_path[128]; /* "" when there is no attach file of ours */

/* ---------------------------------------------------------------- lock */

static long futex(_Atomic uint32_t *word, int op, uint32_t value)
{
	return syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/*
 * The raw call: glibc's wrapper leaves the signals of pthread_cancel() open, and a thread cancelled
 * under the lock would keep it for ever.
 */
static void block_signals(uint64_t *old)
{
	uint64_t all = ~0ull;

	syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, old, sizeof(all));
}

void client_lock(struct guard *guard)
{
	_Atomic uint32_t *lock = &client_process->lock;
	uint32_t expected = 0;

	block_signals(&guard->signals);
	if (atomic_compare_exchange_strong(lock, &expected, 1))
		return;
	while (atomic_exchange(lock, 2) != 0)
		futex(lock, FUTEX_WAIT_PRIVATE, 2);
}

void client_unlock(struct guard *guard)
{
	_Atomic uint32_t *lock = &client_process->lock;

	if (atomic_exchange(lock, 0) == 2)
		futex(lock, FUTEX_WAKE_PRIVATE, 1);
	syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &guard->signals, NULL,
		sizeof(guard->signals));
}

/* -------------------------------------------------------------- memory */

void *client_memory(size_t bytes)
{
	static char *chunk;
	static size_t left;
	void *p;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > left) {
		size_t size = bytes > 256 * 1024 ? bytes : 256 * 1024;

		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		chunk = p;
		left = size;
	}
	p = chunk;
	chunk += bytes;
	left -= bytes;
	return p;
}

/*
 * Puts memory behind part of the ring file. Asking the kernel first turns a full /dev/shm into an
 * error instead of a SIGBUS in the middle of the program.
 */
static bool populate(void *at, size_t bytes)
{
	uintptr_t from = (uintptr_t)at & ~(uintptr_t)(RING_PAGE_SIZE - 1);

	return madvise((void *)from, (uintptr_t)at + bytes - from, MADV_POPULATE_WRITE) == 0;
}

static bool make_room(uint64_t bytes, bool over_limit)
{
	struct process *p = client_process;

	return p->bytes + bytes <= p->limit + (over_limit ? p->limit / 4 + (16u << 20) : 0);
}

/* Takes a free extent, or a new one; state is what it becomes. -1: none. */
static int64_t take_extent(uint32_t state, uint64_t thread, bool over_limit)
{
	struct process *p = client_process;
	struct ring_header *header = (struct ring_header *)p->base;
	struct ring_extent *table = ring_extents(p->base);
	uint32_t used = atomic_load_explicit(&header->extents, memory_order_relaxed);
	uint64_t bytes = state == RING_EXTENT_PAGE ? RING_PAGE_SIZE : RING_SEG_SIZE;
	char *at;
	uint32_t i;

	for (i = p->hint; i < used; i++) {
		uint32_t was = atomic_load_explicit(&table[i].state, memory_order_acquire);
		/* A free stride keeps its size class: .reserved says which. */
		if (was == RING_EXTENT_FREE && table[i].reserved == state)
			goto found;
	}
	p->hint = 0;
	for (i = 0; i < used; i++) {
		uint32_t was = atomic_load_explicit(&table[i].state, memory_order_acquire);

		if (was == RING_EXTENT_FREE && table[i].reserved == state)
			goto found;
		if (was == RING_EXTENT_EMPTY && table[i].reserved) {
			p->bytes -= table[i].reserved == RING_EXTENT_PAGE ? RING_PAGE_SIZE
									  : RING_SEG_SIZE;
			table[i].reserved = 0;
		}
		if (was == RING_EXTENT_EMPTY && make_room(bytes, over_limit))
			break;
	}
	if (i >= p->max_extents || !make_room(bytes, over_limit))
		return -1;
	if (i == used && !((used * sizeof(*table)) % RING_PAGE_SIZE) &&
	    !populate(&table[used], sizeof(*table)))
		return -1;
	at = p->base + (state == RING_EXTENT_PAGE ? ring_page_offset(i) : ring_segment_offset(i));
	if (!populate(at, bytes))
		return -1;
	p->bytes += bytes;
	table[i].reserved = state;
found:
	p->hint = i + 1;
	table[i].thread = thread;
	atomic_store_explicit(&table[i].state, state, memory_order_release);
	if (i == used)
		atomic_store_explicit(&header->extents, used + 1, memory_order_release);
	return i;
}

static void ring_doorbell(void)
{
	if (!atomic_load_explicit(&client_control->asleep, memory_order_relaxed))
		return;
	atomic_fetch_add(&client_control->doorbell, 1);
	futex(&client_control->doorbell, FUTEX_WAKE, 1);
}

static void start_segment(struct ring_segment *s, uint32_t magic, uint32_t extent, uint64_t thread,
			  uint64_t now)
{
	s->extent = extent;
	s->thread = thread;
	s->ticks = now;
	atomic_store_explicit(&s->next, 0, memory_order_relaxed);
	__atomic_store_n(&s->magic, magic, __ATOMIC_RELEASE);
}

struct ring_segment *process_segment(struct thread *t, uint64_t now)
{
	int64_t i = take_extent(RING_EXTENT_SEGMENT, t->number, t->over_limit);
	struct ring_segment *s;

	ring_doorbell();
	if (i < 0)
		return NULL;
	s = (struct ring_segment *)(client_process->base + ring_segment_offset((uint32_t)i));
	start_segment(s, RING_SEG_MAGIC, (uint32_t)i, t->number, now);
	return s;
}

struct ring_page *process_page(uint64_t number, uint64_t now)
{
	int64_t i = take_extent(RING_EXTENT_PAGE, number, number == 0);
	struct ring_page *page;

	if (i < 0)
		return NULL;
	page = (struct ring_page *)(client_process->base + ring_page_offset((uint32_t)i));
	page->tid = (uint32_t)syscall(SYS_gettid);
	prctl(PR_GET_NAME, page->name);
	start_segment(&page->segment, RING_PAGE_MAGIC, (uint32_t)i, number, now);
	return page;
}

/* ---------------------------------------------------------------- join */

static uint64_t start_time(void)
{
	char text[1024], *at;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	at = strrchr(text, ')'); /* the name may hold anything */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void fill_header(struct ring_header *header, uint64_t key, uint32_t max_extents)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, header->command, sizeof(header->command));

	if (fd >= 0)
		close(fd);
	header->command_len = n > 0 ? (uint32_t)n : 0;
	header->version = RING_VERSION;
	header->word_size = 8;
	header->byte_order = 0x01020304;
	header->pid = (uint32_t)syscall(SYS_getpid);
	header->parent_pid = (uint32_t)syscall(SYS_getppid);
	header->max_extents = max_extents;
	header->key = key;
	header->start_time = start_time();
	header->ticks = tacho_ticks();
}

/* The ring file's name is the pid and, should it join again, a count. */
static int create_file(const char *session)
{
	char path[RING_PATH + 64];
	int fd = -1;

	for (unsigned n = 0; fd < 0 && n < 1000; n++) {
		snprintf(path, sizeof(path), "%s/p.%ld.%u", session, syscall(SYS_getpid), n);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

static char *map_aligned(int fd, uint64_t size)
{
	char *base = mmap(NULL, size + RING_STRIDE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *aligned;

	if (base == MAP_FAILED)
		return NULL;
	aligned = (char *)(((uintptr_t)base + RING_STRIDE - 1) & ~(uintptr_t)(RING_STRIDE - 1));
	if (mmap(aligned, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED) {
		munmap(base, size + RING_STRIDE);
		return NULL;
	}
	madvise(aligned, size, MADV_DONTDUMP);
	return aligned;
}

/* As many extents as file size and address space allow; the file is sparse. */
static char *map_ring(int fd, uint32_t *extents)
{
	struct rlimit limit;
	char *base;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0)
		limit.rlim_cur = RLIM_INFINITY;
	for (uint32_t n = RING_MAX_EXTENTS; n >= 16; n /= 2) {
		uint64_t size = ring_file_size(n);

		/* Growing a file beyond the limit would send SIGXFSZ to the program. */
		if (limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur)
			continue;
		if (ftruncate(fd, (off_t)size) < 0)
			continue;
		base = map_aligned(fd, size);
		if (base) {
			*extents = n;
			return base;
		}
	}
	return NULL;
}

/* Nothing can be recorded here: a private zero page in place of the control makes this process silent. */
static bool fall_silent(void)
{
	atomic_fetch_add(&client_control->joins_failed, 1);
	mmap(&tacho_control, sizeof(tacho_control), PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return false;
}

bool process_join(uint64_t key)
{
	struct process *p = client_process;
	struct ring_control *control = client_control;
	char session[RING_PATH];
	uint64_t now = tacho_ticks();
	int fd;

	if (p->key == key)
		return true;
	if (control->magic != RING_CONTROL || control->version != RING_VERSION)
		return fall_silent();
	snprintf(session, sizeof(session), "%.*s", (int)sizeof(session) - 1, control->session);
	fd = create_file(session);
	if (fd < 0)
		return fall_silent();
	p->base = map_ring(fd, &p->max_extents);
	close(fd);
	if (!p->base || !populate(p->base, RING_PAGE_SIZE))
		return fall_silent();
	p->limit = (uint64_t)(control->limit_mb ? control->limit_mb : 512) << 20;
	p->bytes = 0;
	p->hint = 0;
	p->next_thread = 1;
	p->announced = NULL;
	fill_header((struct ring_header *)p->base, key, p->max_extents);
	p->meta.over_limit = true;
	if (!thread_start(&p->meta, key, 0, now))
		return fall_silent();
	atomic_store_explicit(&((struct ring_header *)p->base)->magic, RING_MAGIC,
			      memory_order_release);
	p->key = key;
	names_announce();
	ring_doorbell();
	return true;
}

/* --------------------------------------------------------------- start */

static bool map_control(const char *path, int flags)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd < 0)
		return false;
	if (!(flags & O_CREAT) || ftruncate(fd, RING_PAGE_SIZE) == 0)
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= RING_PAGE_SIZE &&
		    st.st_uid == geteuid())
			p = mmap(&tacho_control, sizeof(tacho_control), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED, fd, 0);
	close(fd);
	return p != MAP_FAILED && populate(&tacho_control, sizeof(tacho_control));
}

/* A program that is in no session leaves a page where "tacho capture --pid" finds it. */
static void offer_attach(void)
{
	char dir[64];
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < RING_PAGE_SIZE)
		return;
	snprintf(dir, sizeof(dir), "/dev/shm/tacho-%u", (unsigned)geteuid());
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return;
	snprintf(attach_path, sizeof(attach_path), "%s/attach.%u", dir, (unsigned)getpid());
	unlink(attach_path); /* left by a process that had the same pid */
	if (!map_control(attach_path, O_CREAT | O_EXCL)) {
		mmap(&tacho_control, sizeof(tacho_control), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		attach_path[0] = 0;
		return;
	}
	client_control->magic = RING_CONTROL;
	client_control->version = RING_VERSION;
	client_control->owner_pid = (uint32_t)getpid();
}

static bool make_process(void)
{
	size_t size = (sizeof(struct process) + RING_PAGE_SIZE - 1) & ~(size_t)(RING_PAGE_SIZE - 1);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return false;
	if (madvise(p, size, MADV_WIPEONFORK) < 0) {
		munmap(p, size);
		return false;
	}
	client_process = p;
	return true;
}

__attribute__((constructor(101))) static void client_start(void)
{
	const char *session, *attach;
	char path[RING_PATH + 16];

	if (getauxval(AT_SECURE) || !make_process())
		return;
	session = getenv("TACHO_SESSION");
	if (session && session[0]) {
		snprintf(path, sizeof(path), "%s/control", session);
		if (strlen(session) < RING_PATH && map_control(path, 0))
			return;
	}
	attach = getenv("TACHO_ATTACH");
	if (!attach || strcmp(attach, "0"))
		offer_attach();
}

__attribute__((destructor(101))) static void client_stop(void)
{
	if (attach_path[0] && client_control->owner_pid == (uint32_t)getpid())
		unlink(attach_path);
}
