/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the markers of devices, whatever their source. */
#include "op/devlog.h"

#include "base/limits.h"
#include "op/figures.h"

#include <string.h>

bool devlog_number(struct op_text text, uint64_t *value)
{
	uint64_t n = 0;

	if (!text.len || text.len > 20)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned char)text.text[i] - '0';

		if (digit > 9)
			return false;
		if (text.len > 19 &&
		    (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, digit, &n)))
			return false;
		else if (text.len <= 19)
			n = n * 10 + digit;
	}
	*value = n;
	return true;
}

static int device_add(struct devlog *dev, int64_t device)
{
	for (size_t i = 0; i < dev->devices.n; i++)
		if (dev->devices.v[i] == device)
			return 0;
	return vec_push(&dev->devices, device);
}

int64_t devlog_core_add(struct devlog *dev, int64_t device, uint64_t x, uint64_t y)
{
	struct devlog_core core = {.device = device, .x = (int32_t)x, .y = (int32_t)y};

	for (uint64_t key = op_mix(op_mix((uint64_t)device, x), y);; key++) {
		uint32_t *at = map_get(&dev->core_map, key);

		if (!at) {
			if (dev->cores.n >= UINT16_MAX)
				return TACHO_ELIMIT;
			if (map_set(&dev->core_map, key, (uint32_t)dev->cores.n) < 0 ||
			    vec_push(&dev->cores, core) < 0 || device_add(dev, device) < 0)
				return TACHO_ENOMEM;
			return (int64_t)dev->cores.n - 1;
		}
		if (dev->cores.v[*at].device == device && dev->cores.v[*at].x == core.x &&
		    dev->cores.v[*at].y == core.y)
			return *at;
	}
}

int64_t devlog_lane_add(struct devlog *dev, struct devlog_core *core, const char *risc, size_t len)
{
	int64_t name = op_names_add(&dev->risc_names, risc, len);

	if (name < 0)
		return name;
	for (int i = 0; i < core->lanes; i++)
		if (core->names[i] == (uint32_t)name)
			return i;
	if (core->lanes == DEVLOG_LANES)
		return TACHO_ELIMIT;
	core->names[core->lanes] = (uint32_t)name;
	core->riscs[core->lanes] = (uint8_t)arch_risc_find(risc, len);
	return core->lanes++;
}

static int64_t devlog_group_find(struct devlog *dev, int64_t device, uint64_t id, uint64_t line)
{
	for (uint64_t key = op_mix((uint64_t)device, id);; key++) {
		uint32_t *at = map_get(&dev->group_map, key);

		if (!at) {
			struct devlog_group group = {.device = device, .id = id, .line = line};

			if (dev->groups.n >= LIMIT_OPS_NAMES)
				return TACHO_ELIMIT;
			if (map_set(&dev->group_map, key, (uint32_t)dev->groups.n) < 0 ||
			    vec_push(&dev->groups, group) < 0)
				return TACHO_ENOMEM;
			return (int64_t)dev->groups.n - 1;
		}
		if (dev->groups.v[*at].device == device && dev->groups.v[*at].id == id)
			return *at;
	}
}

static uint64_t run_key(int64_t device, uint64_t id, int64_t trace, int64_t session)
{
	return op_mix(op_mix(op_mix((uint64_t)device, id), (uint64_t)trace), (uint64_t)session);
}

static bool devlog_run_is(const struct devlog *dev, uint32_t at, int64_t device, uint64_t id,
			  int64_t trace, int64_t session)
{
	const struct devlog_run *run = &dev->runs.v[at];
	const struct devlog_group *group = &dev->groups.v[run->group];

	return group->device == device && group->id == id && run->trace == trace &&
	       run->session == session;
}

const struct devlog_run *devlog_find_run(const struct devlog *dev, int64_t device, uint64_t id,
					 int64_t trace, int64_t session)
{
	for (uint64_t key = run_key(device, id, trace, session);; key++) {
		uint32_t *at = map_get(&dev->run_map, key);

		if (!at)
			return NULL;
		if (devlog_run_is(dev, *at, device, id, trace, session))
			return &dev->runs.v[*at];
	}
}

int64_t devlog_run_add(struct devlog *dev, int64_t device, uint64_t id, int64_t trace,
		       int64_t session, uint64_t line)
{
	struct devlog_run run = {.trace = trace, .session = session, .sub_device = OP_NONE};
	uint64_t key = run_key(device, id, trace, session);
	int64_t group;
	uint32_t *at;

	for (; (at = map_get(&dev->run_map, key)); key++)
		if (devlog_run_is(dev, *at, device, id, trace, session))
			return *at;
	group = devlog_group_find(dev, device, id, line);
	if (group < 0)
		return group;
	run.group = (uint32_t)group;
	if (map_set(&dev->run_map, key, (uint32_t)dev->runs.n) < 0 || vec_push(&dev->runs, run) < 0)
		return TACHO_ENOMEM;
	return (int64_t)dev->runs.n - 1;
}

int64_t devlog_zone_add(struct devlog *dev, const char *name, size_t len)
{
	int64_t zone = op_names_add(&dev->zones, name, len);

	if (zone >= (int64_t)dev->zone_flags.n &&
	    vec_push(&dev->zone_flags, arch_zone_find(name, len)) < 0)
		return TACHO_ENOMEM;
	return zone;
}

