/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds who was late to the collectives of a job. No member leaves a synchronising collective
 * before the last one has arrived. So of one instance the shortest duration is the transfer, that
 * member was last, and the others waited for the rest of their time. This needs no common clock. If
 * there is one (a merged trace), arrivals are compared as well.
 */
#ifndef FLEET_STRAGGLERS_H
#define FLEET_STRAGGLERS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stragglers_by { STRAGGLERS_AUTO, STRAGGLERS_RANK, STRAGGLERS_DEVICE, STRAGGLERS_HOST };

#define STRAGGLERS_NOBODY UINT32_MAX
#define STRAGGLERS_ENOUGH 20     /* instances from which a straggler is named */
#define STRAGGLERS_TIE    0.02   /* a lead below this part of the transfer is a tie */
#define STRAGGLERS_SHORT  6500.0 /* ns of a short gap */

/* Times are nanoseconds. */
struct stragglers_member {
	int64_t rank, device; /* -1: unknown */
	uint32_t pid;         /* of processes of one recording, else 0 */
	char host[64];
	uint64_t collectives, last;
	double waited, transfer;
	double clock_waited; /* by arrivals; NaN: no common clock */
	/* The parts add up to the span; a member of several clocks has the sums over them. */
	double compute, comm, both, idle, short_idle; /* idle NaN: no times, durations only */
	struct stragglers_visits *visits;             /* private */
};

struct stragglers_instance {
	const char *name;
	uint32_t number, group, members;
	uint32_t last; /* member, or STRAGGLERS_NOBODY: a tie */
	double transfer, lead, mean_wait, longest_wait;
	double clock_lead; /* arrival of the last after that before it; NaN: no common clock */
};

/* Work on which the straggler spent more time before its collectives, in total. */
struct stragglers_cause {
	const char *name;
	double late, others; /* of it; the median of the others */
};

struct stragglers_options {
	enum stragglers_by by;
	const char *markers; /* names of collectives; NULL: the usual ones */
	uint32_t ring;       /* members of a group, in order; 0: all are one */
};

struct stragglers {
	struct stragglers_member *members; /* by rank and device */
	size_t member_count;
	struct stragglers_instance *instances; /* whole ones, by name and number */
	size_t instance_count;
	struct stragglers_cause *causes; /* by difference */
	size_t cause_count;
	enum stragglers_by by;
	uint64_t ties, incomplete;
	double interval;                  /* mean time between a member's collectives */
	uint32_t straggler;               /* or STRAGGLERS_NOBODY */
	double others_least, others_most; /* mean waits of the others */
	bool clock;                       /* the members have a common clock */
	double clock_error;               /* its largest */
	uint64_t clock_differ;            /* waits that differ by more than the clock's error */
	struct stragglers_private *p;
};

/* PATHS are traces (.tacho, .tracy) and reports (CSV). The caller frees the result. */
int stragglers_read(struct stragglers *s, const char *const *paths, size_t count,
		    const struct stragglers_options *options, struct tacho_error *err);
void stragglers_free(struct stragglers *s);

/* "rank 3 device 1". TEXT has 100 bytes. */
const char *stragglers_name(const struct stragglers *s, const struct stragglers_member *m,
			    char *text);

/* ---- for readers: members one after the other, then the analysis ---- */

/* Compiles the names of collectives. End S with stragglers_free(), also after an error. */
int stragglers_begin(struct stragglers *s, const struct stragglers_options *options,
		     struct tacho_error *err);

/* A number for a name; *COLLECTIVE: it is one of a collective. Negative: an error. */
int64_t stragglers_kind(struct stragglers *s, const char *name, size_t len, bool *collective);

/* The next span on a lane of the current unit, in order of time. LANE numbers from 0 upwards. */
int stragglers_span(struct stragglers *s, uint32_t lane, uint32_t kind, double start, double end);

/*
 * Ends a unit: all spans of one clock. They belong to the member that WHO describes, added if it is
 * new; its rank, device, pid and host are used. ERROR of its clock against the others', in ns;
 * NaN: unknown. PLACED: starts are times, not sums of durations. A unit without a collective is
 * dropped if ONLY_MEETING.
 */
int stragglers_unit(struct stragglers *s, const struct stragglers_member *who, double error,
		    bool placed, bool only_meeting);
int stragglers_analyze(struct stragglers *s, struct tacho_error *err);

#endif
