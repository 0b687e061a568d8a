/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: its model, its writer, its reader. The file format is in docs/format.md.
 *
 * Model. A trace has processes; a process has tracks; a track that holds zones has one lane per
 * nesting depth. Zones of one lane never overlap, so a lane is sorted by start and by end. All that
 * is not a zone is a row on a track: a message, a plot point, a frame, an allocation, a lock event.
 * Source locations and names are interned once per trace and have 32-bit ids.
 *
 * Time. Every time in a file is a tick of the recording machine's clock (64 bits). clock points in
 * the file map ticks to nanoseconds; trace_ns() does it: nanoseconds since the start of the trace.
 *
 * Ids. Processes, tracks, source locations and strings are numbered from 0 in the order in which
 * they were added. TRACE_NONE means none.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NONE UINT32_MAX

/* ------------------------------------------------------------------ model */

/* A key and its value: host, kernel, cpu, command line, working directory, build ids ... */
struct trace_property {
	const char *key;
	const char *value;
};

struct trace_clock_point {
	uint64_t ticks;
	int64_t monotonic_ns; /* CLOCK_MONOTONIC_RAW */
	int64_t realtime_ns;  /* CLOCK_REALTIME */
	uint32_t bound_ns;    /* the two clocks were read within this time */
};

struct trace_process {
	uint32_t pid;
	uint32_t parent_pid;
	uint64_t start;      /* ticks: when it joined the session */
	uint64_t end;        /* ticks: when it was seen to have ended; 0 = alive at the end */
	int32_t exit_status; /* as of waitpid(), or TRACE_EXIT_UNKNOWN */
	const char *name;    /* base name of the program */
	const char *command; /* whole command line, words separated by blanks */
};

#define TRACE_EXIT_UNKNOWN INT32_MIN

/* Why a process of the session has no events in the trace. Numbers of the file format. */
enum trace_absence {
	TRACE_ABSENT_UNKNOWN,
	TRACE_ABSENT_VERSION,  /* its libtacho is of another version */
	TRACE_ABSENT_CREATE,   /* it could not create its ring file */
	TRACE_ABSENT_MAP,      /* it could not map it */
	TRACE_ABSENT_MEMORY,   /* there was no memory for it */
	TRACE_ABSENT_BOUND,    /* the session's memory bound was reached */
	TRACE_ABSENT_RECORDER, /* the recorder could not read its ring file */
	TRACE_ABSENCES
};

/* A process that tried to join the session and could not be recorded. */
struct trace_absent {
	uint64_t count;  /* 1; more for processes of which nothing else is known */
	uint32_t pid;    /* 0: not known */
	uint32_t reason; /* enum trace_absence */
	uint32_t error;  /* errno, 0: none */
	const char *name;
};

/* "cannot create its ring file: EACCES (Permission denied)". */
#define TRACE_ABSENT_TEXT 160
const char *trace_absent_text(const struct trace_absent *a, char *text, size_t size);

enum trace_track_kind {
	TRACE_THREAD,   /* zones; .id = tid */
	TRACE_FIBER,    /* zones */
	TRACE_CORE,     /* zones of one RISC of a device core; .id packs device, x, y, risc */
	TRACE_PLOT,     /* rows TRACE_ROW_PLOT_* */
	TRACE_FRAMES,   /* rows TRACE_ROW_FRAME */
	TRACE_MESSAGES, /* rows TRACE_ROW_MESSAGE; one track per process */
	TRACE_MEMORY,   /* rows TRACE_ROW_ALLOC, TRACE_ROW_FREE; one track per pool */
	TRACE_LOCK,     /* rows TRACE_ROW_LOCK */
	TRACE_OTHER,    /* rows of kinds that later versions add */
	TRACE_TRACK_KINDS
};

struct trace_track {
	uint32_t process;
	uint32_t kind;    /* enum trace_track_kind */
	uint64_t id;      /* tid, lock number ... */
	uint32_t srcloc;  /* where a lock was declared, else TRACE_NONE */
	uint32_t color;   /* 0xRRGGBB or 0 */
	uint32_t format;  /* plots: enum trace_plot_format; frames: 1 = start/end pairs; locks: 1 =
			     shared; cores: a bit for each enum trace_marker_kind among its rows */
	uint32_t flags;   /* plots: TRACE_PLOT_STEP, TRACE_PLOT_FILL; threads: number in the file
			   * that they were converted from, or 0 */
	const char *name; /* "" when none was given */
};

/*
 * The id of a TRACE_CORE track. Tracks of one core differ in the RISC alone. Name: what they have
 * in common, a slash, the RISC ("Device 0, core 1,1/BRISC"). With the top 16 bits set it is a queue
 * of another accelerator: number of the context + 1, and 32 bits of the queue's own.
 */
#define TRACE_CORE_ID(device, x, y, risc) \
	((uint64_t)(device) << 32 | (uint64_t)(x) << 20 | (uint64_t)(y) << 8 | (uint64_t)(risc))
#define TRACE_CORE_DEVICE(id)            ((uint32_t)((id) >> 32 & 0xffff))
#define TRACE_CORE_X(id)                 ((uint32_t)((id) >> 20 & 0xfff))
#define TRACE_CORE_Y(id)                 ((uint32_t)((id) >> 8 & 0xfff))
#define TRACE_CORE_RISC(id)              ((uint32_t)((id)&0xff))
#define TRACE_CORE_OTHER(context, queue) ((uint64_t)((context) + 1) << 48 | (uint32_t)(queue))
#define TRACE_CORE_IS_OTHER(id)          ((id) >> 48 != 0)

