/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of an op, in the order of ops_perf_results.csv. One table (columns.c) defines the
 * type, unit, field and computation of each. The report, perf-report, the JSON API and SQL use it.
 * The columns of the input and output tensors come before METAL TRACE ID, the kernel sizes after
 * PROGRAM CACHE HIT, and the performance counters and host functions last: see op_table_fields().
 */
#ifndef OP_COLUMNS_H
#define OP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

enum op_column {
	OP_COL_OP_CODE,
	OP_COL_OP_TYPE,
	OP_COL_CALL_COUNT,
	OP_COL_DEVICE_ID,
	OP_COL_DEVICE_ARCH,
	OP_COL_ATTRIBUTES,
	OP_COL_MATH_FIDELITY,
	OP_COL_CORE_COUNT,
	OP_COL_AVAILABLE_CORES,
	OP_COL_SUB_DEVICE,
	OP_COL_PARALLELIZATION,
	OP_COL_HOST_START,
	OP_COL_HOST_END,
	OP_COL_HOST_DURATION,
	OP_COL_FW_START,
	OP_COL_FW_END,
	OP_COL_LATENCY,
	OP_COL_LATENCY_DM,
	OP_COL_QUASAR_LATENCY_DM,
	OP_COL_QUASAR_LATENCY_TRISC,
	OP_COL_FW,
	OP_COL_QUASAR_DM_FW,
	OP_COL_QUASAR_TRISC_FW,
	OP_COL_KERNEL,
	OP_COL_KERNEL_DM,
	OP_COL_CORE_MIN,
	OP_COL_CORE_MAX,
	OP_COL_CORE_AVG,
	OP_COL_FIRST_TO_LAST,
	OP_COL_BRISC,
	OP_COL_QUASAR_DM,
	OP_COL_QUASAR_TRISC,
	OP_COL_NCRISC,
	OP_COL_TRISC0,
	OP_COL_TRISC1,
	OP_COL_TRISC2,
	OP_COL_ERISC,
	OP_COL_CB_WAIT,
	OP_COL_CB_RESERVE,
	OP_COL_DISPATCH_CMD,
	OP_COL_DISPATCH_GO,
	OP_COL_TRACE_ID, /* the tensors come before it */
	OP_COL_SESSION_ID,
	OP_COL_COMPUTE_SOURCE,
	OP_COL_COMPUTE_HASH,
	OP_COL_DM_SOURCE,
	OP_COL_DM_HASH,
	OP_COL_PROGRAM_HASH,
	OP_COL_CACHE_HIT,
	OP_COL_PM_IDEAL,
	OP_COL_PM_COMPUTE,
	OP_COL_PM_BANDWIDTH,
	OP_COL_PM_REQ_I,
	OP_COL_PM_REQ_O,
	OP_COL_PM_FPU,
	OP_COL_NOC_UTIL,
	OP_COL_NOC_MCAST,
	OP_COL_DRAM_UTIL,
	OP_COL_DRAM_CTRL,
	OP_COL_ETH_UTIL,
	OP_COL_NPE_CONG,
	OP_COLUMNS,
};

enum op_type { OP_BLANK, OP_TEXT, OP_INT, OP_REAL };

/* The struct that has the field. */
enum op_holder { OP_OF_OP, OP_OF_PROGRAM };

struct op_column_def {
	const char *name;
	enum op_type type;
	const char *unit; /* "ns", "cycles", "%" or "" */
	enum op_holder holder;
	size_t offset;   /* of the field: int64_t, double or struct op_text; or OP_NO_FIELD */
	const char *how; /* how it is computed, for people */
};

#define OP_NO_FIELD ((size_t)-1)

extern const struct op_column_def op_columns[OP_COLUMNS];

/* True if a file of this architecture has the column. Quasar replaces some with its own. */
bool op_column_shown(enum op_column column, bool quasar);

/* True if its cells hold numbers. Others may hold any text. */
static inline bool op_column_numeric(enum op_column column)
{
	return op_columns[column].type != OP_TEXT || op_columns[column].unit[0];
}

/* The column whose name is TEXT, with '_' for ' ' and in any case; -1 if none. */
int op_column_find(const char *text, size_t len);
/* The same for an exact name. */
int op_column_named(const char *text, size_t len);

#endif
