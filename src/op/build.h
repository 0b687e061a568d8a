/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From joined rows to ops. An op is built from three sources: its program, as described by its
 * message; the host's zones; the device's measurements.
 */
#ifndef OP_BUILD_H
#define OP_BUILD_H

#include "op/devlog.h"
#include "op/join.h"
#include "op/measured.h"
#include "op/noc.h"
#include "op/summary.h"

struct op_metrics;

struct op_build_input {
	struct op_host *host; /* its table gets the ops */
	const struct op_rows *rows;
	const struct op_executions *executions; /* measured from single markers */
	const struct devlog *dev;               /* those markers; at least the sub-devices */
	const struct op_measurements *measured; /* by the runtime */
	const struct op_metrics *metrics;       /* performance counters, or NULL */
	const struct op_noc *noc;               /* NoC traces, or NULL */
	struct op_summary *summary;             /* may be NULL */
	struct op_issues *issues;
};

/* One op for each row. */
int op_build(const struct op_build_input *in, struct tacho_error *err);

/* One op for each execution, in the given order, without host data. */
int op_build_device(const struct op_build_input *in, struct tacho_error *err);

/*
 * per_core_op_to_op_times.csv: for each core the cycles from the end of one op's kernels to the
 * start of the next op's, minus the profiler's own overhead.
 */
int op_per_core_write(const struct devlog *dev, bool op2op, FILE *out, struct tacho_error *err);

#endif
