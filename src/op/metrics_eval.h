/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the metrics: one metric of one core. */
#ifndef OP_METRICS_EVAL_H
#define OP_METRICS_EVAL_H

#include "op/metrics_table.h"

/* Properties of a whole device. */
struct metric_device {
	int64_t device;
	bool joined; /* enum op_metrics_mode */
	bool has[OP_COUNTER_COUNT];
	double total[OP_COUNTER_COUNT];
	double grant_ratio; /* median of the unpacker's granted share of requests */
};

/* One core's counters for one execution; NaN: not collected there. */
struct metric_core {
	uint64_t time; /* of its first sample */
	double value[OP_COUNTER_COUNT], ref[OP_COUNTER_COUNT];
};

/* NaN: no value. */
double metric_eval(const struct metric *m, const struct metric_device *d,
		   const struct metric_core *c);

/* True if the report of that device has the metric's columns. */
bool metric_shown(const struct metric *m, const struct metric_device *d);

#endif
