/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps in a series of noisy figures. The place of a step is the split with the largest energy
 * distance (E-divisive); the rank test of Mann and Whitney decides whether it is one, so outliers
 * do not matter; the median of pairwise differences (Hodges and Lehmann) is its size.
 */
#ifndef DB_STEPS_H
#define DB_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#define STEPS_ENOUGH 15 /* points from which a series is judged */
#define STEPS_BEFORE 8  /* points that a split leaves before and after it */
#define STEPS_AFTER  4
#define STEPS_Z      3.9 /* of the rank test */

struct steps_options {
	double min_effect; /* part of the level before; 0: 0.005 */
	double z;          /* 0: STEPS_Z */
	bool all;          /* also those before the largest */
};

struct step {
	size_t at;                /* the first point of the new level */
	size_t from, to;          /* the points that were compared: [from, at) and [at, to) */
	double before, after;     /* medians */
	double change, low, high; /* part of the level before, with its 95 % interval */
	double z;
	bool fast; /* seen in the last three points only: to be confirmed */
};

/* Finds up to ROOM steps in VALUES, in order. (size_t)-1: out of memory. */
size_t steps_find(const double *values, size_t n, const struct steps_options *options,
		  struct step *steps, size_t room);

/* The z that a step needs if COUNT series are searched. */
double steps_threshold(size_t count);

/* Compares two samples: fills before, after, change, low, high and z. False: out of memory. */
bool steps_compare(const double *before, size_t m, const double *after, size_t n, struct step *s);

/*
 * The probability that AFTER would be so much larger than BEFORE (or smaller, if the change is
 * negative) if both were the same: exact for small samples. NaN: out of memory.
 */
double steps_probability(const double *before, size_t m, const double *after, size_t n);

/* Standard deviation of noise as a part of the median, by the median absolute deviation. */
double steps_noise(const double *values, size_t n);

#endif
