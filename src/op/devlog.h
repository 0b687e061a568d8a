/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The markers of devices in memory, for code that needs all of them: ops whose replays are
 * distinguished by their firmware's starts and ends, counters, dispatch cores. The device log
 * (src/ttlog) and a trace (op/trace_source.h) fill it. A marker takes 24 bytes; names, cores and
 * programs become numbers. devlog_sort() then groups the markers by program and sorts each group by
 * time.
 */
#ifndef OP_DEVLOG_H
#define OP_DEVLOG_H

#include "base/arch.h"
#include "base/map.h"
#include "base/vec.h"
#include "op/issues.h"
#include "op/names.h"

enum devlog_type {
	DEVLOG_START,
	DEVLOG_END,
	DEVLOG_TOTAL,
	DEVLOG_DATA,
	DEVLOG_EVENT,
	DEVLOG_OTHER,
	DEVLOG_TYPE_MASK = 7,
	DEVLOG_NO_TIMER = 8, /* flag: its timer id is 0, so it is not part of an op */
};

struct devlog_marker {
	uint64_t time;
	uint32_t run;  /* index into runs */
	uint32_t zone; /* index into zones */
	uint32_t meta; /* index + 1 into metas */
	uint16_t core; /* index into cores */
	uint8_t lane;  /* which of the core's RISCs, in order of appearance */
	uint8_t type;  /* enum devlog_type with the flag */
};

#define DEVLOG_LANES   64
#define DEVLOG_DEVICES 1024 /* an op id has ten bits for the device */

struct devlog_core {
	int64_t device;
	int32_t x, y;
	bool dispatch; /* runs the command queue, no kernels */
	uint8_t lanes;
	uint32_t names[DEVLOG_LANES]; /* of the RISC, in risc_names */
	uint8_t riscs[DEVLOG_LANES];  /* enum arch_risc */
};

/* One program: a device and a run host id. */
struct devlog_group {
	int64_t device;
	uint64_t id;
	uint64_t line;   /* where it appears first */
	size_t first, n; /* its markers, after devlog_sort() */
};

/* One execution of it, with its trace and replay. */
struct devlog_run {
	uint32_t group;
	int64_t trace, session; /* OP_NONE */
	int64_t sub_device;     /* OP_NONE */
};

enum devlog_meta_kind { DEVLOG_META_DATA, DEVLOG_META_WORKER, DEVLOG_META_COMMAND };

struct devlog_meta {
	enum devlog_meta_kind kind;
	uint64_t value; /* data; workers' runtime id; or the command, an index into commands */
};

struct devlog_counter {
	uint32_t run;
	uint16_t core;
	uint16_t type; /* index into counter_names */
	uint64_t time, value, ref;
};

/* A device that differs from the log's head, which can describe only one kind. */
struct devlog_other {
	int64_t device;
	uint32_t mhz;
	int64_t max_cores;
};

#define DEVLOG_CHUNK 65536 /* markers */

struct devlog_chunk {
	struct devlog_chunk *next;
	size_t n;
	struct devlog_marker m[DEVLOG_CHUNK];
};

struct devlog {
	char arch[32];     /* empty: unknown */
	uint32_t mhz;      /* 0: unknown */
	int64_t max_cores; /* OP_NONE: unknown */
	struct {
		VEC(struct devlog_other);
	} others; /* known when it comes from a trace */
	bool quasar;
	uint64_t rows;
	struct {
		VEC(int64_t);
	} devices; /* in order of appearance */
	struct {
		VEC(struct devlog_core);
	} cores;
	struct {
		VEC(struct devlog_group);
	} groups;
	struct {
		VEC(struct devlog_run);
	} runs;
	struct {
		VEC(struct devlog_meta);
	} metas;
	struct {
		VEC(struct devlog_counter);
	} counters;
	struct op_names zones, risc_names, commands, counter_names;
	struct {
		VEC(uint32_t);
	} zone_flags;
	struct map core_map, group_map, run_map;
	struct devlog_chunk *chunks, *last_chunk; /* while reading */
	struct devlog_marker *markers;            /* after devlog_sort() */
	size_t n;
};

enum devlog_want {
	DEVLOG_ALL,
	DEVLOG_SUB_DEVICES, /* only rows that name a sub-device: no markers */
};

/* Fills dev->markers, each group's part sorted by (time, core, RISC, place in the file). */
int devlog_sort(struct devlog *dev, struct tacho_error *err);

/* Sorts markers the same way; TMP has room for N. */
void devlog_sort_markers(struct devlog_marker *m, struct devlog_marker *tmp, size_t n);

static inline enum arch_risc devlog_risc(const struct devlog *dev, const struct devlog_marker *m)
{
	return (enum arch_risc)dev->cores.v[m->core].riscs[m->lane];
}

/* ---- adding: each returns an index, TACHO_ENOMEM, or TACHO_ELIMIT when there are too many ---- */

int64_t devlog_core_add(struct devlog *dev, int64_t device, uint64_t x, uint64_t y);
int64_t devlog_lane_add(struct devlog *dev, struct devlog_core *core, const char *risc, size_t len);
/* LINE: its place in the source, if the run is new. */
int64_t devlog_run_add(struct devlog *dev, int64_t device, uint64_t id, int64_t trace,
		       int64_t session, uint64_t line);
int64_t devlog_zone_add(struct devlog *dev, const char *name, size_t len);

/* Further properties of a marker. */
struct devlog_extra {
	bool no_timer;   /* its timer id is 0 */
	bool ethernet;   /* its core is an Ethernet core */
	bool has_data;   /* data is one */
	bool is_counter; /* a performance counter: by name, data and ref, or by its meta data */
	uint64_t data, ref;
	struct op_text counter;
	struct op_text meta; /* JSON */
};

/* M has core, lane, run, zone, type and time. */
int devlog_put(struct devlog *dev, struct devlog_marker *m, struct devlog_extra *extra,
	       enum devlog_want want);

/* Digits only, at least one. */
bool devlog_number(struct op_text text, uint64_t *value);

/* Frequency and compute cores of a device. */
uint32_t devlog_mhz(const struct devlog *dev, int64_t device);
int64_t devlog_max_cores(const struct devlog *dev, int64_t device);

/* The run of (device, id, trace, session); NULL if the log has none. */
const struct devlog_run *devlog_find_run(const struct devlog *dev, int64_t device, uint64_t id,
					 int64_t trace, int64_t session);

/* The caller zeroes DEV before its first use. */
void devlog_free(struct devlog *dev);

#endif
