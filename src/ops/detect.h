/*
 * Which markers make up one execution of a program, and what they measure. The markers of a program
 * are taken in order of time; when each of its cores has reported start and end of its firmware,
 * one execution is complete and the next begins (a replayed trace gives one per replay).
 */
#ifndef OPS_DETECT_H
#define OPS_DETECT_H

#include "ops/analyses.h"
#include "ops/devlog.h"
#include "ops/record.h"

enum ops_detect_mode {
	OPS_DETECT_EACH, /* what never ended is an op too, marked as incomplete */
	OPS_DETECT_FLOW, /* it runs on into the next op, and at the end it is dropped: what the
			    device-only report has always done */
};

/* Appends the ops of DEVICE to OUT, by program in order of first appearance in time. */
int ops_detect(const struct devlog *dev, int64_t device, enum ops_detect_mode mode,
	       ops_analysis_set wanted, struct ops_device_ops *out, struct ops_issues *issues,
	       struct tacho_error *err);

/*
 * What the command queue's cores say about the ops of DEVICE: fills the dispatch spans of OPS.
 * Dispatched programs that OPS lacks are issues, unless REPLAYS explain them.
 */
int ops_dispatch(const struct devlog *dev, int64_t device, bool replays, ops_analysis_set wanted,
		 struct ops_device_ops *ops, struct ops_issues *issues, struct tacho_error *err);

#endif
