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

#endif
