/*
 * Inside libtacho. Rules of this folder:
 *  - libc only; no malloc, no thread, no socket, no signal handler, no output.
 *  - What must be different in a forked child (the process's state, every thread's state) lives in
 *    memory that the kernel wipes on fork, so a child starts afresh even after a bare clone().
 *  - The slow paths run with all signals blocked and under one lock: a handler may emit at any point.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "ring/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <tacho/detail.h>

struct thread {
	struct tacho_thread hot; /* first: tacho_self points to it */
	struct ring_page *page;
	struct ring_segment *segment; /* the one in use */
	struct ring_segment *oldest;  /* flight recorder: the next to be overwritten */
	uint64_t number;
	bool over_limit; /* may go beyond the memory limit: the process's own stream */
	/* Losses since the last RING_LOSS record, and how many events to drop before trying again. */
	uint32_t reason;
	uint32_t retry;
	uint64_t lost_zones, lost_ends, lost_others, lost_first;
	struct thread *next_free;
};

/* In wiped memory: all zero in a new child. */
struct process {
	_Atomic uint32_t lock; /* futex: 0 free, 1 held, 2 held and waited for */
	uint64_t key;          /* of the session that was joined */
	char *base;            /* the mapped ring file */
	uint32_t max_extents;
	uint32_t hint;         /* no free extent below this index, as far as known */
	uint64_t bytes, limit; /* memory behind extents */
	uint64_t next_thread;
	struct thread *free_threads;
	struct thread meta;    /* the process's own stream: thread number 0 */
	const void *announced; /* the last source location or name that was sent */
};

extern struct process *client_process;
extern struct ring_control *const client_control;

/* The lock, with all signals of the thread blocked in between. */
struct guard {
	uint64_t signals;
};
void client_lock(struct guard *guard);
void client_unlock(struct guard *guard);

/* Joins the session KEY: makes the ring file. Lock held. False: this process stays silent. */
bool process_join(uint64_t key);

/* Memory behind an extent of the wanted kind, or NULL. Lock held. */
struct ring_segment *process_segment(struct thread *t, uint64_t now);
struct ring_page *process_page(uint64_t number, uint64_t now);

/* The calling thread's state in the session KEY, or NULL. */
struct thread *thread_enter(uint64_t key, uint64_t now);
/* Starts T on a new thread page. Lock held. */
bool thread_start(struct thread *t, uint64_t key, uint64_t number, uint64_t now);
/* Gives T room for more words; false: at the limit. Takes the lock unless LOCKED. */
bool thread_switch(struct thread *t, uint64_t now, bool locked);
/* Counts an event that found no room. */
void thread_lose(struct thread *t, uint32_t bits, uint64_t now);

/*
 * Writes a record: WORDS of payload, then, if BYTES is not NULL, a string. 1 stored, 0 lost. Strings
 * of any length are split. The caller has the thread (thread_current).
 */
int record_emit(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		const char *bytes, size_t len);
int record_emit_locked(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		       const char *bytes, size_t len);

/* The thread to emit to when recording, else NULL. For all but zones. */
struct thread *thread_current(void);

/* Sends all source locations and names to the process's stream that were not sent yet. Lock held. */
void names_announce(void);

/* A number for a name; the same content gives the same number. 0 when there is no memory. */
uint64_t names_intern(const char *name);

/* Memory that is never freed. Lock held. NULL when there is none. */
void *client_memory(size_t bytes);

#endif
