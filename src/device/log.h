/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs that a program writes itself, in the form that other tools read: profile_log_device.csv,
 * zone_src_locations.log and new_zone_src_locations.log, and on request sync_device_info.csv,
 * cpp_device_perf_report.csv and noc_trace_dev*.json, in .logs of the profiler's folder
 * (base/folder.h).
 *
 * Logs are written only when TT_METAL_DEVICE_PROFILER enables profiling and
 * TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES is not set. All files are appended to, so that several
 * devices of one kind, and consecutive processes, can share them. A failed write is reported once
 * on standard error; the program continues.
 */
#ifndef DEVICE_LOG_H
#define DEVICE_LOG_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "op/runs.h"

#include <stdbool.h>
#include <stdint.h>

struct prof_item;
struct tacho_device;

/* First numbers of this process in its logs: they follow those of the previous process. */
struct log_start {
	uint64_t cycles;
	uint32_t ops, traces;
};

struct device_log {
	bool on;
	bool failed;  /* reported already */
	char *folder; /* as shown to the user */
	struct log_home *home;
	struct log_start start;
	size_t done;               /* of prof->items: already in the file */
	uint32_t zones;            /* numbers below are in zone_src_locations.log */
	size_t hashed;             /* the same for names known by their hash */
	struct log_zone *names;    /* by zone number, created on first use */
	struct op_run_device last; /* the last execution that was measured */
};

int log_open(struct tacho_device *d);
/* Appends everything new since the last call. */
void log_dump(struct tacho_device *d);
/* The samples of the last sync_classic_run(). */
void log_sync(struct tacho_device *d);
void log_close(struct tacho_device *d);

/* For log_runs.c: append to a file, which starts with HEADER; replace a file. */
void log_append(struct tacho_device *d, const char *name, const char *header, struct buf *text);
void log_replace(struct tacho_device *d, const char *name, struct buf *text);
/* The name is "" when unknown. */
const struct log_zone *log_zone(struct tacho_device *d, uint16_t id);

/* A zone as written to the log. */
struct log_zone {
	const char *name, *file; /* NULL: not looked up yet */
	uint32_t line, zones;    /* zones: bits of enum arch_zone */
	uint16_t timer;
};

/* The RISC's name in the log. */
enum arch_risc log_risc(const struct tacho_device *d, const struct prof_item *item);

/* ---- log_runs.c ---- */
/* A row: the start or the end of an item. */
struct log_mark {
	const struct prof_item *item;
	uint64_t cycles;
	bool end;
};

/* A mark with the log's numbers of ops, traces and cycles. */
struct op_marker log_marker(struct tacho_device *d, const struct log_mark *mark);
/* Compares marks by core, RISC and time. */
int log_runs(struct tacho_device *d, const struct log_mark *marks, size_t n);

/* ---- log_home.c ---- */
struct log_home;
/* Creates the folder of the device's logs. SHOWN is its name for messages; the caller frees it. */
int log_home_open(struct tacho_device *d, struct log_home **home, char **shown,
		  struct log_start *start, struct tacho_error *err);
const char *log_home_path(const struct log_home *home);
/* Saves the op number and device clock after rows were written. */
void log_home_keep(const struct tacho_device *d, struct log_home *home);

#endif
