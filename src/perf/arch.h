/* SPDX-License-Identifier: Apache-2.0 */
/* The peaks of the accelerators: every percentage is a share of one of them. */
#ifndef PERF_ARCH_H
#define PERF_ARCH_H

#include "base/arch.h"

/*
 * The model that applies. Ours (the default) has the figures of release 1.2.4 of tt-perf-report
 * without its errors: comparing clocks of different hosts, judging ops that never ran, advice that
 * cannot be followed. "1.2.4" is that release to the last bit. "next" is its later model of the
 * same hardware, where the two differ.
 */
enum perf_model {
	PERF_MODEL_TACHO,
	PERF_MODEL_1_2_4,
	PERF_MODEL_NEXT,
};

/* The name for options and JSON. */
const char *perf_model_name(enum perf_model model);

/* Any case, with or without a revision ("wormhole_b0"); NULL if reports do not support it. */
const struct arch *perf_arch_find(const char *name);
/* The figures that differ between models. */
const struct arch_peak *perf_arch_peak(const struct arch *arch, enum perf_model model);

/* The names, for a message. */
const char *perf_arch_names(void);

#endif
