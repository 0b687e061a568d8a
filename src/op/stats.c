/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a device log as text and JSON. */
#include "op/stats.h"

#include "base/fmt.h"
#include "base/json.h"
#include "op/detect.h"
#include "op/figures.h"
#include "op/per_core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One series: of an op or of a core. */
struct part {
	uint64_t count;
	double sum, max, min, median;
};

struct parts {
	VEC(struct part);
};

/* Combines the parts; the median is that of the parts' medians. */
static int stats_merge(struct op_device_stats *out, const char *name, struct parts *parts)
{
	struct op_stat_line line = {.name = name};
	struct op_stat_values *v = &line.values;
	double *medians;

	if (!parts->n)
		return 0;
	medians = malloc(parts->n * sizeof(*medians));
	if (!medians)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < parts->n; i++) {
		const struct part *p = &parts->v[i];

		v->count += p->count;
		v->sum += p->sum;
		v->max = i == 0 || p->max > v->max ? p->max : v->max;
		v->min = i == 0 || p->min < v->min ? p->min : v->min;
		medians[i] = p->median;
	}
	v->range = v->max - v->min;
	v->average = v->sum / (double)v->count;
	v->median = op_median(medians, parts->n);
	free(medians);
	parts->n = 0;
	return vec_push(&out->lines, line);
}

static int add_series(struct parts *parts, double *v, size_t n)
{
	struct part p = {.count = n};

	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		p.sum += v[i];
	p.median = op_median(v, n);
	p.min = v[0];
	p.max = v[n - 1];
	return vec_push(parts, p);
}

/* Gaps are per core: each core is a series. */
static int stats_op2op(const struct devlog *dev, int64_t device, struct parts *parts)
{
	struct op_gaps gaps = {0};
	double *series = NULL;
	size_t n = 0;
	int r = op_gaps_find(dev, device, &gaps);

	if (r == 0 && gaps.n && !(series = malloc(gaps.n * sizeof(*series))))
		r = TACHO_ENOMEM;
	for (size_t i = 0; i < gaps.n && r == 0; i++) {
		series[n++] = (double)gaps.v[i].cycles;
		if (i + 1 < gaps.n && gaps.v[i + 1].core == gaps.v[i].core)
			continue;
		r = add_series(parts, series, n);
		n = 0;
	}
	free(series);
	vec_free(&gaps);
	return r;
}

struct markers {
	VEC(struct devlog_marker);
};

/* From each end of a zone with FLAG to the next start of one, anywhere on the device. */
static int stats_trace2trace(const struct devlog *dev, int64_t device, uint32_t flag,
			     struct parts *parts)
{
	struct markers m = {0};
	struct devlog_marker *tmp;
	double *series;
	const struct devlog_marker *from = NULL;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < dev->n && r == 0; i++)
		if (dev->zone_flags.v[dev->markers[i].zone] & flag &&
		    dev->cores.v[dev->markers[i].core].device == device)
			r = vec_push(&m, dev->markers[i]);
	tmp = malloc((m.n + 1) * sizeof(*tmp));
	series = malloc((m.n + 1) * sizeof(*series));
	if (r == 0 && tmp && series) {
		devlog_sort_markers(m.v, tmp, m.n);
		for (size_t i = 0; i < m.n; i++) {
			int type = m.v[i].type & DEVLOG_TYPE_MASK;

			if (from && type == DEVLOG_START) {
				series[n++] = (double)(m.v[i].time - from->time);
				from = NULL;
			} else if (type == DEVLOG_END) {
				from = &m.v[i];
			}
		}
		r = add_series(parts, series, n);
	} else {
		r = TACHO_ENOMEM;
	}
	free(tmp);
	free(series);
	vec_free(&m);
	return r;
}

