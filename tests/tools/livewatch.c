/* SPDX-License-Identifier: Apache-2.0 */
/*
 * livewatch SESSION [PERIOD_MS [FILE]]: follows a session until its recorder has finished, and says
 * what was seen while it ran: how often there was more, how far behind the newest event was (the
 * median, ms), how many open zones there were at most; then the trace's name and counts. FILE is
 * removed when there was more five times.
 */
#include "clock/clock.h"
#include "ring/ring.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LAGS_MAX 100000

static double lags[LAGS_MAX];
static size_t lag_count;

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int give_up(const struct tacho_error *err)
{
	fprintf(stderr, "livewatch: %s\n", err->text);
	return 1;
}

/* The newest thing that is seen: the end of a zone, a row, or the start of an open zone. */
static uint64_t zone_newest(const struct trace *t)
{
	uint64_t time = t->end;

	for (uint32_t i = 0; i < t->open_count; i++)
		time = t->open_zones[i].start > time ? t->open_zones[i].start : time;
	return time;
}

int main(int argc, char **argv)
{
	struct ring_session_info session;
	struct tacho_error err = {0};
	struct ring_follow follow;
	struct trace_lod *lod;
	struct trace *t;
	unsigned grew = 0, reloaded = 0, open_most = 0, period = argc > 2 ? atoi(argv[2]) : 20;
	bool recorded = true;

	if (ring_session_find(argc > 1 ? argv[1] : NULL, &session, &err) < 0 ||
	    ring_follow_open(&follow, session.dir, &err) < 0 ||
	    trace_follow(&t, session.output, &err) < 0 || trace_lod_open(&lod, t, NULL, &err) < 0)
		return give_up(&err);
	while (recorded) {
		int change;

		/* Asked first: what is written after the answer is read below. */
		recorded = ring_follow_recorded(&follow);
		ring_follow_touch(&follow);
		change = trace_refresh(t, &err);
		if (change < 0 || trace_lod_refresh(lod, &err) < 0)
			return give_up(&err);
		grew += change == TRACE_GREW;
		if (grew >= 5 && argc > 3)
			unlink(argv[3]);
		reloaded += change == TRACE_RELOADED;
		open_most = t->open_count > open_most ? t->open_count : open_most;
		if (recorded && t->zones && t->damage.unfinished && lag_count < LAGS_MAX)
			lags[lag_count++] =
				trace_duration_ns(t, zone_newest(t), clock_ticks()) / 1e6;
		if (recorded)
			usleep(period * 1000);
	}
	qsort(lags, lag_count, sizeof(*lags), by_value);
	printf("grew %u reloaded %u open %u lag %.0f\n", grew, reloaded, open_most,
	       lag_count ? lags[lag_count / 2] : -1.0);
	printf("%s zones %llu rows %llu complete %d\n", t->path, (unsigned long long)t->zones,
	       (unsigned long long)t->rows, !t->damage.unfinished);
	trace_lod_close(lod);
	trace_close(t);
	ring_follow_close(&follow);
	return 0;
}