/* A property of a trace that was converted: the tick at which its source began to count time. */
#define TRACE_ORIGIN "origin"
/* Another: nanoseconds from there to its end, when the source said so itself. */
#define TRACE_SPAN "span"

enum trace_plot_format {
	TRACE_PLOT_NUMBER,
	TRACE_PLOT_MEMORY,
	TRACE_PLOT_PERCENT,
	TRACE_PLOT_WATT
};
#define TRACE_PLOT_STEP 1u
#define TRACE_PLOT_FILL 2u

struct trace_srcloc {
	const char *name; /* "" when none: the function is shown then */
	const char *function;
	const char *file;
	uint32_t line;
	uint32_t color; /* 0xRRGGBB or 0 */
};

/* Zone flags. */
#define TRACE_ZONE_UNFINISHED 1u /* had not ended when recording stopped; end = last known time */
#define TRACE_ZONE_END_LOST   2u /* its end event was lost; end = when that was noticed */
#define TRACE_ZONE_RECURSIVE  4u /* inside another zone of its source location, on its track */

/* An attachment of a zone. Texts and values stay in order. */
enum trace_extra_kind {
	TRACE_EXTRA_NAME,
	TRACE_EXTRA_TEXT,
	TRACE_EXTRA_COLOR,
	TRACE_EXTRA_VALUE,
	TRACE_EXTRA_STACK /* of the call that began it: number of a stack */
};

struct trace_extra {
	uint32_t kind;  /* enum trace_extra_kind */
	uint32_t len;   /* NAME, TEXT: bytes at text */
	uint64_t value; /* COLOR (0xRRGGBB), VALUE, STACK */
	const char *text;
};

struct trace_zone {
	uint64_t start, end; /* ticks */
	uint32_t srcloc;
	uint32_t flags;
	uint32_t extras; /* how many; they are read by trace_cursor_extra() */
};

/* A zone that had begun and not ended when a trace that is being recorded was last written. */
struct trace_open_zone {
	uint32_t track, depth;
	uint32_t srcloc;
	uint64_t start; /* ticks */
};

/* Rows: what is not a zone. The fields a, b, c mean what the table says. */
/*  name         a                          b                        c          text */
#define TRACE_ROWS(X)                                                                             \
	X(MESSAGE, "message")     /* severity   colour 0xRRGGBB or 0     1: cut, stack << 32      \
				     the text */                                                  \
	X(PLOT_INT, "plot int")   /* int64 value */                                               \
	X(PLOT_REAL, "plot real") /* bits of a double */                                          \
	X(FRAME, "frame")         /* end in ticks, 0 for a continuous mark */                     \
	X(ALLOC, "alloc")         /* address    bytes                    stack or 0 */            \
	X(FREE, "free")           /* address                             stack or 0 */            \
	X(LOCK, "lock")           /* enum trace_lock_op   source location or TRACE_NONE */        \
	X(APP_INFO, "app info")   /*                                                  the text */ \
	X(LOSS, "loss")           /* enum trace_loss   zones lost    others lost */               \
	X(NOTE, "note")           /* something the recorder noticed; text */                      \
	X(LATE, "late")   /* events whose time ran backwards: a = how many, b = largest step */   \
	X(CRASH, "crash") /* the program died here; on the message track; text: of what */        \
	X(DEVICE_CLOCK, "device clock") /* cycles   bound in ns    nominal MHz: see below */      \
	X(SAMPLE, "sample") /* stack      CPU                      nanoseconds: see below */      \
	X(STATE, "state")   /* ticks      TRACE_STATE()            stack or 0 */                  \
	X(STACK, "stack")   /* number     caller's stack or 0      module << 48 | offset */       \
	X(MODULE, "module") /* number     kind                     0          path, 0, id */      \
	X(SYMBOL, "symbol") /* module << 48 | offset   line   inlined   function, 0, file */      \
	X(MARKER, "marker") /* cycle      TRACE_MARKER()           value      meta data */        \
	X(MARKER_WORD, "marker word") /* the second value of the marker before it */              \
	X(HOST_CLOCK, "host clock")   /* source tick   bound in ns    host: of a merged trace */  \
	X(FRAME_IMAGE, "frame image") /* frames ago  TRACE_IMAGE()      0          see below */   \
	X(SECTION, "section")         /* number     category           enum trace_section_op */   \
	X(PARAMETER, "parameter")     /* number     TRACE_PARAMETER()  int64 value name */        \
	X(OP, "op")                   /* id         TRACE_OP()         hash        see below */   \
	X(OP_TRACE, "op trace")       /* trace      TRACE_OP()         id of an op */             \
	X(FLOW, "flow") /* number     enum trace_flow_step  next?  name, 0, category */

enum trace_row_kind {
#define X(name, text) TRACE_ROW_##name,
	TRACE_ROWS(X)
#undef X
		TRACE_ROW_KINDS
};

