/*
 * Op records: what a report is made of, whatever the records came from. A reader of a source (the
 * host's message log, the device log, a trace) fills these; join.c brings them together; report.c
 * writes rows. Nothing in here knows a file format.
 */
#ifndef OPS_RECORD_H
#define OPS_RECORD_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "ops/columns.h"
#include "ops/names.h"

/* What is measured of one execution of a program on a device. */
enum ops_analysis {
	OPS_AN_TRACE_FW,
	OPS_AN_TRACE_KERNEL,
	OPS_AN_FIRST_TO_LAST,
	OPS_AN_PER_CORE,
	OPS_AN_FW,
	OPS_AN_KERNEL,
	OPS_AN_KERNEL_DM,
	OPS_AN_BRISC,
	OPS_AN_NCRISC,
	OPS_AN_TRISC0,
	OPS_AN_TRISC1,
	OPS_AN_TRISC2,
	OPS_AN_ERISC,
	OPS_AN_QUASAR_DM,
	OPS_AN_QUASAR_TRISC,
	OPS_AN_QUASAR_DM_FW,
	OPS_AN_QUASAR_TRISC_FW,
	OPS_AN_CB_WAIT,
	OPS_AN_CB_RESERVE,
	OPS_AN_DISPATCH_CMD,
	OPS_AN_DISPATCH_GO,
	OPS_ANALYSES,
};

/* Cycles of the device. A sum has no start and end. */
struct ops_span {
	uint64_t start, end;
	uint64_t cycles;
	bool set;
};

struct ops_per_core {
	uint64_t min, max, sum, first; /* first: of the core that came first in time */
	double median;
	uint32_t count;
};

/* One execution of one program on one device. */
struct ops_device_op {
	int64_t device;
	uint64_t id;     /* the op id, as the host knows it */
	int64_t trace;   /* OPS_NONE: not from a trace */
	int64_t session; /* 1-based replay of that trace, OPS_NONE */
	uint64_t first;  /* time of its first marker */
	uint32_t cores;  /* that ran firmware for it */
	bool complete;   /* each core said that it was done */
	struct ops_span spans[OPS_ANALYSES];
	struct ops_per_core per_core;
};

struct ops_device_ops {
	VEC(struct ops_device_op);
};

/* A cell's text within struct ops_info's buffer. */
struct ops_text {
	uint32_t at, len;
};

struct ops_cell {
	enum ops_column column;
	struct ops_text text;
};

struct ops_texts {
	VEC(struct ops_text);
};

enum { OPS_TENSOR_CELLS = 7 }; /* W Z Y X, layout, data type, memory */

/* What a message tells about an op; ops that repeat a cached program share one. */
struct ops_info {
	struct buf text;
	struct {
		VEC(struct ops_cell);
	} cells;
	struct ops_texts inputs, outputs; /* OPS_TENSOR_CELLS for each tensor */
	struct {
		VEC(struct ops_cell);
	} sizes; /* column: index into ops_host.size_names */
	bool has_model;
	double compute_ns;
	char no_number[48]; /* the first member that should be a number and is none, or "" */
};

/* A host function called within an op: nanoseconds in all. */
struct ops_child {
	uint32_t name; /* in ops_host.child_names */
	uint64_t ns;
	uint32_t next; /* index + 1 of the op's next one, 0: none */
};

enum ops_hit { OPS_HIT_AS_INFO, OPS_HIT_FALSE, OPS_HIT_TRUE };

struct ops_host_op {
	uint64_t id;
	int64_t device; /* OPS_NONE: ran on the host */
	int64_t trace;  /* the trace that was being captured, OPS_NONE */
	uint32_t info;  /* index + 1 into ops_host.infos; 0: no message told about it */
	enum ops_hit hit;
	uint64_t message_ns;
	bool timed;
	uint64_t start_ns, duration_ns;
	uint32_t children; /* index + 1 into ops_host.children */
	uint64_t line;
};

struct ops_signpost {
	char *header, *message; /* message: NULL when it has none */
	uint64_t ns;
};

struct ops_replay {
	int64_t device, trace;
	uint64_t ns;
};

/* The host's side: everything that the messages and the zone times say. */
struct ops_host {
	struct {
		VEC(struct ops_host_op);
	} ops;            /* in message order */
	struct map by_id; /* op id to index in ops */
	struct {
		VEC(struct ops_info);
	} infos;
	struct {
		VEC(struct ops_child);
	} children;
	struct ops_names child_names, size_names;
	struct {
		VEC(struct ops_signpost);
	} signposts;
	struct {
		VEC(struct ops_replay);
	} replays; /* in time order */
	struct {
		VEC(struct ops_host_op);
	} salvaged; /* ops whose message was cut or refers to nothing: used when another log names
		       them */
	struct map salvaged_by_id; /* to the last of that id */
};

void ops_host_free(struct ops_host *host);

/* Takes INFO over, or frees it when there is no memory. */
int ops_host_add_info(struct ops_host *host, struct ops_info *info);

/* Keeps what is known of an op for ops_host_add_unknown(). */
int ops_host_salvage(struct ops_host *host, const struct ops_host_op *op);

/* The op of that id, or NULL. Valid until the next op is added. */
struct ops_host_op *ops_host_find(const struct ops_host *host, uint64_t id);

/* Adds an op, or replaces the one of the same id at its place. 0 or TACHO_ENOMEM. */
int ops_host_add(struct ops_host *host, const struct ops_host_op *op);

/* An op that another log names but no whole message tells about: from what was salvaged, if any. */
int ops_host_add_unknown(struct ops_host *host, uint64_t id, int64_t device);

/* The device that an op id says it is for; fallback ops have none. */
int64_t ops_id_device(uint64_t id);

#endif
