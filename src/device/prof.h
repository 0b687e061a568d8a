/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the kernel profiler: its modes (modes.c), its buffers (prof.c, prof_stream.c) and its
 * tracks (tracks.c).
 */
#ifndef DEVICE_PROF_H
#define DEVICE_PROF_H

#include "device/device.h"
#include "device/log.h"
#include "device/prof_decode.h"
#include "device/sync.h"
#include "op/marker.h"

struct prof_loss {
	uint64_t markers, runs_cut;
};

/* Words of one RISC that the host read from its L1 in this run. */
struct prof_stream {
	uint32_t at, taken; /* next word of the ring; words in total */
	VEC(uint32_t);
};

struct prof_items {
	VEC(struct prof_item);
};

/* Untrusted markers, and where the first one was. */
struct prof_damage {
	uint64_t markers;
	unsigned core, risc;
	uint32_t op;
};

/* The first RISC whose area in DRAM was full, its words, and how often any area was full. */
struct prof_full {
	unsigned core, risc;
	uint32_t words;
	uint64_t riscs;
};

/* State of the kernel profiler, when it is on. */
struct prof {
	bool classic;                /* buffers are drained only on a read */
	bool mid_run;                /* and read after each program */
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
	uint64_t begun;              /* a time in cycles before the start of the last program */
	uint32_t *words;             /* one area */
	struct prof_items items;     /* not yet handed over */
	bool changing;               /* they are being stored, or written to the log */
	struct prof_stream *streams; /* per core and RISC */
	uint32_t *runs;              /* per core: its last count */
	uint64_t waited; /* cycles that RISCs waited for the host to drain their markers */
	struct device_log log;
	bool no_tracks;     /* no zones on the recording's tracks */
	uint64_t forgotten; /* items that were not read in time */
	struct device_sync sync;
	struct sync_classic *classic_sync; /* NULL: not requested */
	struct {
		VEC(uint32_t);
	} srclocs;              /* by zone number: libtacho's, 0 = not requested yet */
	uint32_t fixed[2][256]; /* those of counters, of transfers */
	uint32_t *named;        /* per core and RISC: the recording in which its track was named */
};

/* ---- modes.c ---- */
/*
 * Handles words that stayed in L1 because runs are accumulated or traces read as a whole. Changes
 * CONTROL; true: write it back.
 */
bool prof_drain_l1(struct tacho_device *d, unsigned core, uint32_t *control);
/* Whole traces have one track for all RISCs of a core. */
const char *prof_risc_name(const struct tacho_device *d, unsigned risc, bool ethernet);
/* Reads the environment: d->profile, counters, names. */
int prof_modes(struct tacho_device *d);
/* Bits of PROFILE_PERF_COUNTERS from a number or a list of names. */
int prof_counter_groups(const char *text, unsigned *groups);

/* ---- prof.c ---- */
int prof_configure(struct tacho_device *d);
/* Called when the firmware runs; when the device is about to be closed. */
int prof_open(struct tacho_device *d);
/* Writes all recorded data to tracks and logs, for the last time. */
void prof_settle(struct tacho_device *d);
void prof_close(struct tacho_device *d);
int prof_start_core(struct tacho_device *d, unsigned core);
void prof_drain(struct tacho_device *d, bool full);
/* Decodes words of one RISC. CUT: its area was full. */
void prof_take(struct tacho_device *d, unsigned core, unsigned risc, const uint32_t *words,
	       size_t n, bool cut);
/* This many markers of a RISC's run of OP cannot be trusted: they count as lost. */
void prof_damaged(struct tacho_device *d, unsigned core, unsigned risc, uint32_t op,
		  uint64_t markers);
/*
 * Called when a program is about to start; now and then while it runs (true: something was drained,
 * so it may continue); and when it has ended.
 */
void prof_begin(struct tacho_device *d);
bool prof_running(struct tacho_device *d);
void prof_end(struct tacho_device *d);
/* Name, file and line of a zone number. */
void prof_name(const struct tacho_device *d, uint16_t id, struct tacho_device_event *e);

/* ---- prof_stream.c ---- */
bool drain_is_on(const struct tacho_device *d);
/* Cycles that the device may run until the host polls again. */
uint64_t drain_step(const struct tacho_device *d);
/* Clears a core's buffers: data that a kernel left in them must not pass for markers. */
int drain_clear_core(struct tacho_device *d, unsigned core);
void drain_begin(struct tacho_device *d);
bool drain_poll(struct tacho_device *d);
/* Reads a whole run of one core. Changes CONTROL; true: write it back. */
bool drain_end_core(struct tacho_device *d, unsigned core, uint32_t *control);
void drain_free(struct tacho_device *d);

/* ---- tracks.c ---- */
enum trace_marker_kind prof_item_kind(const struct prof_item *item);
/* The data of an item, of a counter its value and cycles; returns their number. */
uint8_t prof_item_values(const struct prof_item *item, uint64_t values[2]);
/* Writes the zones of one RISC, N items in the order of their ends, to its track. */
void tracks_put(struct tacho_device *d, unsigned core, unsigned risc, const struct prof_item *items,
		size_t n);
/* The RISC had no room for this many markers (0: not counted). */
void tracks_lost(struct tacho_device *d, unsigned core, unsigned risc, uint64_t markers);
/* This many of its markers were overwritten. */
void tracks_damaged(struct tacho_device *d, unsigned core, unsigned risc, uint64_t markers);
/* DRAM below this address is reserved. */
uint64_t prof_dram_end(const struct tacho_device *d);

/* Kind of a NoC event, kind of a counter: never NULL. */
const char *prof_noc_name(unsigned type);
const char *prof_counter_name(unsigned type);

#endif
