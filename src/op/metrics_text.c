/* SPDX-License-Identifier: Apache-2.0 */
/* Prints performance counters and metrics as two tables for people. */
#include "op/figures.h"
#include "op/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct figures {
	double min, median, max, mean;
};

/* Median of N > 0 values, which it sorts. */
static struct figures figures_of(double *v, size_t n)
{
	struct figures f = {.median = op_median(v, n)};

	/* not in the initializer, whose evaluation order is unspecified */
	f.min = v[0];
	f.max = v[n - 1];
	for (size_t i = 0; i < n; i++)
		f.mean += v[i] / (double)n;
	return f;
}

static void add_counter(const struct devlog *dev, uint16_t type, double *values, struct buf *out)
{
	double cycles = 0, sum = 0;
	struct figures f;
	size_t n = 0;

	for (size_t i = 0; i < dev->counters.n; i++) {
		const struct devlog_counter *c = &dev->counters.v[i];

		if (c->type != type)
			continue;
		values[n++] = (double)c->value;
		sum += (double)c->value;
		cycles += (double)c->ref;
	}
	if (!n)
		return;
	f = figures_of(values, n);
	buf_addf(out, "%8zu  %12.0f  %12.0f  %12.0f  %14.1f", n, f.min, f.median, f.max, f.mean);
	if (cycles > 0)
		buf_addf(out, "  %7.2f %%", 100 * sum / cycles);
	else
		buf_adds(out, "         -");
	buf_addf(out, "  %s\n", dev->counter_names.v[type].text);
}

static void add_metric(const struct op_metrics *m, size_t metric, double *values, struct buf *out)
{
	struct figures f;
	size_t n = 0;

	for (size_t op = 0; op < op_metrics_ops(m); op++) {
		double v = op_metrics_value(m, op, metric, OP_STAT_AVG);

		if (!isnan(v))
			values[n++] = v;
	}
	if (!n)
		return;
	f = figures_of(values, n);
	buf_addf(out, "%8zu  %9.2f  %9.2f  %9.2f  %9.2f  %s\n", n, f.min, f.median, f.max, f.mean,
		 op_metric_name(metric));
}

int op_metrics_text(const struct op_metrics *m, const struct devlog *dev, struct buf *out)
{
	size_t most = dev->counters.n > op_metrics_ops(m) ? dev->counters.n : op_metrics_ops(m);
	double *values = malloc((most + 1) * sizeof(*values));

	if (!values)
		return TACHO_ENOMEM;
	buf_addf(out,
		 "performance counters, by core and op\n%8s  %12s  %12s  %12s  %14s  %9s  %s\n",
		 "samples", "min", "median", "max", "mean", "of cycles", "counter");
	for (size_t i = 0; i < dev->counter_names.n; i++)
		add_counter(dev, (uint16_t)i, values, out);
	buf_addf(
		out,
		"\nefficiency: means over the cores of an op, by op\n%8s  %9s  %9s  %9s  %9s  %s\n",
		"ops", "min", "median", "max", "mean", "metric");
	for (size_t i = 0; i < op_metric_columns() / OP_STATS; i++)
		if (op_metrics_shown(m, i * OP_STATS))
			add_metric(m, i, values, out);
	free(values);
	return out->failed ? TACHO_ENOMEM : 0;
}