/* The value of "KEY": in meta data; the log has semicolons instead of commas. */
static bool meta_value(struct op_text meta, const char *key, struct op_text *value)
{
	const char *p = memmem(meta.text, meta.len, key, strlen(key)), *end = meta.text + meta.len;
	const char *stop;

	if (!p)
		return false;
	p += strlen(key);
	while (p < end && (*p == '"' || *p == ' ' || *p == ':'))
		p++;
	for (stop = p; stop < end && *stop != ';' && *stop != ',' && *stop != '}' && *stop != '"';
	     stop++)
		;
	*value = (struct op_text){p, (size_t)(stop - p)};
	return stop > p;
}

static bool meta_number(struct op_text meta, const char *key, uint64_t *value)
{
	struct op_text text;

	return meta_value(meta, key, &text) && devlog_number(text, value);
}

static uint32_t meta_add(struct devlog *dev, enum devlog_meta_kind kind, uint64_t value)
{
	if (vec_push(&dev->metas, ((struct devlog_meta){kind, value})) < 0)
		return 0;
	return (uint32_t)dev->metas.n;
}

static int counter_add(struct devlog *dev, const struct devlog_marker *m,
		       const struct devlog_extra *extra)
{
	int64_t name = op_names_add(&dev->counter_names, extra->counter.text, extra->counter.len);
	struct devlog_counter counter = {.run = m->run,
					 .core = m->core,
					 .type = (uint16_t)name,
					 .time = m->time,
					 .value = extra->data,
					 .ref = extra->ref};

	if (name < 0 || name > UINT16_MAX)
		return name < 0 ? (int)name : TACHO_ELIMIT;
	return vec_push(&dev->counters, counter);
}

static int meta_take(struct devlog *dev, struct devlog_marker *m, struct op_text meta)
{
	struct op_text text;
	uint64_t value;
	int64_t name;

	if (meta_number(meta, "sub_device_id\"", &value) && value < INT32_MAX)
		dev->runs.v[m->run].sub_device = (int64_t)value;
	else if (meta_number(meta, "workers_runtime_id\"", &value))
		m->meta = meta_add(dev, DEVLOG_META_WORKER, value);
	else if (meta_value(meta, "dispatch_command_type\"", &text)) {
		name = op_names_add(&dev->commands, text.text, text.len);
		if (name < 0)
			return (int)name;
		m->meta = meta_add(dev, DEVLOG_META_COMMAND, (uint64_t)name);
	}
	return 0;
}

static int marker_add(struct devlog *dev, const struct devlog_marker *m)
{
	struct devlog_chunk *chunk = dev->last_chunk;

	if (!chunk || chunk->n == DEVLOG_CHUNK) {
		chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return TACHO_ENOMEM;
		chunk->next = NULL;
		chunk->n = 0;
		if (dev->last_chunk)
			dev->last_chunk->next = chunk;
		else
			dev->chunks = chunk;
		dev->last_chunk = chunk;
	}
	chunk->m[chunk->n++] = *m;
	dev->n++;
	dev->groups.v[dev->runs.v[m->run].group].n++;
	return 0;
}

static void devlog_chunks_free(struct devlog *dev)
{
	while (dev->chunks) {
		struct devlog_chunk *next = dev->chunks->next;

		free(dev->chunks);
		dev->chunks = next;
	}
	dev->last_chunk = NULL;
}

int devlog_put(struct devlog *dev, struct devlog_marker *m, struct devlog_extra *extra,
	       enum devlog_want want)
{
	uint32_t flags = dev->zone_flags.v[m->zone];
	int r = 0;

	if (extra->no_timer)
		m->type |= DEVLOG_NO_TIMER;
	if (flags & ARCH_ZONE_DISPATCH && !extra->ethernet)
		dev->cores.v[m->core].dispatch = true;
	if (extra->meta.len)
		r = meta_take(dev, m, extra->meta);
	if (flags & (ARCH_ZONE_CB_WAIT | ARCH_ZONE_CB_RESERVE) && extra->has_data)
		m->meta = meta_add(dev, DEVLOG_META_DATA, extra->data);
	if (want == DEVLOG_SUB_DEVICES || r < 0)
		return r;
	if (extra->is_counter && devlog_risc(dev, m) == RISC_BRISC &&
	    (extra->counter.text || (meta_value(extra->meta, "counter type\"", &extra->counter) &&
				     meta_number(extra->meta, "\"value\"", &extra->data) &&
				     meta_number(extra->meta, "ref cnt\"", &extra->ref))))
		r = counter_add(dev, m, extra);
	return r < 0 ? r : marker_add(dev, m);
}

static const struct devlog_other *other_find(const struct devlog *dev, int64_t device)
{
	for (size_t i = 0; i < dev->others.n; i++)
		if (dev->others.v[i].device == device)
			return &dev->others.v[i];
	return NULL;
}

uint32_t devlog_mhz(const struct devlog *dev, int64_t device)
{
	const struct devlog_other *other = other_find(dev, device);

	return other ? other->mhz : dev->mhz;
}

int64_t devlog_max_cores(const struct devlog *dev, int64_t device)
{
	const struct devlog_other *other = other_find(dev, device);

	return other ? other->max_cores : dev->max_cores;
}

void devlog_free(struct devlog *dev)
{
	devlog_chunks_free(dev);
	free(dev->markers);
	vec_free(&dev->devices);
	vec_free(&dev->others);
	vec_free(&dev->cores);
	vec_free(&dev->groups);
	vec_free(&dev->runs);
	vec_free(&dev->metas);
	vec_free(&dev->counters);
	vec_free(&dev->zone_flags);
	op_names_free(&dev->zones);
	op_names_free(&dev->risc_names);
	op_names_free(&dev->commands);
	op_names_free(&dev->counter_names);
	map_free(&dev->core_map);
	map_free(&dev->group_map);
	map_free(&dev->run_map);
	memset(dev, 0, sizeof(*dev));
}
