/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: the times of a thread that a query covers, such as those inside some zones. */
#ifndef SAMPLE_WINDOW_H
#define SAMPLE_WINDOW_H

#include "base/vec.h"
#include "sample/profile.h"

struct window_span {
	uint64_t start, end; /* ticks */
};

/* In order, not overlapping. */
struct window {
	VEC(struct window_span);
};

/* The times of TRACK that FILTER selects. Zones of fibers that ran on it do not count. */
int window_make(struct window *w, struct trace *trace, uint32_t track,
		const struct profile_filter *filter);
void window_free(struct window *w);

/* A time in which a zone was open and none inside of it. */
struct window_segment {
	uint64_t start, end; /* ticks */
	uint32_t srcloc, depth;
};
/* Gives TAKE these times of TRACK, in order, until it returns an error. */
typedef int window_segment_fn(void *context, const struct window_segment *part);
int window_segments(struct trace *trace, uint32_t track, uint64_t t0, uint64_t t1,
		    window_segment_fn *take, void *context);

bool window_has(const struct window *w, uint64_t time);
/* Ticks of [START, END) that are inside. */
uint64_t window_overlap(const struct window *w, uint64_t start, uint64_t end);

#endif
