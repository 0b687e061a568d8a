/*
 * The inside of libtacho_device: it runs in the user's program. Reading order: open.c (a device and
 * its firmware), buffer.c, program.c (what a program consists of), build.c (kernels to ELF files,
 * with a cache), launch.c (a program onto the cores and back), report.c (why it did not work).
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "device/log.h"
#include "device/op.h"
#include "device/prof_decode.h"
#include "device/sync.h"
#include "tensix/elf.h"

#include <tacho/device.h>
#include <tacho/device_ops.h>
#include <tacho/tacho.h>

#include <stdbool.h>
#include <sys/types.h>

#define DEVICE_RISCS 5
#define DEVICES_MAX  1024u /* in a process: the id of an op has no room for more */

/* The error of the calling thread. Both return CODE. */
struct tacho_error *device_error(void);
int device_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with a text of any length. */
int device_fail_text(int code, const char *text);

/* A kernel or firmware, built. Kept by the device until it is closed; shared by content. */
struct binary {
	uint64_t key;
	char *path;
	char *source; /* as the user gave it; firmware: NULL */
	uint8_t *bytes;
	size_t size;
	struct elf_image elf;
	uint8_t *text; /* image to be put at .load */
	uint32_t load, text_size;
	uint32_t zones_from, zones; /* numbers of its zones */
	struct binary *next;
};

/* What is compiled: one source for one RISC. */
struct build {
	const char *source;
	unsigned risc; /* 0 to 4 */
	bool firmware, ethernet;
	bool builtin;                 /* a kernel of ours, beside the firmware */
	const char *const *defines;   /* "NAME=VALUE", NULL at the end */
	const char *const *includes;  /* folders, NULL at the end; may be NULL */
	const char *prologue;         /* text before the kernel; may be NULL */
	const char *text;             /* the kernel itself: SOURCE is only its name; may be NULL */
	const struct binary *symbols; /* of the firmware, for kernels */
};

struct device_core {
	struct tacho_device_core info;
	const struct binary *loaded[DEVICE_RISCS]; /* kernels that are in its L1 */
	uint32_t enables;                          /* bits of the RISCs that have a kernel */
	bool busy;                                 /* a program runs on it */
	const struct tacho_program *program;       /* the last one */
};

/* A program that is run by a trace, and the op that it was when it was taken down. */
struct traced {
	struct tacho_program *program;
	uint32_t op;
};

/* A list of programs. */
struct tacho_trace {
	struct tacho_device *device;
	uint32_t number;
	uint32_t replays;   /* in this recording */
	uint32_t recording; /* that knows its ops; 0: none */
	struct {
		VEC(char *);
	} ops; /* their messages, for recordings that begin later */
	VEC(struct traced);
};

/* What replay number k of a device was, at k - 1. */
struct device_replay {
	uint32_t trace, replay; /* both from 1 */
};

struct range_free {
	uint64_t address, size;
};

struct prof_loss {
	uint64_t markers, runs_cut;
};

/* Words of one RISC that the host took out of its L1 in this run. */
struct prof_stream {
	uint32_t at, taken; /* next word of the ring; words in all */
	VEC(uint32_t);
};

struct prof_items {
	VEC(struct prof_item);
};

/* Markers that cannot be trusted, and the first place of them. */
struct prof_damage {
	uint64_t markers;
	unsigned core, risc;
	uint32_t op;
};

/* The first RISC whose area in DRAM was full, the words it held, and how often any was. */
struct prof_full {
	unsigned core, risc;
	uint32_t words;
	uint64_t riscs;
};

