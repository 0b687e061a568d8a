/*
 * Inside libtacho. Rules of this folder:
 *  - libc only; no malloc, no thread, no socket, no signal handler, no output.
 *  - What must be different in a forked child (the process's state, every thread's state) lives in
 *    memory that the kernel wipes on fork, so a child starts afresh even after a bare clone().
 *  - The slow paths run with all signals blocked and under one lock: a handler may emit at any
 * point.
 *  - Under the lock only raw system calls: libc's open() and read() are cancellation points, and a
 *    thread cancelled under the lock would keep it for ever. errno is as before at the end.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "ring/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <tacho/detail.h>

/* Aligned so that two threads never write to one cache line, nor to its prefetched neighbour. */
struct thread {
	struct tacho_thread hot; /* first: tacho_self points to it */
	struct ring_page *page;
	struct ring_segment *segment; /* the one in use */
	struct ring_segment *oldest;  /* flight recorder: the next to be overwritten */
	uint64_t number;
	bool over_limit;     /* may go beyond the memory limit: the process's own stream */
	uint8_t exits;       /* how often the thread's exit was seen: see thread_exit() */
	uint32_t retry;      /* at the limit: events to drop before the next try */
	uint32_t reason;     /* of losses: enum trace_loss */
	uint64_t lost_first; /* ticks of the first loss that is not told yet; 0 = none */
	uint64_t told_zones, told_ends, told_others; /* of page->lost_*, by RING_LOSS records */
	struct thread *next_free;
} __attribute__((aligned(128)));

/* In wiped memory: all zero in a new child. */
struct process {
	_Atomic uint32_t lock; /* futex: 0 free, 1 held, 2 held and waited for */
	uint64_t key;          /* of the session that was joined */
	char *base;            /* the mapped ring file */
	uint32_t max_extents;
	uint32_t hint;         /* no free extent below this index, as far as known */
	uint64_t bytes, limit; /* memory behind extents */
	uint64_t next_thread;
	_Atomic uint64_t incarnation; /* differs at every join, in every process */
	struct thread *free_threads;
	char *slab, *slab_end; /* thread states never used so far */
	struct thread meta;    /* the process's own stream: thread number 0 */
	const void *announced; /* the last source location or name that was sent */
	char name[48];         /* of the ring file in its folder */
};

/*
 * The mapped ring file, once more, in memory that is not wiped: a forked child inherits the mapping
 * and must know of it to let it go.
 */
struct mapping {
	char *base;
	uint64_t usable; /* bytes that may be touched: grows */
	uint64_t size;
};

extern struct process *client_process;
extern struct mapping client_mapping;
extern struct ring_control *const client_control;
extern char client_session[RING_PATH]; /* directory from TACHO_SESSION; "": control page says it */

/* ---- sys.c: what is asked of the kernel ---- */

/* The lock, with all signals of the thread blocked in between. */
struct guard {
	uint64_t signals;
	int error;
};
void client_lock(struct guard *guard);
void client_unlock(struct guard *guard);
/* The same with a word of the caller's, in memory that is wiped on fork. Taken before that lock. */
void sys_lock(_Atomic uint32_t *lock, struct guard *guard);
void sys_unlock(_Atomic uint32_t *lock, struct guard *guard);

long sys_futex(_Atomic uint32_t *word, int op, uint32_t value);
int sys_open(const char *path, int flags);
void sys_close(int fd);
/* Reads a whole small file; bytes read, 0 when it cannot be. */
size_t sys_read_file(const char *path, char *to, size_t size);
void sys_sleep_us(unsigned us);

/* Memory that is never freed. Lock held. NULL when there is none. */
void *client_memory(size_t bytes);

/* Appends to a string of at most SIZE bytes with its NUL; cut when it does not fit. */
void text_add(char *to, size_t size, const char *more);
void text_add_number(char *to, size_t size, uint64_t number);

/* ---- process.c: the ring file ---- */

/* Joins the session KEY: makes the ring file. Lock held. False: this process stays silent. */
bool process_join(uint64_t key);
/*
 * Opens the ring file by its name, or with O_CREAT makes it. -1: the session's folder is not ours
 * alone; whoever has a folder above it can replace it, so that is checked each time. Lock held.
 */
int process_file(int flags);
/* Puts anonymous memory where the control page is: nothing is recorded from here on. */
void process_silence(void);
void process_ring_doorbell(void);

/* ---- extent.c: memory in the ring file. Lock held. NULL: none ---- */

bool extent_populate(void *at, size_t bytes);
struct ring_segment *extent_segment(const struct thread *t, bool over_limit, uint64_t sequence,
				    uint64_t now);
struct ring_page *extent_page(uint64_t number, uint64_t now);

/* ---- thread.c ---- */

void thread_make_key(void);
void thread_delete_key(void);
/* The calling thread's state in the session KEY, or NULL. */
struct thread *thread_enter(uint64_t key, uint64_t now);
/* The thread to emit to when recording, else NULL. For all but zones. */
struct thread *thread_current(void);
/* Starts T on a new thread page. Lock held. */
bool thread_start(struct thread *t, uint64_t key, uint64_t number, uint64_t now);
/* Gives T room for more words; false: at the limit. Takes the lock unless LOCKED. */
bool thread_switch(struct thread *t, uint64_t now, bool locked);
/* Counts an event that found no room. */
void thread_lose(struct thread *t, uint32_t bits, uint64_t now);

/* ---- record.c ---- */

/*
 * Writes a record: COUNT words of payload, then, if BYTES is not NULL, a string. 1 stored, 0 lost
 * or cut.
 * Strings of any length are split.
 */
int record_emit(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		const char *bytes, size_t len);
int record_emit_locked(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		       const char *bytes, size_t len);

/* ---- names.c ---- */

/* Sends the source locations and names that were not sent yet to stream 0. Lock held. */
void names_announce(void);
/* A number for a name; the same content gives the same number. 0 when there is no room for it. */
uint32_t names_intern(const char *name);
/* The library's own copy of a name, which lives for ever; NULL when there is no room for it. */
const char *names_keep(const char *name, size_t len);
/* Numbers a source location that is not static data; 0 when there is no room for it. */
uint32_t names_srcloc(const char *const text[3], const size_t len[3], uint32_t line,
		      uint32_t color);

#endif
