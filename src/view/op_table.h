/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the ops of a trace or of an ops report, analysed as perf-report does. Made on the first
 * call that needs them and again when the trace has grown.
 */
#ifndef VIEW_OP_TABLE_H
#define VIEW_OP_TABLE_H

#include "op/load.h"
#include "perf/gaps.h"
#include "perf/output.h"
#include "perf/summary.h"
#include "trace/device_clock.h"
#include "view/call_args.h"

struct ops {
	struct op_loaded loaded;      /* of a trace */
	struct op_table report_table; /* of a report */
	const struct op_table *table; /* the one of them that there is */
	struct perf_input in;
	struct perf_report report;
	struct perf_options options;
	struct perf_notes notes;
	uint32_t process;           /* whose ops they are; TRACE_NONE: of all */
	struct trace_clocks clocks; /* of its devices */
	int64_t *before; /* by row: the cycle when the op before it on its device had ended, or
			    PERF_NO_NUMBER; NULL without a trace */
	struct perf_gaps gaps; /* filled by the first ops_gap() */
	uint64_t gen;
	double made; /* now_seconds() */
};

/*
 * The ops of the call's trace; merged: equal ops of several devices are one. Exclusive until
 * ops_put(). TACHO_ENO, already answered, if there are none.
 */
int ops_take(struct view_call *c, bool merged, struct ops **ops);
/* There are ops, or cores whose work may be ops. */
bool ops_likely(const struct trace *t);
void ops_put(struct view_call *c, struct ops *ops);

/* Those of the call's t0, t1, ids (counted from 1) and device, with sums of their own. */
struct ops_part {
	struct ops *ops;
	struct perf_report report;
	struct words words; /* the call's text filter, which the sums leave aside */
};

int ops_part_take(struct view_call *c, struct ops_part *part);
/* Keeps the ops that match the words. */
void ops_part_words(struct ops_part *part);
void ops_part_put(struct view_call *c, struct ops_part *part);

/* When op OP ran, in ticks of the trace. False if unknown. */
bool ops_time(struct view_call *c, const struct ops *o, const struct perf_op *op, uint64_t *t0,
	      uint64_t *t1);

/* When the op before OP on its device had ended, in ticks of the trace. The gap between them on the
 * timeline may be longer than that of the report, which is one of the device's clock. */
bool ops_time_before(struct view_call *c, const struct ops *o, const struct perf_op *op,
		     uint64_t *ticks);

/* The host's activity before OP; NULL: unknown. */
const struct perf_gap *ops_gap(struct view_call *c, struct ops *o, const struct perf_op *op);
/* Its causes, the largest first: the array "causes". */
void ops_causes_put(struct json *j, const struct perf_gap *gap);

/* Where the time goes: members of the open object. */
int ops_summary_put(struct view_call *c, const struct perf_report *report);

/* One op as an object of the list; with its colours, advice and times. */
void op_put(struct view_call *c, const char *key, const struct ops *o, const struct perf_op *op);

#endif
