/* SPDX-License-Identifier: Apache-2.0 */
/* Fits the clock of a host to that of another, with a proven bound. */
#include "fleet/align.h"

#include "base/order.h"

#include <math.h>
#include <stdlib.h>

#define SEARCH_STEPS 100 /* a golden section per step: far below a nanosecond */

static double align_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), order_double);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The offsets at .at that meet all constraints with one drift. */
struct align_range {
	double low, high;
	size_t low_index, high_index;
};

static struct align_range align_range(const struct align_instances *list, double at, double drift)
{
	struct align_range r = {.low = -INFINITY, .high = INFINITY};

	for (size_t i = 0; i < list->n; i++) {
		const struct align_instance *k = &list->v[i];
		/* Each constraint holds at the host's own time in it. */
		double low = k->ref_arrive - k->leave - drift * (k->leave - at);
		double high = k->ref_leave - k->arrive - drift * (k->arrive - at);

		if (low > r.low) {
			r.low = low;
			r.low_index = i;
		}
		if (high < r.high) {
			r.high = high;
			r.high_index = i;
		}
	}
	return r;
}

/* The function that a search maximises: concave in the drift. */
struct align_goal {
	const struct align_instances *list;
	double at;
	double sign; /* 0: the width of the range; 1, -1: the highest, the lowest line at T */
	double t;
};

static double align_goal_value(const struct align_goal *g, double drift)
{
	struct align_range r = align_range(g->list, g->at, drift);

	if (g->sign == 0)
		return r.high - r.low;
	return g->sign > 0 ? r.high + drift * (g->t - g->at) : -(r.low + drift * (g->t - g->at));
}

/* The drift in [LOW, HIGH] with the largest value. */
static double align_search(const struct align_goal *g, double low, double high)
{
	const double golden = 0.6180339887498949;
	double a = high - golden * (high - low), b = low + golden * (high - low);
	double fa = align_goal_value(g, a), fb = align_goal_value(g, b);

	for (int i = 0; i < SEARCH_STEPS; i++) {
		if (fa < fb) {
			low = a;
			a = b;
			fa = fb;
			b = low + golden * (high - low);
			fb = align_goal_value(g, b);
		} else {
			high = b;
			b = a;
			fb = fa;
			a = high - golden * (high - low);
			fa = align_goal_value(g, a);
		}
	}
	return (low + high) / 2;
}

/* The end of the feasible drifts between INSIDE, which is one, and OUTSIDE. */
static double align_edge(const struct align_goal *width, double inside, double outside)
{
	if (align_goal_value(width, outside) >= 0)
		return outside;
	for (int i = 0; i < SEARCH_STEPS; i++) {
		double middle = (inside + outside) / 2;

		if (align_goal_value(width, middle) >= 0)
			inside = middle;
		else
			outside = middle;
	}
	return inside;
}

/*
 * The estimate: a line through the differences of the ends. The slope is the median over pairs half
 * the list apart (Theil and Sen), so single late leavers do not matter.
 */
static int align_estimate(struct align_line *line, const struct align_instances *list, double drift)
{
	size_t n = list->n, half = n / 2, slopes = 0;
	double *v = malloc((n + 1) * sizeof(*v));

	if (!v)
		return TACHO_ENOMEM;
	line->drift = drift;
	for (size_t i = 0; n >= ALIGN_SLOPE_MIN && i + half < n; i++) {
		const struct align_instance *a = &list->v[i], *b = &list->v[i + half];
		double rise = (b->ref_leave - b->leave) - (a->ref_leave - a->leave);

		if (b->leave > a->leave)
			v[slopes++] = rise / (b->leave - a->leave);
	}
	if (slopes)
		line->drift = align_median(v, slopes);
	for (size_t i = 0; i < n; i++)
		v[i] = list->v[i].ref_leave - list->v[i].leave -
		       line->drift * (list->v[i].leave - line->at);
	line->offset = align_median(v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - line->offset);
	line->spread = align_median(v, n);
	free(v);
	return 0;
}

