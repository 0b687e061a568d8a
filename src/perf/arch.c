#include "perf/arch.h"

#include "base/chip.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* A wormhole chip has 72 cores that share the chip's 74, 148 and 262 TFLOP/s. */
#define WORMHOLE                                                                    \
	{                                                                           \
		[FIDELITY_HIFI4] = 74.0 / 72, [FIDELITY_HIFI3] = 74.0 / 72 * 4 / 3, \
		[FIDELITY_HIFI2] = 148.0 / 72, [FIDELITY_LOFI] = 262.0 / 72         \
	}

/* The others: by their clock. */
#define PEAK(chip) (CHIP_MATMUL_OPS * (CHIP_##chip##_MHZ / 1000.0) / 1000)
#define PASSES(chip)                                                                  \
	{                                                                             \
		[FIDELITY_HIFI4] = PEAK(chip) / 4, [FIDELITY_HIFI3] = PEAK(chip) / 3, \
		[FIDELITY_HIFI2] = PEAK(chip) / 2, [FIDELITY_LOFI] = PEAK(chip)       \
	}

static const struct perf_arch archs[] = {
	{"wormhole", 64, CHIP_WORMHOLE_GBS, WORMHOLE, 12},
	{"blackhole", 130, CHIP_BLACKHOLE_GBS, PASSES(BLACKHOLE), 12},
	{"blackhole_p100", 110, CHIP_BLACKHOLE_P100_GBS, PASSES(BLACKHOLE_P100), 7},
	{"bh20", 20, CHIP_BLACKHOLE_GBS, PASSES(BLACKHOLE), 12},
	{"n1", 20, CHIP_N1_GBS, PASSES(N1), 12},
	{NULL, 0, 0, {0}, 0},
};

static const struct perf_arch archs_next[] = {
	{"wormhole", 64, CHIP_WORMHOLE_GBS, WORMHOLE, 12},
	{"blackhole", 110, CHIP_BLACKHOLE_GBS, PASSES(BLACKHOLE), 8},
	{"blackhole_p100", 110, CHIP_BLACKHOLE_P100_GBS, PASSES(BLACKHOLE_P100), 7},
	{"bh20", 20, CHIP_BLACKHOLE_GBS, PASSES(BLACKHOLE), 8},
	{"n1", 20, CHIP_N1_GBS, PASSES(N1), 8},
	{NULL, 0, 0, {0}, 0},
};

static const struct {
	const char *other, *name;
} aliases[] = {
	{"wormhole_b0", "wormhole"},
	{"p100", "blackhole_p100"},
	{"p100a", "blackhole_p100"},
	{"p150", "blackhole"},
	{"p150a", "blackhole"},
	{"p150b", "blackhole"},
	{"blackhole_p150", "blackhole"},
	{"p150c", "blackhole"},
	{"blackhole_p100a", "blackhole_p100"},
};

const char *perf_model_name(enum perf_model model)
{
	static const char *const names[] = {
		[PERF_MODEL_TACHO] = "tacho",
		[PERF_MODEL_1_2_4] = "1.2.4",
		[PERF_MODEL_NEXT] = "next",
	};

	return names[model];
}

const struct perf_arch *perf_arch_find(const char *name, enum perf_model model)
{
	const struct perf_arch *a = model == PERF_MODEL_NEXT ? archs_next : archs;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcasecmp(aliases[i].other, name))
			name = aliases[i].name;
	for (; a->name; a++)
		if (!strcasecmp(a->name, name))
			return a;
	return NULL;
}

const char *perf_arch_names(void)
{
	return "wormhole, blackhole, blackhole_p100, bh20, n1";
}

static const char *const fidelities[FIDELITY_COUNT] = {
	[FIDELITY_LOFI] = "LoFi",
	[FIDELITY_HIFI2] = "HiFi2",
	[FIDELITY_HIFI3] = "HiFi3",
	[FIDELITY_HIFI4] = "HiFi4",
};

enum perf_fidelity perf_fidelity_find(const char *name)
{
	for (int i = FIDELITY_NONE + 1; name && i < FIDELITY_COUNT; i++)
		if (!strcmp(fidelities[i], name))
			return (enum perf_fidelity)i;
	return FIDELITY_NONE;
}

const char *perf_fidelity_name(enum perf_fidelity f)
{
	return fidelities[f];
}
