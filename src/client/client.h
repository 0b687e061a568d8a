/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside libtacho. Rules of this folder:
 *  - libc only; no malloc, no thread, no socket, no signal handler, no output.
 *  - What must be different in a forked child (the process's state, every thread's state) lives in
 *    memory that the kernel wipes on fork, so a child starts afresh even after a bare clone().
 *  - The slow paths run with all signals blocked and under one lock: a handler may emit at any
 * point.
 *  - Under the lock only raw system calls: libc's open() and read() are cancellation points, and a
 *    thread cancelled under the lock would keep it forever. errno is preserved.
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
	struct ring_segment *segment; /* the current one */
	struct ring_segment *oldest;  /* flight recorder: the next to be overwritten */
	uint64_t number;
	bool over_limit;     /* may go beyond the memory limit: the process's own stream */
	uint8_t exits;       /* how often the thread's exit was seen: see thread_exit() */
	uint32_t retry;      /* at the limit: events to drop before the next try */
	uint32_t reason;     /* of losses: enum trace_loss */
	uint64_t lost_first; /* ticks of the first unreported loss; 0 = none */
	uint64_t reported_zones, reported_ends,
		reported_others;        /* of page->lost_*, by RING_LOSS records */
	uint64_t stack_low, stack_high; /* readable memory of its stack, as far as known */
	uint64_t sent[128];             /* stacks and libraries that were sent: see stack.c */
	struct thread *next_free;
} __attribute__((aligned(128)));

/* In wiped memory: all zero in a new child. */
struct process {
	_Atomic uint32_t lock;       /* futex: 0 free, 1 held, 2 held and waited for */
	uint64_t key;                /* of the session that was joined */
	_Atomic uint64_t failed_key; /* of the session that could not be joined; wiped on fork, so
					children retry */
	char *base;                  /* the mapped ring file */
	uint32_t max_extents;
	uint32_t hint;         /* no free extent below this index, as far as known */
	uint64_t bytes, limit; /* memory allocated to extents */
	uint64_t next_thread;
	_Atomic uint64_t incarnation; /* differs at every join, in every process */
	struct thread *free_threads;
	char *slab, *slab_end; /* thread states never used so far */
	struct thread meta;    /* the process's own stream: thread number 0 */
	const void *announced; /* the last source location or name that was sent */
	uint32_t failure;      /* enum ring_join_reason: why joining failed */
	int failure_error;     /* errno then */
	char name[48];         /* of the ring file in its folder; "": it is an area of the pool */
};

/*
 * A second record of the mapped ring file, in memory that is not wiped: a forked child inherits the
 * mapping and must be able to unmap it.
 */
struct mapping {
	char *base;
	uint64_t usable; /* accessible bytes: grows */
	uint64_t size;
};

/* This process's mapping of the session's pool; children inherit it like the mapping above. */
struct pool {
	uint64_t key; /* of the session */
	char *base;   /* NULL: not mapped */
	uint32_t areas;
	uint64_t limit;
	bool unusable[RING_POOL_AREAS]; /* was this process's or an ancestor's ring */
};

extern struct process *client_process;
extern struct mapping client_mapping;
extern struct ring_control *const client_control;
extern char client_session[RING_PATH]; /* directory from TACHO_SESSION; "": see the control page */

/*
 * For programs built with -fsanitize=thread: the sanitizer sees the accesses of libc's functions,
 * but not the atomics that order them. Without the sanitizer these functions do not exist.
 */
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

/* Everything before client_publish(ADDRESS) happens before everything after client_observe(). */
static inline void client_publish(void *address)
{
	if (__builtin_expect(__tsan_release != NULL, 0))
		__tsan_release(address);
}

static inline void client_observe(void *address)
{
	if (__builtin_expect(__tsan_acquire != NULL, 0))
		__tsan_acquire(address);
}

/* ---- sys.c: system calls ---- */

/*
 * Takes the lock and blocks all signals of the thread until it is released. False: a sealed process
 * can neither wait for it nor block signals, and did not get it at once.
 */
struct guard {
	uint64_t signals;
	int error;
	bool sealed;
};
bool client_lock(struct guard *guard);
void client_unlock(struct guard *guard);
/* The same with the caller's own word, in memory that is wiped on fork. Taken before that lock. */
bool sys_lock(_Atomic uint32_t *lock, struct guard *guard);
void sys_unlock(_Atomic uint32_t *lock, struct guard *guard);

long sys_futex(_Atomic uint32_t *word, int op, uint32_t value);
int sys_open(const char *path, int flags);
void sys_close(int fd);
/* Reads a whole small file; returns the bytes read, 0 on failure. */
size_t sys_read_file(const char *path, char *to, size_t size);
void sys_sleep_us(unsigned us);

/* Allocates memory that is never freed. Lock held. NULL if there is none. */
void *client_memory(size_t bytes);

/* Appends to a string of at most SIZE bytes with its NUL; truncates if it does not fit. */
void text_add(char *to, size_t size, const char *more);
void text_add_number(char *to, size_t size, uint64_t number);

/* ---- seal.c: no system calls ---- */

