/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: the times of a thread that a query covers, such as those inside some zones. */
#ifndef SAMPLE_WINDOW_H
#define SAMPLE_WINDOW_H

#include "base/vec.h"
#include "trace/trace.h"

struct window_span {
	uint64_t start, end; /* ticks */
};

/* In order, not overlapping. */
struct window {
	VEC(struct window_span);
};

/*
 * [T0, T1), and if SRCLOCS is not NULL only while a zone of one of these source locations is open
 * on TRACK. Zones of fibers that ran on it do not count.
 */
int window_make(struct window *w, struct trace *trace, uint32_t track, uint64_t t0, uint64_t t1,
		const uint8_t *srclocs);
void window_free(struct window *w);

bool window_has(const struct window *w, uint64_t time);
/* Ticks of [START, END) that are inside. */
uint64_t window_overlap(const struct window *w, uint64_t start, uint64_t end);

#endif
