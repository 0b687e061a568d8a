/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was read of a trace that grows, so that its ops can be made again from what is new: of the
 * host the records and the zones that count, of the devices the executions. Rows and zones are read
 * once, wherever a checkpoint cuts the markers of a run. Executions are read again if a core
 * appears (cores are numbered in order) or if a marker comes for a run that was put away long ago.
 * A trace that was reloaded (trace_refresh()) needs a new one.
 */
#ifndef OP_LIVE_H
#define OP_LIVE_H

#include "base/buf.h"
#include "op/runs.h"
#include "op/trace_cores.h"

/* Cores of runs that are held. With more, those of the newest runs stay. */
#define OP_LIVE_CORES 262144u
#define OP_LIVE_RUNS  1024u

/* A row of a message track; TEXT: where its text is in op_live_host.text. */
struct op_live_row {
	struct trace_row row;
	size_t text;
	uint32_t track, number;
};

/* A zone of an op or of a host function whose time counts. */
struct op_live_zone {
	uint64_t start, end;
	uint32_t track, depth, srcloc, number;
	bool unfinished;
	size_t text; /* of an op's zone, terminated */
};

struct op_live_host {
	bool follows;
	uint8_t uuid[16];
	uint64_t known; /* offset in the file up to which rows were read */
	struct {
		VEC(struct op_live_row);
	} rows; /* by time */
	struct {
		VEC(struct op_live_zone);
	} zones; /* by track and start */
	struct buf text;
	struct {
		VEC(uint64_t);
	} lanes;             /* zones that were read */
	struct map by_lane;  /* track << 32 | depth to index in lanes */
	uint64_t zones_read; /* in all */
};

struct op_live {
	struct op_live_host host;
	struct op_runs runs;
	uint8_t uuid[16];
	uint64_t known; /* offset in the file up to which rows were read */
	struct {
		VEC(struct op_risc);
	} riscs;                        /* as op_cores had them */
	struct op_risc_reader *readers; /* by RISC */
	uint64_t rows;                  /* of cores that were read, in all walks */
	uint64_t restarts;
};

/* True if executions of these cores can be followed: not those of Tracy and of earlier versions. */
bool op_live_possible(const struct op_cores *cores);
/* Reads the new markers into LIVE.runs; the caller zeroed LIVE before the first load. */
int op_live_walk(struct op_live *live, struct op_cores *cores);
/* Forgets all but the counts. */
void op_live_free(struct op_live *live);
void op_live_host_free(struct op_live_host *h);

#endif
