/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler: observes running programs from outside, with the kernel's perf events. Its own
 * thread drains the rings, unwinds stacks and follows thread states; events go to a queue, from
 * which the recorder writes them to the trace.
 *
 *	sampler_open()		nothing happens yet
 *	sampler_add()		a child that waits before exec, or a running process
 *	sampler_start()		the thread runs; call it after the last fork()
 *	sampler_take()		in each round: new events
 *	sampler_stop()		no more samples; sampler_take() gives the rest
 *	sampler_close()
 *
 * All calls are from one thread. The sampled programs are never stopped, signalled or written to.
 */
#ifndef SAMPLE_SAMPLER_H
#define SAMPLE_SAMPLER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SAMPLER_HZ          997 /* a prime: not in step with activities at each ms */
#define SAMPLER_HZ_SLOW     251 /* if the timer interrupt itself is slow */
#define SAMPLER_HZ_MOST     20000
#define SAMPLER_STACK_BYTES 16384
#define SAMPLER_STACK_MOST  60000 /* the kernel's records have a 16-bit length */

struct sampler_options {
	uint32_t hz;
	uint32_t stack_bytes;
	bool adaptive; /* copy more of stacks if many are cut */
};

enum sampler_kind {
	SAMPLER_ROW,     /* a row of the thread, or of the track of stacks (tid 0) */
	SAMPLER_PROCESS, /* pid has started or executed another program: text is its name */
	SAMPLER_THREAD,  /* a thread, and its name in text */
	SAMPLER_ENDED,   /* the thread tid of pid; tid == pid: the process */
	SAMPLER_LOST,    /* a records were lost at this time */
};

struct sampler_event {
	enum sampler_kind kind;
	uint32_t pid, tid, parent;
	uint64_t time; /* ticks */
	uint32_t row;  /* enum trace_row_kind */
	uint64_t a, b, c;
	char *text; /* owned by the event; NULL: none */
	size_t len;
};

struct sampler_batch {
	struct sampler_event *v;
	size_t n, cap;
};

/* Figures for properties and notes. */
struct sampler_totals {
	uint64_t samples;
	uint64_t ends[16]; /* by enum stack_end */
	uint64_t lost, throttled, bad, queue_full;
	uint64_t python, python_merged; /* samples of interpreters, and with Python frames */
	uint32_t stack_bytes;           /* copied at the end */
	uint64_t cpu_ns;                /* used by the sampler's own thread */
};

struct sampler;
int sampler_open(struct sampler **s, const struct sampler_options *options,
		 struct tacho_error *err);
int sampler_add(struct sampler *s, pid_t pid, bool on_exec, struct tacho_error *err);
/*
 * Where sampler_add() was refused: states of threads and stacks of waiting ones by polling /proc,
 * without samples of running code. Negative: that is not allowed either.
 */
int sampler_poll(struct sampler *s, pid_t pid);
int sampler_start(struct sampler *s, struct tacho_error *err);
void sampler_take(struct sampler *s, struct sampler_batch *batch);
void sampler_batch_free(struct sampler_batch *batch);
void sampler_stop(struct sampler *s);
void sampler_totals(struct sampler *s, struct sampler_totals *totals);
void sampler_close(struct sampler *s);

#endif
