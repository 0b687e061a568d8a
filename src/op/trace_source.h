/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements of a trace's cores: runs, single markers, NoC transfers. */
#ifndef OP_TRACE_SOURCE_H
#define OP_TRACE_SOURCE_H

#include "op/live.h"
#include "op/load.h"
#include "op/trace_cores.h"

/* Measurements of all executions, for a caller that walks the markers itself. */
int op_trace_runs_finish(struct op_cores *cores, struct op_runs *runs);
struct op_run_place op_trace_place(const struct op_cores *cores, uint32_t device);

/* All markers. */
int op_trace_devlog(struct op_cores *cores, struct devlog *dev, enum devlog_want want,
		    struct op_issues *issues, struct tacho_error *err);

#endif
