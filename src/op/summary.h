/* SPDX-License-Identifier: Apache-2.0 */
/* The summary printed after a report: where the time went, on one screen. */
#ifndef OP_SUMMARY_H
#define OP_SUMMARY_H

#include "base/map.h"
#include "base/vec.h"
#include "op/issues.h"
#include "op/names.h"

#include <stdio.h>

struct op_summary_op {
	uint64_t count, measured; /* measured: those with a time on the device */
	double kernel_ns, gap_ns;
	double imbalance; /* worst of (slowest core - mean) / slowest core; 0 when unknown */
};

struct op_summary {
	struct op_names names; /* op codes */
	struct {
		VEC(struct op_summary_op);
	} ops; /* of the same index */
	uint64_t rows, with_device, signposts;
	uint64_t captured; /* into traces: not in rows, but their replays are */
	double kernel_ns, gap_ns;
	double largest_gap;
	uint64_t largest_gap_id;
	double imbalance; /* of the most uneven op */
	uint64_t imbalance_id;
	bool failed;
};

struct op_summary_row {
	const char *code;
	size_t code_len;
	uint64_t id;
	bool captured;                   /* it did not run when the host called it */
	double kernel_ns;                /* NaN: unknown */
	double gap_ns;                   /* from the previous op; NaN: unknown */
	double core_max_ns, core_avg_ns; /* NaN: unknown */
};

void op_summary_add(struct op_summary *s, const struct op_summary_row *row);

/* TOP ops, gaps, imbalance, and a summary of ISSUES. */
int op_summary_print(const struct op_summary *s, const struct op_issues *issues, int top,
		     FILE *out);
void op_summary_free(struct op_summary *s);

#endif
