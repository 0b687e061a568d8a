/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of an imported trace: arrows between zones. Used by one thread at a time. */
#ifndef VIEW_FLOW_LIST_H
#define VIEW_FLOW_LIST_H

#include "base/buf.h"
#include "base/vec.h"
#include "trace/trace.h"

struct view_flow_end {
	uint64_t flow, time;
	uint32_t step; /* enum trace_flow_step */
	uint32_t track;
	uint32_t name; /* offset in view_flows.texts; the category follows it */
	bool next;     /* belongs to the zone that begins next */
};

/* Ends of one flow follow each other, by time. Start with zeros. */
struct view_flows {
	VEC(struct view_flow_end);
	struct buf texts;
};

/* Reads them, once; none if the trace does not say that it has any. */
int view_flows_read(struct view_flows *f, struct trace *trace);
void view_flows_free(struct view_flows *f);

static inline const char *view_flow_name(const struct view_flows *f, const struct view_flow_end *e)
{
	return f->texts.data + e->name;
}
const char *view_flow_category(const struct view_flows *f, const struct view_flow_end *e);

struct view_flow_place {
	uint32_t lane;
	uint64_t number; /* in the lane */
	struct trace_zone zone;
};
/* The zone of an end: 1, 0: there is none, or an error. */
int view_flow_zone(struct trace *trace, const struct view_flow_end *e,
		   struct view_flow_place *place);

/* The arrow to V[I]: the end that it comes from; NULL: V[I] begins its flow. */
const struct view_flow_end *view_flow_from(const struct view_flows *f, size_t i);

#endif
