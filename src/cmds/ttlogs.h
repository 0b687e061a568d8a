/* SPDX-License-Identifier: Apache-2.0 */
/* Write the folder of logs that other tools read from a trace: the host's side and the device's. */
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
	const uint8_t *tracks; /* one byte per track, 0 omits it; NULL: all */
	const char *children;  /* host functions that count; NULL: the usual ones */
	bool tracy;            /* also the .tracy file, which covers the whole trace */
	int version;           /* of that file: enum tracy_file_version */
	bool host_only;        /* no device logs */
	bool force;            /* replace an older .tracy file instead of keeping it */
};

/* Fails if DIR has logs. */
int ttlogs_check(const char *dir, struct tacho_error *err);

/*
 * Writes all logs to DIR/.logs; existing logs are moved to .logs.N. Other files in the folder stay.
 * On an error nothing is left.
 */
int ttlogs_write(const struct ttlogs_part *what, const char *dir, struct ttlogs *logs,
		 struct tacho_error *err);

/* Creates an empty DIR/.logs; one with contents is renamed to .logs.N, stored in ASIDE. */
int ttlogs_put_aside(const char *dir, char *aside, size_t size, struct tacho_error *err);

/*
 * Writes the host's two logs and, unless NOTES is NULL, the .tracy file to FOLDER; existing ones
 * stay. PART's host_only and tracy are ignored.
 */
int ttlogs_write_host(const struct ttlogs_part *part, const char *folder, struct tracy_notes *notes,
		      struct tacho_error *err);

/* Writes the .tracy file of the whole trace to FOLDER; an older one gets a numbered name. */
int ttlogs_write_tracy(const struct ttlogs_part *part, const char *folder,
		       struct tracy_notes *notes, struct tacho_error *err);

/*
 * Whether the user disabled device logs, as for the runtime
 * (TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES).
 */
bool ttlogs_forbidden(void);

#endif
