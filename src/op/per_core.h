/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps between ops, core by core: from the last end of a kernel on a core to the next start of a
 * data movement kernel, if a new pass of the firmware starts in between.
 */
#ifndef OP_PER_CORE_H
#define OP_PER_CORE_H

#include "op/devlog.h"

struct op_gap {
	uint64_t start;
	uint64_t from, to; /* op ids */
	uint64_t cycles;
	uint16_t core;
	bool between; /* two passes of the firmware; else within one */
	bool shown;   /* for the writer of the table */
};

struct op_gaps {
	VEC(struct op_gap);
};

/* The gaps on all cores of DEVICE, core by core in order of (x, y), each in order of time. */
int op_gaps_find(const struct devlog *dev, int64_t device, struct op_gaps *gaps);

#endif
