/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a device against the ticks of the host: points that say which tick it was at which
 * cycle, each with the largest error that the tick can have, and a line from each to the next.
 *
 * All arithmetic is on integers and the same for everybody: the device reader turns cycles into
 * ticks when it records, a reader of the trace turns them back with the points of the same file. A
 * tick that device_clock_ticks() gave gives its cycle again, exactly, where a cycle is at least a
 * tick long and lies between two points.
 *
 * Two points may have the same cycle: the device stood still between them (a software device, while
 * nobody let it run). That cycle belongs to the later of the two.
 */
#ifndef CLOCK_DEVICE_H
#define CLOCK_DEVICE_H

#include "base/vec.h"

#include <stdint.h>

#define DEVICE_CLOCK_UNKNOWN UINT64_MAX /* a bound: the clocks were never compared */

struct device_point {
	uint64_t ticks;
	uint64_t cycles; /* of 64 bits: wraps are undone */
	uint64_t bound_ns;
};

struct device_clock {
	uint32_t mhz; /* nominal; used where there are no two points */
	double rate;  /* ticks per second of the host */
	VEC(struct device_point);
};

/*
 * Points come in order. 1: this one goes back in ticks or in cycles, so it was left out (points of
 * a damaged file); 0, or TACHO_ENOMEM.
 */
int device_clock_add(struct device_clock *clock, const struct device_point *point);
/* Forgets points that are not needed for CYCLES and later. */
void device_clock_trim(struct device_clock *clock, uint64_t cycles);
void device_clock_free(struct device_clock *clock);

/*
 * Interpolates between the two neighbouring points, rounding to nearest. Beyond the ends the outer
 * piece's slope applies; without any piece the nominal one. Saturates at 0 and UINT64_MAX.
 */
uint64_t device_clock_ticks(const struct device_clock *clock, uint64_t cycles);

/*
 * device_clock_ticks() of many cycles, most of them on one line: without a division. Begin with
 * {.clock = CLOCK}; the clock must not change.
 */
struct device_run {
	const struct device_clock *clock;
	uint64_t first, span; /* cycles of the line */
	uint64_t ticks, over, under;
	uint64_t whole, fraction; /* over / under; the fraction in 2^-64, rounded down */
};

uint64_t device_run_refill(struct device_run *r, uint64_t cycles);

static inline uint64_t device_run_ticks(struct device_run *r, uint64_t cycles)
{
	uint64_t step = cycles - r->first, out, rest;

	if (step >= r->span)
		return device_run_refill(r, cycles);
	out = step * r->whole + (uint64_t)(((unsigned __int128)step * r->fraction) >> 64);
	/* At most two too small: the remainder says so, and it fits, modulo 2^64. */
	rest = step * r->over + r->under / 2 - out * r->under;
	while (rest >= r->under) {
		rest -= r->under;
		out++;
	}
	return r->ticks + out;
}
uint64_t device_clock_cycles(const struct device_clock *clock, uint64_t ticks);

/*
 * The largest error of device_clock_ticks() in nanoseconds: that of the worse neighbouring point,
 * and what a change of the device's frequency inside of the piece can add, which is seen from the
 * slopes of the pieces around it. DEVICE_CLOCK_UNKNOWN: nothing is known.
 */
uint64_t device_clock_bound(const struct device_clock *clock, uint64_t cycles);

#endif
