/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: energy distance, rank test, Hodges-Lehmann estimate, and a fast path for large changes. */
#include "db/steps.h"

#include "base/order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FAST_POINTS  3
#define FAST_BASE    30
#define PAIR_POINTS  500 /* of each side that pairwise differences use */
#define EXACT_POINTS 40  /* of both sides for which probabilities are counted, not approximated */

static double median_sorted(const double *v, size_t n)
{
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* The median of N values; SCRATCH has room for them. */
static double median_of(const double *v, size_t n, double *scratch)
{
	memcpy(scratch, v, n * sizeof(*v));
	qsort(scratch, n, sizeof(*scratch), order_double);
	return median_sorted(scratch, n);
}

/* 1.4826 times the median absolute deviation from CENTRE. */
static double deviation_of(const double *v, size_t n, double centre, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(v[i] - centre);
	qsort(scratch, n, sizeof(*scratch), order_double);
	return 1.4826 * median_sorted(scratch, n);
}

double steps_noise(const double *values, size_t n)
{
	double *scratch = malloc((n + 1) * sizeof(*scratch)), median, noise = NAN;

	if (scratch && n) {
		median = median_of(values, n, scratch);
		noise = median ? deviation_of(values, n, median, scratch) / fabs(median) : NAN;
	}
	free(scratch);
	return noise;
}

/* -------------------------------------------------------------- the place */

/* Sums of distances within the left, within the right, and between, as a point changes sides. */
static size_t split_find(const double *v, size_t n)
{
	double left = 0, right = 0, between = 0, most = -1;
	size_t best = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			right += fabs(v[i] - v[k]);
	for (size_t t = 1; t + STEPS_AFTER <= n; t++) {
		double to_left = 0, to_right = 0, x = v[t - 1], m = (double)t, k = (double)(n - t);
		double energy;

		for (size_t i = 0; i < t - 1; i++)
			to_left += fabs(v[i] - x);
		for (size_t i = t; i < n; i++)
			to_right += fabs(v[i] - x);
		left += to_left;
		right -= to_right;
		between += to_right - to_left;
		if (t < STEPS_BEFORE)
			continue;
		energy = m * k / (m + k) *
			 (2 * between / (m * k) - left / (m * (m - 1) / 2) -
			  right / (k * (k - 1) / 2));
		if (energy > most) {
			most = energy;
			best = t;
		}
	}
	return best;
}

/* -------------------------------------------------------------- rank test */

struct ranked {
	double value;
	bool after;
};

ORDER_BY(ranked_compare, struct ranked, ORDER_UP(value));

static struct ranked *ranks_sort(const double *before, size_t m, const double *after, size_t n)
{
	struct ranked *r = malloc((m + n + 1) * sizeof(*r));

	if (!r)
		return NULL;
	for (size_t i = 0; i < m; i++)
		r[i] = (struct ranked){before[i], false};
	for (size_t i = 0; i < n; i++)
		r[m + i] = (struct ranked){after[i], true};
	qsort(r, m + n, sizeof(*r), ranked_compare);
	return r;
}

/* The end of the run of equal values that begins at I; *AFTER: how many of them are after. */
static size_t ties_end(const struct ranked *r, size_t i, size_t count, size_t *after)
{
	size_t end = i;

	for (*after = 0; end < count && r[end].value == r[i].value; end++)
		*after += r[end].after;
	return end;
}

/* Normal approximation, with corrections for ties and continuity. Positive: AFTER is larger. */
static double rank_z(const struct ranked *r, size_t m, size_t n)
{
	double sum = 0, ties = 0, count = (double)(m + n), mean, variance, distance;

	for (size_t i = 0, end, after; i < m + n; i = end) {
		double t;

		end = ties_end(r, i, m + n, &after);
		t = (double)(end - i);
		sum += (double)after * ((double)(i + end + 1) / 2);
		ties += t * t * t - t;
	}
	mean = (double)n * (count + 1) / 2;
	variance = (double)m * (double)n / 12 * (count + 1 - ties / (count * (count - 1)));
	distance = sum - mean;
	if (variance <= 0 || fabs(distance) <= 0.5)
		return 0;
	return (distance - copysign(0.5, distance)) / sqrt(variance);
}

/*
 * How many of the choices of N ranks have a sum of at least SUM: all are counted, by numbers of
 * chosen ranks and their sum. Ranks are doubled, so that those of ties are whole.
 */
static double rank_tail(const struct ranked *r, size_t m, size_t n, size_t sum)
{
	size_t count = m + n, most = count * (count + 1), width = most + 1;
	double *ways = calloc((n + 1) * width, sizeof(*ways)), tail = 0, all = 0;

	if (!ways)
		return NAN;
	ways[0] = 1;
	for (size_t i = 0, end, after; i < count; i = end) {
		size_t rank;

		end = ties_end(r, i, count, &after);
		rank = i + end + 1;
		for (size_t times = i; times < end; times++)
			for (size_t k = n; k-- > 0;)
				for (size_t s = most + 1 - rank; s-- > 0;)
					ways[(k + 1) * width + s + rank] += ways[k * width + s];
	}
	for (size_t s = 0; s <= most; s++) {
		all += ways[n * width + s];
		tail += s >= sum ? ways[n * width + s] : 0;
	}
	free(ways);
	return tail / all;
}

double steps_probability(const double *before, size_t m, const double *after, size_t n)
{
	struct ranked *r = ranks_sort(before, m, after, n);
	double z, p = NAN;
	size_t sum = 0;

	if (!r)
		return NAN;
	z = rank_z(r, m, n);
	if (z < 0) { /* mirrored: the other side is the larger one */
		free(r);
		return steps_probability(after, n, before, m);
	}
	for (size_t i = 0, end, of; i < m + n; i = end) {
		end = ties_end(r, i, m + n, &of);
		sum += of * (i + end + 1);
	}
	p = m + n <= EXACT_POINTS ? rank_tail(r, m, n, sum) : erfc(z / M_SQRT2) / 2;
	free(r);
	return p;
}

double steps_threshold(size_t count)
{
	double low = 0, high = 20, p = 0.05 / (double)(count ? count : 1);

	if (count <= 1000)
		return STEPS_Z;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / M_SQRT2) / 2 > p)
			low = middle;
		else
			high = middle;
	}
	return fmax(STEPS_Z, high);
}

