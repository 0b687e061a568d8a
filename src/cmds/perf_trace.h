/* A trace as the input of perf-report. */
#ifndef CMDS_PERF_TRACE_H
#define CMDS_PERF_TRACE_H

#include "perf/gaps.h"

/* Is the file a trace (.tacho or .tracy), by its first bytes? */
bool perf_trace_is(const char *path);

/*
 * Opens the trace and reads its ops into IN, as the ops report has them; TABLE gets the path of a
 * file with their rows, which perf_trace_free() removes. 0 or an error.
 */
struct perf_trace {
	struct trace *trace;
	char *folder, *table;
};
int perf_trace_open(struct perf_trace *t, const char *path, struct perf_input *in,
		    struct perf_notes *notes, struct tacho_error *err);
void perf_trace_free(struct perf_trace *t);

#endif
