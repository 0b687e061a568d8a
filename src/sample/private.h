/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the sampler's thread. */
#ifndef SAMPLE_PRIVATE_H
#define SAMPLE_PRIVATE_H

#include "clock/clock.h"
#include "sample/events.h"
#include "sample/python.h"
#include "sample/sampler.h"
#include "sample/tree.h"
#include "sample/unwind.h"
#include "trace/trace.h"

#include <pthread.h>

/* The kernel's account of a thread, nanoseconds. */
struct schedule {
	uint64_t run, wait, slices;
};

struct sampled_thread {
	uint32_t pid, tid;
	uint64_t since; /* ns; 0: not seen on or off a CPU yet */
	uint32_t cpu;
	uint32_t state; /* enum trace_state since then */
	bool named;
	uint64_t polled; /* ns; without events: when schedule was read */
	struct schedule schedule;
	uint32_t owner; /* EVENT_OWNER of its samples; 0: none yet */
	/*
	 * While it is blocked: its stack, read at read_at. It is valid if the thread has not run
	 * since.
	 */
	uint64_t read_at; /* ns; 0: not read */
	uint32_t node;
	uint32_t call; /* number of the system call + 1, 0: unknown */
	/* Time on the run queue, from the last read of /proc/PID/task/TID/schedstat. */
	int schedstat;      /* kept open; -1: not yet, -2: failed */
	uint64_t delay;     /* ns that intervals so far explain, ... */
	bool delay_known;   /* ... if it has been read, or the thread is new */
	uint64_t preempted; /* of it, the part that later intervals explain */
	uint64_t blocked;   /* ns of intervals pending to be split */
	double awake;       /* share of them in which it waited for a CPU */
};

/* A state that has ended, pending until the end of the round. */
struct sampled_interval {
	uint32_t thread; /* index */
	uint32_t state, cpu, call, node;
	uint64_t from, to; /* ns */
};

struct sampled_process {
	struct space space;
	uint32_t parent;
	bool announced, ended;
	char comm[64];    /* without events: its name at the last poll */
	uint64_t maps_at; /* ns; without events: when its mappings were read */
	struct python python;
	uint32_t python_at; /* generation of the mappings at the last search */
};

struct sampler {
	struct sampler_options options;
	struct events events;
	struct modules modules;
	struct unwind_cache *cache;
	struct tree tree;
	struct map process_of; /* pid to index */
	struct {
		VEC(struct sampled_process *);
	} processes;
	struct map thread_of; /* tid to index */
	struct {
		VEC(struct sampled_thread);
	} threads;
	struct {
		VEC(struct sampled_interval);
	} intervals;
	size_t schedstats; /* descriptors held open for threads */
	uint8_t *stack;    /* a copy of the stack of a waiting thread */
	struct clock_point first, last;
	double ticks_per_ns;
	struct stack_frame frames[LIMIT_STACK_FRAMES];
	uint64_t frame_pcs[LIMIT_STACK_FRAMES]; /* of frames, as addresses of the process */
	struct pystacks *python;
	/* Of the last samples: whether stacks are larger than the copies. */
	unsigned window_samples, window_cut;
	bool polls;       /* without events: /proc is polled */
	bool deepened;    /* larger copies were tried */
	bool sees_python; /* some process is an interpreter: samples are examined sooner */

	pthread_t thread;
	bool running;
	/*
	 * Guards the following fields: the thread adds, the recorder takes. No other lock is taken
	 * inside.
	 */
	pthread_mutex_t lock;
	struct sampler_batch queue;
	struct sampler_totals totals;
	bool stop;
};

/* ---- queue.c: to the recorder */
void queue_put(struct sampler *s, const struct sampler_event *e, const char *text, size_t len);
void queue_row(struct sampler *s, const struct sampled_thread *t, uint32_t row, uint64_t time,
	       uint64_t a, uint64_t b, uint64_t c);

/* ---- follow.c: processes, threads and their states by the kernel's records */
uint64_t sampler_ticks(const struct sampler *s, uint64_t ns);
struct sampled_process *sampler_process(struct sampler *s, uint32_t pid);
struct sampled_thread *sampler_thread(struct sampler *s, uint32_t pid, uint32_t tid);
void follow_record(struct sampler *s, const struct record *r);
/* Reads mappings and threads of a process that is already running. */
int follow_running(struct sampler *s, pid_t pid);
void follow_maps(struct sampler *s, pid_t pid);
void follow_process_name(struct sampler *s, uint32_t pid, uint64_t ns, const char *name);
void follow_thread_name(struct sampler *s, uint32_t pid, uint32_t tid, uint64_t ns,
			const char *name);

/* ---- states.c: states of threads */
void states_switch(struct sampler *s, const struct record *r);
/* The thread has ended. */
void states_end(struct sampler *s, struct sampled_thread *t, uint64_t ns);
/* A thread that is already running: excludes its time on the run queue so far. */
void states_attach(struct sampler *s, uint32_t pid, uint32_t tid);
/* A thread that was created at NS: it waits for a CPU until it is first seen on one. */
void states_begin(struct sampler *s, uint32_t pid, uint32_t tid, uint64_t ns);
void states_forget(struct sampled_thread *t);
/* After the rings were drained: writes states that have ended. */
void states_round(struct sampler *s);
/* Ends all states. */
void states_finish(struct sampler *s, uint64_t ns);

/* ---- waiting.c: stacks of waiting threads */
/* Reads the stacks of threads that have been waiting for a while. True: some will be due soon. */
bool waiting_round(struct sampler *s, uint64_t now);
/* Reads the stack of one now; the caller knows that it waits. */
void waiting_read(struct sampler *s, struct sampled_thread *t);

/* ---- poll.c: states without perf events */
void poll_round(struct sampler *s, uint64_t now);

/* ---- pystack.c: Python frames in native stacks */
struct pystacks *pystacks_new(void);
void pystacks_free(struct pystacks *y);
bool pystacks_is_python(struct sampled_process *p);
/* For a sample seen in a ring: reads the frames of its thread now. */
void pystacks_see(struct sampler *s, const struct record *r);
/* Merges the frames read for the sample into s->frames; returns the new number of frames. */
unsigned pystacks_merge(struct sampler *s, struct sampled_process *p, uint32_t tid, uint64_t time,
			unsigned count);
/* The same for a waiting thread, read now. */
unsigned pystacks_merge_now(struct sampler *s, struct sampled_process *p, uint32_t tid, uint64_t sp,
			    uint64_t time, unsigned count);

/* ---- stack.c: add samples to the tree of stacks */
void stack_sample(struct sampler *s, const struct record *r);
/* If many stacks are cut: has the kernel copy more of them. */
void stack_round(struct sampler *s);
uint32_t stack_node(struct sampler *s, uint64_t ns, enum stack_end end, unsigned count);
/* Announces a new module to the trace. NULL: no memory. */
struct module *stack_module(struct sampler *s, enum module_kind kind, const char *path,
			    uint64_t device, uint64_t inode);

#endif
