/* SPDX-License-Identifier: Apache-2.0 */
/* Private: zones that are chosen, lane by lane, in order within each. */
#ifndef VIEW_ZONE_WALK_H
#define VIEW_ZONE_WALK_H

#include "view/call.h"

struct zones_choice {
	uint64_t t0, t1;        /* those that start there */
	const uint8_t *tracks;  /* as in struct trace_filter */
	uint32_t srcloc;        /* or TRACE_NONE */
	const uint8_t *srclocs; /* the same for several; NULL = all */
	uint32_t depth;         /* the deepest */
	bool self, parents, unfinished;
	/* If not 0: this many zones of the lane zones.lane, from this one on. */
	uint64_t numbered, number;
};

#define ZONES_ALL                                                           \
	{                                                                   \
		.t1 = UINT64_MAX, .srcloc = TRACE_NONE, .depth = UINT32_MAX \
	}

/* A lane above or below the one that is read, at its next zone. */
struct beside {
	struct trace_cursor *cursor;
	struct trace_zone zone;
	bool more;
};

struct zones {
	struct view_call *c;
	struct zones_choice choice;
	uint32_t lane; /* the next */
	struct trace_cursor *cursor;
	struct beside child, parent;
	uint32_t steps;
	bool opened;    /* a lane */
	uint64_t given; /* zones of it */
};

struct zone_found {
	struct trace_zone zone;
	uint32_t lane;
	uint32_t parent; /* source location, or TRACE_NONE */
	uint64_t self;   /* ticks; without choice.self the whole */
};

void zone_walk_open(struct zones *z, struct view_call *c, const struct zones_choice *choice);
/* 1 and a zone, 0 at the end or if the client has left, or a negative error. */
int zone_walk_next(struct zones *z, struct zone_found *found);
/* The number, in its lane, of the zone returned last. */
uint64_t zone_walk_number(const struct zones *z);
void zone_walk_close(struct zones *z);

/* "name", "t0", "t1" and "track" of a call; choice->tracks is freed by the caller. */
int arg_zones(struct view_call *c, bool named, struct zones_choice *choice);

#endif
