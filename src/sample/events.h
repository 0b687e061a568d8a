/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perf events of the sampled tasks and the rings that the kernel writes them to: one ring per CPU,
 * and for each task and CPU one event for samples and one for bookkeeping (mappings, threads,
 * switches). Records of all rings are returned in order of time.
 */
#ifndef SAMPLE_EVENTS_H
#define SAMPLE_EVENTS_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "sample/record.h"

#include <sys/types.h>

struct event_ring {
	uint32_t cpu;
	int leader; /* the first bookkeeping event, which owns the ring */
	void *memory;
	size_t size;            /* of the data, a power of two */
	uint64_t seen;          /* records before this were passed to events_peek() */
	uint64_t head, tail;    /* HEAD: the kernel's position at the last check */
	uint64_t freed;         /* TAIL as the kernel knows it */
	uint8_t *joined;        /* a record that wraps around the end, copied together */
	const uint8_t *pending; /* the next record, NULL: not decoded yet */
	size_t pending_size;
	uint64_t pending_time;
	struct record record; /* of the next one, decoded */
	bool bad;             /* the ring was invalid and is no longer read */
};

struct events {
	uint64_t period; /* nanoseconds of CPU time between two samples */
	uint32_t stack_bytes;
	struct {
		VEC(struct event_ring);
	} rings;
	struct {
		VEC(int);
	} fds; /* bookkeeping */
	struct event_fds {
		VEC(int);
	} samples;
	struct map owner_of; /* id of a sampling event to EVENT_OWNER of its task */
	uint32_t openings;   /* how often sampling events were opened for all tasks */
	uint64_t bad_records;
};

/* The task that an event was opened for, which its children share, and at which opening. */
#define EVENT_OWNER(tid, opening) ((uint32_t)(tid) | (uint32_t)(opening) << 24)

/* The rings are created with the first task. */
int events_init(struct events *e, uint32_t hz, uint32_t stack_bytes);

/*
 * Adds a task and all that it will create. ON_EXEC: it is a child that waits before exec, and
 * events begin then. Error texts report what the kernel refuses and what would allow it.
 */
int events_add(struct events *e, pid_t tid, bool on_exec, struct tacho_error *err);

/* The same for all threads of a running process, until no new one appears. */
int events_add_process(struct events *e, pid_t pid, struct tacho_error *err);

/*
 * Copies STACK_BYTES of stacks from now on: opens sampling events for all tasks of the N processes,
 * then closes the previous ones. Negative: not allowed or possible; the previous ones stay.
 */
int events_deepen(struct events *e, const pid_t *pids, size_t n, uint32_t stack_bytes);

/* Waits until a ring is a quarter full, or MS milliseconds. */
void events_wait(const struct events *e, int ms);

/* Reads the kernel's positions; then events_next() gives records with a time up to HORIZON. */
void events_refresh(struct events *e);
/* Calls SEE for each new sample in the rings, before its turn comes. */
void events_peek(struct events *e, void (*see)(void *context, const struct record *r),
		 void *context);
/* NULL: no more. Valid until the next call. */
const struct record *events_next(struct events *e, uint64_t horizon);
/* Returns the memory of the records read to the kernel. */
void events_release(struct events *e);

/* Stops all events; records in the rings stay. */
void events_stop(struct events *e);
void events_free(struct events *e);

#endif
