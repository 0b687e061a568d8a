/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures executions in a stream of markers, without storing them: the content of tt-metal's
 * cpp_device_perf_report.csv. Cores may come in any order, but the markers of one core are
 * consecutive, unless .any_order is set; those of one RISC are always in order of time. The reader
 * of a device (src/device) and a trace (op/trace_source.h) use it.
 *
 *	struct op_runs runs = {0};
 *	for (each marker)
 *		op_runs_add(&runs, &marker);
 *	op_runs_finish(&runs, devices);
 *	for (size_t i = 0; i < runs.n; i++)
 *		use(op_runs_at(&runs, i));
 *	op_runs_free(&runs);
 *
 * More markers may be added after op_runs_finish(), which is then called again.
 */
#ifndef OP_RUNS_H
#define OP_RUNS_H

#include "base/map.h"
#include "op/execution.h"
#include "op/marker.h"

/* From the first possible start marker to the last possible end marker. */
struct op_range {
	uint64_t start, end; /* UINT64_MAX: none yet */
	uint64_t ends;       /* markers that could be its end; the first may be its start */
};

static inline bool op_range_found(const struct op_range *r)
{
	return r->start != UINT64_MAX && r->end != UINT64_MAX && r->end >= r->start && r->ends > 1;
}

enum { OP_RUN_RANGES = OP_M_QUASAR_TRISC_FW + 1 }; /* by enum op_measure; PER_CORE is not used */

struct op_timing {
	uint32_t device; /* as its markers count them */
	uint64_t id;
	int64_t trace, session; /* OP_NONE */
	uint32_t cores;         /* that ran firmware */
	struct op_range ranges[OP_RUN_RANGES];
	uint64_t core_max, core_sum; /* cycles of kernels by core */
	uint32_t core_count;         /* with kernels */
	uint32_t slow_core;          /* the slowest core; of several the first */
	uint32_t slow_risc;          /* its RISC with the longest kernel */
	int64_t gap, gap_dm; /* ns from the previous run; OP_NONE: overlap or not measured */
	uint32_t at;         /* index + 1 in op_runs.cores of the last marker's core */
	bool closed;         /* its cores were forgotten */
};

/* A core in a run. */
struct op_run_core {
	uint32_t run, core;
	bool firmware, kernel; /* it has run some */
	uint64_t start, end;   /* of all kernels */
	uint64_t cycles;       /* between them, as counted in the run */
	uint32_t long_risc;    /* the RISC with the longest kernel ... */
	uint64_t long_cycles;  /* ... and its length */
};

struct op_run_kernel {
	uint32_t run; /* index + 1 */
	uint64_t start;
};

/* A device, and its last run before the ones measured now. */
struct op_run_device {
	uint32_t mhz;
	bool ran;
	struct op_range kernel, dm;
};

struct op_runs {
	VEC(struct op_timing);
	struct map by_key;
	struct op_runs_match *matches; /* private */
	uint32_t last;                 /* the run of the previous marker */
	uint32_t *order;               /* after op_runs_finish() */
	bool any_order;                /* set before the first marker */
	bool stale;                    /* a marker came for a run whose cores were forgotten */
	struct {
		VEC(struct op_run_core);
	} cores;            /* in any order: all; otherwise the current one of each run */
	struct map by_core; /* run << 32 | core to index in cores */
	struct {
		VEC(struct op_run_kernel);
	} kernels; /* by RISC: the one that began last */
};

/* Uses only starts and ends of zones of an op. 0 or TACHO_ENOMEM. */
int op_runs_add(struct op_runs *runs, const struct op_marker *m);

/*
 * After the last marker: orders the runs by device, id and replay, and measures the gaps between
 * them.
 */
int op_runs_finish(struct op_runs *runs, struct op_run_device *devices);

/*
 * In any order: forgets the cores of all runs but the KEEP newest, to bound memory. A marker that
 * comes for such a run after all makes the runs stale: they must be made again.
 */
int op_runs_trim(struct op_runs *runs, size_t keep);

static inline const struct op_timing *op_runs_at(const struct op_runs *runs, size_t i)
{
	return &runs->v[runs->order[i]];
}

/* Whole nanoseconds, half away from zero. */
int64_t op_range_ns(const struct op_range *r, uint32_t mhz);

void op_runs_free(struct op_runs *runs);

#endif
