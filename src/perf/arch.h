/* SPDX-License-Identifier: Apache-2.0 */
/* What the accelerators can do at most: the figures that every percentage is a share of. */
#ifndef PERF_ARCH_H
#define PERF_ARCH_H

#include "base/arch.h"

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

/* Any case, with or without a revision ("wormhole_b0"); NULL if reports do not know it. */
const struct arch *perf_arch_find(const char *name);
/* The figures that differ between models. */
const struct arch_peak *perf_arch_peak(const struct arch *arch, enum perf_model model);

/* The names, for a message. */
const char *perf_arch_names(void);

#endif