/*
 * TRACE_ROW_DEVICE_CLOCK: at this tick the clock of a device showed this cycle, with an error of at
 * most .b nanoseconds (UINT64_MAX: never compared). On a track of kind TRACE_OTHER of its own,
 * whose id is the device's number ("Device 0 clock"). Ticks of the device's zones were made from
 * cycles by device_clock_ticks() (clock/device.h) with these points: its inverse gives the cycles
 * again.
 */

/*
 * Markers: what the kernels of a device recorded, on the track of their RISC and in order of time.
 * .a is the cycle as recorded, so no reader converts ticks to cycles; trace_marker_time()
 * (device_clock.h) gives the tick. The row's own time takes no space: it is that of the first of
 * several markers within TRACE_MARKER_SPAN. Each marker is also a zone of the track, for timelines:
 * START and END together, the others as a zone of no length.
 *
 * START has no value inside another zone. Without a parent its value is the id of the op that runs
 * (0: none), and of a replay its second one is trace << 32 | number of the replay: they hold for
 * all markers up to the next such START. Numbers of the file format.
 */
enum trace_marker_kind {
	TRACE_MARK_START, /* of a zone */
	TRACE_MARK_END,
	TRACE_MARK_TOTAL,   /* a zone's sum of cycles: value */
	TRACE_MARK_DATA,    /* value */
	TRACE_MARK_EVENT,   /* value: its number */
	TRACE_MARK_NOC,     /* a transfer: both values are its words */
	TRACE_MARK_COUNTER, /* a performance counter: value, over so many cycles */
	TRACE_MARKS
};

#define TRACE_MARKER_SPAN (UINT64_C(1) << 20) /* ticks, about 0.4 ms */

#define TRACE_MARKER(kind, values, srcloc) \
	((uint64_t)(srcloc) | (uint64_t)(kind) << 32 | (uint64_t)(values) << 40)
#define TRACE_MARKER_SRCLOC(b) ((uint32_t)(b))
#define TRACE_MARKER_KIND(b)   ((uint32_t)((b) >> 32 & 0xff))
#define TRACE_MARKER_VALUES(b) ((uint32_t)((b) >> 40 & 0xff))

/*
 * Op records: the host's record of the ops of a device, on the message track of its process. An OP
 * row is a call: its id, its device (TRACE_NONE: the op ran on the host), whether the device had
 * run such an op before, and the hash of its description. Its text is the op's name and, in the
 * first call of a hash on a device, a zero byte and the description, a JSON object. Later calls
 * refer to it by the hash. OP_TRACE rows say which trace of ops a device captures or replays.
 * Numbers of the file format. Recordings of Tracy clients and of earlier versions have messages
 * with the same content instead (op/messages.h).
 */
#define TRACE_OP(device, what) ((uint64_t)(device) | (uint64_t)(what) << 32)
#define TRACE_OP_DEVICE(b)     ((uint32_t)(b))
#define TRACE_OP_WHAT(b)       ((uint32_t)((b) >> 32)) /* OP: 0 unknown, 1 new, 2 known */

enum trace_op_step {
	TRACE_OP_TRACE_BEGIN,
	TRACE_OP_TRACE_END,
	TRACE_OP_TRACE_REPLAY,
	TRACE_OP_TRACE_RELEASE,
	TRACE_OP_TRACE_PROGRAM, /* a program is captured; .c = the number of its op */
	TRACE_OP_STEPS
};

/*
 * Sampling. SAMPLE and STATE rows are on the track of their thread. A sample says which stack the
 * thread had at this time while it ran, and counts .c nanoseconds of its CPU time. A state is
 * an interval of .a ticks from its time on; those of a thread do not overlap.
 *
 * STACK, MODULE and SYMBOL rows are on one track of kind TRACE_OTHER named TRACE_STACKS. A stack is
 * its innermost frame and the stack of the caller, whose number is smaller; numbers count from 1.
 * A frame is an address of a module: of an ELF file the address that the file has for it, of
 * callers inside the call instruction. Kinds of modules: 0 special (module 0: why a stack is not
 * whole, see enum stack_end in sample/unwind.h), 1 file, 2 vdso, 3 memory of a process, 4 Python.
 * Symbols give names to addresses; .c counts the functions that are inlined there, innermost = 0.
 */
#define TRACE_STACKS "stacks"
/* Property "sampling event" of a recording that has thread states but no samples. */
#define TRACE_NO_EVENT "none; /proc was polled"

enum trace_state {
	TRACE_STATE_UNKNOWN,
	TRACE_STATE_RUNNING,
	TRACE_STATE_RUNNABLE, /* waits for a CPU */
	TRACE_STATE_BLOCKED,  /* waits for something else: the system call says for what */
	TRACE_STATES
};

/* CALL: number of the system call + 1, 0: not known. */
#define TRACE_STATE(state, cpu, call) \
	((uint64_t)(state) | (uint64_t)(cpu) << 8 | (uint64_t)(call) << 32)
#define TRACE_STATE_OF(b)   ((uint32_t)((b)&0xff))
#define TRACE_STATE_CPU(b)  ((uint32_t)((b) >> 8 & 0xffffff))
#define TRACE_STATE_CALL(b) ((uint32_t)((b) >> 32))

/*
 * An image of a frame of the process's unnamed set, on a track of kind TRACE_OTHER named
 * TRACE_IMAGES. .text has its DXT1 blocks, 8 bytes for 4 x 4 pixels, by rows. It shows the frame
 * that begins with mark number N - .a (from 1; .a may be negative), N being the number of marks up
 * to its time.
 */
