#include "ops/devlog_row.h"

#include "base/limits.h"
#include "ops/figures.h"

#include <ctype.h>
#include <string.h>

#define TIMER_COUNTER 9090

struct field_text {
	const char *text;
	size_t len;
};

bool devlog_number(const char *text, size_t len, uint64_t *value)
{
	uint64_t n = 0;

	if (!len || len > 20)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned char)text[i] - '0';

		if (digit > 9)
			return false;
		if (len > 19 &&
		    (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, digit, &n)))
			return false;
		else if (len <= 19)
			n = n * 10 + digit;
	}
	*value = n;
	return true;
}

static bool is(struct field_text f, const char *word)
{
	return strlen(word) == f.len && !memcmp(word, f.text, f.len);
}

static bool has(struct field_text f, const char *word)
{
	return memmem(f.text, f.len, word, strlen(word));
}

static enum devlog_risc find_risc(struct field_text f)
{
	static const struct {
		const char *name;
		enum devlog_risc risc;
	} riscs[] = {
#define X(id, name) {name, DEVLOG_RISC_##id},
		DEVLOG_RISCS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(riscs) / sizeof(riscs[0]) - 1; i++) {
		size_t len = strlen(riscs[i].name);
		/* Quasar numbers its RISCs: QUASAR_DM3, QUASAR_NEO0_TRISC2. */
		bool prefix = riscs[i].risc == DEVLOG_RISC_QUASAR_DM ||
			      riscs[i].risc == DEVLOG_RISC_QUASAR_TRISC;

		if ((f.len == len || (prefix && f.len > len)) &&
		    !memcmp(riscs[i].name, f.text, len))
			return riscs[i].risc;
	}
	return DEVLOG_RISC_OTHER;
}