static int op_parts(const struct op_executions *ops, enum op_measure a, struct parts *parts)
{
	int r = 0;

	for (size_t i = 0; i < ops->n && r == 0; i++) {
		const struct op_span *span = &ops->v[i].spans[a];
		const struct op_per_core *p = &ops->v[i].per_core;
		double cycles = (double)span->cycles;

		if (a == OP_M_PER_CORE && p->count)
			r = vec_push(parts, ((struct part){p->count, (double)p->sum, (double)p->max,
							   (double)p->min, p->median}));
		else if (span->set)
			r = vec_push(parts, ((struct part){1, cycles, cycles, cycles, cycles}));
	}
	return r;
}

static int device_stats(const struct devlog *dev, const struct op_picked *picked,
			const struct op_executions *ops, struct op_device_stats *out)
{
	struct parts parts = {0};
	int r = 0;

	for (int a = 0; a < OP_MEASURES && r == 0; a++) {
		r = op_parts(ops, (enum op_measure)a, &parts);
		if (r == 0)
			r = stats_merge(out, op_measures[a].name, &parts);
		if (r < 0 || a != OP_M_TRACE_KERNEL)
			continue;
		/* Those that belong to no op follow the first two. */
		r = stats_trace2trace(dev, out->device, ARCH_ZONE_TRACE_FW, &parts);
		if (r == 0)
			r = stats_merge(out, "trace2trace - FW", &parts);
		if (r == 0)
			r = stats_trace2trace(dev, out->device, ARCH_ZONE_TRACE_KERNEL, &parts);
		if (r == 0)
			r = stats_merge(out, "trace2trace - kernel", &parts);
		if (r == 0 && picked->op2op)
			r = stats_op2op(dev, out->device, &parts);
		if (r == 0)
			r = stats_merge(out, "op2op", &parts);
	}
	vec_free(&parts);
	return r;
}

static int all_devices(struct op_log_stats *stats, const struct devlog *dev,
		       const struct op_picked *picked, struct op_issues *issues,
		       struct tacho_error *err)
{
	int r = 0;

	for (size_t i = 0; i < dev->devices.n && r == 0; i++) {
		struct op_device_stats one = {.device = dev->devices.v[i]};

		r = op_detect(dev, one.device, OP_DETECT_FLOW, picked->spans, &one.ops, issues,
			      err);
		if (r == 0)
			r = op_dispatch(dev, one.device, true, picked->spans, &one.ops, issues,
					err);
		if (r == 0 && (r = device_stats(dev, picked, &one.ops, &one)) < 0)
			err_set(err, r, "out of memory");
		if (vec_push(stats, one) < 0) {
			vec_free(&one.lines);
			vec_free(&one.ops);
			r = err_set(err, TACHO_ENOMEM, "out of memory");
		}
	}
	return r;
}

int op_devlog_stats(struct op_log_stats *stats, const struct devlog *dev,
		    const struct op_picked *picked, struct op_issues *issues,
		    struct tacho_error *err)
{
	memcpy(stats->arch, dev->arch, sizeof(stats->arch));
	stats->mhz = dev->mhz;
	stats->max_cores = dev->max_cores;
	return all_devices(stats, dev, picked, issues, err);
}

struct shown {
	const char *name;
	double value;
};

static void stats_line_add(struct buf *out, const struct shown *s, bool cycles)
{
	char number[FMT_FIXED_SIZE];

	fmt_fixed(number, s->value, 0);
	buf_addf(out, "%12s %8s = %10s\n", s->name, cycles ? "[cycles]" : "", number);
}

static void stats_text_add(struct buf *out, const struct op_stat_line *line)
{
	const struct op_stat_values *v = &line->values;
	const struct shown all[] = {
		{"Count", (double)v->count}, {"Average", v->average}, {"Max", v->max},
		{"Median", v->median},       {"Min", v->min},         {"Sum", v->sum},
		{"Range", v->range}};

	buf_addf(out, "\n=================== %s ===================\n", line->name);
	if (v->count > 1)
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			stats_line_add(out, &all[i], i > 0);
	else
		stats_line_add(out, &(struct shown){"Duration", v->max}, true);
	buf_addc(out, '\n');
}

void op_log_stats_text(const struct op_log_stats *stats, struct buf *out)
{
	for (size_t d = 0; d < stats->n; d++)
		for (size_t i = 0; i < stats->v[d].lines.n; i++)
			stats_text_add(out, &stats->v[d].lines.v[i]);
}

