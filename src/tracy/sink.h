/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: add zones and rows to a trace, for the file reader and the wire decoder. Begins and ends
 * become zones of lanes; the first error of the trace writer is sticky.
 */
#ifndef TRACY_SINK_H
#define TRACY_SINK_H

#include "base/limits.h"
#include "base/vec.h"
#include "trace/nesting.h"
#include "trace/trace.h"

struct sink {
	struct trace_writer *w;
	int error; /* sticky */
	struct {
		VEC(uint64_t);
	} rows; /* by track, not yet in the trace's ledger */
};

struct sink_zone {
	uint64_t start, children;
	uint64_t tag; /* the caller's: locates the attachments */
	uint32_t srcloc;
};

/* The open zones of one track. */
struct sink_stack {
	uint32_t track;
	uint64_t zones; /* ended, not yet in the trace's ledger */
	struct trace_nesting nesting;
	struct {
		VEC(struct sink_zone);
	} open;
	struct {
		VEC(struct trace_lane *);
	} lanes;
};

static inline void sink_error(struct sink *s, int64_t code)
{
	if (!s->error && code < 0)
		s->error = (int)code;
}

/* The id, or TRACE_NONE. */
uint32_t sink_track(struct sink *s, const struct trace_track *t);
uint32_t sink_srcloc(struct sink *s, const struct trace_srcloc *l);
void sink_row(struct sink *s, uint32_t track, const struct trace_row *row);
/* Adds the rows of each track to its ledger: all of them were stored. */
void sink_count_rows(struct sink *s);
void sink_free(struct sink *s);

/* Makes room for one more depth. False if out of memory or nested too deep. */
bool sink_deeper(struct sink *s, struct sink_stack *k);

static inline void sink_begin(struct sink *s, struct sink_stack *k, uint64_t time, uint32_t srcloc,
			      uint64_t tag)
{
	if (__builtin_expect(k->open.n == k->lanes.n, 0) && !sink_deeper(s, k))
		return;
	k->open.v[k->open.n++] = (struct sink_zone){time, 0, tag, srcloc};
	trace_nesting_begin(&k->nesting, srcloc);
}

/* Removes the innermost open zone, which must exist. */
static inline struct sink_zone *sink_pop(struct sink_stack *k)
{
	struct sink_zone *z = &k->open.v[--k->open.n];

	trace_nesting_end(&k->nesting, z->srcloc);
	return z;
}

/* Ends the innermost zone, which must exist. */
static inline void sink_end(struct sink *s, struct sink_stack *k, uint64_t time, uint32_t flags,
			    const struct trace_extra *extras, size_t count)
{
	struct sink_zone *z = sink_pop(k);
	struct trace_lane *lane = k->lanes.v[k->open.n];
	uint64_t end = time > z->start ? time : z->start;
	int r;

	if (trace_nesting_has(&k->nesting, z->srcloc, &k->open.v->srcloc, k->open.n, sizeof(*z)))
		flags |= TRACE_ZONE_RECURSIVE;
	if (__builtin_expect(flags || count, 0))
		r = trace_lane_add_full(s->w, lane, z->start, end, z->srcloc, z->children, flags,
					extras, count);
	else
		r = trace_lane_add(s->w, lane, z->start, end, z->srcloc, z->children);
	k->zones++;
	if (k->open.n)
		z[-1].children += end - z->start;
	if (__builtin_expect(r < 0, 0))
		sink_error(s, r);
}

/* The same for zones. */
void sink_count_zones(struct sink *s, struct sink_stack *k);
void sink_stack_free(struct sink_stack *k);

#endif
