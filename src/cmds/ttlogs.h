/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of logs that other tools read, out of a trace: the host's side and the device's. */
#ifndef CMDS_TTLOGS_H
#define CMDS_TTLOGS_H

#include "tracy/tracy.h"
#include "ttlog/write.h"

struct ttlogs {
	struct ttlog_written device;
	bool host; /* the host's logs were written: the trace has messages about ops */
	struct tracy_notes notes;
};

struct ttlogs_part {
	struct trace *trace;
	const uint8_t *tracks; /* one byte per track, 0 leaves it out; NULL: all */
	const char *children;  /* host functions that count; NULL: the usual ones */
	bool tracy;            /* the .tracy file, too: it is of the whole trace */
	int version;           /* of that file: enum tracy_file_version */
	bool host_only;        /* no logs of devices */
};

/* That DIR has logs is an error. */
int ttlogs_check(const char *dir, struct tacho_error *err);

/*
 * Writes all logs into DIR/.logs; logs that are there are put aside into .logs.N. What else is in
 * the folder stays there. On an error nothing is left.
 */
int ttlogs_write(const struct ttlogs_part *what, const char *dir, struct ttlogs *logs,
		 struct tacho_error *err);

/* Makes DIR/.logs anew; one that has something in it becomes .logs.N, whose name is in ASIDE. */
int ttlogs_put_aside(const char *dir, char *aside, size_t size, struct tacho_error *err);

/* The host's two logs and, unless NOTES is NULL, the .tracy file into FOLDER; those that are there
 * stay as they are. PART's host_only and tracy do not count. */
int ttlogs_write_host(const struct ttlogs_part *part, const char *folder, struct tracy_notes *notes,
		      struct tacho_error *err);

/* Did the user forbid logs of devices, as for the runtime
 * (TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES)? */
bool ttlogs_forbidden(void);

#endif
