/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the clock of one host against that of another, from collectives in which both took part.
 *
 * No member leaves a synchronising collective before the last has arrived. So if one arrives at A
 * and leaves at L by its own clock, and d is what its clock must be moved by to agree with the
 * reference, then A0 - L <= d <= L0 - A. Many instances bound d from both sides; the drift of a
 * clock is a line d = a + b * t with |b| of at most 200 ppm.
 *
 * The best estimate and the proven bound have different sources: members leave at nearly the same
 * time, so the ends give the estimate, and the constraints give the bound.
 */
#ifndef FLEET_ALIGN_H
#define FLEET_ALIGN_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define ALIGN_DRIFT_MAX 200e-6 /* of a crystal, with a margin */
#define ALIGN_SLOPE_MIN 6      /* instances from which the drift is estimated */

/* One collective. All times are nanoseconds; those of the host by its own clock. */
struct align_instance {
	double arrive, leave; /* of the host: its last member to arrive, its first to leave */
	double ref_arrive, ref_leave; /* the same of the reference */
};

struct align_instances {
	VEC(struct align_instance);
};

struct align_line {
	double at;     /* d = offset + drift * (t - at) */
	double offset; /* ns */
	double drift;
	double bound;  /* ns: the largest distance from the true line between T0 and T1 */
	double spread; /* ns: median distance of the ends from the line: the likely error */
	/* The two instances that contradict, if there is no line. */
	size_t first, second;
	double excess; /* ns */
};

/*
 * Fits a line for times from T0 to T1. DRIFT is used if there are too few instances to estimate it.
 * 0; TACHO_ENO: no line meets the constraints, and .first, .second and .excess explain it; or
 * TACHO_ENOMEM. There must be an instance.
 */
int align_fit(struct align_line *line, const struct align_instances *list, double t0, double t1,
	      double drift);

static inline double align_at(const struct align_line *line, double t)
{
	return line->offset + line->drift * (t - line->at);
}

/*
 * A clock whose drift changes: temperature changes a crystal's by some 0.1 ppm per kelvin, so over
 * minutes no line meets the constraints. Each window has a line of its own, which is proven from
 * the middle of the previous window to that of the next; in between, two are blended.
 */
#define ALIGN_WINDOW  60e9  /* ns; each begins in the middle of the previous one */
#define ALIGN_LONGEST 600e9 /* ns that one line is tried for */
#define ALIGN_MOST    1e16  /* ns, 115 days: longer times are damage, and get one line */

struct align_lines {
	VEC(struct align_line); /* by .at */
};

/*
 * Fits one line, or, if the time is long or no line meets the constraints, one for each window with
 * at least two instances. As align_fit(); with TACHO_ENO there is one line, which explains it. LIST
 * is sorted by .leave; the caller frees the lines.
 */
int align_fit_lines(struct align_lines *lines, const struct align_instances *list, double t0,
		    double t1);
/* *BOUND: the proven error at T; or NULL. */
double align_lines_at(const struct align_lines *lines, double t, double *bound);

#endif
