/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up thread states, of whole threads or inside zones; see profile.h. */
#include "sample/profile.h"

#include "sample/window.h"

#include <string.h>

const char *const profile_state_names[PROFILE_STATES] = {
	"running",
	"[kernel]",
	"waiting for a CPU",
	"waiting for a lock",
	"sleeping",
	"polling",
	"reading or writing",
	"waiting for a child",
	"waiting for something else",
	"unknown",
};

/* What a thread waits for, by its current system call: numbers of x86-64. */
static enum profile_state wait_kind(uint32_t call)
{
	switch (call - 1) {
	case 202: /* futex */
		return PROFILE_LOCK;
	case 35:  /* nanosleep */
	case 230: /* clock_nanosleep */
	case 34:  /* pause */
		return PROFILE_SLEEP;
	case 7:   /* poll */
	case 23:  /* select */
	case 232: /* epoll_wait */
	case 270: /* pselect6 */
	case 271: /* ppoll */
	case 281: /* epoll_pwait */
	case 441: /* epoll_pwait2 */
		return PROFILE_POLL;
	case 61:  /* wait4 */
	case 247: /* waitid */
		return PROFILE_CHILD;
	case 0:  /* read */
	case 1:  /* write */
	case 17: /* pread64 */
	case 18: /* pwrite64 */
	case 19: /* readv */
	case 20: /* writev */
	case 43: /* accept */
	case 44: /* sendto */
	case 45: /* recvfrom */
	case 46: /* sendmsg */
	case 47: /* recvmsg */
	case 74: /* fsync */
	case 75: /* fdatasync */
		return PROFILE_IO;
	default:
		return PROFILE_OTHER_WAIT;
	}
}

static void profile_states_row_add(const struct profile *p, const struct window *w,
				   const struct trace_row *row, struct profile_thread *t)
{
	double ns;

	if (row->kind == TRACE_ROW_SAMPLE && window_has(w, row->time)) {
		t->samples++;
		t->sampled_ns += (double)row->c;
	}
	if (row->kind != TRACE_ROW_STATE)
		return;
	ns = trace_duration_ns(p->trace, row->time,
			       row->time + window_overlap(w, row->time, row->time + row->a));
	switch (TRACE_STATE_OF(row->b)) {
	case TRACE_STATE_RUNNING:
		t->ns[PROFILE_RUNNING] += ns;
		t->runs += ns > 0;
		t->migrations += t->last_cpu && t->last_cpu != TRACE_STATE_CPU(row->b) + 1;
		t->last_cpu = TRACE_STATE_CPU(row->b) + 1;
		break;
	case TRACE_STATE_RUNNABLE:
		t->ns[PROFILE_RUNNABLE] += ns;
		break;
	case TRACE_STATE_BLOCKED:
		t->ns[wait_kind(TRACE_STATE_CALL(row->b))] += ns;
		break;
	default:
		break;
	}
}

/*
 * Samples of the program's own code measure the part of the CPU time outside the kernel. They are
 * statistical: if they exceed the CPU time, all of it was outside the kernel.
 */
static void kernel_split(const struct profile *p, struct profile_thread *t, double window_ns)
{
	const char *event = trace_property(p->trace, "sampling event");
	bool sampled = !event || strcmp(event, TRACE_NO_EVENT) != 0;
	double running = t->ns[PROFILE_RUNNING], known = 0;
	double user = sampled && t->sampled_ns < running ? t->sampled_ns : running;

	t->ns[PROFILE_RUNNING] = user;
	t->ns[PROFILE_KERNEL] = running - user;
	for (int i = 0; i < PROFILE_UNKNOWN; i++)
		known += t->ns[i];
	t->ns[PROFILE_UNKNOWN] = window_ns > known ? window_ns - known : 0;
}

int profile_thread_states(struct profile *p, const struct profile_filter *filter, uint32_t track,
			  struct profile_thread *t)
{
	uint64_t first = UINT64_MAX, last = 0;
	struct trace_rows *rows;
	struct trace_row row;
	struct window w;
	uint32_t at;
	int r = window_make(&w, p->trace, track, filter->t0, filter->t1, filter->zones);

	memset(t, 0, sizeof(*t));
	t->track = track;
	if (r < 0)
		return r;
	r = trace_rows_open(&rows, p->trace, track, 0, filter->t1);
	if (r < 0) {
		window_free(&w);
		return r;
	}
	while ((r = trace_rows_next(rows, &row, &at)) > 0) {
		profile_states_row_add(p, &w, &row, t);
		if (row.kind == TRACE_ROW_STATE) {
			first = row.time < first ? row.time : first;
			last = row.time + row.a > last ? row.time + row.a : last;
		}
	}
	trace_rows_close(rows);
	/* Zones have their own lengths; without zones it is the life of the thread. */
	if (filter->zones) {
		first = w.n ? w.v[0].start : 0;
		last = w.n ? w.v[w.n - 1].end : 0;
	}
	if (last > first)
		kernel_split(p, t,
			     trace_duration_ns(p->trace, first,
					       first + window_overlap(&w, first, last)));
	window_free(&w);
	return r < 0 ? r : 0;
}
