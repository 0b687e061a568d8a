/*
 * Host ops and device ops brought together into the rows of the report. A device op belongs to the
 * host op of the same device and id; replays of a trace are told apart by their order (or by the
 * number that the device logged, when some are missing). Whatever has no partner gets a row too.
 */
#ifndef OPS_JOIN_H
#define OPS_JOIN_H

#include "ops/cppreport.h"
#include "ops/issues.h"
#include "ops/record.h"

enum ops_row_kind {
	OPS_ROW_OP,     /* an op as the host called it */
	OPS_ROW_REPLAY, /* one replay of a captured op */
	OPS_ROW_SIGNPOST,
};

#define OPS_NO_INDEX UINT32_MAX

struct ops_row {
	enum ops_row_kind kind;
	uint64_t ns;     /* the place of the row in time */
	uint32_t host;   /* index into host->ops, or of the signpost */
	uint32_t device; /* index into the device ops, or OPS_NO_INDEX */
	uint32_t cpp;    /* index into the runtime's report, or OPS_NO_INDEX */
	int64_t trace, session;
	bool replayed; /* of a captured op: its replays have rows */
};

struct ops_rows {
	VEC(struct ops_row);
};

/* DEVICE_OPS: of all devices. HOST may gain ops that only the device knows. */
int ops_join_device(struct ops_host *host, struct ops_device_ops *device_ops, struct ops_rows *rows,
		    struct ops_issues *issues, struct tacho_error *err);

int ops_join_cpp(struct ops_host *host, const struct ops_cpp *cpp, struct ops_rows *rows,
		 struct ops_issues *issues, struct tacho_error *err);

/* No device data at all: the host's ops and signposts alone. */
int ops_join_host(struct ops_host *host, struct ops_rows *rows, struct ops_issues *issues,
		  struct tacho_error *err);

#endif
