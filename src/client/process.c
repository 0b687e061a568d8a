#include "base/own.h"
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

TACHO_API struct tacho_control tacho_control;
struct process *client_process;
struct mapping client_mapping;
struct ring_control *const client_control = (struct ring_control *)&tacho_control;

void process_ring_doorbell(void)
{
	if (!atomic_load_explicit(&client_control->asleep, memory_order_relaxed))
		return;
	atomic_fetch_add(&client_control->doorbell, 1);
	sys_futex(&client_control->doorbell, FUTEX_WAKE, 1);
}

void process_silence(void)
{
	mmap(&tacho_control, sizeof(tacho_control), PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* ---------------------------------------------------------------- header */

/* Field 22 of /proc/self/stat: with the pid it names a process for ever. */
static uint64_t start_time(void)
{
	char text[512];
	size_t n = sys_read_file("/proc/self/stat", text, sizeof(text) - 1);

	text[n] = 0;
	return ring_start_time(text);
}

static void fill_header(struct ring_header *header, uint64_t key, uint64_t now)
{
	struct stat st;

	header->command_len = (uint32_t)sys_read_file("/proc/self/cmdline", header->command,
						      sizeof(header->command));
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
}

/* ------------------------------------------------------------------ file */

/* Opens the session's folder if it is ours alone; PATH is where it is. */
static int open_folder(char *path, size_t size)
{
	struct stat st;
	int fd;

	path[0] = 0;
	text_add(path, size, client_session[0] ? client_session : client_control->session);
	fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !own_is_private(&st))) {
		sys_close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

int process_file(int flags)
{
	char path[RING_PATH + sizeof(client_process->name) + 1];
	int folder = open_folder(path, RING_PATH), fd, error;

	if (folder < 0)
		return -1;
	fd = (int)syscall(SYS_openat, folder, client_process->name,
			  flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
	error = errno;
	sys_close(folder);
	errno = error;
	if (fd >= 0 || error != EMFILE)
		return fd;
	/* A program that has a single descriptor left: not both at a time. */
	text_add(path, sizeof(path), "/");
	text_add(path, sizeof(path), client_process->name);
	return sys_open(path, flags | O_NOFOLLOW);
}

static void remove_file(void)
{
	char path[RING_PATH];
	int folder = open_folder(path, sizeof(path));

	if (folder < 0)
		return;
	syscall(SYS_unlinkat, folder, client_process->name, 0);
	sys_close(folder);
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
		fd = process_file(O_RDWR | O_CREAT | O_EXCL);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

/* Maps the file at a multiple of the stride, inaccessible but for the header and the table. */
static char *map_aligned(int fd, uint64_t size)
{
	char *base = mmap(NULL, size + RING_STRIDE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *aligned, *end;

	if (base == MAP_FAILED)
		return NULL;
	aligned = (char *)(((uintptr_t)base + RING_STRIDE - 1) & ~(uintptr_t)(RING_STRIDE - 1));
	end = base + size + RING_STRIDE;
	if (mmap(aligned, size, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mprotect(aligned, RING_DATA, PROT_READ | PROT_WRITE) < 0) {
		munmap(base, size + RING_STRIDE);
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

/* The most that the ring file may have: a program with limits must not starve by our mapping. */
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

/* As many extents as file size and address space allow; the file is sparse. */
static bool map_ring(int fd)
{
	struct process *p = client_process;
	uint64_t most = largest_file();

	for (uint32_t n = RING_MAX_EXTENTS; n >= 16; n /= 2) {
		uint64_t size = ring_file_size(n);

		if (size > most || ftruncate(fd, (off_t)size) < 0)
			continue;
		p->base = map_aligned(fd, size);
		if (p->base) {
			p->max_extents = n;
			client_mapping.usable = RING_DATA;
			client_mapping.size = size;
			__atomic_store_n(&client_mapping.base, p->base, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

/*
 * Lets the ring of an earlier session, or of the parent before a fork, go. A thread may be about to
 * store a word there (fork() in a signal handler returns into the middle of an event), so what was
 * in use becomes private memory instead of a hole.
 */
static void retire_mapping(void)
{
	struct mapping m = client_mapping;

	if (!m.base)
		return;
	client_mapping.base = NULL;
	if (mmap(m.base, m.usable, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
		munmap(m.base + m.usable, m.size - m.usable);
}

/* ------------------------------------------------------------------ join */

static bool open_ring(void)
{
	int fd = create_file();
	bool ok;

	if (fd < 0)
		return false;
	ok = map_ring(fd) && syscall(SYS_fallocate, fd, 0, 0, 2 * RING_PAGE_SIZE) == 0;
	sys_close(fd);
	if (!ok)
		remove_file();
	return ok;
}

static bool start_ring(uint64_t key)
{
	struct process *p = client_process;
	struct ring_header *header;
	uint64_t now = tacho_ticks();

	if (client_control->magic != RING_CONTROL || client_control->version != RING_VERSION)
		return false;
	retire_mapping();
	if (!open_ring())
		return false;
	p->limit = (uint64_t)(client_control->limit_mb ? client_control->limit_mb : 512) << 20;
	p->bytes = 0;
	p->hint = 0;
	p->next_thread = 1;
	p->announced = NULL;
	p->meta.over_limit = true;
	header = (struct ring_header *)p->base;
	fill_header(header, key, now);
	if (!thread_start(&p->meta, key, 0, now))
		return false;
	atomic_store_explicit(&header->magic, RING_MAGIC, memory_order_release);
	return true;
}

bool process_join(uint64_t key)
{
	struct process *p = client_process;

	if (p->key == key)
		return true;
	if (!start_ring(key)) {
		atomic_fetch_add(&client_control->joins_failed, 1);
		process_silence();
		return false;
	}
	p->key = key;
	atomic_store_explicit(&p->incarnation, tacho_ticks() | 1, memory_order_relaxed);
	names_announce();
	process_ring_doorbell();
	return true;
}
