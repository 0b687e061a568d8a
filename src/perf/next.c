/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the model next: which cells count, and how much of an op ran in parallel with
 * others. docs/perf-report.md has facts about the tool that it follows.
 */
#include "base/buf.h"
#include "base/order.h"
#include "perf/report.h"

#include <math.h>
#include <string.h>

/*
 * A duration that is missing or negative, or a gap that reaches further back than any op is long,
 * comes from a counter that wrapped or a record that was lost: neither is a time.
 */
bool perf_row_invalid(const struct perf_row *row)
{
	if (!isfinite(row->duration) || row->duration < 0)
		return true;
	return isfinite(row->gap) && row->gap < -1e6 && -row->gap > fmax(row->duration / 2, 1e6);
}

/* The cores that the op could have used. */
int perf_available(const struct perf_report *r, const struct perf_op *op)
{
	const struct perf_row *row = &r->in->rows.v[op->row];

	return row->workers_odd ? r->workers : row->workers;
}

/* True if all sizes that the op's figures need are present and possible. */
bool perf_shape_known(const struct perf_kind *k)
{
	const uint32_t conv = 1u << (OUT * DIMS + DIM_Y) | 1u << (IN0 * DIMS + DIM_X) |
			      1u << (IN1 * DIMS + DIM_X);

	if (k->family != FAMILY_CONV)
		return !k->odd;
	return !(k->odd & conv) && k->window_h > 0 && k->window_w > 0;
}

/* A shape that cannot be read is one word, not three question marks. */
int perf_next_labels(struct perf_input *in)
{
	for (size_t i = 0; i < in->kinds.n; i++) {
		struct perf_kind *k = &in->kinds.v[i];
		const char *settings = strstr(k->label, " [ABH=");
		struct buf label = BUF_INIT;

		if ((k->family != FAMILY_MATMUL && k->family != FAMILY_CONV) || perf_shape_known(k))
			continue;
		buf_addf(&label, "%s unknown shape", k->op_code);
		if (k->family == FAMILY_CONV && settings)
			buf_adds(&label, settings);
		k->label = label.failed ? NULL : perf_string(in, label.data, label.len);
		k->label_len = (uint32_t)label.len;
		buf_free(&label);
		if (!k->label)
			return TACHO_ENOMEM;
	}
	return 0;
}

int perf_window_rows_take(struct perf_window_rows *w, const struct perf_order *order,
			  const struct perf_input *in)
{
	w->duration = malloc((in->rows.n + 1) * sizeof(*w->duration));
	w->representative = malloc((in->rows.n + 1) * sizeof(*w->representative));
	if (!w->duration || !w->representative || vec_reserve(&w->order, order->n + 1) < 0)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < in->rows.n; i++) {
		w->duration[i] = perf_row_invalid(&in->rows.v[i]) ? NAN : in->rows.v[i].duration;
		w->representative[i] = (uint32_t)i;
	}
	for (size_t i = 0; i < order->n; i++)
		w->order.v[w->order.n++] = order->v[i];
	return 0;
}

void perf_window_rows_free(struct perf_window_rows *w)
{
	vec_free(&w->order);
	free(w->duration);
	free(w->representative);
}

/* An op of one device, by that device's clock. */
struct span {
	int32_t device;
	uint32_t row, place; /* PLACE: among the rows of the window, for a stable order */
	double start, end;   /* ns */
};

ORDER_BY(compare_devices, struct span, ORDER_UP(device) ?: ORDER_UP(place));

ORDER_BY(compare_starts, struct span, ORDER_UP(start) ?: ORDER_UP(place));

/* Cycles per nanosecond: the median over the ops of one device; 0 if unknown. */
static double device_rate(const struct perf_input *in, const struct span *spans, size_t n,
			  double *ratios)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		const struct perf_row *row = &in->rows.v[spans[i].row];

		if (row->fw_end > row->fw_start && row->fw_duration > 0)
			ratios[known++] =
				((double)row->fw_end - (double)row->fw_start) / row->fw_duration;
	}
	qsort(ratios, known, sizeof(*ratios), order_double);
	if (known == 0)
		return 0;
	return known % 2 ? ratios[known / 2] : (ratios[known / 2 - 1] + ratios[known / 2]) / 2;
}

