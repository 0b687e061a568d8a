/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the spans of locks (waiting, holding) and the lock waits of zones from rows in
 * order of time.
 */
#ifndef VIEW_LOCK_SPANS_H
#define VIEW_LOCK_SPANS_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/trace.h"

/* One lock: how long threads waited for it and held it. */
struct view_lock_use {
	uint32_t thread;
	uint32_t depth; /* how often this thread holds it */
	bool waiting, shared;
	uint64_t waits_since, holds_since;
};

struct view_lock {
	uint64_t obtained;
	uint64_t waits, wait_total, wait_max; /* ticks */
	uint64_t holds, hold_total, hold_max; /* ticks */
	struct {
		VEC(struct view_lock_use);
	} uses;
	struct map by_thread; /* thread to index in uses */
	struct {
		VEC(uint32_t);
	} holders; /* indices in uses, of the threads that hold it now */
};

/* A time in which one thread waited for the lock or held it. */
struct view_lock_span {
	bool held; /* else: waited */
	bool shared;
	bool ended; /* otherwise it begins, and its end is unknown */
	bool again; /* it replaces an abandoned wait */
	uint32_t thread;
	uint64_t start, end;
};

/*
 * Takes a row and reports each span that begins or ends with it. A thread records the release of a
 * lock when the next thread may already have it, and the record may be lost, so a hold ends at the
 * latest when another thread obtains the lock and one of the two is exclusive. A thread that waits
 * again without having obtained the lock gave up the previous wait (a try with a timeout).
 */
typedef int view_lock_fn(void *context, const struct view_lock_span *span);
int view_lock_row(struct view_lock *l, const struct trace_row *row, view_lock_fn *take,
		  void *context);
void view_lock_free(struct view_lock *l);

/* Ticks of the self time of one zone in which its thread waited for locks. A zone may have several.
 */
struct view_wait {
	uint32_t track, depth, srcloc;
	uint64_t start; /* of the zone */
	uint64_t ticks;
};

struct view_waits_options {
	int (*take)(void *context, const struct view_wait *wait);
	bool (*stop)(void *context); /* checked from time to time; NULL: never */
	void *context;
};

/* All waits that have ended. Zones of one track come in the order of the waits. Needs memory for
 * each wait. */
int view_waits(struct trace *t, const struct view_waits_options *o);

/* Moves lock waits from .self to .wait of statistics that were made with FILTER. */
int view_stats_waits(struct trace *t, const struct trace_filter *filter, struct trace_stat *stats,
		     size_t count);
/* The same when the ticks of each source location are known. */
void view_stats_split(struct trace_stat *stats, size_t count, const uint64_t *by_srcloc);

#endif
