/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the sampler's thread share. */
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

struct sampled_thread {
	uint32_t pid, tid;
	uint64_t since; /* ns; 0: not seen on or off a CPU yet */
	uint32_t cpu;
	uint32_t state; /* enum trace_state since then */
	bool named;
	/* While it is blocked: its stack, read at read_at. It holds if the thread has not run
	 * since. */
	uint64_t read_at; /* ns; 0: not read */
	uint32_t node;
	uint32_t call; /* number of the system call + 1, 0: not known */
	/* Time on the run queue by /proc/PID/task/TID/schedstat when that was last read. */
	int schedstat;      /* kept open; -1: not yet, -2: cannot be */
	uint64_t delay;     /* ns */
	uint64_t preempted; /* of it, what intervals since then explain */
	uint64_t blocked;   /* ns of intervals that wait to be split */
	double awake;       /* share of them in which it waited for a CPU */
};

/* A state that has ended and waits for the end of the round. */
struct sampled_interval {
	uint32_t thread; /* index */
	uint32_t state, cpu, call, node;
	uint64_t from, to; /* ns */
};

struct sampled_process {
	struct space space;
	uint32_t parent;
	bool announced, ended;
	struct python python;
	uint32_t python_at; /* generation of the mappings in which it was looked for */
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
	size_t schedstats; /* descriptors that threads keep open */
	uint8_t *stack;    /* a copy of the stack of a thread that waits */
	struct clock_point first, last;
	double ticks_per_ns;
	struct stack_frame frames[LIMIT_STACK_FRAMES];
	uint64_t frame_pcs[LIMIT_STACK_FRAMES]; /* of frames, as the process has them */
	struct pystacks *python;
	bool sees_python; /* some process is an interpreter: samples are looked at sooner */

	pthread_t thread;
	bool running;
	/* Guards what follows: the thread adds, the recorder takes. Nothing else is locked inside.
	 */
	pthread_mutex_t lock;
	struct sampler_batch queue;
	struct sampler_totals totals;
	bool stop;
};

/* ---- queue.c: towards the recorder */
void queue_put(struct sampler *s, const struct sampler_event *e, const char *text, size_t len);
void queue_row(struct sampler *s, const struct sampled_thread *t, uint32_t row, uint64_t time,
	       uint64_t a, uint64_t b, uint64_t c);

/* ---- follow.c: processes, threads and their states by the kernel's records */
uint64_t sampler_ticks(const struct sampler *s, uint64_t ns);
struct sampled_process *sampler_process(struct sampler *s, uint32_t pid);
struct sampled_thread *sampler_thread(struct sampler *s, uint32_t pid, uint32_t tid);
void follow_record(struct sampler *s, const struct record *r);
/* Mappings and threads of a process that runs already. */
int follow_running(struct sampler *s, pid_t pid);

/* ---- states.c: what threads do and wait for */
void states_switch(struct sampler *s, const struct record *r);
/* The thread has ended. */
void states_end(struct sampler *s, struct sampled_thread *t, uint64_t ns);
/* A thread that runs already: its time on the run queue so far is not ours. */
void states_attach(struct sampler *s, uint32_t pid, uint32_t tid);
void states_forget(struct sampled_thread *t);
/* The rings were drained: writes what has ended. */
void states_round(struct sampler *s);
/* What is still running or waiting ends here. */
void states_finish(struct sampler *s, uint64_t ns);

/* ---- waiting.c: stacks of threads that wait */
/* Reads the stacks of those that have been waiting for a while. True: some will be due soon. */
bool waiting_round(struct sampler *s, uint64_t now);

/* ---- pystack.c: Python frames in native stacks */
struct pystacks *pystacks_new(void);
void pystacks_free(struct pystacks *y);
bool pystacks_is_python(struct sampled_process *p);
/* A sample was seen in a ring: reads the frames of its thread now. */
void pystacks_see(struct sampler *s, const struct record *r);
/* Merges what was read for the sample into s->frames; the new number of frames. */
unsigned pystacks_merge(struct sampler *s, struct sampled_process *p, uint32_t tid, uint64_t time,
			unsigned count);
/* The same for a thread that waits, read now. */
unsigned pystacks_merge_now(struct sampler *s, struct sampled_process *p, uint32_t tid, uint64_t sp,
			    uint64_t time, unsigned count);

/* ---- stack.c: samples become nodes of the tree */
void stack_sample(struct sampler *s, const struct record *r);
uint32_t stack_node(struct sampler *s, uint64_t ns, enum stack_end end, unsigned count);
/* Announces a module to the trace when it is new. NULL: no memory. */
struct module *stack_module(struct sampler *s, enum module_kind kind, const char *path,
			    uint64_t device, uint64_t inode);

#endif
