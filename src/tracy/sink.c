/* SPDX-License-Identifier: Apache-2.0 */
/* Add zones and rows to a trace, for the file reader and the wire decoder. */
#include "tracy/sink.h"

#define DEPTH_MAX 65536u /* deeper than any viewer shows; a lane costs memory */

uint32_t sink_track(struct sink *s, const struct trace_track *t)
{
	int64_t id = s->error ? s->error : trace_add_track(s->w, t);

	sink_error(s, id);
	return id < 0 ? TRACE_NONE : (uint32_t)id;
}

uint32_t sink_srcloc(struct sink *s, const struct trace_srcloc *l)
{
	int64_t id = s->error ? s->error : trace_add_srcloc(s->w, l);

	sink_error(s, id);
	return id < 0 ? TRACE_NONE : (uint32_t)id;
}

void sink_row(struct sink *s, uint32_t track, const struct trace_row *row)
{
	if (s->error || track == TRACE_NONE)
		return;
	while (s->rows.n <= track && !s->error)
		sink_error(s, vec_push(&s->rows, 0));
	if (s->error)
		return;
	s->rows.v[track]++;
	sink_error(s, trace_add_row(s->w, track, row));
}

void sink_count_rows(struct sink *s)
{
	for (uint32_t i = 0; i < s->rows.n && !s->error; i++) {
		struct trace_ledger more = {.rows_emitted = s->rows.v[i]};

		if (s->rows.v[i])
			sink_error(s, trace_add_ledger(s->w, i, &more));
		s->rows.v[i] = 0;
	}
}

void sink_free(struct sink *s)
{
	vec_free(&s->rows);
}

bool sink_deeper(struct sink *s, struct sink_stack *k)
{
	struct trace_lane *lane = NULL;

	if (k->lanes.n < DEPTH_MAX && k->track != TRACE_NONE)
		lane = trace_lane(s->w, k->track, (uint32_t)k->lanes.n);
	if (lane && vec_reserve(&k->open, k->lanes.n + 1) == 0 && vec_push(&k->lanes, lane) == 0)
		return true;
	sink_error(s, k->lanes.n >= DEPTH_MAX ? TACHO_ELIMIT : TACHO_ENOMEM);
	return false;
}

void sink_count_zones(struct sink *s, struct sink_stack *k)
{
	struct trace_ledger more = {.zones_emitted = k->zones};

	if (k->zones && !s->error)
		sink_error(s, trace_add_ledger(s->w, k->track, &more));
	k->zones = 0;
}

void sink_stack_free(struct sink_stack *k)
{
	vec_free(&k->open);
	vec_free(&k->lanes);
}