/* --------------------------------------------------------------- the size */

bool steps_compare(const double *before, size_t m, const double *after, size_t n, struct step *s)
{
	size_t every_m = (m + PAIR_POINTS - 1) / PAIR_POINTS, pairs = 0;
	size_t every_n = (n + PAIR_POINTS - 1) / PAIR_POINTS, skip;
	size_t um = (m + every_m - 1) / every_m, un = (n + every_n - 1) / every_n;
	double *d = malloc((um * un + m + n + 1) * sizeof(*d));
	struct ranked *ranked = ranks_sort(before, m, after, n);
	double unit;

	if (d && ranked) {
		s->before = median_of(before, m, d);
		s->after = median_of(after, n, d);
		s->z = rank_z(ranked, m, n);
		for (size_t i = 0; i < m; i += every_m)
			for (size_t k = 0; k < n; k += every_n)
				d[pairs++] = after[k] - before[i];
		qsort(d, pairs, sizeof(*d), order_double);
		unit = fabs(s->before);
		s->change = median_sorted(d, pairs) / unit;
		/* Ranks of the interval's ends, of the pairs that are used. */
		unit = unit > 0 ? unit : NAN;
		skip = (size_t)fmax(
			0, floor((double)pairs / 2 - 1.96 * (double)pairs *
							     sqrt((double)(m + n + 1) / 12.0 /
								  ((double)m * (double)n))));
		skip = skip < pairs / 2 ? skip : (pairs - 1) / 2;
		s->low = d[skip] / unit;
		s->high = d[pairs - 1 - skip] / unit;
	}
	free(d);
	free(ranked);
	return d && ranked;
}

/* ---------------------------------------------------------------- finding */

struct finder {
	const double *v;
	const struct steps_options *options;
	double min_effect, z;
	struct step *steps;
	size_t n, room;
	bool failed;
};

static void step_add(struct finder *f, struct step *s)
{
	size_t i = f->n;

	if (f->n == f->room)
		return;
	for (; i > 0 && f->steps[i - 1].at > s->at; i--)
		f->steps[i] = f->steps[i - 1];
	f->steps[i] = *s;
	f->n++;
}

/* A step of [from, to) that is certain, if any; then those after it, and with .all before it. */
static void range_search(struct finder *f, size_t from, size_t to)
{
	while (to - from >= STEPS_ENOUGH && !f->failed) {
		struct step s = {
			.at = from + split_find(f->v + from, to - from), .from = from, .to = to};

		if (s.at == from)
			return;
		f->failed = !steps_compare(f->v + from, s.at - from, f->v + s.at, to - s.at, &s);
		if (f->failed || fabs(s.z) < f->z || !(fabs(s.change) >= f->min_effect) ||
		    fabs(s.after - s.before) < f->min_effect * fabs(s.before))
			return;
		step_add(f, &s);
		if (f->options->all)
			range_search(f, from, s.at);
		from = s.at;
	}
}

/* The last three points all beyond what those before them reach. */
static void fast_search(struct finder *f, size_t from, size_t to)
{
	size_t at = to - FAST_POINTS, base = at - from < FAST_BASE ? at - from : FAST_BASE;
	double scratch[FAST_BASE], median, margin;
	struct step s = {.at = at, .from = at - base, .to = to, .fast = true};
	int above = 0, below = 0;

	if (to - from < STEPS_ENOUGH)
		return;
	median = median_of(f->v + s.from, base, scratch);
	margin = fmax(4 * deviation_of(f->v + s.from, base, median, scratch), 0.01 * fabs(median));
	for (size_t i = at; i < to; i++) {
		above += f->v[i] > median + margin;
		below += f->v[i] < median - margin;
	}
	above = above == FAST_POINTS;
	if (!above && below < FAST_POINTS)
		return;
	/* The change may have begun earlier, but too late to be certain. */
	while (s.at > s.from + STEPS_BEFORE &&
	       (above ? f->v[s.at - 1] > median + margin : f->v[s.at - 1] < median - margin))
		s.at--;
	f->failed |= !steps_compare(f->v + s.from, s.at - s.from, f->v + s.at, to - s.at, &s);
	if (fabs(s.change) >= f->min_effect)
		step_add(f, &s);
}

size_t steps_find(const double *values, size_t n, const struct steps_options *options,
		  struct step *steps, size_t room)
{
	struct finder f = {.v = values,
			   .options = options,
			   .min_effect = options->min_effect > 0 ? options->min_effect : 0.005,
			   .z = options->z > 0 ? options->z : STEPS_Z,
			   .steps = steps,
			   .room = room};

	if (n < STEPS_ENOUGH)
		return 0;
	range_search(&f, 0, n);
	if (!f.n || f.steps[f.n - 1].at + FAST_POINTS <= n)
		fast_search(&f, f.n ? f.steps[f.n - 1].at : 0, n);
	return f.failed ? (size_t)-1 : f.n;
}
