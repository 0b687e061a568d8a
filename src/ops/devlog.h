/*
 * profile_log_device.csv: every marker that every RISC of every core wrote.
 *
 *	line 1	ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64
 *	line 2	names of the columns; they have changed over the years and are found by name
 *	then	one marker a line, unquoted, dump by dump, so the file is not sorted by time
 *
 * The reader makes one pass. A marker is kept in 24 bytes; names, cores and programs become
 *numbers. After reading, devlog_sort() brings the markers together by program and sorts each by
 *time.
 */
#ifndef OPS_DEVLOG_H
#define OPS_DEVLOG_H

#include "base/map.h"
#include "base/vec.h"
#include "ops/issues.h"
#include "ops/names.h"

#define OPS_DEVICE_FILE "profile_log_device.csv"

/* RISCs that the analyses ask for; all others are DEVLOG_RISC_OTHER. */
#define DEVLOG_RISCS(X)               \
	X(BRISC, "BRISC")             \
	X(NCRISC, "NCRISC")           \
	X(TRISC_0, "TRISC_0")         \
	X(TRISC_1, "TRISC_1")         \
	X(TRISC_2, "TRISC_2")         \
	X(ERISC, "ERISC")             \
	X(AGG, "TENSIX_RISC_AGG")     \
	X(QUASAR_DM0, "QUASAR_DM0")   \
	X(QUASAR_DM, "QUASAR_DM")     \
	X(QUASAR_TRISC, "QUASAR_NEO") \
	X(OTHER, "")

enum devlog_risc {
#define X(id, name) DEVLOG_RISC_##id,
	DEVLOG_RISCS(X)
#undef X
};

enum devlog_type {
	DEVLOG_START,
	DEVLOG_END,
	DEVLOG_TOTAL,
	DEVLOG_DATA,
	DEVLOG_EVENT,
	DEVLOG_OTHER,
	DEVLOG_TYPE_MASK = 7,
	DEVLOG_NO_TIMER = 8, /* flag: its timer id is 0, so it is no part of an op */
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
	uint8_t riscs[DEVLOG_LANES];  /* enum devlog_risc */
};

/* What a zone's name says to the analyses. */
enum devlog_zone_flag {
	DEVLOG_Z_FW = 1 << 0,     /* BRISC-FW and its kind */
	DEVLOG_Z_KERNEL = 1 << 1, /* BRISC-KERNEL and its kind */
	DEVLOG_Z_DM_KERNEL = 1 << 2,
	DEVLOG_Z_BRISC_KERNEL = 1 << 3,
	DEVLOG_Z_NCRISC_KERNEL = 1 << 4,
	DEVLOG_Z_TRISC_KERNEL = 1 << 5,
	DEVLOG_Z_ERISC_KERNEL = 1 << 6,
	DEVLOG_Z_TRACE_FW = 1 << 7,
	DEVLOG_Z_TRACE_KERNEL = 1 << 8,
	DEVLOG_Z_CB_WAIT = 1 << 9,
	DEVLOG_Z_CB_RESERVE = 1 << 10,
	DEVLOG_Z_ANY_FW = 1 << 11, /* "FW" anywhere in the name */
	DEVLOG_Z_BRISC_FW = 1 << 12,
	DEVLOG_Z_ERISC_FW = 1 << 13,
	DEVLOG_Z_DM0_FW = 1 << 14,
	DEVLOG_Z_DISPATCH = 1 << 15,       /* a command queue's own */
	DEVLOG_Z_DM_LIKE_KERNEL = 1 << 16, /* Quasar's data movement */
	DEVLOG_Z_TRISC_FW = 1 << 17,
	DEVLOG_Z_DM_FW = 1 << 18,
};

/* One program: a device and a run host id. */
struct devlog_group {
	int64_t device;
	uint64_t id;
	uint64_t line;   /* where it appears first */
	size_t first, n; /* its markers, after devlog_sort() */
};

/* One execution of it: with the trace and the replay that it belongs to. */
struct devlog_run {
	uint32_t group;
	int64_t trace, session; /* OPS_NONE */
	int64_t sub_device;     /* OPS_NONE */
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

/* A device that is not as the log's head says: a head has room for one kind. */
struct devlog_other {
	int64_t device;
	uint32_t mhz;
	int64_t max_cores;
};

struct devlog {
	char arch[32];     /* empty: unknown */
	uint32_t mhz;      /* 0: unknown */
	int64_t max_cores; /* OPS_NONE: unknown */
	struct {
		VEC(struct devlog_other);
	} others; /* known when it comes out of a trace */
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
	struct ops_names zones, risc_names, commands, counter_names;
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
	DEVLOG_SUB_DEVICES, /* only rows that say a sub-device: no markers */
};

/* DEV is zeroed by the caller and freed by it, whatever is returned. */
int devlog_read(struct devlog *dev, const char *path, enum devlog_want want,
		struct ops_issues *issues, struct tacho_error *err);

/* Over memory instead of a file. */
int devlog_parse(struct devlog *dev, const char *text, size_t len, enum devlog_want want,
		 struct ops_issues *issues, struct tacho_error *err);

/* Fills dev->markers, each group's part sorted by (time, core, RISC, place in the file). */
int devlog_sort(struct devlog *dev, struct tacho_error *err);

/* Sorts markers the same way; TMP has room for N. */
void devlog_sort_markers(struct devlog_marker *m, struct devlog_marker *tmp, size_t n);

static inline enum devlog_risc devlog_risc(const struct devlog *dev, const struct devlog_marker *m)
{
	return (enum devlog_risc)dev->cores.v[m->core].riscs[m->lane];
}

/* Frequency and compute cores of a device. */
uint32_t devlog_mhz(const struct devlog *dev, int64_t device);
int64_t devlog_max_cores(const struct devlog *dev, int64_t device);

/* The run of (device, id, trace, session); NULL if the log has none. */
const struct devlog_run *devlog_find_run(const struct devlog *dev, int64_t device, uint64_t id,
					 int64_t trace, int64_t session);

/* What names say. */
enum devlog_risc devlog_risc_named(const char *name);
uint32_t devlog_zone_flags(const char *name, size_t len);

/* A log that comes line by line. DEV, ISSUES and ERR must outlive it. */
struct devlog_reader;
int devlog_lines_open(struct devlog_reader **r, struct devlog *dev, enum devlog_want want,
		      struct ops_issues *issues, struct tacho_error *err);
/* LINE is without its end. */
int devlog_lines_add(struct devlog_reader *r, const char *line, size_t len);
/* Frees R; RC is what the last call returned, and is returned unless the log was too short. */
int devlog_lines_close(struct devlog_reader *r, int rc);

void devlog_free(struct devlog *dev);

#endif
