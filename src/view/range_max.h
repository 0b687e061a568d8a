/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the maximum of any part of a growing list of numbers, such as the lengths of spans. The
 * owner holds the list; this holds the maxima of 16, 256 ... of them.
 */
#ifndef VIEW_RANGE_MAX_H
#define VIEW_RANGE_MAX_H

#include "view/spill_array.h"

#include <stdbool.h>
#include <stdint.h>

#define PEAKS_FAN    16u
#define PEAKS_LEVELS 12u

struct peaks {
	uint64_t n;                  /* numbers that were added */
	uint64_t open[PEAKS_LEVELS]; /* the greatest of the groups that are not whole */
	struct {
		SPILL(uint64_t);
	} levels[PEAKS_LEVELS]; /* of whole groups */
};

int peaks_add(struct peaks *p, uint64_t value);
/* The maximum of [first, end), where number I is VALUE(CONTEXT, I); 0 if empty. */
uint64_t peaks_max(const struct peaks *p, uint64_t first, uint64_t end,
		   uint64_t (*value)(const void *context, uint64_t i), const void *context);
size_t peaks_memory(const struct peaks *p);
void peaks_free(struct peaks *p);

#endif
