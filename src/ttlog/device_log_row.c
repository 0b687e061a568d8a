/* SPDX-License-Identifier: Apache-2.0 */
/* Parses one line of profile_log_device.csv. */
#include "ttlog/device_log.h"

#include <string.h>

static enum devlog_type find_type(struct op_text f)
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
		if (strlen(types[i].name) == f.len && !memcmp(types[i].name, f.text, f.len))
			return types[i].type;
	return DEVLOG_OTHER;
}

static int bad_row(struct devlog_reader *r, const char *why)
{
	op_issue_add(r->issues, OP_ISSUE_BAD_ROW, TTLOG_DEVICE_FILE, r->line, OP_NOWHERE, "%s",
		     why);
	return 0;
}

size_t devlog_row_split(const struct devlog_reader *r, const char *line, size_t len,
			struct op_text f[DEVLOG_FIELDS])
{
	const char *p = line, *end = line + len;
	size_t n = 0;

	memset(f, 0, sizeof(*f) * DEVLOG_FIELDS);
	while (n < r->columns) {
		const char *from = p;

		while (p < end && *p != ',')
			p++;
		f[r->fields[n++]] = (struct op_text){from, (size_t)(p - from)};
		if (p == end)
			break;
		p++;
	}
	return n;
}

/* Sets core, lane and device from the first cells, unless they equal the previous line's. */
static int device_log_row_locate(struct devlog_reader *r, const char *line, const struct op_text *f)
{
	const char *end = f[DEVLOG_F_RISC].text + f[DEVLOG_F_RISC].len;
	size_t len = (size_t)(end - line);
	uint64_t chip, x, y;
	int64_t core, lane;

	if (end > line && len == r->where_len && len && !memcmp(r->where, line, len))
		return 1;
	if (!devlog_number(f[DEVLOG_F_CHIP], &chip) || !devlog_number(f[DEVLOG_F_X], &x) ||
	    !devlog_number(f[DEVLOG_F_Y], &y) || chip >= DEVLOG_DEVICES || x > INT32_MAX ||
	    y > INT32_MAX || !f[DEVLOG_F_RISC].len)
		return bad_row(r, "no device, core or RISC");
	core = devlog_core_add(r->dev, (int64_t)chip, x, y);
	if (core == TACHO_ELIMIT)
		return bad_row(r, "too many cores");
	if (core < 0)
		return (int)core;
	lane = devlog_lane_add(r->dev, &r->dev->cores.v[core], f[DEVLOG_F_RISC].text,
			       f[DEVLOG_F_RISC].len);
	if (lane == TACHO_ELIMIT)
		return bad_row(r, "too many RISCs on a core");
	if (lane < 0)
		return (int)lane;
	r->core = (uint16_t)core;
	r->lane = (uint8_t)lane;
	r->device = (int64_t)chip;
	r->where_len = 0;
	/*
	 * The cells can be compared at once only if they are contiguous at the start of the line.
	 */
	if (f[DEVLOG_F_CHIP].text == line && len <= sizeof(r->where) &&
	    f[DEVLOG_F_RISC].text > f[DEVLOG_F_Y].text) {
		memcpy(r->where, line, len);
		r->where_len = len;
	}
	r->have_run = false;
	return 1;
}

static int64_t optional_number(struct op_text f)
{
	uint64_t value;

	return devlog_number(f, &value) && value < INT64_MAX ? (int64_t)value : OP_NONE;
}

static int find_marker_run(struct devlog_reader *r, const struct op_text *f)
{
	int64_t trace = optional_number(f[DEVLOG_F_TRACE]);
	int64_t session = optional_number(f[DEVLOG_F_SESSION]), run;
	uint64_t id = 0;

	if (f[DEVLOG_F_ID].len && !devlog_number(f[DEVLOG_F_ID], &id))
		return bad_row(r, "the run host id is not a number");
	if (r->have_run && id == r->id && trace == r->trace && session == r->session)
		return 1;
	run = devlog_run_add(r->dev, r->device, id, trace, session, r->line);
	if (run == TACHO_ELIMIT)
		return bad_row(r, "too many programs");
	if (run < 0)
		return (int)run;
	r->run = (uint32_t)run;
	r->id = id;
	r->trace = trace;
	r->session = session;
	r->have_run = true;
	return 1;
}

int devlog_row(struct devlog_reader *r, const char *line, size_t len)
{
	struct op_text f[DEVLOG_FIELDS];
	struct devlog_marker m = {0};
	int64_t zone;
	int rc;
	struct devlog_extra extra;
	uint64_t timer = 1;

	if (line[0] == 'A' && len > 5 && !memcmp(line, "ARCH:", 5))
		return 0; /* a second log after the first */
	if (devlog_row_split(r, line, len, f) < r->columns)
		return line[0] == 'P' ? 0 : bad_row(r, "too few cells; the line is cut");
	rc = device_log_row_locate(r, line, f);
	if (rc <= 0)
		return line[0] == 'P' ? 0 : rc;
	rc = find_marker_run(r, f);
	if (rc <= 0)
		return rc;
	if (!devlog_number(f[DEVLOG_F_TIME], &m.time))
		return bad_row(r, "the time is not a number");
	zone = devlog_zone_add(r->dev, f[DEVLOG_F_ZONE].text, f[DEVLOG_F_ZONE].len);
	if (zone == TACHO_ELIMIT)
		return bad_row(r, "too many zone names");
	if (zone < 0)
		return (int)zone;
	m.run = r->run;
	m.zone = (uint32_t)zone;
	m.core = r->core;
	m.lane = r->lane;
	m.type = (uint8_t)find_type(f[DEVLOG_F_TYPE]);
	r->dev->rows++;
	extra = (struct devlog_extra){
		.meta = f[DEVLOG_F_META],
		.ethernet = memmem(f[DEVLOG_F_RISC].text, f[DEVLOG_F_RISC].len, "ERISC", 5)};
	extra.no_timer = devlog_number(f[DEVLOG_F_TIMER], &timer) && timer == 0;
	extra.is_counter = timer == DEVLOG_TIMER_COUNTER && f[DEVLOG_F_META].len;
	extra.has_data = devlog_number(f[DEVLOG_F_DATA], &extra.data);
	return devlog_put(r->dev, &m, &extra, r->want);
}
