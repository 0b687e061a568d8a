/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance counters: raw values per op and core in, percentages per op out. A table
 * (metrics_table.c) defines the metrics; each has four columns: minimum, median, maximum and mean
 * over the cores of an op.
 */
#ifndef OP_METRICS_H
#define OP_METRICS_H

#include "base/buf.h"
#include "op/devlog.h"

enum op_stat { OP_STAT_MIN, OP_STAT_MEDIAN, OP_STAT_MAX, OP_STAT_AVG, OP_STATS };

#define OP_METRIC_NAME 64

enum op_metrics_mode { OP_METRICS_JOINED, OP_METRICS_DEVICE_ONLY };

struct op_metrics;

/* NULL in *METRICS when the log has no counters. */
int op_metrics_compute(struct op_metrics **metrics, const struct devlog *dev,
		       enum op_metrics_mode mode, struct tacho_error *err);
void op_metrics_free(struct op_metrics *metrics);

/* The columns, in the order of the file. */
size_t op_metric_columns(void);
void op_metric_column(size_t column, char text[OP_METRIC_NAME]);

/* True if any op has the column. */
bool op_metrics_shown(const struct op_metrics *metrics, size_t column);

/*
 * The cell of one execution (session OP_NONE: no replay), written into TEXT of 64 bytes; its
 * length. KERNEL_CYCLES is for the averages over the full grid, 0: unknown.
 */
size_t op_metrics_cell(const struct op_metrics *metrics, size_t column, int64_t device, uint64_t id,
		       int64_t session, uint64_t kernel_cycles, char *text);

/* Executions that have counters; the figure STAT (over the cores) of metric METRIC, or NaN. */
size_t op_metrics_ops(const struct op_metrics *metrics);
double op_metrics_value(const struct op_metrics *metrics, size_t op, size_t metric,
			enum op_stat stat);
const char *op_metric_name(size_t metric);

/* Counters and metrics as tables for people. 0 or TACHO_ENOMEM. */
int op_metrics_text(const struct op_metrics *metrics, const struct devlog *dev, struct buf *out);

#endif
