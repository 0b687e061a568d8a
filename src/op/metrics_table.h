/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the metrics: the list of metrics and their counters. */
#ifndef OP_METRICS_TABLE_H
#define OP_METRICS_TABLE_H

#include "op/counter_names.h"
#include "op/metrics.h"

enum metric_kind {
	M_UTIL,      /* a / its reference count, in percent */
	M_RATE,      /* the same, not in percent */
	M_RATIO,     /* a / b */
	M_REST,      /* (b - a) / b, never below 0 */
	M_REST_RAW,  /* the same, but below 0 in the joined report */
	M_MEAN2,     /* (a + b) / 2 / a's reference count */
	M_PRESSURE,  /* requested (a, b) and not granted (c, d) */
	M_UNPACKERS, /* mean of the two unpackers' efficiencies */
	M_PACKER,
	M_MATH_PIPE,
	M_HANDOFF,
	M_FLOW,
	M_HIFI,
	M_HF_CYCLES,
	M_PACK_PORT,
	M_PACK_PRESSURE,
	M_UNPACK_PRESSURE,
	M_DEST_PORT,
	M_L1_TOTAL,
	M_L1_READS,
	M_NOC_ASYMMETRY,
	M_L1_CONTENTION,
	M_NOC_COMPUTE,
	M_TDMA_SHARE,
	M_OVERLAP, /* a: the thread's first counter of each reason */
	M_IMBALANCE,
	M_COMPUTE_UNPACK,
};

enum metric_flags {
	MF_ALWAYS = 1,      /* has a column even if its counters were not collected */
	MF_DEVICE_ONLY = 2, /* not in the joined report */
	MF_FULL_GRID = 4,   /* its mean is over the full grid and has a name of its own */
};

struct metric {
	const char *name;
	enum metric_kind kind;
	int c[4]; /* enum op_counter */
	unsigned flags;
};

extern const struct metric metrics_table[];
extern const size_t metrics_count;

#endif
