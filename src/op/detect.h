/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which markers make up one execution of a program, and what they measure. The markers of a program
 * are taken in order of time; when each of its cores has reported start and end of its firmware,
 * one execution is complete and the next begins (a replayed trace gives one per replay).
 */
#ifndef OP_DETECT_H
#define OP_DETECT_H

#include "op/devlog.h"
#include "op/host.h"
#include "op/measure.h"

enum op_detect_mode {
	OP_DETECT_EACH, /* what never ended is an op too, marked as incomplete */
	OP_DETECT_FLOW, /* it runs on into the next op, and at the end it is dropped: what the
			    device-only report has always done */
};

/* Appends the ops of DEVICE to OUT, by program in order of first appearance in time. */
int op_detect(const struct devlog *dev, int64_t device, enum op_detect_mode mode,
	      op_measure_set wanted, struct op_executions *out, struct op_issues *issues,
	      struct tacho_error *err);

/*
 * What the command queue's cores say about the ops of DEVICE: fills the dispatch spans of OPS.
 * Dispatched programs that OPS lacks are issues, unless REPLAYS explain them.
 */
int op_dispatch(const struct devlog *dev, int64_t device, bool replays, op_measure_set wanted,
		struct op_executions *ops, struct op_issues *issues, struct tacho_error *err);

#endif
