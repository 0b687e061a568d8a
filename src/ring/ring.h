/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's side of the rings: sessions, and reading what programs write. docs/ring.md is the
 * protocol, layout.h the memory. A program is not trusted: whatever its ring holds, reading it
 * ends, stays within its file and yields events whose payload has been copied and bounded.
 *
 * Used by one thread. Only the ring and client folders touch memory that others write.
 */
#ifndef RING_RING_H
#define RING_RING_H

#include "base/err.h"
#include "base/own.h"
#include "ring/guard.h"
#include "ring/layout.h"
#include "ring/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- session */

#define RING_MAX_ATTACHED 64

/* A mapped control page. Programs can truncate its file: then it is all zeros. */
struct ring_control_page {
	struct ring_control *control; /* NULL: not mapped */
	struct guard_range guard;
	volatile bool gone;
	uint32_t pid; /* of the program that owns the page */
};

/* Memory that the processes of a session share: see struct ring_pool. */
struct ring_pool_file {
	int fd;
	struct ring_pool *head;
	struct guard_range guard;
	volatile bool gone;
	uint64_t limit;       /* our copy: programs can write to the one in the head */
	uint64_t claims_seen; /* head->claims at the last check of its areas */
};

/* Do not move it until it is closed. */
struct ring_session {
	char dir[RING_PATH - 64]; /* absolute; for programs and for messages */
	struct own_folder folder; /* the same, open: all access to its files goes through it */
	char note[2 * RING_PATH]; /* from ring_session_create(): why it is not at the usual place */
	struct ring_control *control; /* of page */
	struct ring_control_page page;
	int lock; /* the control file: locked while this recorder lives */
	struct ring_pool_file pool;
	uint64_t key;
	struct ring_control_page attached[RING_MAX_ATTACHED]; /* attached programs */
	unsigned attached_count;
};

struct ring_session_options {
	uint32_t limit_mb;   /* of a process; 0 = 512 */
	uint32_t session_mb; /* of all; 0 = a quarter of what is free there, at least 512 */
	uint32_t policy;     /* enum ring_policy */
	uint32_t block_ms;   /* RING_BLOCK: longest wait for room */
	uint32_t ring_kb;    /* memory that an idle process keeps; 0 = 4096 */
};

/* An open folder of this user's sessions and attach pages: see place.h. */
struct ring_place {
	char path[RING_PLACE_PATH];
	int fd;
};

/* Opens the existing ones; returns their number. */
unsigned ring_places_open(struct ring_place places[RING_PLACES]);
void ring_places_close(struct ring_place *places, unsigned count);
/* Opens the one for a new session. NOTE: the problem with the usual one, or "". */
int ring_place_for_session(struct ring_place *place, char *note, size_t size,
			   struct tacho_error *err);

/* The name of the session that programs started with TACHO_CAPTURE=1 look for, in any place. */
#define RING_CAPTURE "capture"

/* Makes S a closed session, which ring_session_close() accepts. */
void ring_session_init(struct ring_session *s);
/*
 * Creates a session directory (in a place of this user if DIR is NULL); recording is off. Refuses a
 * directory of another user, or one that others can write to.
 */
int ring_session_create(struct ring_session *s, const char *dir,
			const struct ring_session_options *options, struct tacho_error *err);

/*
 * Takes over a session whose recorder died: continues reading its rings; attached programs stay
 * attached. With KEEP the session is only read, not changed. TACHO_ECONNECT if its recorder is
 * alive.
 */
int ring_session_adopt(struct ring_session *s, const char *dir, bool keep, struct tacho_error *err);

/* The pid of a session's recorder; 0 if there is none. */
uint32_t ring_session_recorder(const char *dir);
/*
 * For followers, which look up the trace. A recorder that takes over asks its user before it writes
 * there.
 */
int ring_session_set_output(struct ring_session *s, const char *path, struct tacho_error *err);

/* Producers record from now on. */
void ring_session_start(struct ring_session *s);
void ring_session_stop(struct ring_session *s); /* producers see it at their next event */

/* Waits up to MS milliseconds, less if a program needs attention. */
void ring_session_wait(struct ring_session *s, unsigned ms);

/* Removes only the session's files (control and p.PID.N) and the directory. */
void ring_session_remove(struct ring_session *s);
/* Lets other recorders take over the session while this one still has it open. */
void ring_session_unlock(struct ring_session *s);
/* True if NAME is that of a ring file: p.PID.N. */
bool ring_is_name(const char *name);
void ring_session_close(struct ring_session *s); /* unmaps only */

/* Asks a running program that has libtacho to join the session. */
int ring_session_attach(struct ring_session *s, uint32_t pid, struct tacho_error *err);
/* Number of attached programs that are still alive. */
unsigned ring_session_attached_alive(const struct ring_session *s);

/* A process that could not join, by its own report. */
struct ring_failed_join {
	uint32_t slot;               /* of its page, from 0 */
	uint32_t pid, reason, error; /* enum ring_join_reason, errno */
	char name[16];
};

