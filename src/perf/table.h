/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The op table: header, one line per op, footer. Lines are appended to a struct buf, so the same
 * row can be in the table and again above its advice. Widths fit the ops that the table was created
 * for.
 */
#ifndef PERF_TABLE_H
#define PERF_TABLE_H

#include "base/buf.h"
#include "base/term.h"
#include "perf/report.h"

struct perf_table;

struct perf_style {
	bool color;
	bool safe; /* control characters in names are printed as '?': the output is a terminal */
	size_t columns; /* of the terminal; 0: any width */
};

/* Ops of a report by index, in display order. */
struct perf_view {
	VEC(uint32_t);
};

/* All ops of the report, or the TOP (if not 0) with the most time and gap, longest first. */
int perf_view_make(struct perf_view *view, const struct perf_report *report, int64_t top);

#define VIEW_LEAST 20 /* ops that a table always shows, however small */

/* Ops that perf_view_hide() removed from a view. */
struct perf_hidden {
	uint64_t small, unmeasured;
	double share; /* of the small ones, percent of all time */
};

/* Removes ops below --min-percentage, and those that do not count. 0 or TACHO_ENOMEM. */
int perf_view_hide(struct perf_view *view, const struct perf_report *report,
		   struct perf_hidden *hidden);

/* NULL: out of memory. The report and the view must outlive it. */
struct perf_table *perf_table_new(const struct perf_report *report, const struct perf_view *view,
				  struct perf_style style);
void perf_table_free(struct perf_table *table);

void perf_table_header(const struct perf_table *table, struct buf *out);
void perf_table_rule(const struct perf_table *table, struct buf *out);
void perf_table_row(const struct perf_table *table, const struct perf_op *op, struct buf *out);
/* Names the columns that do not fit into the terminal, if any. */
void perf_table_note(const struct perf_table *table, struct buf *out);
void perf_table_footer(const struct perf_table *table, struct buf *out);

/* The parts of an op with a colour of their own. */
enum perf_part {
	PART_NONE,
	PART_BOUND,
	PART_OP_CODE,
	PART_GAP,
	PART_CORES,
	PART_DRAM,
	PART_FLOPS,
	PART_MATH,
};
enum term_color perf_part_color(const struct perf_report *report, const struct perf_op *op,
				enum perf_part part);

/* The colour of an op's name, here and in the stacked table. */
enum term_color perf_op_color(const char *name);

/* "HiFi2 BF16 x BFP8 => BF16", or the data types alone. */
void perf_add_math(struct buf *out, const struct perf_kind *kind);

#endif
