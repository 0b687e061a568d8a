/* SPDX-License-Identifier: Apache-2.0 */
/* Private: names of zones that kernels know by a 16-bit hash: names.c. */
#ifndef DEVICE_ZONE_NAMES_H
#define DEVICE_ZONE_NAMES_H

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zones by the 16-bit hash of "NAME,FILE,LINE,KERNEL_PROFILER". */
struct zone_name {
	char *name, *file; /* name: "A or B" when two zones have one number */
	uint32_t line;
	bool collision;
};

struct zone_names {
	VEC(struct zone_name);
	struct map index;
	uint64_t malformed; /* lines of logs that could not be read */
};

/* ---- names.c ---- */
uint16_t names_hash(const char *text, size_t len);
/* Adds the zones of a compiler log to NAMES; other lines are skipped. */
int names_take(struct zone_names *names, const char *text, size_t len);
int names_read(struct zone_names *names, const char *path);
const struct zone_name *names_find(const struct zone_names *names, uint16_t id);
void names_free(struct zone_names *names);

#endif
