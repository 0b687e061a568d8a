/*
 * The ops report: logs in, ops_perf_results.csv out. This is what the rest of the program may
 * include. The report is always written, whatever is wrong with the logs; what is wrong is in
 * result.issues and beside the report in report_issues.csv.
 *
 *	FOLDER/.logs/		the logs, unless a trace is given
 *	FOLDER/reports/[NAME/][DATE/]ops_perf_results[_NAME][_DATE].csv
 *
 * An older file of the same name is kept under a numbered name; nothing is ever deleted.
 */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#include "base/opt.h"
#include "ops/issues.h"
#include "ops/summary.h"
#include "trace/trace.h"

struct ops_options {
	const char *folder;
	/*
	 * Instead of FOLDER/.logs, or NULL: the report is what it would be on the logs that
	 * ops_logs_write() and csvexport make of the trace.
	 */
	struct trace *trace;
	const uint8_t *tracks; /* of the trace: one byte per track, 0 leaves it out; NULL: all */
	const char *children;  /* of the trace: host functions that count; NULL: the usual ones */
	const char *name;      /* or NULL */
	const char *date;      /* as in the names of files, or NULL */
	bool device_only;
	bool no_device; /* none was asked for: that there is no log of it is no problem */
	bool legacy;    /* read the raw device log even when the runtime's own report is there */
	bool noc;       /* summarise the NoC traces */
	bool force;     /* replace files instead of keeping the older ones */
	bool no_copies; /* of the logs beside the report */
	bool logs;      /* of a trace: write the device's log beside the report */
	struct opt_list analyses; /* names; empty: all */
};

struct ops_result {
	char *folder;      /* of the report */
	char *report;      /* path of the CSV */
	char *issues_path; /* or NULL when there are none */
	char *counters;    /* tables of the performance counters for people, or NULL */
	bool device_only;
	uint64_t rows, device_rows; /* of the report; of the device log */
	struct ops_issues issues;
	struct ops_summary summary;
};

/* RESULT is zeroed by the caller and freed by it, whatever is returned. */
int ops_report(const struct ops_options *options, struct ops_result *result,
	       struct tacho_error *err);
void ops_result_free(struct ops_result *result);

#endif
