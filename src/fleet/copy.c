/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a recording into a merged trace: ids are renumbered, times converted to the common clock.
 */
#include "fleet/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct copy {
	struct fleet_source *s;
	struct fleet_output *out;
	struct device_run clock;
	uint32_t *processes, *tracks, *srclocs; /* numbers in the output */
	uint32_t first_stack, first_module;
	uint64_t first_flow;
};

static uint64_t copy_tick(struct copy *c, uint64_t tick)
{
	return device_run_ticks(&c->clock, tick);
}

static uint32_t copy_id(const uint32_t *ids, uint32_t id)
{
	return id == TRACE_NONE ? TRACE_NONE : ids[id];
}

/* ------------------------------------------------------------ definitions */

static int copy_processes(struct copy *c)
{
	const struct trace *t = c->s->trace;
	int64_t id = 0;

	for (uint32_t i = 0; i < t->process_count && id >= 0; i++) {
		struct trace_process p = t->processes[i];
		char name[300];

		snprintf(name, sizeof(name), "r%lld %.250s", (long long)c->s->rank, p.name);
		p.name = name;
		p.start = copy_tick(c, p.start);
		p.end = p.end ? copy_tick(c, p.end) : 0;
		id = trace_add_process(c->out->w, &p);
		c->processes[i] = (uint32_t)id;
	}
	for (uint32_t i = 0; i < t->absent_count && id >= 0; i++)
		id = trace_add_absent(c->out->w, &t->absent[i]);
	return id < 0 ? (int)id : 0;
}

static bool is_stack_track(const struct trace_track *k)
{
	return k->kind == TRACE_OTHER && !strcmp(k->name, TRACE_STACKS);
}

/* The stacks of all recordings are on one track, as readers expect. */
static int copy_tracks(struct copy *c)
{
	const struct trace *t = c->s->trace;
	int64_t id = 0;

	for (uint32_t i = 0; i < t->srcloc_count && id >= 0; i++) {
		id = trace_add_srcloc(c->out->w, &t->srclocs[i]);
		c->srclocs[i] = (uint32_t)id;
	}
	for (uint32_t i = 0; i < t->track_count && id >= 0; i++) {
		struct trace_track k = t->tracks[i];

		if (is_stack_track(&k) && c->out->stack_track >= 0) {
			c->tracks[i] = (uint32_t)c->out->stack_track;
			continue;
		}
		k.process = copy_id(c->processes, k.process);
		k.srcloc = copy_id(c->srclocs, k.srcloc);
		id = trace_add_track(c->out->w, &k);
		c->tracks[i] = (uint32_t)id;
		if (is_stack_track(&k))
			c->out->stack_track = id;
	}
	for (uint32_t i = 0; i < t->track_count && id >= 0; i++)
		id = trace_add_ledger(c->out->w, c->tracks[i], &t->ledgers[i]);
	return id < 0 ? (int)id : 0;
}

/* ------------------------------------------------------------------ zones */

static uint64_t copy_stack(const struct copy *c, uint64_t stack)
{
	return stack ? stack + c->first_stack : 0;
}

static int copy_extras(const struct copy *c, struct trace_cursor *cursor, uint32_t count,
		       struct trace_extra *extras, char **texts)
{
	for (uint32_t i = 0; i < count; i++) {
		int r = trace_cursor_extra(cursor, i, &extras[i]);

		if (r < 0)
			return r;
		if (extras[i].kind == TRACE_EXTRA_STACK)
			extras[i].value = copy_stack(c, extras[i].value);
		if (extras[i].kind != TRACE_EXTRA_NAME && extras[i].kind != TRACE_EXTRA_TEXT)
			continue;
		texts[i] = malloc(extras[i].len + 1); /* the next call reuses the memory */
		if (!texts[i])
			return TACHO_ENOMEM;
		memcpy(texts[i], extras[i].text, extras[i].len);
		extras[i].text = texts[i];
	}
	return 0;
}

/* One lane of a track, with its next zone. */
struct copy_lane {
	struct trace_cursor *cursor;
	struct trace_lane *to;
	struct trace_zone zone;
	bool any;
	uint64_t inside; /* of the zone: ticks of those directly inside */
};

