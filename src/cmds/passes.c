/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of performance counters, and the runs that they need. */
#include "cmds/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The names and bits of tt-metal; the guide calls l1_0 l1. */
static const struct counter_group {
	const char *name;
	unsigned bit;
	int bank; /* of L1, from 1; 0: not a bank */
} groups_known[] = {
	{"fpu", 1, 0},   {"pack", 2, 0},  {"unpack", 4, 0}, {"instrn", 32, 0}, {"l1_0", 8, 1},
	{"l1_1", 16, 2}, {"l1_2", 64, 3}, {"l1_3", 128, 4}, {"l1_4", 256, 5},  {"l1_5", 512, 6},
};
#define GROUPS      (sizeof(groups_known) / sizeof(groups_known[0]))
#define ALL_AT_ONCE 47 /* what one run can count: one bank, and the other groups */

static int arch_banks(void)
{
	static const char *const names[] = {"TT_METAL_DEVICE_ARCH", "TT_ARCH_NAME", "ARCH_NAME",
					    "TACHO_ARCH"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *arch = getenv(names[i]);

		if (arch && *arch)
			return strcasestr(arch, "quasar")      ? 0
			       : strcasestr(arch, "blackhole") ? 6
							       : 2;
	}
	return 2;
}

static int group_bits(const char *name, size_t len, bool multipass, unsigned *bits)
{
	if (len == 2 && !memcmp(name, "l1", 2))
		len = 4, name = "l1_0";
	if (len == 3 && !memcmp(name, "all", 3)) {
		int banks = arch_banks();

		*bits |= multipass ? 0 : ALL_AT_ONCE;
		for (size_t i = 0; multipass && i < GROUPS; i++)
			*bits |= groups_known[i].bank <= banks ? groups_known[i].bit : 0;
		return 0;
	}
	for (size_t i = 0; i < GROUPS; i++) {
		if (strlen(groups_known[i].name) == len &&
		    !memcmp(groups_known[i].name, name, len)) {
			*bits |= groups_known[i].bit;
			return 0;
		}
	}
	return TACHO_EUSAGE;
}

int passes_make(const char *groups, bool multipass, struct counter_passes *passes,
		struct tacho_error *err)
{
	unsigned bits = 0;
	size_t next = 0;

	memset(passes, 0, sizeof(*passes));
	for (const char *name = groups;; name++) {
		size_t len = strcspn(name, ",");

		if (group_bits(name, len, multipass, &bits) < 0)
			return err_set(err, TACHO_EUSAGE,
				       "no group of counters '%.*s'; the groups are fpu, pack, "
				       "unpack, instrn, l1_0 (l1) to l1_5, all",
				       (int)len, name);
		name += len;
		if (!*name)
			break;
	}
	if (!multipass) {
		passes->bits[passes->n++] = bits;
		return 0;
	}
	for (size_t i = 0; i < GROUPS; i++)
		if (groups_known[i].bank && bits & groups_known[i].bit)
			passes->bits[passes->n++] = groups_known[i].bit;
	if (!passes->n)
		passes->n = 1;
	/* The others are spread over the runs. */
	for (size_t i = 0; i < GROUPS; i++)
		if (!groups_known[i].bank && bits & groups_known[i].bit)
			passes->bits[next++ % passes->n] |= groups_known[i].bit;
	return 0;
}

void passes_setenv(const struct counter_passes *passes, size_t i)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", passes->bits[i]);
	setenv("TT_METAL_PROFILE_PERF_COUNTERS", number, 1);
}

void passes_names(const struct counter_passes *passes, size_t i, char *out, size_t size)
{
	size_t len = 0;

	*out = 0;
	for (size_t g = 0; g < GROUPS && len < size; g++)
		if (passes->bits[i] & groups_known[g].bit)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? "," : "",
						groups_known[g].name);
}
