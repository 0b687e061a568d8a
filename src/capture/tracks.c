/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks, names and source locations of a recorded process. */
#include "base/limits.h"
#include "capture/private.h"

#include <stdlib.h>
#include <string.h>

uint32_t process_srcloc(struct capture *c, struct process *p, uint32_t id)
{
	static const struct trace_srcloc unknown = {
		.name = "(unknown)", .function = "", .file = ""};
	int64_t srcloc;

	if (id < p->srclocs.n && p->srclocs.v[id] != TRACE_NONE)
		return p->srclocs.v[id];
	srcloc = trace_add_srcloc(c->writer, &unknown);
	if (srcloc < 0)
		capture_error(c, srcloc);
	return srcloc < 0 ? 0 : (uint32_t)srcloc;
}

const char *process_name(const struct process *p, uint64_t id)
{
	return id < p->names.n && p->names.v[id] ? p->names.v[id] : "";
}

int process_add_srcloc(struct capture *c, struct process *p, const struct ring_event *e)
{
	const char *end = e->text + e->len, *function, *file;
	struct trace_srcloc s;
	uint64_t id = e->words[0];
	int64_t srcloc;

	/* name NUL function NUL file NUL */
	function = memchr(e->text, 0, e->len);
	file = function ? memchr(function + 1, 0, (size_t)(end - function - 1)) : NULL;
	if (!file || id > LIMIT_RING_ID)
		return 0;
	s = (struct trace_srcloc){.name = e->text,
				  .function = function + 1,
				  .file = file + 1,
				  .line = (uint32_t)e->words[1],
				  .color = (uint32_t)(e->words[1] >> 32) & 0xffffff};
	srcloc = trace_add_srcloc(c->writer, &s);
	if (srcloc < 0)
		return (int)srcloc;
	while (p->srclocs.n <= id)
		if (vec_push(&p->srclocs, TRACE_NONE) < 0)
			return TACHO_ENOMEM;
	p->srclocs.v[id] = (uint32_t)srcloc;
	return 0;
}

int process_add_name(struct process *p, const struct ring_event *e)
{
	uint64_t id = e->words[0];

	if (id > LIMIT_RING_ID)
		return 0;
	while (p->names.n <= id)
		if (vec_push(&p->names, NULL) < 0)
			return TACHO_ENOMEM;
	free(p->names.v[id]);
	p->names.v[id] = strndup(e->text, e->len);
	return p->names.v[id] ? 0 : TACHO_ENOMEM;
}

static uint64_t track_key(uint32_t kind, uint64_t number)
{
	return (uint64_t)kind << 56 ^ number;
}

struct made *process_restore_track(struct process *p, uint32_t track,
				   const struct trace_track *info)
{
	struct made m = {.track = track, .info = *info};

	m.info.name = strdup(info->name);
	if (!m.info.name ||
	    map_set(&p->tracks, track_key(info->kind, info->id), (uint32_t)p->made.n) < 0 ||
	    vec_push(&p->made, m) < 0) {
		free((char *)m.info.name);
		return NULL;
	}
	return &p->made.v[p->made.n - 1];
}

struct made *process_track(struct capture *c, struct process *p, uint32_t kind, uint64_t number,
			   const char *name)
{
	struct trace_track t = {
		.process = p->id, .kind = kind, .id = number, .srcloc = TRACE_NONE, .name = name};
	uint32_t *known = map_get(&p->tracks, track_key(kind, number));
	struct made *m;
	int64_t id;

	if (known)
		return &p->made.v[*known];
	id = trace_add_track(c->writer, &t);
	m = id < 0 ? NULL : process_restore_track(p, (uint32_t)id, &t);
	if (!m)
		capture_error(c, id < 0 ? id : TACHO_ENOMEM);
	return m;
}

void process_update_track(struct capture *c, struct made *m, const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	int r;

	if (copy) {
		free((char *)m->info.name);
		m->info.name = copy;
	}
	r = trace_update_track(c->writer, m->track, &m->info);
	if (r < 0 || (name && !copy))
		capture_error(c, r < 0 ? r : TACHO_ENOMEM);
}

uint32_t process_messages(struct capture *c, struct process *p)
{
	struct made *m;

	if (p->messages == TRACE_NONE) {
		m = process_track(c, p, TRACE_MESSAGES, 0, "");
		p->messages = m ? m->track : TRACE_NONE;
	}
	return p->messages;
}

struct fiber *process_fiber_of_track(const struct process *p, uint32_t track, uint32_t *index)
{
	const uint32_t *known = map_get(&p->fiber_tracks, track);

	if (!known)
		return NULL;
	if (index)
		*index = *known;
	return p->fibers.v[*known];
}

struct fiber *process_fiber(struct capture *c, struct process *p, uint64_t name)
{
	struct made *m = name & FIBER_CORE
				 ? process_track(c, p, TRACE_CORE, name & ~FIBER_CORE, "")
				 : process_track(c, p, TRACE_FIBER, name, process_name(p, name));
	struct fiber *f = m ? process_fiber_of_track(p, m->track, NULL) : NULL;

	if (f || !m)
		return f;
	f = calloc(1, sizeof(*f));
	if (!f || vec_reserve(&p->fibers, p->fibers.n + 1) < 0 ||
	    map_set(&p->fiber_tracks, m->track, (uint32_t)p->fibers.n) < 0) {
		free(f);
		capture_error(c, TACHO_ENOMEM);
		return NULL;
	}
	p->fibers.v[p->fibers.n++] = f;
	f->name = name;
	f->stack.track = m->track;
	return f;
}

struct frame_set *process_frames(struct capture *c, struct process *p, uint32_t track)
{
	uint32_t *known = map_get(&p->frame_sets, track);
	struct frame_set set = {.track = track};

	if (known)
		return &p->frames.v[*known];
	if (map_set(&p->frame_sets, track, (uint32_t)p->frames.n) < 0 ||
	    vec_push(&p->frames, set) < 0) {
		capture_error(c, TACHO_ENOMEM);
		return NULL;
	}
	return &p->frames.v[p->frames.n - 1];
}

struct owned *process_owned(const struct process *p, uint32_t track)
{
	const uint32_t *at = map_get(&p->pools, track);

	return at ? &p->owned.v[*at] : NULL;
}

void process_own(struct capture *c, struct process *p, uint32_t track)
{
	static const struct owned none;

	if (map_get(&p->pools, track))
		return;
	if (map_set(&p->pools, track, (uint32_t)p->owned.n) < 0 || vec_push(&p->owned, none) < 0)
		capture_error(c, TACHO_ENOMEM);
}
