/* SPDX-License-Identifier: Apache-2.0 */
/* Inside src/capture. */
#ifndef CAPTURE_PRIVATE_H
#define CAPTURE_PRIVATE_H

#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/owned.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "trace/nesting.h"
#include "tracy/tracy.h"

/* No program can have emitted more: counters above this were overwritten. */
#define LOSS_MAX (1ull << 48)

/* An attachment of an open zone. */
struct attachments {
	VEC(struct trace_extra);
};

struct stack_zone {
	uint64_t start;
	uint64_t children;            /* time in zones directly inside */
	uint32_t id;                  /* the program's number of the source location */
	uint32_t srcloc;              /* the trace's */
	struct attachments *attached; /* NULL: nothing */
};

/* The open zones of a thread or a fiber, and their lanes. */
struct stack {
	uint32_t track;
	uint32_t too_deep; /* zones open beyond LIMIT_ZONE_DEPTH: counted as lost */
	uint64_t last;     /* latest time seen */
	struct trace_nesting nesting;
	struct {
		VEC(struct stack_zone);
	} zones;
	struct {
		VEC(struct trace_lane *);
	} lanes;
	struct trace_ledger ledger; /* since the last checkpoint */
};

/* Zones that do not belong to a thread but to a fiber or a device's core. */
struct fiber {
	uint64_t name; /* the name's number; FIBER_CORE | the core's id */
	struct stack stack;
	uint64_t marker_time; /* of the last marker's row; not resumed: the next row has its own */
};

#define FIBER_CORE (1ull << 63)

struct thread {
	struct stack stack;
	struct fiber *fiber;         /* the one running on it, or NULL */
	struct ring_losses reported; /* losses reported by RING_LOSS records */
	uint64_t late, late_step;    /* events whose time ran backwards since the last report */
	uint64_t number;
	uint32_t tid;
	uint32_t process; /* index in capture.processes */
	bool finished;
};

struct frame_set {
	uint32_t track;
	uint64_t open; /* start of the frame that is open, 0 = none */
};

/* A track of the trace that does not belong to a thread. */
struct made {
	uint32_t track;
	struct trace_track info; /* .name is owned */
};

struct process {
	struct ring_reader *ring;
	uint32_t id;    /* in the trace */
	uint32_t index; /* in capture.processes */
	struct trace_process info;
	char *name, *command;
	uint32_t messages; /* track, TRACE_NONE until the first message */
	struct {
		VEC(uint32_t);
	} srclocs; /* by the program's number; TRACE_NONE = unknown */
	struct {
		VEC(char *);
	} names; /* by number; NULL = unknown */
	struct {
		VEC(struct made);
	} made;
	struct map tracks;     /* kind << 56 ^ number to index in made */
	struct map frame_sets; /* track to index */
	struct {
		VEC(struct frame_set);
	} frames;
	struct {
		VEC(struct fiber *);
	} fibers;
	struct map fiber_tracks; /* track to index in fibers */
	struct map pools;        /* track of a named memory pool to index in owned */
	struct {
		VEC(struct owned);
	} owned;
	struct map stack_modules; /* libraries in its stacks, by id, to the trace's numbers */
	struct map stack_numbers; /* the same of stacks */
	struct {
		VEC(uint64_t);
	} retired;          /* threads whose memory cannot be reused: do not read them twice */
	uint64_t read;      /* events in the last second: an idle process needs no spare memory */
	uint64_t last_left; /* dead or stopped: upper bound of events left in its memory */
	bool last;          /* last_left is valid */
	bool dead;          /* and has been read once since */
	bool ended;         /* dead and read to the end; some of its rows may still be held */
	bool finished; /* all its events are in the trace; the next checkpoint closes the ring */
};

/*
 * Rows and the zones of fibers come from several rings. They are held until all rings have been
 * read past their time, sorted, and only then added to the trace.
 */
