/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mkrank RANK OFFSET_NS DRIFT_PPM COLLECTIVES [BOOT [LATE]] FILE writes the recording of one rank
 * of an invented job of 8 ranks in 10 seconds (longer for more than 200 collectives): "AllReduce"
 * that nobody leaves before all have come, each followed by "mark", which begins at the same true
 * moment on all ranks. The host's clock is off by OFFSET_NS and drifts; with DRIFT_PPM "30~0.5" the
 * drift swings by 0.5 ppm around 30, with a period of ten minutes. All ranks simulate the same
 * job, so a merged trace shows the error of the clocks as differences between marks. With LATE,
 * ranks do "work" for 10 ms before each collective, and rank LATE for 5 ms more.
 */
#include "../random.h"
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS     8
#define SPAN      10e9 /* at least */
#define EVERY     50e6
#define WORK      10e6
#define LATE_BY   5e6
#define PERIOD    600e9  /* of a swinging drift */
#define TRUE_TIME 1.7e18 /* ns since 1970 at which the job began */

static double offset, drift, swing, span;
static uint64_t seed = 42;

/* What the host's clock has counted since the job began, at a true time after that. */
static double host_ns(double t)
{
	double turn = PERIOD / (2 * M_PI);

	return t * (1 + drift) + swing * turn * (1 - cos(t / turn)) + offset;
}

/* Ticks of 0.4 ns. */
static uint64_t tick_at(double t)
{
	return (uint64_t)llround(1e14 + 2.5 * host_ns(t));
}

int main(int argc, char **argv)
{
	struct trace_writer *w;
	struct trace_writer_options options = {.force = true};
	struct trace_process process = {
		.pid = 100, .exit_status = 0, .name = "job", .command = "job"};
	struct trace_srcloc locs[] = {{"AllReduce", "AllReduce", "job.c", 1, 0},
				      {"mark", "mark", "job.c", 2, 0},
				      {"work", "work", "job.c", 3, 0}};
	struct trace_track track = {
		.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .id = 100, .name = ""};
	struct trace_ledger ledger = {0};
	struct tacho_error err;
	struct trace_lane *lane;
	int rank, count, late;
	char boot[40], *end;

	if (argc < 6)
		return 2;
	rank = atoi(argv[1]);
	offset = atof(argv[2]);
	drift = strtod(argv[3], &end) * 1e-6;
	swing = *end == '~' ? atof(end + 1) * 1e-6 : 0;
	count = atoi(argv[4]);
	late = argc > 7 ? atoi(argv[6]) : -1;
	snprintf(boot, sizeof(boot), "boot %s", argc > 6 ? argv[5] : argv[1]);
	if (trace_writer_open(&w, argv[argc - 1], &options, &err) < 0) {
		fprintf(stderr, "mkrank: %s\n", err.text);
		return 1;
	}
	span = fmax(SPAN, count * EVERY);
	trace_set_property(w, "rank", argv[1]);
	trace_set_property(w, "boot id", boot);
	trace_set_property(w, "host", argc > 6 ? argv[5] : argv[1]);
	for (int i = 0; i <= 10; i++) {
		struct trace_clock_point p = {.ticks = tick_at(span * i / 10)};

		p.monotonic_ns = llround(host_ns(span * i / 10)) + 1000000000000;
		p.realtime_ns = (int64_t)TRUE_TIME + llround(host_ns(span * i / 10));
		trace_add_clock_point(w, &p);
	}
	process.start = tick_at(0);
	trace_add_process(w, &process);
	trace_add_track(w, &track);
	trace_add_srcloc(w, &locs[0]);
	trace_add_srcloc(w, &locs[1]);
	if (late >= 0)
		trace_add_srcloc(w, &locs[2]);
	lane = trace_lane(w, 0, 0);
	for (int i = 0; i < count; i++) {
		double t = span * (i + 0.5) / count, arrive[RANKS], done = 0, leave = 0, left;
		double own;

		for (int k = 0; k < RANKS; k++) {
			arrive[k] = t + random_exponential(&seed, 40e3);
			done = fmax(done,
				    arrive[k] + (late >= 0 && k == late % RANKS ? LATE_BY : 0));
		}
		own = arrive[rank % RANKS] + (late >= 0 && rank == late ? LATE_BY : 0);
		done += 8e3 + random_exponential(&seed, 4e3);
		for (int k = 0; k < RANKS; k++) {
			left = done + random_exponential(&seed, 1500);
			if (k == rank % RANKS)
				leave = left;
		}
		if (late >= 0) {
			trace_lane_add(w, lane, tick_at(t - WORK), tick_at(own), 2, 0);
			ledger.zones_emitted++;
		}
		trace_lane_add(w, lane, tick_at(own), tick_at(leave), 0, 0);
		trace_lane_add(w, lane, tick_at(done + 1e6), tick_at(done + 1e6 + 1000), 1, 0);
		ledger.zones_emitted += 2;
	}
	trace_add_ledger(w, 0, &ledger);
	if (trace_writer_close(w, &err) < 0) {
		fprintf(stderr, "mkrank: %s\n", err.text);
		return 1;
	}
	return 0;
}
