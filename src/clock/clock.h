/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tick clock. Ticks are the processor's invariant counter (rdtsc, cntvct_el0): the same on all
 * cores and in all processes of one machine, and the cheapest clock there is. A clock point says
 * which tick it was at which nanosecond; a fit through several points maps any tick. A finished fit
 * is constant: any number of threads may use it.
 */
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct clock_point {
	uint64_t ticks;
	int64_t monotonic_ns; /* CLOCK_MONOTONIC_RAW: not slewed by NTP */
	int64_t realtime_ns;  /* CLOCK_REALTIME */
	uint32_t bound_ns;    /* half of the time that reading them took: the error of the pair */
};

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
#error "no tick clock for this processor"
#endif
}

/* Takes a point: the best of a few tries, so that a preemption in between does not spoil it. */
void clock_point_take(struct clock_point *point);

/* Ticks per second, measured for about MS milliseconds against CLOCK_MONOTONIC_RAW. */
double clock_measure_rate(unsigned ms);

/* "tsc" ..., and whether the kernel trusts it (constant and nonstop). For reports. */
int clock_is_invariant(void);

/*
 * A piecewise linear map from ticks to nanoseconds through clock points sorted by ticks. Points
 * that lie on one line within their bounds (an invariant counter) form one piece; a jump (suspend,
 * a counter reset) starts a new one. The outer pieces extend beyond the first and last point.
 */
struct clock_piece {
	uint64_t ticks; /* the piece starts here */
	int64_t ns;
	double ns_per_tick;
};

struct clock_fit {
	struct clock_piece *pieces;
	size_t count;
};

/* With no points 1 tick = 1 ns; with one point the rate is RATE ticks per second. 0 or
 * TACHO_ENOMEM. */
int clock_fit_build(struct clock_fit *fit, const struct clock_point *points, size_t count,
		    double rate);
void clock_fit_free(struct clock_fit *fit);
int64_t clock_fit_ns(const struct clock_fit *fit, uint64_t ticks);
double clock_fit_span_ns(const struct clock_fit *fit, uint64_t start, uint64_t end);
uint64_t clock_fit_ticks(const struct clock_fit *fit, int64_t ns);

#endif
