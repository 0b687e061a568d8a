/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of lanes on the wire. The index of a lane in a file changes when lanes are added before
 * it, as happens while a trace grows, so lanes are numbered in the order in which they were first
 * seen. In a finished trace number and index are equal.
 */
#include "view/lane_numbers.h"

static uint64_t lane_key(const struct trace_lane_info *l)
{
	return (uint64_t)l->track << 32 | l->depth;
}

static uint64_t open_key(const struct trace_open_zone *z)
{
	return (uint64_t)z->track << 32 | z->depth;
}

static int key_learn(struct view_trace *t, uint64_t key)
{
	if (map_get(&t->lane_numbers, key))
		return 0;
	if (map_set(&t->lane_numbers, key, (uint32_t)t->lanes.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&t->lanes, key);
}

/* Called with the trace's lock held. A lane may have only an open zone yet. */
int lanes_learn(struct view_trace *t, const struct trace *trace)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < trace->lane_count; i++)
		r = key_learn(t, lane_key(&trace->lanes[i]));
	for (uint32_t i = 0; r == 0 && i < trace->open_count; i++)
		r = key_learn(t, open_key(&trace->open_zones[i]));
	return r;
}

void lanes_forget(struct view_trace *t)
{
	vec_free(&t->lanes);
	map_free(&t->lane_numbers);
	t->lane_numbers = (struct map){0};
}

static uint32_t number_of(const struct view_call *c, uint64_t key)
{
	struct view_trace *t = c->on;
	const uint32_t *known;
	uint32_t number;

	pthread_mutex_lock(&t->lock);
	known = map_get(&t->lane_numbers, key);
	if (known)
		number = *known;
	else
		/* This handle has read further than the others; they will follow. */
		number = lanes_learn(t, c->trace) == 0 && (known = map_get(&t->lane_numbers, key))
				 ? *known
				 : TRACE_NONE;
	pthread_mutex_unlock(&t->lock);
	return number;
}

uint32_t lane_number(const struct view_call *c, uint32_t place)
{
	return c->on->followed ? number_of(c, lane_key(&c->trace->lanes[place])) : place;
}

uint32_t lane_number_open(const struct view_call *c, const struct trace_open_zone *zone)
{
	return number_of(c, open_key(zone));
}

static uint64_t lane_numbers_key_of(const struct view_call *c, uint32_t number)
{
	struct view_trace *t = c->on;
	uint64_t key = UINT64_MAX;

	pthread_mutex_lock(&t->lock);
	if (number < t->lanes.n)
		key = t->lanes.v[number];
	pthread_mutex_unlock(&t->lock);
	return key;
}

const struct trace_open_zone *lane_open_zone(const struct view_call *c, uint32_t number)
{
	uint64_t key;

	if (!c->trace->open_count)
		return NULL;
	key = lane_numbers_key_of(c, number);
	for (uint32_t i = 0; i < c->trace->open_count; i++)
		if (open_key(&c->trace->open_zones[i]) == key)
			return &c->trace->open_zones[i];
	return NULL;
}

uint32_t lane_place(const struct view_call *c, uint32_t number)
{
	uint32_t first, count;
	uint64_t key;

	if (!c->on->followed)
		return number < c->trace->lane_count ? number : TRACE_NONE;
	key = lane_numbers_key_of(c, number);
	if (key >> 32 >= c->trace->track_count)
		return TRACE_NONE;
	trace_track_lanes(c->trace, (uint32_t)(key >> 32), &first, &count);
	for (uint32_t i = first; i < first + count; i++)
		if (lane_key(&c->trace->lanes[i]) == key)
			return i;
	return TRACE_NONE;
}
