/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a device log: the count and the cycles of each analysis. The text has the form of
 * device_stats.txt; the JSON that of the "analysis" parts of device_analysis_data.json.
 */
#ifndef OP_STATS_H
#define OP_STATS_H

#include "base/buf.h"
#include "op/measure.h"

struct op_stat_values {
	uint64_t count;
	double average, max, min, range, median, sum;
};

struct op_stat_line {
	const char *name; /* static */
	struct op_stat_values values;
};

struct op_device_stats {
	int64_t device;
	struct op_executions ops; /* each execution, in order of time */
	struct {
		VEC(struct op_stat_line);
	} lines; /* those that found something, in the order of the analyses */
};

struct op_log_stats {
	VEC(struct op_device_stats);
	char arch[32];
	uint32_t mhz;
	int64_t max_cores; /* OP_NONE: unknown */
};

/* Needs a log that was read and sorted. The caller zeroes STATS and frees it. */
int op_devlog_stats(struct op_log_stats *stats, const struct devlog *dev,
		    const struct op_picked *picked, struct op_issues *issues,
		    struct tacho_error *err);

void op_log_stats_text(const struct op_log_stats *stats, struct buf *out);
/* SERIES: include the measurements of each execution. */
void op_log_stats_json(const struct op_log_stats *stats, bool series, struct buf *out);
void op_log_stats_free(struct op_log_stats *stats);

#endif
