/* SPDX-License-Identifier: Apache-2.0 */
/* Names of device zones and values in logs. */
#include "op/marker.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

static uint32_t marker_fnv1a(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

uint16_t op_zone_timer(const char *name, const char *file, uint32_t line)
{
	uint32_t hash = marker_fnv1a(2166136261u, name);
	char rest[40];

	snprintf(rest, sizeof(rest), ",%u,KERNEL_PROFILER", line);
	hash = marker_fnv1a(marker_fnv1a(marker_fnv1a(hash, ","), file), rest);
	return (uint16_t)(hash ^ hash >> 16);
}

void op_dispatch_meta(struct buf *out, const char *name, const char *zone, uint64_t value)
{
	const char *command = strchr(zone, ':');

	if (!strcmp(name, "runtime_host_id_dispatch"))
		buf_addf(out, "{\"workers_runtime_id\":%llu}", (unsigned long long)value);
	else if (!strncmp(name, "process_cmd", 11) && command && !strncmp(zone, "CQ-", 3))
		buf_addf(out, "{\"dispatch_command_type\":\"%s\"}", command + 1);
}
