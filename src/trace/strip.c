/* SPDX-License-Identifier: Apache-2.0 */
/* Strips: the pixels of a lane. */
#include "trace/strip.h"

#include <string.h>

void trace_strip_clear(struct trace_strip *s)
{
	memset(s->busy, 0, s->width * sizeof(*s->busy));
	memset(s->lead, 0, s->width * sizeof(*s->lead));
	s->any = false;
	s->count = 0;
}

int trace_strip_add(struct trace_strip *s, const struct trace_lod_item *item)
{
	double per_tick = (double)s->width / (double)(s->t1 - s->t0);

	if (!strip_fits(s))
		return TACHO_EINTERNAL;
	if (item->count == 1)
		return strip_single(s, per_tick, item->start, item->end, item->index, item->srcloc);
	strip_small(s, per_tick, item->start, item->end, item->busy);
	return 0;
}
