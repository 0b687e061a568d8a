/* What the accelerators can do at most: the figures that every percentage is a share of. */
#ifndef PERF_ARCH_H
#define PERF_ARCH_H

#include <stdbool.h>

/*
 * Whose rules count. Ours (the default) are the figures of release 1.2.4 of tt-perf-report without
 * what is false in it: clocks of different hosts compared, ops judged that never ran, advice that
 * nobody can follow. "1.2.4" is that release to the last bit. "next" is its later understanding of
 * the same hardware, where the two differ.
 */
enum perf_model {
	PERF_MODEL_TACHO,
	PERF_MODEL_1_2_4,
	PERF_MODEL_NEXT,
};

/* The name as an option and in JSON. */
const char *perf_model_name(enum perf_model model);

/* How many passes of the multiplier an operand's mantissa gets: fewer are faster and less exact. */
enum perf_fidelity {
	FIDELITY_NONE, /* the cell is blank or says something else */
	FIDELITY_LOFI,
	FIDELITY_HIFI2,
	FIDELITY_HIFI3,
	FIDELITY_HIFI4,
	FIDELITY_COUNT,
};

struct perf_arch {
	const char *name;
	int cores;                     /* workers, when the input does not say */
	double dram_gbs;               /* peak DRAM bandwidth, GB/s */
	double tflops[FIDELITY_COUNT]; /* peak of one core, TFLOP/s */
	int sharded_cores;             /* cores that a DRAM-sharded matmul really reads with */
};

/* Any case, with or without a revision ("wormhole_b0"); NULL if it is none that we know. */
const struct perf_arch *perf_arch_find(const char *name, enum perf_model model);

/* The names, for a message. */
const char *perf_arch_names(void);

enum perf_fidelity perf_fidelity_find(const char *name);
const char *perf_fidelity_name(enum perf_fidelity f);

#endif
