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

/*
 * The same of a device of a process, as two processes may use devices of one number; TRACE_NONE: of
 * the first that has one. No points: there is no clock.
 */
int trace_device_clock_find(struct trace *trace, uint32_t process, uint32_t device,
			    struct device_clock *clock);

struct trace_clock {
	uint32_t process, device;
	struct device_clock clock;
};

/* Clocks that were read. Begin with {0}. */
struct trace_clocks {
	VEC(struct trace_clock);
};

/* Reads a clock on first use; *CLOCK holds until the next call. */
int trace_clocks_find(struct trace_clocks *c, struct trace *trace, uint32_t process,
		      uint32_t device, const struct device_clock **clock);
void trace_clocks_free(struct trace_clocks *c);

/*
 * Sets the time of a marker's row on TRACK to the tick of its cycle. Without a clock it stays: at
 * most TRACE_MARKER_SPAN too early.
 */
int trace_marker_time(struct trace_clocks *c, struct trace *trace, uint32_t track,
		      struct trace_row *row);

#endif
