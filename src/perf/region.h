/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The regions that signposts mark in one file. A pair (X and X_END, "start" and "stop", the same
 * name twice) encloses its ops; a signpost without a partner opens a region that lasts to the end
 * of the file. Positions are indexes into the file's order of time.
 */
#ifndef PERF_REGION_H
#define PERF_REGION_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_input;
struct perf_order;

struct perf_region {
	const char *name, *end_name; /* of the input; END_NAME is NULL if nothing closes it */
	size_t from, to;             /* ops with FROM < place < TO */
	uint32_t ops, measured;
	double time;   /* us of its measured ops */
	bool leftover; /* it begins at the end of a pair whose start is missing */
};

struct perf_regions {
	VEC(struct perf_region); /* in the order in which they begin */
};

/* All regions of the rows in ORDER. 0 or TACHO_ENOMEM. */
int perf_regions_find(struct perf_regions *regions, const struct perf_input *in,
		      const struct perf_order *order);

/*
 * The default region: the last complete pair or the last signpost that has measured ops after it,
 * whichever comes later. NAME limits the choice to regions of that name, unless it is NULL. NULL:
 * no region has an op.
 */
const struct perf_region *perf_region_choose(const struct perf_regions *regions, const char *name);

#endif
