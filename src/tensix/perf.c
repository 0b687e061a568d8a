/*
 * Performance counters: each group has three control words and counts from a start to a stop. Reads
 * of the output words give the cycles that the group ran and the counter that the mode word
 * selects. What the model does not know counts 0.
 */
#include "tensix/private.h"

static const struct {
	uint16_t control;
	uint16_t output;
} groups[PERF_GROUPS] = {
	[PERF_INSTRN] = {0x000, 0x100}, [PERF_UNPACK] = {0x00C, 0x108}, [PERF_FPU] = {0x018, 0x120},
	[PERF_L1] = {0x030, 0x118},     [PERF_PACK] = {0x0F0, 0x110},
};

/* Which of the model's own counts a selector means. */
enum { SOURCE_THREADS = ENGINE_UNITS, SOURCES = ENGINE_UNITS + 3, SOURCE_MATH = SOURCES };

static const struct {
	uint8_t group;
	uint16_t select;
	uint8_t source;
} counters[] = {
	{PERF_FPU, 0, UNIT_FPU},
	{PERF_FPU, 1, UNIT_SFPU},
	{PERF_FPU, 257, SOURCE_MATH},
	{PERF_UNPACK, 7, UNIT_UNPACK0},
	{PERF_UNPACK, 8, UNIT_UNPACK1},
	{PERF_PACK, 15, UNIT_PACK},
	{PERF_PACK, 18, UNIT_PACK},
	{PERF_INSTRN, 256, SOURCE_THREADS},
	{PERF_INSTRN, 257, SOURCE_THREADS + 1},
	{PERF_INSTRN, 258, SOURCE_THREADS + 2},
};

static uint64_t source(const struct tensix_core *c, unsigned i)
{
	if (!c->engine)
		return 0;
	return i < ENGINE_UNITS ? c->engine->unit_busy[i]
				: c->engine->instructions[i - ENGINE_UNITS];
}

static void control(struct tensix_core *c, struct perf_group *g, uint32_t value, uint64_t cycle)
{
	if ((value & 1) && !g->running) {
		g->running = true;
		g->since = cycle;
		for (unsigned i = 0; i < SOURCES; i++)
			g->base[i] = source(c, i);
	} else if ((value & 2) && g->running) {
		g->running = false;
		g->cycles = cycle - g->since;
		for (unsigned i = 0; i < SOURCES; i++)
			g->value[i] = source(c, i) - g->base[i];
	}
}

bool perf_write(struct tensix_core *c, uint32_t offset, uint32_t value, uint64_t cycle)
{
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
			control(c, g, value, cycle);
			return true;
		}
	}
	return false;
}

static uint32_t selected(const struct tensix_core *c, unsigned group)
{
	const struct perf_group *g = &c->perf[group];
	uint32_t select = g->mode >> 8 & 0x1ff;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (counters[i].group != group || counters[i].select != select)
			continue;
		if (counters[i].source == SOURCE_MATH)
			return (uint32_t)(g->value[UNIT_FPU] + g->value[UNIT_SFPU]);
		return (uint32_t)g->value[counters[i].source];
	}
	return 0;
}

bool perf_read(struct tensix_core *c, uint32_t offset, uint64_t cycle, uint32_t *value)
{
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
			*value = selected(c, i);
			return true;
		}
	}
	return false;
}
