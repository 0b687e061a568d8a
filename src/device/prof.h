/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the kernel profiler: what it asks for (modes.c), reads (prof.c, prof_stream.c) and
 * records (tracks.c). */
#ifndef DEVICE_PROF_H
#define DEVICE_PROF_H

#include "device/device.h"
#include "device/log.h"
#include "device/prof_decode.h"
#include "device/sync.h"

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

/* Kind of a NoC event, kind of a counter: never NULL. */
const char *prof_noc_name(unsigned type);
const char *prof_counter_name(unsigned type);

#endif
