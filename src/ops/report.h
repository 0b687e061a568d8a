/*
 * From joined rows to ops_perf_results.csv. A row is put together as one cell per fixed column,
 * from three sources: what the op's message said, what the host's zones said, what the device
 * measured.
 */
#ifndef OPS_REPORT_H
#define OPS_REPORT_H

#include "ops/cppreport.h"
#include "ops/devlog.h"
#include "ops/join.h"
#include "ops/noc.h"
#include "ops/summary.h"

struct ops_metrics;
struct ops_runtime;

struct ops_report_input {
	const struct ops_host *host;
	const struct ops_rows *rows;
	const struct ops_device_ops *device_ops; /* from the raw log */
	const struct devlog *dev;                /* of the raw log; sub-devices at least */
	const struct ops_cpp *cpp;
	const struct ops_metrics *metrics; /* performance counters, or NULL */
	const struct ops_noc *noc;         /* NoC traces, or NULL */
	const struct ops_runtime *runtime; /* of a trace, or NULL: the summary asks it */
	struct ops_summary *summary;       /* is told of every row; may be NULL */
	struct ops_issues *issues;
};

int ops_report_write(const struct ops_report_input *in, FILE *out, struct tacho_error *err);

/* One row per device op, in the order given; no host columns. */
int ops_device_only_write(const struct ops_report_input *in, FILE *out, struct tacho_error *err);

/*
 * per_core_op_to_op_times.csv: for each core the cycles from the end of one op's kernels to the
 * start of the next one's, less what the profiler itself takes.
 */
int ops_per_core_write(const struct devlog *dev, bool op2op, FILE *out, struct tacho_error *err);

#endif