static int copy_zone_full(struct copy *c, const struct copy_lane *l, uint64_t start, uint64_t end)
{
	const struct trace_zone *z = &l->zone;
	struct trace_extra *extras = calloc(z->extras + 1, sizeof(*extras));
	char **texts = calloc(z->extras + 1, sizeof(*texts));
	int r = extras && texts ? copy_extras(c, l->cursor, z->extras, extras, texts)
				: TACHO_ENOMEM;

	if (r == 0)
		r = trace_lane_add_full(c->out->w, l->to, start, end, c->srclocs[z->srcloc],
					l->inside, z->flags, extras, z->extras);
	for (uint32_t i = 0; texts && i < z->extras; i++)
		free(texts[i]);
	free(texts);
	free(extras);
	return r;
}

/* Writes the zone of a lane and takes the next one. PARENT: the lane above, or NULL. */
static int copy_zone(struct copy *c, struct copy_lane *l, struct copy_lane *parent)
{
	const struct trace_zone *z = &l->zone;
	uint64_t start = copy_tick(c, z->start), end = copy_tick(c, z->end);
	int r;

	if (parent && z->start >= parent->zone.start)
		parent->inside += end - start;
	if (z->flags || z->extras)
		r = copy_zone_full(c, l, start, end);
	else
		r = trace_lane_add(c->out->w, l->to, start, end, c->srclocs[z->srcloc], l->inside);
	if (r < 0)
		return r;
	l->inside = 0;
	r = trace_cursor_next(l->cursor, &l->zone);
	l->any = r > 0;
	return r < 0 ? r : 0;
}

/*
 * Writes zones of lanes [TOP, N), each read once: those inside of a zone before the zone, so that
 * their time is known. Those of TOP have no parent. Zones that no parent contains, as in a damaged
 * file, come with the next one, or after all when TOP is their lane.
 */
static int copy_nested(struct copy *c, struct copy_lane *lanes, uint32_t top, uint32_t n)
{
	uint32_t i = top;
	int r = 0;

	while (r == 0) {
		struct copy_lane *parent = i > top ? &lanes[i - 1] : NULL;
		bool inside = lanes[i].any && (!parent || lanes[i].zone.end <= parent->zone.end);

		if (inside && i + 1 < n) {
			i++; /* first what is in this zone */
			continue;
		}
		while (r == 0 && lanes[i].any && (!parent || lanes[i].zone.end <= parent->zone.end))
			r = copy_zone(c, &lanes[i], parent);
		/* The enclosing zones that have no further children. */
		while (r == 0 && i > top) {
			i--;
			parent = i > top ? &lanes[i - 1] : NULL;
			r = copy_zone(c, &lanes[i], parent);
			if (lanes[i].any && (!parent || lanes[i].zone.end <= parent->zone.end))
				break;
		}
		if (i == top && !lanes[top].any)
			break;
	}
	return r;
}

/* The lanes [FIRST, FIRST + N) of a track, at consecutive depths. */
static int copy_lanes(struct copy *c, uint32_t first, uint32_t n)
{
	struct trace *t = c->s->trace;
	struct copy_lane *lanes = calloc(n, sizeof(*lanes));
	int r = lanes ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; i < n && r == 0; i++) {
		const struct trace_lane_info *info = &t->lanes[first + i];

		lanes[i].to = trace_lane(c->out->w, c->tracks[info->track], info->depth);
		r = lanes[i].to ? trace_cursor_open(&lanes[i].cursor, t, first + i, 0, UINT64_MAX)
				: TACHO_ENOMEM;
		if (r == 0)
			r = trace_cursor_next(lanes[i].cursor, &lanes[i].zone);
		lanes[i].any = r > 0;
		r = r < 0 ? r : 0;
	}
	for (uint32_t top = 0; top < n && r == 0; top++)
		r = copy_nested(c, lanes, top, n);
	for (uint32_t i = 0; lanes && i < n; i++)
		trace_cursor_close(lanes[i].cursor);
	free(lanes);
	return r;
}

static int copy_zones(struct copy *c)
{
	const struct trace *t = c->s->trace;
	uint32_t n;
	int r = 0;

	for (uint32_t i = 0; i < t->lane_count && r == 0; i += n) {
		for (n = 1; i + n < t->lane_count && t->lanes[i + n].track == t->lanes[i].track &&
			    t->lanes[i + n].depth == t->lanes[i].depth + n;)
			n++;
		r = copy_lanes(c, i, n);
	}
	return r;
}

/* ------------------------------------------------------------------- rows */

/* Module 0 is the same everywhere: why a stack is not whole. */
static uint64_t copy_module(const struct copy *c, uint64_t module)
{
	return module ? module + c->first_module : 0;
}