#define TRACE_IMAGES "frame images"
#define TRACE_IMAGE(width, height, flip) \
	((uint64_t)(width) | (uint64_t)(height) << 16 | (uint64_t)(flip) << 32)
#define TRACE_IMAGE_WIDTH(b)  ((uint32_t)((b)&0xffff))
#define TRACE_IMAGE_HEIGHT(b) ((uint32_t)((b) >> 16 & 0xffff))
#define TRACE_IMAGE_FLIP(b)   ((uint32_t)((b) >> 32 & 1))
#define TRACE_IMAGE_BYTES(b)  ((uint64_t)TRACE_IMAGE_WIDTH(b) * TRACE_IMAGE_HEIGHT(b) / 2)
/* True if a row has as many bytes as its width and height, which are multiples of 4, need. */
#define TRACE_IMAGE_IS_WHOLE(row)                                             \
	((row)->text_len && (row)->text_len == TRACE_IMAGE_BYTES((row)->b) && \
	 !(TRACE_IMAGE_WIDTH((row)->b) % 4) && !(TRACE_IMAGE_HEIGHT((row)->b) % 4))

/*
 * Sections: phases of a program that overlap freely, on a track of kind TRACE_OTHER named
 * TRACE_SECTIONS. ENTER has the text; LEAVE has the number of the ENTER alone. NAME names a
 * category.
 */
#define TRACE_SECTIONS "sections"
enum trace_section_op { TRACE_SECTION_ENTER, TRACE_SECTION_LEAVE, TRACE_SECTION_NAME };

/*
 * Parameters that a program lets viewers set, on a track of kind TRACE_OTHER named
 * TRACE_PARAMETERS. A row with the name declares one, a row without says that the program has taken
 * a new value.
 */
#define TRACE_PARAMETERS "parameters"
enum trace_parameter_type {
	TRACE_PARAMETER_INT,
	TRACE_PARAMETER_BOOL,
	TRACE_PARAMETER_TRIGGER /* setting it to any value triggers something */
};
#define TRACE_PARAMETER(type, set) ((uint64_t)(type) | (uint64_t)(set) << 8)
#define TRACE_PARAMETER_TYPE(b)    ((uint32_t)((b)&0xff))
#define TRACE_PARAMETER_IS_SET(b)  ((uint32_t)((b) >> 8 & 1))

/*
 * Flows: arrows between zones, as imported traces have them. A row is one end of a flow, on the
 * track of its zone; all ends of one flow have its number. It belongs to the zone around it, with
 * .c = 1 to the one that begins next on the track.
 */
#define TRACE_FLOWS "flows" /* a property: how many there are; without it there are none */
enum trace_flow_step { TRACE_FLOW_BEGIN, TRACE_FLOW_STEP, TRACE_FLOW_END, TRACE_FLOW_STEPS };

enum trace_lock_op {
	TRACE_LOCK_WAIT,
	TRACE_LOCK_OBTAIN,
	TRACE_LOCK_RELEASE,
	TRACE_LOCK_WAIT_SHARED,
	TRACE_LOCK_OBTAIN_SHARED,
	TRACE_LOCK_RELEASE_SHARED,
	TRACE_LOCK_MARK,
	TRACE_LOCK_END,
};

enum trace_severity {
	TRACE_SEVERITY_TRACE,
	TRACE_SEVERITY_DEBUG,
	TRACE_SEVERITY_INFO,
	TRACE_SEVERITY_WARNING,
	TRACE_SEVERITY_ERROR,
	TRACE_SEVERITY_FATAL,
};

enum trace_loss {
	TRACE_LOSS_LIMIT,       /* the process's ring memory was full: newest dropped */
	TRACE_LOSS_OVERWRITTEN, /* flight recorder: oldest overwritten */
	TRACE_LOSS_TORN,        /* the writer died or jumped away in the middle of an event */
	TRACE_LOSS_NO_MEMORY,   /* no memory for a ring */
	TRACE_LOSS_CORRUPT,     /* the ring's content made no sense and was set aside */
	TRACE_LOSS_DISK,        /* the trace could not be written any further */
	TRACE_LOSS_DEVICE, /* a RISC's profiler buffers were full; .c = markers, 0 = not known */
	TRACE_LOSS_DEVICE_DAMAGE, /* a kernel has overwritten them; .c = markers */
	TRACE_LOSS_SAMPLER,       /* the kernel's ring of samples was full; .c = records */
	TRACE_LOSSES
};

/* Texts are LIMIT_BLOCK_TEXT bytes at most: longer ones are cut. */
struct trace_row {
	uint64_t time;
	uint32_t kind;   /* enum trace_row_kind; readers pass over kinds they do not know */
	uint32_t thread; /* track of the thread that made it, or TRACE_NONE */
	uint64_t a, b, c;
	const char *text;
	uint32_t text_len;
};

/*
 * The ledger of one track: what its program emitted, according to the ring, against what the file
 * holds. "emitted == stored + lost" for zones and for rows; trace_check() recounts what is stored,
 * over all tracks together, since a thread may emit zones of a fiber and rows of any track. Rows of
 * the kinds LOSS, NOTE and LATE are the recorder's own and do not count.
 */
