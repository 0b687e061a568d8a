/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins host ops and device ops into the rows of the report. A device op belongs to the host op of
 * the same device and id; replays of a trace are distinguished by their order (or by the number
 * that the device logged, when some are missing). An op without a partner gets a row too.
 */
#ifndef OP_JOIN_H
#define OP_JOIN_H

#include "op/execution.h"
#include "op/host.h"
#include "op/issues.h"
#include "op/measured.h"

enum op_row_kind {
	OP_ROW_OP,     /* an op as the host called it */
	OP_ROW_REPLAY, /* one replay of a captured op */
	OP_ROW_SIGNPOST,
};

#define OP_NO_INDEX UINT32_MAX

struct op_row {
	enum op_row_kind kind;
	uint64_t ns;       /* the place of the row in time */
	uint32_t host;     /* index into host->ops, or of the signpost */
	uint32_t device;   /* index into the executions, or OP_NO_INDEX */
	uint32_t measured; /* index into the measurements, or OP_NO_INDEX */
	int64_t trace, session;
	bool replayed; /* of a captured op: its replays have rows */
};

struct op_rows {
	VEC(struct op_row);
};

/* EXECUTIONS: of all devices. Adds ops that only the device knows to HOST. */
int op_join_device(struct op_host *host, struct op_executions *executions, struct op_rows *rows,
		   struct op_issues *issues, struct tacho_error *err);

int op_join_measured(struct op_host *host, const struct op_measurements *measured,
		     struct op_rows *rows, struct op_issues *issues, struct tacho_error *err);

/* No device data at all: the host's ops and signposts alone. */
int op_join_host(struct op_host *host, struct op_rows *rows, struct op_issues *issues,
		 struct tacho_error *err);

#endif