static uint64_t copy_address(const struct copy *c, uint64_t address)
{
	return copy_module(c, address >> 48) << 48 | (address & ((UINT64_C(1) << 48) - 1));
}

/* Converts the fields of a row. A new kind of row must be added here: there is no default. */
static void copy_row_fields(struct copy *c, struct trace_row *row)
{
	uint64_t start = row->time;

	row->time = copy_tick(c, start);
	row->thread = copy_id(c->tracks, row->thread);
	switch ((enum trace_row_kind)row->kind) {
	case TRACE_ROW_FRAME:
		row->a = row->a ? copy_tick(c, row->a) : 0;
		break;
	case TRACE_ROW_LOCK:
		row->b = copy_id(c->srclocs, (uint32_t)row->b);
		break;
	case TRACE_ROW_LATE:
		row->b = copy_tick(c, start + row->b) - row->time;
		break;
	case TRACE_ROW_SAMPLE:
		row->a = copy_stack(c, row->a);
		break;
	case TRACE_ROW_STATE:
		row->a = copy_tick(c, start + row->a) - row->time;
		row->c = copy_stack(c, row->c);
		break;
	case TRACE_ROW_STACK:
		if (row->a > c->out->stacks - c->first_stack)
			c->out->stacks = c->first_stack + (uint32_t)row->a;
		row->a = copy_stack(c, row->a);
		row->b = copy_stack(c, row->b);
		row->c = copy_address(c, row->c);
		break;
	case TRACE_ROW_MODULE:
		if (row->a > c->out->modules - c->first_module)
			c->out->modules = c->first_module + (uint32_t)row->a;
		row->a = copy_module(c, row->a);
		break;
	case TRACE_ROW_SYMBOL:
		row->a = copy_address(c, row->a);
		break;
	case TRACE_ROW_MARKER:
		row->b = TRACE_MARKER(TRACE_MARKER_KIND(row->b), TRACE_MARKER_VALUES(row->b),
				      copy_id(c->srclocs, TRACE_MARKER_SRCLOC(row->b)));
		break;
	case TRACE_ROW_FLOW:
		if (row->a >= c->out->flows - c->first_flow)
			c->out->flows = c->first_flow + row->a + 1;
		row->a += c->first_flow;
		break;
	case TRACE_ROW_ALLOC:
	case TRACE_ROW_FREE:
		row->c = copy_stack(c, row->c);
		break;
	case TRACE_ROW_MESSAGE:
		row->c = copy_stack(c, row->c >> 32) << 32 | (row->c & UINT32_MAX);
		break;
	case TRACE_ROW_MARKER_WORD:
	case TRACE_ROW_PLOT_INT:
	case TRACE_ROW_PLOT_REAL:
	case TRACE_ROW_APP_INFO:
	case TRACE_ROW_LOSS:
	case TRACE_ROW_NOTE:
	case TRACE_ROW_CRASH:
	case TRACE_ROW_DEVICE_CLOCK:
	case TRACE_ROW_HOST_CLOCK:
	case TRACE_ROW_FRAME_IMAGE:
	case TRACE_ROW_SECTION:
	case TRACE_ROW_PARAMETER:
	case TRACE_ROW_OP:
	case TRACE_ROW_OP_TRACE:
	case TRACE_ROW_KINDS:
		break;
	}
}

static int copy_rows(struct copy *c)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r = trace_rows_open(&rows, c->s->trace, TRACE_NONE, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		copy_row_fields(c, &row);
		r = trace_add_row(c->out->w, c->tracks[track], &row);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	return r;
}

int fleet_copy(struct fleet *f, struct fleet_source *s, struct fleet_output *out)
{
	const struct trace *t = s->trace;
	struct copy c = {.s = s,
			 .out = out,
			 .clock = {.clock = &f->clocks[s->host].map},
			 .first_stack = out->stacks,
			 .first_module = out->modules,
			 .first_flow = out->flows};
	int r = TACHO_ENOMEM;

	c.processes = calloc(t->process_count + 1, sizeof(*c.processes));
	c.tracks = calloc(t->track_count + 1, sizeof(*c.tracks));
	c.srclocs = calloc(t->srcloc_count + 1, sizeof(*c.srclocs));
	if (c.processes && c.tracks && c.srclocs)
		r = copy_processes(&c);
	if (r == 0)
		r = copy_tracks(&c);
	if (r == 0)
		r = copy_zones(&c);
	if (r == 0)
		r = copy_rows(&c);
	free(c.processes);
	free(c.tracks);
	free(c.srclocs);
	return r;
}
