/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops that ran at the same time on one device, by the device's own clock (model next: next.c). An
 * op ran for its kernel duration up to the cycle at which its firmware ended; cycles become time by
 * the median ratio of the firmware's cycles and its duration.
 */
#include "perf/report.h"

#include "base/order.h"

#include <math.h>

struct edge {
	double at; /* ns */
	uint32_t op;
	int32_t device;
	int8_t step; /* +1 begins, -1 ends */
};

ORDER_BY(compare_edges, struct edge, ORDER_UP(device) ?: ORDER_UP(at) ?: ORDER_UP(step));

static bool overlap_timed(const struct perf_row *row)
{
	return row->device != PERF_NO_DEVICE && row->fw_end != PERF_NO_NUMBER && row->duration > 0;
}

/* Cycles per nanosecond; 0 if unknown. */
static int clock_rate(const struct perf_report *r, double *rate)
{
	double *ratios = malloc((r->ops.n + 1) * sizeof(*ratios));
	size_t n = 0;

	if (!ratios)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_row *row = &r->in->rows.v[r->ops.v[i].row];

		if (overlap_timed(row) && row->fw_start != PERF_NO_NUMBER && row->fw_duration > 0 &&
		    row->fw_end > row->fw_start)
			ratios[n++] =
				((double)row->fw_end - (double)row->fw_start) / row->fw_duration;
	}
	qsort(ratios, n, sizeof(*ratios), order_double);
	*rate = n == 0 ? 0 : n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
	free(ratios);
	return 0;
}

/*
 * One pass over the edges in time. SHARED is the time so far with two ops or more: its increase
 * between an op's two edges is the op's overlap.
 */
static void overlap_sweep(struct perf_report *r, const struct edge *edges, size_t n)
{
	double busy = 0, shared = 0;
	int running = 0;

	for (size_t i = 0; i < n; i++) {
		double since = i && edges[i].device == edges[i - 1].device
				       ? edges[i].at - edges[i - 1].at
				       : 0;
		struct perf_op *op = &r->ops.v[edges[i].op];

		busy += running >= 1 ? since : 0;
		shared += running >= 2 ? since : 0;
		running += edges[i].step;
		if (edges[i].step > 0) {
			op->overlap = -shared;
			continue;
		}
		op->overlap += shared;
		op->overlap = op->overlap < 1 ? 0 : op->overlap / 1000;
		op->has |= HAS_OVERLAP;
	}
	r->busy = busy / 1000;
	r->overlap = shared < 1 ? 0 : shared / 1000;
}

int perf_overlap(struct perf_report *r)
{
	struct edge *edges;
	double rate;
	size_t n;
	int64_t zero;

	if (clock_rate(r, &rate) < 0)
		return TACHO_ENOMEM;
	if (rate <= 0)
		return 0;
	edges = malloc((r->ops.n * 2 + 1) * sizeof(*edges));
	if (!edges)
		return TACHO_ENOMEM;
	n = 0;
	zero = PERF_NO_NUMBER;
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_row *row = &r->in->rows.v[r->ops.v[i].row];
		double end;

		if (!overlap_timed(row) || !(r->ops.v[i].has & HAS_TIME))
			continue;
		if (zero == PERF_NO_NUMBER)
			zero = row->fw_end; /* small differences of large counters stay exact */
		end = ((double)row->fw_end - (double)zero) / rate;
		edges[n++] = (struct edge){end - row->duration, (uint32_t)i, row->device, 1};
		edges[n++] = (struct edge){end, (uint32_t)i, row->device, -1};
	}
	for (size_t i = 1; i < n; i++) {
		if (compare_edges(&edges[i - 1], &edges[i]) <= 0)
			continue;
		qsort(edges, n, sizeof(*edges), compare_edges);
		break;
	}
	overlap_sweep(r, edges, n);
	free(edges);
	return 0;
}
