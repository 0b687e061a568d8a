/* SPDX-License-Identifier: Apache-2.0 */
/* Support for followers: programs that read the trace while it grows. */
#include "capture/private.h"

#include "base/order.h"

#include <stdlib.h>

static void add_stack(struct capture *c, const struct stack *s)
{
	for (size_t i = 0; i < s->zones.n; i++) {
		struct trace_open_zone z = {.track = s->track,
					    .depth = (uint32_t)i,
					    .srcloc = s->zones.v[i].srcloc,
					    .start = s->zones.v[i].start};

		/* Without memory for it, followers see the zone when it ends. */
		(void)vec_push(&c->open_zones, z);
	}
}

static void follow_process_add(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	size_t count = 0;

	ring_streams(p->ring, &streams, &count);
	for (size_t i = 1; i < count; i++) {
		struct thread *t = ring_stream_user(streams[i]);

		if (t)
			add_stack(c, &t->stack);
	}
	for (size_t i = 0; i < p->fibers.n; i++)
		add_stack(c, &p->fibers.v[i]->stack);
}

ORDER_BY(by_track, struct trace_open_zone, ORDER_UP(track) ?: ORDER_UP(depth));

void follow_report_open(struct capture *c)
{
	c->open_zones.n = 0;
	for (size_t i = 0; i < c->live.n; i++)
		follow_process_add(c, c->live.v[i]);
	if (c->open_zones.n)
		qsort(c->open_zones.v, c->open_zones.n, sizeof(*c->open_zones.v), by_track);
	trace_set_open_zones(c->writer, c->open_zones.v, c->open_zones.n);
}