/*
 * Number of processes that could not join so far; details of at most MAX of them in LIST and
 * *COUNT.
 */
uint64_t ring_session_failed_joins(const struct ring_session *s, struct ring_failed_join *list,
				   size_t max, size_t *count);
/* They are in the file: frees their slots. */
void ring_session_free_joins(struct ring_session *s, const struct ring_failed_join *list,
			     size_t count);

/* ---------------------------------------------------------------- the pool */

/* Creates the session's pool; all processes together may use LIMIT_MB. */
int ring_pool_create(struct ring_session *s, uint32_t limit_mb, struct tacho_error *err);
int ring_pool_adopt(struct ring_session *s, bool keep, struct tacho_error *err);
void ring_pool_close(struct ring_session *s);

/* Bytes of ring memory that the processes have taken, by their own account. */
uint64_t ring_pool_used(const struct ring_session *s);
/* Ring memory was returned to the system: BYTES. */
void ring_pool_give(struct ring_session *s, uint64_t bytes);
/*
 * Corrects the account. USED is its value before the rings were searched, HELD the memory that they
 * hold according to the kernel, SLACK what may be taken but not yet held.
 */
void ring_pool_settle(struct ring_session *s, uint64_t used, uint64_t held, uint64_t slack);
/* Bytes of memory of all areas. */
uint64_t ring_pool_bytes(const struct ring_session *s);

/*
 * Iterates over claimed areas: sets NAME to the next one from *AREA on and advances *AREA. A name
 * identifies one claim and is never reused. ring_pool_changed(): there are new claims.
 */
bool ring_pool_changed(struct ring_session *s);
bool ring_pool_next(const struct ring_session *s, uint32_t *area, char *name, size_t size);
/* The process has ended and all its events were read. */
void ring_pool_free_area(struct ring_session *s, const char *name);
bool ring_is_area_name(const char *name);

/* ---------------------------------------------------------------- following */

/* A session as seen from outside. */
struct ring_session_info {
	char dir[RING_PATH];
	char output[RING_PATH]; /* the trace; PATH.part while it is being written */
	uint32_t recorder;      /* pid; 0: it was killed, and the session can be recovered */
	uint64_t made;          /* seconds since 1970 */
};

/* The sessions of this user in all places, newest first. The caller frees the list. */
int ring_sessions(struct ring_session_info **list, size_t *count);

/*
 * Finds the session named by TEXT: its directory or the last part of it, the pid of its recorder,
 * its trace (PATH or PATH.part), or, if TEXT is NULL or "", the only one being recorded.
 * TACHO_ECONNECT and one line if there is none, or several.
 */
int ring_session_find(const char *text, struct ring_session_info *info, struct tacho_error *err);

/*
 * A follower reads the trace of a session while it is being recorded. After ring_follow_touch() the
 * recorder writes its data every RING_FOLLOW_MS instead of every second, for RING_FOLLOWED_MS after
 * the last touch: a follower that dies need not sign off.
 */
#define RING_FOLLOW_MS   100
#define RING_FOLLOWED_MS 2000

struct ring_follow {
	struct ring_control *control; /* mapped; outlives the session */
	int lock;                     /* the control file, which a living recorder holds locked */
	uint32_t seen;                /* last seen control->written */
};

/*
 * Sets a parameter of a process of the session. The process takes it when it asks; a value that it
 * has not taken yet is replaced. False: too many values wait.
 */
bool ring_follow_set_parameter(struct ring_follow *f, uint32_t pid, uint32_t number, int32_t value);
int ring_follow_open(struct ring_follow *f, const char *dir, struct tacho_error *err);
void ring_follow_touch(struct ring_follow *f);
/*
 * Whether the recorder is alive. False is final: it has finished, or was killed and may be taken
 * over.
 */
bool ring_follow_recorded(const struct ring_follow *f);
/* Returns once the recorder has written something new since the last wait, or after MS. */
void ring_follow_wait(struct ring_follow *f, unsigned ms);
void ring_follow_close(struct ring_follow *f);

/* The recorder's side: whether there is a follower, and a signal that there is new data. */
bool ring_session_followed(const struct ring_session *s);
void ring_session_written(struct ring_session *s);

/* ----------------------------------------------------------------- events */

/* A zone's begin or end, or a record; type is RING_T_BEGIN, RING_T_END or an enum ring_type. */
#define RING_T_BEGIN 0xf0u
#define RING_T_END   0xf1u
#define RING_T_TORN  0xf2u /* a claimed event that was never written */
#define RING_T_BAD   0xf3u /* the rest of this stream is corrupt; nothing follows */

struct ring_event {
	uint64_t time;
	uint32_t id; /* zones: number of the source location */
	uint16_t type;
	uint16_t count; /* words of payload before the string */
	const uint64_t *words;
	const char *text; /* the string, all parts joined; NULL if the record has none */
	uint32_t len;
	bool truncated;
};

/* A position in a stream, for checkpoints. */
struct ring_position {
	uint32_t extent;
	uint32_t offset; /* bytes from the start of the stride */
	uint64_t sequence;
	uint64_t time;
	uint64_t skip; /* events after it that were already returned */
};