enum held_kind { HELD_ROW, HELD_FRAME_START, HELD_FRAME_STOP, HELD_BEGIN, HELD_END, HELD_ATTACH };

/* .b of a held TRACE_ROW_FREE: it frees all of the pool, and becomes a row for each allocation. */
#define HELD_WHOLE_POOL 1

struct held {
	uint64_t time;
	uint64_t order;   /* of arrival: keeps events of one thread in order when times are equal */
	uint32_t process; /* index in capture.processes */
	uint32_t track;
	uint32_t kind; /* enum held_kind */
	uint32_t row_kind;
	uint32_t thread;
	uint32_t len;
	uint64_t a, b, c;
	size_t text; /* offset in capture.texts */
};

/* Processes that could not be recorded. */
struct absent {
	struct {
		VEC(struct trace_absent); /* .name is owned */
	} list;                           /* by id in the trace */
	uint32_t others;                  /* id of the entry for unknown processes, or TRACE_NONE */
	uint64_t joins;                   /* entries of list that came from the session's table */
	uint64_t joins_seen;              /* last value of the session's counter */
	struct ring_failed_join *slots;   /* of the table, not yet in the file */
	size_t slot_count;
};

struct capture {
	struct ring_session session;
	struct trace_writer *writer;
	char *output;
	struct {
		VEC(struct process *);
	} processes;
	struct {
		VEC(struct process *);
	} live;              /* processes with a ring, so that ended ones cost nothing */
	size_t finished;     /* live processes whose ring the next checkpoint closes */
	uint64_t unreleased; /* bytes of ring memory that the next checkpoint releases */
	struct {
		VEC(struct held);
	} held;
	struct buf texts;
	uint64_t order;
	struct {
		VEC(struct trace_ledger);
	} ledgers; /* of rows, by track, since the last checkpoint */
	struct capture_summary sum;
	struct absent absent;
	uint64_t last_settle;      /* nanoseconds: see bound.c */
	uint64_t checkpoint_bytes; /* ring memory read before a checkpoint is due */
	uint64_t last_checkpoint;  /* nanoseconds */
	uint64_t last_clock;
	unsigned clock_points; /* taken by this recorder */
	bool followed;         /* a follower reads the trace while it grows */
	struct {
		VEC(struct trace_open_zone);
	} open_zones;
	uint64_t since_checkpoint; /* events */
	uint64_t horizon;          /* all rings have been read up to this time */
	uint64_t flushed;          /* held rows older than this are in the trace */
	uint64_t slice;            /* maximum ticks per round; 0 = no limit */
	uint64_t until;            /* this round reads no thread beyond this time */
	bool sliced;               /* more is left for the next round */
	uint64_t now;              /* no event is newer */
	uint64_t last_trim;        /* nanoseconds */
	uint64_t last_seal;
	unsigned wait_ms;
	int watch; /* inotify on the session directory */
	bool scan; /* scan the directory again */
	struct {
		VEC(char *);
	} not_ready;    /* ring files that were incomplete, or lacked descriptors or memory */
	size_t no_room; /* of those, at the last scan */
	bool keep;      /* the session is only read */
	uint64_t saved; /* zones at the last checkpoint */
	struct tracy_hub *hub;     /* NULL: Tracy clients are not recorded */
	struct sampling *sampling; /* NULL: no sampling */
	struct stacks *stacks;     /* NULL: none so far */
	int error;                 /* sticky */
};

/* ---- tracks.c: map the program's numbers to tracks, names and source locations */
uint32_t process_srcloc(struct capture *c, struct process *p, uint32_t id);
const char *process_name(const struct process *p, uint64_t id);
/* The track of (KIND, NUMBER); created with NAME on first use. NULL: error, stored in c->error. */
struct made *process_track(struct capture *c, struct process *p, uint32_t kind, uint64_t number,
			   const char *name);
/* Adds a track that an earlier recorder created to the table. */
struct made *process_restore_track(struct process *p, uint32_t track,
				   const struct trace_track *info);