/*
 * Time that an op shares with earlier ones is subtracted from the later op, so that the rest of all
 * ops adds up to the time in which the device was busy. Less than 1 ns is rounding.
 */
static void device_sweep(const struct perf_input *in, const struct perf_window_rows *w,
			 struct span *spans, size_t n, double rate, double *shared)
{
	double covered = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		spans[i].end = (double)in->rows.v[spans[i].row].fw_end / rate;
		spans[i].start = spans[i].end - w->duration[spans[i].row];
	}
	qsort(spans, n, sizeof(*spans), compare_starts);
	for (size_t i = 0; i < n; i++) {
		double beside = fmin(w->duration[spans[i].row], fmax(0, covered - spans[i].start));

		shared[spans[i].row] = beside < 1 ? 0 : beside;
		covered = fmax(covered, spans[i].end);
	}
}

static size_t take_spans(const struct perf_report *r, const struct perf_window_rows *w,
			 const bool *kept, struct span *spans)
{
	size_t n = 0;

	for (size_t i = 0; i < w->order.n; i++) {
		uint32_t at = w->order.v[i];
		const struct perf_row *row = &r->in->rows.v[at];

		if (kept[w->representative[at]] && row->type == TYPE_DEVICE &&
		    row->device != PERF_NO_DEVICE && row->fw_start != PERF_NO_NUMBER &&
		    row->fw_end != PERF_NO_NUMBER && !isnan(w->duration[at]))
			spans[n++] = (struct span){
				.device = row->device, .row = at, .place = (uint32_t)i};
	}
	qsort(spans, n, sizeof(*spans), compare_devices);
	return n;
}

/* The time that each row shared with earlier ones, ns; NaN: unknown. */
static int find_shared(const struct perf_report *r, const struct perf_window_rows *w,
		       double *shared)
{
	struct span *spans = malloc((w->order.n + 1) * sizeof(*spans));
	double *ratios = malloc((w->order.n + 1) * sizeof(*ratios));
	bool *kept = calloc(r->in->rows.n + 1, sizeof(*kept));
	size_t n = 0, end;
	int code = spans && ratios && kept ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; code == 0 && i < r->in->rows.n; i++)
		shared[i] = NAN;
	for (size_t i = 0; code == 0 && i < r->ops.n; i++)
		kept[r->ops.v[i].row] = true;
	if (code == 0)
		n = take_spans(r, w, kept, spans);
	for (size_t i = 0; i < n; i = end) {
		double rate;

		for (end = i; end < n && spans[end].device == spans[i].device;)
			end++;
		rate = device_rate(r->in, spans + i, end - i, ratios);
		if (isfinite(rate) && rate > 0)
			device_sweep(r->in, w, spans + i, end - i, rate, shared);
	}
	free(kept);
	free(ratios);
	free(spans);
	return code;
}

/*
 * Ops cannot run in parallel on an undivided grid: apparent overlaps there come from the way the
 * clock is read.
 */
int perf_next_overlap(struct perf_report *r, const struct perf_window_rows *w)
{
	double *shared = malloc((r->in->rows.n + 1) * sizeof(*shared)), all = 0;
	int code = shared ? find_shared(r, w, shared) : TACHO_ENOMEM;
	int first = 0;

	/* Finds which of the further columns have values. */
	for (size_t i = 0; i < r->ops.n; i++) {
		const struct perf_row *row = &r->in->rows.v[r->ops.v[i].row];
		int cores = perf_available(r, &r->ops.v[i]);

		r->has_sub_devices |= row->sub_device != PERF_NO_DEVICE || row->sub_device_text;
		first = first ? first : cores;
		r->has_workers |= cores != first;
	}
	r->has_workers |= r->has_sub_devices;
	for (size_t i = 0; code == 0 && r->has_workers && i < r->ops.n; i++) {
		struct perf_op *op = &r->ops.v[i];
		double ns = shared[op->row];

		if (!(op->has & HAS_TIME) || isnan(ns))
			continue;
		ns = fmin(ns, op->time * 1000);
		all += ns / 1000;
		if (ns == 0)
			continue;
		op->overlap = ns / 1000;
		op->has |= HAS_OVERLAP;
		r->has_overlap = true;
	}
	if (r->has_overlap) {
		r->busy = r->time_sum - all;
		r->overlap = all;
	}
	free(shared);
	return code;
}
