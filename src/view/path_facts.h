/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the facts from which a critical path is computed: lock waits and holders, times off the
 * CPU, waits for a device, and the ops of all devices. Facts of a thread are read when the path
 * first reaches it.
 */
#ifndef VIEW_PATH_FACTS_H
#define VIEW_PATH_FACTS_H

#include "base/map.h"
#include "base/vec.h"
#include "view/op_table.h"

/* The kind of a part of a path; path_kind_names has the names. */
enum path_kind {
	PATH_RUN,    /* a host thread runs, or nothing else is known of it */
	PATH_CPU,    /* ... waits for a CPU */
	PATH_LOCK,   /* ... waits for a lock that no other thread held then */
	PATH_SLEEP,  /* ... */
	PATH_POLL,   /* ... */
	PATH_IO,     /* ... reads or writes */
	PATH_CHILD,  /* ... waits for a process */
	PATH_WAIT,   /* ... waits for something that was not recorded */
	PATH_OP,     /* a device executes an op */
	PATH_GAP,    /* the device was between two ops that both had been dispatched */
	PATH_LAUNCH, /* from the end of an op's dispatch to its start */
	PATH_REST,   /* nothing is known: before a thread's first event, or not followed */
	PATH_KINDS
};
extern const char *const path_kind_names[PATH_KINDS];

struct path_span {
	uint64_t start, end;
	uint32_t thread, lock; /* tracks */
	uint8_t kind;          /* of a state: enum path_kind */
};

struct path_spans {
	VEC(struct path_span);
};

/* Spans of one thread, each list by start and without overlap. */
struct path_thread {
	uint32_t track;
	uint64_t begins, ends;      /* its first event, and the end of the last */
	struct path_spans waits;    /* for locks */
	struct path_spans states;   /* not on a CPU */
	struct path_spans devices;  /* in a zone that waits for a device or reads from it */
	struct path_spans launches; /* in a zone that dispatches ops */
};

struct path_op {
	uint64_t start, end;
	int64_t host_start; /* of its dispatch, ns of the timeline; INT64_MIN: unknown */
	uint64_t host_end;  /* ticks */
	uint32_t thread;    /* that dispatched it, if that is known without a search */
	uint32_t op;        /* in the report */
	int32_t device;
};

struct path_replay {
	uint64_t time, trace;
	uint32_t device, thread;
};

struct path_facts {
	struct view_call *c;
	uint64_t t0, t1;
	struct path_spans waits; /* for locks, by thread and start */
	struct path_spans holds; /* by lock and start */
	struct {
		VEC(struct path_thread *);
	} threads;
	struct map thread_of; /* by track */
	struct ops *o;        /* NULL: no ops */
	struct {
		VEC(struct path_replay);
	} replays;
	struct {
		VEC(struct path_op);
	} ops;            /* by device and start */
	uint32_t *by_end; /* indices of them */
	uint8_t *waiting; /* by source location: 1 its zones wait for a device, 2 they dispatch */
};

/* Zeroed by the caller, who closes it in any case. Ops are locked until then. */
int path_facts_open(struct path_facts *f, struct view_call *c, uint64_t t0, uint64_t t1);
void path_facts_close(struct path_facts *f);

/* The facts of a thread; they live as long as F. */
int path_thread_of(struct path_facts *f, uint32_t track, const struct path_thread **thread);
/* The last of the spans that starts before T, or NULL. */
const struct path_span *path_span_before(const struct path_spans *s, uint64_t t);
/* The hold of LOCK by another thread than THREAD that ended last before T, or lasts; NULL: none
 * after FLOOR. */
const struct path_span *path_holder(const struct path_facts *f, uint32_t lock, uint32_t thread,
				    uint64_t floor, uint64_t t);
/* The creator of a thread: the main thread of its process, or of the parent process. TRACE_NONE:
 * unknown. */
uint32_t path_starter(const struct path_facts *f, uint32_t track);
/* The main thread of the child process of TRACK's that ended at T, or last after FLOOR; or
 * TRACE_NONE. */
int path_child_ended(struct path_facts *f, uint32_t track, uint64_t floor, uint64_t t,
		     uint32_t *child);
/* The op that ended last in (FLOOR, T] and was dispatched in [SINCE, T], or NULL. */
const struct path_op *path_op_ended(const struct path_facts *f, uint64_t since, uint64_t floor,
				    uint64_t t);
/* The op before OP on its device: the last one that had ended when OP started. NULL: none. */
const struct path_op *path_op_previous(const struct path_facts *f, const struct path_op *op);
/* The thread that dispatched OP; *THREAD is tried first, and stays if it is unknown. */
int path_op_thread(const struct path_facts *f, const struct path_op *op, uint32_t *thread);

#endif
