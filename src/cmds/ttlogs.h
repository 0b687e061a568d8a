/* The folder of logs that other tools read, out of a trace: the host's side and the device's. */
#ifndef CMDS_TTLOGS_H
#define CMDS_TTLOGS_H

#include "ops/logs.h"
#include "tracy/tracy.h"

struct ttlogs {
	struct ops_logs device;
	bool host; /* the host's logs were written: the trace has messages */
	struct tracy_notes notes;
};

/*
 * Writes all logs into DIR/.logs. That it has logs is an error, unless FORCE: then those are put
 * aside into .logs.N. What else is in the folder stays there. On an error nothing is left.
 */
int ttlogs_write(struct trace *trace, const char *dir, const char *children, bool force,
		 struct ttlogs *logs, struct tacho_error *err);

/* Makes DIR/.logs anew; one that has something in it becomes .logs.N, whose name is in ASIDE. */
int ttlogs_put_aside(const char *dir, char *aside, size_t size, struct tacho_error *err);

/* The host's two logs and the .tracy file into FOLDER; those that are there stay as they are. */
int ttlogs_write_host(struct trace *trace, const char *folder, const char *children,
		      struct tracy_notes *notes, struct tacho_error *err);

#endif