/* The kernel profiler, when it is on. */
struct prof {
	bool classic;                /* buffers are emptied only when they are read */
	bool mid_run;                /* and they are read after each program */
	unsigned noc_events;         /* PROFILE_NOC_EVENTS */
	unsigned counters;           /* PROFILE_PERF_COUNTERS */
	uint32_t area;               /* bytes of DRAM per RISC */
	uint32_t per_bank;           /* cores whose areas are in one bank */
	struct prof_reader *readers; /* per core and RISC */
	struct prof_loss *lost;
	uint64_t losses;
	struct prof_damage damage;
	struct prof_full full;
	struct prof_counts counts;
	uint64_t begun;              /* cycles at which the last program had not begun yet */
	uint32_t *words;             /* one area */
	struct prof_items items;     /* not yet handed over */
	bool changing;               /* they are being put there, or written to the log */
	struct prof_stream *streams; /* per core and RISC */
	uint32_t *runs;              /* per core: how many it had counted */
	uint64_t waited; /* cycles that RISCs waited for the host to take their markers */
	struct device_log log;
	bool no_tracks;     /* zones are not put onto the recording's tracks */
	uint64_t forgotten; /* items that nobody asked for in time */
	struct device_sync sync;
	struct sync_classic *classic_sync; /* NULL: not asked for */
	struct {
		VEC(uint32_t);
	} srclocs;              /* by zone number: libtacho's, 0 = not yet asked for */
	uint32_t fixed[2][256]; /* those of counters, of transfers */
	uint32_t *named;        /* per core and RISC: the recording in which its track was named */
};

/* Zones by the 16-bit hash of "NAME,FILE,LINE,KERNEL_PROFILER". */
struct zone_name {
	char *name, *file; /* name: "A or B" when two zones have one number */
	uint32_t line;
	bool collision;
};

struct zone_names {
	VEC(struct zone_name);
	struct map index;
	uint64_t malformed; /* lines of logs that could not be read */
};

struct tacho_device {
	const struct tacho_device_ops *ops;
	void *self;
	unsigned number;
	struct tacho_device *mesh_next; /* linked devices, a ring */
	struct tacho_device_shape shape;
	struct tacho_device_options options;
	struct device_core *cores;
	unsigned workers; /* Tensix cores */
	const struct binary *firmware[DEVICE_RISCS], *ethernet_firmware;
	int dispatch_core; /* that starts the others, or -1: the host does */
	unsigned dispatch_staged;
	const struct binary *dispatch_fw[2], *dispatch_kernel[2];
	struct binary *binaries;
	struct map warned; /* hashes of what the compiler said */
	uint32_t next_zone;
	struct zone_names names; /* of zones that have no number of ours */
	uint32_t l1_top;         /* L1 below it is free for circular buffers */
	struct {
		VEC(struct range_free);
	} space[2]; /* free ranges per bank, by enum tacho_memory */
	uint32_t next_trace;
	struct tacho_trace *capture; /* programs are taken down, not run */
	struct {
		VEC(struct device_replay);
	} replayed;
	struct map traced;      /* base number of an op to the trace that holds it */
	struct op_group *group; /* that runs belong to, or NULL */
	struct {
		VEC(char *);
	} op_names; /* when files are called by them; their numbers + 1: */
	struct map names_by_hash, names_by_op;
	struct map known; /* hashes of ops that ran to the recording that knows them, or 0 */
	uint32_t last_op;
	uint32_t described;       /* the recording that was told what this device is */
	struct device_point told; /* last, to a recording */
	bool numbered;
	unsigned lock; /* guard.c */
	unsigned held; /* calls of one thread, in each other */
	pid_t pid;     /* of the process that opened it; 0: it is not open yet */
	bool hashed;   /* zones are numbered by hashes */
	bool trimmed;  /* the cache of kernels */
	bool running;
	uint32_t running_op;    /* 0: none */
	volatile bool stepping; /* this thread is in ops->run(), unless a handler of it is */
	bool broken;            /* a fault: only closing helps */
	unsigned profile;       /* PROFILE_KERNEL */
	struct prof *prof;      /* NULL: off */
	struct dprint *dprint;  /* NULL: kernels do not print */
};

/* ---- open.c ---- */
/* Makes a device of any implementation; SELF is closed with it, also when this fails. */
int device_open_with(struct tacho_device **out, const struct tacho_device_ops *ops, void *self,
		     const struct tacho_device_options *options);
/* Number of the core at logical coordinates, or a failure. */
int device_core_at(const struct tacho_device *d, bool ethernet, unsigned x, unsigned y);

/* jal x0: what stands at 0 of L1. */
uint32_t core_jump(uint32_t offset);

/* Waits for what runs and puts all that was recorded where it belongs. The device stays open. */
void device_settle(struct tacho_device *d);

