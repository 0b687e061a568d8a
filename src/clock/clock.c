/* SPDX-License-Identifier: Apache-2.0 */
/* The tick clock, and piecewise linear fits from ticks to nanoseconds. */
#include "clock/clock.h"
#include "base/err.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t clock_read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void clock_point_take(struct clock_point *point)
{
	uint64_t best = UINT64_MAX, before, after;
	int64_t first, last;

	for (int i = 0; i < 8; i++) {
		struct clock_point p;

		first = clock_read_ns(CLOCK_MONOTONIC_RAW);
		before = clock_ticks();
		p.realtime_ns = clock_read_ns(CLOCK_REALTIME);
		after = clock_ticks();
		last = clock_read_ns(CLOCK_MONOTONIC_RAW);
		p.ticks = before + (after - before) / 2;
		p.monotonic_ns = first + (last - first) / 2;
		p.bound_ns = (uint32_t)((last - first) / 2 + 1);
		if (after - before < best) {
			best = after - before;
			*point = p;
		}
	}
}

double clock_measure_rate(unsigned ms)
{
	struct clock_point a, b;
	struct timespec pause = {ms / 1000, (long)(ms % 1000) * 1000000};

	clock_point_take(&a);
	nanosleep(&pause, NULL);
	clock_point_take(&b);
	return (double)(b.ticks - a.ticks) * 1e9 / (double)(b.monotonic_ns - a.monotonic_ns);
}

int clock_is_invariant(void)
{
#if defined(__x86_64__) || defined(__i386__)
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192];
	int found = 0;

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "flags", 5) && strstr(line, " constant_tsc") &&
			strstr(line, " nonstop_tsc");
	fclose(f);
	return found;
#else
	return 1;
#endif
}

/* True when points [a, b] and all between lie on the line from a to b within their bounds. */
static int on_line(const struct clock_point *p, size_t a, size_t b)
{
	double rate =
		(double)(p[b].monotonic_ns - p[a].monotonic_ns) / (double)(p[b].ticks - p[a].ticks);

	for (size_t i = a + 1; i < b; i++) {
		double ns = (double)p[a].monotonic_ns + (double)(p[i].ticks - p[a].ticks) * rate;
		double slack = 1000.0 + p[a].bound_ns + p[b].bound_ns + p[i].bound_ns;

		if (fabs(ns - (double)p[i].monotonic_ns) > slack)
			return 0;
	}
	return 1;
}

int clock_fit_build(struct clock_fit *fit, const struct clock_point *points, size_t count,
		    double rate)
{
	struct clock_piece *pieces = calloc(count ? count : 1, sizeof(*pieces));
	size_t n = 0, from = 0;

	if (!pieces)
		return TACHO_ENOMEM;
	while (from + 1 < count) {
		/* The longest run on one line: double the step, then halve it. */
		size_t good = from + 1, step = 1;

		while (good + step < count && on_line(points, from, good + step)) {
			good += step;
			step *= 2;
		}
		for (; step; step /= 2)
			if (good + step < count && on_line(points, from, good + step))
				good += step;
		if (points[good].ticks > points[from].ticks &&
		    points[good].monotonic_ns > points[from].monotonic_ns) {
			struct clock_piece *piece = &pieces[n++];

			piece->ticks = points[from].ticks;
			piece->ns = points[from].monotonic_ns;
			piece->ns_per_tick =
				(double)(points[good].monotonic_ns - points[from].monotonic_ns) /
				(double)(points[good].ticks - points[from].ticks);
		}
		from = good;
	}
	if (n == 0) {
		pieces[0].ticks = count ? points[0].ticks : 0;
		pieces[0].ns = count ? points[0].monotonic_ns : 0;
		pieces[0].ns_per_tick = count && rate > 0 ? 1e9 / rate : 1.0;
		n = 1;
	}
	fit->pieces = pieces;
	fit->count = n;
	return 0;
}

void clock_fit_free(struct clock_fit *fit)
{
	free(fit->pieces);
	fit->pieces = NULL;
	fit->count = 0;
}

static const struct clock_piece *piece_at(const struct clock_fit *fit, uint64_t ticks)
{
	size_t low = 0, high = fit->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (fit->pieces[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	return &fit->pieces[low];
}

static double in_piece(const struct clock_piece *piece, uint64_t ticks)
{
	return (double)(int64_t)(ticks - piece->ticks) * piece->ns_per_tick;
}

/* Of nonsense in, nonsense out, but defined: points may come from a damaged file. */
static int64_t clock_saturate(double ns)
{
	const double far = 4e18;

	if (!(ns < far))
		return (int64_t)far;
	return ns > -far ? (int64_t)ns : (int64_t)-far;
}

/* Without floor(), which takes as long as all the rest. */
static int64_t whole_below(double ns)
{
	int64_t whole = clock_saturate(ns);

	/* Nearly all times are after the first point of the clock: nothing to wait for. */
	if (__builtin_expect(ns >= 0, 1))
		return whole;
	return whole - ((double)whole > ns);
}

int64_t clock_fit_ns(const struct clock_fit *fit, uint64_t ticks)
{
	const struct clock_piece *piece = piece_at(fit, ticks);

	return piece->ns + whole_below(in_piece(piece, ticks));
}

double clock_fit_span_ns(const struct clock_fit *fit, uint64_t start, uint64_t end)
{
	const struct clock_piece *a = piece_at(fit, start), *b = piece_at(fit, end);

	if (a == b)
		return (double)(int64_t)(end - start) * a->ns_per_tick;
	return (double)(b->ns - a->ns) + in_piece(b, end) - in_piece(a, start);
}

uint64_t clock_fit_ticks(const struct clock_fit *fit, int64_t ns)
{
	size_t low = 0, high = fit->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (fit->pieces[middle].ns <= ns)
			low = middle;
		else
			high = middle;
	}
	ns = (int64_t)((uint64_t)ns - (uint64_t)fit->pieces[low].ns);
	return fit->pieces[low].ticks +
	       (uint64_t)clock_saturate(ceil((double)ns / fit->pieces[low].ns_per_tick));
}
