/* SPDX-License-Identifier: Apache-2.0 */
/* Compute self times of zones, for csvexport. */
#include "tracy/self.h"

static int self_move(struct self_lane *s)
{
	int r = trace_cursor_next(s->below, &s->next);

	if (r <= 0)
		self_close(s);
	return r;
}

static int open_below(struct self_lane *s, struct trace *trace, uint32_t lane)
{
	int r = 0;

	s->opened = true;
	if (lane + 1 < trace->lane_count &&
	    trace->lanes[lane + 1].track == trace->lanes[lane].track)
		r = trace_cursor_open(&s->below, trace, lane + 1, 0, UINT64_MAX);
	if (r == 0 && s->below)
		r = self_move(s);
	return r;
}

int self_of(struct self_lane *s, struct trace *trace, uint32_t lane, const struct trace_zone *zone,
	    uint64_t *self)
{
	uint64_t children = 0;
	int r = s->opened ? 0 : open_below(s, trace, lane);

	while (r >= 0 && s->below && (s->next.start < zone->end || s->next.end <= zone->end)) {
		children += s->next.end - s->next.start;
		r = self_move(s);
	}
	*self = zone->end - zone->start;
	*self -= children < *self ? children : *self;
	return r < 0 ? r : 0;
}

void self_close(struct self_lane *s)
{
	trace_cursor_close(s->below);
	s->below = NULL;
}
