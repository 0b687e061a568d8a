/* SPDX-License-Identifier: Apache-2.0 */
/* Private: parts of the verbs about samples. */
#ifndef CMDS_STACKS_H
#define CMDS_STACKS_H

#include "cmds/query.h"
#include "sample/profile.h"

/* After those of enum profile_by: what threads did. */
enum stacks_by { STACKS_BY_THREAD = PROFILE_BYS, STACKS_BY_STATE, STACKS_BY_LOCK, STACKS_BY_CPU };

int stacks_states_print(struct query *q, enum stacks_by by, struct profile *p,
			const struct profile_filter *filter);

/* "stats --samples": the self time of zones by what their thread did. TOP: rows, 0 = all. */
int stats_samples_print(struct query *q, int64_t top);

#endif
