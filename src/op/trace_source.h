/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements of a trace's cores: runs, single markers, NoC transfers. */
#ifndef OP_TRACE_SOURCE_H
#define OP_TRACE_SOURCE_H

#include "op/live.h"
#include "op/load.h"
#include "op/trace_cores.h"

/* Measurements of all executions. Texts go to T. LIVE: what earlier calls read, or NULL. */
int op_trace_runs(struct op_cores *cores, struct op_measurements *list, struct op_table *t,
		  struct op_live *live, struct tacho_error *err);
/* The same in two steps, for a caller that walks the markers itself. */
int op_trace_runs_finish(struct op_cores *cores, struct op_runs *runs);
struct op_run_place op_trace_place(const struct op_cores *cores, uint32_t device);

/* All markers. */
int op_trace_devlog(struct op_cores *cores, struct devlog *dev, enum devlog_want want,
		    struct op_issues *issues, struct tacho_error *err);

/* Sums of transfers by execution. */
int op_trace_noc(struct op_cores *cores, struct op_noc *noc, struct tacho_error *err);

#endif
