/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to a table of ops, whatever the records come from: a source gives what the host
 * reported and what devices measured; they are joined and built into a table. A trace is a source
 * (op_load_trace()), and so are tt-metal's logs (src/ttlog/source.h).
 */
#ifndef OP_LOAD_H
#define OP_LOAD_H

#include "op/build.h"
#include "op/measure.h"
#include "trace/trace.h"

/* All calls are in this order; any may be skipped. */
struct op_source {
	void *context;
	bool data, times, device, measured; /* what there is: messages, zones, markers, runs */
	bool is_trace;
	int (*host)(void *context, struct op_host *host, struct op_issues *issues,
		    struct tacho_error *err);
	int (*losses)(void *context, struct op_issues *issues, struct tacho_error *err);
	int (*runs)(void *context, struct op_measurements *list, struct op_table *t,
		    struct op_issues *issues, struct tacho_error *err);
	int (*markers)(void *context, struct devlog *dev, enum devlog_want want,
		       struct op_issues *issues, struct tacho_error *err);
	int (*noc)(void *context, struct op_noc *noc, struct op_issues *issues,
		   struct tacho_error *err);
};

struct op_load_options {
	bool device_only;
	bool no_device; /* none was asked for: that there is no log of it is no problem */
	bool legacy;    /* single markers even when the runtime has measured already */
	bool noc;       /* summarise the NoC traces */
	const char *const *measures; /* names; NULL: all */
	size_t measure_count;
};

/* What was loaded. Zeroed by the caller, and freed by it, whatever is returned. */
struct op_loaded {
	struct op_host host; /* host.table is the table of ops */
	struct devlog dev;   /* markers, if they were needed */
	struct op_metrics *metrics;
	struct op_picked picked;
	struct op_issues issues;
	struct op_summary summary;
	bool device_only; /* the host knows of no ops: they are the device's executions */
};

/* TACHO_ENO: there is nothing to report on, and ERR does not say so. */
int op_load(struct op_loaded *out, const struct op_source *source,
	    const struct op_load_options *options, struct tacho_error *err);
void op_loaded_free(struct op_loaded *out);

/*
 * The ops of a trace. TRACKS: one byte per track, 0 leaves it out; NULL: all. CHILDREN: host
 * functions whose time within ops counts, separated by commas; NULL: the usual ones.
 */
int op_load_trace(struct op_loaded *out, struct trace *trace, const uint8_t *tracks,
		  const char *children, const struct op_load_options *options,
		  struct tacho_error *err);

#endif
