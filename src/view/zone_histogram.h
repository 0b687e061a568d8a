/* SPDX-License-Identifier: Apache-2.0 */
/* Private: histograms of durations in ticks. */
#ifndef VIEW_ZONE_HISTOGRAM_H
#define VIEW_ZONE_HISTOGRAM_H

#include "view/zone_walk.h"

#define HIST_BUCKETS 3840u
#define HIST_BINS    1000u
#define HIST_FEW     4096u /* stored durations: up to this many, percentiles are exact */

struct hist {
	uint64_t count, min, max;
	double sum, squares;
	uint64_t buckets[HIST_BUCKETS + 1];
	double totals[HIST_BUCKETS + 1];
	uint64_t few[HIST_FEW]; /* the first ones that were added */
	uint32_t kept;
};

struct hist_bin {
	double low, high;
	uint64_t count;
	double total;
};

/* The bucket of a duration, and the duration in its middle. */
uint32_t hist_bucket(uint64_t v);
double hist_middle(uint32_t bucket);
void hist_add(struct hist *h, uint64_t v);
double hist_at(const struct hist *h, double share);
double hist_sigma(const struct hist *h);
void hist_bins(const struct hist *h, double low, double high, unsigned n, bool logarithmic,
	       struct hist_bin *bins);

/* Adds the zones that are chosen; self times with choice.self. */
int hist_count(struct view_call *c, const struct zones_choice *choice, struct hist *h);
/* The figures, then the bins, into the open object; TICK is nanoseconds of a tick. */
void hist_put(struct view_call *c, const struct hist *h, double tick);
void hist_bins_put(struct view_call *c, const struct hist *h, double low, double high, unsigned n,
		   bool logarithmic, double tick);

#endif
