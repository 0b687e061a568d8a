/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes the gaps of a device to the host's activity, from the zones of a trace. A gap is the
 * time between the end of the previous op on the same device and the start of the op. Each moment
 * of it counts for the innermost zone of the thread that dispatches the ops of the device's
 * process, by that zone's name; a zone without a cause of its own counts for the enclosing one.
 */
#ifndef PERF_GAPS_H
#define PERF_GAPS_H

#include "perf/report.h"

struct trace;

enum perf_cause {
	CAUSE_COMPILE,
	CAUSE_DISPATCH,
	CAUSE_READ,   /* results back to the host */
	CAUSE_WRITE,  /* data to the device */
	CAUSE_WAIT,   /* the host waits as well */
	CAUSE_PYTHON, /* between ops */
	CAUSE_OTHER,  /* zones of the program */
	CAUSE_NONE,   /* no zone: nothing was recorded */
	CAUSES,
};

const char *perf_cause_name(enum perf_cause cause); /* "kernel compile" */
/* The cause of a gap, by the name and file of a zone in it. */
enum perf_cause perf_cause_of(const char *name, const char *file);

struct perf_gap {
	double all;          /* us by the host's clock; 0: no gap known */
	double part[CAUSES]; /* of them */
	/* By cause: the longest zone, and its us in the gap; NULL: none. */
	const char *zone[CAUSES];
	double zone_time[CAUSES];
};

struct perf_gaps {
	struct perf_gap *by_row; /* of the report's input */
	size_t n;
	double all, part[CAUSES]; /* of the ops of the report */
};

/*
 * Explains the gaps before the ops of REPORT, whose rows came from TRACE: those of PROCESS, or if
 * that is TRACE_NONE of all processes, none of which share a device. 0 or an error.
 */
int perf_gaps_explain(struct perf_gaps *gaps, const struct perf_report *report, struct trace *trace,
		      uint32_t process, struct tacho_error *err);
void perf_gaps_free(struct perf_gaps *gaps);

/* The gap before OP; NULL: unknown. */
const struct perf_gap *perf_gap_of(const struct perf_gaps *gaps, const struct perf_op *op);

/* "kernel compile 1,050 us (95 %), dispatch 30 us (3 %)": the larger parts, largest first. */
void perf_gap_text(const double *part, double all, struct buf *out);

#endif
