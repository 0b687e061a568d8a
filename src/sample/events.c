/* SPDX-License-Identifier: Apache-2.0 */
/* Opens perf events, maps their rings and merges their records by time; see events.h. */
#include "sample/events.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_MOST  (4u << 20)
#define RING_LEAST (64u << 10)
#define RECORD_MAX 65536u

static int event_open(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int events_init(struct events *e, uint32_t hz, uint32_t stack_bytes)
{
	memset(e, 0, sizeof(*e));
	e->period = 1000000000ull / hz;
	e->stack_bytes = stack_bytes;
	return 0;
}

/* ------------------------------------------------------------- opening */

static struct perf_event_attr attr_common(bool on_exec)
{
	struct perf_event_attr a;

	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	a.type = PERF_TYPE_SOFTWARE;
	a.inherit = 1;
	a.disabled = on_exec;
	a.enable_on_exec = on_exec;
	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	a.sample_id_all = 1;
	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC_RAW;
	a.watermark = 1;
	a.sample_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	return a;
}

/* Mappings, names, threads and switches. */
static struct perf_event_attr attr_books(const struct event_ring *ring, bool on_exec)
{
	struct perf_event_attr a = attr_common(on_exec);

	a.config = PERF_COUNT_SW_DUMMY;
	a.context_switch = 1;
	a.mmap = 1;
	a.mmap2 = 1;
	a.comm = 1;
	a.comm_exec = 1;
	a.task = 1;
	a.wakeup_watermark = (uint32_t)(ring->size ? ring->size : RING_LEAST) / 4;
	return a;
}

static struct perf_event_attr attr_samples(const struct events *e, const struct event_ring *ring,
					   bool on_exec)
{
	struct perf_event_attr a = attr_common(on_exec);

	a.config = PERF_COUNT_SW_CPU_CLOCK;
	a.sample_period = e->period;
	a.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER |
			 PERF_SAMPLE_STACK_USER;
	a.sample_regs_user = RECORD_REGS;
	a.sample_stack_user = e->stack_bytes;
	a.wakeup_watermark = (uint32_t)ring->size / 4;
	return a;
}

/* The ring of a CPU, as large as the user may lock: 4 MiB, or the rest of the allowance. */
static int ring_map(struct event_ring *ring, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = RING_MOST;

	for (; size >= RING_LEAST; size /= 2) {
		ring->memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (ring->memory != MAP_FAILED) {
			madvise(ring->memory, size + page, MADV_DONTDUMP);
			ring->size = size;
			return 0;
		}
		ring->memory = NULL;
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	return -1;
}

/* "0-3,5" in /sys: the CPUs of the machine. */
static int cpus_online(struct events *e)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	unsigned first, last;
	char between;
	int r = 0;

	if (!f) {
		for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN) && r == 0; i++) {
			struct event_ring ring = {.cpu = (uint32_t)i, .leader = -1};

			r = vec_push(&e->rings, ring);
		}
		return r;
	}
	while (r == 0 && fscanf(f, "%u", &first) == 1) {
		last = first;
		if (fscanf(f, "%c", &between) == 1 && between == '-' &&
		    fscanf(f, "%u%c", &last, &between) < 1)
			break;
		for (unsigned cpu = first; cpu <= last && cpu < 65536 && r == 0; cpu++) {
			struct event_ring ring = {.cpu = cpu, .leader = -1};

			r = vec_push(&e->rings, ring);
		}
	}
	fclose(f);
	return r;
}

static int events_paranoia(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -2;

	if (f && fscanf(f, "%d", &level) != 1)
		level = -2;
	if (f)
		fclose(f);
	return level;
}

