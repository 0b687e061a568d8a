/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to a table of ops, for any source: a source gives the host's reports and the
 * devices' measurements; they are joined and built into a table. A trace is a source
 * (op_load_trace()), and so are tt-metal's logs (src/ttlog/source.h). Bad records do not fail: they
 * are listed in the issues of the result.
 */
#ifndef OP_LOAD_H
#define OP_LOAD_H

#include "op/build.h"
#include "op/measure.h"
#include "trace/trace.h"

/* Calls are in this order; any may be skipped. */
struct op_source {
	void *context;
	bool data, times, device, measured; /* it has messages, zones, markers, runs */
	bool is_trace;
	int (*host)(void *context, struct op_host *host, struct op_issues *issues,
		    struct tacho_error *err);
	int (*runs)(void *context, struct op_measurements *list, struct op_table *t,
		    struct op_issues *issues, struct tacho_error *err);
	int (*markers)(void *context, struct devlog *dev, enum devlog_want want,
		       struct op_issues *issues, struct tacho_error *err);
	int (*noc)(void *context, struct op_noc *noc, struct op_issues *issues,
		   struct tacho_error *err);
	void (*losses)(void *context, struct op_issues *issues); /* or NULL */
};

struct op_load_options {
	bool device_only;
	bool no_device;              /* not requested: a missing device log is fine */
	bool legacy;                 /* use single markers even if the runtime has measured */
	bool noc;                    /* summarise the NoC traces */
	const char *const *measures; /* names; NULL: all */
	size_t measure_count;
	struct op_live *live; /* executions of a trace that grows, for the next time; or NULL */
};

/* The loaded data. The caller zeroes it, and frees it whatever is returned. */
struct op_loaded {
	struct op_host host; /* host.table is the table of ops */
	struct devlog dev;   /* markers, if they were needed */
	struct op_metrics *metrics;
	struct op_picked picked;
	struct op_issues issues;
	struct op_summary summary;
	bool device_only; /* the host has no ops: they are the device's executions */
};

/* TACHO_ENO: nothing to report on; ERR is not set. */
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
