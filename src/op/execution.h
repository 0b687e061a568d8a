/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements of one execution of a program on a device: spans of cycles over all cores and RISCs
 * that took part, each defined once, in the table op_measures.
 */
#ifndef OP_EXECUTION_H
#define OP_EXECUTION_H

#include "base/arch.h"
#include "base/vec.h"
#include "op/op.h"

enum op_measure {
	OP_M_TRACE_FW,
	OP_M_TRACE_KERNEL,
	OP_M_FIRST_TO_LAST,
	OP_M_PER_CORE,
	OP_M_FW,
	OP_M_KERNEL,
	OP_M_KERNEL_DM,
	OP_M_BRISC,
	OP_M_NCRISC,
	OP_M_TRISC0,
	OP_M_TRISC1,
	OP_M_TRISC2,
	OP_M_ERISC,
	OP_M_QUASAR_DM,
	OP_M_QUASAR_TRISC,
	OP_M_QUASAR_DM_FW,
	OP_M_QUASAR_TRISC_FW,
	OP_M_CB_WAIT,
	OP_M_CB_RESERVE,
	OP_M_DISPATCH_CMD,
	OP_M_DISPATCH_GO,
	OP_MEASURES,
};

/* Cycles of the device. A sum has no start and end. */
struct op_span {
	uint64_t start, end;
	uint64_t cycles;
	bool set;
};

struct op_per_core {
	uint64_t min, max, sum, first; /* first: of the earliest core */
	double median;
	uint32_t count;
	int32_t x, y; /* the slowest core, in the NoC's coordinates ... */
	uint8_t risc; /* ... and its RISC with the longest kernel: enum arch_risc */
};

/* One execution of one program on one device. */
struct op_execution {
	int64_t device;
	uint64_t id;                       /* the op's, as the host numbers it */
	int64_t trace, session;            /* of a replay; OP_NONE */
	uint64_t first;                    /* time of its first marker */
	uint32_t cores;                    /* that ran firmware for it */
	bool complete;                     /* each core reported its end */
	struct op_span spans[OP_MEASURES]; /* PER_CORE, BRISC to ERISC: by core and by RISC */
	struct op_per_core per_core;
};

struct op_executions {
	VEC(struct op_execution);
};

#endif
