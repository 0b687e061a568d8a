/*
 * Statistics of a device log: for each analysis how often, and how long in cycles. The text has the
 * form of device_stats.txt; the JSON that of the "analysis" parts of device_analysis_data.json.
 */
#ifndef OPS_STATS_H
#define OPS_STATS_H

#include "base/buf.h"
#include "ops/analyses.h"

struct ops_stat_values {
	uint64_t count;
	double average, max, min, range, median, sum;
};

struct ops_stat_line {
	const char *name; /* static */
	struct ops_stat_values values;
};

struct ops_device_stats {
	int64_t device;
	struct ops_device_ops ops; /* each execution, in order of time */
	struct {
		VEC(struct ops_stat_line);
	} lines; /* those that found something, in the order of the analyses */
};

struct ops_log_stats {
	VEC(struct ops_device_stats);
	char arch[32];
	uint32_t mhz;
	int64_t max_cores; /* OPS_NONE: unknown */
};

/* Of a log that was read and sorted. STATS is zeroed by the caller and freed by it. */
int ops_devlog_stats(struct ops_log_stats *stats, const struct devlog *dev,
		     const struct ops_picked *picked, struct ops_issues *issues,
		     struct tacho_error *err);

/* Reads the log at PATH. STATS is zeroed by the caller and freed by it. */
int ops_log_stats(struct ops_log_stats *stats, const char *path, const struct ops_picked *picked,
		  struct ops_issues *issues, struct tacho_error *err);
void ops_log_stats_text(const struct ops_log_stats *stats, struct buf *out);
/* SERIES: what was measured of each execution too. */
void ops_log_stats_json(const struct ops_log_stats *stats, bool series, struct buf *out);
void ops_log_stats_free(struct ops_log_stats *stats);

#endif
