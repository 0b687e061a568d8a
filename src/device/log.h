/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs that a program writes itself, in the form that other tools read: profile_log_device.csv,
 * zone_src_locations.log and new_zone_src_locations.log, and when they are asked for
 * sync_device_info.csv, cpp_device_perf_report.csv and noc_trace_dev*.json, in .logs of the
 * profiler's folder (base/folder.h).
 *
 * Only when TT_METAL_DEVICE_PROFILER asks for profiling, and
 * TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES does not forbid it. All files are appended to, so that
 * several devices of one kind can share them, and processes one after the other. A file that cannot
 * be written is told on standard error, once; the program goes on.
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

/* Where the numbers of a process begin in its logs: behind those of the last one. */
struct log_start {
	uint64_t cycles;
	uint32_t ops, traces;
};

struct device_log {
	bool on;
	bool failed;  /* told already */
	char *folder; /* as the user knows it */
	struct log_home *home;
	struct log_start start;
	size_t done;               /* of prof->items: those are in the file */
	uint32_t zones;            /* numbers below it are in zone_src_locations.log */
	size_t hashed;             /* the same of names that are known by their hash */
	struct log_zone *names;    /* by zone number, made when they are needed */
	struct op_run_device last; /* the last execution that was measured */
};

int log_open(struct tacho_device *d);
/* Appends what has come since the last time. */
void log_dump(struct tacho_device *d);
/* The samples of the last sync_classic_run(). */
void log_sync(struct tacho_device *d);
void log_close(struct tacho_device *d);

/* For log_runs.c: appends to a file, which begins with HEADER; makes a file anew. */
void log_append(struct tacho_device *d, const char *name, const char *header, struct buf *text);
void log_replace(struct tacho_device *d, const char *name, struct buf *text);
/* The name is "" when it is not known. */
const struct log_zone *log_zone(struct tacho_device *d, uint16_t id);

/* A zone as the log has it. */
struct log_zone {
	const char *name, *file; /* NULL: not looked up yet */
	uint32_t line, zones;    /* zones: bits of enum arch_zone */
	uint16_t timer;
};

/* The RISC as the log has it. */
enum arch_risc log_risc(const struct tacho_device *d, const struct prof_item *item);

/* ---- log_runs.c ---- */
/* A row: an item's beginning or its end. */
struct log_mark {
	const struct prof_item *item;
	uint64_t cycles;
	bool end;
};

/* Of marks by core, RISC and time. */
int log_runs(struct tacho_device *d, const struct log_mark *marks, size_t n);

/* ---- log_home.c ---- */
struct log_home;
/* The folder that the device's logs go to, made. SHOWN is its name for people, to be freed. */
int log_home_open(struct tacho_device *d, struct log_home **home, char **shown,
		  struct log_start *start, struct tacho_error *err);
const char *log_home_path(const struct log_home *home);
/* Rows were written: so far have ops and the device's clock come. */
void log_home_keep(const struct tacho_device *d, struct log_home *home);

#endif
