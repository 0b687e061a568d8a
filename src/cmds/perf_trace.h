/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as the input of perf-report. */
#ifndef CMDS_PERF_TRACE_H
#define CMDS_PERF_TRACE_H

#include "op/load.h"
#include "perf/gaps.h"

/* True if the file is a trace (.tacho or .tracy), by its first bytes. */
bool perf_trace_is(const char *path);

/* The trace and its ops, which must outlive the input. */
struct perf_trace {
	struct trace *trace;
	uint32_t process; /* whose ops they are; TRACE_NONE: of all */
	struct op_loaded ops;
};

/*
 * Opens the trace and puts its ops into IN: those of the process PID; 0: of all, or if several used
 * the same device, of the one that used it most, with a note. 0 or an error; call perf_trace_free()
 * in either case.
 */
int perf_trace_open(struct perf_trace *t, const char *path, int64_t pid, struct perf_input *in,
		    struct perf_notes *notes, struct tacho_error *err);
void perf_trace_free(struct perf_trace *t);

#endif
