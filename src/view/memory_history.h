/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the history of a memory pool: bytes in use over time, and the begin and end of each
 * allocation, so that those alive at any time are found without reading all of them.
 */
#ifndef VIEW_MEMORY_HISTORY_H
#define VIEW_MEMORY_HISTORY_H

#include "view/memory_pool.h"
#include "view/plot_values.h"

#define LIVES_FAN    16u
#define LIVES_LEVELS 12u

struct life {
	uint64_t start, end; /* ticks; UINT64_MAX: not freed */
	uint64_t address, bytes;
	uint32_t thread; /* track or TRACE_NONE */
	uint32_t stack;  /* of the call that allocated it, or 0 */
};

/* Of a group: the last end, the most bytes. */
struct lives_group {
	uint64_t end, bytes;
};

struct lives {
	SPILL(struct life); /* by start */
	struct {
		SPILL(struct lives_group);
	} levels[LIVES_LEVELS]; /* whole groups of FAN of what is below */
};

struct pool {
	struct values values; /* bytes in use after each event */
	struct {
		SPILL(uint64_t);
	} alive; /* allocations after each event */
	struct lives lives;
	struct view_pool now; /* after all events */
};

int pool_of(struct view_call *c, uint32_t track, struct pool **pool);

int lives_add(struct lives *l, const struct life *life);
/* Number I has been freed. */
void lives_end(struct lives *l, uint64_t i, uint64_t time);
/* How many began before T. */
size_t lives_before(const struct lives *l, uint64_t t);
/* The largest that were alive at T, at most ROOM, largest first. Returns how many. */
size_t lives_at(const struct lives *l, uint64_t t, struct life *largest, size_t room);
void lives_free(struct lives *l);

#endif
