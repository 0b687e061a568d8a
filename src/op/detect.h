/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the markers that make up one execution of a program, and measures it. The markers of a
 * program are read in order of time; when each of its cores has reported start and end of its
 * firmware, one execution is complete and the next begins (a replayed trace gives one per replay).
 */
#ifndef OP_DETECT_H
#define OP_DETECT_H

#include "op/devlog.h"
#include "op/host.h"
#include "op/measure.h"

enum op_detect_mode {
	OP_DETECT_EACH, /* an op that never ended is an op too, marked as incomplete */
	OP_DETECT_FLOW, /* it continues into the next op and is dropped at the end, as the
			   device-only report has always done */
};

/* Appends the ops of DEVICE to OUT, by program in order of first appearance in time. */
int op_detect(const struct devlog *dev, int64_t device, enum op_detect_mode mode,
	      op_measure_set wanted, struct op_executions *out, struct op_issues *issues,
	      struct tacho_error *err);

/*
 * Fills the dispatch spans of OPS from the markers of DEVICE's command queue cores. Dispatched
 * programs that OPS lacks are issues, unless REPLAYS explain them.
 */
int op_dispatch(const struct devlog *dev, int64_t device, bool replays, op_measure_set wanted,
		struct op_executions *ops, struct op_issues *issues, struct tacho_error *err);

#endif
