/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of zones that are known by a hash and a compiler log instead of an ELF section, of NoC
 * transfers and of counters.
 */
#include "device/kernel_build.h"
#include "device/prof.h"
#include "tacho_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 4096u /* of name and path */

uint16_t names_hash(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)text[i]) * 16777619u;
	return (uint16_t)((h ^ h >> 16) & 0xffff);
}

/* Two zones with one number would look the same, so the name has both. */
static int names_join(struct zone_name *old, const struct zone_name *more)
{
	char *both;

	if (!strcmp(old->name, more->name) && !strcmp(old->file, more->file) &&
	    old->line == more->line)
		return 0;
	old->collision = true;
	if (strstr(old->name, more->name))
		return 0;
	if (asprintf(&both, "%s or %s", old->name, more->name) < 0)
		return TACHO_ENOMEM;
	free(old->name);
	old->name = both;
	return 0;
}

static int names_add(struct zone_names *names, uint16_t id, const struct zone_name *one)
{
	uint32_t *at = map_get(&names->index, id);
	struct zone_name copy = {strdup(one->name), strdup(one->file), one->line, false};
	int r;

	if (at) {
		r = copy.name && copy.file ? names_join(&names->v[*at], &copy) : TACHO_ENOMEM;
	} else {
		r = copy.name && copy.file && vec_push(names, copy) == 0 ? 0 : TACHO_ENOMEM;
		if (r == 0)
			return map_set(&names->index, id, (uint32_t)names->n - 1);
	}
	free(copy.name);
	free(copy.file);
	return r;
}

/* "NAME,FILE,LINE": the last two commas separate, so that a name may contain commas. */
static bool names_split(char *text, struct zone_name *one)
{
	char *line = strrchr(text, ','), *file, *end;
	unsigned long number;

	if (!line)
		return false;
	*line = 0;
	file = strrchr(text, ',');
	*line = ',';
	if (!file || file == text)
		return false;
	number = strtoul(line + 1, &end, 10);
	if (*end || end == line + 1 || number > UINT32_MAX)
		return false;
	*line = *file = 0;
	*one = (struct zone_name){text, file + 1, (uint32_t)number, false};
	return true;
}

/* One line of a log: ... '#pragma message: NAME,FILE,LINE,KERNEL_PROFILER' */
static int names_line_take(struct zone_names *names, const char *line, size_t len)
{
	static const char mark[] = "#pragma message: ", tail[] = ",KERNEL_PROFILER";
	const char *from = memmem(line, len, mark, sizeof(mark) - 1), *to;
	char text[NAME_BYTES];
	struct zone_name one;
	uint16_t id;
	size_t n;

	if (!from)
		return 0;
	from += sizeof(mark) - 1;
	to = memmem(from, len - (size_t)(from - line), tail, sizeof(tail) - 1);
	n = to ? (size_t)(to - from) : 0;
	if (!n || n >= sizeof(text))
		return 0;
	id = names_hash(from, n + sizeof(tail) - 1);
	memcpy(text, from, n);
	text[n] = 0;
	if (!names_split(text, &one)) {
		names->malformed++;
		return 0;
	}
	return names_add(names, id, &one);
}

int names_take(struct zone_names *names, const char *text, size_t len)
{
	int r = 0;

	for (size_t at = 0; r == 0 && at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;

		r = names_line_take(names, text + at, n);
		at += n + 1;
	}
	return r;
}

int names_read(struct zone_names *names, const char *path)
{
	uint8_t *text;
	size_t size;
	int r = device_read_file(path, &text, &size);

	if (r < 0)
		return r;
	r = names_take(names, (const char *)text, size);
	free(text);
	return r;
}

const struct zone_name *names_find(const struct zone_names *names, uint16_t id)
{
	const uint32_t *at = map_get(&names->index, id);

	return at ? &names->v[*at] : NULL;
}

void names_free(struct zone_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->v[i].name);
		free(names->v[i].file);
	}
	vec_free(names);
	map_free(&names->index);
}

int tacho_profiler_names(struct tacho_device *d, const char *path)
{
	int r;

	DEVICE_HOLD(d);
	r = names_read(&d->names, path);
	if (r == TACHO_ENOMEM)
		return device_fail(r, "no memory");
	return r < 0 ? device_fail(r, "cannot read the zone names in %s", path) : 0;
}

/* ---- transfers ---- */
const char *prof_noc_name(unsigned type)
{
	static const char *const names[] = {
		NULL,
		"READ",
		"READ_SET_STATE",
		"READ_SET_TRID",
		"READ_WITH_STATE",
		"READ_WITH_STATE_AND_TRID",
		"READ_BARRIER_START",
		"READ_BARRIER_END",
		"READ_BARRIER_WITH_TRID",
		"READ_DRAM_SHARDED_SET_STATE",
		"READ_DRAM_SHARDED_WITH_STATE",
		"WRITE_",
		"WRITE_SET_TRID",
		"WRITE_WITH_TRID",
		"WRITE_INLINE",
		"WRITE_MULTICAST",
		"WRITE_SET_STATE",
		"WRITE_WITH_STATE",
		"WRITE_WITH_TRID_SET_STATE",
		"WRITE_WITH_TRID_WITH_STATE",
		"WRITE_BARRIER_START",
		"WRITE_BARRIER_END",
		"WRITE_BARRIER_WITH_TRID",
		"WRITE_FLUSH",
		"WRITE_FLUSH_WITH_TRID",
		"FULL_BARRIER",
		"ATOMIC_BARRIER",
		"SEMAPHORE_INC",
		"SEMAPHORE_WAIT",
		"SEMAPHORE_SET",
		"SEMAPHORE_SET_REMOTE",
		"SEMAPHORE_SET_MULTICAST",
		"SEMAPHORE_INC_MULTICAST",
		"FABRIC_UNICAST_WRITE",
		"FABRIC_UNICAST_INLINE_WRITE",
		"FABRIC_UNICAST_ATOMIC_INC",
		"FABRIC_FUSED_UNICAST_ATOMIC_INC",
		"FABRIC_MULTICAST_WRITE",
		"FABRIC_MULTICAST_ATOMIC_INC",
		"FABRIC_UNICAST_SCATTER_WRITE",
		"FABRIC_ROUTING_FIELDS_1D",
		"FABRIC_ROUTING_FIELDS_2D",
	};

	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type] : "NOC";
}

/* ---- counters ---- */
const char *prof_counter_name(unsigned type)
{
	static const struct {
		uint32_t type;
		const char *name;
	} counters[] = {
#define X(group, control, output, select, type, name) {type, name},
		PROF_COUNTERS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (type == counters[i].type)
			return counters[i].name;
	return "counter";
}
