/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How busy a core is: the time in which any of its RISCs ran a kernel. This is the one definition
 * of "busy" for the cores verb, the viewer's overview and its chip.
 */
#include "view/core_busy.h"

#include <stdlib.h>
#include <string.h>

uint8_t *view_kernels(const struct trace *t)
{
	uint8_t *is = calloc((size_t)t->srcloc_count + 1, 1);

	for (uint32_t i = 0; is && i < t->srcloc_count; i++) {
		const char *name = trace_srcloc_name(t, i);
		size_t len = strlen(name);

		is[i] = len >= 7 && !strcmp(name + len - 7, "-KERNEL");
	}
	return is;
}

bool view_device_times(const struct trace *t, uint32_t device, uint32_t process, uint64_t *first,
		       uint64_t *last)
{
	*first = UINT64_MAX;
	*last = 0;
	for (uint32_t i = 0; i < t->lane_count; i++) {
		const struct trace_lane_info *l = &t->lanes[i];
		const struct trace_track *track = &t->tracks[l->track];

		if (track->kind != TRACE_CORE || TRACE_CORE_IS_OTHER(track->id) ||
		    TRACE_CORE_DEVICE(track->id) != device ||
		    (process != TRACE_NONE && track->process != process))
			continue;
		*first = l->start < *first ? l->start : *first;
		*last = l->end > *last ? l->end : *last;
	}
	return *last > *first;
}

/* A lane at its next kernel. */
struct busy_lane {
	struct trace_cursor *cursor;
	struct trace_zone zone;
	bool more;
};

struct busy_merge {
	struct busy_lane *lanes;
	size_t count;
	const struct view_busy_options *o;
	uint32_t steps;
};

static int core_busy_lane_advance(struct busy_merge *m, struct busy_lane *l)
{
	int r;

	while ((r = trace_cursor_next(l->cursor, &l->zone)) > 0) {
		if (m->o->stop && ++m->steps % (1u << 18) == 0 && m->o->stop(m->o->context))
			r = 0;
		else if (!m->o->kernels[l->zone.srcloc])
			continue;
		break;
	}
	l->more = r > 0;
	return r < 0 ? r : 0;
}

static struct busy_lane *lane_first(const struct busy_merge *m)
{
	struct busy_lane *first = NULL;

	for (size_t i = 0; i < m->count; i++)
		if (m->lanes[i].more && (!first || m->lanes[i].zone.start < first->zone.start))
			first = &m->lanes[i];
	return first;
}

/* Kernels of all lanes by start; time already covered by earlier ones does not count. */
static int lanes_merge(struct busy_merge *m, struct view_busy *busy)
{
	uint64_t covered = m->o->t0;
	struct busy_lane *l;
	int r = 0;

	while (r == 0 && (l = lane_first(m))) {
		const struct trace_zone *z = &l->zone;
		uint64_t from = z->start > covered ? z->start : covered;
		uint64_t to = z->end < m->o->t1 ? z->end : m->o->t1;

		if (to > from) {
			busy->ticks += to - from;
			covered = to;
		}
		if (z->start >= m->o->t0)
			busy->kernels += z->end - z->start;
		r = core_busy_lane_advance(m, l);
	}
	return r;
}

int view_core_busy(struct trace *t, const uint32_t *lanes, size_t count,
		   const struct view_busy_options *o, struct view_busy *busy)
{
	struct busy_merge m = {.o = o};
	int r = 0;

	*busy = (struct view_busy){0};
	m.lanes = calloc(count + 1, sizeof(*m.lanes));
	if (!m.lanes)
		return TACHO_ENOMEM;
	for (; r == 0 && m.count < count; m.count++) {
		struct busy_lane *l = &m.lanes[m.count];

		r = trace_cursor_open(&l->cursor, t, lanes[m.count], o->t0, o->t1);
		if (r == 0)
			r = core_busy_lane_advance(&m, l);
	}
	if (r == 0)
		r = lanes_merge(&m, busy);
	while (m.count)
		trace_cursor_close(m.lanes[--m.count].cursor);
	free(m.lanes);
	return r;
}