struct trace_ledger {
	uint64_t zones_emitted, zones_lost;
	uint64_t rows_emitted, rows_lost;
};

/* ----------------------------------------------------------------- writer */

struct trace_writer;
struct trace_lane;

struct trace_writer_options {
	bool force;         /* replace an existing file */
	bool durable;       /* fsync at every checkpoint */
	const char *suffix; /* of the unfinished file; NULL = ".part" */
	size_t memory; /* buffered zones and rows in bytes before they are flushed; 0 = 16 MiB */
	int level;     /* zstd level; 0 = 1 */
};

/*
 * Creates PATH.part; trace_writer_close() renames it to PATH. Errors of later calls are sticky: the
 * first is kept, calls after it do nothing and return it, so a hot loop may check at its end.
 * A writer is used by one thread at a time.
 */
int trace_writer_open(struct trace_writer **w, const char *path,
		      const struct trace_writer_options *options, struct tacho_error *err);

/*
 * Opens the .part file that a killed recorder left at PATH.part (or PATH itself), drops everything
 * after its last checkpoint, and continues. *STATE is the checkpoint's state, valid until the
 * writer is closed. Ids, lanes and ledgers are as they were. TACHO_ENO if it has no checkpoint, or
 * if there is no PATH.part and PATH is a complete file.
 */
int trace_writer_resume(struct trace_writer **w, const char *path,
			const struct trace_writer_options *options, const void **state,
			size_t *state_len, struct tacho_error *err);

/* Replaces the property KEY. Both strings are copied. */
int trace_set_property(struct trace_writer *w, const char *key, const char *value);
int trace_add_clock_point(struct trace_writer *w, const struct trace_clock_point *point);

/* These return the id (>= 0 as int64_t) or a negative error. All strings are copied. */
int64_t trace_add_process(struct trace_writer *w, const struct trace_process *p);
int64_t trace_add_track(struct trace_writer *w, const struct trace_track *t);
int64_t trace_add_srcloc(struct trace_writer *w,
			 const struct trace_srcloc *s); /* same content, same id */

/* Changes what is known of one already added: the name of a thread, the exit of a process. */
int trace_update_process(struct trace_writer *w, uint32_t id, const struct trace_process *p);
int trace_update_track(struct trace_writer *w, uint32_t id, const struct trace_track *t);

/* Processes that could not be recorded; an update replaces the entry. */
int64_t trace_add_absent(struct trace_writer *w, const struct trace_absent *a);
int trace_update_absent(struct trace_writer *w, uint32_t id, const struct trace_absent *a);

/* The lane of a track at a depth; made on first use; valid until the writer is closed. NULL: no
 * memory. */
struct trace_lane *trace_lane(struct trace_writer *w, uint32_t track, uint32_t depth);

/*
 * Appends a zone that has ended. In one lane zones must come in order and must not overlap
 * (start >= previous end, end >= start): one that does not is moved to fit and counted.
 * CHILDREN is the time spent in zones directly inside it. This is the hot call: see bench/trace.
 * A zone that is inside another one of its source location must be added by trace_lane_add_full()
 * with TRACE_ZONE_RECURSIVE: trace_nesting_has() (trace/nesting.h) finds out.
 */
int trace_lane_add(struct trace_writer *w, struct trace_lane *lane, uint64_t start, uint64_t end,
		   uint32_t srcloc, uint64_t children);

/* The same for a zone with flags or with things attached. */
int trace_lane_add_full(struct trace_writer *w, struct trace_lane *lane, uint64_t start,
			uint64_t end, uint32_t srcloc, uint64_t children, uint32_t flags,
			const struct trace_extra *extras, size_t count);

/*
 * For many zones at once: room for .count zones after the lane's last one, which ended at END; 0 if
 * there is none, or it did not. trace_lane_added() takes the first COUNT that are filled in,
 * the last of which ends at END. Each begins GAP ticks
 * after the end of the previous one and has no zones inside; SRCLOC is known to the writer, and not
 * open around the zone. No number is above TRACE_LANE_MOST. Nothing else may be added in between.
 */
#define TRACE_LANE_MOST (UINT32_MAX - 1)

struct trace_lane_room {
	uint32_t *gap, *duration, *srcloc;
	uint32_t count;
};
struct trace_lane_room trace_lane_room(const struct trace_writer *w, const struct trace_lane *lane,
				       uint64_t end);
void trace_lane_added(struct trace_writer *w, struct trace_lane *lane, uint32_t count,
		      uint64_t end);

int trace_add_row(struct trace_writer *w, uint32_t track, const struct trace_row *row);

/* Adds to the ledger of a track. */
int trace_add_ledger(struct trace_writer *w, uint32_t track, const struct trace_ledger *more);

/* Bytes of zones and rows that are buffered and not yet in the file, and bytes written so far. */
size_t trace_writer_buffered(const struct trace_writer *w);
uint64_t trace_writer_written(const struct trace_writer *w);
uint64_t trace_writer_zones(const struct trace_writer *w);
/* The first error, with the system's reason; "" while there is none. */
const char *trace_writer_error(const struct trace_writer *w);
/* How many ids there are so far: for a recorder that has got ids out of a file. */
uint32_t trace_writer_tracks(const struct trace_writer *w);
uint32_t trace_writer_srclocs(const struct trace_writer *w);
uint32_t trace_writer_absent(const struct trace_writer *w);

