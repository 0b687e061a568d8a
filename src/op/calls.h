/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of ops and captures of traces as the host recorded them, in order: into a struct op_host. A
 * call refers to the description of an earlier one by device and hash. The rows of a trace feed it
 * (trace_host.h), and messages (messages.h), which programs may mix. Errors in the input are
 * reported as issues; functions fail only when memory runs out.
 */
#ifndef OP_CALLS_H
#define OP_CALLS_H

#include "base/jread.h"
#include "op/host.h"
#include "op/issues.h"
#include "trace/trace.h"

struct op_call {
	uint64_t id;
	int64_t device; /* OP_NONE: the host */
	uint64_t hash;  /* of its description */
	bool hashed;    /* later calls may refer to it */
	enum op_hit hit;
	const char *name; /* not terminated; may be empty */
	size_t name_len;
	uint64_t ns, line;
};

struct op_calls {
	struct op_host *host;
	struct op_issues *issues;
	struct jread json; /* for the reader of a source */
	struct {
		VEC(struct op_described);
	} described;
	struct map described_by_key;
	struct map capturing; /* device to trace id + 1; 0: none */
};

/* HOST and ISSUES must outlive it. */
void op_calls_open(struct op_calls *c, struct op_host *host, struct op_issues *issues);
void op_calls_close(struct op_calls *c);

/* A call with its description. */
int op_calls_describe(struct op_calls *c, struct op_call *call, const struct jread_value *json);
/* A call that refers to a description. */
int op_calls_refer(struct op_calls *c, const struct op_call *call);
/* A call whose description is unreadable, with the reason WHY. CALL is NULL if its head is, too. */
int op_calls_lost(struct op_calls *c, const struct op_call *call, uint64_t line, const char *why);
int op_calls_trace(struct op_calls *c, int64_t device, int64_t trace, enum trace_op_step step,
		   uint64_t ns, uint64_t line);

/* An OP or OP_TRACE row of a trace. */
int op_calls_row(struct op_calls *c, const struct trace_row *row, uint64_t ns);

#endif
