/* Private: what is kept of a lock. */
#ifndef WEB_LOCKS_H
#define WEB_LOCKS_H

#include "web/kept.h"
#include "web/spans.h"

enum { HOLDS, WAITS };

struct lock_row {
	uint32_t thread;
	uint32_t depth;        /* of the thread; row 0: how many hold it */
	uint32_t waiting;      /* row 0: how many wait */
	struct spans spans[2]; /* holds, waits */
};

struct lock {
	struct kept kept;
	struct {
		VEC(struct lock_row *);
	} rows; /* [0]: all threads */
	struct map by_thread;
	uint32_t threads; /* with those that have no row */
};

int lock_kept(struct web_call *c, uint32_t track, struct lock **l);

#endif
