/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of threads: running, waiting for a CPU, blocked. Switch records show when a thread left
 * and entered a CPU; the kernel's account of its time on the run queue shows how much of a wait was
 * for a CPU.
 */
#include "sample/private.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define SCHEDSTATS 512 /* descriptors held open for threads; the others are opened each time */

void states_forget(struct sampled_thread *t)
{
	if (t->schedstat >= 0)
		close(t->schedstat);
	t->schedstat = -1;
}

/* Nanoseconds that the thread has waited for a CPU; false: unknown. */
static bool delay_read(struct sampler *s, struct sampled_thread *t, uint64_t *delay)
{
	unsigned long long run, wait;
	int fd = t->schedstat;
	char text[96];
	ssize_t n;

	if (fd < 0) {
		snprintf(text, sizeof(text), "/proc/%u/task/%u/schedstat", t->pid, t->tid);
		fd = open(text, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return false;
	}
	n = pread(fd, text, sizeof(text) - 1, 0);
	if (t->schedstat < 0 && n > 0 && s->schedstats < SCHEDSTATS) {
		s->schedstats++;
		t->schedstat = fd;
	} else if (t->schedstat < 0) {
		close(fd);
	}
	if (n <= 0)
		return false;
	text[n] = 0;
	if (sscanf(text, "%llu %llu", &run, &wait) != 2)
		return false;
	*delay = wait;
	return true;
}

void states_attach(struct sampler *s, uint32_t pid, uint32_t tid)
{
	struct sampled_thread *t = sampler_thread(s, pid, tid);

	if (t)
		t->delay_known = delay_read(s, t, &t->delay);
}

void states_begin(struct sampler *s, uint32_t pid, uint32_t tid, uint64_t ns)
{
	struct sampled_thread *t = sampler_thread(s, pid, tid);

	if (!t)
		return;
	states_forget(t); /* of a thread with the same number that has ended */
	t->since = ns;
	t->state = TRACE_STATE_RUNNABLE;
	t->read_at = t->delay = t->preempted = t->blocked = 0;
	t->delay_known = true;
}

static void interval_end(struct sampler *s, struct sampled_thread *t, uint64_t ns)
{
	struct sampled_interval i = {.thread = (uint32_t)(t - s->threads.v),
				     .state = t->state,
				     .cpu = t->state == TRACE_STATE_RUNNING ? t->cpu : 0,
				     .from = t->since,
				     .to = ns};

	if (!t->since || ns <= t->since)
		return;
	if (t->state == TRACE_STATE_BLOCKED) {
		t->blocked += ns - t->since;
		/* The stack is valid only if the thread did not run before it was read. */
		if (t->read_at && t->read_at < ns) {
			i.node = t->node;
			i.call = t->call;
		}
	} else if (t->state == TRACE_STATE_RUNNABLE) {
		t->preempted += ns - t->since;
	}
	vec_push(&s->intervals, i);
}

void states_switch(struct sampler *s, const struct record *r)
{
	struct sampled_thread *t = sampler_thread(s, r->pid, r->tid);

	if (!t)
		return;
	interval_end(s, t, r->time);
	t->since = r->time;
	t->cpu = r->cpu;
	t->read_at = 0;
	t->state = !r->out        ? TRACE_STATE_RUNNING
		   : r->preempted ? TRACE_STATE_RUNNABLE
				  : TRACE_STATE_BLOCKED;
}

void states_end(struct sampler *s, struct sampled_thread *t, uint64_t ns)
{
	interval_end(s, t, ns);
	t->since = 0;
	if (t->schedstat >= 0)
		s->schedstats--;
	states_forget(t);
}

static void interval_put(struct sampler *s, const struct sampled_interval *i, uint64_t from,
			 uint64_t to, uint32_t state)
{
	uint64_t start = sampler_ticks(s, from), end = sampler_ticks(s, to);
	bool blocked = state == TRACE_STATE_BLOCKED;

	if (end > start)
		queue_row(s, &s->threads.v[i->thread], TRACE_ROW_STATE, start, end - start,
			  TRACE_STATE(state, i->cpu, blocked ? i->call : 0), blocked ? i->node : 0);
}

/*
 * The part of a thread's blocked time in this round in which it was awake and waited for a CPU: the
 * kernel's count, minus the time in which it was preempted. 0 to 1. The count is read a little
 * later than the last record, so it may include waits of the next round: what exceeds this one is
 * left for that.
 */
static double awake_share(struct sampler *s, struct sampled_thread *t)
{
	uint64_t now, count, awake = 0, blocked = t->blocked;

	t->blocked = 0;
	if (!blocked || !delay_read(s, t, &now))
		return 0;
	if (!t->delay_known) {
		/* It began before the first sample: its wait until now belongs to no round. */
		t->delay_known = true;
		t->delay = now;
		t->preempted = 0;
		return 0;
	}
	count = now > t->delay ? now - t->delay : 0;
	if (count <= t->preempted) {
		t->preempted -= count;
		t->delay += count;
		return 0;
	}
	awake = count - t->preempted < blocked ? count - t->preempted : blocked;
	t->delay += t->preempted + awake;
	t->preempted = 0;
	return (double)awake / (double)blocked;
}

/* Each blocked interval of a round ends with its share of the wait for a CPU. */
void states_round(struct sampler *s)
{
	for (size_t k = 0; k < s->intervals.n; k++) {
		const struct sampled_interval *i = &s->intervals.v[k];
		struct sampled_thread *t = &s->threads.v[i->thread];
		uint64_t awake = i->to;

		if (i->state == TRACE_STATE_BLOCKED) {
			if (t->blocked)
				t->awake = awake_share(s, t);
			awake = i->to - (uint64_t)(t->awake * (double)(i->to - i->from));
			interval_put(s, i, i->from, awake, TRACE_STATE_BLOCKED);
			interval_put(s, i, awake, i->to, TRACE_STATE_RUNNABLE);
		} else {
			interval_put(s, i, i->from, i->to, i->state);
		}
	}
	s->intervals.n = 0;
}

void states_finish(struct sampler *s, uint64_t ns)
{
	for (size_t i = 0; i < s->threads.n; i++)
		interval_end(s, &s->threads.v[i], ns);
}