/* ---- guard.c ---- */
/* The device is this thread's until the end of the block. */
#define DEVICE_HOLD(d)                                                                      \
	struct tacho_device *device_held __attribute__((cleanup(device_release), unused)) = \
		device_hold(d)
struct tacho_device *device_hold(const struct tacho_device *d);
void device_release(struct tacho_device **held);
/* Calls LINK while both are held: they are one thread's at a time together from now on. */
int guard_link(struct tacho_device *a, struct tacho_device *b, int (*link)(void *), void *context);
/* It has its number; it is open, so exit() has to care for it; it is about to be freed. */
void guard_init(struct tacho_device *d);
void guard_open(struct tacho_device *d);
void guard_close(struct tacho_device *d);
/* The process is about to end: all devices are settled. */
void guard_leave(void);

/* ---- interrupt.c ---- */
/* Around waiting for a device: signals that end the program wait, too. The last to come out lets
 * the signal have its way. */
void interrupt_begin(void);
void interrupt_end(void);
/* The signal that came since, 0: none; and its name. */
int interrupt_noted(void);
const char *interrupt_name(void);
/* The program's own handler of SIGINT was called since, and waits are to end by it. */
bool interrupt_broken_off(void);

/* ---- number.c ---- */
/* Gives the device its number, for as long as it is open. */
int number_take(struct tacho_device *d);
/* While nobody had it open its clock went on as well: so the line through the points of a recording
 * has no kink there. */
void number_go_on(struct tacho_device *d);
void number_give(struct tacho_device *d);

/* ---- describe.c ---- */
/* Tells the recording what the device is, once. */
void device_describe(struct tacho_device *d);
/* A message for reports: so many markers of a RISC's run of OP cannot be trusted. */
void device_tell_damaged(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t op,
			 uint64_t markers);
/* And that a RISC's area in DRAM, of which it has used WORDS, had no room for all its markers. */
void device_tell_full(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t words);
/* Warns on standard error, when the device is closed: nobody may have recorded the messages. */
void device_warn_losses(const struct tacho_device *d);

