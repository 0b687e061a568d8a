/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ops report: logs in, ops_perf_results.csv out. The rest of the program includes only this
 * header. The report is always written, whatever is wrong with the logs; problems are in
 * result.issues and beside the report in report_issues.csv.
 *
 *	FOLDER/.logs/		the logs, unless a trace is given
 *	FOLDER/reports/[NAME/][DATE/]ops_perf_results[_NAME][_DATE].csv
 *
 * An older file of the same name is kept under a numbered name; nothing is ever deleted.
 */
#ifndef TTLOG_REPORT_H
#define TTLOG_REPORT_H

#include "base/opt.h"
#include "op/issues.h"
#include "op/summary.h"
#include "trace/trace.h"

struct ttlog_options {
	const char *folder;
	/*
	 * Instead of FOLDER/.logs, or NULL. The report is the same as that of the logs that
	 * ttlog_write() and csvexport write for the trace.
	 */
	struct trace *trace;
	const uint8_t *tracks; /* of the trace: one byte per track, 0 leaves it out; NULL: all */
	const char *children;  /* of the trace: host functions that count; NULL: the usual ones */
	const char *name;      /* or NULL */
	const char *date;      /* as in the names of files, or NULL */
	bool device_only;
	bool no_device; /* not requested: a missing device log is fine */
	bool legacy;    /* read the raw device log even if the runtime's own report exists */
	bool noc;       /* summarise the NoC traces */
	bool force;     /* replace files instead of renaming the older ones */
	bool no_copies; /* do not copy the logs beside the report */
	bool logs;      /* of a trace: write the device log beside the report */
	struct opt_list analyses; /* names; empty: all */
};

struct ttlog_result {
	char *folder;      /* of the report */
	char *report;      /* path of the CSV */
	char *issues_path; /* or NULL when there are none */
	char *counters;    /* tables of the performance counters for people, or NULL */
	bool device_only;
	uint64_t rows, device_rows; /* of the report; of the device log */
	struct op_issues issues;
	struct op_summary summary;
};

/* The caller zeroes RESULT, and frees it whatever is returned. */
int ttlog_report(const struct ttlog_options *options, struct ttlog_result *result,
		 struct tacho_error *err);
void ttlog_result_free(struct ttlog_result *result);

#endif