static void add_json(struct json *j, const struct op_stat_line *line)
{
	const struct op_stat_values *v = &line->values;

	json_object(j, line->name);
	json_object(j, "stats");
	json_double(j, "Average", v->average);
	json_int(j, "Count", (int64_t)v->count);
	json_double(j, "Max", v->max);
	json_double(j, "Median", v->median);
	json_double(j, "Min", v->min);
	json_double(j, "Range", v->range);
	json_double(j, "Sum", v->sum);
	json_end(j);
	json_end(j);
}

static void stats_op_add(struct json *j, const struct op_execution *op)
{
	json_object(j, NULL);
	json_uint(j, "run_host_id", op->id);
	json_int(j, "trace_id", op->trace == OP_NONE ? -1 : op->trace);
	json_int(j, "trace_id_count", op->session == OP_NONE ? -1 : op->session);
	json_uint(j, "cores", op->cores);
	json_object(j, "analysis");
	for (int a = 0; a < OP_MEASURES; a++) {
		bool cores = a == OP_M_PER_CORE;

		if (cores ? !op->per_core.count : !op->spans[a].set)
			continue;
		json_object(j, op_measures[a].name);
		if (cores) {
			json_object(j, "stats");
			json_double(j, "Average", (double)op->per_core.sum / op->per_core.count);
			json_uint(j, "Count", op->per_core.count);
			json_uint(j, "First", op->per_core.first);
			json_uint(j, "Max", op->per_core.max);
			json_double(j, "Median", op->per_core.median);
			json_uint(j, "Min", op->per_core.min);
			json_uint(j, "Range", op->per_core.max - op->per_core.min);
			json_uint(j, "Sum", op->per_core.sum);
			json_end(j);
		} else {
			json_array(j, "series");
			json_object(j, NULL);
			json_uint(j, "duration_cycles", op->spans[a].cycles);
			/* A sum has no start and end. */
			if (op->spans[a].end) {
				json_uint(j, "end_cycle", op->spans[a].end);
				json_uint(j, "start_cycle", op->spans[a].start);
			}
			json_end(j);
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void op_log_stats_json(const struct op_log_stats *stats, bool series, struct buf *out)
{
	struct json j;
	char device[24];

	json_init(&j, out);
	json_object(&j, NULL);
	json_object(&j, "data");
	json_object(&j, "deviceInfo");
	json_text(&j, "arch", stats->arch);
	json_int(&j, "freq", stats->mhz);
	if (stats->max_cores == OP_NONE)
		json_null(&j, "max_compute_cores");
	else
		json_int(&j, "max_compute_cores", stats->max_cores);
	json_end(&j);
	json_object(&j, "devices");
	for (size_t d = 0; d < stats->n; d++) {
		snprintf(device, sizeof(device), "%" PRId64, stats->v[d].device);
		json_object(&j, device);
		json_object(&j, "cores");
		json_object(&j, "DEVICE");
		json_object(&j, "analysis");
		for (size_t i = 0; i < stats->v[d].lines.n; i++)
			add_json(&j, &stats->v[d].lines.v[i]);
		json_end(&j);
		if (series) {
			/* Where other tools expect them. */
			json_object(&j, "riscs");
			json_object(&j, "TENSIX");
			json_array(&j, "ops");
			for (size_t i = 0; i < stats->v[d].ops.n; i++)
				stats_op_add(&j, &stats->v[d].ops.v[i]);
			for (int depth = 0; depth < 3; depth++)
				json_end(&j);
		}
		for (int depth = 0; depth < 3; depth++)
			json_end(&j);
	}
	for (int depth = 0; depth < 3; depth++)
		json_end(&j);
	buf_addc(out, '\n');
}

void op_log_stats_free(struct op_log_stats *stats)
{
	for (size_t i = 0; i < stats->n; i++) {
		vec_free(&stats->v[i].lines);
		vec_free(&stats->v[i].ops);
	}
	vec_free(stats);
}
