/* SPDX-License-Identifier: Apache-2.0 */
/* Device clocks: convert cycles to ticks and back, exactly, with an error bound. */
#include "clock/device.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 wide;

int device_clock_add(struct device_clock *clock, const struct device_point *point)
{
	const struct device_point *last = clock->n ? &clock->v[clock->n - 1] : NULL;

	if (last && (point->ticks < last->ticks || point->cycles < last->cycles))
		return 1;
	return vec_push(clock, *point);
}

void device_clock_free(struct device_clock *clock)
{
	vec_free(clock);
}

/* One of the two readings of a point. */
static uint64_t device_clock_value(const struct device_point *p, int of_ticks)
{
	return of_ticks ? p->ticks : p->cycles;
}

/* The last point at or before AT; 0 if all are later. */
static size_t device_clock_find(const struct device_clock *clock, int of_ticks, uint64_t at)
{
	size_t low = 0, high = clock->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (device_clock_value(&clock->v[middle], of_ticks) <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A piece with a slope: it has time and cycles. */
static int device_clock_slopes(const struct device_clock *clock, size_t i)
{
	return i + 1 < clock->n && clock->v[i + 1].ticks > clock->v[i].ticks &&
	       clock->v[i + 1].cycles > clock->v[i].cycles;
}

/* The nearest sloping piece at or before FROM, or at or after it; clock->n: none. */
static size_t piece_before(const struct device_clock *clock, size_t from)
{
	for (size_t i = from + 1; i-- > 0;)
		if (device_clock_slopes(clock, i))
			return i;
	return clock->n;
}

static size_t piece_after(const struct device_clock *clock, size_t from)
{
	for (size_t i = from; i + 1 < clock->n; i++)
		if (device_clock_slopes(clock, i))
			return i;
	return clock->n;
}

static uint64_t fixed_add(uint64_t base, wide step, int down)
{
	if (down)
		return step > base ? 0 : base - (uint64_t)step;
	return step > UINT64_MAX - base ? UINT64_MAX : base + (uint64_t)step;
}

/* AT, a cycle or a tick, to the other one. */
static uint64_t device_clock_convert(const struct device_clock *clock, uint64_t at, int to_ticks)
{
	static const struct device_point zero;
	const struct device_point *from = &zero, *a, *b;
	size_t i = 0, piece = 0;
	uint64_t step, over, under;
	int down;

	if (clock->n) {
		i = device_clock_find(clock, !to_ticks, at);
		from = &clock->v[i];
		if (i + 1 < clock->n && at >= device_clock_value(from, !to_ticks) &&
		    !device_clock_slopes(clock, i))
			return device_clock_value(from, to_ticks); /* it stood still */
		piece = i + 1 < clock->n ? piece_after(clock, i) : piece_before(clock, i);
	}
	down = at < device_clock_value(from, !to_ticks);
	step = down ? device_clock_value(from, !to_ticks) - at
		    : at - device_clock_value(from, !to_ticks);
	if (piece >= clock->n) {
		uint64_t base = device_clock_value(from, to_ticks);
		double per_cycle =
			clock->mhz && clock->rate > 0 ? clock->rate / 1e6 / clock->mhz : 1;
		double out = (double)step * (to_ticks ? per_cycle : 1 / per_cycle);

		return fixed_add(base,
				 out < 1.8e19 ? (wide)llround(out < 9e18 ? out : 9e18) : UINT64_MAX,
				 down);
	}
	a = &clock->v[piece];
	b = a + 1;
	over = device_clock_value(b, to_ticks) - device_clock_value(a, to_ticks);
	under = device_clock_value(b, !to_ticks) - device_clock_value(a, !to_ticks);
	return fixed_add(device_clock_value(from, to_ticks),
			 ((wide)step * over + under / 2) / under, down);
}

uint64_t device_clock_ticks(const struct device_clock *clock, uint64_t cycles)
{
	return device_clock_convert(clock, cycles, 1);
}

uint64_t device_clock_cycles(const struct device_clock *clock, uint64_t ticks)
{
	return device_clock_convert(clock, ticks, 0);
}

uint64_t device_run_refill(struct device_run *r, uint64_t cycles)
{
	const struct device_clock *clock = r->clock;
	size_t i = clock->n ? device_clock_find(clock, 0, cycles) : 0;

	r->span = 0;
	if (i + 1 < clock->n && cycles >= clock->v[i].cycles && device_clock_slopes(clock, i)) {
		const struct device_point *a = &clock->v[i], *b = a + 1;

		r->over = b->ticks - a->ticks;
		r->under = b->cycles - a->cycles;
		r->first = a->cycles;
		r->ticks = a->ticks;
		r->whole = r->over / r->under;
		r->fraction = (uint64_t)(((wide)(r->over % r->under) << 64) / r->under);
		/* Else the remainder does not fit. */
		if ((r->over | r->under) >> 62 == 0)
			r->span = r->under;
	}
	return device_clock_ticks(clock, cycles);
}

void device_clock_trim(struct device_clock *clock, uint64_t cycles)
{
	size_t i = clock->n ? device_clock_find(clock, 0, cycles) : 0;

	/*
	 * Two earlier pieces stay: times after the last point extend one, and the other shows how
	 * much the frequency changed.
	 */
	for (int k = 0; k < 2; k++)
		i = i && piece_before(clock, i - 1) < clock->n ? piece_before(clock, i - 1) : 0;
	if (!i)
		return;
	memmove(clock->v, clock->v + i, (clock->n - i) * sizeof(*clock->v));
	clock->n -= i;
}

/* ---- bounds ---- */
static double device_clock_slope(const struct device_clock *clock, size_t i)
{
	const struct device_point *a = &clock->v[i], *b = a + 1;

	return (double)(b->ticks - a->ticks) / (double)(b->cycles - a->cycles);
}

/* How much the ticks of a cycle change from a piece to its neighbours; to the nominal ones if there
 * are none. */
static double slope_change(const struct device_clock *clock, size_t piece)
{
	size_t before = piece ? piece_before(clock, piece - 1) : clock->n;
	size_t after = piece_after(clock, piece + 1);
	double own = device_clock_slope(clock, piece), most = 0;

	if (before < clock->n)
		most = fabs(device_clock_slope(clock, before) - own);
	if (after < clock->n)
		most = fmax(most, fabs(device_clock_slope(clock, after) - own));
	if (before >= clock->n && after >= clock->n && clock->mhz && clock->rate > 0)
		most = fabs(clock->rate / 1e6 / clock->mhz - own);
	return most;
}

uint64_t device_clock_bound(const struct device_clock *clock, uint64_t cycles)
{
	size_t i = clock->n ? device_clock_find(clock, 0, cycles) : 0, piece;
	const struct device_point *a, *b;
	double span, change;
	uint64_t bound;

	if (!clock->n)
		return DEVICE_CLOCK_UNKNOWN;
	if (clock->v[i].cycles == cycles)
		return clock->v[i].bound_ns;
	piece = i + 1 < clock->n ? piece_after(clock, i) : piece_before(clock, i);
	if (piece >= clock->n || clock->rate <= 0)
		return DEVICE_CLOCK_UNKNOWN;
	a = &clock->v[piece];
	b = a + 1;
	bound = a->bound_ns > b->bound_ns ? a->bound_ns : b->bound_ns;
	if (bound == DEVICE_CLOCK_UNKNOWN)
		return bound;
	span = (double)(b->cycles - a->cycles);
	change = slope_change(clock, piece) * 1e9 / clock->rate;
	/* Beyond the ends the error of the slope counts too, and grows with the distance. */
	if (cycles > b->cycles || cycles < a->cycles) {
		uint64_t far = cycles > b->cycles ? cycles - b->cycles : a->cycles - cycles;

		change += ((double)a->bound_ns + (double)b->bound_ns) / span;
		span = (double)far;
	}
	change = ceil(change * span);
	return change < 1e18 ? bound + (uint64_t)change : DEVICE_CLOCK_UNKNOWN;
}
