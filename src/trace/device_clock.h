/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a device out of a trace. */
#ifndef TRACE_DEVICE_CLOCK_H
#define TRACE_DEVICE_CLOCK_H

#include "clock/device.h"
#include "trace/trace.h"

/*
 * Reads the points of a track into CLOCK, which is empty and freed by the caller. A track without
 * rows TRACE_ROW_DEVICE_CLOCK is not a clock: clock->n is 0 then.
 */
int trace_device_clock(struct trace *trace, uint32_t track, struct device_clock *clock);

#endif
