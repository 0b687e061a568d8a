/* SPDX-License-Identifier: Apache-2.0 */
/* Private: numbers of lanes in answers, which stay while a trace grows. */
#ifndef VIEW_LANE_NUMBERS_H
#define VIEW_LANE_NUMBERS_H

#include "view/call.h"

/* The number of the lane at a place in c->trace->lanes, and back (TRACE_NONE: not there). */
uint32_t lane_number(const struct view_call *c, uint32_t place);
uint32_t lane_place(const struct view_call *c, uint32_t number);
/* Zones that had not ended when the trace was last written: the lane of one, and that of a lane. */
uint32_t lane_number_open(const struct view_call *c, const struct trace_open_zone *zone);
const struct trace_open_zone *lane_open_zone(const struct view_call *c, uint32_t number);
#define VIEW_OPEN UINT32_MAX /* the number of such a zone in its lane */

#endif
