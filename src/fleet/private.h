/* SPDX-License-Identifier: Apache-2.0 */
/* Private: recordings, hosts and collectives while they are merged. */
#ifndef FLEET_PRIVATE_H
#define FLEET_PRIVATE_H

#include "clock/device.h"
#include "fleet/align.h"
#include "fleet/fleet.h"
#include "trace/trace.h"

#include <regex.h>

#define FLEET_TICKS_PER_NS 16 /* of the output: finer than the ticks of any source */

/* One collective of one recording, by the real-time clock of its host. */
struct fleet_visit {
	const char *name; /* of the trace; NULL-terminated */
	uint32_t number;  /* how often the recording has it before */
	double arrive, leave;
};

struct fleet_source {
	struct trace *trace;
	const char *path;
	int64_t rank;
	size_t host;
	struct {
		VEC(struct fleet_visit);
	} visits;
};

struct fleet_clock {
	struct fleet_host *out;
	const struct trace *trace; /* whose clock points are used for all recordings of the host */
	uint64_t first, last;      /* ticks */
	struct align_lines lines;  /* real time of the host to that of the reference */
	double bound, spread;      /* the largest of the lines; NaN: unknown */
	struct device_clock map;   /* "cycles": ticks of the host; "ticks": of the output */
};

struct fleet {
	const struct fleet_options *options;
	struct fleet_source *sources;
	size_t source_count;
	struct fleet_clock *clocks; /* by host */
	size_t host_count, reference;
	int64_t base; /* real time in ns that all times here count from */
};

/* The time of a tick by the real-time clock of its host, since fleet.base. */
double fleet_time(const struct fleet *f, size_t host, uint64_t tick);

/* Names of collectives; NULL: the usual ones. The caller frees it. */
int fleet_markers_compile(regex_t *wanted, const char *markers, struct tacho_error *err);

/* Moves a host by one line. 0 or TACHO_ENOMEM. */
int fleet_clock_set(struct fleet_clock *c, const struct align_line *line, enum fleet_method method);

/* collectives.c: fills the visits of all sources; aligns each host to the reference. */
int fleet_collect(struct fleet *f, struct tacho_error *err);
int fleet_align_hosts(struct fleet *f);

/* copy.c: writes everything of a source into the output. */
struct fleet_output {
	struct trace_writer *w;
	uint32_t stacks, modules; /* given so far */
	uint64_t flows;
	int64_t stack_track; /* -1: none yet */
};
int fleet_copy(struct fleet *f, struct fleet_source *s, struct fleet_output *out);

#endif
