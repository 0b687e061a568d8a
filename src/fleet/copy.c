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
	const struct device_clock *clock;
	uint32_t *processes, *tracks, *srclocs; /* numbers in the output */
	uint32_t first_stack, first_module;
	uint64_t first_flow;
};

static uint64_t copy_tick(const struct copy *c, uint64_t tick)
{
	return device_clock_ticks(c->clock, tick);
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

/* The time of the zones directly inside [start, end): those of the lane below, read beside it. */
struct inside {
	struct trace_cursor *cursor;
	struct trace_zone next;
	bool any;
};

static int inside_step(struct inside *b)
{
	int r = trace_cursor_next(b->cursor, &b->next);

	b->any = r > 0;
	return r < 0 ? r : 0;
}

static int inside_sum(const struct copy *c, struct inside *b, const struct trace_zone *zone,
		      uint64_t *sum)
{
	int r = 0;

	*sum = 0;
	while (b->any && b->next.end <= zone->end && r == 0) {
		if (b->next.start >= zone->start)
			*sum += copy_tick(c, b->next.end) - copy_tick(c, b->next.start);
		r = inside_step(b);
	}
	return r;
}

static int copy_extras(struct trace_cursor *cursor, uint32_t count, struct trace_extra *extras,
		       char **texts)
{
	for (uint32_t i = 0; i < count; i++) {
		int r = trace_cursor_extra(cursor, i, &extras[i]);

		if (r < 0)
			return r;
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

static int copy_zone_full(struct copy *c, struct trace_lane *lane, struct trace_cursor *cursor,
			  const struct trace_zone *z, uint64_t children)
{
	struct trace_extra *extras = calloc(z->extras + 1, sizeof(*extras));
	char **texts = calloc(z->extras + 1, sizeof(*texts));
	int r = extras && texts ? copy_extras(cursor, z->extras, extras, texts) : TACHO_ENOMEM;

	if (r == 0)
		r = trace_lane_add_full(c->out->w, lane, copy_tick(c, z->start),
					copy_tick(c, z->end), c->srclocs[z->srcloc], children,
					z->flags, extras, z->extras);
	for (uint32_t i = 0; texts && i < z->extras; i++)
		free(texts[i]);
	free(texts);
	free(extras);
	return r;
}

static int copy_lane(struct copy *c, uint32_t index)
{
	struct trace *t = c->s->trace;
	const struct trace_lane_info *info = &t->lanes[index];
	struct trace_lane *lane = trace_lane(c->out->w, c->tracks[info->track], info->depth);
	bool has_below = index + 1 < t->lane_count && t->lanes[index + 1].track == info->track &&
			 t->lanes[index + 1].depth == info->depth + 1;
	struct trace_cursor *cursor = NULL;
	struct inside below = {0};
	struct trace_zone z;
	uint64_t children;
	int r = lane ? trace_cursor_open(&cursor, t, index, 0, UINT64_MAX) : TACHO_ENOMEM;

	if (r == 0 && has_below)
		r = trace_cursor_open(&below.cursor, t, index + 1, 0, UINT64_MAX);
	if (r == 0 && has_below)
		r = inside_step(&below);
	while (r == 0 && (r = trace_cursor_next(cursor, &z)) > 0) {
		r = inside_sum(c, &below, &z, &children);
		if (r < 0)
			break;
		if (z.flags || z.extras)
			r = copy_zone_full(c, lane, cursor, &z, children);
		else
			r = trace_lane_add(c->out->w, lane, copy_tick(c, z.start),
					   copy_tick(c, z.end), c->srclocs[z.srcloc], children);
	}
	if (cursor)
		trace_cursor_close(cursor);
	if (below.cursor)
		trace_cursor_close(below.cursor);
	return r;
}

/* ------------------------------------------------------------------- rows */

static uint64_t copy_stack(struct copy *c, uint64_t stack)
{
	return stack ? stack + c->first_stack : 0;
}

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
	case TRACE_ROW_MARKER_WORD:
	case TRACE_ROW_MESSAGE:
	case TRACE_ROW_PLOT_INT:
	case TRACE_ROW_PLOT_REAL:
	case TRACE_ROW_ALLOC:
	case TRACE_ROW_FREE:
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
			 .clock = &f->clocks[s->host].map,
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
	for (uint32_t i = 0; i < t->lane_count && r == 0; i++)
		r = copy_lane(&c, i);
	if (r == 0)
		r = copy_rows(&c);
	free(c.processes);
	free(c.tracks);
	free(c.srclocs);
	return r;
}
