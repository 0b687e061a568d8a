/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions of a trace that grows: each walk reads only the rows that are new, wherever they cut
 * the markers of a run. It starts again if a core appears (cores are numbered in order), if the
 * recorder truncated the file, or if a marker comes for a run that was put away long ago.
 */
#ifndef OP_LIVE_H
#define OP_LIVE_H

#include "op/runs.h"
#include "op/trace_cores.h"

#define OP_LIVE_CORES 262144u /* cores of runs that are held; with more, only those of the last: \
			       */
#define OP_LIVE_RUNS 1024u

struct op_live {
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

/* Can executions of these cores be followed? Not those of Tracy and of earlier versions. */
bool op_live_possible(const struct op_cores *cores);
/* Reads the new markers into LIVE.runs; the caller zeroed LIVE before the first walk. */
int op_live_walk(struct op_live *live, struct op_cores *cores);
/* Forgets all but the two counts. */
void op_live_free(struct op_live *live);

#endif
