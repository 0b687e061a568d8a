/* SPDX-License-Identifier: Apache-2.0 */
/* Private: read samples of Linux perf. */
#ifndef IMPORT_PERF_H
#define IMPORT_PERF_H

#include "base/map.h"
#include "base/vec.h"
#include "import/import.h"
#include "sample/symbols.h"
#include "sample/tree.h"

/* The tracks read so far. Initialise with zeros, W and NOTES. */
struct perf_samples {
	struct trace_writer *w;
	struct import_notes *notes;
	struct tree tree;
	struct map processes, threads; /* pid to process; process << 32 | tid to track */
	struct {
		VEC(uint64_t);
	} rows;             /* by track: how many were added */
	struct map modules; /* hash of the path to its number */
	struct {
		VEC(char *);
	} paths;                 /* by module, from 1 on */
	uint32_t stacks;         /* track */
	uint64_t last;           /* time of the last sample */
	struct symbols *symbols; /* of addresses that need names, or NULL */
};

/* PATH: of the source; EVENT: what was sampled. Once, before the others. */
int perf_begin(struct perf_samples *p, const char *path, const char *event);
/* Writes the ledgers and frees P's members. Call it in any case. */
int perf_end(struct perf_samples *p);

/* The track of a thread; NAME as far as known. Times are nanoseconds. */
int perf_thread(struct perf_samples *p, uint32_t pid, uint32_t tid, const char *name, uint64_t time,
		uint32_t *track);
/* The number of the file or memory PATH, announced to the trace. */
int perf_module(struct perf_samples *p, const char *path, uint64_t time, uint32_t *module);
/* The stack of a frame called from stack PARENT; 0: there are too many. *ADDED: it is new. */
int perf_stack(struct perf_samples *p, uint32_t parent, uint64_t key, uint64_t time,
	       uint32_t *stack, bool *added);
/* Adds a row to a track, and counts it. */
int perf_row(struct perf_samples *p, uint32_t track, const struct trace_row *row);

/* Times are at least 1: 0 is not a time in a trace. */
#define PERF_TIME(ns) ((ns) ? (ns) : 1)

#endif