static enum devlog_type find_type(struct field_text f)
{
	static const struct {
		const char *name;
		enum devlog_type type;
	} types[] = {
		{"ZONE_START", DEVLOG_START}, {"ZONE_END", DEVLOG_END},
		{"ZONE_TOTAL", DEVLOG_TOTAL}, {"TS_DATA", DEVLOG_DATA},
		{"TS_EVENT", DEVLOG_EVENT},   {"begin", DEVLOG_START},
		{"end", DEVLOG_END},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (is(f, types[i].name))
			return types[i].type;
	return DEVLOG_OTHER;
}

/* "DM-KERNEL", "DM3-KERNEL". */
static bool is_dm(struct field_text f, const char *suffix)
{
	size_t i = 2;

	if (f.len < 3 || memcmp(f.text, "DM", 2))
		return false;
	while (i < f.len && isdigit((unsigned char)f.text[i]))
		i++;
	return is((struct field_text){f.text + i, f.len - i}, suffix);
}

static uint32_t zone_flags(struct field_text f)
{
	static const struct {
		const char *name;
		uint32_t flags;
	} known[] = {
		{"BRISC-FW", DEVLOG_Z_FW | DEVLOG_Z_BRISC_FW},
		{"NCRISC-FW", DEVLOG_Z_FW},
		{"TRISC-FW", DEVLOG_Z_FW | DEVLOG_Z_TRISC_FW},
		{"ERISC-FW", DEVLOG_Z_FW | DEVLOG_Z_ERISC_FW},
		{"TENSIX_RISC_AGG-FW", DEVLOG_Z_FW},
		{"BRISC-KERNEL", DEVLOG_Z_KERNEL | DEVLOG_Z_DM_KERNEL | DEVLOG_Z_BRISC_KERNEL},
		{"NCRISC-KERNEL", DEVLOG_Z_KERNEL | DEVLOG_Z_DM_KERNEL | DEVLOG_Z_NCRISC_KERNEL},
		{"TRISC-KERNEL", DEVLOG_Z_KERNEL | DEVLOG_Z_TRISC_KERNEL},
		{"ERISC-KERNEL", DEVLOG_Z_KERNEL | DEVLOG_Z_DM_KERNEL | DEVLOG_Z_ERISC_KERNEL},
		{"TENSIX_RISC_AGG-KERNEL", DEVLOG_Z_KERNEL},
		{"TRACE-FW", DEVLOG_Z_FW | DEVLOG_Z_TRACE_FW},
		{"TRACE-KERNEL", DEVLOG_Z_KERNEL | DEVLOG_Z_TRACE_KERNEL},
		{"CB-COMPUTE-WAIT-FRONT", DEVLOG_Z_CB_WAIT},
		{"CB-COMPUTE-RESERVE-BACK", DEVLOG_Z_CB_RESERVE},
		{"DM0-FW", DEVLOG_Z_DM0_FW},
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is(f, known[i].name))
			flags |= known[i].flags;
	if (is_dm(f, "-FW"))
		flags |= DEVLOG_Z_FW | DEVLOG_Z_DM_FW;
	if (is_dm(f, "-KERNEL"))
		flags |= DEVLOG_Z_KERNEL | DEVLOG_Z_DM_KERNEL | DEVLOG_Z_DM_LIKE_KERNEL;
	if (has(f, "FW"))
		flags |= DEVLOG_Z_ANY_FW;
	if (has(f, "CQ-DISPATCH") || has(f, "CQ-PREFETCH"))
		flags |= DEVLOG_Z_DISPATCH;
	return flags;
}

enum devlog_risc devlog_risc_named(const char *name)
{
	return find_risc((struct field_text){name, strlen(name)});
}

uint32_t devlog_zone_flags(const char *name, size_t len)
{
	return zone_flags((struct field_text){name, len});
}

static int add_device(struct devlog *dev, int64_t device)
{
	for (size_t i = 0; i < dev->devices.n; i++)
		if (dev->devices.v[i] == device)
			return 0;
	return vec_push(&dev->devices, device);
}

static int64_t find_core(struct devlog *dev, int64_t device, uint64_t x, uint64_t y)
{
	struct devlog_core core = {.device = device, .x = (int32_t)x, .y = (int32_t)y};

	for (uint64_t key = ops_mix(ops_mix((uint64_t)device, x), y);; key++) {
		uint32_t *at = map_get(&dev->core_map, key);

		if (!at) {
			if (dev->cores.n >= UINT16_MAX)
				return TACHO_ELIMIT;
			if (map_set(&dev->core_map, key, (uint32_t)dev->cores.n) < 0 ||
			    vec_push(&dev->cores, core) < 0 || add_device(dev, device) < 0)
				return TACHO_ENOMEM;
			return (int64_t)dev->cores.n - 1;
		}
		if (dev->cores.v[*at].device == device && dev->cores.v[*at].x == core.x &&
		    dev->cores.v[*at].y == core.y)
			return *at;
	}
}

static int64_t find_lane(struct devlog *dev, struct devlog_core *core, struct field_text risc)
{
	int64_t name = ops_names_add(&dev->risc_names, risc.text, risc.len);

	if (name < 0)
		return name;
	for (int i = 0; i < core->lanes; i++)
		if (core->names[i] == (uint32_t)name)
			return i;
	if (core->lanes == DEVLOG_LANES)
		return TACHO_ELIMIT;
	core->names[core->lanes] = (uint32_t)name;
	core->riscs[core->lanes] = (uint8_t)find_risc(risc);
	return core->lanes++;
}

static int64_t find_group(struct devlog_reader *r, int64_t device, uint64_t id)
{
	struct devlog *dev = r->dev;

	for (uint64_t key = ops_mix((uint64_t)device, id);; key++) {
		uint32_t *at = map_get(&dev->group_map, key);

		if (!at) {
			struct devlog_group group = {.device = device, .id = id, .line = r->line};

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
	return ops_mix(ops_mix(ops_mix((uint64_t)device, id), (uint64_t)trace), (uint64_t)session);
}

static bool same_run(const struct devlog *dev, uint32_t at, int64_t device, uint64_t id,
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
		if (same_run(dev, *at, device, id, trace, session))
			return &dev->runs.v[*at];
	}
}

static int64_t find_run(struct devlog_reader *r, int64_t device, uint64_t id, int64_t trace,
			int64_t session)
{
	struct devlog *dev = r->dev;
	struct devlog_run run = {.trace = trace, .session = session, .sub_device = OPS_NONE};
	uint64_t key = run_key(device, id, trace, session);
	int64_t group;
	uint32_t *at;

	for (; (at = map_get(&dev->run_map, key)); key++)
		if (same_run(dev, *at, device, id, trace, session))
			return *at;
	group = find_group(r, device, id);
	if (group < 0)
		return group;
	run.group = (uint32_t)group;
	if (map_set(&dev->run_map, key, (uint32_t)dev->runs.n) < 0 || vec_push(&dev->runs, run) < 0)
		return TACHO_ENOMEM;
	return (int64_t)dev->runs.n - 1;
}

static int64_t find_zone(struct devlog *dev, struct field_text f)
{
	int64_t zone = ops_names_add(&dev->zones, f.text, f.len);

	if (zone >= (int64_t)dev->zone_flags.n && vec_push(&dev->zone_flags, zone_flags(f)) < 0)
		return TACHO_ENOMEM;
	return zone;
}

/* The value of "KEY": in a meta data cell, whose commas are semicolons. */
static bool meta_value(struct field_text meta, const char *key, struct field_text *value)
{
	const char *p = memmem(meta.text, meta.len, key, strlen(key)), *end = meta.text + meta.len;
	const char *stop;

	if (!p)
		return false;
	p += strlen(key);
	while (p < end && (*p == '"' || *p == ' ' || *p == ':'))
		p++;
	for (stop = p; stop < end && *stop != ';' && *stop != '}' && *stop != '"'; stop++)
		;
	*value = (struct field_text){p, (size_t)(stop - p)};
	return stop > p;
}

static bool meta_number(struct field_text meta, const char *key, uint64_t *value)
{
	struct field_text text;

	return meta_value(meta, key, &text) && devlog_number(text.text, text.len, value);
}

static uint32_t add_meta(struct devlog *dev, enum devlog_meta_kind kind, uint64_t value)
{
	if (vec_push(&dev->metas, ((struct devlog_meta){kind, value})) < 0)
		return 0;
	return (uint32_t)dev->metas.n;
}

static int add_counter(struct devlog *dev, const struct devlog_marker *m, struct field_text meta)
{
	struct devlog_counter counter = {.run = m->run, .core = m->core, .time = m->time};
	struct field_text type;
	int64_t name;

	if (!meta_value(meta, "counter type\"", &type) ||
	    !meta_number(meta, "\"value\"", &counter.value) ||
	    !meta_number(meta, "ref cnt\"", &counter.ref))
		return 0;
	name = ops_names_add(&dev->counter_names, type.text, type.len);
	if (name < 0 || name > UINT16_MAX)
		return name < 0 ? (int)name : TACHO_ELIMIT;
	counter.type = (uint16_t)name;
	return vec_push(&dev->counters, counter);
}

static int take_meta(struct devlog *dev, struct devlog_marker *m, struct field_text meta)
{
	struct field_text text;
	uint64_t value;
	int64_t name;

	if (meta_number(meta, "sub_device_id\"", &value) && value < INT32_MAX)
		dev->runs.v[m->run].sub_device = (int64_t)value;
	else if (meta_number(meta, "workers_runtime_id\"", &value))
		m->meta = add_meta(dev, DEVLOG_META_WORKER, value);
	else if (meta_value(meta, "dispatch_command_type\"", &text)) {
		name = ops_names_add(&dev->commands, text.text, text.len);
		if (name < 0)
			return (int)name;
		m->meta = add_meta(dev, DEVLOG_META_COMMAND, (uint64_t)name);
	}
	return 0;
}

static int add_marker(struct devlog *dev, const struct devlog_marker *m)
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

void devlog_chunks_free(struct devlog *dev)
{
	while (dev->chunks) {
		struct devlog_chunk *next = dev->chunks->next;

		free(dev->chunks);
		dev->chunks = next;
	}
	dev->last_chunk = NULL;
}

static int bad_row(struct devlog_reader *r, const char *why)
{
	ops_issue_add(r->issues, OPS_ISSUE_BAD_ROW, OPS_DEVICE_FILE, r->line, OPS_NOWHERE, "%s",
		      why);
	return 0;
}

/* The cells of a line by what they are; how many there were. */
static size_t split(const struct devlog_reader *r, const char *line, size_t len,
		    struct field_text f[DEVLOG_FIELDS])
{
	const char *p = line, *end = line + len;
	size_t n = 0;

	memset(f, 0, sizeof(*f) * DEVLOG_FIELDS);
	while (n < r->columns) {
		const char *from = p;

		while (p < end && *p != ',')
			p++;
		f[r->fields[n++]] = (struct field_text){from, (size_t)(p - from)};
		if (p == end)
			break;
		p++;
	}
	return n;
}

/* Sets core, lane and device from the first cells, unless they are those of the line before. */
static int locate(struct devlog_reader *r, const char *line, const struct field_text *f)
{
	const char *end = f[DEVLOG_F_RISC].text + f[DEVLOG_F_RISC].len;
	size_t len = (size_t)(end - line);
	uint64_t chip, x, y;
	int64_t core, lane;

	if (end > line && len == r->where_len && len && !memcmp(r->where, line, len))
		return 1;
	if (!devlog_number(f[DEVLOG_F_CHIP].text, f[DEVLOG_F_CHIP].len, &chip) ||
	    !devlog_number(f[DEVLOG_F_X].text, f[DEVLOG_F_X].len, &x) ||
	    !devlog_number(f[DEVLOG_F_Y].text, f[DEVLOG_F_Y].len, &y) || chip >= DEVLOG_DEVICES ||
	    x > INT32_MAX || y > INT32_MAX || !f[DEVLOG_F_RISC].len)
		return bad_row(r, "no device, core or RISC");
	core = find_core(r->dev, (int64_t)chip, x, y);
	if (core == TACHO_ELIMIT)
		return bad_row(r, "more cores than can be told apart");
	if (core < 0)
		return (int)core;
	lane = find_lane(r->dev, &r->dev->cores.v[core], f[DEVLOG_F_RISC]);
	if (lane == TACHO_ELIMIT)
		return bad_row(r, "more RISCs on a core than can be told apart");
	if (lane < 0)
		return (int)lane;
	r->core = (uint16_t)core;
	r->lane = (uint8_t)lane;
	r->device = (int64_t)chip;
	r->where_len = 0;
	/* Only when the cells stand together at the line's start can they be compared at once. */
	if (f[DEVLOG_F_CHIP].text == line && len <= sizeof(r->where) &&
	    f[DEVLOG_F_RISC].text > f[DEVLOG_F_Y].text) {
		memcpy(r->where, line, len);
		r->where_len = len;
	}
	r->have_run = false;
	return 1;
}

static int64_t optional_number(struct field_text f)
{
	uint64_t value;

	return devlog_number(f.text, f.len, &value) && value < INT64_MAX ? (int64_t)value
									 : OPS_NONE;
}

static int find_marker_run(struct devlog_reader *r, const struct field_text *f)
{
	int64_t trace = optional_number(f[DEVLOG_F_TRACE]);
	int64_t session = optional_number(f[DEVLOG_F_SESSION]), run;
	uint64_t id = 0;

	if (f[DEVLOG_F_ID].len && !devlog_number(f[DEVLOG_F_ID].text, f[DEVLOG_F_ID].len, &id))
		return bad_row(r, "the run host id is no number");
	if (r->have_run && id == r->id && trace == r->trace && session == r->session)
		return 1;
	run = find_run(r, r->device, id, trace, session);
	if (run == TACHO_ELIMIT)
		return bad_row(r, "more programs than can be told apart");
	if (run < 0)
		return (int)run;
	r->run = (uint32_t)run;
	r->id = id;
	r->trace = trace;
	r->session = session;
	r->have_run = true;
	return 1;
}

static int store(struct devlog_reader *r, const struct field_text *f, struct devlog_marker *m)
{
	struct devlog *dev = r->dev;
	uint64_t timer = 1, data;
	uint32_t flags = dev->zone_flags.v[m->zone];
	int rc = 0;

	if (devlog_number(f[DEVLOG_F_TIMER].text, f[DEVLOG_F_TIMER].len, &timer) && timer == 0)
		m->type |= DEVLOG_NO_TIMER;
	if (flags & DEVLOG_Z_DISPATCH && !has(f[DEVLOG_F_RISC], "ERISC"))
		dev->cores.v[m->core].dispatch = true;
	if (f[DEVLOG_F_META].len)
		rc = take_meta(dev, m, f[DEVLOG_F_META]);
	if (flags & (DEVLOG_Z_CB_WAIT | DEVLOG_Z_CB_RESERVE) &&
	    devlog_number(f[DEVLOG_F_DATA].text, f[DEVLOG_F_DATA].len, &data))
		m->meta = add_meta(dev, DEVLOG_META_DATA, data);
	if (r->want == DEVLOG_SUB_DEVICES || rc < 0)
		return rc;
	if (timer == TIMER_COUNTER && f[DEVLOG_F_META].len &&
	    devlog_risc(dev, m) == DEVLOG_RISC_BRISC)
		rc = add_counter(dev, m, f[DEVLOG_F_META]);
	return rc < 0 ? rc : add_marker(dev, m);
}

int devlog_row(struct devlog_reader *r, const char *line, size_t len)
{
	struct field_text f[DEVLOG_FIELDS];
	struct devlog_marker m = {0};
	int64_t zone;
	int rc;

	if (line[0] == 'A' && len > 5 && !memcmp(line, "ARCH:", 5))
		return 0; /* a second log behind the first */
	if (split(r, line, len, f) < r->columns)
		return line[0] == 'P' ? 0 : bad_row(r, "too few cells; the line is cut");
	rc = locate(r, line, f);
	if (rc <= 0)
		return line[0] == 'P' ? 0 : rc;
	rc = find_marker_run(r, f);
	if (rc <= 0)
		return rc;
	if (!devlog_number(f[DEVLOG_F_TIME].text, f[DEVLOG_F_TIME].len, &m.time))
		return bad_row(r, "the time is no number");
	zone = find_zone(r->dev, f[DEVLOG_F_ZONE]);
	if (zone == TACHO_ELIMIT)
		return bad_row(r, "more zone names than can be told apart");
	if (zone < 0)
		return (int)zone;
	m.run = r->run;
	m.zone = (uint32_t)zone;
	m.core = r->core;
	m.lane = r->lane;
	m.type = (uint8_t)find_type(f[DEVLOG_F_TYPE]);
	r->dev->rows++;
	return store(r, f, &m);
}
