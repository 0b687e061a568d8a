/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How busy the cores of a device are.
 */
#ifndef VIEW_CORE_BUSY_H
#define VIEW_CORE_BUSY_H

#include "trace/trace.h"

/* By source location: 1 if its zones are the kernels of RISCs. The caller frees it; NULL: no
 * memory. */
uint8_t *view_kernels(const struct trace *t);

/* The time of a device: from the start of its first zone to the end of its last, in one process or
 * in all (TRACE_NONE). False: it has none. */
bool view_device_times(const struct trace *t, uint32_t device, uint32_t process, uint64_t *first,
		       uint64_t *last);

struct view_busy_options {
	const uint8_t *kernels;      /* of view_kernels() */
	uint64_t t0, t1;             /* a part of the device's time */
	bool (*stop)(void *context); /* checked from time to time; NULL: never */
	void *context;
};

struct view_busy {
	uint64_t ticks;   /* of [t0, t1) in which any RISC ran a kernel */
	uint64_t kernels; /* sum over all RISCs of the kernels that start there */
};

/*
 * LANES are those of all RISCs of one core. A core is busy for ticks / (t1 - t0) of the time, a
 * device for the mean of its cores: never more than all of it.
 */
int view_core_busy(struct trace *t, const uint32_t *lanes, size_t count,
		   const struct view_busy_options *o, struct view_busy *busy);

#endif