int align_fit(struct align_line *line, const struct align_instances *list, double t0, double t1,
	      double drift)
{
	struct align_goal goal = {.list = list, .at = (t0 + t1) / 2};
	double best, low, high, ends[2] = {t0, t1}, fitted[2];
	struct align_range range;
	int r;

	*line = (struct align_line){.at = goal.at};
	best = align_search(&goal, -ALIGN_DRIFT_MAX, ALIGN_DRIFT_MAX);
	range = align_range(list, goal.at, best);
	if (range.high < range.low) {
		line->first = range.low_index;
		line->second = range.high_index;
		line->excess = range.low - range.high;
		return TACHO_ENO;
	}
	low = align_edge(&goal, best, -ALIGN_DRIFT_MAX);
	high = align_edge(&goal, best, ALIGN_DRIFT_MAX);
	r = align_estimate(line, list, drift);
	if (r < 0)
		return r;
	/* The estimate is moved into the bounds at both ends; the larger distance is the error. */
	for (int i = 0; i < 2; i++) {
		double bounds[2];

		goal.t = ends[i];
		for (int side = 0; side < 2; side++) {
			goal.sign = side ? 1 : -1;
			bounds[side] =
				goal.sign * align_goal_value(&goal, align_search(&goal, low, high));
		}
		fitted[i] = fmin(fmax(align_at(line, ends[i]), bounds[0]), bounds[1]);
		line->bound = fmax(line->bound, fmax(fitted[i] - bounds[0], bounds[1] - fitted[i]));
	}
	line->drift = t1 > t0 ? (fitted[1] - fitted[0]) / (t1 - t0) : 0;
	line->offset = (fitted[0] + fitted[1]) / 2;
	return 0;
}

/* ----------------------------------------------------------------- windows */

struct align_window {
	double at; /* its middle */
	size_t first, n;
};

struct align_windows {
	VEC(struct align_window);
};

/* Windows with too few instances are left out: their neighbours reach over them. */
static int windows_find(struct align_windows *windows, const struct align_instances *list,
			double t0, double t1)
{
	size_t first = 0, end = 0;

	for (double at = t0 + ALIGN_WINDOW / 2; at < t1; at += ALIGN_WINDOW / 2) {
		while (first < list->n && list->v[first].leave < at - ALIGN_WINDOW / 2)
			first++;
		while (end < list->n && list->v[end].leave <= at + ALIGN_WINDOW / 2)
			end++;
		if (end >= first + 2 &&
		    vec_push(windows, ((struct align_window){at, first, end - first})) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* A line for each window; it is proven up to the middles of its neighbours. */
static int windows_fit(struct align_lines *lines, const struct align_windows *windows,
		       const struct align_instances *list, double t0, double t1, double drift)
{
	size_t last = windows->n - 1;

	for (size_t i = 0; i <= last; i++) {
		const struct align_window *w = &windows->v[i];
		struct align_instances part = {.v = list->v + w->first, .n = w->n};
		struct align_line line;
		int r = align_fit(&line, &part, i ? w[-1].at : t0, i < last ? w[1].at : t1, drift);

		if (r == TACHO_ENO) {
			line.first += w->first;
			line.second += w->first;
			lines->n = 0;
		}
		line.offset = align_at(&line, w->at);
		line.at = w->at;
		if ((r < 0 && r != TACHO_ENO) || vec_push(lines, line) < 0)
			return TACHO_ENOMEM;
		if (r < 0)
			return r;
	}
	return 0;
}

int align_fit_lines(struct align_lines *lines, const struct align_instances *list, double t0,
		    double t1)
{
	struct align_windows windows = {0};
	struct align_line whole, estimate = {.at = (t0 + t1) / 2};
	int r = align_fit(&whole, list, t0, t1, 0);

	lines->n = 0;
	if (t1 - t0 < ALIGN_MOST && (r == TACHO_ENO || (r == 0 && t1 - t0 > ALIGN_LONGEST)) &&
	    windows_find(&windows, list, t0, t1) < 0)
		r = TACHO_ENOMEM;
	if (windows.n > 1 && r != TACHO_ENOMEM) {
		r = align_estimate(&estimate, list, 0);
		if (r == 0)
			r = windows_fit(lines, &windows, list, t0, t1, estimate.drift);
	} else if (r == 0 || r == TACHO_ENO) {
		r = vec_push(lines, whole) < 0 ? TACHO_ENOMEM : r;
	}
	vec_free(&windows);
	return r;
}

double align_lines_at(const struct align_lines *lines, double t, double *bound)
{
	const struct align_line *a = lines->v, *b;
	size_t low = 0, high = lines->n;
	double share;

	/* The last line whose middle is not after T, or the first. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (lines->v[middle].at <= t)
			low = middle;
		else
			high = middle;
	}
	a += low;
	b = t <= a->at || low + 1 == lines->n ? a : a + 1;
	if (bound)
		*bound = isnan(a->bound) ? NAN : fmax(a->bound, b->bound);
	share = b == a ? 0 : (t - a->at) / (b->at - a->at);
	return (1 - share) * align_at(a, t) + share * align_at(b, t);
}
