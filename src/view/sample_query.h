/* SPDX-License-Identifier: Apache-2.0 */
/* Private: what calls about samples and thread states have in common. */
#ifndef VIEW_SAMPLE_QUERY_H
#define VIEW_SAMPLE_QUERY_H

#include "sample/profile.h"
#include "view/call_args.h"

/* The samples and states that a call selects. */
struct sample_query {
	struct profile *p; /* of the handle */
	struct profile_filter filter;
	uint8_t *tracks, *zones; /* of the filter */
};

/*
 * Reads the parameters: "t0" and "t1", or those with these KEYS; "track"; "off"; "name" or "lane"
 * and "idx" with "self", for the time inside of zones. Close it in any case.
 */
int sample_query_open(struct view_call *c, const char *const keys[2], struct sample_query *q);
void sample_query_close(struct sample_query *q);

/* The stacks and names of the handle's trace. For a recording they may be older than the trace. */
int profile_cached(struct view_call *c, struct profile **p);

/* "name", "library", "file" and "line" of a frame. */
void sample_frame_put(struct json *j, const struct profile *p, const struct profile_frame *f);
/* The frames of a stack, innermost first; null without one. */
void sample_stack_put(struct json *j, const char *key, const struct profile *p, uint32_t node);

#endif
