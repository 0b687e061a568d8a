/* SPDX-License-Identifier: Apache-2.0 */
/* The report on one screen: where the time goes and what the advice would save. */
#ifndef PERF_SUMMARY_H
#define PERF_SUMMARY_H

#include "perf/advice.h"
#include "perf/report.h"
#include "perf/table.h"

#define SUMMARY_TOP 5

struct perf_share {
	uint64_t ops;
	double time; /* us */
};

/* Ops of the same shapes and settings. */
struct perf_top {
	uint32_t kind, longest; /* the longest of them, in the report */
	uint64_t ops;
	double time;
};

struct perf_summary {
	double total;                           /* us: time and gaps */
	struct perf_share bound[BOUND_COUNT];   /* BOUND_NONE: ops without a known bound */
	struct perf_share saving[ADVICE_KINDS]; /* ops and us, at most */
	struct perf_top top[SUMMARY_TOP];       /* by their time */
	uint32_t gaps[SUMMARY_TOP];             /* ops of the report, by the gap before them */
	int top_n, gaps_n;
	double dram_bytes; /* moved by the ops that have a DRAM figure */
	double operations; /* of the ops that have a share of the peak, and the us that they would
			    */
	double peak_time;  /* take on all workers at the peak of their fidelities */

	uint64_t negative_gaps; /* ops that began before the previous one ended */
};

/* Utilisation over TIME us of the arithmetic (MFU) and of the DRAM, percent; NaN: unknown. */
double perf_summary_mfu(const struct perf_summary *summary, double time);
double perf_summary_dram(const struct perf_summary *summary, const struct perf_report *report,
			 double time);

/* 0 or TACHO_ENOMEM. */
int perf_summary_make(struct perf_summary *summary, const struct perf_report *report);
void perf_summary_text(const struct perf_summary *summary, const struct perf_report *report,
		       struct perf_style style, struct buf *out);

#endif
