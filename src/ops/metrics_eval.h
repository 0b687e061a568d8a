/* Private to the metrics: one metric of one core. */
#ifndef OPS_METRICS_EVAL_H
#define OPS_METRICS_EVAL_H

#include "ops/metrics_table.h"

/* What holds for all of a device. */
struct metric_device {
	int64_t device;
	bool joined; /* enum ops_metrics_mode */
	bool has[OPS_COUNTER_COUNT];
	double total[OPS_COUNTER_COUNT];
	double grant_ratio; /* the median of what the unpacker was granted of what it asked for */
};

/* One core's counters for one execution; NaN: not taken there. */
struct metric_core {
	uint64_t time; /* of its first sample */
	double value[OPS_COUNTER_COUNT], ref[OPS_COUNTER_COUNT];
};

/* NaN: nothing to tell. */
double metric_eval(const struct metric *m, const struct metric_device *d,
		   const struct metric_core *c);

/* Does the report of that device have the metric's columns? */
bool metric_shown(const struct metric *m, const struct metric_device *d);

#endif
