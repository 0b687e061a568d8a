/*
 * The device's logs out of a trace: into files, as the runtime leaves them, or straight into what
 * the report reads. The host's two logs are csvexport's (src/tracy).
 *
 *	profile_log_device.csv		every marker
 *	cpp_device_perf_report.csv	what the runtime measures, unless the trace has counters,
 *sums or command queues, which only the raw log can tell of
 *	sync_device_info.csv		the device's clock, when the trace has points of it
 *	zone_src_locations.log		where zones of kernels are, by their hashes
 *	noc_trace_dev*.json		NoC events of each program
 */
#ifndef OPS_LOGS_H
#define OPS_LOGS_H

#include "ops/cores.h"
#include "ops/cppreport.h"
#include "ops/devlog.h"
#include "ops/noc.h"
#include "ops/runtime.h"

#include <stdio.h>

#define OPS_SYNC_FILE  "sync_device_info.csv"
#define OPS_ZONES_FILE "zone_src_locations.log"

struct ops_logs {
	uint64_t rows;       /* of the device log */
	uint64_t executions; /* of programs: rows of the runtime's report */
	uint64_t noc_files;
	uint64_t sync_points;
	bool mixed; /* devices of several kinds: the log's head is of the first */
};

/* Writes what the trace has into FOLDER, which exists and has none of them. Fills LOGS. TRACKS: one
 * byte per track, 0 leaves it out; NULL: all. */
int ops_logs_write(struct trace *trace, const uint8_t *tracks, const char *folder,
		   struct ops_logs *logs, struct tacho_error *err);

/* The device log alone. */
int ops_logs_write_device(struct ops_cores *cores, FILE *out, struct tacho_error *err);

/* The device log, read. */
int ops_logs_device(struct ops_cores *cores, struct devlog *dev, enum devlog_want want,
		    struct ops_issues *issues, struct tacho_error *err);

/* The runtime's report, read. *RT is closed by the caller, whatever is returned. */
int ops_logs_runtime(struct ops_cores *cores, struct ops_runtime **rt, struct ops_cpp *cpp,
		     struct ops_issues *issues, struct tacho_error *err);

/* The NoC's files, read. */
int ops_logs_noc(struct ops_cores *cores, struct ops_noc *noc, struct tacho_error *err);

#endif