/*
 * Sets the open zones, by track and depth, for followers: written with the next block, replacing
 * the previous set.
 */
int trace_set_open_zones(struct trace_writer *w, const struct trace_open_zone *zones, size_t count);

/*
 * Writes all that is buffered and then STATE. When this returns 0 everything added before is in the
 * file as far as the kernel is concerned (with options.durable: on the disk), and a later
 * trace_writer_resume() gives STATE back. The recorder releases ring memory only after this.
 */
int trace_checkpoint(struct trace_writer *w, const void *state, size_t len);

/*
 * Flushes, writes statistics, index and trailer, renames. W is freed in any case. On failure the
 * .part file is kept and named in ERR; it opens like a file after a crash.
 */
int trace_writer_close(struct trace_writer *w, struct tacho_error *err);

/*
 * For a trace that is read again at once and then not needed any more: a file in FOLDER that has no
 * name, so that a crash leaves nothing. trace_writer_take() closes it and opens what was written; W
 * is freed in any case.
 */
int trace_writer_open_temporary(struct trace_writer **w, const char *folder,
				struct tacho_error *err);
struct trace;
int trace_writer_take(struct trace_writer *w, struct trace **trace, struct tacho_error *err);

/* Frees W and leaves the .part file as it is. */
void trace_writer_abandon(struct trace_writer *w);

/* ----------------------------------------------------------------- reader */

struct trace_lane_info {
	uint32_t track;
	uint32_t depth;
	uint64_t zones;
	uint64_t start, end; /* of the first and the last zone; ticks */
	struct lane *private;
};

/*
 * What is wrong with the file; all zero for a whole one. Opening a closed file reads only its
 * index: a damaged block of zones or rows is skipped and counted here when it is read.
 */
struct trace_damage {
	bool unfinished;         /* no trailer: the recorder did not close it */
	uint64_t bad_blocks;     /* checksum or content wrong: skipped */
	uint64_t bad_offset;     /* of the first such block */
	uint64_t missing_bytes;  /* after the last whole block */
	uint64_t unknown_blocks; /* of types that a newer version wrote: skipped */
	char text[200];          /* one line for people, "" for a whole file */
};

/*
 * Plain arrays, valid until trace_close(). Every id in them and in what the functions below give is
 * in range, or TRACE_NONE where that is allowed; every string is one: of a damaged file too. A
 * trace may be used by one thread at a time.
 */
struct trace {
	const char *path;
	uint64_t file_size;
	uint8_t uuid[16];
	uint64_t start, end; /* ticks of the first and last thing in the trace */
	uint64_t zones, rows;
	const struct trace_process *processes;
	uint32_t process_count;
	const struct trace_absent *absent; /* processes that could not be recorded */
	uint32_t absent_count;
	bool absent_known; /* false: written by a version that did not store them */
	const struct trace_track *tracks;
	uint32_t track_count;
	const struct trace_srcloc *srclocs;
	uint32_t srcloc_count;
	const struct trace_lane_info *lanes; /* sorted by track, then depth */
	uint32_t lane_count;
	const struct trace_property *properties;
	uint32_t property_count;
	const struct trace_clock_point *clock_points;
	uint32_t clock_point_count;
	const struct trace_ledger *ledgers; /* one per track */
	/* Of a trace that is being recorded and followed: by track, then depth. Else none. */
	const struct trace_open_zone *open_zones;
	uint32_t open_count;
	uint64_t origin; /* ticks at which trace_ns() is 0: start, unless the trace is followed */
	uint64_t generation; /* counts the times that trace_refresh() has found something new */
	struct trace_damage damage;
	struct trace_private *private;
};

/* Opens a .tacho or .tacho.part. A damaged file opens as far as it goes: see trace->damage. */
int trace_open(struct trace **trace, const char *path, struct tacho_error *err);
void trace_close(struct trace *trace);
/* How many processes could not be recorded. */
uint64_t trace_absent_total(const struct trace *trace);
/* Bytes of decoded blocks that are kept for later; 32 MiB unless it is called. 0 forgets them. */
void trace_set_cache(struct trace *trace, size_t bytes);
/* Opens the file of an open trace once more, whatever has become of its name. */
int trace_open_again(struct trace **again, const struct trace *trace, struct tacho_error *err);

/*
 * Following a trace while it is being written.
 *
 * trace_follow() opens PATH.part, or PATH if there is none; PATH may be given with or without
 * ".part". trace_refresh() reads what was appended since, at a cost proportional to what is new. It
 * handles a half-written block, the rename to PATH at the end, a recorder that was killed and one
 * that resumed in its place (and truncated the file), and a new recording at the same PATH.
 *
 * Refreshing moves the arrays of struct trace: take them from it again. No cursor, walk or rows may
 * be open meanwhile. Ids and strings stay valid. The position of a lane in trace->lanes changes
 * when lanes are added before it; identify a lane by track and depth. After TRACE_RELOADED nothing
 * from before is valid; compare the uuid to see whether it is the same recording. A complete trace
 * has damage.unfinished == false.
 *
 * trace->start may move back when a long zone ends. trace_ns() counts from trace->origin, which
 * stays: the start of the first process, or of what came first, so ns may be negative.
 */
