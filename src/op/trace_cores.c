/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the devices and cores of a trace and their properties. */
#include "op/trace_cores.h"

#include "base/jread.h"
#include "trace/device_clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char word_characters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/* The RISC that a track's name ends with: its name as the log has it. */
static void trace_cores_risc_name(const char *track, struct op_risc *r)
{
	const char *slash = strrchr(track, '/'), *name = slash ? slash + 1 : track;
	bool known;

	r->which = (uint8_t)arch_risc_find(name, strlen(name));
	known = r->which != RISC_OTHER && r->which != RISC_QUASAR_DM &&
		r->which != RISC_QUASAR_TRISC;
	if (known)
		r->name = arch_risc_log_name((enum arch_risc)r->which);
	else /* a cell of the log, which has no quoting */
		r->name = *name && !name[strspn(name, word_characters)] ? name : "UNKNOWN";
}

/* "Device: 0, Logical (1,2) Physical (3,4)": ids of such tracks have four bits for x and y. */
static bool is_foreign(const char *name, uint32_t *x, uint32_t *y)
{
	const char *physical = strstr(name, "Physical (");

	if (strncmp(name, "Device:", 7))
		return false;
	if (physical)
		sscanf(physical, "Physical (%u,%u)", x, y);
	return true;
}

static int trace_cores_order(const void *a, const void *b, void *arg)
{
	const struct op_cores *c = arg;
	const struct op_risc *x = a, *y = b;
	const struct op_trace_device *dx = &c->devices.v[x->device], *dy = &c->devices.v[y->device];

	if (dx->process != dy->process)
		return dx->process < dy->process ? -1 : 1;
	if (dx->number != dy->number)
		return dx->number < dy->number ? -1 : 1;
	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->track < y->track ? -1 : 1;
}

/* The index of the device, or TACHO_ENOMEM. */
static int64_t find_device(struct op_cores *c, uint32_t process, uint32_t number)
{
	struct op_trace_device d = {.process = process,
				    .number = number,
				    .arch = "unknown",
				    .mhz = 1000,
				    .max_cores = OP_NONE};
	struct jread reader = {0};
	struct tacho_error err;
	const struct jread_value *json, *arch;
	const char *text;
	char key[64];
	int64_t value;

	for (size_t i = 0; i < c->devices.n; i++)
		if (c->devices.v[i].process == process && c->devices.v[i].number == number)
			return (int64_t)i;
	/* "device 0 of 123": the program's description of its device. */
	snprintf(key, sizeof(key), "device %u of %u", d.number,
		 d.process < c->trace->process_count ? c->trace->processes[d.process].pid : 0);
	text = trace_property(c->trace, key);
	json = text ? jread_parse(&reader, text, strlen(text), &err) : NULL;
	arch = jread_get(json, "arch");
	if (arch && arch->type == JREAD_STRING && arch->len)
		snprintf(d.arch, sizeof(d.arch), "%.*s",
			 (int)(arch->len < sizeof(d.arch) ? arch->len : sizeof(d.arch) - 1),
			 arch->text);
	if (d.arch[strspn(d.arch, word_characters)])
		snprintf(d.arch, sizeof(d.arch), "unknown");
	if (jread_int(jread_get(json, "mhz"), &value) && value > 0 && value < 1000000)
		d.mhz = (uint32_t)value;
	if (jread_int(jread_get(json, "max_compute_cores"), &value) && value >= 0 &&
	    value <= INT32_MAX)
		d.max_cores = value;
	jread_free(&reader);
	return vec_push(&c->devices, d) < 0 ? TACHO_ENOMEM : (int64_t)c->devices.n - 1;
}

static int trace_cores_track_add(struct op_cores *c, uint32_t track)
{
	const struct trace_track *t = &c->trace->tracks[track];
	struct op_risc r = {.track = track,
			    .x = TRACE_CORE_X(t->id),
			    .y = TRACE_CORE_Y(t->id),
			    .order = TRACE_CORE_RISC(t->id)};
	bool foreign = is_foreign(t->name, &r.x, &r.y);
	int64_t device = find_device(c, t->process, TRACE_CORE_DEVICE(t->id));

	if (device < 0)
		return (int)device;
	trace_cores_risc_name(t->name, &r);
	r.device = (uint32_t)device;
	c->raw_only |= foreign;
	return vec_push(&c->riscs, r);
}

/* Those with zones or rows: of a core that lost all its markers there is at least the loss. */
static int find_tracks(struct op_cores *c, const uint8_t *tracks)
{
	uint64_t *rows = calloc(c->trace->track_count + 1, sizeof(*rows));
	int r = rows ? 0 : TACHO_ENOMEM;

	if (rows)
		trace_count_rows(c->trace, rows);
	for (uint32_t i = 0; i < c->trace->track_count && r == 0; i++) {
		const struct trace_track *t = &c->trace->tracks[i];
		uint32_t first, lanes;

		if (t->kind != TRACE_CORE || TRACE_CORE_IS_OTHER(t->id) || (tracks && !tracks[i]))
			continue;
		trace_track_lanes(c->trace, i, &first, &lanes);
		if (lanes || rows[i])
			r = trace_cores_track_add(c, i);
	}
	free(rows);
	if (c->riscs.n)
		qsort_r(c->riscs.v, c->riscs.n, sizeof(*c->riscs.v), trace_cores_order, c);
	for (size_t i = 0; i < c->riscs.n; i++) {
		const struct op_risc *a = i ? &c->riscs.v[i - 1] : NULL;
		struct op_risc *b = &c->riscs.v[i];

		if (!a || a->device != b->device || a->x != b->x || a->y != b->y)
			c->core_count++;
		b->core = c->core_count - 1;
	}
	return r;
}

