/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: what to change, why, and the maximum saving. The conditions are those that people know
 * from existing reports; the wording is ours. An estimate is how much shorter the op would be if
 * the advice had its full effect, so it is an upper bound; the estimates for one op add up to no
 * more than its time beyond what the peaks need (in the other models they overlap).
 */
#ifndef PERF_ADVICE_H
#define PERF_ADVICE_H

#include "base/buf.h"
#include "perf/report.h"

enum perf_advice_kind {
	ADVICE_SHARD,       /* read DRAM with the sharded program */
	ADVICE_GRID,        /* use more cores */
	ADVICE_INPUT_L1,    /* keep input 0 in L1 */
	ADVICE_CONFIG,      /* give a program config */
	ADVICE_BLOCK,       /* a larger inner block */
	ADVICE_SUBBLOCK,    /* a larger output subblock */
	ADVICE_NOTHING,     /* the settings look right */
	ADVICE_FIDELITY_UP, /* more exact */
	ADVICE_FIDELITY_DOWN,
	ADVICE_FIDELITY_NOTE,
	ADVICE_EXPERTS, /* say how many experts are active */
	ADVICE_BUFFER,  /* read while computing */
	ADVICE_CHUNK,   /* larger chunks of an attention */
	ADVICE_LINKS,   /* more links between devices */
	ADVICE_KERNEL,  /* computing waits for reading or writing */
	ADVICE_BALANCE, /* some cores have more to do than others */
	ADVICE_GAP,
	ADVICE_COMPILE, /* gaps that a trace does not fix: compiling, reading back */
	ADVICE_HOST,
	ADVICE_KINDS,
};

struct perf_advice_item {
	enum perf_advice_kind kind;
	double saving; /* us, at most; 0: not about time, or unknown */
	char text[400];
};

#define PERF_ADVICE_MAX 6

/* The advice for one op; returns the number of items. */
int perf_advise(const struct perf_report *report, const struct perf_op *op,
		struct perf_advice_item items[PERF_ADVICE_MAX]);

/* advice_others.c: the same in the models of other tools. */
int perf_advise_others(const struct perf_report *report, const struct perf_op *op,
		       struct perf_advice_item items[PERF_ADVICE_MAX]);

/* True if the gap before the op is too long for dispatch: a compilation, or a result read back. */
bool perf_gap_compile(const struct perf_report *report, const struct perf_op *op);

/* True if the gap before the op is longer than it should be. */
bool perf_gap_long(const struct perf_op *op);

/*
 * The part of the gap before an op that can be saved, us: of a gap that is too long, all beyond the
 * 6 us that remain in a trace. None for an op that is already a replay.
 */
double perf_gap_saving(const struct perf_report *report, const struct perf_op *op);

/* A word for each kind of advice, for sums over all ops. */
const char *perf_advice_title(enum perf_advice_kind kind);

#endif
