/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs that groups of performance counters need: the hardware has one selector for all L1
 * banks, so each run counts one bank at most.
 */
#ifndef CMDS_PASSES_H
#define CMDS_PASSES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define PASSES_MAX 6

struct counter_passes {
	unsigned bits[PASSES_MAX]; /* TT_METAL_PROFILE_PERF_COUNTERS of each run */
	size_t n;
};

/*
 * GROUPS are names separated by commas. Without MULTIPASS there is one run with all of them. With
 * it "all" are all groups of the architecture that the environment names.
 */
int passes_make(const char *groups, bool multipass, struct counter_passes *passes,
		struct tacho_error *err);
/* Sets TT_METAL_PROFILE_PERF_COUNTERS for run I. */
void passes_setenv(const struct counter_passes *passes, size_t i);
/* The names of the groups of run I, separated by commas. */
void passes_names(const struct counter_passes *passes, size_t i, char *out, size_t size);

#endif