/* Writes changes of M->info to the trace; NAME, if not NULL, becomes its name. */
void process_update_track(struct capture *c, struct made *m, const char *name);
uint32_t process_messages(struct capture *c, struct process *p);
int process_add_srcloc(struct capture *c, struct process *p, const struct ring_event *e);
int process_add_name(struct process *p, const struct ring_event *e);
struct fiber *process_fiber(struct capture *c, struct process *p, uint64_t name);
/* The fiber of a track, and its index in p->fibers if INDEX is not NULL. NULL: none. */
struct fiber *process_fiber_of_track(const struct process *p, uint32_t track, uint32_t *index);
struct frame_set *process_frames(struct capture *c, struct process *p, uint32_t track);
/*
 * The addresses in use of a named memory pool, as far as this recorder has seen them: one that
 * takes over from a killed recorder does not know the earlier ones. NULL: not one, or no memory.
 */
struct owned *process_owned(const struct process *p, uint32_t track);
void process_own(struct capture *c, struct process *p, uint32_t track);

void capture_error(struct capture *c, int64_t code);

/* ---- capture.c: the parts of capture_open() and capture_finish(), for fuzz targets */
/* A recorder without session and writer. NULL: no memory. */
struct capture *capture_new(void);
/* Closes the session, not the writer. */
void capture_free(struct capture *c);
int capture_checkpoint(struct capture *c);
/* Reads all rings to their ends. */
void capture_drain(struct capture *c);

/* ---- zones.c: match begins and ends into zones */
/* Fast paths for ordinary zones: there are millions of them. */
/*
 * Makes room for one more open zone; if there is none, counts the zone as lost and returns false.
 */
bool stack_room(struct capture *c, struct stack *s);
void stack_end_rare(struct capture *c, struct stack *s, uint64_t time, uint32_t id);

static inline void stack_begin(struct capture *c, struct stack *s, uint64_t time, uint32_t id,
			       uint32_t srcloc)
{
	struct stack_zone *z;

	s->ledger.zones_emitted++;
	s->last = time;
	if ((s->zones.n >= s->zones.cap || s->zones.n >= LIMIT_ZONE_DEPTH) && !stack_room(c, s))
		return;
	/*
	 * Field by field: a struct that is built elsewhere and copied is read back in larger pieces
	 * than it was written in, so the load waits for the stores: half of the time of this loop.
	 */
	z = &s->zones.v[s->zones.n++];
	z->start = time;
	z->children = 0;
	z->id = id;
	z->srcloc = srcloc;
	z->attached = NULL;
	trace_nesting_begin(&s->nesting, srcloc);
}

/* True if a zone of SRCLOC would be nested in another one of SRCLOC. */
static inline bool stack_has(const struct stack *s, uint32_t srcloc)
{
	return trace_nesting_has(&s->nesting, srcloc, &s->zones.v->srcloc, s->zones.n,
				 sizeof(*s->zones.v));
}

static inline void stack_end(struct capture *c, struct stack *s, uint64_t time, uint32_t id)
{
	size_t n = s->zones.n;
	struct stack_zone *z = n ? &s->zones.v[n - 1] : NULL;
	int r;

	s->last = time;
	if (s->too_deep || !z || z->id != id || z->attached || s->lanes.n < n) {
		stack_end_rare(c, s, time, id);
		return;
	}
	s->zones.n = n - 1;
	trace_nesting_end(&s->nesting, z->srcloc);
	if (n > 1)
		z[-1].children += time - z->start;
	if (stack_has(s, z->srcloc))
		r = trace_lane_add_full(c->writer, s->lanes.v[n - 1], z->start, time, z->srcloc,
					z->children, TRACE_ZONE_RECURSIVE, NULL, 0);
	else
		r = trace_lane_add(c->writer, s->lanes.v[n - 1], z->start, time, z->srcloc,
				   z->children);
	if (r < 0)
		capture_error(c, TACHO_EWRITE);
}

