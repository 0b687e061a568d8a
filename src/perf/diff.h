/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two sides, each of one or several runs of the same program. Ops are the same when they
 * have the same name, shapes and data types, and the same place in the order: ops that one run has
 * more do not shift those after them, and ops that moved are compared in their order. Several runs
 * of a side give bounds of the noise.
 */
#ifndef PERF_DIFF_H
#define PERF_DIFF_H

#include "perf/output.h"

enum { BEFORE, AFTER, SIDES };

enum perf_metric {
	METRIC_TIME, /* on the device */
	METRIC_TOTAL,
	METRIC_GAP,
	METRICS,
};

/* One figure of the runs of a side, us. */
struct perf_runs {
	uint32_t n; /* runs that have it */
	double mean, least, most, deviation;
};

/* All ops of one name and shape, or the whole report. */
struct perf_change {
	const char *label;   /* belongs to a report; NULL: the whole */
	uint32_t op[SIDES];  /* one of them in the first run; UINT32_MAX: none on that side */
	uint64_t ops[SIDES]; /* in the first run */
	struct perf_runs runs[METRICS][SIDES];
	bool failed; /* it is worse by more than the limit and the noise */
};

/* One op of each side; means over the runs. */
struct perf_pair {
	const char *label;
	uint32_t op[SIDES];
	double time[SIDES], gap[SIDES]; /* us */
};

struct perf_diff {
	const struct perf_report *const *reports; /* those before, then those after */
	size_t n[SIDES];
	enum perf_metric metric;
	double limit; /* percent; negative: nothing fails */
	struct perf_change whole;
	struct {
		VEC(struct perf_change);
	} groups; /* largest loss first */
	struct {
		VEC(struct perf_pair);
	} pairs;
	size_t failed; /* groups that failed, and the whole */
};

/*
 * Fills in groups, pairs and the following fields from those set above them. Ops below
 * MIN_PERCENTAGE of the time cannot fail. 0 or TACHO_ENOMEM; free in any case.
 */
int perf_diff_make(struct perf_diff *diff, double min_percentage);
void perf_diff_free(struct perf_diff *diff);

/*
 * align.c: PARTNER of each element of B: the equal one of A that it is aligned with, or UINT32_MAX.
 * 0 or TACHO_ENOMEM.
 */
int perf_align(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *partner);

const char *perf_metric_name(enum perf_metric metric);
double perf_change_of(const struct perf_change *change, enum perf_metric metric);      /* us */
double perf_change_percent(const struct perf_change *change, enum perf_metric metric); /* or NaN */

/* True if the change exceeds the noise of the runs. With one run of each side the noise is unknown.
 */
bool perf_change_clear(const struct perf_change *change, enum perf_metric metric);

double perf_pair_change(const struct perf_pair *pair, enum perf_metric metric);

enum perf_diff_format {
	DIFF_TEXT,
	DIFF_JSON,
	DIFF_MARKDOWN,
	DIFF_JUNIT,
};

/* At most TOP lines of each list (0: 20), except in JSON and JUnit, which have all. */
int perf_diff_write(const struct perf_diff *diff, enum perf_diff_format format, int64_t top,
		    struct perf_style style, FILE *file);

#endif
