/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the device's logs from a trace, as the runtime writes them. The host's two logs are
 * csvexport's (src/tracy).
 *
 *	profile_log_device.csv		every marker
 *	cpp_device_perf_report.csv	the runtime's measurements, unless the trace has counters,
 *					sums or command queues, which only the raw log can report
 *	sync_device_info.csv		the device's clock, if the trace has clock points of it
 *	zone_src_locations.log		places of kernel zones, by their hashes
 *	noc_trace_dev*.json		NoC events of each program
 */
#ifndef TTLOG_WRITE_H
#define TTLOG_WRITE_H

#include "trace/trace.h"

#include <stdio.h>

struct ttlog_written {
	uint64_t rows;       /* of the device log */
	uint64_t executions; /* of programs: rows of the runtime's report */
	uint64_t noc_files;
	uint64_t sync_points;
	bool mixed; /* devices of several kinds: the log's head describes the first */
};

/*
 * Writes the trace's logs into FOLDER, which exists and has none of them. Fills LOGS. TRACKS: one
 * byte per track, 0 leaves it out; NULL: all.
 */
int ttlog_write(struct trace *trace, const uint8_t *tracks, const char *folder,
		struct ttlog_written *logs, struct tacho_error *err);

/* The device log alone. */
int ttlog_write_device(struct trace *trace, const uint8_t *tracks, FILE *out,
		       struct tacho_error *err);

#endif