/* Attaches to the innermost open zone of the source location ID (0 = the innermost). */
void stack_attach(struct capture *c, struct stack *s, uint32_t id, uint32_t kind, uint64_t value,
		  const char *text, size_t len);
/* Ends all open zones as unfinished. */
void zones_stack_finish(struct capture *c, struct stack *s);
void zones_stack_free(struct stack *s);

/* ---- held.c */
/* So much is held that only threads that the held rows wait for may be read. */
bool hold_is_full(const struct capture *c);
/* So little is held that a checkpoint may carry it. */
bool hold_is_small(const struct capture *c);
void held_add(struct capture *c, const struct held *h, const char *text, size_t len);
/* Adds held rows older than HORIZON to the trace. */
void hold_flush(struct capture *c, uint64_t horizon);
void held_row_count(struct capture *c, uint32_t track, uint64_t emitted, uint64_t lost);

/* ---- events.c: one event of a ring */
void thread_event(struct capture *c, struct thread *t, const struct ring_event *e);
/*
 * The same for zone words after *TIME, which is advanced. Returns how many of COUNT were consumed:
 * it stops at a word that is not a zone and, unless ALL, at a zone whose name is unknown.
 */
size_t thread_zones(struct capture *c, struct thread *t, const uint64_t *words, size_t count,
		    uint64_t *time, bool all);
/* A row for events whose time ran backwards, if there were any. */
void thread_report_late(struct capture *c, struct thread *t);
/* Called after the last event: ends open zones as unfinished and reports trailing losses. */
void thread_finish(struct capture *c, struct thread *t, const struct ring_stream *s);
void thread_free(struct thread *t);

/* ---- follow.c: support for followers */
/* Writes open zones to the trace, so that followers see them before they end. */
void follow_report_open(struct capture *c);

/* ---- tracy.c: clients that speak Tracy's protocol */
/* Returns the number of frames received. */
size_t tracy_round(struct capture *c);
void tracy_checkpoint(struct capture *c);
void tracy_finish(struct capture *c);

/* ---- sampling.c: events of the sampler */
/* Returns the number of events received. */
size_t sampling_round(struct capture *c);
void sampling_finish(struct capture *c);
void sampling_free(struct capture *c);
/* A ring joins: the process of the trace that the sampler has reported for PID, or TRACE_NONE. */
uint32_t sampling_join_process(struct capture *c, uint32_t pid);
void sampling_note_process(struct capture *c, uint32_t pid, uint32_t id);
/* The same for a thread of a process of the trace. */
uint32_t sampling_join_track(struct capture *c, uint32_t process, uint32_t tid);
void sampling_note_track(struct capture *c, uint32_t process, uint32_t tid, uint32_t track);
/* True if only the sampler knows the process. */
bool sampling_exit_status(struct capture *c, uint32_t pid, int status);

/* ---- stacks.c: call stacks of the sampler and of programs */
/* The track of stacks, created in PROCESS if it is new. TRACE_NONE: error. */
uint32_t stacks_track(struct capture *c, uint32_t process);
/*
 * Gives a row of the sampler the trace's numbers. True: it was about stacks, and is in the trace.
 */
bool stacks_sampler_row(struct capture *c, uint32_t process, struct trace_row *row);
void stacks_program_module(struct capture *c, struct process *p, uint64_t time, uint64_t id,
			   const char *name);
/* WORDS: the payload of a RING_STACK record. */
void stacks_program_stack(struct capture *c, struct process *p, uint64_t time,
			  const uint64_t *words, unsigned count);
/* Finds names for all addresses. */
void stacks_finish(struct capture *c);
void stacks_close(struct capture *c);
struct state_in;
void stacks_save(const struct capture *c, struct buf *b);
void stacks_load(struct capture *c, struct state_in *in);
/* After stacks_load(): PATH is the file that the earlier recorder left. */
int stacks_read_again(struct capture *c, const char *path);

