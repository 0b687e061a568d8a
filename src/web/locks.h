/* Private: the spans of a lock, cached for the timeline. */
#ifndef WEB_LOCKS_H
#define WEB_LOCKS_H

#include "export/export.h"
#include "web/kept.h"
#include "web/spans.h"

enum { HOLDS, WAITS };

struct lock_row {
	uint32_t thread;       /* TRACE_NONE in row 0 */
	struct spans spans[2]; /* holds, waits */
};

struct lock {
	struct kept kept;
	struct export_lock events; /* the spans come from here */
	struct {
		VEC(struct lock_row *);
	} rows; /* [0]: the times in which any thread holds the lock, or waits for it */
	struct map by_thread;
	uint32_t open[2];   /* threads that hold it, that wait */
	uint32_t exclusive; /* threads that hold it alone: 0 or 1 */
};

int lock_kept(struct web_call *c, uint32_t track, struct lock **l);

#endif
