/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads stacks of waiting threads from outside without stopping them: the thread is known to be off
 * the CPU, /proc gives its system call and stack pointer, and the copy is valid if the thread did
 * not run before it was complete, which the next switch record shows.
 */
#include "sample/private.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS    1000000u /* shorter waits are not examined */
#define STACK_READ 32768u
#define PAGE       4096u

static uint64_t waiting_raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* System call, stack pointer and instruction of a thread in a system call; false: it is in none. */
static bool call_read(const struct sampled_thread *t, long *call, uint64_t *sp, uint64_t *pc)
{
	unsigned long long a, b;
	char text[256];
	const char *at;
	ssize_t n;
	int fd;

	snprintf(text, sizeof(text), "/proc/%u/task/%u/syscall", t->pid, t->tid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	if (sscanf(text, "%ld", call) != 1) /* "running" */
		return false;
	at = strrchr(text, ' ');
	if (!at || at == text)
		return false;
	while (at > text && at[-1] != ' ')
		at--;
	if (sscanf(at, "%llx %llx", &a, &b) != 2)
		return false;
	*sp = a;
	*pc = b;
	return true;
}

/* Page by page, up to the end of the stack's mapping. */
static size_t stack_copy(pid_t pid, uint64_t from, uint8_t *to, size_t len)
{
	struct iovec local = {to, len}, remote[STACK_READ / PAGE + 1];
	unsigned n = 0;
	ssize_t got;

	for (uint64_t at = from; at < from + len; n++) {
		uint64_t next = (at / PAGE + 1) * PAGE;

		if (next > from + len)
			next = from + len;
		remote[n].iov_base = (void *)(uintptr_t)at;
		remote[n].iov_len = (size_t)(next - at);
		at = next;
	}
	got = process_vm_readv(pid, &local, 1, remote, n, 0);
	return got > 0 ? (size_t)got : 0;
}

static bool code_read(void *context, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	return process_vm_readv(*(pid_t *)context, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

void waiting_read(struct sampler *s, struct sampled_thread *t)
{
	struct sampled_process *p = sampler_process(s, t->pid);
	pid_t pid = (pid_t)t->pid;
	struct unwind_input in = {.code = code_read, .context = &pid};
	enum stack_end end = STACK_NONE;
	unsigned count = 0;
	uint64_t sp, pc;
	long call;

	t->read_at = waiting_raw_ns(); /* not again during this wait, whatever the result */
	t->node = 0;
	t->call = 0;
	if (!s->stack)
		s->stack = malloc(STACK_READ);
	if (!p || !s->stack || !call_read(t, &call, &sp, &pc))
		return;
	in.regs[CFI_RSP] = sp;
	in.regs[CFI_RA] = pc;
	in.known = 1u << CFI_RSP | 1u << CFI_RA;
	in.stack = s->stack;
	in.size = stack_copy(pid, sp, s->stack, STACK_READ);
	t->call = call >= 0 ? (uint32_t)call + 1 : 0;
	t->node = 0;
	if (in.size) {
		end = unwind(s->cache, &p->space, &in, s->frames, s->frame_pcs, &count);
		count = pystacks_merge_now(s, p, t->tid, sp, t->since, count);
		t->node = stack_node(s, t->since, end, count);
	}
	/* After the last read, of Python's frames too: if the thread ran before, none is valid. */
	t->read_at = waiting_raw_ns();
	memset(s->stack, 0, in.size);
}

bool waiting_round(struct sampler *s, uint64_t now)
{
	bool soon = false;

	for (size_t i = 0; i < s->threads.n; i++) {
		struct sampled_thread *t = &s->threads.v[i];

		if (t->state != TRACE_STATE_BLOCKED || !t->since || t->read_at)
			continue;
		if (now - t->since < WAIT_NS || now < t->since) {
			soon = true;
			continue;
		}
		waiting_read(s, t);
	}
	return soon;
}
