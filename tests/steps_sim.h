/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories of one series, run by run, as "tacho db regress" sees them: after each run the last 60
 * since the last finding are searched. Noise is normal, correlated if .correlation, with outliers
 * upwards; a step may be planted.
 */
#ifndef TESTS_STEPS_SIM_H
#define TESTS_STEPS_SIM_H

#include "db/steps.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

#define SIM_RUNS   160
#define SIM_STEP   100 /* the run at which a step is planted */
#define SIM_WINDOW 60

struct sim_noise {
	double sigma, correlation;
	double outliers, least, most; /* part of the points; by how much */
	int median_of;                /* points are medians of so many; 0: single */
};

struct sim_result {
	double false_alarms; /* per 1000 runs of one series */
	double found;        /* part of the planted steps: within 10 runs, placed within 3 */
	double delay;        /* median, in runs */
};

static inline double sim_normal(uint64_t *seed)
{
	double a = random_uniform(seed), b = random_uniform(seed);

	return sqrt(-2 * log(a)) * cos(2 * M_PI * b);
}

static inline int sim_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double sim_point(const struct sim_noise *n, double *state, uint64_t *seed)
{
	double values[16];
	int count = n->median_of ? n->median_of : 1;

	for (int i = 0; i < count; i++) {
		*state = n->correlation * *state +
			 sqrt(1 - n->correlation * n->correlation) * sim_normal(seed);
		values[i] = 1 + n->sigma * *state;
		if (random_uniform(seed) < n->outliers)
			values[i] *= 1 + n->least + (n->most - n->least) * random_uniform(seed);
	}
	qsort(values, (size_t)count, sizeof(*values), sim_compare);
	return values[count / 2];
}

/* One history. Counts findings that are not the planted step; *DELAY: of that, or -1. */
static inline int sim_history(const double *v, bool planted, int *delay)
{
	const struct steps_options options = {0};
	int begin = 0, alarms = 0;

	*delay = -1;
	for (int t = 15; t <= SIM_RUNS; t++) {
		int from = t - begin > SIM_WINDOW ? t - SIM_WINDOW : begin, at;
		struct step steps[8];
		size_t n = steps_find(v + from, (size_t)(t - from), &options, steps, 8);

		if (!n)
			continue;
		at = from + (int)steps[n - 1].at;
		if (planted && t > SIM_STEP && at >= SIM_STEP - 3 && at <= SIM_STEP + 3) {
			if (*delay < 0 && t - SIM_STEP <= 10)
				*delay = t - SIM_STEP;
		} else if (!planted) {
			alarms++;
		}
		begin = at;
		if (planted && t > SIM_STEP + 10)
			break;
	}
	return alarms;
}

static inline struct sim_result sim_run(const struct sim_noise *noise, double step, int series,
					uint64_t seed)
{
	struct sim_result r = {0};
	double *delays = calloc((size_t)series + 1, sizeof(*delays));
	int alarms = 0, found = 0;

	for (int s = 0; delays && s < series; s++) {
		double v[SIM_RUNS], state = sim_normal(&seed);
		int delay;

		for (int i = 0; i < SIM_RUNS; i++)
			v[i] = sim_point(noise, &state, &seed) * (i >= SIM_STEP ? 1 + step : 1);
		alarms += sim_history(v, step > 0, &delay);
		if (delay >= 0)
			delays[found++] = delay;
	}
	if (found)
		qsort(delays, (size_t)found, sizeof(*delays), sim_compare);
	r.false_alarms = 1000.0 * alarms / series / SIM_RUNS;
	r.found = (double)found / series;
	r.delay = found ? delays[found / 2] : 0;
	free(delays);
	return r;
}

#endif