/* True if system calls are forbidden: check before each call outside of startup. */
bool client_is_sealed(void);
/* Sets the ring whose recorder may seal this process; NULL: none. Its header must be in memory. */
void seal_watch(const struct ring_header *ring);
/* 1 + the number of seccomp filters of this process; 0 if unknown. */
uint32_t seal_count_filters(void);

/* ---- process.c: the ring file ---- */

/* Joins the session KEY: creates the ring file. Lock held. False: the failure has been counted. */
bool process_join(uint64_t key);
/*
 * Opens the file NAME of the session, or creates it with O_CREAT. -1 if others can write to the
 * session's folder; the owner of a folder above can replace it, so that is checked each time. Lock
 * held.
 */
int process_file(const char *name, int flags);
void process_ring_doorbell(void);
/*
 * Maps SIZE bytes of a file at a multiple of the stride, only the first ACCESSIBLE accessible. NULL
 * and errno on failure.
 */
char *process_map_aligned(int fd, uint64_t size, uint64_t accessible);

/* ---- pool.c: memory shared by the processes of a session. Lock held ---- */

/* Maps the pool of the session KEY. False and errno on failure. */
bool pool_open(uint64_t key);
/* The purpose of memory. Part of it is reserved: events must not crowd out names and processes. */
enum pool_use {
	POOL_EVENTS,
	POOL_EXTRA, /* names, and the minimum of a flight recorder */
	POOL_PAGES, /* headers and thread pages: losses cannot be counted without them */
};

/* Takes BYTES of the session's memory. False and EDQUOT if there is not enough. */
bool pool_take(uint64_t bytes, enum pool_use use);
void pool_give(uint64_t bytes);
/* Claims a zeroed ring area, with its header and table accessible. NULL: none. */
char *pool_claim(void);
/* Frees an area at BASE that was claimed but not used. USABLE: accessible bytes. */
void pool_unclaim(char *base, uint64_t usable);
/* True if BASE is an area of the mapped pool. */
bool pool_has(const char *base);

/* ---- extent.c: memory in the ring file. Lock held. NULL: none ---- */

bool extent_populate(void *at, size_t bytes);
struct ring_segment *extent_segment(const struct thread *t, bool over_limit, uint64_t sequence,
				    uint64_t now);
struct ring_page *extent_page(uint64_t number, uint64_t now);
/* Prepares up to COUNT free extents of the kind WANTED. */
void extent_reserve(uint32_t wanted, unsigned count);

/* ---- thread.c ---- */

void thread_make_key(void);
/* Prepares memory for the states of further threads. Lock held. */
void thread_reserve(void);
void thread_delete_key(void);
/* The calling thread's state in the session KEY, or NULL. */
struct thread *thread_enter(uint64_t key, uint64_t now);
/* The thread to emit to while recording, else NULL. For everything but zones. */
struct thread *thread_current(void);
/* Starts T on a new thread page. Lock held. */
bool thread_start(struct thread *t, uint64_t key, uint64_t number, uint64_t now);
/* Gives T room for more words; false: at the limit. Takes the lock unless LOCKED. */
bool thread_switch(struct thread *t, uint64_t now, bool locked);
/* Counts an event that found no room. */
void thread_lose(struct thread *t, uint32_t bits, uint64_t now);

/* ---- record.c ---- */

/*
 * Writes a record: COUNT words of payload, then, if BYTES is not NULL, a string. Returns 1 if
 * stored, 0 if lost or cut.
 * Strings of any length are split.
 */
int record_emit(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		const char *bytes, size_t len);
int record_emit_locked(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		       const char *bytes, size_t len);

/*
 * The same with a string of LEN bytes that MAKE writes piece by piece, in order. Needs 3 KiB of
 * stack. A string that finds no room is lost as a whole.
 */
int record_emit_made(struct thread *t, unsigned type, const uint64_t *words, unsigned count,
		     void (*make)(void *context, char *to, size_t len), void *context, size_t len);

/* ---- stack.c ---- */

/*
 * The id of the calling thread's stack from the call that returns to CALLER outwards, at most DEPTH
 * frames, after sending what the recorder needs to know of it. 0: none. Needs 8 KiB of stack.
 */
uint64_t stack_capture(struct thread *t, unsigned depth, const void *caller);
/* The functions of tacho.h for another caller than their own. */
void zone_stack(struct tacho_zone zone, unsigned depth, const void *caller);
void memory_stack(unsigned type, const char *pool, const void *address, size_t size, unsigned depth,
		  const void *caller);
void message_stack(const char *text, size_t len, uint64_t word, unsigned depth, const void *caller);

/* ---- names.c ---- */

/* Sends unsent source locations and names to stream 0. Lock held. */
void names_announce(void);
/* The number of a name; the same content gives the same number. 0 if there is no room for it. */
uint32_t names_intern(const char *name);
/* The library's own copy of a name, valid forever; NULL if there is no room for it. */
const char *names_keep(const char *name, size_t len);
/* Numbers a source location that is not static data; 0 if there is no room for it. */
uint32_t names_srcloc_runtime(const char *name, size_t len, const char *function, const char *file,
			      uint32_t line, uint32_t color);
/* The same for strings that do not end in NUL. */
uint32_t names_srcloc(const char *const text[3], const size_t len[3], uint32_t line,
		      uint32_t color);

#endif