enum trace_change { TRACE_SAME, TRACE_GREW, TRACE_RELOADED };
int trace_follow(struct trace **trace, const char *path, struct tacho_error *err);
/*
 * The same as far as the recorder's last checkpoint, where nothing is half known: of each thread
 * all zones that ended before it are there, parents and children alike, and open_zones are all the
 * others.
 */
int trace_follow_settled(struct trace **trace, const char *path, struct tacho_error *err);
/* enum trace_change or an error; after an error it may be called again. */
int trace_refresh(struct trace *trace, struct tacho_error *err);

/*
 * Nanoseconds since trace->origin, and back. Monotone. With a single clock point the rate is taken
 * from the property "ticks per second".
 */
int64_t trace_ns(const struct trace *trace, uint64_t ticks);
uint64_t trace_ticks(const struct trace *trace, int64_t ns);
/* A duration that starts at START: trace_ns(end) - trace_ns(start), without rounding twice. */
double trace_duration_ns(const struct trace *trace, uint64_t start, uint64_t end);
/* Nanoseconds since 1970 of a tick. */
int64_t trace_realtime_ns(const struct trace *trace, uint64_t ticks);

const char *trace_property(const struct trace *trace, const char *key); /* NULL when absent */
/* The name shown for a source location: its name, else its function. */
const char *trace_srcloc_name(const struct trace *trace, uint32_t srcloc);
/* The lanes of a track are lanes[first .. first + count). */
void trace_track_lanes(const struct trace *trace, uint32_t track, uint32_t *first, uint32_t *count);

/* Zones of one lane that overlap [t0, t1), in order. */
struct trace_cursor;
int trace_cursor_open(struct trace_cursor **c, struct trace *trace, uint32_t lane, uint64_t t0,
		      uint64_t t1);
/* All zones of a lane from NUMBER on, which count from 0. */
int trace_cursor_open_at(struct trace_cursor **c, struct trace *trace, uint32_t lane,
			 uint64_t number);
/* 1 and a zone, 0 at the end, or an error. */
int trace_cursor_next(struct trace_cursor *c, struct trace_zone *zone);
/* The number in its lane of the zone that trace_cursor_next() gave last. */
uint64_t trace_cursor_number(const struct trace_cursor *c);
/* Attachment I of the last zone of trace_cursor_next(); its text lives until the next call. */
int trace_cursor_extra(struct trace_cursor *c, uint32_t i, struct trace_extra *extra);
void trace_cursor_close(struct trace_cursor *c);

/* All zones of a track, or of the whole trace (TRACE_NONE), by start; parents before children. */
struct trace_walk;
int trace_walk_open(struct trace_walk **w, struct trace *trace, uint32_t track, uint64_t t0,
		    uint64_t t1);
/* *LANE is the index in trace->lanes. trace_walk_cursor() gives the cursor for
 * trace_cursor_extra(). */
int trace_walk_next(struct trace_walk *w, struct trace_zone *zone, uint32_t *lane);
struct trace_cursor *trace_walk_cursor(struct trace_walk *w);
void trace_walk_close(struct trace_walk *w);

/* Rows of one track (or of all, TRACE_NONE) in [t0, t1), by time; *TRACK is the row's track. */
struct trace_rows;
int trace_rows_open(struct trace_rows **r, struct trace *trace, uint32_t track, uint64_t t0,
		    uint64_t t1);
/* Rows of all tracks of one kind. */
int trace_rows_open_kind(struct trace_rows **r, struct trace *trace, uint32_t track_kind,
			 uint64_t t0, uint64_t t1);
/*
 * All rows (of one track or of all) in blocks at or after OFFSET of the file: pass what
 * trace_known() returned before a refresh.
 */
int trace_rows_open_from(struct trace_rows **r, struct trace *trace, uint32_t track,
			 uint64_t offset);
/* The end of the known blocks. A block that is still being written may follow. */
uint64_t trace_known(const struct trace *trace);
/* 1 and a row, 0 at the end, or an error. The text is not terminated, valid until the next call. */
int trace_rows_next(struct trace_rows *r, struct trace_row *row, uint32_t *track);
void trace_rows_close(struct trace_rows *r);
/* How many rows each track has; COUNTS has room for all tracks. */
void trace_count_rows(const struct trace *trace, uint64_t *counts);

/* ------------------------------------------------------------- statistics */

struct trace_stat {
	uint32_t srcloc;
	uint64_t count;
	uint64_t total;    /* ticks, of zones that are not inside another of the source location */
	uint64_t sum;      /* ticks of all zones: what recursion repeats counts each time */
	uint64_t self;     /* ticks of all zones without those directly inside; at most the total */
	uint64_t wait;     /* ticks of lock waits that view_stats_waits() took from self, else 0 */
	uint64_t min, max; /* ticks */
	double mean, sigma;   /* ticks; sigma of the population */
	uint64_t median, p99; /* ticks; exact: the value at rank ceil(q * count) */
	uint64_t unfinished;  /* counted apart: not in the figures above */
};

struct trace_filter {
	uint64_t t0, t1;        /* zones that START in [t0, t1); {0, UINT64_MAX} = all */
	const uint8_t *tracks;  /* one byte per track: 0 = leave out; NULL = all */
	const uint8_t *srclocs; /* the same for source locations */
	bool no_percentiles;    /* median and p99 are not needed: faster */
	const uint32_t *fold; /* statistics: which source location each counts as; NULL = itself */
};

