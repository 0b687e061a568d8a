/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: : values over time, of a plot or of the bytes in use of a memory pool, with minimum
 * and maximum of 16, 256 ... of them: the cost of a tile depends on its pixels, not on the number
 * of values.
 */
#ifndef VIEW_PLOT_VALUES_H
#define VIEW_PLOT_VALUES_H

#include "view/row_cache.h"
#include "view/spill_array.h"

#define VALUES_FAN    16u
#define VALUES_LEVELS 12u

struct value {
	uint64_t time; /* ticks */
	double value;
};

struct value_range {
	double min, max;
};

struct values {
	struct row_cache cache;
	SPILL(struct value); /* by time */
	struct {
		SPILL(struct value_range);
	} levels[VALUES_LEVELS]; /* whole groups of FAN of what is below */
};

/* The value of a row of a plot; false if it cannot be drawn. */
bool plot_value(const struct trace_row *row, double *value);
/* The cached data of a plot. */
int plot_of(struct view_call *c, uint32_t track, struct values **values);

int values_add(struct values *v, uint64_t time, double value);
/* Minimum and maximum of [first, end), which is not empty. */
struct value_range values_range(const struct values *v, size_t first, size_t end);
/* The first at or after T. */
size_t values_find(const struct values *v, uint64_t t);
/* "points" and "before" of a tile; NONE: before the first value. */
void values_tile_put(struct view_call *c, const struct values *v, uint64_t t0, uint64_t t1,
		     double none);
size_t values_memory(const struct values *v);
void values_rest(const struct values *v);
void values_clear(struct values *v);

#endif