/* ---- state.c: the recorder's state in a checkpoint */
/* Numbers and strings; a string that is read is allocated, NULL with in->bad set if there is none
 */
struct state_in {
	const uint8_t *at, *end;
	bool bad;
};
void state_put(struct buf *b, uint64_t n);
void state_string_put(struct buf *b, const char *s, size_t len);
uint64_t state_get(struct state_in *in);
char *state_string_get(struct state_in *in);
/* A count of items that take at least one byte each. */
size_t state_count(struct state_in *in);
int state_save(struct capture *c, struct buf *out);
int state_load(struct capture *c, const void *bytes, size_t len, struct tacho_error *err);

/* ---- absent.c: processes that could not be recorded */
/* NAME is copied; unprintable characters become '?'. */
void absent_add(struct capture *c, uint32_t pid, uint32_t reason, int error, const char *name);
/* True if processes could not join since the last checkpoint. */
bool absent_is_new(const struct capture *c);
/* True if the session's table may soon be full. */
bool absent_is_many(const struct capture *c);
/*
 * Before a checkpoint: moves them from the session's table to the trace. After it: frees the table.
 */
void absent_collect(struct capture *c);
void absent_release(struct capture *c);
void absent_summary(const struct capture *c, struct capture_summary *summary);
void absent_free(struct capture *c);

/* ---- bound.c: the memory of a session */
/* Opens new rings, and periodically corrects the session's account. */
void bound_find_rings(struct capture *c);
/* More than half of the memory is used: free memory is released sooner. */
bool bound_is_near(const struct capture *c);
/* Bytes that an idle process may keep. */
uint64_t bound_keep(const struct capture *c);
/* Closes the ring of a process that has ended, and removes it. */
void bound_remove_ring(struct capture *c, struct ring_reader *ring);

/* ---- part.c: the file that a killed recorder left */
/* Marks the trace as one of this session. */
void part_set_session(struct capture *c);
#define KEEP_SUFFIX ".keep.part" /* of the unfinished file if the session's own is kept */
/*
 * Makes c->output continue the session's unfinished file (OLD.part). *SAVED: the trace is complete
 * at OLD. TACHO_ENO: there is no file and everything is in the rings.
 */
int part_take_over(struct capture *c, const char *old, bool force, bool *saved,
		   struct tacho_error *err);

/* ---- processes.c: find, describe and forget ring files */
/* Opens new rings in the session's directory. */
void capture_find_rings(struct capture *c);
int capture_add_process(struct capture *c, const char *name, uint32_t known_id,
			struct process **result);
/* The pid in the name of a ring file; 0: none. */
uint32_t process_pid_named(const char *name);
/* NAME can be a ring: a file p.PID.N, or an area of the pool. */
bool process_is_ring_name(const char *name);
/* A process of an earlier recorder whose ring no longer exists. */
struct process *capture_add_gone(struct capture *c, uint32_t id);
/* Frees data that is needed only while the process is being read. */
void process_clear(struct process *p);
void process_free(struct process *p);

/* ---- read.c: read one process */
/* Clocks of cores differ a little: only a time further ahead than this is wrong. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define AHEAD_TICKS 1000u /* the recorder waits until such times are past */
#else
#define AHEAD_TICKS 10000000u
#endif

struct thread *capture_thread(struct capture *c, struct process *p, struct ring_stream *s);
/* Reads all pending events; detects that the process has ended. Returns the number of events. */
size_t process_read(struct capture *c, struct process *p);
/* For a process that no longer writes: reads its memory once, and no more than that. */
void process_set_last(struct process *p);
size_t process_read_last(struct capture *c, struct process *p);
/* Stops reading it: open zones become unfinished. */
void process_finish_threads(struct capture *c, struct process *p);
/* It has ended and all its events are in the trace. */
void process_end(struct capture *c, struct process *p);

#endif
