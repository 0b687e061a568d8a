/* SPDX-License-Identifier: Apache-2.0 */
/* Computes metrics from performance counters: collects values per core, reduces them per op. */
#include "op/metrics.h"

#include "base/fmt.h"
#include "op/figures.h"
#include "op/metrics_eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FULL_GRID 3 /* the first metrics of the table have averages over the full grid */

static const char *const counter_names[OP_COUNTER_COUNT] = {
#define X(name) #name,
	OP_COUNTERS(X)
#undef X
};

/* One execution. */
struct op_values {
	int64_t device;
	uint64_t id;
	int64_t session;
	uint32_t device_index;
	bool counted[FULL_GRID];
	double sum[FULL_GRID];
};

struct op_metrics {
	bool joined;
	const struct devlog *dev;
	struct {
		VEC(struct op_values);
	} ops;
	struct map by_key;
	struct {
		VEC(struct metric_device);
	} devices;
	bool *shown;   /* of each metric, on any device */
	double *stats; /* [op][metric][stat] */
};

/* --- columns --- */

size_t op_metric_columns(void)
{
	return metrics_count * OP_STATS;
}

void op_metric_column(size_t column, char text[OP_METRIC_NAME])
{
	static const char *const grid[FULL_GRID] = {"SFPU", "FPU", "Math"};
	static const char *const stats[OP_STATS] = {"Min", "Median", "Max", "Avg"};
	const struct metric *m = &metrics_table[column / OP_STATS];
	bool percent = m->kind != M_RATE && m->kind != M_HF_CYCLES;

	if (m->flags & MF_FULL_GRID && column % OP_STATS == OP_STAT_AVG)
		snprintf(text, OP_METRIC_NAME, "Avg %s util on full grid (%%)",
			 grid[column / OP_STATS]);
	else
		snprintf(text, OP_METRIC_NAME, "%s %s%s", m->name, stats[column % OP_STATS],
			 percent ? " (%)" : "");
}

bool op_metrics_shown(const struct op_metrics *metrics, size_t column)
{
	return metrics->shown[column / OP_STATS];
}

/* --- counters by op --- */

struct sample {
	uint32_t op;
	uint16_t core;
	uint16_t counter; /* enum op_counter */
	uint32_t order;   /* in the log */
	uint64_t time, value, ref;
};

struct samples {
	VEC(struct sample);
};

/* The counter of this NAME or number; -1: none that a metric uses. */
static int find_counter(const struct op_name *name)
{
	char *end;
	long number = strtol(name->text, &end, 10);

	if (name->len && !*end)
		return number >= 0 && number < OP_COUNTER_COUNT ? (int)number : -1;
	for (int c = 0; c < OP_COUNTER_COUNT; c++)
		if (!strcmp(counter_names[c], name->text))
			return c;
	return -1;
}

static int64_t metrics_op_find(const struct op_metrics *m, int64_t device, uint64_t id,
			       int64_t session, uint64_t *free_key)
{
	uint64_t key = (uint64_t)device * 0xc2b2ae3d27d4eb4f ^ id * 0x9e3779b97f4a7c15 ^
		       (uint64_t)session * 0x165667b19e3779f9;

	for (key ^= key >> 31;; key++) {
		uint32_t *at = map_get(&m->by_key, key);

		if (!at) {
			if (free_key)
				*free_key = key;
			return -1;
		}
		if (m->ops.v[*at].device == device && m->ops.v[*at].id == id &&
		    m->ops.v[*at].session == session)
			return *at;
	}
}

static int64_t device_index(struct op_metrics *m, int64_t device)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.v[i].device == device)
			return (int64_t)i;
	if (vec_push(&m->devices, ((struct metric_device){.device = device, .joined = m->joined})) <
	    0)
		return TACHO_ENOMEM;
	return (int64_t)m->devices.n - 1;
}

static int64_t metrics_op_add(struct op_metrics *m, const struct devlog *dev,
			      const struct devlog_run *run)
{
	const struct devlog_group *g = &dev->groups.v[run->group];
	uint64_t key = 0;
	int64_t at = metrics_op_find(m, g->device, g->id, run->session, &key), index;

	if (at >= 0)
		return at;
	index = device_index(m, g->device);
	if (index < 0 || map_set(&m->by_key, key, (uint32_t)m->ops.n) < 0 ||
	    vec_push(&m->ops, ((struct op_values){.device = g->device,
						  .id = g->id,
						  .session = run->session,
						  .device_index = (uint32_t)index})) < 0)
		return TACHO_ENOMEM;
	return (int64_t)m->ops.n - 1;
}

