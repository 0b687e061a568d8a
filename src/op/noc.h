/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transfers of executions on the on-chip network. The report shows only figures that need no
 * model of the network: bytes, events, and the distribution of bytes over the cores.
 */
#ifndef OP_NOC_H
#define OP_NOC_H

#include "base/map.h"
#include "base/vec.h"
#include "op/marker.h"

struct op_noc_op {
	int64_t device;
	uint64_t id;
	int64_t trace, session; /* OP_NONE */
	uint64_t events, bytes, multicast_bytes;
	uint32_t cores;
	double max_share; /* share of the busiest core in the bytes, in percent */
};

/* One word of the NoC profiler. */
struct op_noc_word {
	unsigned x, y, end_x, end_y, noc;
	int vc; /* -1: unknown */
	unsigned bytes;
	bool posted;
};
struct op_noc_word op_noc_word(uint64_t word);

/* True if transfers of this kind go to several cores. */
bool op_noc_is_multicast(const char *type);

struct op_noc {
	VEC(struct op_noc_op);
	uint64_t files;
};

/* Sorts the ops as op_noc_find() requires. */
void op_noc_sort(struct op_noc *noc);

/* After op_noc_sort(). NULL if the op has no NoC events. */
const struct op_noc_op *op_noc_find(const struct op_noc *noc, int64_t device, uint64_t id,
				    int64_t trace, int64_t session);
void op_noc_free(struct op_noc *noc);

/* Sums up a stream of markers, in which those of one core are consecutive. */
struct op_noc_run {
	struct op_noc_op sums;
	uint64_t entries; /* transfers and zones */
	uint32_t core;    /* + 1: the one that core_bytes belongs to */
	uint64_t core_bytes, most;
	uint64_t at; /* for the writer: where its entries are */
};

struct op_noc_runs {
	VEC(struct op_noc_run);
	struct map by_key;
};

/*
 * The index of the run of a marker; the run is added if NEW. OP_NONE: the marker is not of
 * interest, or has no run. DEVICE is its number, NAME the transfer's kind or the zone's name.
 */
int64_t op_noc_runs_find(struct op_noc_runs *runs, const struct op_marker *m, int64_t device,
			 const char *name, bool new);
int op_noc_runs_add(struct op_noc_runs *runs, const struct op_marker *m, int64_t device,
		    const char *name);
/* After the last marker. */
int op_noc_runs_sum(struct op_noc_runs *runs, struct op_noc *noc);
void op_noc_runs_free(struct op_noc_runs *runs);

#endif