/* Each device's points; without any, its cycles are the trace's time at the nominal frequency. */
static int trace_cores_clocks_read(struct op_cores *c)
{
	double ns = trace_duration_ns(c->trace, c->trace->start, c->trace->end);
	int r = 0;

	for (size_t i = 0; i < c->devices.n && r == 0; i++) {
		struct op_trace_device *d = &c->devices.v[i];

		r = trace_device_clock_find(c->trace, d->process, d->number, &d->clock);
		d->clock.mhz = d->mhz;
		d->clock.rate = ns > 0 ? (double)(c->trace->end - c->trace->start) * 1e9 / ns : 1e9;
		if (r == 0 && !d->clock.n)
			r = device_clock_add(
				&d->clock,
				&(struct device_point){c->trace->start, 0, DEVICE_CLOCK_UNKNOWN});
	}
	return r;
}

/* Zones that are markers of no length name their kind in the function. */
static enum trace_marker_kind marker_kind(const char *function)
{
	static const char *const words[TRACE_MARKS] = {
		[TRACE_MARK_TOTAL] = "ZONE_TOTAL", [TRACE_MARK_DATA] = "TS_DATA",
		[TRACE_MARK_EVENT] = "TS_EVENT",   [TRACE_MARK_NOC] = "NOC",
		[TRACE_MARK_COUNTER] = "COUNTER",
	};

	for (uint32_t i = TRACE_MARK_TOTAL; function[0] && i < TRACE_MARKS; i++)
		if (!strcmp(function, words[i]))
			return (enum trace_marker_kind)i;
	return TRACE_MARK_START;
}

/* The kinds of markers that the trace has: by track, or by source location if they are zones. */
static void find_kinds(struct op_cores *c)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < c->riscs.n; i++)
		kinds |= c->trace->tracks[c->riscs.v[i].track].format;
	for (uint32_t i = 0; c->riscs.n && i < c->trace->srcloc_count; i++) {
		const struct trace_srcloc *s = &c->trace->srclocs[i];

		c->zones[i] = arch_zone_find(s->name, strlen(s->name));
		c->kinds[i] = (uint8_t)marker_kind(s->function);
		kinds |= 1u << c->kinds[i];
		c->has_ids |= !strncmp(s->function, OP_ID_FUNCTION, strlen(OP_ID_FUNCTION));
		c->raw_only |= c->has_ids || c->zones[i] & ARCH_ZONE_DISPATCH;
	}
	c->has_noc = kinds >> TRACE_MARK_NOC & 1;
	c->raw_only |= kinds & (1u << TRACE_MARK_COUNTER | 1u << TRACE_MARK_TOTAL);
}

int op_cores_open(struct op_cores *c, struct trace *trace, const uint8_t *tracks,
		  struct tacho_error *err)
{
	int r;

	c->trace = trace;
	c->zones = calloc(trace->srcloc_count + 1, sizeof(*c->zones));
	c->kinds = calloc(trace->srcloc_count + 1, sizeof(*c->kinds));
	r = c->zones && c->kinds ? find_tracks(c, tracks) : TACHO_ENOMEM;
	if (r == 0)
		r = trace_cores_clocks_read(c);
	/* The number of cores is unknown: use the number seen. */
	for (size_t d = 0; d < c->devices.n; d++) {
		int64_t cores = 0;

		for (size_t i = 0; i < c->riscs.n; i++)
			cores += c->riscs.v[i].device == d && strcmp(c->riscs.v[i].name, "ERISC") &&
				 (i == 0 || c->riscs.v[i].core != c->riscs.v[i - 1].core);
		if (c->devices.v[d].max_cores == OP_NONE)
			c->devices.v[d].max_cores = cores;
	}
	if (r < 0)
		return err_set(err, r, "%s: %s", trace->path, err_text(r));
	find_kinds(c);
	return 0;
}

void op_cores_close(struct op_cores *c)
{
	for (size_t i = 0; i < c->devices.n; i++)
		device_clock_free(&c->devices.v[i].clock);
	vec_free(&c->devices);
	vec_free(&c->riscs);
	free(c->zones);
	free(c->kinds);
	memset(c, 0, sizeof(*c));
}

bool op_cores_synced(const struct op_cores *c, uint32_t device)
{
	const struct device_clock *clock = &c->devices.v[device].clock;

	return clock->n && clock->v[0].bound_ns != DEVICE_CLOCK_UNKNOWN;
}