static int metrics_collect(struct op_metrics *m, const struct devlog *dev, struct samples *samples)
{
	int *counters = calloc(dev->counter_names.n + 1, sizeof(*counters));
	int r = counters ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; i < dev->counter_names.n && r == 0; i++)
		counters[i] = find_counter(&dev->counter_names.v[i]);
	for (size_t i = 0; i < dev->counters.n && r == 0; i++) {
		const struct devlog_counter *c = &dev->counters.v[i];
		int64_t op = metrics_op_add(m, dev, &dev->runs.v[c->run]);
		int counter = counters[c->type];
		struct metric_device *d;

		if (op < 0)
			r = (int)op;
		if (op < 0 || counter < 0)
			continue;
		d = &m->devices.v[m->ops.v[op].device_index];
		d->has[counter] = true;
		d->total[counter] += (double)c->value;
		r = vec_push(samples, ((struct sample){(uint32_t)op, c->core, (uint16_t)counter,
						       (uint32_t)i, c->time, c->value, c->ref}));
	}
	free(counters);
	return r;
}

static int compare_samples(const void *a, const void *b, void *arg)
{
	const struct sample *x = a, *y = b;
	const struct devlog *dev = arg;
	const struct devlog_core *p = &dev->cores.v[x->core], *q = &dev->cores.v[y->core];

	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	if (p->y != q->y)
		return p->y < q->y ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* --- statistics over the cores of an op --- */

/* Kahan sum: carries the rounding error along. */
static double exact_sum(const double *v, size_t n)
{
	double sum = 0, error = 0;

	for (size_t i = 0; i < n; i++) {
		double y = v[i] - error, t = sum + y;

		error = t - sum - y;
		sum = t;
	}
	return sum;
}

/* V is reordered. */
static void metrics_statistics(double *v, size_t n, double stats[OP_STATS])
{
	if (!n) {
		for (int s = 0; s < OP_STATS; s++)
			stats[s] = NAN;
		return;
	}
	stats[OP_STAT_AVG] = exact_sum(v, n) / (double)n;
	stats[OP_STAT_MEDIAN] = op_median(v, n);
	stats[OP_STAT_MIN] = v[0];
	stats[OP_STAT_MAX] = v[n - 1];
}

/* The cores of the op whose samples are S[0..N), in order of (x, y); their number. */
static size_t cores_of(const struct sample *s, size_t n, struct metric_core *cores)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct metric_core *c;

		if (i == 0 || s[i].core != s[i - 1].core) {
			c = &cores[count++];
			c->time = s[i].time;
			for (int k = 0; k < OP_COUNTER_COUNT; k++)
				c->value[k] = c->ref[k] = NAN;
		}
		c = &cores[count - 1];
		if (isnan(c->value[s[i].counter])) {
			c->value[s[i].counter] = (double)s[i].value;
			c->ref[s[i].counter] = (double)s[i].ref;
		}
	}
	return count;
}

/*
 * The order in which cores are added up: floating point sums depend on it in the last digit. The
 * joined report uses order of time, the other one order of place.
 */
static void order_cores(const struct metric_core *cores, size_t n, bool by_time,
			const struct metric_core **order)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (; by_time && at > 0 && order[at - 1]->time > cores[i].time; at--)
			order[at] = order[at - 1];
		order[at] = &cores[i];
	}
}

static void measure_op(struct op_metrics *m, uint32_t op, const struct metric_core **cores,
		       size_t n, double *scratch)
{
	const struct metric_device *d = &m->devices.v[m->ops.v[op].device_index];
	double(*stats)[OP_STATS] = (double(*)[OP_STATS])(m->stats + op * metrics_count * OP_STATS);

	for (size_t i = 0; i < metrics_count; i++) {
		size_t known = 0;

		for (size_t c = 0; c < n; c++) {
			double value = metric_eval(&metrics_table[i], d, cores[c]);

			if (isfinite(value))
				scratch[known++] = value;
		}
		metrics_statistics(scratch, known, stats[i]);
	}
	for (int g = 0; g < FULL_GRID; g++)
		for (size_t c = 0; c < n; c++) {
			double value = cores[c]->value[metrics_table[g].c[0]];

			if (isnan(value))
				continue;
			m->ops.v[op].sum[g] += value;
			m->ops.v[op].counted[g] = true;
		}
}

static int grant_ratio(struct metric_device *d, const struct op_metrics *m, uint32_t index,
		       const struct samples *samples)
{
	struct {
		VEC(double);
	} ratios = {0};
	double asked = NAN, granted = NAN;
	int r = 0;

	for (size_t i = 0; i < samples->n && r == 0; i++) {
		const struct sample *s = &samples->v[i];
		bool last = i + 1 == samples->n || samples->v[i + 1].op != s->op ||
			    samples->v[i + 1].core != s->core;

		if (m->ops.v[s->op].device_index != index)
			continue;
		if (s->counter == OP_C_L1_0_UNPACKER_0)
			asked = (double)s->value;
		else if (s->counter == OP_C_L1_0_UNPACKER_0_GRANT)
			granted = (double)s->value;
		if (!last)
			continue;
		if (asked > 0 && !isnan(granted))
			r = vec_push(&ratios, granted / asked);
		asked = granted = NAN;
	}
	d->grant_ratio = ratios.n ? op_median(ratios.v, ratios.n) : 0;
	vec_free(&ratios);
	return r;
}

