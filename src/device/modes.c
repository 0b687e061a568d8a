/* SPDX-License-Identifier: Apache-2.0 */
/* Read from the environment which parts of the kernel profiler are enabled. */
#include "base/environ.h"
#include "device/launch.h"
#include "device/prof.h"
#include "device/report.h"
#include "tacho_layout.h"

#include <stdlib.h>
#include <string.h>

/* A sum of bits, or comma-separated names. */
int prof_counter_groups(const char *text, unsigned *groups)
{
	static const struct {
		const char *name;
		unsigned bits;
	} names[] = {
		{"fpu", COUNTERS_FPU}, {"pack", COUNTERS_PACK},     {"unpack", COUNTERS_UNPACK},
		{"l1", COUNTERS_L1_0}, {"l1_0", COUNTERS_L1_0},     {"l1_1", COUNTERS_L1_1},
		{"l1_2", 1u << 6},     {"l1_3", 1u << 7},           {"l1_4", 1u << 8},
		{"all", COUNTERS_ALL}, {"instrn", COUNTERS_INSTRN},
	};
	char *end;
	unsigned long number = strtoul(text, &end, 0);

	*groups = (unsigned)number;
	if (end != text && !*end)
		return number < 1u << 9 ? 0 : TACHO_EUSAGE;
	*groups = 0;
	for (const char *at = text; *at; at += *at == ',') {
		size_t n = strcspn(at, ","), i = 0;

		while (i < sizeof(names) / sizeof(names[0]) &&
		       (strlen(names[i].name) != n || strncmp(names[i].name, at, n)))
			i++;
		if (i == sizeof(names) / sizeof(names[0]))
			return TACHO_EUSAGE;
		*groups |= names[i].bits;
		at += n;
	}
	return 0;
}

static bool is_set(const char *variable)
{
	const char *text = environ_get(variable);

	return text && *text && strcmp(text, "0");
}

static int modes_check(const struct tacho_device *d)
{
	const unsigned apart = PROF_MODE_TRACE | PROF_MODE_ACCUMULATE;

	if ((d->profile & apart) == apart)
		return device_fail(TACHO_EUSAGE, "TT_METAL_TRACE_PROFILER and "
						 "TT_METAL_PROFILER_ACCUMULATE exclude each other");
	return 0;
}

int prof_modes(struct tacho_device *d)
{
	static const struct {
		const char *variable;
		unsigned mode;
	} modes[] = {
		{"TT_METAL_PROFILER_SUM", PROF_MODE_SUM},
		{"TT_METAL_PROFILER_ACCUMULATE", PROF_MODE_ACCUMULATE},
		{"TT_METAL_TRACE_PROFILER", PROF_MODE_TRACE},
		{"TT_METAL_DEVICE_PROFILER_DISPATCH", PROF_MODE_DISPATCH},
	};
	const char *counters = environ_get("TT_METAL_PROFILE_PERF_COUNTERS");
	const char *log = environ_get("TACHO_ZONE_LOG");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (is_set(modes[i].variable))
			d->profile |= modes[i].mode;
	d->hashed = is_set("TACHO_ZONE_HASH");
	if (counters && prof_counter_groups(counters, &d->prof->counters) < 0)
		return device_fail(TACHO_EUSAGE,
				   "TT_METAL_PROFILE_PERF_COUNTERS wants a number or some of fpu, "
				   "pack, unpack, l1_0, l1_1, instrn, all, not '%s'",
				   counters);
	if (log && *log && tacho_profiler_names(d, log) < 0)
		return TACHO_EREAD;
	return modes_check(d);
}

const char *prof_risc_name(const struct tacho_device *d, unsigned risc, bool ethernet)
{
	return d->profile & PROF_MODE_TRACE ? "TENSIX_RISC_AGG" : risc_name(risc, ethernet);
}

bool prof_drain_l1(struct tacho_device *d, unsigned core, uint32_t *control)
{
	static const uint32_t filler[PROF_OPTIONAL - PROF_GUARANTEED] = {
		0x80000000u, 0x80000000u, 0x80000000u, 0x80000000u,
		0x80000000u, 0x80000000u, 0x80000000u, 0x80000000u,
	};
	bool any = false;

	if (!(d->profile & (PROF_MODE_TRACE | PROF_MODE_ACCUMULATE)))
		return false;
	for (unsigned r = 0; r < d->cores[core].info.riscs; r++) {
		uint32_t words = control[PROF_DEVICE_END + r];
		uint32_t at = d->shape.mailbox + M_PROF_BUFFER + r * PROF_BUFFER_WORDS * 4;

		if (words <= PROF_GUARANTEED || words > PROF_BUFFER_WORDS ||
		    d->ops->read(d->self, core, at, d->prof->words, 4 * words) < 0)
			continue;
		prof_take(d, core, r, d->prof->words, words, false);
		core_write(d, core, at + PROF_GUARANTEED * 4, filler, sizeof(filler));
		control[PROF_DEVICE_END + r] = 0;
		any = true;
	}
	if (d->profile & PROF_MODE_TRACE)
		control[PROF_REPLAY] = 0;
	return any;
}