void op_cores_losses(const struct op_cores *c, struct op_issues *issues)
{
	/* Messages are more precise: they name the op. */
	bool full = !issues->counts[OP_ISSUE_DROPPED];
	bool overwritten = !issues->counts[OP_ISSUE_OVERWRITTEN];

	for (size_t i = 0; i < c->riscs.n; i++) {
		const struct op_risc *risc = &c->riscs.v[i];
		struct op_place place =
			OP_AT_CORE(OP_NONE, c->devices.v[risc->device].number, risc->x, risc->y);
		const struct op_losses lost = risc->lost;

		if (full && lost.full)
			op_issue_add(issues, OP_ISSUE_DROPPED, NULL, 0, place,
				     "profiler buffers of %s were full %" PRIu64 " times, %" PRIu64
				     " markers are known to be lost; read the profiler more often "
				     "or raise the supported program count",
				     risc->name, lost.full, lost.markers);
		if (overwritten && lost.overwritten)
			op_issue_add(issues, OP_ISSUE_OVERWRITTEN, NULL, 0, place,
				     "a kernel has overwritten the profiler's buffers: %" PRIu64
				     " marker%s of %s cannot be trusted",
				     lost.overwritten, lost.overwritten == 1 ? "" : "s",
				     risc->name);
	}
}

uint32_t op_device_process(const struct trace *trace, const uint8_t *in, uint32_t after)
{
	uint32_t next = TRACE_NONE;

	for (uint32_t i = 0; i < trace->track_count; i++) {
		const struct trace_track *t = &trace->tracks[i];

		if (t->kind == TRACE_CORE && !TRACE_CORE_IS_OTHER(t->id) && (!in || in[i]) &&
		    t->process < next && (after == TRACE_NONE || t->process > after))
			next = t->process;
	}
	return next;
}

uint32_t op_device_user(const struct trace *trace, uint32_t device)
{
	for (uint32_t i = 0; i < trace->track_count; i++)
		if (trace->tracks[i].kind == TRACE_CORE &&
		    !TRACE_CORE_IS_OTHER(trace->tracks[i].id) &&
		    TRACE_CORE_DEVICE(trace->tracks[i].id) == device)
			return trace->tracks[i].process;
	return TRACE_NONE;
}

void op_process_tracks(const struct trace *trace, const uint8_t *in, uint32_t process, uint8_t *out)
{
	for (uint32_t i = 0; i < trace->track_count; i++)
		out[i] = trace->tracks[i].process == process && (!in || in[i]);
}

bool op_several_processes(const struct trace *trace, const uint8_t *in)
{
	uint32_t first = op_device_process(trace, in, TRACE_NONE);

	return first != TRACE_NONE && op_device_process(trace, in, first) != TRACE_NONE;
}

/* True if two processes have a device of one number: the numbers of their ops collide. */
static bool devices_collide(const struct trace *trace)
{
	for (uint32_t i = 0, last = TRACE_NONE; i < trace->track_count; i++) {
		const struct trace_track *a = &trace->tracks[i];

		if (a->kind != TRACE_CORE || TRACE_CORE_IS_OTHER(a->id))
			continue;
		/* Tracks of one device mostly follow each other: compare each run once. */
		if (last != TRACE_NONE && trace->tracks[last].process == a->process &&
		    TRACE_CORE_DEVICE(trace->tracks[last].id) == TRACE_CORE_DEVICE(a->id))
			continue;
		last = i;
		for (uint32_t k = 0; k < i; k++) {
			const struct trace_track *b = &trace->tracks[k];

			if (b->kind == TRACE_CORE && !TRACE_CORE_IS_OTHER(b->id) &&
			    b->process != a->process &&
			    TRACE_CORE_DEVICE(b->id) == TRACE_CORE_DEVICE(a->id))
				return true;
		}
	}
	return false;
}

uint32_t op_main_process(const struct trace *trace)
{
	uint32_t process = TRACE_NONE, best = TRACE_NONE;
	uint64_t most = 0;

	if (!op_several_processes(trace, NULL) || !devices_collide(trace))
		return TRACE_NONE;
	while ((process = op_device_process(trace, NULL, process)) != TRACE_NONE) {
		uint64_t zones = 0;

		for (uint32_t i = 0; i < trace->lane_count; i++) {
			const struct trace_track *t = &trace->tracks[trace->lanes[i].track];

			if (t->kind == TRACE_CORE && t->process == process)
				zones += trace->lanes[i].zones;
		}
		if (best == TRACE_NONE || zones > most) {
			best = process;
			most = zones;
		}
	}
	return best;
}

void op_process_label(const struct trace *trace, uint32_t process, char *out)
{
	uint32_t pid = trace->processes[process].pid, times = 1;

	for (uint32_t i = 0; i < process; i++)
		times += trace->processes[i].pid == pid;
	if (times == 1)
		snprintf(out, OP_PROCESS_LABEL, "%u", pid);
	else
		snprintf(out, OP_PROCESS_LABEL, "%u.%u", pid, times);
}