static int open_refused(pid_t tid, int number, struct tacho_error *err)
{
	int level = events_paranoia();

	errno = number;
	if (number == ESRCH)
		return err_set(err, TACHO_ENO, "there is no thread %d", (int)tid);
	if ((number == EACCES || number == EPERM) && level > 2)
		return err_set(err, TACHO_ENO,
			       "the kernel denies perf events to users "
			       "(kernel.perf_event_paranoid=%d); 'sysctl "
			       "kernel.perf_event_paranoid=2' as root allows them for one's own "
			       "programs, 'setcap cap_perfmon+ep' on tacho for tacho alone",
			       level);
	if (number == EACCES)
		return err_set(err, TACHO_ENO,
			       "the kernel denies perf events of thread %d: it belongs to another "
			       "user or has changed its identity",
			       (int)tid);
	if (number == EPERM || number == ENOSYS)
		return err_set(err, TACHO_ENO,
			       "perf_event_open() is not allowed here (a container's seccomp "
			       "filter?): start the container with '--cap-add PERFMON', or with "
			       "'--security-opt seccomp=unconfined'");
	if (number == EMFILE)
		return err_errno(err, TACHO_ENO,
				 "too many threads times CPUs; 'ulimit -n' with a larger number "
				 "would allow them");
	return err_errno(err, TACHO_ENO, "cannot sample thread %d", (int)tid);
}

enum samples_start { START_NOW, START_ON_EXEC, START_LATER };

/* Opens the sampling event of a task on a CPU. On failure errno has the reason. */
static int samples_open(struct events *e, const struct event_ring *ring, pid_t tid,
			enum samples_start start)
{
	struct perf_event_attr attr = attr_samples(e, ring, start == START_ON_EXEC);
	uint64_t id = 0;
	int fd;

	attr.disabled = start != START_NOW;
	fd = event_open(&attr, tid, (int)ring->cpu);
	if (fd < 0)
		return -1;
	if (vec_push(&e->samples, fd) < 0) {
		close(fd);
		errno = ENOMEM;
		return -1;
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 &&
	    map_set(&e->owner_of, id, EVENT_OWNER(tid, e->openings)) < 0) {
		errno = ENOMEM;
		return -1;
	}
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->leader);
}

/* Opens both events of a task on a CPU. On failure errno has the reason. */
static int task_open(struct events *e, struct event_ring *ring, pid_t tid, bool on_exec)
{
	struct perf_event_attr books = attr_books(ring, on_exec);
	int fd = event_open(&books, tid, (int)ring->cpu);

	if (fd < 0)
		return -1;
	if (vec_push(&e->fds, fd) < 0) {
		close(fd);
		errno = ENOMEM;
		return -1;
	}
	if (ring->leader < 0) {
		if (ring_map(ring, fd) < 0)
			return -1;
		ring->leader = fd;
	} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->leader) < 0) {
		return -1;
	}
	return samples_open(e, ring, tid, on_exec ? START_ON_EXEC : START_NOW);
}

int events_add(struct events *e, pid_t tid, bool on_exec, struct tacho_error *err)
{
#ifndef __x86_64__
	return err_set(err, TACHO_ENO, "sampling needs an x86-64 processor so far");
#endif
	size_t before = e->fds.n;

	if (!e->rings.n && (cpus_online(e) < 0 || !e->rings.n))
		return err_set(err, TACHO_ENOMEM, "out of memory");
	for (size_t i = 0; i < e->rings.n; i++) {
		if (task_open(e, &e->rings.v[i], tid, on_exec) < 0) {
			int number = errno;

			/* A CPU that went offline meanwhile has no events. */
			if (number == ENODEV && e->fds.n > before)
				continue;
			return open_refused(tid, number, err);
		}
	}
	return 0;
}

static int running_add(struct events *e, pid_t tid, struct tacho_error *err)
{
	return events_add(e, tid, false, err);
}

static int running_deepen(struct events *e, pid_t tid, struct tacho_error *err)
{
	for (size_t i = 0; i < e->rings.n; i++)
		if (e->rings.v[i].leader >= 0 &&
		    samples_open(e, &e->rings.v[i], tid, START_LATER) < 0)
			return err_set(err, TACHO_ENO, "no event for %d", (int)tid);
	return 0;
}

static bool task_is_known(const pid_t *tasks, size_t n, pid_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (tasks[i] == tid)
			return true;
	return false;
}

