/* SPDX-License-Identifier: Apache-2.0 */
/* Private: how evenly cores share the work: the slowest by the mean. */
#ifndef VIEW_CORE_SPREAD_H
#define VIEW_CORE_SPREAD_H

#include <math.h>
#include <stddef.h>

struct core_spread {
	size_t cores;
	double max, sum;
};

static inline void core_spread_add(struct core_spread *s, double time)
{
	s->cores++;
	s->max = fmax(s->max, time);
	s->sum += time;
}

/* NaN without cores. */
static inline double core_spread_mean(const struct core_spread *s)
{
	return s->cores ? s->sum / (double)s->cores : NAN;
}

/* 1: all take equally long. NaN: no work. */
static inline double core_spread_imbalance(const struct core_spread *s)
{
	return s->sum > 0 ? s->max / core_spread_mean(s) : NAN;
}

#endif
