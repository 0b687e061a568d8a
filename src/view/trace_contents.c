/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace has: processes, tracks with their lanes, devices, signposts, warnings, names. */
#include "base/jread.h"
#include "view/device_clock.h"
#include "view/lane_numbers.h"
#include "view/lock_timeline.h"
#include "view/op_table.h"

#include <string.h>

#define NAMES     4096u /* of one answer */
#define NAME_MOST 1000u /* bytes of the name of a track: there may be many, and all are sent */

static const char *const kinds[TRACE_TRACK_KINDS] = {"thread",   "fiber",  "core", "plot", "frames",
						     "messages", "memory", "lock", "other"};

/* ------------------------------------------------------------------ names */

static void trace_contents_name_put(struct json *j, const char *key, const char *name, size_t most)
{
	if (name)
		json_cut(j, key, name, strlen(name), most);
	else
		json_null(j, key);
}

int call_names(struct view_call *c)
{
	const struct trace *t = c->trace;
	struct json *j = &c->json;
	uint64_t from = 0;
	int r = arg_uint(c, "from", UINT32_MAX, &from);

	if (r < 0)
		return r;
	call_begin(c);
	json_uint(j, "from", from);
	json_uint(j, "total", t->srcloc_count);
	json_array(j, "names");
	for (uint64_t i = from; i < t->srcloc_count && i < from + NAMES; i++) {
		const struct trace_srcloc *s = &t->srclocs[i];

		json_array(j, NULL);
		trace_contents_name_put(j, NULL, s->name, VIEW_TEXT);
		trace_contents_name_put(j, NULL, s->function, VIEW_TEXT);
		trace_contents_name_put(j, NULL, s->file, VIEW_TEXT);
		json_uint(j, NULL, s->line);
		json_uint(j, NULL, s->color);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	return 0;
}

/* -------------------------------------------------------------- processes */

static void processes_put(struct view_call *c)
{
	const struct trace *t = c->trace;
	struct json *j = &c->json;

	json_array(j, "processes");
	for (uint32_t i = 0; i < t->process_count; i++) {
		const struct trace_process *p = &t->processes[i];

		json_object(j, NULL);
		json_uint(j, "id", i);
		json_uint(j, "pid", p->pid);
		json_uint(j, "parent", p->parent_pid);
		trace_contents_name_put(j, "name", p->name, NAME_MOST);
		json_text(j, "command", p->command);
		json_ns(c, "start", p->start);
		if (p->end)
			json_ns(c, "end", p->end);
		else
			json_null(j, "end");
		if (p->exit_status == TRACE_EXIT_UNKNOWN)
			json_null(j, "exit");
		else
			json_int(j, "exit", p->exit_status);
		json_end(j);
	}
	json_end(j);
}

/* ---------------------------------------------------------------- devices */

static uint32_t process_of_pid(const struct trace *t, uint32_t pid)
{
	for (uint32_t i = 0; i < t->process_count; i++)
		if (t->processes[i].pid == pid)
			return i;
	return TRACE_NONE;
}

static void trace_contents_cores_put(struct json *j, const struct jread_value *cores)
{
	json_array(j, "cores");
	for (const struct jread_value *v = cores ? cores->first : NULL; v; v = v->next) {
		json_array(j, NULL);
		for (const struct jread_value *e = v->first; e; e = e->next)
			if (e->type == JREAD_STRING)
				json_string(j, NULL, e->text, e->len);
			else
				json_double(j, NULL, jread_double(e));
		json_end(j);
	}
	json_end(j);
}

static void described_put(struct view_call *c, const struct jread_value *v, unsigned device,
			  unsigned pid)
{
	const struct jread_value *arch = jread_get(v, "arch"), *grid = jread_get(v, "grid"),
				 *modelled = jread_get(v, "modelled");
	struct json *j = &c->json;

	json_object(j, NULL);
	json_uint(j, "device", device);
	json_uint(j, "process", process_of_pid(c->trace, pid));
	if (arch && arch->type == JREAD_STRING)
		json_string(j, "arch", arch->text, arch->len);
	else
		json_text(j, "arch", "");
	json_double(j, "mhz", jread_double(jread_get(v, "mhz")));
	json_array(j, "grid");
	for (const struct jread_value *e = grid ? grid->first : NULL; e; e = e->next)
		json_double(j, NULL, jread_double(e));
	json_end(j);
	trace_contents_cores_put(j, jread_get(v, "cores"));
	json_bool(j, "modelled", modelled && modelled->type == JREAD_TRUE);
	device_clock_put(c, device, process_of_pid(c->trace, pid));
	json_end(j);
}

/* A device known only by its tracks. */
static void bare_put(struct view_call *c, const struct trace_track *track)
{
	struct json *j = &c->json;
	uint32_t device = TRACE_CORE_DEVICE(track->id);
	const struct trace *t = c->trace;
	uint64_t last = UINT64_MAX;

	json_object(j, NULL);
	json_uint(j, "device", device);
	json_uint(j, "process", track->process);
	json_text(j, "arch", "");
	json_null(j, "mhz");
	json_array(j, "grid");
	json_end(j);
	json_array(j, "cores");
	for (uint32_t i = 0; i < t->track_count; i++) {
		const struct trace_track *o = &t->tracks[i];
		struct core_place place;

		if (!track_place(o, &place) || place.device != device ||
		    o->process != track->process || o->id >> 8 == last)
			continue;
		last = o->id >> 8;
		json_array(j, NULL);
		json_uint(j, NULL, place.x);
		json_uint(j, NULL, place.y);
		if (place.logical) {
			json_uint(j, NULL, place.lx);
			json_uint(j, NULL, place.ly);
		} else {
			json_null(j, NULL);
			json_null(j, NULL);
		}
		json_text(j, NULL, "worker");
		json_end(j);
	}
	json_end(j);
	json_bool(j, "modelled", false);
	device_clock_put(c, device, track->process);
	json_end(j);
}

static void trace_contents_devices_put(struct view_call *c)
{
	const struct trace *t = c->trace;
	struct jread reader = {0};
	unsigned device, pid;
	struct {
		VEC(uint64_t);
	} known = {0};

	json_array(&c->json, "devices");
	for (uint32_t i = 0; i < t->property_count; i++) {
		const struct trace_property *p = &t->properties[i];
		const struct jread_value *v;
		int end = 0;

		/* Property "device N of PID": the device's own description, JSON. */
		if (sscanf(p->key, "device %u of %u%n", &device, &pid, &end) != 2 || !end ||
		    p->key[end])
			continue;
		v = jread_parse(&reader, p->value, strlen(p->value), NULL);
		if (!v || vec_push(&known, (uint64_t)process_of_pid(t, pid) << 32 | device) < 0)
			continue;
		described_put(c, v, device, pid);
	}
	for (uint32_t i = 0; i < t->track_count; i++) {
		const struct trace_track *track = &t->tracks[i];
		uint64_t key = (uint64_t)track->process << 32 | TRACE_CORE_DEVICE(track->id);
		size_t k = 0;

		if (track->kind != TRACE_CORE || TRACE_CORE_IS_OTHER(track->id))
			continue;
		while (k < known.n && known.v[k] != key)
			k++;
		if (k == known.n && vec_push(&known, key) == 0)
			bare_put(c, track);
	}
	json_end(&c->json);
	vec_free(&known);
	jread_free(&reader);
}

/* ----------------------------------------------------------------- tracks */

static void core_put(struct json *j, const struct trace_track *track)
{
	struct core_place place;
	const char *slash;

	if (!track_place(track, &place))
		return;
	slash = strrchr(track->name, '/');
	json_uint(j, "device", place.device);
	json_uint(j, "x", place.x);
	json_uint(j, "y", place.y);
	if (place.logical) {
		json_uint(j, "lx", place.lx);
		json_uint(j, "ly", place.ly);
	}
	json_text(j, "risc", slash ? slash + 1 : "");
}

static void trace_contents_lane_put(struct json *j, uint32_t number, uint64_t zones)
{
	json_array(j, NULL);
	json_uint(j, NULL, number);
	json_uint(j, NULL, zones);
	json_end(j);
}

/* Lanes by depth; those with nothing yet but an open zone too. */
static void lanes_put(struct view_call *c, uint32_t track, uint32_t first, uint32_t count)
{
	const struct trace *t = c->trace;
	uint32_t lane = first, open = 0;

	json_array(&c->json, "lanes");
	while (open < t->open_count && t->open_zones[open].track < track)
		open++;
	while (lane < first + count ||
	       (open < t->open_count && t->open_zones[open].track == track)) {
		bool has = open < t->open_count && t->open_zones[open].track == track;
		bool before = lane == first + count ||
			      (has && t->open_zones[open].depth < t->lanes[lane].depth);

		if (before) {
			trace_contents_lane_put(&c->json,
						lane_number_open(c, &t->open_zones[open++]), 0);
			continue;
		}
		if (has && t->open_zones[open].depth == t->lanes[lane].depth)
			open++;
		trace_contents_lane_put(&c->json, lane_number(c, lane), t->lanes[lane].zones);
		lane++;
	}
	json_end(&c->json);
}

static void trace_contents_track_put(struct view_call *c, uint32_t id, uint64_t rows)
{
	const struct trace *t = c->trace;
	const struct trace_track *track = &t->tracks[id];
	struct json *j = &c->json;
	uint32_t first, count;
	uint64_t zones = 0;

	trace_track_lanes(t, id, &first, &count);
	for (uint32_t i = first; i < first + count; i++)
		zones += t->lanes[i].zones;
	json_object(j, NULL);
	json_uint(j, "id", id);
	json_text(j, "kind", track->kind < TRACE_TRACK_KINDS ? kinds[track->kind] : "other");
	json_uint(j, "process", track->process);
	trace_contents_name_put(
		j, "name", track->kind == TRACE_LOCK ? lock_name(t, id) : track->name, NAME_MOST);
	json_uint(j, "color", track->color);
	if (track->kind == TRACE_THREAD)
		json_uint(j, "tid", track->id);
	if (track->kind == TRACE_CORE)
		core_put(j, track);
	json_uint(j, "format", track->format);
	json_uint(j, "flags", track->flags);
	json_uint(j, "count", count ? zones : rows);
	lanes_put(c, id, first, count);
	json_end(j);
}

static int trace_contents_tracks_put(struct view_call *c)
{
	const struct trace *t = c->trace;
	uint64_t *rows = calloc(t->track_count + 1, sizeof(*rows));

	if (!rows)
		return TACHO_ENOMEM;
	trace_count_rows(t, rows);
	json_array(&c->json, "tracks");
	for (uint32_t i = 0; i < t->track_count; i++)
		trace_contents_track_put(c, i, rows[i]);
	json_end(&c->json);
	free(rows);
	return 0;
}

/* ------------------------------------------------------------------- meta */

static void has_put(struct view_call *c)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} parts[] = {{"messages", TRACE_MESSAGES},
		     {"plots", TRACE_PLOT},
		     {"memory", TRACE_MEMORY},
		     {"frames", TRACE_FRAMES},
		     {"locks", TRACE_LOCK}};
	static const struct {
		const char *name, *track;
	} others[] = {{"samples", TRACE_STACKS},
		      {"images", TRACE_IMAGES},
		      {"sections", TRACE_SECTIONS},
		      {"parameters", TRACE_PARAMETERS}};
	const struct trace *t = c->trace;
	bool noc = false;

	json_object(&c->json, "has");
	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
		bool has = false;

		for (uint32_t i = 0; !has && i < t->track_count; i++)
			has = t->tracks[i].kind == parts[k].kind;
		json_bool(&c->json, parts[k].name, has);
	}
	for (uint32_t i = 0; i < t->srcloc_count; i++)
		noc |= !strcmp(t->srclocs[i].function, "NOC");
	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
		bool has = false;

		for (uint32_t i = 0; !has && i < t->track_count; i++)
			has = t->tracks[i].kind == TRACE_OTHER &&
			      !strcmp(t->tracks[i].name, others[k].track);
		json_bool(&c->json, others[k].name, has);
	}
	json_bool(&c->json, "ops", ops_likely(t)); /* without the host's side they have no names */
	json_bool(&c->json, "noc", noc);
	json_bool(&c->json, "source", c->view->options.source_count > 0);
	json_end(&c->json);
}

int call_meta(struct view_call *c)
{
	const struct trace *t = c->trace;
	struct json *j = &c->json;
	char tag[VIEW_TAG];
	int r;

	tag_make(tag, t);
	call_begin(c);
	json_text(j, "name", c->on->name);
	json_text(j, "tag", tag);
	json_int(j, "duration", trace_ns(t, t->end));
	json_uint(j, "zones", t->zones);
	json_uint(j, "rows", t->rows);
	json_uint(j, "names_total", t->srcloc_count);
	processes_put(c);
	r = trace_contents_tracks_put(c);
	trace_contents_devices_put(c);
	if (r == 0)
		r = signposts_put(c);
	if (r == 0)
		r = warnings_put(c);
	json_object(j, "properties");
	for (uint32_t i = 0; i < t->property_count; i++)
		json_text(j, t->properties[i].key, t->properties[i].value);
	json_end(j);
	has_put(c);
	json_end(j);
	return r;
}
