/*
 * Performance counters: raw values per op and core in, percentages per op out. Which metrics there
 * are is a table (metrics_table.c); each has four columns: minimum, median, maximum and mean over
 * the cores of an op.
 */
#ifndef OPS_METRICS_H
#define OPS_METRICS_H

#include "base/buf.h"
#include "ops/devlog.h"

enum ops_stat { OPS_STAT_MIN, OPS_STAT_MEDIAN, OPS_STAT_MAX, OPS_STAT_AVG, OPS_STATS };

#define OPS_METRIC_NAME 64

enum ops_metrics_mode { OPS_METRICS_JOINED, OPS_METRICS_DEVICE_ONLY };

struct ops_metrics;

/* NULL in *METRICS when the log has no counters. */
int ops_metrics_compute(struct ops_metrics **metrics, const struct devlog *dev,
			enum ops_metrics_mode mode, struct tacho_error *err);
void ops_metrics_free(struct ops_metrics *metrics);

/* The columns, in the order of the file. */
size_t ops_metric_columns(void);
void ops_metric_column(size_t column, char text[OPS_METRIC_NAME]);

/* Does any op have that column? */
bool ops_metrics_shown(const struct ops_metrics *metrics, size_t column);

/*
 * The cell of one execution (session OPS_NONE: no replay), written into TEXT of 64 bytes; its
 * length. KERNEL_CYCLES is for the averages over the full grid, 0: unknown.
 */
size_t ops_metrics_cell(const struct ops_metrics *metrics, size_t column, int64_t device,
			uint64_t id, int64_t session, uint64_t kernel_cycles, char *text);

/* Executions that have counters; the figure STAT (over the cores) of metric METRIC, or NaN. */
size_t ops_metrics_ops(const struct ops_metrics *metrics);
double ops_metrics_value(const struct ops_metrics *metrics, size_t op, size_t metric,
			 enum ops_stat stat);
const char *ops_metric_name(size_t metric);

/* What was counted and what follows from it, as tables. 0 or TACHO_ENOMEM. */
int ops_metrics_text(const struct ops_metrics *metrics, const struct devlog *dev, struct buf *out);

#endif
