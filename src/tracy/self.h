/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the self time of a zone. A zone's children are in the lane below it, so that lane is
 * read along with the zone's own, each once.
 */
#ifndef TRACY_SELF_H
#define TRACY_SELF_H

#include "trace/trace.h"

struct self_lane {
	struct trace_cursor *below; /* NULL: not open yet, or at its end */
	struct trace_zone next;     /* of BELOW */
	bool opened;
};

/* The ticks of ZONE, of LANE, outside of its children. Call with the zones of a lane in order. */
int self_of(struct self_lane *s, struct trace *trace, uint32_t lane, const struct trace_zone *zone,
	    uint64_t *self);
void self_close(struct self_lane *s);

#endif
