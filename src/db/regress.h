/* SPDX-License-Identifier: Apache-2.0 */
/* Finds regressions: steps in the history of a project, or between two sets of runs. */
#ifndef DB_REGRESS_H
#define DB_REGRESS_H

#include "db/db.h"
#include "db/steps.h"

enum regress_state {
	REGRESS_WORSE,
	REGRESS_BETTER,
	REGRESS_RECOVERED, /* worse, but a later step took it back */
	REGRESS_STATES,
};

extern const char *const regress_states[REGRESS_STATES];

struct regress_finding {
	const struct db_series *series;
	struct step step;       /* positions are those of points of the series */
	uint32_t before, after; /* the last run of the old level, the first of the new */
	int64_t commits;        /* between them, the new one included; 0: unknown */
	double probability;     /* of two sets; NaN in a history */
	enum regress_state state;
};

struct regress_options {
	double min_effect; /* part; 0: 0.005 */
	bool all;          /* also older steps than the largest and what follows it */
};

struct regress {
	VEC(struct regress_finding); /* the worst first */
	size_t series, undecided;
	size_t counts[REGRESS_STATES];
	/* Of two sets */
	size_t base_runs, head_runs;
	double threshold; /* probability below which a series counts */
	double by_chance; /* series that would pass it without any change */
	double noise;     /* the median of the series' noise; NaN: unknown */
	double visible;   /* the smallest change that this noise and number of runs can show */
};

/* ACCEPTED may be NULL. */
int regress_history(struct regress *out, const struct db_runs *runs,
		    const struct db_series_list *list, const struct db_accepted_list *accepted,
		    const struct regress_options *options, struct tacho_error *err);

/*
 * Marks the runs that WORD names: a branch, the beginning of a commit or of a run's id, or a range
 * of commits A..B: runs after those of A up to those of B. TACHO_EUSAGE: there are none.
 */
int regress_select(const struct db_runs *runs, const char *word, bool *selected,
		   struct tacho_error *err);

/* BASE and HEAD have a mark for each run. Metrics where more is better are inverted. */
int regress_compare(struct regress *out, const struct db_runs *runs,
		    const struct db_series_list *list, const bool *base, const bool *head,
		    const struct regress_options *options, struct tacho_error *err);
void regress_free(struct regress *out);

#endif
