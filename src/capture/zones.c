/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matches zone begins and ends into zones on lanes: the rare cases. The fast path is in private.h.
 */
#include "base/limits.h"
#include "capture/private.h"

#include <stdlib.h>
#include <string.h>

static void attachments_free(struct attachments *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		free((char *)a->v[i].text);
	vec_free(a);
	free(a);
}

bool stack_room(struct capture *c, struct stack *s)
{
	if (s->zones.n < LIMIT_ZONE_DEPTH && vec_reserve(&s->zones, s->zones.n + 1) == 0)
		return true;
	s->too_deep++;
	s->ledger.zones_lost++;
	c->sum.lost++;
	return false;
}

static struct trace_lane *lane_at(struct capture *c, struct stack *s, size_t depth)
{
	while (s->lanes.n <= depth) {
		struct trace_lane *lane = trace_lane(c->writer, s->track, (uint32_t)s->lanes.n);

		if (!lane || vec_push(&s->lanes, lane) < 0) {
			capture_error(c, TACHO_ENOMEM);
			return NULL;
		}
	}
	return s->lanes.v[depth];
}

/* Ends the innermost zone at TIME. */
static void close_top(struct capture *c, struct stack *s, uint64_t time, uint32_t flags)
{
	struct stack_zone *z = &s->zones.v[--s->zones.n];
	struct trace_lane *lane = lane_at(c, s, s->zones.n);
	int r;

	trace_nesting_end(&s->nesting, z->srcloc);
	if (stack_has(s, z->srcloc))
		flags |= TRACE_ZONE_RECURSIVE;
	if (time < z->start)
		time = z->start;
	if (s->zones.n)
		z[-1].children += time - z->start;
	if (!lane)
		r = TACHO_ENOMEM;
	else if (!flags && !z->attached)
		r = trace_lane_add(c->writer, lane, z->start, time, z->srcloc, z->children);
	else
		r = trace_lane_add_full(c->writer, lane, z->start, time, z->srcloc, z->children,
					flags, z->attached ? z->attached->v : NULL,
					z->attached ? z->attached->n : 0);
	if (r < 0)
		capture_error(c, r);
	attachments_free(z->attached);
}

void stack_end_rare(struct capture *c, struct stack *s, uint64_t time, uint32_t id)
{
	size_t i = s->zones.n;

	if (s->too_deep) {
		s->too_deep--;
		return;
	}
	if (i && s->zones.v[i - 1].id == id) {
		close_top(c, s, time, 0);
		return;
	}
	/* An end was lost or skipped by a jump: zones inside the one that ends now end with it. */
	while (i && s->zones.v[i - 1].id != id)
		i--;
	if (!i)
		return; /* its begin was overwritten */
	while (s->zones.n > i)
		close_top(c, s, time, TRACE_ZONE_END_LOST);
	close_top(c, s, time, 0);
}

void stack_attach(struct capture *c, struct stack *s, uint32_t id, uint32_t kind, uint64_t value,
		  const char *text, size_t len)
{
	struct trace_extra extra = {.kind = kind, .value = value, .len = (uint32_t)len};
	struct stack_zone *z = NULL;

	for (size_t i = s->zones.n; i-- > 0 && !z;)
		if (!id || s->zones.v[i].id == id)
			z = &s->zones.v[i];
	if (!z)
		return;
	if (!z->attached)
		z->attached = calloc(1, sizeof(*z->attached));
	if (text) {
		char *copy = malloc(len + 1);

		if (copy)
			memcpy(copy, text, len);
		extra.text = copy;
	}
	if (!z->attached || (text && !extra.text) || vec_push(z->attached, extra) < 0) {
		free((char *)extra.text);
		capture_error(c, TACHO_ENOMEM);
	}
}

void zones_stack_finish(struct capture *c, struct stack *s)
{
	while (s->zones.n)
		close_top(c, s, s->last, TRACE_ZONE_UNFINISHED);
}

void zones_stack_free(struct stack *s)
{
	for (size_t i = 0; i < s->zones.n; i++)
		attachments_free(s->zones.v[i].attached);
	vec_free(&s->zones);
	vec_free(&s->lanes);
}
