/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: devices of a trace: position of a core, accuracy of its clock, imbalance of its cores.
 */
#ifndef VIEW_DEVICE_CLOCK_H
#define VIEW_DEVICE_CLOCK_H

#include "view/call.h"

struct core_place {
	uint32_t device, x, y, lx, ly;
	bool logical; /* lx and ly are known */
	bool ethernet;
};
bool track_place(const struct trace_track *t, struct core_place *place);
/* The worst bound of the points that compare the clocks; UINT64_MAX: they were never compared. */
int device_bound(struct view_call *c, uint32_t device, uint32_t process, uint64_t *bound);
/* When a device of a process worked, how well its clock is known: start, end, bound_ns, clock. */
int device_clock_put(struct view_call *c, uint32_t device, uint32_t process);

/* core_grid.c: how uneven the cores of a device are (largest by mean kernel time), and how busy
 * (percent, the mean of its cores; see view_core_busy()). */
int grid_imbalance(struct view_call *c, uint32_t device, double *imbalance, double *busy);

#endif