/* ADD for each thread of a process, until no new one appears. */
static int tasks_add(struct events *e, pid_t pid,
		     int (*add)(struct events *e, pid_t tid, struct tacho_error *err),
		     struct tacho_error *err)
{
	struct {
		VEC(pid_t);
	} tasks = {0};
	char path[64];
	size_t before;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	do {
		DIR *d = opendir(path);
		struct dirent *entry;

		before = tasks.n;
		if (!d) {
			r = err_set(err, TACHO_ENO, "there is no process %d", (int)pid);
			break;
		}
		while (r == 0 && (entry = readdir(d)) != NULL) {
			pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

			if (!tid || task_is_known(tasks.v, tasks.n, tid))
				continue;
			r = add(e, tid, err);
			if (r < 0 && errno == ESRCH && tid != pid)
				r = 0; /* it has ended since */
			if (r == 0)
				r = vec_push(&tasks, tid);
		}
		closedir(d);
	} while (r == 0 && tasks.n > before);
	vec_free(&tasks);
	return r;
}

int events_add_process(struct events *e, pid_t pid, struct tacho_error *err)
{
	return tasks_add(e, pid, running_add, err);
}

static void fds_close(struct event_fds *fds)
{
	for (size_t i = 0; i < fds->n; i++)
		close(fds->v[i]);
	vec_free(fds);
	memset(fds, 0, sizeof(*fds));
}

int events_deepen(struct events *e, const pid_t *pids, size_t n, uint32_t stack_bytes)
{
	struct event_fds old = e->samples;
	uint32_t before = e->stack_bytes;
	char path[64];
	int r = 0;

	memset(&e->samples, 0, sizeof(e->samples));
	e->stack_bytes = stack_bytes;
	e->openings++;
	for (size_t i = 0; i < n && r == 0; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task", (int)pids[i]);
		r = tasks_add(e, pids[i], running_deepen, NULL);
		if (r < 0 && access(path, F_OK) < 0)
			r = 0; /* it has ended since */
	}
	if (r < 0) {
		fds_close(&e->samples);
		e->samples = old;
		e->stack_bytes = before;
		return r;
	}
	fds_close(&old);
	for (size_t i = 0; i < e->samples.n; i++)
		ioctl(e->samples.v[i], PERF_EVENT_IOC_ENABLE, 0);
	return 0;
}

/* ------------------------------------------------------------- reading */

void events_wait(const struct events *e, int ms)
{
	struct pollfd fds[64];
	nfds_t n = 0;

	for (size_t i = 0; i < e->rings.n && n < 64; i++)
		if (e->rings.v[i].leader >= 0)
			fds[n++] = (struct pollfd){.fd = e->rings.v[i].leader, .events = POLLIN};
	if (!n || poll(fds, n, ms) <= 0)
		return;
	/* An event whose last task has ended stays "hung up" for ever: do not wake for it. */
	for (nfds_t i = 0; i < n; i++)
		if (!(fds[i].revents & POLLHUP))
			return;
	poll(NULL, 0, ms);
}

static struct perf_event_mmap_page *ring_page(const struct event_ring *ring)
{
	return ring->memory;
}

/*
 * The kernel's side of the ring: its head is read before the data, our tail is written after it.
 * x86 keeps loads in order and stores after loads; the compiler must do so too.
 */
void events_refresh(struct events *e)
{
	for (size_t i = 0; i < e->rings.n; i++) {
		struct event_ring *ring = &e->rings.v[i];

		if (!ring->memory || ring->bad)
			continue;
		ring->head = *(volatile __u64 *)&ring_page(ring)->data_head;
		__asm__ volatile("" ::: "memory");
	}
}

void events_release(struct events *e)
{
	for (size_t i = 0; i < e->rings.n; i++) {
		struct event_ring *ring = &e->rings.v[i];

		if (!ring->memory || ring->tail == ring->freed)
			continue;
		__asm__ volatile("" ::: "memory");
		*(volatile __u64 *)&ring_page(ring)->data_tail = ring->tail;
		ring->freed = ring->tail;
	}
}