/*
 * Files of older versions do not say which zones are TRACE_ZONE_RECURSIVE: after this cursors know.
 * trace_stats() does it by itself. Costs a pass over all zones, once; nothing for newer files.
 */
int trace_find_recursion(struct trace *trace);

/* One entry per source location that has a zone; by total, largest first. Freed by the caller. */
int trace_stats(struct trace *trace, const struct trace_filter *filter, struct trace_stat **stats,
		size_t *count, struct tacho_error *err);

/* --------------------------------------------------------- level of detail */

/*
 * What is visible of a lane between t0 and t1 at WIDTH pixels. An item is a single zone of at least
 * one pixel, or several smaller ones merged: those that start in one pixel and have no gap of a
 * pixel between them. Every zone of a pixel or more that overlaps the view is given singly; every
 * pixel that a zone touches is touched by an item and no other is; counts and busy add up to those
 * of the zones in view. At the edges a merged item may hold zones that lie less than a pixel
 * outside. Times are those of the zones, not cut at the edges.
 */
struct trace_lod_item {
	uint64_t start, end; /* ticks */
	uint64_t count;      /* 1 = a single zone */
	uint64_t busy;       /* ticks covered by zones */
	uint64_t index;  /* in the lane, from 0: of the single zone, or of the longest merged one */
	uint32_t srcloc; /* of that zone; TRACE_NONE when it was not looked up (merged) */
};

/*
 * The same as a strip of pixels. All zones in view are in BUSY; of those of a pixel and more the
 * one that covers most of a pixel is its name, and those of WIDE pixels and more are items of their
 * own. A pixel that is touched has more than 0 in BUSY. Where zones lie that are smaller than a
 * pixel is known to a pixel.
 */
struct trace_strip {
	uint64_t t0, t1; /* ticks; t1 > t0, at most INT64_MAX after it */
	uint32_t width;  /* pixels, at most TRACE_STRIP_WIDTH */
	double wide;     /* pixels */
	/*
	 * Whether pixels are 2^RES ns, the first of them number PIXEL from trace_ns() = 0 on, and
	 * T0 and T1 are where trace_ticks() says: then it may be answered from what was made
	 * beforehand.
	 */
	bool on_grid;
	uint32_t res;
	uint64_t pixel;
	bool any;    /* is there a zone in view? */
	float *busy; /* share of each pixel that zones cover */
	float *lead; /* share that its name covers; 0: no name */
	uint32_t *name;
	struct trace_lod_item *items; /* grown with realloc */
	size_t count, cap;
};

#define TRACE_STRIP_WIDTH 65536u

/* Begins with an empty strip: of BUSY and LEAD all, of ITEMS nothing. */
void trace_strip_clear(struct trace_strip *s);
/* Adds one item to what is there. */
int trace_strip_add(struct trace_strip *s, const struct trace_lod_item *item);

struct trace_lod;
/*
 * Opens the index of a trace; builds it when it is missing, stale or damaged. It is cached in DIR,
 * or in the cache folder when DIR is NULL ($XDG_CACHE_HOME/tacho or ~/.cache/tacho), or in memory
 * when it cannot be written. A damaged block that is found later makes a query build the index
 * again. Close it before the trace.
 */
int trace_lod_open(struct trace_lod **lod, struct trace *trace, const char *dir,
		   struct tacho_error *err);
void trace_lod_close(struct trace_lod *lod);
/*
 * "FOLDER/UUID-SIZE-NAME", the place of something derived from a saved trace, in the folder of the
 * indices; NAME is 16 digits and ".answer". Freed by the caller; NULL: there is no such folder.
 */
char *trace_cache_path(const struct trace *trace, const char *name);
/* Removes the files beside PATH that were not used for long, and the oldest of too many. */
void trace_cache_trim(const char *path);
/*
 * After trace_refresh() of a trace that is followed: adds what is new. The index of such a trace is
 * in a file without a name.
 */
int trace_lod_refresh(struct trace_lod *lod, struct tacho_error *err);
uint64_t trace_lod_size(const struct trace_lod *lod); /* bytes */
/* Bytes of it in memory, and how many of those may be blocks that are in the file as well. */
uint64_t trace_lod_memory(const struct trace_lod *lod);
void trace_lod_set_cache(struct trace_lod *lod, uint64_t bytes);
/* Appends to ITEMS (grown with realloc, *cap) from *count on. */
int trace_lod_query(struct trace_lod *lod, uint32_t lane, uint64_t t0, uint64_t t1, uint32_t width,
		    struct trace_lod_item **items, size_t *count, size_t *cap);

/* Adds the zones of a lane to the strip. */
int trace_lod_strip(struct trace_lod *lod, uint32_t lane, struct trace_strip *strip);

/* ------------------------------------------------------------------ check */

struct trace_check {
	uint64_t blocks, zones, rows;
	uint64_t errors;
	char first_error[200];          /* one line; "" when errors == 0 */
	uint64_t emitted, stored, lost; /* zones + rows over all ledgers */
};

/* Reads every byte: checksums, order in lanes, ids, counts, ledgers, index against blocks. */
int trace_check(struct trace *trace, struct trace_check *result, struct tacho_error *err);

#endif
