/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: spans of time that do not overlap, in order: when a thread held a lock, when it waited.
 * With their running sums a view needs only searches: its cost depends on the pixels, not on
 * the spans.
 */
#ifndef VIEW_SPAN_LIST_H
#define VIEW_SPAN_LIST_H

#include "trace/trace.h"
#include "view/range_max.h"

#define SPAN_NO_MARK 0x7fffffffu

struct span {
	uint64_t start, end; /* ticks */
	uint64_t before;     /* ticks that those before it cover */
	uint32_t thread;     /* track or TRACE_NONE */
	uint32_t mark : 31;  /* source location or SPAN_NO_MARK */
	uint32_t shared : 1;
};

struct spans {
	SPILL(struct span);
	struct span open; /* one that has not ended yet */
	bool is_open;
	uint64_t longest;
	struct peaks lengths;
};

void spans_begin(struct spans *s, uint64_t time, uint32_t thread, bool shared);
/* Restarts the open span, if any: the time until TIME does not count. */
void spans_restart(struct spans *s, uint64_t time);
/* Ends the open span, if any. A span that would overlap is moved. */
int spans_end(struct spans *s, uint64_t time);
void spans_free(struct spans *s);

/* Ticks covered by all spans that have ended. */
uint64_t spans_total(const struct spans *s);
/* Number, sum and maximum (ticks) of the ended spans that start in [t0, t1). */
struct spans_figures {
	uint64_t count, total, longest;
};
struct spans_figures spans_figures(const struct spans *s, uint64_t t0, uint64_t t1);
/* Ticks of [t0, t1) that the spans cover, including the open one. */
uint64_t spans_covered(const struct spans *s, uint64_t t0, uint64_t t1);
/* How many start before T. */
size_t spans_before(const struct spans *s, uint64_t t);
size_t spans_memory(const struct spans *s);
/* The first that ends after T or begins at or after it. */
size_t spans_find(const struct spans *s, uint64_t t);

/*
 * What is visible, as trace_lod_query() has it: single spans of a pixel and more, and all that
 * start in one pixel as one. NAME is that of the items; shared ones have the next. The open one, if
 * there is, reaches to NOW and has the number VIEW_OPEN.
 */
int spans_query(const struct spans *s, uint32_t name, uint64_t now, uint64_t t0, uint64_t t1,
		struct trace_lod_item **items, size_t *count, size_t *cap);

#endif