/* LEN bytes at the tail, copied together if they wrap. */
static const uint8_t *ring_bytes_at(struct event_ring *ring, size_t len)
{
	const uint8_t *data = (const uint8_t *)ring->memory + sysconf(_SC_PAGESIZE);
	size_t at = (size_t)(ring->tail & (ring->size - 1)), first = ring->size - at;

	if (len <= first)
		return data + at;
	if (!ring->joined)
		ring->joined = malloc(RECORD_MAX);
	if (!ring->joined)
		return NULL;
	memcpy(ring->joined, data + at, first);
	memcpy(ring->joined + first, data, len - first);
	return ring->joined;
}

/* Decodes the record at the tail; false: none. Invalid records are skipped. */
static bool ring_peek(struct events *e, struct event_ring *ring)
{
	while (!ring->pending) {
		uint64_t there = ring->head - ring->tail;
		const uint8_t *bytes;
		size_t size;

		if (!ring->memory || ring->bad || there < 8)
			return false;
		bytes = ring_bytes_at(ring, 8);
		size = bytes ? record_size(bytes, 8) : 0;
		if (!size || size > there) {
			ring->bad = true;
			e->bad_records++;
			return false;
		}
		bytes = ring_bytes_at(ring, size);
		if (bytes && record_decode(bytes, size, &ring->record)) {
			ring->pending = bytes;
			ring->pending_size = size;
		} else {
			e->bad_records++;
			ring->tail += size;
		}
	}
	return true;
}

void events_peek(struct events *e, void (*see)(void *context, const struct record *r),
		 void *context)
{
	for (size_t i = 0; i < e->rings.n; i++) {
		struct event_ring *ring = &e->rings.v[i];
		const uint8_t *data;
		struct record r;

		if (!ring->memory || ring->bad)
			continue;
		data = (const uint8_t *)ring->memory + sysconf(_SC_PAGESIZE);
		if (ring->seen < ring->tail)
			ring->seen = ring->tail;
		while (ring->head - ring->seen >= 8) {
			size_t at = (size_t)(ring->seen & (ring->size - 1));
			size_t size = record_size(data + at, 8);

			if (!size || size > ring->head - ring->seen)
				break;
			ring->seen += size;
			/* A record that wraps is assembled when its turn comes: skip it here. */
			if (size <= ring->size - at && record_decode(data + at, size, &r) &&
			    r.kind == RECORD_SAMPLE)
				see(context, &r);
		}
	}
}

const struct record *events_next(struct events *e, uint64_t horizon)
{
	struct event_ring *first = NULL;

	for (size_t i = 0; i < e->rings.n; i++) {
		struct event_ring *ring = &e->rings.v[i];

		if (!ring_peek(e, ring))
			continue;
		/* Records that a sample depends on come before a sample of the same time. */
		if (!first || ring->record.time < first->record.time ||
		    (ring->record.time == first->record.time &&
		     first->record.kind == RECORD_SAMPLE))
			first = ring;
	}
	if (!first || first->record.time > horizon)
		return NULL;
	first->pending = NULL;
	first->tail += first->pending_size;
	return &first->record;
}

void events_stop(struct events *e)
{
	for (size_t i = 0; i < e->fds.n; i++)
		ioctl(e->fds.v[i], PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < e->samples.n; i++)
		ioctl(e->samples.v[i], PERF_EVENT_IOC_DISABLE, 0);
}

void events_free(struct events *e)
{
	for (size_t i = 0; i < e->rings.n; i++) {
		struct event_ring *ring = &e->rings.v[i];

		if (ring->memory)
			munmap(ring->memory, ring->size + (size_t)sysconf(_SC_PAGESIZE));
		free(ring->joined);
	}
	for (size_t i = 0; i < e->fds.n; i++)
		close(e->fds.v[i]);
	vec_free(&e->fds);
	fds_close(&e->samples);
	map_free(&e->owner_of);
	vec_free(&e->rings);
}