static int measure_all(struct op_metrics *m, const struct devlog *dev,
		       const struct samples *samples)
{
	struct metric_core *cores = malloc((dev->cores.n + 1) * sizeof(*cores));
	const struct metric_core **order = malloc((dev->cores.n + 1) * sizeof(*order));
	double *scratch = malloc((dev->cores.n + 1) * sizeof(*scratch));
	size_t from = 0;
	int r;

	m->stats = malloc((m->ops.n * metrics_count * OP_STATS + 1) * sizeof(*m->stats));
	for (size_t i = 0; m->stats && i < m->ops.n * metrics_count * OP_STATS; i++)
		m->stats[i] = NAN;
	if (cores && order && scratch && m->stats)
		for (size_t i = 1; i <= samples->n; i++) {
			size_t n;

			if (i < samples->n && samples->v[i].op == samples->v[from].op)
				continue;
			n = cores_of(samples->v + from, i - from, cores);
			order_cores(cores, n, m->joined, order);
			measure_op(m, samples->v[from].op, order, n, scratch);
			from = i;
		}
	r = cores && order && scratch && m->stats ? 0 : TACHO_ENOMEM;
	free(cores);
	free(order);
	free(scratch);
	return r;
}

static int metrics_compute(struct op_metrics *m, const struct devlog *dev)
{
	struct samples samples = {0};
	int r = metrics_collect(m, dev, &samples);

	if (r == 0 && samples.n)
		qsort_r(samples.v, samples.n, sizeof(*samples.v), compare_samples, (void *)dev);
	m->shown = calloc(metrics_count, sizeof(*m->shown));
	if (!m->shown)
		r = TACHO_ENOMEM;
	for (uint32_t i = 0; i < m->devices.n && r == 0; i++) {
		r = grant_ratio(&m->devices.v[i], m, i, &samples);
		for (size_t k = 0; k < metrics_count; k++)
			m->shown[k] |= metric_shown(&metrics_table[k], &m->devices.v[i]);
	}
	if (r == 0)
		r = measure_all(m, dev, &samples);
	vec_free(&samples);
	return r;
}

int op_metrics_compute(struct op_metrics **metrics, const struct devlog *dev,
		       enum op_metrics_mode mode, struct tacho_error *err)
{
	struct op_metrics *m;
	int r;

	*metrics = NULL;
	if (!dev->counters.n)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	m->joined = mode == OP_METRICS_JOINED;
	m->dev = dev;
	r = metrics_compute(m, dev);
	if (r < 0) {
		op_metrics_free(m);
		return err_set(err, r, "out of memory");
	}
	*metrics = m;
	return 0;
}

void op_metrics_free(struct op_metrics *metrics)
{
	if (!metrics)
		return;
	vec_free(&metrics->ops);
	vec_free(&metrics->devices);
	map_free(&metrics->by_key);
	free(metrics->shown);
	free(metrics->stats);
	free(metrics);
}

size_t op_metrics_cell(const struct op_metrics *m, size_t column, int64_t device, uint64_t id,
		       int64_t session, uint64_t kernel_cycles, char *text)
{
	const struct metric *metric = &metrics_table[column / OP_STATS];
	int64_t op = metrics_op_find(m, device, id, session, NULL);
	size_t index = column / OP_STATS;
	double value = NAN;

	if (op >= 0 && metric_shown(metric, &m->devices.v[m->ops.v[op].device_index]))
		value = m->stats[(size_t)op * metrics_count * OP_STATS + column];
	if (m->joined && metric->flags & MF_FULL_GRID && column % OP_STATS == OP_STAT_AVG) {
		int64_t cores = devlog_max_cores(m->dev, device);

		if (op < 0 || !m->ops.v[op].counted[index] || !kernel_cycles || cores <= 0)
			return 0;
		value = m->ops.v[op].sum[index] / (double)cores / (double)kernel_cycles * 100;
	}
	fmt_python(text, value);
	return strlen(text);
}

size_t op_metrics_ops(const struct op_metrics *m)
{
	return m->ops.n;
}

double op_metrics_value(const struct op_metrics *m, size_t op, size_t metric, enum op_stat stat)
{
	return m->stats[(op * metrics_count + metric) * OP_STATS + stat];
}

const char *op_metric_name(size_t metric)
{
	return metrics_table[metric].name;
}
