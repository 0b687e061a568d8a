/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops that are not plain measurements: captured into a trace and never run, compiled for
 * (warm-ups), or replayed. Captured ops and warm-ups are listed and counted separately; replays are
 * ordinary ops: one by one, averaged, or only the last.
 */
#include "perf/report.h"

#include "base/order.h"

#include <math.h>
#include <string.h>

const char *perf_run_name(enum perf_run run)
{
	static const char *const names[RUN_COUNT] = {"measured", "replay", "warm-up", "captured"};

	return names[run];
}

/* One replay of an op. Replays of one op differ only in their session. */
struct replay {
	int32_t device, trace, session;
	int64_t call;
	uint32_t row, place; /* PLACE: in the order */
};

static int replay_compare_op(const struct replay *x, const struct replay *y)
{
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

ORDER_BY(replay_compare, struct replay,
	 replay_compare_op(x, y) ?: ORDER_UP(session) ?: ORDER_UP(place));

/* Stores the mean of N replays in the row of the first, with its spread. */
static void replays_average(struct perf_input *in, struct perf_spread *spread,
			    const struct replay *replays, size_t n)
{
	struct perf_row *row = &in->rows.v[replays[0].row];
	struct perf_spread s = {.least = INFINITY, .most = -INFINITY};
	struct perf_sum time = {0}, gap = {0};
	double squares = 0, mean;
	uint32_t gaps = 0;

	for (size_t i = 0; i < n; i++) {
		const struct perf_row *r = &in->rows.v[replays[i].row];

		if (!isnan(r->duration)) {
			s.n++;
			perf_sum_add(&time, r->duration);
			s.least = fmin(s.least, r->duration / 1000);
			s.most = fmax(s.most, r->duration / 1000);
		}
		if (!isnan(r->gap)) {
			gaps++;
			perf_sum_add(&gap, r->gap);
		}
	}
	if (!s.n)
		return;
	mean = perf_sum_get(&time) / s.n;
	for (size_t i = 0; i < n; i++) {
		double off = in->rows.v[replays[i].row].duration - mean;

		squares += isnan(off) ? 0 : off * off;
	}
	s.deviation = s.n > 1 ? sqrt(squares / (s.n - 1)) / 1000 : 0;
	row->duration = mean;
	row->gap = gaps ? perf_sum_get(&gap) / gaps : NAN;
	spread[row - in->rows.v] = s;
}

/* The number of replays of all traces. */
static int sessions_count(struct perf_report *r, const struct perf_order *order)
{
	struct replay *replays = malloc((order->n + 1) * sizeof(*replays));
	size_t n = 0;

	if (!replays)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < order->n; i++) {
		const struct perf_row *row = &r->in->rows.v[order->v[i]];

		if (row->replay && (n == 0 || replays[n - 1].trace != row->trace ||
				    replays[n - 1].session != row->session))
			replays[n++] =
				(struct replay){.trace = row->trace, .session = row->session};
	}
	qsort(replays, n, sizeof(*replays), replay_compare);
	for (size_t i = 0; i < n; i++)
		r->sessions += i == 0 || replay_compare(&replays[i - 1], &replays[i]);
	free(replays);
	return 0;
}

int perf_replays_take(struct perf_report *r, struct perf_order *order, struct perf_input *in)
{
	enum perf_replays how = r->options->replays;
	struct replay *replays;
	bool *dropped;
	size_t n, end, kept = 0;

	if (r->options->model != PERF_MODEL_TACHO)
		return 0;
	if (how == REPLAYS_EACH)
		return sessions_count(r, order);
	if (sessions_count(r, order) < 0)
		return TACHO_ENOMEM;
	replays = malloc((order->n + 1) * sizeof(*replays));
	dropped = calloc(order->n + 1, sizeof(*dropped));
	if (how == REPLAYS_MEAN)
		r->spread = calloc(in->rows.n + 1, sizeof(*r->spread));
	if (!replays || !dropped || (how == REPLAYS_MEAN && !r->spread)) {
		free(replays);
		free(dropped);
		return TACHO_ENOMEM;
	}
	n = 0;
	for (size_t i = 0; i < order->n; i++) {
		const struct perf_row *row = &in->rows.v[order->v[i]];

		if (row->type == TYPE_DEVICE && row->trace != PERF_NO_DEVICE &&
		    row->session != PERF_NO_DEVICE && row->whole_calls != PERF_NO_NUMBER)
			replays[n++] = (struct replay){.device = row->device,
						       .trace = row->trace,
						       .session = row->session,
						       .call = row->whole_calls,
						       .row = order->v[i],
						       .place = (uint32_t)i};
	}
	qsort(replays, n, sizeof(*replays), replay_compare);
	for (size_t i = 0; i < n; i = end) {
		size_t keep = i;

		for (end = i + 1; end < n && !replay_compare_op(&replays[i], &replays[end]);)
			end++;
		if (how == REPLAYS_MEAN)
			replays_average(in, r->spread, replays + i, end - i);
		else
			keep = end - 1;
		for (size_t k = i; k < end; k++)
			dropped[replays[k].place] = k != keep;
	}
	for (size_t i = 0; i < order->n; i++)
		if (!dropped[i])
			order->v[kept++] = order->v[i];
	order->n = kept;
	free(replays);
	free(dropped);
	return 0;
}

/*
 * An op was a warm-up if its program was not in the cache and the same op is measured again later,
 * from the cache. A program that runs once is not a warm-up: there is nothing else to report.
 */
static int warm_ups_mark(struct perf_report *r)
{
	uint32_t *last = calloc(r->in->kinds.n + 1, sizeof(*last)); /* place + 1 of the last hit */

	if (!last)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_row *row = &r->in->rows.v[r->ops.v[i].row];

		if (row->duration > 0 && (row->cache_hit || row->replay))
			last[r->ops.v[i].kind] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < r->ops.n; i++) {
		struct perf_op *op = &r->ops.v[i];

		if (!r->in->rows.v[op->row].cache_miss || op->run != RUN_MEASURED ||
		    last[op->kind] <= i)
			continue;
		op->run = RUN_WARM_UP; /* excluded from judgement */
		op->bound = BOUND_NONE;
		op->verdict = VERDICT_NONE;
	}
	free(last);
	return 0;
}

int perf_runs_mark(struct perf_report *r)
{
	int code = 0;
	bool counts;

	if (r->options->model != PERF_MODEL_TACHO)
		return 0;
	for (size_t i = 0; i < r->ops.n; i++) {
		struct perf_op *op = &r->ops.v[i];
		const struct perf_row *row = &r->in->rows.v[op->row];
		bool host = perf_op_kind(r, op)->family == FAMILY_HOST;

		if (op->type != TYPE_SIGNPOST && !host && isnan(row->duration))
			op->run = RUN_CAPTURED;
		else if (row->replay)
			op->run = RUN_REPLAY;
	}
	if (!r->options->count_warm_ups)
		code = warm_ups_mark(r);
	/* The time between a warm-up, or a capture, and the first replay belongs to none of them.
	 */
	counts = true;
	for (size_t i = 0; i < r->ops.n; i++) {
		struct perf_op *op = &r->ops.v[i];

		if (op->type == TYPE_SIGNPOST)
			continue;
		if (op->run == RUN_REPLAY && !counts)
			op->has &= (uint16_t)~HAS_GAP;
		counts = perf_op_counts(op);
	}
	memset(r->runs, 0, sizeof(r->runs));
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_op *op = &r->ops.v[i];

		if (op->type != TYPE_SIGNPOST && perf_op_kind(r, op)->family != FAMILY_HOST)
			r->runs[op->run]++;
	}
	return code;
}
