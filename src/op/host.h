/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's reports of ops: calls, their programs, signposts, replays of traces. Messages
 * (messages.h) and zones fill it, from logs or from a trace; join.h joins it with the devices'
 * measurements.
 */
#ifndef OP_HOST_H
#define OP_HOST_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "op/execution.h"
#include "op/names.h"
#include "op/op.h"

/* A host function called within an op: total nanoseconds. */
struct op_child {
	uint32_t name; /* in op_host.child_names */
	uint64_t ns;
	uint32_t next; /* index + 1 of the op's next one, 0: none */
};

struct op_host_op {
	uint64_t id;
	int64_t device;   /* OP_NONE: ran on the host */
	int64_t trace;    /* the trace that was being captured, OP_NONE */
	uint32_t program; /* index + 1 into op_host.table.programs; 0: no message describes it */
	enum op_hit hit;
	uint64_t message_ns;
	bool timed;
	uint64_t start_ns, duration_ns;
	uint32_t children; /* index + 1 into op_host.children */
	uint64_t line;
};

struct op_signpost {
	char *header, *message; /* message: NULL when it has none */
	uint64_t ns;
};

struct op_replay {
	int64_t device, trace;
	uint64_t ns;
};

/* The host's side: the content of all messages and zone times. */
struct op_host {
	struct {
		VEC(struct op_host_op);
	} ops;                 /* in message order */
	struct map by_id;      /* op id to index in ops */
	struct op_table table; /* has the programs; op_build() adds the ops */
	struct {
		VEC(struct op_child);
	} children;
	struct op_names child_names;
	struct {
		VEC(struct op_signpost);
	} signposts;
	struct {
		VEC(struct op_replay);
	} replays; /* in time order */
	struct {
		VEC(struct op_host_op);
	} salvaged; /* ops whose message was cut or has a dangling reference: used when another log
		       names them */
	struct map salvaged_by_id; /* to the last of that id */
};

void op_host_free(struct op_host *host);

/* Stores the known facts about an op for op_host_add_unknown(). */
int op_host_salvage(struct op_host *host, const struct op_host_op *op);

/* The op of that id, or NULL. Valid until the next op is added. */
struct op_host_op *op_host_find(const struct op_host *host, uint64_t id);

/* Adds an op, or replaces the one with the same id in place. 0 or TACHO_ENOMEM. */
int op_host_add(struct op_host *host, const struct op_host_op *op);

/*
 * Adds an op that another log names but no complete message describes, from what was salvaged, if
 * anything.
 */
int op_host_add_unknown(struct op_host *host, uint64_t id, int64_t device);

/* The device that an op id encodes; fallback ops have none. */
int64_t op_id_device(uint64_t id);

#endif
