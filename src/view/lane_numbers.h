/* SPDX-License-Identifier: Apache-2.0 */
/* Private: numbers of lanes in answers; they do not change while a trace grows. */
#ifndef VIEW_LANE_NUMBERS_H
#define VIEW_LANE_NUMBERS_H

#include "view/call.h"

/* The number of the lane at an index of c->trace->lanes, and the reverse (TRACE_NONE: none). */
uint32_t lane_number(const struct view_call *c, uint32_t place);
uint32_t lane_place(const struct view_call *c, uint32_t number);
/* Zones that were open when the trace was last written: the lane of a zone, the zone of a lane. */
uint32_t lane_number_open(const struct view_call *c, const struct trace_open_zone *zone);
const struct trace_open_zone *lane_open_zone(const struct view_call *c, uint32_t number);
#define VIEW_OPEN UINT32_MAX /* the number of such a zone in its lane */

#endif