/* ---- env.c ---- */
/* The number in an environment variable; OTHERWISE when it is not set or none. */
unsigned env_number(const char *name, unsigned otherwise);
/* Warns of what variable NAME says, once in a process. */
void env_warn(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Warns, once, of variables of the profiler that are none. */
void env_check(void);

/* ---- backend.c ---- */
int backend_tensix(const struct tacho_device_ops **ops, void **self,
		   const struct tacho_device_options *options, unsigned number);
/* Ticks of this machine's counter per second; measured once. */
double backend_tick_rate(void);

/* ---- build.c ---- */
/* A whole file; a 0 follows its bytes. The caller frees them. */
int device_read_file(const char *path, uint8_t **bytes, size_t *size);
/* Finds it in memory, in the cache, or compiles it. */
int build_binary(struct tacho_device *d, const struct build *build, const struct binary **out);
/* The error of a set-user-id program: it neither compiles nor loads anything. */
int build_refuse(void);
void binary_free(struct binary *b);
/* Path of a source of our own, NAME below firmware/src. */
int build_own_source(const char *name, char *path, size_t size);
/* FNV-1a of bytes, from BUILD_HASH or what came before them. */
#define BUILD_HASH 0xcbf29ce484222325ull
uint64_t build_hash(uint64_t h, const void *bytes, size_t len);

/* ---- source.c: what the compiler reads ---- */
bool source_is_cpp(const char *path);
/* FIRMWARE: the folder; PATH: the kernel's, when B has no text. */
int source_text(struct buf *out, const struct build *b, const char *firmware, const char *path);

/* ---- cache.c: the folder of compiled kernels ---- */
int kernels_folder(char *path, size_t size);
int kernels_writable(const char *folder);
/* The files of one are used; one was added, so others may have to go: once per device. */
void kernels_used(const char *elf, const char *deps);
void kernels_trim(struct tacho_device *d, const char *folder);

/* ---- names.c ---- */
uint16_t names_hash(const char *text, size_t len);
/* The zones that a compiler's log tells, added to NAMES; lines of anything else are passed over. */
int names_take(struct zone_names *names, const char *text, size_t len);
int names_read(struct zone_names *names, const char *path);
const struct zone_name *names_find(const struct zone_names *names, uint16_t id);
void names_free(struct zone_names *names);
/* Kind of a NoC event, kind of a counter: never NULL. */
const char *prof_noc_name(unsigned type);
const char *prof_counter_name(unsigned type);
/* ---- modes.c ---- */
/* What was not sent to DRAM because runs are accumulated or traces taken as a whole. CONTROL is
 * changed; true: it has to be written back. */
bool prof_drain_l1(struct tacho_device *d, unsigned core, uint32_t *control);
/* Of whole traces there is one track for all RISCs of a core. */
const char *prof_risc_name(const struct tacho_device *d, unsigned risc, bool ethernet);
/* What the environment asks for: d->profile, counters, names. */
int prof_modes(struct tacho_device *d);
/* Bits of PROFILE_PERF_COUNTERS from a number or a list of names. */
int prof_counter_groups(const char *text, unsigned *groups);

/* ---- dispatch.c ---- */
/* Takes a row of the grid when dispatch cores are profiled. */
int dispatch_reserve(struct tacho_device *d);
bool dispatch_has(const struct tacho_device *d, unsigned core);
int dispatch_build(struct tacho_device *d);
const struct binary *dispatch_firmware(const struct tacho_device *d, unsigned core, unsigned risc);
/* A worker's launch message is handed to it by the dispatch core ... */
int dispatch_stage(struct tacho_device *d, unsigned core, const uint8_t *message);
/* ... which has one of its own. */
int dispatch_go(struct tacho_device *d, uint32_t op, uint8_t *message);

/* ---- launch.c ---- */
int device_wait(struct tacho_device *d);
int core_write(struct tacho_device *d, unsigned core, uint32_t address, const void *data,
	       size_t len);

/* Puts a kernel's text into L1 of a core, unless it is there. */
int launch_text(struct tacho_device *d, unsigned core, unsigned risc, const struct binary *b);

/* A program onto the cores, as op number OP (0: none). */
int launch_program(struct tacho_device *d, struct tacho_program *p, uint32_t op);

/* ---- op.c ---- */
/* What an op is called in logs and on tracks: 0 stays 0. */
uint64_t op_id(const struct tacho_device *d, uint32_t base);
/* Around the start of a program: the op that it is, or the group's that it belongs to. */
struct op_run {
	struct tacho_zone zone;
	uint32_t base; /* 0: none */
	bool grouped;
};
struct op_run op_run_begin(struct tacho_device *d, const struct tacho_program *p);
void op_run_end(struct tacho_device *d, struct tacho_program *p, struct op_run run);
/* What an op is called, "" when that was not kept. */
const char *op_name(const struct tacho_device *d, uint32_t base);
/* The base number of the last op of the process. */
uint32_t op_last(void);
bool op_in_group(const struct tacho_device *d);
/* The device is closed, in whatever state. */
void op_forget(struct tacho_device *d);

/* ---- replay.c ---- */
int replay_take(struct tacho_device *d, struct tacho_program *p, uint32_t op);
/* An op of the trace, for recordings that begin later. */
void replay_keep(struct tacho_trace *t, const struct op_form *form, const struct op_call *call);
/* Which replay a run was that recorded op OP and replay counter COUNTER; false: none. */
bool replay_find(const struct tacho_device *d, uint32_t op, uint32_t counter,
		 struct device_replay *replayed);

/* ---- prof.c ---- */
int prof_configure(struct tacho_device *d);
/* The firmware runs; the device is about to be closed. */
int prof_open(struct tacho_device *d);
/* All that was recorded goes to tracks and logs: for the last time. */
void prof_settle(struct tacho_device *d);
void prof_close(struct tacho_device *d);
int prof_start_core(struct tacho_device *d, unsigned core);
void prof_drain(struct tacho_device *d, bool full);
/* Decodes words of one RISC. CUT: its area was full. */
void prof_take(struct tacho_device *d, unsigned core, unsigned risc, const uint32_t *words,
	       size_t n, bool cut);
/* So many markers of a RISC's run of OP cannot be trusted: they count as lost. */
void prof_damaged(struct tacho_device *d, unsigned core, unsigned risc, uint32_t op,
		  uint64_t markers);
/* A program is about to start; one runs (from time to time; true: something was taken, so it may go
 * on); one has ended. */
void prof_begin(struct tacho_device *d);
bool prof_running(struct tacho_device *d);
void prof_end(struct tacho_device *d);
/* Name, file and line of a zone number. */
void prof_name(const struct tacho_device *d, uint16_t id, struct tacho_device_event *e);

/* ---- prof_stream.c ---- */
bool drain_is_on(const struct tacho_device *d);
/* Cycles that the device may run before the host looks again. */
uint64_t drain_step(const struct tacho_device *d);
/* Empties a core's buffers: what a kernel left in them must not be taken for markers. */
int drain_clear_core(struct tacho_device *d, unsigned core);
void drain_begin(struct tacho_device *d);
bool drain_poll(struct tacho_device *d);
/* All of a run of one core. CONTROL is changed; true: it has to be written back. */
bool drain_end_core(struct tacho_device *d, unsigned core, uint32_t *control);
void drain_free(struct tacho_device *d);

/* ---- tracks.c ---- */
/* Puts the zones of one RISC, N items in the order in which they ended, onto its track. */
void tracks_put(struct tacho_device *d, unsigned core, unsigned risc, const struct prof_item *items,
		size_t n);
/* The RISC could not keep so many markers (0: nobody counted them). */
void tracks_lost(struct tacho_device *d, unsigned core, unsigned risc, uint64_t markers);
/* So many of its markers were overwritten. */
void tracks_damaged(struct tacho_device *d, unsigned core, unsigned risc, uint64_t markers);
/* DRAM below it is not for buffers. */
uint64_t prof_dram_end(const struct tacho_device *d);

/* ---- report.c ---- */
void report_fault(struct tacho_device *d, const struct tacho_device_risc *r, struct buf *text);
/* All 32, eight a line. */
void report_registers(const uint32_t *x, struct buf *text);
void report_waiting(struct tacho_device *d, struct buf *text);
/* The op that runs and the first RISC that is in its kernel, behind the beginning of a line. */
void report_unfinished(struct tacho_device *d, struct buf *text);
const char *risc_name(unsigned risc, bool ethernet);

/* ---- program.c ---- */
struct program_args {
	unsigned core;
	VEC(uint32_t);
};

/* A set of cores: ranges that may overlap. */
struct core_set {
	VEC(struct tacho_core_range);
};

struct program_kernel {
	char *source;
	enum tacho_risc risc;
	enum tacho_fidelity fidelity;
	enum tacho_noc noc;
	struct core_set cores;
	char **defines;        /* NULL at the end */
	char **includes;       /* likewise */
	char *prologue, *text; /* may be NULL */
	struct {
		VEC(struct program_args);
	} args;
	struct program_args common;
	const struct binary *binary[DEVICE_RISCS]; /* by RISC; NULL where it does not run */
};

struct program_cb {
	struct tacho_cb conf; /* its ranges are not kept */
	struct core_set cores;
	uint32_t address;
};

struct program_sem {
	struct core_set cores;
	unsigned number;
	uint32_t value;
};

struct tacho_program {
	struct tacho_device *device;
	struct {
		VEC(struct program_kernel);
	} kernels;
	struct {
		VEC(struct program_cb);
	} cbs;
	struct {
		VEC(struct program_sem);
	} sems;
	bool compiled;
	struct program_op op;
};

/* ---- ranges.c ---- */
bool range_has(const struct tacho_core_range *range, unsigned x, unsigned y);
/* Checks and copies COUNT ranges, or the one when RANGES is NULL. */
int core_set_make(struct core_set *set, const struct tacho_device *d, bool ethernet,
		  const struct tacho_core_range *ranges, unsigned count,
		  const struct tacho_core_range *one);
bool core_set_has(const struct core_set *set, unsigned x, unsigned y);
/* Have they a core in common? FIRST (may be NULL) gets one. */
bool core_set_meets(const struct core_set *a, const struct core_set *b, struct tacho_core *first);

/* ---- cbs.c ---- */
/* Circular buffers must not reach into L1 buffers that came after them. */
int cbs_check(const struct tacho_program *p);
void cbs_free(struct tacho_program *p);

#endif