struct ring_reader;
struct ring_stream;

/*
 * Opens one process's ring file in an open session folder. It must be this user's, and of the
 * session KEY (0: any), else TACHO_ENO. TACHO_EFORMAT, TACHO_ENOMEM: try again later.
 */
int ring_open(struct ring_reader **r, int folder, const char *name, uint64_t key,
	      struct tacho_error *err);
/* The same for an area of the pool. TACHO_ENO if it no longer belongs to that process. */
int ring_open_area(struct ring_reader **r, const struct ring_session *s, const char *name,
		   struct tacho_error *err);
bool ring_is_area(const struct ring_reader *r);
void ring_close(struct ring_reader *r);

const struct ring_header *ring_header(const struct ring_reader *r); /* a copy made by ring_open() */
const char *ring_name(const struct ring_reader *r);
uint64_t ring_threads_lost(const struct ring_reader *r);

/* False if the process that made the ring has ended, as far as can be known. */
bool ring_is_alive(struct ring_reader *r);
/* Asks a process that installed a seccomp filter after it joined to make no system calls. */
void ring_seal(struct ring_reader *r);
/* The process has executed another program: its stream ends here. */
void ring_set_replaced(struct ring_reader *r);
/* From now on, skip unwritten claims at once. */
void ring_set_dead(struct ring_reader *r);

/* Finds new streams; *COUNT is the number of open streams. Stream 0 is the process's own. */
int ring_streams(struct ring_reader *r, struct ring_stream ***streams, size_t *count);

struct ring_stream_info {
	uint64_t number; /* 0: the process's own */
	uint32_t tid;
	char name[16];
	uint64_t ticks; /* when it joined */
};
void ring_stream_info(const struct ring_stream *s, struct ring_stream_info *info);
void *ring_stream_user(const struct ring_stream *s);
void ring_stream_set_user(struct ring_stream *s, void *user);

/*
 * Reads up to MAX events. Words and texts are valid until the next call for the same stream.
 * Returns 0 if there are none now.
 */
size_t ring_read(struct ring_stream *s, struct ring_event *events, size_t max);

/*
 * The fast path of ring_read(), for zones only: up to MAX words at the stream's position, in the
 * program's memory. Take zone words one by one up to the first that is something else, or
 * unwritten. Load each once with ring_zone_word(), since its owner may change it; then pass the
 * number taken to ring_zones_taken().
 */
const uint64_t *ring_zones(struct ring_stream *s, size_t max, size_t *count, uint64_t *time);
void ring_zones_taken(struct ring_stream *s, size_t count, uint64_t time);

static inline uint64_t ring_zone_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline bool ring_is_zone(uint64_t word)
{
	return RING_KIND(word) == RING_BEGIN || RING_KIND(word) == RING_END;
}

/* The full time of a word: of all times with these low bits the one nearest to LAST. */
static inline uint64_t ring_full_time(uint64_t last, uint64_t word)
{
	int64_t step = (int64_t)(((word >> RING_TICK_SHIFT) - last) << (64 - RING_TICK_BITS));

	return last + (uint64_t)(step >> (64 - RING_TICK_BITS));
}

/* From one word's time to that of a later one, which is less than 2^38 ticks away. */
static inline uint64_t ring_ticks_between(uint64_t word, uint64_t later)
{
	return ((later | RING_WHAT) - (word | RING_WHAT)) >> RING_TICK_SHIFT;
}

/* True if the thread has ended and all its events were read. */
bool ring_stream_finished(const struct ring_stream *s);

/*
 * True if it is finished and its memory is never reused, so that another recorder would read it
 * twice.
 */
bool ring_stream_retired(const struct ring_stream *s);
/* Skips the whole stream: an earlier recorder has read it. */
void ring_stream_skip(struct ring_stream *s);

struct ring_losses {
	uint64_t zones, ends, others;
};
void ring_stream_losses(const struct ring_stream *s, struct ring_losses *losses);
/* Losses of threads without a stream. */
void ring_losses(const struct ring_reader *r, struct ring_losses *losses);

/* Where reading continues, for ring_stream_seek() of a later recorder. */
void ring_stream_position(const struct ring_stream *s, struct ring_position *position);
/* Continues at a position of an earlier recorder; false if the ring no longer has it. */
bool ring_stream_seek(struct ring_stream *s, const struct ring_position *position);

/* Returns free memory beyond KEEP bytes to the system; returns how much. */
uint64_t ring_trim(struct ring_reader *r, uint64_t keep);
/* Bytes of memory that the ring file occupies; an upper bound for a pool area. */
uint64_t ring_bytes(const struct ring_reader *r);
/* Bytes of ring memory read but not yet returned. */
uint64_t ring_unreleased(const struct ring_reader *r);
/*
 * Returns all memory that was read; call after a checkpoint. Frees finished streams: pointers to
 * them become invalid.
 */
void ring_release(struct ring_reader *r);

#endif
