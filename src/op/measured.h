/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime's own measurements of executions: rows of cpp_device_perf_report.csv (src/ttlog), or
 * runs of a trace. If present, they are used instead of single markers. A measurement is a part of
 * an op: the fields that the device knows.
 */
#ifndef OP_MEASURED_H
#define OP_MEASURED_H

#include "op/op.h"
#include "op/runs.h"

struct op_measurement {
	struct op op; /* its cells are in the table of the list */
	int64_t kernel_start, kernel_end, dm_start, dm_end; /* cycles; OP_NONE */
	double core_max, core_avg; /* ns of kernels on the slowest core and on average; NaN */
	bool whole; /* a replay of a trace: the figures are of all its ops together */
};

struct op_measurements {
	VEC(struct op_measurement);
	bool whole;        /* replays were measured as a whole, and nothing else */
	struct map by_id;  /* of (device, id) to the first one's index */
	struct map by_run; /* of (device, id, trace, session) to its index */
	struct {
		VEC(uint32_t);
	} next; /* of each: the index + 1 of the next one of the same (device, id) */
	struct {
		VEC(uint32_t);
	} last; /* of the first one of each (device, id): the index of the last one */
};

struct op_measurement op_measurement_unknown(void);

/* Appends M: 0; or replaces an earlier one with the same ids: 1. */
int op_measurements_add(struct op_measurements *list, const struct op_measurement *m);

/* Where a run took place. ARCH lives as long as the table. */
struct op_run_place {
	int64_t device;
	struct op_text arch;
	uint32_t mhz;
	int64_t max_cores; /* OP_NONE: unknown */
	int32_t x, y;      /* its slowest core ... */
	uint8_t risc;      /* ... and RISC: enum arch_risc */
};

int op_measurements_add_run(struct op_measurements *list, const struct op_timing *run,
			    const struct op_run_place *place);
void op_measurements_free(struct op_measurements *list);

bool op_measurements_has_device(const struct op_measurements *list, int64_t device);

/* The first one of (device, id), or -1; list->next has the next ones. */
int64_t op_measurements_first(const struct op_measurements *list, int64_t device, int64_t id);

#endif
