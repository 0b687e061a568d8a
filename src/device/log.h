/*
 * The logs that a program writes itself, in the form that other tools read: profile_log_device.csv,
 * zone_src_locations.log and new_zone_src_locations.log, sync_device_info.csv, in .logs of the
 * profiler's folder (base/folder.h).
 *
 * Only when TT_METAL_DEVICE_PROFILER asks for profiling, and
 * TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES does not forbid it. All files are appended to, so that
 * several devices and processes can share them. A file that cannot be written is told on standard
 * error, once; the program goes on.
 */
#ifndef DEVICE_LOG_H
#define DEVICE_LOG_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

struct tacho_device;

struct device_log {
	bool on, mid_run;
	bool failed; /* told already */
	char *folder;
	size_t done;            /* of prof->items: those are in the file */
	uint32_t zones;         /* numbers below it are in zone_src_locations.log */
	size_t hashed;          /* the same of names that are known by their hash */
	struct log_zone *names; /* by zone number, made when they are needed */
};

int log_open(struct tacho_device *d);
/* Appends what has come since the last time. */
void log_dump(struct tacho_device *d);
/* The samples of the last sync_classic_run(). */
void log_sync(struct tacho_device *d);
void log_close(struct tacho_device *d);

#endif
