/* SPDX-License-Identifier: Apache-2.0 */
/* The stacked report: ops grouped by name, memory or category. */
#ifndef PERF_STACKED_H
#define PERF_STACKED_H

#include "base/buf.h"
#include "perf/report.h"
#include "perf/table.h"

enum perf_group {
	GROUP_OP,
	GROUP_MEMORY, /* the name and the memory of input 0 */
	GROUP_CATEGORY,
};

enum perf_category {
	CATEGORY_COMPUTE,
	CATEGORY_TM,  /* changes of shape and layout */
	CATEGORY_DM,  /* data movement */
	CATEGORY_CCL, /* between devices (model next) */
	CATEGORY_OTHER,
	CATEGORY_HOST,
	CATEGORY_COUNT,
};

struct perf_stack {
	const char *key; /* belongs to the report */
	int32_t device;
	enum perf_category category; /* of its first op */
	double share;                /* percent of all time, or of the device's */
	double time;                 /* us */
	uint64_t count;
	double flops_min, flops_max, flops_mean, flops_std, flops_weighted; /* NaN: none */
};

struct perf_stacked {
	VEC(struct perf_stack); /* longest first */
	enum perf_group group;
	bool by_device;
	bool no_time;    /* all times are 0 */
	bool time_blank; /* and none of them was measured */
	char **keys;
	size_t keys_n;
};

int perf_stacked_make(struct perf_stacked *stacked, const struct perf_report *report,
		      enum perf_group group, struct perf_notes *notes);
void perf_stacked_free(struct perf_stacked *stacked);

void perf_stacked_text(const struct perf_stacked *stacked, struct perf_style style,
		       struct buf *out);
void perf_stacked_csv(const struct perf_stacked *stacked, bool formulas_quoted, struct buf *out);

/* category.c */
enum perf_category perf_category_of(const struct perf_kind *kind, enum perf_model model);
/* False: no rule names it. Marker ops are known to be of no category. */
bool perf_category_is_known(const struct perf_kind *kind, enum perf_model model);
const char *perf_category_name(enum perf_category category);

/* Category names by kind, each found once: for writers of many ops. */
struct perf_categories {
	const struct perf_report *r;
	uint8_t *by_kind; /* category + 1; 0: not found yet */
};
int perf_categories_make(struct perf_categories *c, const struct perf_report *report);
void perf_categories_free(struct perf_categories *c);
const char *perf_categories_name(struct perf_categories *c, const struct perf_op *op);

#endif
