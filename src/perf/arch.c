/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the architecture table that perf-report uses. */
#include "perf/arch.h"

const char *perf_model_name(enum perf_model model)
{
	static const char *const names[] = {
		[PERF_MODEL_TACHO] = "tacho",
		[PERF_MODEL_1_2_4] = "1.2.4",
		[PERF_MODEL_NEXT] = "next",
	};

	return names[model];
}

const struct arch *perf_arch_find(const char *name)
{
	const struct arch *a = arch_find(name);

	return a && a->report ? a : NULL;
}

const struct arch_peak *perf_arch_peak(const struct arch *arch, enum perf_model model)
{
	return model == PERF_MODEL_NEXT ? &arch->peak_next : &arch->peak;
}

const char *perf_arch_names(void)
{
	return "wormhole, blackhole, blackhole_p100, bh20, n1";
}
