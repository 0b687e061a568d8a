/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance counters: each group has three control words and counts from a start to a stop. The
 * output words return the cycles that the group ran and the counter that the mode word selects.
 * Counters that the model does not have read as 0.
 */
#include "tensix/private.h"

static const struct {
	uint16_t control;
	uint16_t output;
} groups[PERF_GROUPS] = {
	[PERF_INSTRN] = {0x000, 0x100}, [PERF_UNPACK] = {0x00C, 0x108}, [PERF_FPU] = {0x018, 0x120},
	[PERF_L1] = {0x030, 0x118},     [PERF_PACK] = {0x0F0, 0x110},
};

/* Maps a selector to one of the model's counts; selectors of threads come in threes. */
#define SOURCE_MATH PERF_SOURCES
#define L1_MUX      0x218u

static const struct {
	uint8_t group, mux;
	uint16_t select;
	uint8_t source, number;
} counters[] = {
	{PERF_FPU, 0, 0, COUNT_BUSY + UNIT_FPU, 1},
	{PERF_FPU, 0, 1, COUNT_BUSY + UNIT_SFPU, 1},
	{PERF_FPU, 0, 257, SOURCE_MATH, 1},
	{PERF_UNPACK, 0, 3, COUNT_STARTED, 1},
	{PERF_UNPACK, 0, 7, COUNT_BUSY + UNIT_UNPACK0, 1},
	{PERF_UNPACK, 0, 8, COUNT_BUSY + UNIT_UNPACK1, 1},
	{PERF_PACK, 0, 15, COUNT_BUSY + UNIT_PACK, 1},
	{PERF_PACK, 0, 18, COUNT_BUSY + UNIT_PACK, 1},
	{PERF_L1, 0, 0, COUNT_BUSY + UNIT_UNPACK0, 1},
	{PERF_L1, 0, 1, COUNT_BUSY + UNIT_UNPACK1, 1},
	{PERF_L1, 0, 4, PERF_NOC, 1},
	{PERF_L1, 0, 6, PERF_NOC + 1, 1},
	{PERF_L1, 1, 4, PERF_NOC + 2, 1},
	{PERF_L1, 1, 6, PERF_NOC + 3, 1},
	{PERF_INSTRN, 0, 0, COUNT_CFG, 3},
	{PERF_INSTRN, 0, 3, COUNT_SYNC, 3},
	{PERF_INSTRN, 0, 15, COUNT_MATH, 3},
	{PERF_INSTRN, 0, 18, COUNT_UNPACK, 3},
	{PERF_INSTRN, 0, 21, COUNT_PACK, 3},
	{PERF_INSTRN, 0, 24, COUNT_STALLS, 3},
	{PERF_INSTRN, 0, 27, COUNT_CLEAR, 2},
	{PERF_INSTRN, 0, 29, COUNT_VALID, 2},
	{PERF_INSTRN, 0, 43, COUNT_NONZERO, 3},
	{PERF_INSTRN, 0, 46, COUNT_NONFULL, 3},
	{PERF_INSTRN, 0, 256, COUNT_INSTRUCTIONS, 3},
};

static uint64_t perf_source(const struct tensix_core *c, unsigned i)
{
	const struct niu *n;

	if (i < ENGINE_COUNTS)
		return c->engine ? c->engine->count[i] : 0;
	n = &c->niu[(i - PERF_NOC) / 2];
	return (i - PERF_NOC) % 2 ? n->flits_in : n->flits_out;
}

static void perf_control(struct tensix_core *c, struct perf_group *g, uint32_t value,
			 uint64_t cycle)
{
	if ((value & 1) && !g->running) {
		g->running = true;
		g->since = cycle;
		for (unsigned i = 0; i < PERF_SOURCES; i++)
			g->base[i] = perf_source(c, i);
	} else if ((value & 2) && g->running) {
		g->running = false;
		g->cycles = cycle - g->since;
		for (unsigned i = 0; i < PERF_SOURCES; i++)
			g->value[i] = perf_source(c, i) - g->base[i];
	}
}

bool perf_write(struct tensix_core *c, uint32_t offset, uint32_t value, uint64_t cycle)
{
	if (offset == L1_MUX)
		return true;
	for (unsigned i = 0; i < PERF_GROUPS; i++) {
		struct perf_group *g = &c->perf[i];

		switch (offset - groups[i].control) {
		case 0:
			g->period = value;
			return true;
		case 4:
			g->mode = value;
			return true;
		case 8:
			perf_control(c, g, value, cycle);
			return true;
		}
	}
	return false;
}

static uint32_t perf_is_selected(const struct tensix_core *c, unsigned group)
{
	const struct perf_group *g = &c->perf[group];
	uint32_t select = g->mode >> 8 & 0x1ff;
	uint32_t mux = group == PERF_L1 ? c->debug[L1_MUX / 4] >> 4 & 7 : 0;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (counters[i].group != group || counters[i].mux != mux ||
		    select - counters[i].select >= counters[i].number)
			continue;
		if (counters[i].source == SOURCE_MATH)
			return (uint32_t)(g->value[COUNT_BUSY + UNIT_FPU] +
					  g->value[COUNT_BUSY + UNIT_SFPU]);
		return (uint32_t)g->value[counters[i].source + select - counters[i].select];
	}
	return 0;
}

bool perf_read(struct tensix_core *c, uint32_t offset, uint64_t cycle, uint32_t *value)
{
	if (offset == L1_MUX) {
		*value = c->debug[L1_MUX / 4];
		return true;
	}
	for (unsigned i = 0; i < PERF_GROUPS; i++) {
		const struct perf_group *g = &c->perf[i];

		if (offset - groups[i].control < 8) {
			*value = offset == groups[i].control ? g->period : g->mode;
			return true;
		}
		if (offset == groups[i].output) {
			*value = (uint32_t)(g->running ? cycle - g->since : g->cycles);
			return true;
		}
		if (offset == groups[i].output + 4u) {
			*value = perf_is_selected(c, i);
			return true;
		}
	}
	return false;
}
