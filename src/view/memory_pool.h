/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays a memory pool from its rows, in order of time. Needs memory for the live allocations
 * only.
 */
#ifndef VIEW_MEMORY_POOL_H
#define VIEW_MEMORY_POOL_H

#include "trace/trace.h"

/* One memory pool: the live allocations, and the peak. */
struct view_allocation {
	uint64_t address, bytes, time;
	uint64_t number; /* of the pool's allocations, from 0 */
	uint32_t thread;
	uint32_t stack; /* of the call that allocated it, or 0 */
	bool used;
};

struct view_pool {
	uint64_t allocs, frees;
	uint64_t unknown_frees; /* of addresses that were not alive */
	uint64_t replaced;      /* allocated again without a free between */
	uint64_t bytes, peak, total;
	uint64_t alive;
	struct view_allocation *slots; /* hash by address; those with .used are alive */
	size_t slot_count;             /* a power of two, or 0 */
};

int view_pool_row(struct view_pool *p, const struct trace_row *row);
/* The live allocation at an address, or NULL. */
const struct view_allocation *view_pool_at(const struct view_pool *p, uint64_t address);
void view_pool_free(struct view_pool *p);

#endif
